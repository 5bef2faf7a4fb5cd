#include "traits/implications.hpp"

#include <kith/world.hpp>

#include "mutate/context/stage.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

using namespace kith;

namespace {

struct implications_fixture {
    kith::world world;
    storage::store& data = mutate::stage_of(world.c_ptr()).data;

    storage::id_info describe(kith::id_t id) const { return traits::describe_id(data, id); }
    std::vector<kith::id_t> implied_by(kith::id_t id) const {
        traits::id_buffer ids(data.mem, containers::purpose::commands);
        traits::collect_implied(data, describe(id), ids);
        return {ids.begin(), ids.end()};
    }
};

}  // namespace

TEST_SUITE("unit.traits.implications") {
    TEST_CASE_FIXTURE(implications_fixture, "an id implies the ids of With, also indirectly") {
        entity a = world.entity();
        entity b = world.entity();
        entity c = world.entity();
        b.add(With, c);
        a.add(With, b);
        CHECK(implied_by(a) == std::vector<kith::id_t>{b, c});
        CHECK(implied_by(c).empty());
    }

    TEST_CASE_FIXTURE(implications_fixture, "ids that imply each other are listed once") {
        entity a = world.entity();
        entity b = world.entity();
        a.add(With, b);
        b.add(With, a);
        CHECK(implied_by(a) == std::vector<kith::id_t>{b});
    }

    TEST_CASE_FIXTURE(implications_fixture, "a pair implies pairs with the same target") {
        entity near = world.entity();
        entity knows = world.entity();
        entity target = world.entity();
        near.add(With, knows);
        CHECK(implied_by(make_pair(near, target)) ==
              std::vector<kith::id_t>{make_pair(knows, target)});
    }

    TEST_CASE_FIXTURE(implications_fixture, "pairs of an exclusive relationship replace others") {
        entity docked = world.entity().add(Exclusive);
        entity likes = world.entity();
        entity port = world.entity();
        CHECK(traits::replaced_pattern(describe(make_pair(docked, port))) ==
              make_pair(docked, Wildcard));
        CHECK(traits::replaced_pattern(describe(make_pair(likes, port))) == 0);
        CHECK(traits::replaced_pattern(describe(docked)) == 0);
        CHECK(traits::has_one_target(data, index_of(docked)));
        CHECK_FALSE(traits::has_one_target(data, index_of(likes)));
    }

    TEST_CASE_FIXTURE(implications_fixture, "the replaced pair of a table has another target") {
        entity docked = world.entity().add(Exclusive);
        entity first = world.entity();
        entity second = world.entity();
        entity ship = world.entity().add(docked, first);
        const storage::table& type = data.tables.at(data.entities.find(ship)->table);
        CHECK(traits::find_replaced(type, describe(make_pair(docked, second))) ==
              make_pair(docked, first));
        CHECK(traits::find_replaced(type, describe(make_pair(docked, first))) == 0);
    }

    TEST_CASE_FIXTURE(implications_fixture, "the target of a symmetric pair has the inverse") {
        entity married = world.entity().add(Symmetric);
        entity a = world.entity();
        entity b = world.entity();
        CHECK(traits::inverse_holder(data, describe(make_pair(married, b))) == b);
        CHECK(traits::inverse_of(a, make_pair(married, b)) == make_pair(married, a));
        CHECK(traits::inverse_holder(data, describe(make_pair(a, b))) == 0);
        CHECK(traits::inverse_holder(data, describe(married)) == 0);
    }
}
