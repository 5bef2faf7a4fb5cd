// Terms, callbacks, sorting, hooks and observers of enum components.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <stdexcept>
#include <string>
#include <vector>

using namespace kith_test;
using kith::errc;

namespace {

enum class State { Idle, Run, Stop };

struct fixture {
    fixture() { register_all(world); }
    std::string text(kith::entity e, const State* state) {
        return std::string(e.name().c_str()) +
               (state ? std::to_string(static_cast<int>(*state)) : "-") + " ";
    }
    std::string taken() { return std::exchange(log, {}); }

    std::string log;
    kith::world world;
    kith::entity a = world.entity("a").set(Position{1, 1}).add(State::Run);
    kith::entity b = world.entity("b").set(Position{2, 2}).add(State::Idle);
    kith::entity c = world.entity("c").set(Position{3, 3});
};

}  // namespace

TEST_SUITE("features.enums.queries") {
    TEST_CASE_FIXTURE(fixture, "each gives the value however it is taken, cached or not") {
        auto check = [&](const auto& query) {
            int sum = 0;
            query.each([&](kith::entity, State s) { sum += static_cast<int>(s); });
            query.each([&](State& s) { sum += 10 * static_cast<int>(s); });
            query.each([&](const State& s) { sum += 100 * static_cast<int>(s); });
            query.each([&](State* s) { sum += 1000 * static_cast<int>(*s); });
            query.each([&](const State* s) { sum += 10000 * static_cast<int>(*s); });
            query.each([&](kith::iter& it, std::size_t row, State& s) {
                CHECK(*it.entity(row).get<State>() == s);
            });
            CHECK(sum == 11111);
            CHECK(query.count() == 2);
        };
        check(world.query<State>());
        check(world.filter<State>());
        check(world.query_builder<State>().order_by<State>().build());
    }

    TEST_CASE_FIXTURE(fixture, "find and each_changed write constants as each does") {
        auto query = world.query<State>();
        const kith::entity found = query.find([](State& s) {
            const bool runs = s == State::Run;
            s = runs ? State::Stop : s;
            return runs;
        });
        CHECK(found == a);
        CHECK(a.has(State::Stop));
        query.each_changed([](State& s) { s = s == State::Idle ? State::Run : s; });
        CHECK(b.has(State::Run));
        CHECK(a.has(State::Stop));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "what each writes replaces the constant when the run is over") {
        auto query = world.query<State, const Position>();
        query.each([&](kith::entity e, State& s, const Position&) {
            s = s == State::Run ? State::Stop : State::Run;
            CHECK_FALSE(e.has(s));
        });
        CHECK(a.has(State::Stop));
        CHECK(b.has(State::Run));
        query.each([](State* s, const Position* p) { *s = p->x == 1 ? State::Idle : *s; });
        CHECK(a.has(State::Idle));
        CHECK(b.has(State::Run));
        world.filter<State>().each([](State& s) { s = State::Stop; });
        CHECK(world.count(State::Stop) == 2);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a value that is no constant is refused when the run is over") {
        CHECK(error_of([&] {
                  world.query<State>().each([](State& s) { s = static_cast<State>(77); });
              }) == errc::invalid_id);
        CHECK(a.has(State::Run));
        CHECK_FALSE(world.is_deferred());
    }

    TEST_CASE_FIXTURE(fixture, "an optional enum is null for entities without a constant") {
        auto query = world.query<const Position, State*>();
        query.each([&](kith::entity e, const Position&, State* s) { log += text(e, s); });
        query.each([&](kith::entity e, const Position&, const State* s) { log += text(e, s); });
        for (const char* part : {"a1", "b0", "c-"}) {
            CHECK(log.find(part) != std::string::npos);
            CHECK(log.find(part) != log.rfind(part));
        }
        query.each([](const Position&, State* s) {
            if (s) {
                *s = State::Stop;
            }
        });
        CHECK(world.count(State::Stop) == 2);
        CHECK_FALSE(c.has<State>());
    }

    TEST_CASE_FIXTURE(fixture, "an inherited constant is handed out, and written to its owner") {
        kith::entity base = world.prefab().set(State::Stop);
        c.is_a(base);
        int sum = 0;
        world.query<State>().each([&](State s) { sum += static_cast<int>(s); });
        CHECK(sum == 3);
        world.query<State>().each([&](kith::entity e, State& s) { s = e == c ? State::Run : s; });
        CHECK(*base.get<State>() == State::Run);
        CHECK_FALSE(c.owns<State>());
    }

    TEST_CASE_FIXTURE(fixture, "iter and fields give a column that all rows share") {
        world.entity("d").set(Position{4, 4}).add(State::Run);
        int sum = 0;
        auto query = world.query<const Position, State>();
        query.iter([&](kith::iter& it, const Position* p, kith::column<const State> s) {
            auto field = it.field<const State>(2);
            auto only = it.field<const State>();
            for (auto row : it) {
                sum += p[row].x * static_cast<int>(s[row]);
                CHECK(field[row] == s[row]);
                CHECK(only[row] == s[row]);
            }
            CHECK(error_of([&] { it.field<const State>(1); }) == errc::invalid_query);
        });
        CHECK(sum == 5);
    }

    TEST_CASE_FIXTURE(fixture, "terms name a constant, or any of them") {
        auto count = [](auto&& builder) { return builder.build().count(); };
        CHECK(count(world.query_builder<const Position>().term(State::Run)) == 1);
        CHECK(count(world.query_builder<const Position>().with(State::Stop)) == 0);
        CHECK(count(world.query_builder<const Position>().without(State::Run)) == 2);
        CHECK(count(world.query_builder<const Position>().with<State>()) == 2);
        CHECK(count(world.query_builder<const Position>().without<State>()) == 1);
        CHECK(count(world.query_builder<const Position>().term(world.term(State::Run))) == 1);
        CHECK(count(world.query_builder<const Position>().term(world.term<State>())) == 2);
    }

    TEST_CASE_FIXTURE(fixture, "results are sorted by the value of the constant") {
        auto up = world.query_builder<State>().order_by<State>().build();
        auto down = world.query_builder<State>().order_by_desc<State>().build();
        auto by = world.query_builder<const State>()
                      .order_by<State>([](kith::entity_t, const State* x, kith::entity_t,
                                          const State* y) { return *x > *y; })
                      .build();
        auto names = [&](const auto& query) {
            query.each([&](kith::entity e, State s) { log += text(e, &s); });
            return taken();
        };
        CHECK(names(up) == "b0 a1 ");
        CHECK(names(down) == "a1 b0 ");
        c.add(State::Stop);
        CHECK(names(up) == "b0 a1 c2 ");
        CHECK(names(by) == "c2 a1 b0 ");
        b.add(State::Stop);
        a.add(State::Idle);
        world.entity("d").add(State::Run);
        CHECK(names(up) == "a0 d1 c2 b2 ");
    }

    TEST_CASE_FIXTURE(fixture, "inherited constants are sorted, also when the base gets another") {
        kith::entity base = world.prefab().set(State::Stop);
        c.is_a(base);
        a.add(State::Idle);
        b.add(State::Run);
        auto up = world.query_builder<State>().order_by<State>().build();
        auto names = [&] {
            up.each([&](kith::entity e, State s) { log += text(e, &s); });
            return taken();
        };
        CHECK(names() == "a0 b1 c2 ");
        base.set(State::Idle);
        const std::string changed = names();
        CHECK((changed == "a0 c0 b1 " || changed == "c0 a0 b1 "));
    }

    TEST_CASE_FIXTURE(fixture, "hooks get the value of the constant") {
        auto component = world.component<State>();
        component.on_add([&](kith::entity e, State& s) { log += "add " + text(e, &s); });
        component.on_set([&](kith::entity e, State& s) { log += "set " + text(e, &s); });
        component.on_remove([&](kith::entity e, State& s) { log += "remove " + text(e, &s); });
        c.add(State::Run);
        CHECK(taken() == "add c1 set c1 ");
        c.set(State::Run);
        CHECK(taken() == "");
        c.set(State::Stop);
        CHECK(taken() == "remove c1 add c2 set c2 ");
        world.defer([&] { c.set(State::Idle).set(State::Run); });
        CHECK(taken() == "remove c2 add c1 set c1 ");
        c.destruct();
        CHECK(taken() == "remove c1 ");
        component.on_remove([&](State&) { log += "gone "; });
        world.reset();
        CHECK(taken() == "gone gone ");
    }

    TEST_CASE_FIXTURE(fixture, "a hook that takes the value by reference replaces the constant") {
        world.component<State>().on_add([](State& s) { s = s == State::Run ? State::Stop : s; });
        c.add(State::Run);
        CHECK(c.has(State::Stop));
        world.component<State>().on_add([&](kith::iter&, State* s) { log += text(c, s); });
        c.add(State::Idle);
        CHECK(taken() == "c0 ");
    }

    TEST_CASE_FIXTURE(fixture, "observers get the value, and may write it") {
        auto observe = [&](kith::entity_t event, const char* word) {
            return world.observer<State>().event(event).each(
                [this, word](kith::entity e, State& s) {
                    log += std::string(word) + " " + text(e, &s);
                });
        };
        observe(kith::OnAdd, "add");
        observe(kith::OnSet, "set");
        observe(kith::OnRemove, "remove");
        c.add(State::Run);
        CHECK(taken() == "add c1 set c1 ");
        c.set(State::Stop);
        CHECK(taken() == "remove c1 add c2 set c2 ");
        c.remove<State>();
        CHECK(taken() == "remove c2 ");
        world.observer<State>().event(kith::OnAdd).each([](State& s) {
            s = s == State::Idle ? State::Run : s;
        });
        c.ensure<State>() = State::Idle;
        CHECK(c.has(State::Run));
    }

    TEST_CASE_FIXTURE(fixture, "an observer of two components gets both values") {
        world.observer<const Position, State>()
            .event(kith::OnSet)
            .each([&](kith::entity e, const Position& p, State s) {
                log += text(e, &s) + std::to_string(p.x) + " ";
            });
        c.set(State::Run);
        CHECK(taken() == "c1 3 ");
        a.set(Position{7, 7});
        CHECK(taken() == "a1 7 ");
    }

    TEST_CASE_FIXTURE(fixture, "a relationship argument of an enum has target and value") {
        int sum = 0;
        world.query<kith::rel<State>>().each([&](kith::rel<State> s) {
            CHECK(s.target().to_constant<State>() == *s);
            sum += static_cast<int>(*s) + 1;
        });
        CHECK(sum == 3);
    }

    TEST_CASE_FIXTURE(fixture, "a validating hook gets the constant, and may refuse it") {
        world.component<State>().on_validate([](kith::entity, State& s) {
            if (s == State::Stop) {
                throw std::runtime_error("no");
            }
        });
        c.set(State::Run);
        CHECK(c.has(State::Run));
        CHECK_THROWS_AS(c.set(State::Stop), std::runtime_error);
        CHECK(c.has(State::Run));
    }

    TEST_CASE_FIXTURE(fixture, "texts name an enum as types do") {
        CHECK(world.query("State").count() == 2);
        CHECK(world.query("(State, State.Run)").count() == 1);
        CHECK(world.query("kith_test.Position, !State").count() == 1);
        CHECK(*a.edge<State>() == State::Run);
    }

    TEST_CASE_FIXTURE(fixture, "rows of a query have the value of the constant") {
        int sum = 0;
        for (auto [e, s] : world.query<State>()) {
            CHECK(e.has(s));
            sum += static_cast<int>(s) + 1;
        }
        CHECK(sum == 3);
    }

    TEST_CASE_FIXTURE(fixture, "a monitor notices that entities get and lose a constant") {
        auto query = world.query<State>();
        auto monitor = query.monitor([&](kith::iter& it) {
            log += it.event() == kith::OnAdd ? "+" : "-";
            log += text(it.entity(0), &it.field<const State>(1)[0]);
        });
        c.add(State::Run);
        CHECK(taken() == "+c1 ");
        c.remove<State>();
        CHECK(taken() == "-c1 ");
    }
}
