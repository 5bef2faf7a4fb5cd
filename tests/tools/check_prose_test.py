"""Tests of tools/check_prose.py."""

import unittest

from tree import TreeTest

import check_prose

BAD = "// What those have that others see is all that this one has of it.\n"
GOOD = "// The cache lists the tables of inheritors apart from the tables that own the id.\n"


class CheckProseTest(TreeTest):
    def errors(self, files):
        self.write(files)
        return list(check_prose.check(check_prose.Tree(self.root)))

    def page(self, text):
        return self.errors({"src/core/query/exec/scan.cpp": "", "docs/page.md": text})

    # -- comments

    def test_a_sentence_of_indefinite_words_fails(self):
        self.assert_one_error(self.errors({"src/core/a.hpp": BAD}), "name the subject")

    def test_a_sentence_with_nouns_passes(self):
        self.assertEqual(self.errors({"src/core/a.hpp": GOOD}), [])

    def test_variables_of_queries_are_nouns(self):
        self.assertEqual(self.errors({"src/core/a.hpp": "// Makes $this one row of its present table.\n"}), [])

    def test_public_headers_are_checked(self):
        self.assert_one_error(self.errors({"include/kith/a.hpp": BAD}), "include/kith/a.hpp:1")

    def test_short_sentences_pass(self):
        self.assertEqual(self.errors({"src/core/a.hpp": "// All of those, or none of them.\n"}), [])

    def test_each_sentence_of_a_comment_counts_by_itself(self):
        self.assert_one_error(self.errors({"src/core/a.hpp": GOOD + BAD + GOOD}), "name the subject")

    def test_a_comment_that_names_a_missing_file_fails(self):
        files = {"src/core/a.hpp": "// Rows are moved by b.hpp, and tables by c/d.cpp.\n", "src/core/b.hpp": ""}
        self.assert_one_error(self.errors(files), "c/d.cpp")

    # -- files that documents name

    def test_a_file_is_found_by_the_end_of_its_path(self):
        self.assertEqual(self.page("See `exec/scan.cpp`, `scan.cpp`, `exec/scan` and `src/core/query/`.\n"), [])

    def test_a_missing_file_fails(self):
        self.assert_one_error(self.page("See `exec/machine.cpp`.\n"), "docs/page.md:1: names exec/machine.cpp")

    def test_a_missing_file_without_extension_fails_below_a_known_folder(self):
        self.assert_one_error(self.page("See `exec/machine`.\n"), "exec/machine")

    def test_a_part_of_a_file_name_is_no_match(self):
        self.assert_one_error(self.page("See `can.cpp`.\n"), "can.cpp")

    def test_other_words_with_slashes_pass(self):
        self.assertEqual(self.page("`create_tree/dense` takes 3 ns, `a/b` less.\n"), [])

    def test_patterns_of_names_pass(self):
        self.assertEqual(self.page("`tests/<name>_test.cpp`, `tests/*.kq`, `examples/NN_topic.cpp`\n"), [])

    def test_a_public_header_in_angle_brackets_is_looked_up(self):
        self.write({"include/kith/kith.hpp": ""})
        self.assert_one_error(self.page("`<kith/kith.hpp>`, `<kith/old.hpp>`, `<vector>`\n"), "kith/old.hpp")

    def test_a_link_is_relative_to_its_page(self):
        self.write({"README.md": "[page](docs/page.md), [none](page.md), [web](https://a.example/b.md)\n"})
        self.assert_one_error(self.page(""), "README.md:1: links to page.md")

    def test_code_blocks_are_free(self):
        self.assertEqual(self.page("```sh\ncat `gone.cpp`\n```\n"), [])

    # -- statements about what exists

    def test_a_module_that_exists_is_not_to_come(self):
        self.assert_one_error(self.page("| `query/` | queries (to come) |\n"), "calls query/ to come")

    def test_a_sentence_over_two_lines_is_read_as_one(self):
        self.assert_one_error(self.page("The folder `query/exec` is\nnot yet written.\n"), "not yet")

    def test_other_sentences_about_the_future_pass(self):
        self.assertEqual(self.page("Pipelines are planned. `query/` reads storage.\n"), [])

    # -- the tables of docs/architecture.md

    def architecture(self, cell):
        table = f"| module | files |\n|---|---|\n| `query/` | {cell} |\n"
        return self.errors({"src/core/query/exec/scan.cpp": "", "docs/architecture.md": table})

    def test_a_table_that_names_all_files_passes(self):
        self.assertEqual(self.architecture("`exec/`: `scan`"), [])

    def test_a_file_that_no_table_names_fails(self):
        self.assert_one_error(self.architecture("see below"), "no table names scan")

    def test_a_table_that_names_a_missing_file_fails(self):
        self.assert_one_error(self.architecture("`scan`, `machine`"), "the table names machine")

    def walk(self, function):
        files = "| module | files |\n|---|---|\n| `a/` | `b` |\n"
        steps = f"| step | file | function |\n|---|---|---|\n| 1 | `a/b.cpp` | `{function}` |\n"
        return self.errors({
            "src/core/a/b.hpp": "void open_all();\n",
            "src/core/a/b.cpp": "void reader::next() {}\n",
            "docs/architecture.md": files + "\n" + steps,
        })

    def test_a_walk_finds_functions_in_the_file_and_its_header(self):
        self.assertEqual(self.walk("reader::next") + self.walk("open_all"), [])

    def test_a_walk_with_a_function_of_another_name_fails(self):
        self.assert_one_error(self.walk("open"), "has no open")

    def test_an_empty_tree_passes(self):
        self.assertEqual(self.run_main(check_prose, "--root", self.root)[0], 0)

    def test_errors_are_printed_and_counted(self):
        self.write({"src/core/a.hpp": BAD})
        result, output = self.run_main(check_prose, "--root", self.root)
        self.assertEqual(result, 1)
        self.assertIn("1 errors", output)


if __name__ == "__main__":
    unittest.main()
