#!/usr/bin/env python3
"""Preparing machines: looked at, changed once, changed no further, and put back without a trace."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machines  # noqa: E402
import picture  # noqa: E402

CHECK_FIELDS = {"id", "host", "severity", "result", "seen", "wanted", "remedy"}
# One kernel for all machines of the lab: what one of them sets, the others find set. Only a lone machine can tell.
OWN = ["files", "contents", "units", "states", "users", "groups", "ports", "processes"]

EVERYTHING = {
    "os": {"extraModules": ["tun"],
           "extraSysctls": {"net.ipv4.tcp_keepalive_time": "600", "net.ipv4.ip_local_port_range": "20000 60000",
                            "kernel.pid_max": "131072"},
           "limitValues": {"openFiles": 2097152, "processes": 70000},
           "timeSync": {"enabled": True, "servers": ["10.0.0.1"], "timezone": "Asia/Tokyo"},
           "extraUsers": [{"name": "backup-agent"},
                          {"name": "alice", "system": False, "shell": "/bin/bash"}],
           "extraFolders": [{"path": "/data/deep/er", "mode": "0750", "owner": "alice", "group": "alice"},
                            {"path": "/srv/white space", "mode": "2775"}],
           "extraPorts": ["8080/tcp", "30000-32767/udp"]},
    "hooks": {"preInstall": [{"name": "first", "script": "echo pre >>/run/order; echo $GREETING",
                              "env": {"GREETING": "hello from $HOME"}}],
              "postInstall": [{"name": "last", "roles": ["worker"], "script": "test -d /data/deep/er && echo post >>/run/order"}]},
}


class Prepare(machines.Case):
    def test_everything_is_prepared_once_and_put_back_without_a_trace(self):
        machine = self.machine("node1")
        before = picture.take(machine)
        site = self.site(self.host("node1", name="first-host"), **EVERYTHING)

        self.assertFalse(site.run("preflight", "-o", "json").expect(0).json["checks"] == [])
        site.run("plan", "--detailed-exitcode").expect(2)
        self.assertEqual(site.run("apply", "--yes", "-o", "json").expect(0).json["result"], "succeeded")
        self.seen_on(machine)

        again = site.run("apply", "--yes", "-o", "json").expect(0).json
        self.assertEqual((again["changed"], again["failed"]), (0, 0))
        site.run("plan", "--detailed-exitcode").expect(0)
        self.assertEqual(machine.sh("cat /run/order"), "pre\npost\n", "a script runs once")

        prepared = picture.take(machine)
        self.assertGreater(len(picture.differences(before, prepared)), 40, "a picture that shows no change proves nothing")
        site.run("reset", "--yes").expect(0)
        machine.sh("rm /run/order")  # the script's own, which nobody can undo
        self.assertEqual(picture.differences(before, picture.take(machine)), [])

    def seen_on(self, machine):
        """Each part of the preparation, as the machine itself says it."""
        self.assertEqual(machine.sh("hostname; cat /etc/hostname").split(), ["first-host"] * 2)
        self.assertIn(machine.address, machine.sh("getent ahostsv4 first-host"))
        self.assertEqual(machine.sh("sysctl -n net.ipv4.tcp_keepalive_time net.ipv4.ip_local_port_range kernel.pid_max").split(),
                         ["600", "20000", "60000", "131072"])
        self.assertEqual(machine.sh("date +%Z; cat /etc/timezone").split(), ["JST", "Asia/Tokyo"])
        self.assertEqual(machine.sh("stat -c '%a %U:%G' /data/deep/er '/srv/white space'"), "750 alice:alice\n2775 root:root\n")
        self.assertIn("/home/alice:/bin/bash", machine.sh("getent passwd alice"))
        self.assertEqual(machine.sh("systemctl is-enabled swap.target || true"), "masked\n")
        self.assertEqual(machine.sh("systemctl show -P DefaultLimitNOFILE -P DefaultLimitNPROC").split(), ["2097152", "70000"])
        self.assertIn("* hard nofile 2097152", machine.sh("cat /etc/security/limits.d/*"))
        self.assertIn("hello from $HOME", self.program.run("logs", "first-host/pre-install-script-first", "--state",
                                                           self.folder / "site/state").expect(0).out)

    def test_several_machines_with_several_logins_are_put_back_without_a_trace(self):
        before = {name: picture.take(machine) for name, machine in self.machines.items()}
        site = self.site(self.host("node1", login="deploy"),
                         self.host("node2", login="ops", roles=["worker"]),
                         self.host("node3", login="ops-password", roles=["worker"], bastion="node1"))
        # node2 and node3 lie in networks of their own, which preflight rightly says.
        self.assertIn("NET-REACH-NETWORK-PLUGIN", site.run("preflight").expect(4).out)
        site = site.ignoring("NET-REACH-NETWORK-PLUGIN")
        self.assertGreater(site.run("apply", "--yes", "-o", "json").expect(0).json["changed"], 15)
        self.assertEqual(site.run("apply", "--yes", "-o", "json").expect(0).json["changed"], 0)
        self.assertIn(self.machine("node3").address, self.machine("node1").sh("getent ahostsv4 node3"))
        site.run("reset", "--yes").expect(0)
        for name, machine in self.machines.items():
            self.assertEqual(picture.differences(before[name], picture.take(machine), OWN), [], name)

    def test_looking_leaves_only_the_agent_and_clean_takes_it_away(self):
        machine = self.machine("node2")
        before = picture.take(machine)
        site = self.site(self.host("node2"))
        site.run("preflight").expect(0)
        site.run("plan").expect(0)
        seen = picture.differences(before, picture.take(machine), OWN)
        self.assertTrue(seen)
        self.assertEqual([line for line in seen if not line.startswith(("files: /var/lib/slipway", "contents: /var/lib/slipway",
                                                                        "files: /run/slipway", "contents: /run/slipway"))], [])
        cleaned = site.run("hosts clean", "-o", "json").expect(0).json["hosts"][0]
        self.assertIn("/var/lib/slipway", " ".join(cleaned["removed"]))
        self.assertEqual(picture.differences(before, picture.take(machine), OWN), [])

    def test_preflight_says_of_each_check_what_was_seen_and_wanted(self):
        site = self.site(self.host("node1"), self.host("node2", roles=["worker"]))
        answer = site.run("preflight", "-o", "json").expect(0).json
        self.assertGreater(len(answer["checks"]), 10)
        for check in answer["checks"]:
            self.assertLessEqual(CHECK_FIELDS, check.keys())
            if check["result"] == "failed":
                self.assertNotEqual("", check["remedy"], check["id"])
        site.run("hosts clean").expect(0)
        self.assertEqual({c["host"] for c in answer["checks"] if c["id"] == "HOST-UNREACHABLE"}, {"node1", "node2"})

    def test_preflight_fails_with_4_and_changes_nothing_and_so_does_apply(self):
        site = self.site(self.host("node1", arch="arm64"), self.host("node2", roles=["worker"]))
        before = picture.take(self.machine("node2"))
        result = site.run("preflight", "-o", "json").expect(4)
        self.assertEqual(site.checks(result)["node1", "HOST-ARCH"]["wanted"], "arm64")
        self.assertIn("HOST-ARCH", site.run("apply", "--yes").expect(4).err)
        site.run("hosts clean").expect(0)
        self.assertEqual(picture.differences(before, picture.take(self.machine("node2")), OWN), [])


if __name__ == "__main__":
    machines.main(count=3, behind=1)
