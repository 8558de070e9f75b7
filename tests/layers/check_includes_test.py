#!/usr/bin/env python3
"""check_includes.py notices each kind of offence: a checker that cannot fail proves nothing."""
import pathlib
import tempfile
import unittest

import check_includes

CMAKE = """
slipway_layer(base    LIBRARIES OpenSSL::Crypto)
slipway_layer(store   LAYERS base LIBRARIES slipway_sqlite)
slipway_layer(engine  LAYERS base store)
"""


class CheckIncludes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.write("CMakeLists.txt", CMAKE)
        for layer in ("base", "store", "engine"):
            self.write(f"src/{layer}/README.md", "x\n")
        self.write("src/base/error.hpp", "#include <string>\n")
        self.write("src/store/journal.hpp", '#include "base/error.hpp"\n')
        self.write("src/store/journal.cpp", '#include "store/journal.hpp"\n#include <sqlite3.h>\n')

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def problems(self):
        return "\n".join(check_includes.check(self.root))

    def test_a_clean_tree_passes(self):
        self.assertEqual(self.problems(), "")

    def test_including_a_layer_below_is_named_with_file_and_line(self):
        self.write("src/base/error.cpp", '#include "base/error.hpp"\n#include "store/journal.hpp"\n')
        self.assertIn("src/base/error.cpp:2", self.problems())
        self.assertIn("base may not use store", self.problems())

    def test_a_list_out_of_order_is_refused(self):
        self.write("CMakeLists.txt", CMAKE.replace("(base ", "(base LAYERS engine "))
        self.assertIn("layer base uses engine", self.problems())

    def test_a_heavy_header_in_a_header_is_refused(self):
        self.write("src/store/journal.hpp", "#include <sqlite3.h>\n")
        self.assertIn("heavy header outside a .cpp", self.problems())

    def test_a_heavy_header_outside_its_adapter_is_refused(self):
        self.write("src/engine/plan.cpp", "#include <sqlite3.h>\n")
        self.assertIn("only store/ may include it", self.problems())

    def test_a_layer_without_readme_is_refused(self):
        (self.root / "src/store/README.md").unlink()
        self.assertIn("src/store: has no README.md", self.problems())

    def test_a_folder_that_is_no_layer_is_refused(self):
        self.write("src/extra/thing.cpp", "int x;\n")
        self.assertIn("src/extra: not in the list", self.problems())

    def test_a_header_named_without_its_layer_is_refused(self):
        self.write("src/store/journal.cpp", '#include "journal.hpp"\n')
        self.assertIn("own headers are named from src/", self.problems())


if __name__ == "__main__":
    unittest.main()
