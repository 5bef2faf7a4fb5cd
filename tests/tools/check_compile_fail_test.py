"""Tests of tools/check_compile_fail.py and tools/check_header_size.py, with a stand-in compiler."""

import unittest

from tree import TreeTest

import check_compile_fail
import check_header_size


class FakeCompilerTest(TreeTest):
    def compiler(self, script):
        self.write({"compiler": f"#!/bin/sh\n{script}\n"})
        path = self.root / "compiler"
        path.chmod(0o755)
        return path

    def error(self, source, script):
        self.write({"a.cpp": source})
        return check_compile_fail.check(self.root / "a.cpp", self.compiler(script), self.root)

    def test_a_file_that_fails_with_its_message_passes(self):
        self.assertIsNone(self.error("// expect: not [a-z]+ here\n", "echo 'not allowed here' >&2; exit 1"))

    def test_a_file_that_compiles_fails(self):
        self.assertIn("compiles", self.error("// expect: message\n", "echo message >&2"))

    def test_a_file_that_fails_for_another_reason_fails(self):
        self.assertIn("other", self.error("// expect: message\n", "echo other >&2; exit 1"))

    def test_a_file_without_an_expectation_fails(self):
        self.assertIn("first line", self.error("int a;\n", "exit 1"))

    def test_a_header_below_the_limit_passes_and_one_at_the_limit_fails(self):
        compiler = self.compiler("cat; echo; echo int a;")  # two lines and a blank one
        for limit, result in ((3, 0), (2, 1)):
            arguments = ["--compiler", compiler, "--include", self.root, "--limit", limit]
            self.assertEqual(self.run_main(check_header_size, *arguments)[0], result)

    def test_optional_headers_are_counted_on_top_of_others_and_heavy_headers_are_named(self):
        # A line for each header, one more for reflect.hpp, and no heavy header.
        compiler = self.compiler("sed 's/.*reflect.*/a\\nb/'")
        arguments = ["--compiler", compiler, "--include", self.root]
        code, output = self.run_main(check_header_size, *arguments)[:2]
        self.assertEqual(code, 0)
        self.assertIn("<kith/reflect.hpp>: 2 lines more", output)
        heavy = self.compiler("echo '# 1 \"/usr/include/c++/12/vector\" 1 3'")
        code, output = self.run_main(check_header_size, "--compiler", heavy, "--include", self.root)[:2]
        self.assertEqual(code, 1)
        self.assertIn("includes <vector>", output)


if __name__ == "__main__":
    unittest.main()
