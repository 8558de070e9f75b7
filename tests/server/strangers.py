"""A server strangers are let loose on: what every test of them needs."""

import pathlib
import signal
import socket
import ssl

import case
from api import Server
from slipway import CLEAN

PASSWORD = "correct horse battery"
MIB = 1 << 20
NEXT = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


class StrangersCase(case.Case):
    def setUp(self):
        super().setUp()
        self.state = self.folder / "state"
        self.server = self.serve()
        self.memory_before = self.memory()

    def serve(self):
        server = Server(self.program, self.state, env=CLEAN)
        self.addCleanup(server.stop, signal.SIGKILL)
        return server

    def sign_in(self):
        self.server.sign_in(PASSWORD)
        return self.server

    def memory(self):
        return int(pathlib.Path(f"/proc/{self.server.process.pid}/statm").read_text().split()[1]) * 4096

    def assert_well(self, most_mib=60):
        """It answers, and has not grown without bound."""
        self.server.get("/healthz").expect(200)
        self.assertLess(self.memory() - self.memory_before, most_mib * MIB)
        self.assertIsNone(self.server.process.poll())

    def connect(self, timeout=10):
        plain = socket.create_connection(("127.0.0.1", self.server.port), timeout=timeout)
        return self.server.tls.wrap_socket(plain, server_hostname="127.0.0.1")

    def answers_to(self, sent, timeout=20):
        """All the server says until it closes."""
        with self.connect(timeout) as connection:
            try:
                connection.sendall(sent)
            except OSError:
                pass  # refused before all of it was sent; the answer is there
            return self.read_to_end(connection)

    @staticmethod
    def read_to_end(connection):
        out = b""
        while True:
            try:
                piece = connection.recv(65536)
            except (ssl.SSLError, ConnectionError):
                return out
            if not piece:
                return out
            out += piece

    def assert_refused(self, sent, *statuses):
        """One answer of these, and whatever stands behind it in the connection is not a request."""
        answer = self.answers_to(sent + NEXT)
        status = int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else None
        self.assertIn(status, statuses, (sent[:120], answer[:300]))
        self.assertEqual(answer.count(b"HTTP/1.1 "), 1, (sent[:120], answer))
        self.assertIn(b"Connection: close\r\n", answer)
