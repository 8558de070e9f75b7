#!/usr/bin/env python3
"""`slipway serve` as the service of a machine: under its real systemd it is as confined as its unit says, and can do all
it is there for. It prepares another machine, and is restarted and killed while it does."""

import json
import pathlib
import re
import ssl
import sys
import http.client

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent), str(pathlib.Path(__file__).resolve().parent.parent / "server")]
import api  # noqa: E402
import machines  # noqa: E402

PASSWORD = "correct horse battery"
PORT = 8443
MOST_EXPOSURE = 4.0  # of 10, as systemd-analyze counts; without any setting it is 9.6
SLOW_HOOK = {"preInstall": [{"name": "slow", "script": "for i in $(seq 80); do test -e /run/go-on && exit 0; sleep 0.5; done; exit 1"}]}


class Client(api.Server):
    """Of a server somebody else has started, on another computer."""

    def __init__(self, machine, code):
        self.address, self.code = machine.address, code
        self.tls = ssl.create_default_context(cadata=machine.sh("cat /var/lib/slipway/.server/tls/ca.crt"))
        self.cookie = self.csrf = self.token = None

    def connect(self, timeout=60):
        return http.client.HTTPSConnection(self.address, PORT, context=self.tls, timeout=timeout)


class Service(machines.Case):
    def setUp(self):
        super().setUp()
        self.home, self.target = self.machine("node1"), self.machine("node2")
        self.home.put("/usr/local/bin/slipway", pathlib.Path(self.program.path).read_bytes(), mode="0755")
        self.home.put("/root/.ssh/site", (self.lab.state / "key").read_bytes(), mode="0600")

    def start_service(self):
        self.home.sh(f"slipway serve --install-unit --listen {self.home.address}:{PORT} && systemctl daemon-reload && "
                     "systemctl enable --now slipway-server")
        self.assertEqual(self.home.sh("systemctl is-active slipway-server").strip(), "active")
        said = self.home.sh("journalctl -q -o cat -u slipway-server")
        return Client(self.home, re.search(r"the code (\S+)", said)[1])

    def keep_spec(self, client):
        host = self.host("node2", key={"file": "/root/.ssh/site"})
        spec = {"apiVersion": "slipway.dev/v1", "kind": "Cluster", "metadata": {"name": "far"}, "spec": {"hosts": [host], "hooks": SLOW_HOOK}}
        client.ask("PUT", "/api/v1/specs/far", {"yaml": json.dumps(spec)}, headers={"If-None-Match": "*"}).expect(201)

    def trust_its_key(self, client):
        found = client.job("/api/v1/specs/far/hosts/keys")["result"]["hosts"]
        self.assertEqual([one["state"] for one in found], ["new"])
        client.job("/api/v1/specs/far/hosts/trust", {"keys": [{"host": one["host"], "fingerprint": one["fingerprint"]} for one in found]})

    def main_pid(self):
        return self.home.sh("systemctl show -P MainPID slipway-server").strip()

    def is_up_again(self, client, before):
        def up():
            try:
                return self.main_pid() not in ("0", before) and client.get("/healthz").status == 200
            except OSError:
                return False
        machines.wait_until(up, 30)

    def test_it_prepares_another_machine_however_often_it_is_restarted(self):
        client = self.start_service()
        client.sign_in(PASSWORD)
        self.keep_spec(client)
        self.trust_its_key(client)
        plan = client.job("/api/v1/specs/far/plan")
        self.assertEqual(plan["state"], "succeeded", plan)
        self.assertEqual(client.post("/api/v1/specs/far/apply").expect(202).json, {"cluster": "far", "run": 1})

        before = self.main_pid()
        self.home.sh("systemctl restart slipway-server")
        self.is_up_again(client, before)
        before = self.main_pid()
        self.home.sh(f"kill -9 {before}")
        self.is_up_again(client, before)
        self.assertEqual(client.get("/api/v1/clusters").json["items"][0]["run"]["state"], "running", "the run went on meanwhile")

        self.target.sh("touch /run/go-on")
        events = list(client.listen("far", 1, timeout=120))
        self.assertEqual([e[2]["result"] for e in events if e[1] == "run.finished"], ["succeeded"])
        self.assertEqual(self.target.sh("cat /proc/sys/net/ipv4/ip_forward").strip(), "1")
        self.is_confined()

    def is_confined(self):
        exposure = self.home.sh("systemd-analyze security slipway-server --no-pager | tail -1")
        self.assertLess(float(re.search(r"(\d+\.\d+)", exposure)[1]), MOST_EXPOSURE, exposure)
        status = self.home.sh(f"cat /proc/{self.main_pid()}/status")
        self.assertRegex(status, r"CapBnd:\t0+\n")
        self.assertRegex(status, r"NoNewPrivs:\t1\n")
        self.assertRegex(status, r"Seccomp:\t2\n")
        self.assertEqual(self.home.sh("stat -c %a /var/lib/slipway /var/lib/slipway/.server").split(), ["700", "700"])


machines.main(count=2)
