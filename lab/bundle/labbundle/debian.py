"""Programs of Debian packages, with all they load, as folders for images.

The packages come through Slipway's own resolver and downloader, from the repositories this computer's apt uses: the
result is that of the packages, whatever is installed here. Nothing is installed.
"""

import fnmatch
import os
import pathlib
import re
import shutil

from slipwaylab import image
from slipwaylab.command import LabError, run

from . import inputs

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
LIBRARIES = ["lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu"]


def repositories():
    """Debian's own archives for the suite, as this computer's apt is told to use them."""
    listed = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT) $(ARCHITECTURE)",
                 "Created-By: Packages").stdout
    components = {}
    for line in listed.splitlines():
        url, suite, component, arch = line.split()
        if arch == "amd64" and suite in (image.SUITE, f"{image.SUITE}-updates", f"{image.SUITE}-security"):
            components.setdefault((url, suite), []).append(component)
    if not any(suite == image.SUITE for _, suite in components):
        raise LabError(f"packages come from Debian {image.SUITE}, and no source in /etc/apt has it; add one")
    return [{"url": url, "suite": suite, "components": sorted(set(names)), "keyring": KEYRING}
            for (url, suite), names in sorted(components.items())]


def fetch(slipway, names, work):
    """The packages and everything they need, unpacked over one another."""
    (work / "nothing").write_text("")  # a host that has no package: so that libc comes along
    wanted = {"os": "debian-12", "arch": "amd64", "deb": names, "base": "nothing", "repositories": repositories()}
    slipway.build(work / "packages.yaml", {"packages": [wanted]}, work / "packages.bundle")
    slipway.run("bundle", "extract", work / "packages.bundle", "debian-12:amd64", "-o", work / "debs")
    tree = work / "tree"
    for package in sorted((work / "debs").glob("*.deb")):
        run("dpkg-deb", "--extract", package, tree)
    return tree


def make_root(tree, wanted, target):
    """A root of debian.yaml."""
    for pattern in wanted.get("programs", []):
        for program in matching(tree, pattern):
            add_with_libraries(tree, program, target)
    for name in wanted.get("files", []):
        copy(tree, name, target)
    for name, points_to in wanted.get("links", {}).items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).symlink_to(points_to)


def make_base(tree, target):
    """What every image has: users, and whom TLS trusts. Debian makes the list of certificates when it installs them."""
    shutil.copytree(inputs.HERE / "files", target)
    certificates = sorted((tree / "usr/share/ca-certificates").rglob("*.crt"))
    if not certificates:
        raise LabError("the package ca-certificates has no certificates where they were expected")
    (target / "etc/ssl/certs").mkdir(parents=True)
    (target / "etc/ssl/certs/ca-certificates.crt").write_bytes(b"".join(path.read_bytes() for path in certificates))


def matching(tree, pattern):
    folder, name = pattern.rsplit("/", 1)
    found = sorted(fnmatch.filter(os.listdir(tree / folder), name))
    if not found:
        raise LabError(f"the packages of debian.yaml have no {pattern}")
    return [f"{folder}/{each}" for each in found]


def add_with_libraries(tree, name, target):
    if (target / name).exists():
        return
    copy(tree, name, target)
    for needed in needs(target / name):
        add_with_libraries(tree, needed if "/" in needed else library(tree, needed), target)


def needs(file):
    """Names of the libraries an ELF file asks for, and the path of its loader."""
    said = run("readelf", "--wide", "--program-headers", "--dynamic", file).stdout
    loader = re.findall(r"interpreter: /([^\]]+)\]", said)
    return loader + re.findall(r"\(NEEDED\).*\[([^\]]+)\]", said)


def library(tree, name):
    for folder in LIBRARIES:
        if os.path.lexists(tree / folder / name):
            return f"{folder}/{name}"
    raise LabError(f"no package of debian.yaml has {name}")


def copy(tree, name, target):
    """Under the name it is asked for by, whatever links lead to it."""
    (target / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(resolve(tree, tree / name), target / name)


def resolve(tree, path):
    for _ in range(8):
        if not path.is_symlink():
            return path
        points_to = os.readlink(path)
        path = tree / points_to.lstrip("/") if points_to.startswith("/") else pathlib.Path(
            os.path.normpath(path.parent / points_to))
    raise LabError(f"{path} leads to no file")
