// Entities that get several bases in one step, of which some bring copies (override marks): an
// observer is notified once that they have the id.
#include <kith/kith.hpp>

#include "support/event_log.hpp"

#include <doctest/doctest.h>

using kith_test::Position;

TEST_SUITE("features.observers.several_bases") {
    TEST_CASE_FIXTURE(kith_test::event_log, "a clone gets an id of two bases once") {
        kith::entity plain = world.entity("plain").set(Position{1, 0});
        kith::entity marked = world.entity("marked").is_a(plain).set(Position{2, 0});
        marked.override<Position>();
        kith::entity model = world.entity("model").is_a(plain).is_a(marked);
        model.remove<Position>();
        kith::entity copy = world.entity("copy");
        world.observer<const Position>()
            .event(kith::OnAdd)
            .event(kith::OnSet)
            .event(kith::OnRemove)
            .each(note());
        model.clone(true, copy);
        CHECK(copy.owns<Position>());
        CHECK(taken() == "OnAdd Position copy; OnSet Position copy; OnSet Position copy; ");
    }
}
