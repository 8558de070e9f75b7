#!/usr/bin/env python3
"""Machines that make it hard: noisy rc files, odd shells and locales, homes and folders that cannot be used,
output without end. Slipway works all the same, or says what is wrong."""

import contextlib
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machines  # noqa: E402

NOISE = r"""printf '\000\377\001\002junk without an end of line'
head -c 200000 /dev/urandom
printf '\033]0;title\007\033[2J'
echo "Welcome! 3 updates" >&2
read -t 1 line
sleep 1
seq 20000
"""
# As restrictive about a command line as csh, fish and old shells are together: one line, no history or escape
# characters, nothing but one pair of single quotes around all that is special.
PICKY = r"""#!/bin/bash
[ "$1" = -c ] || exit 90
command=$2
inside=${command#*\'}; inside=${inside%\'*}; outside=${command/"$inside"/}
case $command in *$'\n'* | *'!'* | *\\*) echo "picky: Event not found." >&2; exit 91 ;; esac
case $inside in *\'*) echo "picky: Unmatched '." >&2; exit 92 ;; esac
case $outside in *[\$\`\"\;\&\|\<\>\(\)\{\}\*\?]*) echo "picky: Illegal variable name." >&2; exit 93 ;; esac
exec /bin/sh -c "$command"
"""


class Surroundings(machines.Case):
    """Everything is tried with a login of its own: the machine's root is how the test itself gets in."""

    def works(self, name="site", **fields):
        site = self.script_site("echo it works", self.host(**{"login": "deploy", **fields}), name=name)
        site.run("apply", "--yes").expect(0)
        self.assertIn("it works", self.output(site))
        site.run("hosts clean").expect(0)
        return site

    @contextlib.contextmanager
    def rc_file(self, text, names=(".bashrc", ".profile", ".zshenv")):
        machine = self.machine()
        for name in names:
            machine.sh(f"cp -p /home/deploy/{name} /home/deploy/{name}.kept 2>/dev/null || true")
            machine.put(f"/home/deploy/{name}", text, owner="deploy:deploy")
        try:
            yield
        finally:
            for name in names:
                machine.sh(f"cd /home/deploy; rm {name}; mv {name}.kept {name} 2>/dev/null || true")

    def shell(self, path):
        return self.machine().changed(f"usermod -s {path} deploy", "usermod -s /bin/bash deploy")


class Shells(Surroundings):
    def test_rc_file_that_prints_reads_and_is_slow(self):
        with self.rc_file(NOISE):
            self.works()

    def test_rc_file_that_prints_too_much_is_named(self):
        with self.rc_file("head -c 3000000 /dev/zero | tr '\\0' x\n"):
            self.site(self.host(login="deploy")).refused("node1", "HOST-UNREACHABLE", "")

    def test_rc_file_that_ends_the_login_is_named(self):
        with self.rc_file("echo maintenance, go away\nexit 3\n"):
            self.site(self.host(login="deploy")).refused("node1", "HOST-LOGIN", "the login ends before a command runs")

    def test_other_shells(self):
        self.machine().put("/usr/local/bin/picky", PICKY, mode="0755")
        for shell in ("/bin/sh", "/bin/dash", "/usr/local/bin/picky"):
            with self.shell(shell):
                self.works(name=pathlib.Path(shell).name)

    def test_restricted_shell_is_named(self):
        with self.shell("/bin/rbash"):
            self.site(self.host(login="deploy")).refused("node1", "HOST-LOGIN", "the login ends before a command runs")

    def test_odd_locales_and_terminals_on_both_sides(self):
        odd = {"LANG": "tr_TR.UTF-8", "LC_ALL": "xx_XX.nonsense", "LC_MESSAGES": "ja_JP", "LANGUAGE": "de:fr", "TERM": "\033[2J$(reboot)",
               "POSIXLY_CORRECT": "1", "TZ": "Mars/Base", "IFS": "/", "CDPATH": "/tmp"}
        with self.machine().changed("printf 'LANG=tr_TR.UTF-8\\nLC_ALL=tr_TR\\nTZ=Mars/Base\\n' >/etc/default/locale",
                                    "rm /etc/default/locale"), self.rc_file("export LC_ALL=tr_TR IFS=/ LANGUAGE=de TERM=nonsense CDPATH=/tmp\nset -f\n"):
            site = self.script_site("echo it works", self.host(login="ops"))
            site.env.update(odd)
            site.run("apply", "--yes").expect(0)
            wrong = self.folder / "wrong"
            wrong.write_text("wrong\n")
            wrong.chmod(0o600)
            refused = self.site(self.host(login="ops", become={"password": {"file": str(wrong)}}), name="wrong-password")
            refused.env.update(odd)
            refused.refused("node1", "HOST-ROOT", "sudo does not take the password")


