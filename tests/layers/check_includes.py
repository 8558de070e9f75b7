#!/usr/bin/env python3
"""The include graph obeys the layers of CMakeLists.txt.

- `#include "layer/…"` goes only to the layer itself and to those its slipway_layer() line names;
  a layer may name only layers above it in the list.
- Heavy third-party headers stay in the .cpp files of their one adapter.
- Every layer has a README.md.
"""
import pathlib
import re
import sys

# header prefix -> folders or files whose .cpp may include it. Nobody may include it from a header.
HEAVY = {
    "yaml-cpp/": ["config/", "remote/"],
    "sqlite3.h": ["store/"],
    "CLI/": ["cli/"],
    "boost/beast": ["net/"],
    "boost/asio": [],
    "openssl/": ["base/", "pki/", "net/", "store/", "agent/", "oci/", "registry/", "server/"],
    "zlib.h": ["oci/"],
    "zstd.h": ["oci/"],
    "lzma.h": ["oci/"],
    "expat.h": ["oci/"],
}


def read_layers(cmake_text):
    """[(layer, [layers it may use])] in the order of the file."""
    layers = []
    for match in re.finditer(r"^slipway_layer\(([^)]*)\)", cmake_text, re.MULTILINE):
        words = match.group(1).split()
        uses, collecting = [], False
        for word in words[1:]:
            if word in ("LAYERS", "LIBRARIES"):
                collecting = word == "LAYERS"
            elif collecting:
                uses.append(word)
        layers.append((words[0], uses))
    return layers


def check(root):
    """Every problem as one line of text."""
    problems = []
    layers = read_layers((root / "CMakeLists.txt").read_text())
    if not layers:
        return ["CMakeLists.txt: no slipway_layer() line was found"]
    order = [name for name, _ in layers]
    allowed = dict(layers)
    for name, uses in layers:
        for used in uses:
            if used not in order or order.index(used) >= order.index(name):
                problems.append(f"CMakeLists.txt: layer {name} uses {used}, which is not above it")

    for folder in sorted(p for p in (root / "src").iterdir() if p.is_dir()):
        files = sorted(p for p in folder.rglob("*") if p.suffix in (".cpp", ".hpp"))
        if not files:
            continue
        if folder.name not in allowed:
            problems.append(f"src/{folder.name}: not in the list of layers in CMakeLists.txt")
            continue
        if not (folder / "README.md").is_file():
            problems.append(f"src/{folder.name}: has no README.md")
        for file in files:
            problems += check_file(root, file, folder.name, order, allowed)
    return problems


def check_file(root, file, layer, order, allowed):
    problems = []
    inside = file.relative_to(root / "src").as_posix()
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if not match:
            continue
        kind, header = match.groups()
        where = f"src/{inside}:{number}: {line.strip()}"
        target = header.split("/")[0]
        if kind == '"' and target != layer and target in order and target not in allowed[layer]:
            problems.append(f"{where}: {layer} may not use {target}")
        elif kind == '"' and target not in order and header != "version.hpp":
            problems.append(f"{where}: own headers are named from src/: \"{layer}/…\"")
        elif kind == '"' and target in order and header != "version.hpp":
            if not (root / "src" / header).is_file():
                problems.append(f"{where}: there is no such file")
        for heavy, homes in HEAVY.items():
            if not header.startswith(heavy):
                continue
            if file.suffix != ".cpp":
                problems.append(f"{where}: heavy header outside a .cpp file")
            elif not any(inside.startswith(home) for home in homes):
                problems.append(f"{where}: only {', '.join(homes) or 'nobody yet'} may include it")
    return problems


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    problems = check(root)
    for problem in problems:
        print(problem)
    print(f"layers: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
