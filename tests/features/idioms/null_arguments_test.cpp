// A null entity, as a lookup gives it that found nothing: the error names the call and the
// argument.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Position {
    float x = 0;
};
struct Tag {};
struct Likes {};
struct Hit {
    int points = 0;
};

struct fixture {
    kith::world world;
    kith::entity e = world.entity("Bob").add<Tag>();
    kith::entity r = world.entity("R");
    kith::entity null = world.lookup("Nobody");
};

struct expectation {
    const char* message;  // it begins with that
    std::string actual;
};

// Checks all calls, so that one run shows every message that is wrong.
template <std::size_t N>
void check(const expectation (&calls)[N]) {
    for (const expectation& one : calls) {
        const std::string expected = one.message;
        CAPTURE(expected);
        CHECK(one.actual.substr(0, expected.size()) == expected);
    }
}

#define CALL(...) message_of([&] { static_cast<void>(__VA_ARGS__); })

}  // namespace

TEST_SUITE("features.idioms.null_arguments") {
    TEST_CASE_FIXTURE(fixture, "calls of the null entity name themselves") {
        const kith::entity n = null;
        kith::entity m = null;
        auto visit = [](kith::entity) {};
        check({
            {"add: the entity is the null entity (0)", CALL(m.add<Tag>())},
            {"remove: the entity", CALL(m.remove<Tag>())},
            {"set: the entity", CALL(m.set(Position{}))},
            {"set: the entity", CALL(m.set([](Position&) {}))},
            {"emplace: the entity", CALL(m.emplace<Position>())},
            {"get: the entity", CALL(n.get<Position>())},
            {"get: the entity", CALL(n.get([](const Position&) {}))},
            {"get_mut: the entity", CALL(n.get_mut<Position>())},
            {"try_get_mut: the entity", CALL(n.try_get_mut<Position>())},
            {"modify: the entity", CALL(n.modify<Position>([](Position&) {}))},
            {"modified: the entity", CALL(n.modified<Position>())},
            {"has: the entity", CALL(n.has<Tag>())},
            {"owns: the entity", CALL(n.owns<Tag>())},
            {"enable: the entity", CALL(m.enable())},
            {"disable: the entity", CALL(m.disable())},
            {"enable: the entity", CALL(m.enable<Tag>())},
            {"disable: the entity", CALL(m.disable<Tag>())},
            {"destruct: the entity", CALL(n.destruct())},
            {"clear: the entity", CALL(n.clear())},
            {"clone: the entity", CALL(n.clone())},
            {"detach: the entity", CALL(m.detach())},
            {"child_of: the entity", CALL(m.child_of(e))},
            {"is_a: the entity", CALL(m.is_a(e))},
            {"set_name: the entity", CALL(m.set_name("x"))},
            {"set_alias: the entity", CALL(m.set_alias("x"))},
            {"type: the entity", CALL(n.type())},
            {"table: the entity", CALL(n.table())},
            {"parent: the entity", CALL(n.parent())},
            {"target: the entity", CALL(n.target<Likes>())},
            {"targets: the entity", CALL(n.targets<Likes>())},
            {"each: the entity", CALL(n.each([](kith::id) {}))},
            {"each: the entity", CALL(n.each<Likes>(visit))},
            {"each: the entity", CALL(n.each<Hit>([](kith::entity, Hit&) {}))},
            {"each_source: the entity", CALL(n.each_source(r, visit))},
            {"traverse: the entity", CALL(n.traverse(kith::ChildOf).begin())},
            {"walk_up: the entity", CALL(n.walk_up(kith::ChildOf, visit))},
            {"depth: the entity", CALL(n.depth(kith::ChildOf))},
            {"target_for: the entity", CALL(n.target_for(kith::ChildOf, e))},
            {"observe: the entity", CALL(m.observe<Hit>([](Hit&) {}))},
            {"emit: the entity", CALL(n.emit(r))},
            {"emit: the entity", CALL(n.emit<Hit>())},
            {"emit: the entity", CALL(n.emit(Hit{}))},
            {"enqueue: the entity", CALL(n.enqueue(r))},
            {"enqueue: the entity", CALL(n.enqueue<Hit>())},
            {"enqueue: the entity", CALL(n.enqueue(Hit{}))},
        });
    }

    TEST_CASE_FIXTURE(fixture, "arguments of calls of entities are named") {
        auto visit = [](kith::entity) {};
        check({
            {"add: the id is the null entity (0)", CALL(e.add(null))},
            {"add: the relationship is the null entity (0)", CALL(e.add(null, r))},
            {"add: the target", CALL(e.add(r, null))},
            {"add: the target", CALL(e.add<Likes>(null))},
            {"set: the target", CALL(e.set<Position>(null, {}))},
            {"set_second: the relationship", CALL(e.set_second<Position>(null, {}))},
            {"emplace_first: the target", CALL(e.emplace_first<Position>(null))},
            {"get_mut: the id", CALL(e.get_mut(null))},
            {"get_mut: the target", CALL(e.get_mut<Position>(null))},
            {"modified: the id", CALL(e.modified(null))},
            {"modified: the target", CALL(e.modified(r, null))},
            {"enable: the id", CALL(e.enable(null))},
            {"disable: the target", CALL(e.disable(r, null))},
            {"override: the id", CALL(e.override(null))},
            {"override: the target", CALL(e.override(r, null))},
            {"child_of: the target", CALL(e.child_of(null))},
            {"is_a: the target", CALL(e.is_a(null))},
            {"slot_of: the target", CALL(e.slot_of(null))},
            {"depends_on: the target", CALL(e.depends_on(null))},
            {"with: the relationship", CALL(e.with(null, [] {}))},
            {"each_source: the relationship", CALL(e.each_source(null, visit))},
            {"traverse: the relationship", CALL(e.traverse(null).begin())},
            {"walk_up: the relationship", CALL(e.walk_up(null, visit))},
            {"depth: the relationship", CALL(e.depth(null))},
            {"target_for: the relationship", CALL(e.target_for(null, r))},
            {"observe: the event", CALL(e.observe(null, visit))},
            {"emit: the event", CALL(e.emit(null))},
            {"enqueue: the event", CALL(e.enqueue(null))},
        });
        CHECK_FALSE(e.has(null));  // what is not there can be asked for
        CHECK_FALSE(e.has<Likes>(null));
        CHECK(e.target(null) == 0);
        e.remove<Likes>(null);
    }

    TEST_CASE_FIXTURE(fixture, "arguments of calls of the world are named") {
        const kith::id_t no_ids[] = {0};
        check({
            {"with: the id", CALL(world.with(null, [] {}))},
            {"with: the target", CALL(world.with(r, null, [] {}))},
            {"pair: the target", CALL(world.pair<Likes>(null))},
            {"pair: the relationship", CALL(world.pair(null, r))},
            {"delete_with: the id", CALL(world.delete_with(null))},
            {"delete_with: the target", CALL(world.delete_with(r, null))},
            {"delete_with: the relationship", CALL(world.delete_with(null, r))},
            {"remove_all: the id", CALL(world.remove_all(null))},
            {"remove_all: the target", CALL(world.remove_all(r, null))},
            {"bulk: the id", CALL(world.bulk(2, no_ids, 1, nullptr))},
            {"relation: the entity", CALL(world.relation(null, {}))},
            {"make_alive: the entity", CALL(world.make_alive(0))},
            {"use: the entity", CALL(world.use(null, "x"))},
            {"add: the entity", CALL(world.component(null).add(kith::Sparse))},
            {"emit: the event", CALL(world.emit(null))},
            {"enqueue: the event", CALL(world.enqueue(null))},
            {"emit: the event", CALL(world.event(null).entity(e).emit())},
            {"entity: the entity", CALL(world.event(r).entity(null).emit())},
            {"entity: the entity", CALL(world.event<Hit>().entity(null).emit())},
            {"id: the id", CALL(world.event(r).id(null))},
            {"id: the target", CALL(world.event(r).id(r, null))},
        });
        CHECK(world.count(null) == 0);
        CHECK(world.set_scope(null) == 0);  // the root
    }

    TEST_CASE_FIXTURE(fixture, "arguments of builders are named") {
        auto build = [&] { return world.query_builder(); };
        auto order = [](kith::entity_t, const void*, kith::entity_t, const void*) { return 0; };
        check({
            {"with: the id is the null entity (0)", CALL(build().with(null))},
            {"with: the id", CALL(build().with(kith::entity()))},
            {"with: the relationship", CALL(build().with(null, e))},
            {"with: the target", CALL(build().with(r, null))},
            {"with: the target", CALL(build().with("R", null))},
            {"with: the target", CALL(build().with<Likes>(null))},
            {"without: the id", CALL(build().without(null))},
            {"term: the id", CALL(build().term(null))},
            {"term: the relationship", CALL(build().term(null, "R"))},
            {"term: the target", CALL(build().term(r, null))},
            {"term: the target", CALL(build().term("R", null))},
            {"term: the id", CALL(world.term(null))},
            {"include: the id", CALL(build().include(r, null))},
            {"exclude: the id", CALL(build().exclude(null))},
            {"any_of: the id", CALL(build().any_of(r, null))},
            {"read: the id", CALL(build().read(null))},
            {"write: the target", CALL(build().write<Likes>(null))},
            {"src: the source", CALL(build().with<Tag>().src(null))},
            {"first: the first element", CALL(build().with<Tag>().first(null))},
            {"second: the second element", CALL(build().with<Tag>().second(null))},
            {"up: the relationship", CALL(build().with<Tag>().up(null))},
            {"down: the relationship", CALL(build().with<Tag>().down(null))},
            {"cascade: the relationship", CALL(build().with<Tag>().cascade(null))},
            {"trav: the relationship", CALL(build().with<Tag>().trav(null))},
            {"group_by: the relationship", CALL(build().with<Tag>().group_by(null))},
            {"order_by: the component", CALL(build().with<Tag>().order_by(null, order))},
            {"with: the id", CALL(world.observer().with(null))},
            {"event: the event", CALL(world.observer<Tag>().event(null))},
            {"query: the entity", CALL(world.observer(null).query())},
        });
    }

    TEST_CASE_FIXTURE(fixture, "the number 0 keeps its meaning where it has one") {
        const kith::id_t zero = 0;
        auto order = [](kith::entity_t a, const void*, kith::entity_t b, const void*) {
            return a < b;
        };
        CHECK_NOTHROW(world.query_builder().with(r, zero).build());
        CHECK_NOTHROW(world.query_builder().with(r).second(zero).build());
        CHECK_NOTHROW(world.query_builder().with<Tag>().order_by(0, order).build());
        CHECK_NOTHROW(world.query_builder().with<Tag>().order_by_desc(0, order).build());
    }

    TEST_CASE_FIXTURE(fixture, "what failed has changed nothing") {
        kith::entity a = world.entity().add<Tag>();
        CALL(world.delete_with(null));
        CALL(world.remove_all(r, null));
        CALL(a.child_of(null));
        CHECK(a.is_alive());
        CHECK(world.count<Tag>() == 2);
        CHECK(world.entity().type().count() == 0);
        world.check();
    }
}
