#!/usr/bin/env python3
"""Strangers at the shipped program, over real TLS: what they send is refused, held in bounds, and others are served meanwhile."""

import pathlib
import re
import socket
import ssl
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/harness"), str(ROOT / "tests/server")]
import case  # noqa: E402
from strangers import MIB, NEXT, StrangersCase  # noqa: E402


def get(more=b"", path=b"/healthz"):
    return b"GET " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n" + more


def post(more=b"", path=b"/api/v1/session"):
    return b"POST " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" + more


class Framing(StrangersCase):
    def test_floods_of_heads(self):
        for sent, status in ((get(b"".join(b"X-%d: y\r\n" % i for i in range(150)) + b"\r\n"), 431),
                             (get(b"X: " + b"y" * 60_000 + b"\r\n\r\n"), 431),
                             (get(b"y" * 60_000), 431),
                             (get(b"".join(b"X-%d: %s\r\n" % (i, b"y" * 1000) for i in range(60)) + b"\r\n"), 431),
                             (get(b"\r\n", b"/" + b"a" * 9000), 414),
                             (get(b"\r\n", b"/?" + b"&".join(b"a=%d" % i for i in range(500))), 400),
                             (b"G" * 40_000, 414)):
            self.assert_refused(sent, status)
        for _ in range(300):  # the same one over and over leaves nothing behind
            with self.connect() as connection:
                connection.sendall(get(b"X: " + b"y" * 40_000))
        self.assert_well()

    def test_requests_that_two_could_read_in_two_ways(self):
        chunked = post(b"Transfer-Encoding: chunked\r\n\r\n")
        for sent in (post(b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                     post(b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
                     post(b"Content-Length: 3\r\nContent-Length: 5\r\n\r\nabc"),
                     post(b"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
                     post(b"Content-Length: 3, 5\r\n\r\nabc"),
                     post(b"Content-Length: +3\r\n\r\nabc"),
                     post(b"Content-Length: 0x3\r\n\r\nabc"),
                     post(b"Content-Length: 99999999999999999999\r\n\r\nabc"),
                     post(b"Content-Length : 3\r\n\r\nabc"),
                     post(b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
                     post(b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
                     post(b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"),
                     post(b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
                     post(b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n"),
                     post(b"Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"),
                     post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"),
                     post(b"Transfer-Encoding\r\n : chunked\r\n\r\n0\r\n\r\n"),
                     post(b"X: a\r\n Content-Length: 3\r\n\r\nabc"),
                     b"POST /api/v1/session HTTP/1.0\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                     chunked + b"ffffffffffffffff\r\nabc\r\n0\r\n\r\n",
                     chunked + b"10000000000000003\r\nabc\r\n0\r\n\r\n",
                     chunked + b"-1\r\nabc\r\n0\r\n\r\n",
                     chunked + b"3\nabc\r\n0\r\n\r\n",
                     chunked + b"3\r\nabcX\r\n0\r\n\r\n",
                     chunked + b"3;" + b"a" * 5000 + b"\r\nabc\r\n0\r\n\r\n",
                     chunked + b"0\r\nX: " + b"y" * 20_000 + b"\r\n\r\n",
                     b"GET /healthz HTTP/1.1\nHost: 127.0.0.1\n\n",
                     b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\n\r\n",
                     b"GET /healthz HTTP/1.1\rHost: 127.0.0.1\r\n\r\n",
                     get(b"X: a\rb\r\n\r\n"), get(b"X: a\0b\r\n\r\n"), get(b"X y: a\r\n\r\n"), get(b": a\r\n\r\n"),
                     get(b"Host: evil.example\r\n\r\n"),
                     b"GET /healthz HTTP/1.1\r\n\r\n"):
            self.assert_refused(sent, 400, 501)
        self.assert_well()

    def test_two_good_ones_in_one_connection_are_two(self):
        answer = self.answers_to(post(b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n") + NEXT)
        self.assertEqual(re.findall(rb"HTTP/1.1 (\d+) ", answer), [b"400", b"200"], answer)

    def test_targets(self):
        secret = self.state / ".server/tls/server.key"
        for path in (b"/../../etc/passwd", b"/assets/%2e%2e/%2e%2e/etc/passwd", b"/assets/..%2f..%2fetc/passwd", b"/%2e%2e/", b"/./", b"/a%00b",
                     b"/a%0d%0aX:%20y", b"/%", b"/%zz", b"x", b"*", b"ftp://127.0.0.1/"):
            self.assert_refused(get(b"\r\n", path), 400)
        for path in (b"//etc/passwd", b"/assets//etc/passwd", b"/..\\..\\etc\\passwd", b"/assets/..%5c..%5cetc", b"/assets/%c0%ae%c0%ae/etc", b"/\xff\xfe",
                     b"/.server/tls/server.key", bytes(secret), b"/api/v1/../", b"/api/v1/specs/..%5c..%5cusers.json", b"/api/v1/clusters/.server"):
            answer = self.answers_to(get(b"Connection: close\r\n\r\n", path))
            self.assertNotIn(b"PRIVATE KEY", answer)
            self.assertNotIn(b"root:", answer)
            self.assertIn(int(answer[9:12]), (200, 400, 401, 404), (path, answer[:200]))
            if answer[9:12] == b"200":  # the page itself, whatever the path
                self.assertIn(b"text/html", answer, path)
        self.assert_well()

    def test_ranges_do_nothing_but_what_they_say(self):
        whole = self.server.get("/").expect(200)
        for field in ("bytes=0-0", "bytes=0-,0-,0-,0-", "bytes=" + ",".join(f"{i}-{i + 9}" for i in range(1000)), "bytes=-99999999999999999999",
                      "bytes=18446744073709551615-18446744073709551616", "bytes=5-1", "lines=1-2", "bytes=0-18446744073709551615"):
            answer = self.server.get("/", headers={"Range": field})
            self.assertEqual((answer.status, answer.body), (200, whole.body), field)
        server = self.sign_in()
        server.post("/api/v1/bundles", {"name": "x.bundle", "size": 10}).expect(201)
        for field in ("bytes 0-18446744073709551615/10", "bytes 0-9/18446744073709551626", "bytes 5-1/10", "bytes 0-9/5", "bytes -1-9/10",
                      "bytes 0-99/100", "bytes 0-1,2-3/10", "bytes 9999999999999999999-9999999999999999999/10", "bytes */99", "0-9/10", ""):
            answer = server.ask("PATCH", "/api/v1/bundles/x.bundle", b"0123456789", headers={"Content-Range": field})
            self.assertIn(answer.status, (400, 409, 416, 422), field)
        self.assertEqual(server.get("/api/v1/bundles/x.bundle").expect(200).json["received"], 0)
        self.assert_well()

    def test_bodies_without_end(self):
        server = self.sign_in()
        signed = b"Cookie: slipway_session=%s\r\nX-Slipway-Csrf: %s\r\n" % (server.cookie.encode(), server.csrf.encode())
        for path in (b"/api/v1/validate", b"/api/v1/session", b"/api/v1/convert"):  # refused by what it says, before it comes
            answer = self.answers_to(post(signed + b"Content-Length: %d\r\n\r\n{" % (3 * MIB), path))
            self.assertEqual((answer[9:12], b"SERVER-TOO-LARGE" in answer), (b"413", True), (path, answer))
        head = post(signed + b"Transfer-Encoding: chunked\r\n\r\n", b"/api/v1/validate")
        with self.connect() as connection:
            sent = 0
            try:
                connection.sendall(head)
                while sent < 64 * MIB:
                    connection.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")
                    sent += 65536
            except OSError:
                pass
            self.assertLess(sent, 16 * MIB, "the server goes on reading what it will not take")
        deep = b'{"yaml": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
        self.assertEqual(server.ask("POST", "/api/v1/validate", deep, headers={"Content-Type": "application/json"}).status, 400)
        bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{','.join([f'*{chr(97 + i)}'] * 9)}]\n" for i in range(9))
        self.assertFalse(server.post("/api/v1/validate", {"yaml": bomb}).expect(200).json["valid"])
        self.assert_well()

    def test_text_that_is_none(self):
        server = self.sign_in()
        for body in (b'{"yaml": "\xff\xfe"}', b'{"yaml": "\xed\xa0\x80"}', b'{"yaml": "\xc0\xae"}', b"\xef\xbb\xbf{}", b"{", b"[]", b"null", b'{"yaml": 1}'):
            answer = server.ask("POST", "/api/v1/validate", body, headers={"Content-Type": "application/json"})
            self.assertEqual((answer.status, answer.json["id"]), (400, "SERVER-BAD-REQUEST"), body)
        nul = server.post("/api/v1/validate", {"yaml": "a: \0"}).expect(200)
        self.assertFalse(nul.json["valid"])
        for query in ("search=%ff", "host=%c3%28", "step=" + "%f0%9f%98%80" * 100, "type=" + "," * 1000):
            self.assertIn(server.get(f"/api/v1/clusters/none/runs/1/logs?{query}").status, (400, 404), query)
        self.assert_well()


class Patience(StrangersCase):
    """Those who are slow on purpose."""

    def test_slow_ones_are_closed_and_hold_nobody_up(self):
        silent = [socket.create_connection(("127.0.0.1", self.server.port), timeout=30) for _ in range(150)]
        slow = [self.connect(30) for _ in range(150)]
        for connection in slow:
            connection.sendall(get())
        bodies = [self.connect(40) for _ in range(20)]
        for connection in bodies:
            connection.sendall(post(b"Content-Length: 2000\r\n\r\n"))
        self.addCleanup(lambda: [connection.close() for connection in silent + slow + bodies])
        closed_in = {}
        begun = time.monotonic()

        def drip(name, connections, byte):
            left = list(connections)
            while left and time.monotonic() < begun + 45:
                for connection in list(left):
                    try:
                        connection.settimeout(0.001)
                        if byte:
                            connection.send(byte)
                        if connection.recv(4096) == b"":
                            left.remove(connection)
                    except (ssl.SSLWantReadError, ssl.SSLWantWriteError, TimeoutError):
                        pass
                    except OSError:
                        left.remove(connection)
                time.sleep(0.1)
            closed_in[name] = (time.monotonic() - begun, len(left))

        threads = [threading.Thread(target=drip, args=words) for words in (("silent", silent, b""), ("heads", slow, b"X"), ("bodies", bodies, b" "))]
        for thread in threads:
            thread.start()
        longest = 0
        while any(thread.is_alive() for thread in threads):
            asked = time.monotonic()
            self.server.get("/healthz").expect(200)
            longest = max(longest, time.monotonic() - asked)
            time.sleep(0.1)
        self.assertLess(longest, 3, "others had to wait")
        for name, most in (("silent", 20), ("heads", 20), ("bodies", 40)):
            self.assertEqual(closed_in[name][1], 0, f"{name} were never closed")
            self.assertLess(closed_in[name][0], most, name)
        self.assert_well()

    def test_more_connections_than_there_is_room_for(self):
        held = []
        self.addCleanup(lambda: [connection.close() for connection in held])
        for _ in range(1500):
            held.append(socket.create_connection(("127.0.0.1", self.server.port), timeout=10))
        # Those who say nothing make room, long before their time is over.
        end = time.monotonic() + 5
        while True:
            try:
                self.server.get("/healthz", timeout=5).expect(200)
                break
            except OSError:
                self.assertLess(time.monotonic(), end, "nobody gets in any more")
        self.assert_well(150)


if __name__ == "__main__":
    case.main()
