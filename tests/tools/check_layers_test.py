"""Tests of tools/check_layers.py on small trees."""

import unittest

from tree import TOP, TreeTest

import check_layers

LAYERS = """
base
storage   # a comment
mutate
query/plan
query/exec
query
api
forbid query mutate
allow query/text.cpp name_of
"""


class CheckLayersTest(TreeTest):
    def errors(self, files):
        self.write({"include/kith/detail/ops.hpp": self.UPWARD["include/kith/detail/ops.hpp"],
                    "src/core/api/entity.cpp": self.UPWARD["src/core/api/entity.cpp"],
                    "src/core/query/text.cpp": self.UPWARD["src/core/query/text.cpp"], **files})
        return check_layers.Checker(self.root, check_layers.Layers(LAYERS)).check()

    def test_a_tree_that_follows_the_rules_has_no_errors(self):
        self.assertEqual(
            self.errors({
                "include/kith/kith.hpp": "#pragma once\n#include <cstdint>\n#include <kith/id.hpp>\n",
                "include/kith/id.hpp": "#pragma once\n",
                "src/core/base/bits.hpp": "#pragma once\n",
                "src/core/storage/table.hpp": '#include <kith/id.hpp>\n#include "base/bits.hpp"\n',
                "src/core/storage/table.cpp": '#include "storage/table.hpp"\n#include <vector>\n',
                "src/dsl/lexer.hpp": "#pragma once\n",
                "src/dsl/lexer.cpp": '#include "lexer.hpp"\n#include <kith/kith.hpp>\n',
                "tests/unit/storage/table_test.cpp": '#include "storage/table.hpp"\n',
            }),
            [],
        )

    def test_a_module_may_not_include_one_below_it(self):
        errors = self.errors({
            "src/core/base/bits.hpp": '#pragma once\n#include "storage/table.hpp"\n',
            "src/core/storage/table.hpp": "#pragma once\n",
        })
        self.assert_one_error(errors, "src/core/base/bits.hpp:2")
        self.assertIn("base/ must not include storage/", errors[0])

    def test_an_include_of_a_missing_file_is_judged_by_its_name(self):
        errors = self.errors({"src/core/base/bits.hpp": '#include "storage/table.hpp"\n'})
        self.assert_one_error(errors, "base/ must not include storage/")

    def test_angle_brackets_do_not_hide_an_include(self):
        errors = self.errors({
            "src/core/base/bits.hpp": "#  include <storage/table.hpp>\n",
            "src/core/storage/table.hpp": "",
        })
        self.assert_one_error(errors, "base/ must not include storage/")

    def test_a_folder_inside_a_module_has_its_own_place(self):
        files = {
            "src/core/query/plan/order.hpp": "",
            "src/core/query/exec/run.hpp": '#include "query/plan/order.hpp"\n',
            "src/core/query/run/general_run.hpp": '#include "query/exec/run.hpp"\n',
        }
        self.assertEqual(self.errors(files), [])
        errors = self.errors({"src/core/query/plan/order.hpp": '#include "query/exec/ops.hpp"\n'})
        self.assert_one_error(errors, "query/plan/ must not include query/exec/")

    def test_a_forbidden_pair_of_modules_is_an_error_although_the_order_allows_it(self):
        errors = self.errors({
            "src/core/mutate/move_row.hpp": "",
            "src/core/query/exec/run.hpp": '#include "mutate/move_row.hpp"\n',
        })
        self.assert_one_error(errors, "query/ must not include mutate/")

    def test_internal_includes_start_at_the_module(self):
        errors = self.errors({
            "src/core/storage/table.hpp": "",
            "src/core/storage/table.cpp": '#include "table.hpp"\n',
        })
        self.assert_one_error(errors, 'write "storage/table.hpp"')

    def test_a_file_of_core_belongs_to_a_module(self):
        errors = self.errors({"src/core/misc/stuff.cpp": ""})
        self.assert_one_error(errors, "is in no module")

    UPWARD = {
        "include/kith/detail/ops.hpp": "namespace kith::detail {\nint add_id(int id);\n"
                                       "inline int release(int id) {\n    return add_id(id);\n}\n"
                                       "int name_of(int id);\nint begin_defer(int id);\n}\n",
        "src/core/api/entity.cpp": "namespace kith::detail {\nint add_id(int id) {\n}\n"
                                   "int name_of(int id) {\n}\n}\n",
        "src/core/mutate/stage.cpp": "namespace kith::detail {\nint begin_defer(int id) {\n}\n}\n",
        "src/core/query/text.cpp": "int text = detail::name_of(1);\n",
    }

    def test_a_module_calls_no_function_that_api_implements(self):
        for call in ("int x = detail::add_id(1);", "int x = detail::release(1);",
                     "namespace kith::detail {\nint x = add_id(1);\n}"):
            with self.subTest(call=call):
                self.setUp()
                errors = self.errors({**self.UPWARD, "src/core/query/run.cpp": call + "\n"})
                self.assert_one_error(errors, "src/core/query/run.cpp: calls detail::")

    def test_functions_of_upper_modules_and_comments_are_no_calls_upward(self):
        use = "// as detail::add_id(1)\nint x = detail::begin_defer(1) + mutate::add_id(1);\n"
        self.assertEqual(self.errors({**self.UPWARD, "src/core/query/run.cpp": use}), [])

    def test_an_exception_that_is_not_needed_is_an_error(self):
        files = {**self.UPWARD, "src/core/query/text.cpp": "int text;\n"}
        self.assert_one_error(self.errors(files), "does not call name_of() any more")

    def test_core_does_not_include_the_libraries_on_top_of_it(self):
        errors = self.errors({
            "src/dsl/lexer.hpp": "",
            "src/core/api/world.cpp": '#include "../../dsl/lexer.hpp"\n',
        })
        self.assert_one_error(errors, "public headers and its own")

    def test_nothing_outside_core_includes_its_headers(self):
        for user in ("src/dsl/lower.cpp", "examples/01_tour.cpp", "bench/a_bench.cpp", "fuzz/a_fuzz.cpp"):
            for include in ("storage/table.hpp", "core/storage/table.hpp", "../src/core/storage/table.hpp"):
                with self.subTest(user=user, include=include):
                    self.setUp()
                    errors = self.errors({
                        "src/core/storage/table.hpp": "",
                        user: f'#include "{include}"\n',
                    })
                    self.assert_one_error(errors, f"{user}:1")

    def test_a_library_does_not_include_private_headers_of_another(self):
        errors = self.errors({
            "src/dsl/lexer.hpp": "",
            "src/json/write.cpp": '#include "dsl/lexer.hpp"\n',
        })
        self.assert_one_error(errors, "private to src/dsl")

    def test_public_headers_include_public_headers_only(self):
        for include in ("core/storage/table.hpp", "storage/table.hpp", "missing.hpp"):
            with self.subTest(include=include):
                self.setUp()
                errors = self.errors({
                    "src/core/storage/table.hpp": "",
                    "include/kith/world.hpp": f'#include "{include}"\n',
                })
                self.assert_one_error(errors, "public headers only")

    def test_an_include_cycle_is_an_error(self):
        errors = self.errors({
            "src/core/storage/a.hpp": '#include "storage/b.hpp"\n',
            "src/core/storage/b.hpp": '#include "storage/c.hpp"\n',
            "src/core/storage/c.hpp": '#include "storage/a.hpp"\n',
        })
        self.assert_one_error(errors, "include cycle")
        self.assertIn("storage/a.hpp -> src/core/storage/b.hpp", errors[0])

    def test_a_cycle_in_public_headers_is_an_error(self):
        errors = self.errors({
            "include/kith/a.hpp": "#include <kith/detail/a_inl.hpp>\n",
            "include/kith/detail/a_inl.hpp": "#include <kith/a.hpp>\n",
        })
        self.assert_one_error(errors, "include cycle")

    def test_a_diamond_is_no_cycle(self):
        self.assertEqual(
            self.errors({
                "src/core/storage/a.hpp": '#include "storage/b.hpp"\n#include "storage/c.hpp"\n',
                "src/core/storage/b.hpp": '#include "storage/d.hpp"\n',
                "src/core/storage/c.hpp": '#include "storage/d.hpp"\n',
                "src/core/storage/d.hpp": "",
            }),
            [],
        )

    def test_the_program_fails_and_names_the_file(self):
        self.write({"src/core/base/bits.hpp": '#include "api/world.hpp"\n'})
        result, output = self.run_main(check_layers, "--root", self.root)
        self.assertEqual(result, 1)
        self.assertIn("src/core/base/bits.hpp:1", output)

    def test_the_real_list_begins_with_base_and_ends_with_the_schedule(self):
        layers = check_layers.Layers((TOP / "tools/layers.txt").read_text(encoding="utf-8"))
        self.assertEqual((layers.order[0], layers.order[-1]), ("base", "schedule/api"))


if __name__ == "__main__":
    unittest.main()
