"""A name server that knows what a test tells it, on this computer's address in the lab's network.

    with name_server.serving(machine.address, {"git.corp.test": "10.1.2.3"}) as server:
        …server.address…   # 10.77.0.1:40053
        …server.asked…     # names, in order
"""

import contextlib
import socket
import struct
import subprocess
import threading


class NameServer:
    def __init__(self, address, names):
        self.names, self.asked = names, []
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((address, 0))
        self.address = f"{address}:{self.socket.getsockname()[1]}"
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def close(self):
        self.socket.sendto(b"", self.socket.getsockname())  # an empty question is the end
        self.thread.join()
        self.socket.close()

    def _serve(self):
        while True:
            question, sender = self.socket.recvfrom(4096)
            if not question:
                return
            self.socket.sendto(self._answer(question), sender)

    def _answer(self, question):
        """Without what a client adds behind its question: a plain server knows no extensions."""
        at, labels = 12, []
        while question[at]:
            labels.append(question[at + 1:at + 1 + question[at]].decode())
            at += question[at] + 1
        name, kind = ".".join(labels).lower(), struct.unpack("!H", question[at + 1:at + 3])[0]
        self.asked.append(name)
        address = self.names.get(name)
        records = b""
        if address and kind == 1:
            records = struct.pack("!HHHIH", 0xC00C, 1, 1, 60, 4) + socket.inet_aton(address)
        flags = 0x8580 if address else 0x8583  # an answer by who knows; no such name
        return question[:2] + struct.pack("!HHHHH", flags, 1, 1 if records else 0, 0, 0) + question[12:at + 5] + records


def own_address(machine_address):
    """Of this computer, as the machine sees it."""
    route = subprocess.run(["ip", "-o", "route", "get", machine_address], capture_output=True, text=True, check=True).stdout.split()
    return route[route.index("src") + 1]


@contextlib.contextmanager
def serving(machine_address, names):
    server = NameServer(own_address(machine_address), names)
    try:
        yield server
    finally:
        server.close()
