#!/usr/bin/env python3
"""Only sources that mean the same apart and together are compiled together."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
import unity  # noqa: E402

PRIVATE = {
    "a function": ("namespace n { namespace { int shared(int a) { return a; } } }", {"shared"}),
    "a template": ("namespace { template <typename T, class U = std::vector<int>> T shared(U u) { return u; } }", {"shared"}),
    "a constant": ("namespace { constexpr int kShared = 1; const std::map<int, int> shared{{1, 2}}; }", {"kShared", "shared"}),
    "several at once": ("namespace { constexpr int kFirst = 1, kSecond = 2; double a, b; }", {"kFirst", "kSecond", "a", "b"}),
    "an array": ("namespace { const char* const shared[] = {\"a\"}; }", {"shared"}),
    "a declaration": ("namespace { struct Early; Early shared(int); }", {"Early", "shared"}),
    "classes": ("namespace { struct Shared final : Base { int in; }; enum class Kind { a }; class Other {}; }", {"Shared", "Kind", "Other"}),
    "an alias": ("namespace { using Shared = std::vector<int>; }", {"Shared"}),
    "static": ("namespace n { static int shared() { return 1; } int open(); }", {"shared"}),
    "a macro": ("#define SHARED(x) \\\n    (x)\n", {"SHARED"}),
    "after a body": ("namespace { void first() { if (1) { } } void second() {} } int open() { return 1; }", {"first", "second"}),
    "after words of no code": ("namespace { /* } */ const auto text = R\"x(})x\"; char c = '}'; int n = 1'000; int shared; } int open;",
                               {"text", "c", "n", "shared"}),
    "with an attribute": ("namespace { [[nodiscard]] int shared() { return 1; } }", {"shared"}),
    "a function that returns a function": ("namespace { std::function<int(int)> shared(int a) { return {}; } }", {"shared"}),
    "after an element of an element": ("namespace { int first() { return a[b[0]]; } int second; } int open;", {"first", "second"}),
    "an initialised object": ("namespace { Thing shared{1, 2}; Thing next(3); }", {"shared", "next"}),
}


class Unity(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def source(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return unity.Source(path)

    def together(self, *sources):
        return any(len(group) == len(sources) for group in unity.grouped(list(sources)))

    def test_what_a_file_has_for_itself_is_found(self):
        for what, (text, names) in PRIVATE.items():
            with self.subTest(what):
                self.assertEqual(self.source("a.cpp", text).alone, names)

    def test_what_all_may_see_and_tests_are_not_private(self):
        text = "namespace n { int open(); class Open { static int x; }; namespace { namespace fs = std::filesystem; TEST(A, B) { int c; } } }"
        self.assertEqual(self.source("a.cpp", text).alone, set())

    def test_files_with_a_private_name_in_common_are_kept_apart(self):
        a = self.source("a.cpp", "namespace { int size(int); }")
        self.assertFalse(self.together(a, self.source("b.cpp", "namespace { int size(char); }")))

    def test_a_file_that_calls_something_else_by_that_name_is_kept_apart(self):
        a = self.source("a.cpp", "namespace { int size(int); }")
        self.assertFalse(self.together(a, self.source("b.cpp", "int f() { return size('a'); }")))

    def test_members_and_names_of_other_namespaces_do_no_harm(self):
        a = self.source("a.cpp", "namespace { int size(int); }")
        self.assertTrue(self.together(a, self.source("b.cpp", "int f(X& x, X* y) { return x.size() + y->size() + std::size(x); }")))

    def test_another_file_leaves_most_groups_as_they_were(self):
        def names(sources):
            return {tuple(sorted(one.path.name for one in group)) for group in unity.grouped(sources)}
        sources = [self.source(f"file{i}.cpp", f"int f{i}();") for i in range(100)]
        before = names(sources)
        after = names([*sources, self.source("another.cpp", "int g();")])
        self.assertLessEqual(len(after - before), 2)

    def test_every_source_is_in_one_group(self):
        sources = [self.source(f"file{i}.cpp", f"namespace {{ int f{i % 7}(); }}") for i in range(100)]
        groups = unity.grouped(sources)
        self.assertEqual(sorted(one.path.name for group in groups for one in group), sorted(one.path.name for one in sources))
        self.assertTrue(all(len({frozenset(one.alone) for one in group}) == len(group) for group in groups))


if __name__ == "__main__":
    unittest.main()