class Folders(Surroundings):
    def noexec(self, *folders):
        mounts = "; ".join(f"mount -t tmpfs -o noexec tmpfs {f}" for f in folders)
        return self.machine().changed(mounts, "; ".join(f"umount {f}" for f in folders))

    def test_home_that_does_not_exist(self):
        self.machine().sh("mkdir -p /etc/keys && cp /home/deploy/.ssh/authorized_keys /etc/keys/deploy && chmod 644 /etc/keys/deploy")
        with self.machine().sshd("AuthorizedKeysFile /etc/keys/%u .ssh/authorized_keys"), \
                self.machine().changed("sed -i s,:/home/deploy:,:/nowhere:, /etc/passwd", "sed -i s,:/nowhere:,:/home/deploy:, /etc/passwd"):
            self.works()
            with self.noexec("/tmp", "/var/tmp"):
                self.site(self.host(login="deploy"), name="nowhere").refused("node1", "HOST-UNREACHABLE", "no folder the agent can be put into")

    def test_home_that_is_read_only(self):
        with self.machine().changed("mount --bind /home/deploy /home/deploy && mount -o remount,bind,ro /home/deploy", "umount /home/deploy"):
            self.works()

    def test_home_and_tmp_that_run_no_programs(self):
        bound = "mount --bind /home/deploy /home/deploy && mount -o remount,bind,noexec /home/deploy"
        with self.machine().changed(bound, "umount /home/deploy"), self.noexec("/tmp"):
            self.works()

    def read_only(self, folder):
        return self.machine().changed(f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}", f"umount {folder}")

    def test_read_only_disk_is_named_before_the_agent_is_there_and_after(self):
        site = self.site(self.host())
        with self.read_only("/var/lib"):
            site.refused("node1", "HOST-UNREACHABLE", "no folder the agent can be put into")
        site.run("preflight").expect(0)
        with self.read_only("/var/lib"):
            site.refused("node1", "HOST-READ-ONLY", "/var/lib")
        with self.read_only("/etc"):
            self.assertIn("HOST-READ-ONLY", site.run("apply", "--yes").expect(1).err)
        site.run("resume").expect(0)
        site.run("reset", "--yes").expect(0)


class Output(Surroundings):
    def test_100_mib_of_output_cost_little_memory_and_a_small_journal(self):
        site = self.script_site("head -c 104857600 /dev/zero | tr '\\0' x | fold -w 150; echo; echo the end")
        run = site.start("apply", "--yes", "--progress", "none")
        peak = 0
        while run.poll() is None:
            with contextlib.suppress(OSError, IndexError, ValueError):
                status = pathlib.Path(f"/proc/{run.pid}/status").read_text()
                peak = max(peak, int(status.split("VmHWM:")[1].split()[0]) // 1024)
            time.sleep(0.02)
        run.communicate()
        self.assertEqual(run.returncode, 0)
        self.assertTrue(5 < peak < 200, f"{peak} MiB")
        self.assertLess(sum(f.stat().st_size for f in site.state.rglob("*") if f.is_file()), 30 << 20)
        lines = [e["line"] for e in site.events("log.line")]
        self.assertEqual(lines[-1], "the end")
        self.assertEqual(lines[0], "x" * 150)
        self.assertEqual(len([line for line in lines if "lines left out" in line]), 1)
        self.assertEqual(self.machine().sh("ls -A /var/lib/slipway/jobs 2>/dev/null || true"), "")

    def test_bytes_of_any_kind_are_shown_without_harm(self):
        site = self.script_site(r"""printf "$(printf '\\%03o' $(seq 1 255))"; printf 'a\0b\r\033[2J\033]0;x\007\n'; printf 'no end'; printf '\377\376' >&2""")
        site.run("apply", "--yes", "-v").expect(0)
        lines = [e["line"] for e in site.events("log.line")]
        self.assertEqual(lines[-1] if "no end" in lines[-1] else lines[-2], "no end")
        for text in (self.output(site), *lines):
            self.assertNotRegex(text, r"[\x00-\x08\x0b-\x1f\x7f]")

    def test_facts_of_a_machine_that_lies_are_shown_without_harm(self):
        machine = self.machine()
        with machine.changed("cp /etc/os-release /root/os-release; rm /etc/os-release; "
                             "printf 'ID=\"\\033[2Jx\\001\"\\nVERSION_ID=\"$(reboot)\\377\"\\nPRETTY_NAME=\"a\\nb\\0c\"\\n' >/etc/os-release",
                             "rm /etc/os-release; ln -s ../usr/lib/os-release /etc/os-release"):
            for arguments in (("-v",), ("-o", "json"), ("-o", "yaml")):
                result = self.site(self.host(), name="site" + arguments[-1]).run("preflight", *arguments)
                self.assertIn(result.code, (0, 4))
                self.assertNotRegex(result.out + result.err, r"[\x00-\x08\x0b-\x1f\x7f]")
                self.assertRegex(result.out, "HOST-OS")


if __name__ == "__main__":
    machines.main(count=1)
