#include <kith/kith.hpp>
#include <kith/query_columns.hpp>

#include <string>

using kith::Any;
using kith::Wildcard;

namespace {

// `this $x 2:(R,*)`: columns as a word each, wildcards with the parts that are open.
std::string columns_text(const kith::filter<>& query) {
    std::string text;
    for (const kith::query_column& column : kith::columns_of(query)) {
        text += text.empty() ? "" : " ";
        if (column.kind == kith::column_kind::entity) {
            text += "this";
        } else if (column.kind == kith::column_kind::variable) {
            text += "$" + std::string(query.var_name(column.number));
        } else {
            text += std::to_string(column.number) + (column.first ? "f" : "") +
                    (column.second ? "s" : "");
        }
    }
    return text;
}

struct fixture {
    kith::world world;
    kith::entity likes = world.entity("Likes");
    kith::entity planet = world.entity("Planet");
    kith::entity bob = world.entity("bob");
};

}  // namespace

TEST_SUITE("features.queries.columns") {
    TEST_CASE_FIXTURE(fixture, "a query about $this has it as the first column") {
        CHECK(columns_text(world.filter_builder().with(planet).build()) == "this");
        CHECK(columns_text(world.query_builder().with(planet).build()) == "this");
    }

    TEST_CASE_FIXTURE(fixture, "a query about others has no entity") {
        CHECK(columns_text(world.filter_builder().with(planet).src(bob).build()).empty());
        CHECK(columns_text(world.filter_builder().with(planet).src("$x").build()) == "$x");
    }

    TEST_CASE_FIXTURE(fixture, "variables are columns, and no wildcards") {
        CHECK(columns_text(world.filter_builder().with("$r", "$t").with("$c").build()) ==
              "this $r $t $c");
    }

    TEST_CASE_FIXTURE(fixture, "wildcards are columns by the number of their field") {
        CHECK(columns_text(world.filter_builder().with(planet).with(likes, Wildcard).build()) ==
              "this 2s");
        CHECK(columns_text(world.filter_builder().with(Wildcard, bob).with(Wildcard).build()) ==
              "this 1f 2");
        CHECK(columns_text(world.filter_builder().with(Wildcard, Wildcard).build()) == "this 1fs");
        CHECK(columns_text(world.filter_builder().with(Wildcard, "$x").build()) == "this $x 1f");
    }

    TEST_CASE_FIXTURE(fixture, "what is asked for by _, or must not be, is no column") {
        CHECK(columns_text(world.filter_builder().with(likes, Any).build()) == "this");
        CHECK(columns_text(world.filter_builder().with(planet).without(likes, Wildcard).build()) ==
              "this");
        auto none = world.filter_builder().with(planet).none(
            [&](auto& scope) { scope.with(likes, Wildcard); });
        CHECK(columns_text(none.with(Wildcard, bob).build()) == "this 3f");
    }

    TEST_CASE_FIXTURE(fixture, "a variable that only a negated part names is no column") {
        auto none = world.filter_builder().with(likes, "$y").none([&](auto& scope) {
            scope.with(likes, "$x").with(planet).src("$x");
        });
        CHECK(columns_text(none.build()) == "this $y");
        CHECK(columns_text(world.filter_builder().with(planet).without(likes, "$x").build()) ==
              "this");
    }

    TEST_CASE_FIXTURE(fixture, "what is joined by Or shares a column") {
        CHECK(columns_text(world.filter_builder()
                               .with(likes, Wildcard)
                               .or_()
                               .with(Wildcard, bob)
                               .with(likes, Wildcard)
                               .build()) == "this 1fs 2s");
    }

    TEST_CASE("a handle without a query has none") {
        CHECK_THROWS_AS(kith::columns_of(kith::filter<>()), kith::error);
    }
}
