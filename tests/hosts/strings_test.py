#!/usr/bin/env python3
"""Hostile strings in every field of a spec: refused, or taken byte for byte; never a command, here or on a host."""

import base64
import json
import os
import pathlib
import posixpath
import re
import shlex
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import machines  # noqa: E402
import strings  # noqa: E402

TEXTS = [s for s in strings.ALL if "\0" not in s]  # with a NUL, no document is read at all
CANARY = f"/tmp/{strings.CANARY}"
# Fields that take any text of one line. What they accept is put on a machine below.
FREE = {"hosts[].key.file", "hosts[].password.file", "hosts[].become.password.file", "os.extraSysctls{}", "os.extraUsers[].home",
        "os.extraUsers[].shell", "os.extraFolders[].path", "hooks.preInstall[].script", "hooks.postInstall[].script",
        "hooks.preInstall[].file", "hooks.postInstall[].file", "hooks.preInstall[].env{}", "hooks.postInstall[].env{}",
        "hooks.postClusterReady[].script", "hooks.postClusterReady[].file", "hooks.postClusterReady[].env{}",
        "hooks.files[].from", "hooks.files[].to", "hooks.values{}", "networkPlugin.values{}",
        "hooks.operatorPreInstall[].command[]", "hooks.operatorPostClusterReady[].command[]", "hooks.operatorPostInstall[].command[]",
        "hooks.operatorPreInstall[].env{}", "hooks.operatorPostClusterReady[].env{}", "hooks.operatorPostInstall[].env{}",
        "bundles[]", "kubernetes.audit.policyFile", "kubernetes.certificates.caFolder", "runtime.patches[]", "registry.logins[].caFile",
        "components[].valuesFile", "components[].manifests[]", "etcd.caFile", "etcd.certFile", "etcd.key.file",
        *(f"kubernetes.tuning.{c}.{p}" for c in ("apiServer", "controllerManager", "scheduler", "kubelet", "kubeProxy")
          for p in ("args{}", "patches[]"))}
# One of each sort, for what costs a login each.
FEW = [f"$({strings.COMMAND})", f"`{strings.COMMAND}`", f"';{strings.COMMAND};'", f'";{strings.COMMAND};"', f"& {strings.COMMAND} &", "100%h%%",
       "a b  c", "~root", "*", "\\", "\u202e\u4f60"][::1 if machines.FULL else 3]


def fields(schema):
    """{path: pattern} of all fields that hold text, as the program itself publishes them."""
    found = {}

    def walk(node, path):
        while "$ref" in node:
            target = schema
            for key in node["$ref"].split("/")[1:]:
                target = target[key]
            node = target
        if node.get("type") == "string" and "enum" not in node:
            found[path] = node.get("pattern")
        for key, value in node.get("properties", {}).items():
            walk(value, f"{path}.{key}" if path else key)
        if isinstance(node.get("items"), dict):
            walk(node["items"], path + "[]")
        if isinstance(node.get("additionalProperties"), dict):
            walk(node["additionalProperties"], path + "{}")

    walk(schema["properties"]["spec"], "")
    return found


def put(node, path, value):
    """Sets a field by its path, making what is on the way: a[] is a list's only item, a{} a map's only value."""
    head, _, rest = path.partition(".")
    name = head.rstrip("[]{}")
    child = put({}, rest, value) if rest else value
    if head.endswith("{}[]"):
        node[name] = {"10.0.0.7" if name == "hosts" else "example.org": [child]}
    elif head.endswith("[]"):
        node[name] = [{**(node.get(name) or [{}])[0], **child} if isinstance(child, dict) else child]
    elif head.endswith("{}"):
        node[name] = {"key.of" if "sysctl" in name.lower() else "vmodule" if name == "args" else "KEY": child}
    else:
        node[name] = {**node.get(name, {}), **child} if isinstance(child, dict) else child
    return node


class Hostile(machines.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.no_canary)

    def no_canary(self):
        self.assertFalse(os.path.lexists(CANARY), "a string ran as a command on this computer")
        for machine in self.machines.values():
            self.assertFalse(machine.exists(CANARY), f"a string ran as a command on {machine.name}")


