#include <kith/kith.hpp>

#include "support/event_log.hpp"

using namespace kith_test;

namespace {

struct fixture : event_log {
    auto note_table() {
        return [this](kith::iter& it) {
            CHECK(it.count() == 0);
            log += name_of(it.event()) + " " + it.table().str().c_str() + "; ";
        };
    }
    kith::entity tag = world.entity("tag");
    kith::entity more = world.entity("more");
};

}  // namespace

TEST_SUITE("features.events.tables") {
    TEST_CASE_FIXTURE(fixture, "tables with the id are told of when they are made") {
        world.observer().event(kith::OnTableCreate).with(tag).iter(note_table());
        world.entity().add(more);
        CHECK(taken() == "");
        world.entity().add(tag);
        CHECK(taken() == "OnTableCreate tag; ");
        world.entity().add(tag).add(more);
        CHECK(taken() == "OnTableCreate tag, more; ");
        world.entity().add(tag).add(more);
        CHECK(taken() == "");
        world.defer([&] { world.entity().add(tag).set(Position{}); });
        CHECK(taken() == "OnTableCreate kith_test.Position, tag; ");
    }

    TEST_CASE_FIXTURE(fixture, "a table with several ids of an observer is told of once") {
        world.observer().event(kith::OnTableCreate).with(tag).with(more).iter(note_table());
        world.entity().add(tag).add(more);
        CHECK(taken() == "OnTableCreate tag, more; ");
        world.observer().event(kith::OnTableCreate).with(more).without(tag).iter(note_table());
        world.entity().add(more).add<Hot>();
        CHECK(taken() == "OnTableCreate more; OnTableCreate kith_test.Hot, more; ");
    }

    TEST_CASE_FIXTURE(fixture, "a table must have a member of each chain") {
        world.observer()
            .event(kith::OnTableCreate)
            .with<Hot>()
            .or_()
            .with<Cold>()
            .with(tag)
            .iter(note_table());
        world.entity().add(tag);
        CHECK(taken() == "");
        world.entity().add(tag).add<Cold>();
        CHECK(taken() == "OnTableCreate kith_test.Cold, tag; ");
    }

    TEST_CASE_FIXTURE(fixture, "tables are told of before they go") {
        world.observer().event(kith::OnTableDelete).with(tag).iter(note_table());
        kith::entity e = world.entity().add(tag);
        e.destruct();
        CHECK(taken() == "");
        world.shrink();
        CHECK(taken() == "OnTableDelete tag; ");
        world.entity().add(tag).add(more);
        more.destruct();
        CHECK(taken() == "OnTableDelete tag, more; ");
    }

    TEST_CASE_FIXTURE(fixture, "a callback may make tables itself") {
        world.observer().event(kith::OnTableCreate).with(tag).iter([&](kith::iter& it) {
            log += std::string(it.table().str().c_str()) + "; ";
            if (!it.table().has(more)) {
                world.entity().add(tag).add(more);
            }
        });
        world.entity().add(tag);
        CHECK(taken() == "tag; tag, more; ");
        CHECK_NOTHROW(world.check());
    }
}
