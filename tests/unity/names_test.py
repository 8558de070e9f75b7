#!/usr/bin/env python3
"""What scripts/unity.py takes for the names a layer's files have for themselves alone, beside what the compiler made of them.

    names_test.py build/asan
"""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
import unity  # noqa: E402

SYMBOL = re.compile(r"^\S* [a-zA-Z] slipway::[\w:]*?\(anonymous namespace\)::(\w+)", re.MULTILINE)
OF_MACROS = re.compile(r"_Test$|^gtest_|^rapidCheck_")  # TEST() and its like put the test's own name in


class Names(unittest.TestCase):
    def test_every_name_the_compiler_keeps_to_a_file_is_known(self):
        layers = [folder.name for folder in (ROOT / "src").iterdir() if folder.is_dir()]
        compared = 0
        for layer in layers:
            known = {name for path in (ROOT / "src" / layer).rglob("*.cpp") for name in unity.Source(path).alone}
            objects = [*BUILD.glob(f"libslipway_{layer}.a"), *BUILD.glob(f"libslipway_{layer}_testing.a"),
                       *(BUILD / f"CMakeFiles/{layer}_test.dir").rglob("*.o")]
            self.assertTrue(objects, f"{layer} is not built")
            symbols = subprocess.run(["nm", "-C", *objects], capture_output=True, text=True, check=True).stdout
            made = {name for name in SYMBOL.findall(symbols) if not OF_MACROS.search(name)}
            self.assertEqual(made - known, set(), layer)
            compared += len(made)
        self.assertGreater(compared, 1000, "the symbols are looked for in the wrong way")


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1))
    unittest.main()
