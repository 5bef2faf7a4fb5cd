"""Tests of tools/check_capabilities.py."""

import unittest

from tree import TreeTest

import check_capabilities

PAGE = """\
| # | capability | state |
|--|--|--|
| 1 | ids | done |
| 12 | print an id, as `(A\\|B)` | done |
| 41 | refs | open |
"""


class CheckCapabilitiesTest(TreeTest):
    def errors(self, test, page=PAGE):
        self.write({"docs/capabilities.md": page, "tests/features/a_test.cpp": test})
        return check_capabilities.check(self.root)

    def test_rows_that_are_done_and_named_pass(self):
        self.assertEqual(self.errors("// spec 1\n// spec 12\n"), [])

    def test_one_comment_may_name_several_rows(self):
        self.assertEqual(self.errors('TEST_CASE("ids") {  // spec 1, 12\n'), [])

    def test_a_done_row_that_no_test_names_fails(self):
        self.assert_one_error(self.errors("// spec 1\n"), "row 12 is done")

    def test_a_row_that_is_not_done_may_not_be_named(self):
        self.assert_one_error(self.errors("// spec 1, 12, 41\n"), "spec 41 is 'open'")

    def test_a_number_that_is_no_row_may_not_be_named(self):
        self.assert_one_error(self.errors("// spec 1, 12, 99\n"), "spec 99 is no row")

    def test_a_row_that_appears_twice_fails(self):
        self.assert_one_error(self.errors("// spec 1, 12\n", PAGE + "| 1 | ids | done |\n"), "twice")

    def test_a_page_without_rows_fails(self):
        self.assert_one_error(self.errors("", "nothing\n"), "no rows")

    def test_a_missing_page_fails(self):
        self.assert_one_error(check_capabilities.check(self.root), "does not exist")


if __name__ == "__main__":
    unittest.main()
