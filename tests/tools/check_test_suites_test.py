"""Tests of tools/check_test_suites.py."""

import unittest
from pathlib import PurePosixPath

from tree import TreeTest

import check_test_suites

CASE = 'TEST_CASE("a case") {}\n'


class CheckTestSuitesTest(TreeTest):
    def errors(self, files):
        self.write(files)
        return check_test_suites.check_files(self.root)

    def listing_errors(self, name, suite):
        attributes = f'name="a case" testsuite="{suite}" filename="{self.root}/{name}" line="3"'
        listing = f"<doctest><TestCase {attributes}/></doctest>"
        return check_test_suites.check_listing(self.root, listing)

    def test_a_suite_is_named_for_the_path_of_its_file(self):
        for path, suite in {
            "unit/storage/table_test.cpp": "unit.storage.table",
            "unit/query/plan/order_test.cpp": "unit.query.plan.order",
            "model/random_test.cpp": "model.random",
            "dsl/lexer_test.cpp": "dsl.lexer",
        }.items():
            self.assertEqual(check_test_suites.suite_of(PurePosixPath(path)), suite)

    def test_a_file_with_its_suite_passes(self):
        self.assertEqual(self.errors({
            "unit/storage/table_test.cpp": 'TEST_SUITE("unit.storage.table") {\n' + CASE + "}\n",
            "model/random_test.cpp": 'TEST_SUITE_BEGIN("model.random");\n' + CASE + "TEST_SUITE_END();\n",
            "support/oracle.hpp": "",
        }), [])

    def test_a_file_without_a_suite_fails(self):
        errors = self.errors({"unit/storage/table_test.cpp": CASE})
        self.assert_one_error(errors, 'needs one TEST_SUITE("unit.storage.table"), has no suite')

    def test_a_file_with_another_suite_fails(self):
        errors = self.errors({"unit/storage/table_test.cpp": 'TEST_SUITE("table") {}\n'})
        self.assert_one_error(errors, 'has "table"')

    def test_a_second_suite_in_a_file_fails(self):
        text = 'TEST_SUITE("unit.storage.table") {}\nTEST_SUITE("more") {}\n'
        self.assert_one_error(self.errors({"unit/storage/table_test.cpp": text}), '"more"')

    def test_a_listed_case_in_the_right_suite_passes(self):
        self.assertEqual(self.listing_errors("unit/storage/table_test.cpp", "unit.storage.table"), [])

    def test_a_listed_case_outside_of_any_suite_fails(self):
        errors = self.listing_errors("unit/storage/table_test.cpp", "")
        self.assert_one_error(errors, "would not run")

    def test_a_listed_case_in_a_header_fails(self):
        errors = self.listing_errors("support/oracle.hpp", "unit.storage.table")
        self.assert_one_error(errors, "*_test.cpp")

    def test_an_empty_listing_fails(self):
        errors = check_test_suites.check_listing(self.root, "<doctest/>")
        self.assert_one_error(errors, "no test cases")


if __name__ == "__main__":
    unittest.main()
