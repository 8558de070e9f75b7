"""What goes into the bundle, as one digest. Only files are read: a bundle that is there is found without Go, without
apt and without Slipway."""

import hashlib
import pathlib
import re

from slipwaylab import image

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
MODULES = ["kubernetes", "etcd", "coredns", "flannel", "cni-plugins", "cni-flannel", "containerd", "runc", "cri-tools",
           "kube-vip", "metrics-server", "helm", "local-path-provisioner"]
NOT_INPUTS = {"README.md", "__pycache__"}


def own_files():
    """Recipe, builder and sources: everything in lab/bundle but its page."""
    return [path for path in sorted(HERE.rglob("*"))
            if path.is_file() and not NOT_INPUTS & set(path.relative_to(HERE).parts)]


def module_files():
    folders = [ROOT / "tools/go" / name for name in MODULES]
    return [path for folder in folders for path in sorted(folder.iterdir())]


def format_version():
    """The version of the bundle file, from where Slipway itself has it."""
    header = ROOT / "src/oci/bundle_index.hpp"
    found = re.search(r"kBundleVersion = (\d+);", header.read_text())
    if not found:
        raise LookupError(f"{header} names no kBundleVersion")
    return found[1]


def digest():
    total = hashlib.sha256()
    parts = [("format", format_version().encode()), ("machines", image.folder("base").name.encode())]
    parts += [(str(path.relative_to(ROOT)), path.read_bytes())
              for path in own_files() + module_files() + [ROOT / "scripts/go_program.py"]]
    for name, content in parts:
        for part in (name.encode(), content):
            total.update(len(part).to_bytes(8, "big") + part)
    return total.hexdigest()[:16]
