// Terms that look along a relationship: the programs of the queries document, completed.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <vector>

namespace flecs = kith;

using kith_test::error_of;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Mass {
    float value = 0;
};
struct Window {};

using entities = std::vector<flecs::entity>;

struct fixture {
    template <class Query>
    entities found_by(const Query& query) const {
        entities found;
        query.iter([&](flecs::iter& it) {
            for (auto i : it) {
                found.push_back(it.entity(i));
            }
        });
        return found;
    }

    flecs::world world;
};

struct family : fixture {
    flecs::entity parent = world.entity().add<Position>();
    // child_of is short for .add(flecs::ChildOf, parent)
    flecs::entity child = world.entity().add<Position>().child_of(parent);
};

}  // namespace

TEST_SUITE("seeds.queries_traversal") {
    TEST_CASE_FIXTURE(fixture, "a parent that inherits a component has it for its children too") {
        flecs::entity base = world.entity().add<Mass>();
        flecs::entity parent = world.entity().add(flecs::IsA, base);
        flecs::entity child = world.entity().add(flecs::ChildOf, parent);

        flecs::filter<> f = world.filter_builder().term<Mass>().up(flecs::ChildOf).build();
        CHECK(found_by(f) == entities{child});
        f.iter([&](flecs::iter& it) { CHECK(it.src(1) == base); });
    }

    TEST_CASE_FIXTURE(fixture, "components are found on bases by default") {
        flecs::entity base = world.entity().add<Position>();
        flecs::entity inst = world.entity().is_a(base);

        flecs::filter<> f = world.filter<Position>();
        CHECK(found_by(f) == entities{base, inst});
    }

    TEST_CASE_FIXTURE(fixture, "self looks at the entity alone") {
        flecs::entity base = world.entity().add<Position>();
        world.entity().is_a(base);

        flecs::filter<> f = world.filter_builder().term<Position>().self().build();
        CHECK(found_by(f) == entities{base});
    }

    TEST_CASE_FIXTURE(family, "up looks along another relationship") {
        flecs::filter<> f =
            world.filter_builder().term<Position>().term<Position>().up(flecs::ChildOf).build();
        CHECK(found_by(f) == entities{child});
    }

    TEST_CASE_FIXTURE(family, "parent is short for up(ChildOf)") {
        flecs::filter<> f =
            world.filter_builder().term<Position>().term<Position>().parent().build();
        CHECK(found_by(f) == entities{child});
    }

    TEST_CASE_FIXTURE(family, "an optional parent keeps the roots") {
        flecs::filter<> f =
            world.filter_builder().term<Position>().term<Position>().parent().optional().build();

        int set = 0;
        f.iter([&](flecs::iter& it) {
            for (auto i : it) {
                CHECK(it.is_set(2) == (it.entity(i) == child));
                set += it.is_set(2);
            }
        });
        CHECK(set == 1);
        CHECK(f.count() == 2);
    }

    TEST_CASE_FIXTURE(family, "cascade goes through a hierarchy from the top") {
        flecs::entity top = world.entity().add<Position>();
        parent.child_of(top);
        flecs::query<> q = world.query_builder()
                               .term<Position>()
                               .term<Position>()
                               .cascade(flecs::ChildOf)
                               .optional()
                               .build();
        CHECK(found_by(q) == entities{top, parent, child});

        flecs::query<> both = world.query_builder()
                                  .term<Position>()
                                  .term<Position>()
                                  .parent()
                                  .cascade()
                                  .optional()
                                  .build();
        CHECK(found_by(both) == entities{top, parent, child});
    }

    TEST_CASE_FIXTURE(fixture, "a given entity may be looked up from, too") {
        flecs::entity my_window = world.entity();
        flecs::entity my_widget = world.entity().child_of(my_window);

        flecs::filter<> f = world.filter_builder().term<Window>().src(my_widget).parent().build();
        CHECK_FALSE(f.is_true());
        my_window.add<Window>();
        CHECK(f.is_true());
    }

    TEST_CASE_FIXTURE(fixture, "the default is self and up(IsA)") {
        flecs::entity base = world.entity().add<Position>();
        flecs::entity inst = world.entity().is_a(base);

        flecs::filter<> f = world.filter_builder().term<Position>().self().up(flecs::IsA).build();
        CHECK(found_by(f) == entities{base, inst});
        CHECK(found_by(f) == found_by(world.filter<Position>()));
    }

    TEST_CASE_FIXTURE(fixture, "a relationship that may be cyclic cannot be followed") {
        flecs::entity Likes = world.entity();
        CHECK(error_of([&] { world.filter_builder().term<Mass>().up(Likes).build(); }) ==
              flecs::errc::invalid_query);
        Likes.add(flecs::Traversable);
        CHECK_NOTHROW(world.filter_builder().term<Mass>().up(Likes).build());
    }
}
