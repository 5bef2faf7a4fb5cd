// Stages: queues of a world by number, the read-only part, asynchronous stages, actions after a
// frame.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using kith_test::error_of;

namespace {

struct Health {
    int points = 0;
};
struct Marked {};

constexpr auto invalid = kith::errc::invalid_operation;

}  // namespace

TEST_SUITE_BEGIN("features.stages.stages");

// spec 381
TEST_CASE("stages have numbers, and stage 0 is the world itself") {
    kith::world world;
    CHECK(world.get_stage_count() == 1);
    CHECK_FALSE(world.is_stage());
    CHECK(world.get_stage_id() == 0);
    world.set_stage_count(3);
    CHECK(world.get_stage_count() == 3);
    CHECK_FALSE(world.get_stage(0).is_stage());
    CHECK(world.get_stage(0) == world);
    kith::world stage = world.get_stage(2);
    CHECK(stage.is_stage());
    CHECK(stage.get_stage_id() == 2);
    CHECK(stage.get_world() == world);
    CHECK(stage.get_stage_count() == 3);
    world.set_stage_count(1);
    CHECK(world.get_stage_count() == 1);
}

// spec 381
TEST_CASE("changes through a stage of a writable world are made at once") {
    kith::world world;
    world.set_stage_count(2);
    kith::world stage = world.get_stage(1);
    CHECK_FALSE(stage.is_deferred());
    kith::entity e = stage.entity("e").set(Health{3});
    CHECK(world.lookup("e").get<Health>()->points == 3);
    e.mut(stage).add<Marked>();
    CHECK(e.has<Marked>());
    world.check();
}

// spec 381
TEST_CASE("bad numbers of stages are refused") {
    kith::world world;
    CHECK(error_of([&] { world.set_stage_count(0); }) == invalid);
    CHECK(error_of([&] { world.set_stage_count(-1); }) == invalid);
    CHECK(error_of([&] { world.get_stage(1); }) == invalid);
    CHECK(error_of([&] { world.get_stage(-1); }) == invalid);
    CHECK(error_of([&] { world.set_automerge(false); }) == invalid);
    CHECK(error_of([&] { kith::world(nullptr).get_stage(0); }) == kith::errc::invalid_entity);
}

// spec 382
TEST_CASE("changes in a read-only part wait for its end") {
    for (std::int32_t stages : {1, 3}) {
        kith::world world;
        world.component<Health>();
        world.set_stage_count(stages);
        kith::entity e = world.entity();
        CHECK_FALSE(world.is_readonly());
        CHECK_FALSE(world.readonly_begin());
        CHECK(world.is_readonly());
        e.set(Health{1});
        kith::entity made = world.entity("made");
        CHECK(made.is_alive());
        CHECK(world.count<Health>() == 0);
        CHECK(world.lookup("made") == made);
        world.readonly_end();
        CHECK_FALSE(world.is_readonly());
        CHECK(e.get<Health>()->points == 1);
        CHECK(world.lookup("made") == made);
        world.check();
    }
}

// spec 382
TEST_CASE("stages are merged in the order of their numbers") {
    kith::world world;
    world.component<Health>();
    world.set_stage_count(3);
    kith::entity e = world.entity();
    std::vector<int> log;
    world.observer<Health>().event(kith::OnSet).each([&](Health& h) { log.push_back(h.points); });
    kith::entity other = world.entity();
    world.readonly_begin();
    e.mut(world.get_stage(2)).set(Health{2});
    e.mut(world.get_stage(1)).set(Health{1});
    other.mut(world.get_stage(1)).set(Health{7});
    e.set(Health{0});
    world.readonly_end();
    // The commands of an entity are one change: the last value stays.
    CHECK(e.get<Health>()->points == 2);
    CHECK(log == std::vector<int>{2, 7});
}

// spec 382
TEST_CASE("read-only parts nest") {
    kith::world world;
    world.set_stage_count(2);
    CHECK_FALSE(world.readonly_begin());
    CHECK(world.readonly_begin());
    kith::entity e = world.entity().add<Marked>();
    world.readonly_end();
    CHECK_FALSE(e.has<Marked>());
    world.readonly_end();
    CHECK(e.has<Marked>());
    CHECK(error_of([&] { world.readonly_end(); }) == invalid);
}

// spec 382
TEST_CASE("a stage without automerge keeps its changes until merge()") {
    kith::world world;
    world.component<Marked>();
    world.set_stage_count(2);
    kith::world stage = world.get_stage(1);
    stage.set_automerge(false);
    kith::entity e = world.entity();
    kith::entity gone = world.entity();
    world.readonly_begin();
    e.mut(stage).add<Marked>();
    gone.mut(stage).add<Marked>();
    kith::entity made = stage.entity();
    CHECK(error_of([&] { stage.merge(); }) == invalid);
    CHECK(error_of([&] { world.set_stage_count(1); }) == invalid);
    world.readonly_end();
    CHECK_FALSE(e.has<Marked>());
    CHECK(error_of([&] { world.set_stage_count(1); }) == invalid);
    gone.destruct();
    stage.merge();
    CHECK(e.has<Marked>());
    CHECK(made.is_alive());
    world.check();
}

