"""Tests of tools/check_snippets.py."""

import unittest

from tree import TreeTest

import check_snippets

EXAMPLE = """\
int main() {
    // [all]
    int a = 1;
    // [loop]
    for (;;) {
        ++a;
    }
    // [/loop]
    // [/all]
}
"""
LOOP = "for (;;) {\n    ++a;\n}\n"


def snippet(region, code):
    return f"Text.\n\n<!-- example: examples/01_a.cpp#{region} -->\n```cpp\n{code}```\n\nText.\n"


class CheckSnippetsTest(TreeTest):
    def errors(self, readme):
        self.write({"examples/01_a.cpp": EXAMPLE, "README.md": readme})
        return check_snippets.check_page(self.root / "README.md", self.root)[0]

    def test_a_snippet_that_equals_its_region_passes(self):
        self.assertEqual(self.errors(snippet("loop", LOOP)), [])

    def test_markers_of_inner_regions_are_left_out(self):
        self.assertEqual(self.errors(snippet("all", "int a = 1;\n" + LOOP)), [])

    def test_a_snippet_that_differs_fails(self):
        self.assert_one_error(self.errors(snippet("loop", LOOP.replace("++a", "--a"))), "differs")

    def test_a_snippet_that_is_indented_in_its_page_is_compared_without_the_indent(self):
        page = "- item\n\n" + "".join(
            f"  {line}\n" for line in snippet("loop", LOOP).splitlines()[2:-2]
        )
        self.assertEqual(self.errors(page), [])

    def test_a_snippet_without_a_source_fails(self):
        self.assert_one_error(self.errors("```cpp\nint a;\n```\n"), "needs a comment")

    def test_a_source_serves_only_the_block_right_below_it(self):
        page = snippet("loop", LOOP) + "```cpp\nint a;\n```\n"
        self.assert_one_error(self.errors(page), "needs a comment")

    def test_an_unknown_region_fails(self):
        self.assert_one_error(self.errors(snippet("none", LOOP)), "[none]")

    def test_an_unknown_file_fails(self):
        page = snippet("loop", LOOP).replace("01_a", "02_b")
        self.assert_one_error(self.errors(page), "02_b.cpp")

    def test_blocks_in_other_languages_are_free(self):
        self.assertEqual(self.errors("```sh\n./test\n```\n\n```\nplain\n```\n"), [])

    def test_a_block_that_never_ends_fails(self):
        page = "<!-- example: examples/01_a.cpp#loop -->\n```cpp\n" + LOOP
        self.assert_one_error(self.errors(page), "does not end")

    def test_a_tree_without_pages_passes(self):
        self.assertEqual(self.run_main(check_snippets, "--root", self.root)[0], 0)

    def test_pages_of_the_manual_are_checked(self):
        self.write({"docs/manual/queries.md": "```cpp\nint a;\n```\n"})
        self.assertEqual(self.run_main(check_snippets, "--root", self.root)[0], 1)

    def test_fix_copies_the_region_into_the_page(self):
        self.write({"examples/01_a.cpp": EXAMPLE, "README.md": snippet("loop", "old\n")})
        self.assertEqual(self.run_main(check_snippets, "--root", self.root, "--fix")[0], 0)
        text = (self.root / "README.md").read_text(encoding="utf-8")
        self.assertEqual(text, snippet("loop", LOOP))


if __name__ == "__main__":
    unittest.main()
