#!/usr/bin/env python3
"""Puts sources of a target together, several to one file to compile: headers are then read once for all of them.

    scripts/unity.py --into build/asan/unity/slipway_oci --root src src/oci/digest.cpp src/oci/layout.cpp …

Writes NUMBER.cpp into the folder, each a list of includes, and prints their paths. Together go only files that say the
same apart and together: what one declares for itself alone (in an unnamed namespace, as static, by #define) must not
be a word of another, or a call might mean the wrong function.

Which files go together hangs on their names alone as far as it can: another file changes one group, not all, and the
compiler's cache still knows the others.
"""
import argparse
import hashlib
import pathlib
import re
import sys

PER_GROUP = 12

TOKEN = re.compile(r"""
      (?P<comment>//[^\n]*|/\*.*?\*/)
    | (?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\s\\]*)\(.*?\)(?P=mark)")
    | (?P<text>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+')
    | (?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)
    | (?P<word>[A-Za-z_]\w*)
    | (?P<number>\d[\w.']*)
    | (?P<sign>->|::|[^\s])
""", re.VERBOSE | re.DOTALL | re.MULTILINE)

OPENING, CLOSING = "({[", ")}]"


def tokens_of(source):
    """(kind, text) of what a compiler would see, and the names #define gives."""
    found, macros = [], set()
    for match in TOKEN.finditer(source):
        kind = match.lastgroup if match.lastgroup != "mark" else "raw"
        if kind == "directive":
            macros.update(re.findall(r"^\s*#\s*define\s+(\w+)", match[0]))
        elif kind != "comment":
            found.append((kind, match[0]))
    return found, macros


def past_brackets(tokens, at):
    """Behind the bracket that closes the one at `at`."""
    depth = 0
    while at < len(tokens):
        depth += (tokens[at][1] in OPENING) - (tokens[at][1] in CLOSING)
        at += 1
        if depth == 0:
            return at
    raise ValueError("brackets that are not closed")


def past_template(tokens, at):
    """Behind `template <…>`."""
    depth, at = 0, at + 1
    while at < len(tokens):
        depth += (tokens[at][1] == "<") - (tokens[at][1] == ">")
        at += 1
        if depth == 0:
            return at
    return at


def declaration(tokens, at):
    """The tokens of one declaration that starts at `at`, without what stands in brackets, and where the next begins."""
    head = []
    while at < len(tokens):
        text = tokens[at][1]
        if text == ";":
            return head, at + 1
        if text in CLOSING:
            return head, at
        if text == "[" and tokens[at + 1][1] == "[":
            at = past_brackets(tokens, at)  # [[nodiscard]]
            continue
        if text in OPENING:
            head.append(("sign", text))
            body = text == "{"
            at = past_brackets(tokens, at)
            # A body ends a function; a class, an enum and an initialised variable go on to their semicolon.
            if body and at < len(tokens) and tokens[at][1] not in {";", ",", ")", "{"}:
                return head, at
            continue
        head.append(tokens[at])
        at += 1
    return head, at


def names_of(head):
    words = [text for _, text in head]
    while words[:1] == ["template"]:
        head = head[past_template(head, 0):]
        words = [text for _, text in head]
    if "operator" in words or not words or words[0] in {"using", "static_assert", "friend"}:
        return words[1:2] if words[:1] == ["using"] and "=" in words else []
    for keyword in ("struct", "class", "enum", "union"):
        if keyword in words[:1]:
            rest = [word for word in words[1:] if word not in {"class", "struct", "final"} and re.match(r"[A-Za-z_]", word)]
            return rest[:1]
    names, before, named, angles = [], None, False, 0
    for kind, text in [*head, ("sign", ",")]:
        angles += (text == "<") - (text == ">")
        if angles:
            continue  # std::function<int(int)>
        if text == "(" and not names and before and before.isupper():
            return []  # TEST(…)
        if text in {"(", "=", "{", "[", ","} and before and not named:
            names.append(before)
            named = True
        if text == ",":
            named = False  # int a = 1, b = 2;
        before = text if kind == "word" else None
    return names


def declared_alone(tokens):
    """What is declared at the top of unnamed namespaces and, by static, of others."""
    names = set()

    def read(at, alone):
        while at < len(tokens) and tokens[at][1] != "}":
            text = tokens[at][1]
            if text == ";":
                at += 1
                continue
            if text in {"namespace", "inline"} or text == "extern" and tokens[at + 1][0] == "text":
                opening = at
                while tokens[opening][1] not in {"{", ";", "="}:
                    opening += 1
                if tokens[opening][1] == "{" and "namespace" in {t for _, t in tokens[at:opening]} or text == "extern":
                    at = read(opening + 1, alone or tokens[opening - 1][1] == "namespace") + 1
                    continue
            start = at
            is_alias = text == "namespace"  # the same in every file that has it
            head, at = declaration(tokens, at)
            at = max(at, start + 1)
            if not is_alias and (alone or "static" in {word for _, word in head[:3]}):
                names.update(names_of(head))
        return at

    at = 0
    while at < len(tokens):
        at = read(at, alone=False) + 1
    return names


class Source:
    def __init__(self, path):
        tokens, macros = tokens_of(path.read_text())
        self.path = path
        self.alone = declared_alone(tokens) | macros
        # A member or the name of another namespace is never confused with what another file has for itself.
        self.words = {text for i, (kind, text) in enumerate(tokens)
                      if kind == "word" and (i == 0 or tokens[i - 1][1] not in {".", "->", "::"})}

    def bears(self, other):
        return not (self.alone & other.words or other.alone & self.words)


def read(path):
    try:
        return Source(path)
    except (ValueError, IndexError) as problem:
        sys.exit(f"unity: cannot read {path}: {problem}")


def grouped(sources):
    count = max(1, -(-len(sources) // PER_GROUP))
    count += -count % 4 if count > 4 else 0  # seldom another number: it moves every file
    groups = [[] for _ in range(count)]
    for source in sorted(sources, key=lambda source: str(source.path)):
        first = int(hashlib.sha256(source.path.name.encode()).hexdigest(), 16)
        for group in [groups[(first + i) % count] for i in range(count)] + groups[count:]:
            if len(group) < PER_GROUP * 3 // 2 and all(source.bears(other) for other in group):
                group.append(source)
                break
        else:
            groups.append([source])
    return [group for group in groups if group]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True, help="includes are written relative to it")
    parser.add_argument("sources", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    options.into.mkdir(parents=True, exist_ok=True)
    made = []
    for group in grouped([read(path) for path in options.sources]):
        lines = [f'#include "{source.path.relative_to(options.root)}"\n' for source in group]
        file = options.into / f"{len(made)}.cpp"
        text = "".join(lines)
        if not file.exists() or file.read_text() != text:
            file.write_text(text)
        made.append(file)
    for file in set(options.into.glob("*.cpp")).difference(made):
        file.unlink()
    print(*made, sep="\n")


if __name__ == "__main__":
    main()