// spec 382
TEST_CASE(
    "a read-only part cannot begin while the world is deferred, and types become known in it") {
    kith::world world;
    world.set_stage_count(2);
    world.defer([&] { CHECK(error_of([&] { world.readonly_begin(); }) == invalid); });
    struct Fresh {};
    world.readonly_begin();
    CHECK(world.component<Fresh>());
    CHECK(error_of([&] { world.get_stage(1).readonly_begin(); }) == invalid);
    world.readonly_end();
    world.check();
}

// spec 382
TEST_CASE(
    "an event is emitted at once through stage 0 of a read-only world, and enqueued elsewhere") {
    kith::world world;
    world.set_stage_count(2);
    kith::entity event = world.entity("Event");
    kith::entity e = world.entity();
    int calls = 0;
    e.observe(event, [&] { ++calls; });
    world.readonly_begin();
    e.emit(event);
    CHECK(calls == 1);
    e.enqueue(event);
    CHECK(calls == 1);
    CHECK(error_of([&] { e.mut(world.get_stage(1)).emit(event); }) == invalid);
    e.mut(world.get_stage(1)).enqueue(event);
    world.readonly_end();
    CHECK(calls == 3);
}

TEST_CASE("a stage has scopes of its own, and handles of the world are handles of its stages") {
    kith::world world;
    world.set_stage_count(2);
    kith::entity parent = world.entity("parent");
    kith::entity target = world.entity("target");
    kith::entity relation = world.entity("relation");
    kith::entity child, other;
    world.readonly_begin();
    kith::world stage = world.get_stage(1);
    stage.scope(parent, [&] { child = stage.entity("child"); });
    other = world.entity("other");
    child.add(relation, target);
    CHECK(child.world() == stage);
    CHECK(child.view().world() == world);
    world.readonly_end();
    CHECK(child.parent() == parent);
    CHECK_FALSE(other.parent());
    CHECK(child.has(relation, target));
}

// spec 383
TEST_CASE("an asynchronous stage queues until merge()") {
    kith::world world;
    world.component<Health>();
    kith::entity e = world.entity();
    {
        kith::world stage = world.async_stage();
        CHECK(stage.is_stage());
        CHECK(stage.get_stage_id() == -1);
        e.mut(stage).set(Health{5});
        kith::entity made = stage.entity();
        made.set(Health{6});
        CHECK_FALSE(e.has<Health>());
        world.entity();  // the world goes on meanwhile
        stage.merge();
        CHECK(e.get<Health>()->points == 5);
        CHECK(made.mut(world).get<Health>()->points == 6);
        e.mut(stage).set(Health{9});
        stage.entity();
    }
    CHECK(e.get<Health>()->points == 5);
    world.check();
}

TEST_CASE("an action after the frame is called at once outside of a frame") {
    kith::world world;
    int calls = 0;
    world.run_post_frame(
        [](kith::world_t* raw, void* context) {
            CHECK(raw != nullptr);
            ++*static_cast<int*>(context);
        },
        &calls);
    CHECK(calls == 1);
    CHECK(error_of([&] { world.run_post_frame(nullptr, nullptr); }) == invalid);
}

// spec 384
TEST_CASE("an action after the frame waits until all systems have run, in the order of calls") {
    kith::world world;
    static std::string log;
    log.clear();
    world.system("First").run([](kith::iter& it) {
        while (it.next()) {}
        auto note = [](kith::world_t*, void* text) { log += static_cast<const char*>(text); };
        it.world().run_post_frame(note, const_cast<char*>("a"));
        it.world().run_post_frame(note, const_cast<char*>("b"));
        log += "1";
    });
    world.system("Second").run([](kith::iter& it) {
        while (it.next()) {}
        log += "2";
    });
    world.progress();
    CHECK(log == "12ab");
    world.progress();
    CHECK(log == "12ab12ab");
}

TEST_CASE("equal worlds have equal hashes, and a change of anything changes the hash") {
    auto make = [](kith::world& world) {
        world.entity("a").set(Health{1});
        world.entity("b").set(Health{2}).add<Marked>();
        world.entity("c").child_of(world.lookup("a"));
    };
    kith::world first, second;
    make(first);
    make(second);
    CHECK(first.hash() == second.hash());
    const std::uint64_t before = first.hash();
    first.lookup("b").set(Health{3});
    CHECK(first.hash() != before);
    first.lookup("b").set(Health{2});
    CHECK(first.hash() == before);
    first.entity().destruct();
    CHECK(first.hash() != before);
}

TEST_SUITE_END();
