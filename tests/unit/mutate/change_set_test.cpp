#include "mutate/rules/change_set.hpp"

#include <kith/world.hpp>

#include <algorithm>

#include <doctest/doctest.h>

using namespace kith;
using mutate::change_cause;
using mutate::change_set;

namespace {

struct change_set_fixture {
    kith::world world;
    mutate::stage& stage = mutate::stage_of(world.c_ptr());
    change_set change{stage.data};

    change_cause cause_of_gain(entity_t entity, kith::id_t id) const {
        for (const mutate::id_change& gained : change.gains()) {
            if (gained.entity == entity && gained.id.id == id) {
                return gained.cause;
            }
        }
        FAIL("the entity does not gain the id");
        return {};
    }
};

}  // namespace

TEST_SUITE("unit.mutate.change_set") {
    TEST_CASE_FIXTURE(change_set_fixture, "an id without properties is the only gain") {
        entity tag = world.entity();
        entity e = world.entity();
        change.gain(e, tag);
        CHECK(change.gains().size() == 1);
        CHECK(change.gains(e, tag));
        CHECK(change.losses().empty());
    }

    TEST_CASE_FIXTURE(change_set_fixture, "an id that the entity has is no gain") {
        entity tag = world.entity();
        entity e = world.entity().add(tag);
        change.gain(e, tag);
        CHECK(change.gains().empty());
    }

    TEST_CASE_FIXTURE(change_set_fixture, "gains include implied ids that the entity lacks") {
        entity a = world.entity();
        entity b = world.entity();
        entity c = world.entity();
        a.add(With, b);
        a.add(With, c);
        entity e = world.entity().add(b);
        change.gain(e, a);
        CHECK(change.gains().size() == 2);
        CHECK(cause_of_gain(e, a) == change_cause::requested);
        CHECK(cause_of_gain(e, c) == change_cause::implied);
    }

    TEST_CASE_FIXTURE(change_set_fixture, "an exclusive pair loses the former target") {
        entity docked = world.entity().add(Exclusive);
        entity first = world.entity();
        entity second = world.entity();
        entity ship = world.entity().add(docked, first);
        change.gain(ship, make_pair(docked, second));
        CHECK(change.loses(ship, make_pair(docked, first)));
        mutate::id_buffer lost(stage.data.mem, containers::purpose::commands);
        change.collect_lost(ship, lost);
        CHECK(lost.size() == 1);
    }

    TEST_CASE_FIXTURE(change_set_fixture, "both sides of exclusive symmetric pairs change") {
        entity married = world.entity().add(Symmetric).add(Exclusive);
        entity a = world.entity();
        entity b = world.entity();
        entity c = world.entity();
        entity d = world.entity();
        a.add(married, c);
        b.add(married, d);
        change.gain(a, make_pair(married, b));
        CHECK(cause_of_gain(a, make_pair(married, b)) == change_cause::requested);
        CHECK(cause_of_gain(b, make_pair(married, a)) == change_cause::inverse);
        CHECK(change.gains().size() == 2);
        CHECK(change.loses(a, make_pair(married, c)));
        CHECK(change.loses(c, make_pair(married, a)));
        CHECK(change.loses(b, make_pair(married, d)));
        CHECK(change.loses(d, make_pair(married, b)));
        CHECK(change.losses().size() == 4);
    }

    TEST_CASE_FIXTURE(change_set_fixture, "ids that an inverse implies belong to the inverse") {
        entity married = world.entity().add(Symmetric);
        entity knows = world.entity();
        married.add(With, knows);
        entity a = world.entity();
        entity b = world.entity();
        change.gain(a, make_pair(married, b));
        CHECK(cause_of_gain(a, make_pair(knows, b)) == change_cause::implied);
        CHECK(cause_of_gain(b, make_pair(knows, a)) == change_cause::inverse);
    }

    TEST_CASE_FIXTURE(change_set_fixture, "a lost symmetric pair loses its inverse") {
        entity married = world.entity().add(Symmetric);
        entity a = world.entity();
        entity b = world.entity();
        a.add(married, b);
        change.lose(a, traits::describe_id(stage.data, make_pair(married, b)));
        CHECK(change.loses(b, make_pair(married, a)));
        mutate::id_buffer lost(stage.data.mem, containers::purpose::commands);
        change.collect_lost(b, lost);
        CHECK(lost.empty());
    }

    TEST_CASE_FIXTURE(change_set_fixture, "nothing changes by an expansion") {
        entity married = world.entity().add(Symmetric).add(Exclusive);
        entity a = world.entity();
        entity b = world.entity();
        change.gain(a, make_pair(married, b));
        CHECK_FALSE(a.has(married, b));
        CHECK_FALSE(b.has(married, a));
    }

    TEST_CASE_FIXTURE(change_set_fixture, "rules see a staged change, outer ones included") {
        entity tag = world.entity();
        entity e = world.entity();
        entity other = world.entity().add(tag);
        {
            mutate::staged_change outer(stage);
            outer.set.gain(e, tag);
            mutate::staged_change inner(stage);
            inner.set.lose(other, traits::describe_id(stage.data, tag));
            CHECK(mutate::is_staged_gain(stage, e, tag));
            CHECK(mutate::is_staged_removal(stage, other, tag));
            CHECK_FALSE(mutate::is_staged_removal(stage, e, tag));
        }
        CHECK_FALSE(mutate::is_staged_gain(stage, e, tag));
        CHECK_FALSE(mutate::is_staged_removal(stage, other, tag));
    }
}
