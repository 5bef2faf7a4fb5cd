// An enum component is the pair (E, constant), with the value of the constant: every operation that
// takes a component reads and writes it so.
#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

#include <set>
#include <string>

using namespace kith_test;
using kith::errc;

namespace {

enum class State { Idle, Run, Stop };
enum PrefixEnum { PrefixEnumFoo, PrefixEnumBar };
enum Prefix_Line { Prefix_Line_A, Prefix_Line_B };
enum Mixed { MixedOne, Other };
enum Word { Wordy, WordLess };

struct fixture : world_fixture {
    // The constant that the entity has, and nothing else of the enum.
    void check_has(kith::entity held, State wanted) {
        CHECK(held.has(wanted));
        CHECK(held.has<State>());
        REQUIRE(held.get<State>() != nullptr);
        CHECK(*held.get<State>() == wanted);
        CHECK(held.target<State>() == world.entity(wanted));
        CHECK_FALSE(held.owns(world.id<State>()));
        int pairs = 0;
        held.each<State>([&](kith::entity) { ++pairs; });
        CHECK(pairs == 1);
    }

    kith::entity e = world.entity("e").set(Position{1, 2});
};

}  // namespace

TEST_SUITE("features.enums.components") {
    TEST_CASE_FIXTURE(fixture, "every way to write an enum replaces the constant") {
        e.add(State::Run);
        check_has(e, State::Run);
        e.set(State::Idle);
        check_has(e, State::Idle);
        *e.get_mut<State>() = State::Stop;
        e.modified<State>();
        check_has(e, State::Stop);
        e.ensure<State>() = State::Run;
        check_has(e, State::Run);
        e.set([](State& state, Position& p) {
            CHECK(state == State::Run);
            state = State::Idle;
            p.x = 9;
        });
        check_has(e, State::Idle);
        CHECK(e.get<Position>()->x == 9);
        CHECK(e.get([](State& state) { state = State::Stop; }));
        check_has(e, State::Stop);
        *e.get_ref<State>() = State::Run;
        check_has(e, State::Run);
    }

    TEST_CASE_FIXTURE(fixture, "the same while deferred") {
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        kith::entity c = world.entity();
        kith::entity d = world.entity();
        world.defer([&] {
            a.set(State::Run);
            *b.get_mut<State>() = State::Stop;
            b.modified<State>();
            c.set([](State& state) { state = State::Run; });
            d.emplace<State>(State::Stop);
            e.add(State::Run);
            e.ensure<State>() = State::Idle;
            CHECK_FALSE(a.has<State>());
        });
        check_has(a, State::Run);
        check_has(b, State::Stop);
        check_has(c, State::Run);
        check_has(d, State::Stop);
        check_has(e, State::Idle);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "emplace gives the first constant, and is an error for another") {
        e.emplace<State>(State::Run);
        check_has(e, State::Run);
        CHECK(refusal(world, all_values(), [&] { e.emplace<State>(State::Stop); }) ==
              errc::already_exists);
        check_has(e, State::Run);
    }

    TEST_CASE_FIXTURE(fixture, "every way to read gives the value of the constant") {
        e.add(State::Run);
        CHECK(*e.get<State>() == State::Run);
        CHECK(e.ensure<State>() == State::Run);
        const State copied = *e.get_mut<State>();
        CHECK(copied == State::Run);
        bool called = e.get([](const Position& p, const State& state) {
            CHECK(p.x == 1);
            CHECK(state == State::Run);
        });
        CHECK(called);
        kith::ref<State> ref = e.get_ref<State>();
        CHECK(ref.has());
        CHECK(*ref == State::Run);
        e.add(State::Stop);
        CHECK(*ref == State::Stop);
        CHECK(e.owns<State>());
        CHECK(e.owns(State::Stop));
        CHECK(e.enabled<State>());
    }

    TEST_CASE_FIXTURE(fixture, "an entity without a constant has nothing to read") {
        CHECK(e.get<State>() == nullptr);
        CHECK_FALSE(e.owns<State>());
        CHECK_FALSE(e.get([](const State&) {}));
        CHECK(e.get([](const State* state) { CHECK(state == nullptr); }));
        CHECK_FALSE(e.get_ref<State>().has());
        CHECK(error_of([&] { static_cast<void>(State{e.ensure<State>()}); }) ==
              errc::missing_component);
        CHECK(error_of([&] { static_cast<void>(*e.get_ref<State>()); }) == errc::missing_component);
        CHECK(error_of([&] { e.modified<State>(); }) == errc::missing_component);
        CHECK(error_of([&] { e.disable<State>(); }) == errc::missing_component);
        CHECK_FALSE(e.has<State>());
    }

    TEST_CASE_FIXTURE(fixture, "a reference to a dead entity is empty") {
        e.add(State::Run);
        kith::ref<State> ref = e.get_ref<State>();
        e.destruct();
        CHECK_FALSE(ref.has());
        CHECK_FALSE(kith::ref<State>().has());
    }

    TEST_CASE_FIXTURE(fixture, "an enum that is switched off does not match") {
        e.add(State::Run);
        e.disable<State>();
        CHECK_FALSE(e.enabled<State>());
        CHECK(*e.get<State>() == State::Run);
        CHECK(world.query<State>().count() == 0);
        e.enable<State>();
        CHECK(e.enabled<State>());
        CHECK(world.query<State>().count() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "world-wide operations are about the entities with a constant") {
        e.add(State::Run);
        kith::entity f = world.entity().add(State::Idle);
        CHECK(world.count<State>() == 2);
        std::set<kith::entity_t> seen;
        world.each<State>([&](kith::entity found) { seen.insert(found); });
        CHECK(seen == std::set<kith::entity_t>{f, e});
        world.remove_all<State>();
        CHECK_FALSE(e.has<State>());
        CHECK_FALSE(f.has<State>());
        CHECK(world.entity(State::Run).to_constant<State>() == State::Run);
        e.add(State::Stop);
        f.add(State::Run);
        world.remove_all(State::Stop);
        CHECK_FALSE(e.has<State>());
        world.delete_with<State>();
        CHECK(e.is_alive());
        CHECK_FALSE(f.is_alive());
        CHECK(world.entity(State::Run).is_alive());
        world.check();
    }

    // Constants are parts of their type, which wildcards do not mean.
    TEST_CASE_FIXTURE(fixture, "constants stay what they are when wildcards remove or delete") {
        const kith::entity run = world.entity(State::Run);
        kith::entity child = world.entity("parent::child");
        world.remove_all(kith::ChildOf, kith::Wildcard);
        CHECK_FALSE(child.parent());
        CHECK(run.parent() == world.component<State>());
        world.remove_all(kith::Wildcard);
        CHECK(run.to_constant<State>() == State::Run);
        child.child_of(world.entity());
        world.delete_with(kith::ChildOf, kith::Wildcard);
        CHECK_FALSE(child.is_alive());
        CHECK(run.is_alive());
        CHECK(*e.add(State::Run).get<State>() == State::Run);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "world.each gives the value, and keeps what is written") {
        e.add(State::Run);
        world.entity("f").add(State::Idle);
        std::string seen;
        world.each([&](kith::entity found, State state) {
            seen += std::string(found.name().c_str()) + std::to_string(static_cast<int>(state));
        });
        CHECK((seen == "f0e1" || seen == "e1f0"));
        world.each([](State& state) { state = State::Stop; });
        CHECK(world.count(State::Stop) == 2);
        int count = 0;
        world.each([&](const State& state) { count += state == State::Stop; });
        CHECK(count == 2);
    }

    TEST_CASE_FIXTURE(fixture, "bulk creation takes constants") {
        const Position positions[] = {{1, 0}, {2, 0}, {3, 0}};
        const State states[] = {State::Run, State::Idle, State::Run};
        kith::entity_span made = world.bulk(3, positions, states);
        REQUIRE(made.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) {
            check_has(world.entity(made[i]), states[i]);
            CHECK(world.entity(made[i]).get<Position>()->x == static_cast<int>(i) + 1);
        }
        const State unknown[] = {State::Run, static_cast<State>(99)};
        CHECK(refusal(world, all_values(), [&] { world.bulk(2, positions, unknown); }) ==
              errc::invalid_id);
        CHECK(world.bulk(2, states).size() == 2);
        CHECK(world.count(State::Run) == 3);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "clones have the constant") {
        e.add(State::Run);
        check_has(e.clone(), State::Run);
        check_has(e.clone(false), State::Run);
    }

    TEST_CASE_FIXTURE(fixture, "instances inherit the constant, or get it as their own") {
        kith::entity shared = world.prefab().set(State::Run);
        kith::entity a = world.entity().is_a(shared);
        CHECK(*a.get<State>() == State::Run);
        CHECK_FALSE(a.owns<State>());
        shared.set(State::Idle);
        CHECK(*a.get<State>() == State::Idle);
        a.set(State::Stop);
        check_has(a, State::Stop);
        CHECK(*shared.get<State>() == State::Idle);

        kith::entity copied = world.prefab().set_override(State::Run);
        kith::entity b = world.entity().is_a(copied);
        CHECK(b.owns<State>());
        check_has(b, State::Run);
        copied.set(State::Stop);
        check_has(b, State::Run);
        check_has(world.entity().is_a(copied), State::Stop);
        kith::entity variant = world.prefab().is_a(copied).set(State::Idle);
        check_has(world.entity().is_a(variant), State::Idle);
        kith::entity other = world.prefab().set(State::Run).override<State>();
        check_has(world.entity().is_a(other), State::Run);
        CHECK(error_of([&] { world.prefab().override<State>(); }) == errc::missing_component);
        check_has(world.entity().is_a(world.prefab().emplace_override<State>(State::Stop)),
                  State::Stop);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a singleton may be an enum") {
        world.set(State::Run);
        CHECK(*world.get<State>() == State::Run);
        world.ensure<State>() = State::Stop;
        CHECK(*world.get<State>() == State::Stop);
        *world.get_mut<State>() = State::Idle;
        CHECK(world.has<State>());
        world.set([](State& state) { state = State::Run; });
        CHECK(world.get([](const State& state) { CHECK(state == State::Run); }));
        world.remove<State>();
        CHECK_FALSE(world.singleton<State>().owns<State>());
    }

    TEST_CASE_FIXTURE(fixture, "constants are targets of pairs with values") {
        e.set<Eats>(State::Run, {3});
        e.set(State::Idle, Eats{4});
        CHECK(e.get<Eats>(State::Run)->amount == 3);
        CHECK(e.get<Eats>(State::Idle)->amount == 4);
        e.get_mut<Eats>(State::Run)->amount = 5;
        CHECK(e.get_ref<Eats>(State::Run)->amount == 5);
        e.set<Eats>(PrefixEnumBar, {6});
        CHECK(e.get<Eats>(PrefixEnumBar)->amount == 6);
        CHECK_FALSE(e.has<State>());
    }

    TEST_CASE_FIXTURE(fixture, "new entities get a constant in a part of the program") {
        world.with(State::Run, [&] { check_has(world.entity(), State::Run); });
    }

    TEST_CASE_FIXTURE(fixture, "an enum cannot come with another component") {
        kith::entity state = world.component<State>();
        CHECK(refusal(world, all_values(), [&] {
                  world.component<Position>().add(kith::With, state);
              }) == errc::constraint);
        CHECK(world.entity().set(Position{1, 1}).type().count() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "a prefix that all constants share with their type is left out") {
        CHECK(world.entity(PrefixEnumFoo).path() == "::PrefixEnum::Foo");
        CHECK(world.entity(PrefixEnumBar).name() == "Bar");
        CHECK(world.entity(Prefix_Line_B).name() == "B");
        CHECK(world.entity(MixedOne).name() == "MixedOne");
        CHECK(world.entity(Other).name() == "Other");
        CHECK(world.entity(Wordy).name() == "Wordy");
        CHECK(world.entity(WordLess).name() == "WordLess");
        CHECK(world.lookup("PrefixEnum::Foo").to_constant<PrefixEnum>() == PrefixEnumFoo);
    }

    TEST_CASE_FIXTURE(fixture, "an enum that is sparse is read and written as others") {
        world.component<State>().add(kith::Sparse);
        e.add(State::Run);
        check_has(e, State::Run);
        e.ensure<State>() = State::Stop;
        check_has(e, State::Stop);
        int seen = 0;
        world.query<const Position, State>().each([&](const Position&, State& state) {
            CHECK(state == State::Stop);
            state = State::Idle;
            ++seen;
        });
        CHECK(seen == 1);
        check_has(e, State::Idle);
        world.remove_all<State>();
        CHECK_FALSE(e.has<State>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an enum is changed in place where the entity has a constant") {
        CHECK_FALSE(e.try_get_mut<State>());
        CHECK_FALSE(e.modify<State>([](State& state) { state = State::Run; }));
        CHECK_FALSE(e.has<State>());
        e.set(State::Idle);
        REQUIRE(e.try_get_mut<State>());
        *e.try_get_mut<State>() = State::Run;
        check_has(e, State::Run);
        int told = 0;
        world.observer<State>().event(kith::OnSet).each([&](State) { ++told; });
        CHECK(e.modify<State>([](State& state) { state = State::Stop; }));
        check_has(e, State::Stop);
        CHECK(told == 1);
        // A constant that is inherited is not the entity's own.
        auto instance = world.entity().is_a(e);
        CHECK_FALSE(instance.try_get_mut<State>());
        CHECK_FALSE(instance.modify<State>([](State& state) { state = State::Run; }));
        CHECK_FALSE(world.modify<State>([](State&) {}));
        world.set(State::Idle);
        CHECK(world.modify<State>([](State& state) { state = State::Run; }));
        CHECK(*world.get<State>() == State::Run);
    }
}
