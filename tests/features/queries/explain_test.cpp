// How a query says that it is evaluated.
#include <kith/kith.hpp>

#include "support/queries.hpp"
#include "support/types.hpp"

#include <sstream>

using namespace kith_test;

namespace {

struct fixture {
    fixture() {
        register_all(world);
        for (int i = 0; i < 10; ++i) {
            world.entity().set(Position{i, 0}).add(world.entity());
        }
        world.entity().set(Position{0, 0}).set(Velocity{0, 0});
    }

    kith::world world;
    kith::entity tag = world.entity("Tag");
};

// The first word of each line.
template <class Query>
std::string steps_of(const Query& query) {
    std::istringstream lines(query.explain().c_str());
    std::string steps;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        if (words >> word) {
            steps += (steps.empty() ? "" : " ") + word;
        }
    }
    return steps;
}

}  // namespace

TEST_SUITE("features.queries.explain") {
    TEST_CASE_FIXTURE(fixture, "a filter scans, looks up, and yields") {
        CHECK(steps_of(world.filter_builder<Position>().with(tag).build()) ==
              "scan id-in-table id-in-table yield");
        CHECK(steps_of(world.filter_builder<Position>().without(tag).build()) ==
              "scan id-in-table id-in-table yield");
        CHECK(steps_of(world.filter_builder<Position>().with(tag).optional().build()) ==
              "scan id-in-table id-in-table yield");
        CHECK(steps_of(world.filter_builder<Position>().with(tag, kith::Wildcard).build()) ==
              "scan id-in-table wildcard yield");
    }

    TEST_CASE_FIXTURE(fixture, "the last line names the kind of run") {
        auto run_of = [](const auto& query) {
            const std::string text = query.explain().c_str();
            return text.substr(text.rfind("yield"));
        };
        auto positions = [&] { return world.query_builder<Position>(); };
        const kith::entity near = world.entity("Near").add(kith::Sparse);
        const kith::entity zone = world.entity("Zone").add(kith::Exclusive);
        CHECK(run_of(world.filter<Position>()) == "yield        table run\n");
        CHECK(run_of(world.filter_builder<Position>().with(tag, kith::Wildcard).build()) ==
              "yield        wildcard run\n");
        CHECK(run_of(world.filter_builder<Position>().with(near, tag).build()) ==
              "yield        bound run\n");
        CHECK(run_of(world.query<Position>()) == "yield        cached run\n");
        CHECK(run_of(positions().cached().group_by(zone).build()) ==
              "yield        cached group run\n");
        CHECK(run_of(positions().order_by(&Position::x).build()) == "yield        sorted run\n");
        CHECK(run_of(world.filter_builder<Position>().with(tag).src("$other").build()) ==
              "yield        general run\n");
        // A base may have the id, which a table run does not search.
        world.entity().is_a(world.prefab().set(Position{}));
        CHECK(run_of(world.filter<Position>()) == "yield        general run\n");
    }

    TEST_CASE_FIXTURE(fixture, "the scan starts with the term that has the fewest tables") {
        const std::string text = world.filter<Position, Velocity>().explain().c_str();
        CHECK(contains(text.substr(0, text.find('\n')), "Velocity"));
        const std::string other = world.filter<Velocity, Position>().explain().c_str();
        CHECK(contains(other.substr(0, other.find('\n')), "Velocity"));
    }

    TEST_CASE_FIXTURE(fixture, "a cached query says how many tables it has") {
        auto query = world.query<Position>();
        CHECK(query.count() == 11);
        const std::string text = query.explain().c_str();
        CHECK(contains(text, "cached"));
        CHECK(contains(text, " tables"));
        CHECK(contains(text, "yield"));
    }

    TEST_CASE_FIXTURE(fixture, "chains, lists and searches have steps of their own") {
        CHECK(contains(world.filter_builder<Position>()
                           .any_of(tag, world.id<Velocity>())
                           .build()
                           .explain()
                           .c_str(),
                       "chain"));
        kith::entity list = world.prefab("list").add(tag);
        CHECK(contains(steps_of(world.filter_builder<Position>().with(list).and_from().build()),
                       "list"));
        CHECK(
            contains(steps_of(world.filter_builder<Position>().with(tag).up(kith::ChildOf).build()),
                     "each-row match"));
        CHECK(contains(steps_of(world.filter_builder<Position>()
                                    .with(tag)
                                    .cascade(kith::ChildOf)
                                    .optional()
                                    .build()),
                       "ordered"));
    }
}