class Validation(Hostile):
    def validate(self, document):
        """{path: what is wrong} of a spec."""
        file = self.folder / "spec.yaml"
        file.write_text(json.dumps(document, ensure_ascii=False))
        result = self.program.run("validate", "-c", file, "-o", "json", cwd=self.folder)
        self.assertIn(result.code, (0, 3), result.err)
        return {p["path"]: p["what"] for p in result.json["problems"] if p["severity"] == "error"}

    def document(self, **spec):
        return {"apiVersion": "slipway.dev/v1", "kind": "Cluster", "metadata": {"name": "x"}, "spec": spec}

    def hosts(self, count):
        return [{"name": f"h{i}", "address": f"10.{i // 250}.0.{i % 250 + 1}", "roles": ["worker"]} for i in range(count)] + [
            {"name": "cp", "address": "10.99.0.1", "roles": ["control-plane"]}]

    def accepted(self, path):
        """Those of TEXTS that the field takes. Lists and hosts are asked about all of them in one go."""
        head, _, rest = path.partition(".")
        if head == "hosts[]":
            hosts = self.hosts(len(TEXTS))
            for host, text in zip(hosts, TEXTS):
                put(host, rest, text)
            problems = self.validate(self.document(hosts=hosts))
            return [t for i, t in enumerate(TEXTS) if not any(p.startswith(f"hosts[{i}].") for p in problems)]
        good = []
        for text in TEXTS[::1 if machines.FULL else 7]:
            spec = put({"hosts": self.hosts(0)}, path, text)
            for hook in spec.get("hooks", {}).values():
                hook[0] = {"name": "x", **({} if {"script", "file"} & hook[0].keys() else {"script": "true"}), **hook[0]}
            for user in spec.get("os", {}).get("extraUsers", []):
                user.setdefault("name", "u")
            for folder in spec.get("os", {}).get("extraFolders", []):
                folder.setdefault("path", "/x")
            for component in spec.get("components", []):
                component.setdefault("name", "x")
                component.setdefault("chart", "c")
            if not self.validate(self.document(**spec)):
                good.append(text)
        return good

    def test_every_field_refuses_what_its_published_pattern_does_and_no_field_takes_more(self):
        patterns = fields(self.program.run("schema").expect(0).json)
        self.assertLessEqual(FREE, patterns.keys(), "a field has gone: correct the list above")
        self.assertGreater(len(patterns), 35)
        for path, pattern in sorted(patterns.items()):
            if path in FREE:
                continue
            for text in self.accepted(path):
                self.assertRegex(text, pattern, path)
                self.assertNotRegex(text, r"[\x00-\x1f\x7f;&|<>()`'\"*?\[\]{}~#!\s]", path)
                self.assertFalse(text.startswith("-"), path)

    def test_text_with_a_nul_is_refused_wherever_it_is(self):
        for spec in ({"hosts": self.hosts(0), "os": {"extraFolders": [{"path": "/a\0b"}]}},
                     {"hosts": self.hosts(0), "hooks": {"preInstall": [{"name": "x", "script": "true\0"}]}}):
            self.assertNotEqual(self.validate(self.document(**spec)), {})


