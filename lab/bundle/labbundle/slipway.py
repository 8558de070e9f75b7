"""The Slipway program that builds and signs, and the lab's key."""

import json
import os
import shutil
import subprocess
import tempfile

from slipwaylab.command import LabError


class Slipway:
    def __init__(self, program):
        self.program = program
        if not os.access(program, os.X_OK):
            raise LabError(f"{program} is not there; `make build` makes it, --slipway names another")

    def run(self, *argv):
        """Its progress and errors are for the person at the terminal, its results for nobody."""
        done = subprocess.run([str(self.program), *map(str, argv)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            raise LabError(f"slipway {argv[0]} {argv[1]} failed with {done.returncode}")

    def build(self, recipe, spec, target, name="packages", version="1"):
        document = {"apiVersion": "slipway.dev/v1", "kind": "Recipe", "metadata": {"name": name, "version": version},
                    "spec": spec}
        recipe.write_text(json.dumps(document, indent=2))
        self.run("bundle", "build", "-f", recipe, "-o", target)

    def sign(self, bundle, folder):
        """With the key of this computer's lab, made on first use; returns the public one."""
        key, public = folder / "bundle.key", folder / "bundle.pub"
        if not (key.exists() and public.exists()):
            with tempfile.TemporaryDirectory(dir=folder) as made:
                self.run("bundle", "keygen", f"{made}/bundle")
                shutil.move(f"{made}/bundle.key", key)
                shutil.move(f"{made}/bundle.pub", public)
        self.run("bundle", "sign", bundle, "--key", key)
        return public
