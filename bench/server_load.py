#!/usr/bin/env python3
"""Clients of a server that runs, in a process of their own: what to do comes as one line of JSON on standard input.

    {"what": "listeners", "port": 8443, "token": "…", "path": "/api/…/events", "count": 1000, "slow": 50}
    {"what": "requests", "port": 8443, "token": "…", "clients": 200, "seconds": 30, "mix": [["/healthz", 5], …]}

Listeners say "all there" when every one of them is, and leave when the run has ended; then both print what they saw.
"""
import asyncio
import gc
import json
import random
import re
import selectors
import socket
import ssl
import sys
import time

EVENT = re.compile(rb"^id: (\d+)$", re.MULTILINE)
END = b"event: end\n"
PATIENCE_SECONDS = 240


def any_certificate():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def head(path, token, version="1.1", more=""):
    return f"GET {path} HTTP/{version}\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n{more}\r\n".encode()


class Listener:
    """HTTP/1.0, so that nothing but events is in the body."""

    def __init__(self, context, order, slow):
        plain = socket.socket()
        if slow:
            # As over a network: between programs of one computer the kernel would hold megabytes for it.
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 536)
        plain.connect(("127.0.0.1", order["port"]))
        self.socket = context.wrap_socket(plain)
        self.socket.sendall(head(order["path"], order["token"], "1.0", "Accept: text/event-stream\r\n"))
        self.socket.setblocking(False)
        self.rest, self.count, self.last, self.in_order, self.ended = b"", 0, 0, True, False

    def take(self):
        """False when there is nothing more to come."""
        while True:
            try:
                piece = self.socket.recv(65536)
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return True
            except OSError:
                return False
            if not piece:
                return False
            whole, _, self.rest = (self.rest + piece).rpartition(b"\n")
            self.ended = self.ended or END in whole + b"\n"
            for match in EVENT.finditer(whole):
                seq = int(match[1])
                self.in_order = self.in_order and seq > self.last
                self.last = seq
                self.count += 1


def serve_all(listeners):
    selector = selectors.DefaultSelector()
    for listener in listeners:
        selector.register(listener.socket, selectors.EVENT_READ, listener)
    left, until = len(listeners), time.monotonic() + PATIENCE_SECONDS
    while left and time.monotonic() < until:
        for key, _ in selector.select(1):
            if not key.data.take():
                selector.unregister(key.fileobj)
                left -= 1


def listeners(order, slow):
    context = any_certificate()
    slow += [Listener(context, order, True) for _ in range(order["slow"])]
    reading = [Listener(context, order, False) for _ in range(order["count"] - order["slow"])]
    print("all there", flush=True)
    serve_all(reading)
    return {"counts": sorted({one.count for one in reading}), "in_order": all(one.in_order for one in reading),
            "ended": sum(one.ended for one in reading), "reading": len(reading)}


async def answer_of(reader):
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in lines[1:] if line)
    body = await reader.readexactly(int(fields["content-length"]))
    return int(lines[0].split()[1]), body


async def client(order, context, number, took, wrong):
    reader, writer = await asyncio.open_connection("127.0.0.1", order["port"], ssl=context, limit=1 << 20)
    paths, weights = zip(*order["mix"])
    pick = random.Random(number)
    begin = order["begin"] + number / order["clients"]
    try:
        for second in range(order["seconds"]):
            await asyncio.sleep(max(0, begin + second - time.monotonic()))
            path = pick.choices(paths, weights)[0]
            sent = time.perf_counter()
            writer.write(head(path, order["token"]))
            status, _ = await answer_of(reader)
            took.append((path, time.perf_counter() - sent))
            if status != 200:
                wrong.append((path, status))
    finally:
        writer.close()


async def requests(order):
    context, took, wrong = any_certificate(), [], []
    order["begin"] = time.monotonic() + 3  # time to connect
    gc.disable()
    await asyncio.gather(*(client(order, context, number, took, wrong) for number in range(order["clients"])))
    return {"took": took, "wrong": wrong}


def main():
    order = json.loads(sys.stdin.readline())
    slow = []  # they stay until the other side has looked
    seen = listeners(order, slow) if order["what"] == "listeners" else asyncio.run(requests(order))
    print(json.dumps(seen), flush=True)
    sys.stdin.readline()


if __name__ == "__main__":
    main()