class OnMachines(Hostile):
    def refused_paths(self, site):
        result = self.program.run("validate", "-c", site.spec, "-o", "json")
        return {p["path"] for p in result.json["problems"] if p["severity"] == "error"}

    def test_folders_have_the_very_names_of_the_spec(self):
        paths = {}
        for text in TEXTS:
            path = f"/data/{text}"
            if posixpath.normpath(path).startswith("/data/") and max(len(p.encode()) for p in path.split("/")) < 256:
                paths.setdefault(posixpath.normpath(path), path)
        wanted = [{"path": path} for path in paths.values()]
        site = self.site(self.host(), os={"extraFolders": wanted})
        refused = self.refused_paths(site)
        kept = [f for i, f in enumerate(wanted) if f"os.extraFolders[{i}].path" not in refused]
        self.assertGreater(len(kept), 150)
        site.write([self.host()], {"os": {"extraFolders": kept}})
        site.run("apply", "--yes").expect(0)
        found = base64.b64decode(self.machine().sh("find /data -type d -print0 | base64")).decode().split("\0")
        self.assertEqual({posixpath.normpath(f["path"]) for f in kept} - set(found), set())
        parents = {parent for f in kept for parent in map(str, pathlib.PurePosixPath(posixpath.normpath(f["path"])).parents)}
        self.assertEqual(set(found) - {posixpath.normpath(f["path"]) for f in kept} - parents, {""})
        self.assertEqual(site.run("apply", "--yes", "-o", "json").expect(0).json["changed"], 0)
        site.run("reset", "--yes").expect(0)
        self.assertFalse(self.machine().exists("/data"))

    def test_variables_of_scripts_arrive_byte_for_byte(self):
        env = {f"V{i}": text for i, text in enumerate(TEXTS)}
        site = self.script_site("env -0 | base64 -w0")
        site.parts["hooks"]["preInstall"][0]["env"] = env
        site.write(site.spec_hosts, site.parts)
        refused = self.refused_paths(site)
        kept = {k: v for k, v in env.items() if f"hooks.preInstall[0].env.{k}" not in refused}
        self.assertGreater(len(kept), 200)
        site.parts["hooks"]["preInstall"][0]["env"] = kept
        # The log keeps 4 KiB of a line: the machine itself keeps the whole.
        site.parts["hooks"]["preInstall"][0]["script"] = "env -0 | base64 -w0 >/root/env"
        site.write(site.spec_hosts, site.parts)
        site.run("apply", "--yes").expect(0)
        arrived = dict(item.split("=", 1) for item in base64.b64decode(self.machine().sh("cat /root/env")).decode().split("\0") if item)
        self.assertEqual({k: v for k, v in arrived.items() if re.fullmatch(r"V\d+", k)}, kept)

    def test_arguments_of_hooks_on_this_computer_arrive_byte_for_byte(self):
        seen = self.folder / "arguments"
        keep = self.folder / "keep.sh"
        keep.write_text(f"#!/bin/sh\nprintf '%s\\0' \"$@\" >{shlex.quote(str(seen))}\n")
        keep.chmod(0o755)
        site = self.script_site("true")
        site.parts["hooks"]["operatorPreInstall"] = [{"name": "keep", "command": [str(keep), *TEXTS]}]
        site.write(site.spec_hosts, site.parts)
        site.run("apply", "--yes").expect(0)
        self.assertEqual(seen.read_bytes().decode().split("\0")[:-1], TEXTS)

    def test_files_of_this_computer_of_any_name(self):
        for number, text in enumerate(FEW):
            folder = self.folder / "files" / text
            folder.mkdir(parents=True)
            script = folder / "script.sh"
            script.write_text("true\n")
            hooks = {"postClusterReady": [{"name": "x", "file": str(script)}], "files": [{"from": str(script), "to": f"/srv/{text}"}]}
            site = self.site(self.host(), hooks=hooks, name=f"site{number}")
            site.run("apply", "--yes").expect(0)
            self.assertEqual(self.machine().sh(f"cat {shlex.quote('/srv/' + text)}"), "true\n")
            site.run("reset", "--yes").expect(0)
            self.assertEqual(self.machine().sh("ls -A /srv"), "")

    def test_homes_and_shells_of_users_are_the_very_ones_of_the_spec(self):
        texts = [t for t in FEW if ":" not in t]
        users = [{"name": f"u{i}", "home": f"/srv/{t}", "shell": f"/bin/{t}", "system": False} for i, t in enumerate(texts)]
        site = self.site(self.host(), os={"extraUsers": users})
        site.run("apply", "--yes").expect(0)
        for user in users:
            told = self.machine().sh(f"getent passwd {user['name']}").rstrip("\n").split(":")
            self.assertEqual(told[5:], [user["home"], user["shell"]])
        site.run("reset", "--yes").expect(0)
        self.assertEqual(self.machine().sh("ls -A /srv"), "")
        self.assertNotIn("u0:", self.machine().sh("getent passwd"))

    def test_user_whose_home_would_break_the_password_file_is_a_named_failure(self):
        site = self.site(self.host(), os={"extraUsers": [{"name": "u", "home": "/srv/a:0:0:x"}]})
        result = site.run("apply", "--yes")
        self.assertIn(result.code, (1, 3))
        self.assertNotIn("u:", [line[:2] for line in self.machine().sh("getent passwd").splitlines()])
        if result.code == 1:
            site.run("reset", "--yes").expect(0)

    def test_kernel_settings_have_the_very_values_of_the_spec_and_their_file_says_the_same(self):
        for number, text in enumerate(t for t in FEW if len(t.encode()) < 64 and "  " not in t):
            site = self.script_site("true", name=f"site{number}")
            site.parts["os"]["sysctl"] = True
            site.parts["os"]["extraSysctls"] = {"kernel.domainname": text}
            site.write(site.spec_hosts, site.parts)
            site.run("apply", "--yes").expect(0)
            self.assertEqual(self.machine().sh("sysctl -n kernel.domainname").rstrip("\n"), text)
            self.machine().sh("sysctl -q -w kernel.domainname=other && sysctl -q -p /etc/sysctl.d/90-slipway.conf")
            self.assertEqual(self.machine().sh("sysctl -n kernel.domainname").rstrip("\n"), text)
            site.run("reset", "--yes").expect(0)

    def test_key_of_a_bastion_in_a_folder_of_any_name(self):
        for number, text in enumerate(FEW):
            folder = self.folder / text
            folder.mkdir(parents=True)
            key = self.copy_key(folder / "key")
            site = self.site(self.host("node1", key={"file": str(key)}),
                             self.host("node2", roles=["worker"], key={"file": str(key)}, bastion="node1"), name=f"site{number}")
            self.works_or_is_refused(site, "preflight", "%" in text)

    def works_or_is_refused(self, site, command, refused, *arguments):
        """A path the SSH client itself cannot be given is refused by name, and no other."""
        result = site.run(command, *arguments, cwd=self.folder).expect(1 if refused else 0)
        self.assertEqual("SSH-PATH" in result.err, refused)
        return result

    def test_state_in_a_folder_of_any_name(self):
        for number, text in enumerate(FEW):
            site = self.site(self.host("node1"), self.host("node2", roles=["worker"], bastion="node1"), name=f"site{number}")
            site.state = self.folder / f"of {number}" / text
            if self.works_or_is_refused(site, "hosts trust", any(c in text for c in '%"\\'), "--yes").code == 0:
                site.options = []
                site.run("preflight", cwd=self.folder).expect(0)

    def test_passwords_of_any_kind(self):
        machine = self.machine()
        self.addCleanup(lambda: machine.sh("chpasswd", stdin="ops:" + (self.lab.state / "ops-password").read_text()))
        for number, text in enumerate([*FEW, "-n", "'\"\\ \u00e9\u4f60 "]):
            file = self.folder / f"password{number}"
            file.write_text(text + "\n")
            file.chmod(0o600)
            machine.sh("chpasswd", stdin=f"ops:{text}\n")
            secret = {"file": str(file)}
            site = self.site(self.host(login="ops-password", password=secret, become={"password": secret}), name=f"site{number}")
            site.run("preflight", cwd=self.folder).expect(0)

    def test_users_that_pass_for_names_reach_the_server_as_they_are(self):
        for number, user in enumerate(("a$b", "DOMAIN\\user", "user@host", "a+b")):
            since = self.machine().now()
            self.site(self.host(user=user), name=f"site{number}").refused("node1", "HOST-LOGIN", "accepts neither")
            shown = user.replace("\\", "\\\\")  # sshd doubles it in its log
            self.assertIn(f"Invalid user {shown} from", self.machine().journal(since, "-u", "ssh"))


if __name__ == "__main__":
    machines.main(count=2)
