"""A TCP proxy between Slipway and a machine's SSH server that breaks connections where it is told to.

    with Proxy(machine.address) as proxy:
        proxy.next(Break("stall", after=1500))      # the next connection: silence once the machine has sent so much
        …
        proxy.break_all("reset")                    # every connection there is now

How: reset (RST both ways), close (in order), stall (open, and nothing passes any more).
"""

import contextlib
import dataclasses
import socket
import struct
import threading


@dataclasses.dataclass
class Break:
    how: str
    after: int = 0          # bytes from the machine that still pass
    sent: int = 1 << 60     # or bytes to the machine, whichever comes first


class Connection:
    def __init__(self, client, machine, plan):
        self.client, self.machine, self.plan = client, machine, plan
        self.received, self.sent = 0, 0      # bytes from and to the machine that were passed on
        self.broken = ""
        self.guard = threading.Lock()
        for source, target, name in ((machine, client, "received"), (client, machine, "sent")):
            threading.Thread(target=self._pass_on, args=(source, target, name), daemon=True).start()

    def _pass_on(self, source, target, name):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                with self.guard:
                    if self.broken:
                        return
                    left = len(data)
                    if self.plan:
                        left = (self.plan.after if name == "received" else self.plan.sent) - getattr(self, name)
                    passed = data[:max(left, 0)]
                    setattr(self, name, getattr(self, name) + len(passed))
                if passed:
                    target.sendall(passed)
                if len(passed) < len(data):
                    self.break_now(self.plan.how)
                    return
        if not self.broken:
            with contextlib.suppress(OSError):
                target.shutdown(socket.SHUT_WR)

    def break_now(self, how):
        with self.guard:
            if self.broken:
                return
            self.broken = how
        for end in (self.client, self.machine):
            with contextlib.suppress(OSError):
                if how == "reset":
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    end.shutdown(socket.SHUT_RD)  # wakes the thread that reads, without a FIN
                elif how == "close":
                    end.shutdown(socket.SHUT_RDWR)
                if how != "stall":
                    end.close()


    def let_go(self):
        """Also of one that stalls: whoever still waits at an end is told."""
        for end in (self.client, self.machine):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


class Proxy:
    def __init__(self, address, port=22):
        self.target = (address, port)
        self.connections, self.plans, self.always = [], [], None
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.port = self.listening.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listening.close()
        for connection in self.connections:
            connection.let_go()

    def next(self, *plans):
        """What happens to the next connections, one after the other; those after them are whole."""
        self.plans += plans

    def break_all(self, how):
        """How many connections were whole until now."""
        whole = [c for c in self.connections if not c.broken]
        for connection in whole:
            connection.break_now(how)
        return len(whole)

    @property
    def broken(self):
        return [c for c in self.connections if c.broken]

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                plan = self.plans.pop(0) if self.plans else self.always
                try:
                    machine = socket.create_connection(self.target, timeout=10)
                    machine.settimeout(None)
                except OSError:
                    client.close()
                    continue
                self.connections.append(Connection(client, machine, plan))
