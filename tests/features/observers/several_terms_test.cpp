#include <kith/kith.hpp>

#include "support/event_log.hpp"

#include <algorithm>

using namespace kith_test;

namespace {

struct fixture : event_log {
    auto build() { return world.observer().event(kith::OnAdd).event(kith::OnRemove); }

    std::size_t count_taken() {
        const std::string all = taken();
        return static_cast<std::size_t>(std::count(all.begin(), all.end(), ';'));
    }

    kith::entity e = world.entity("e");
    kith::entity apple = world.entity("apple");
    kith::entity pear = world.entity("pear");
};

}  // namespace

TEST_SUITE("features.observers.several_terms") {
    TEST_CASE_FIXTURE(fixture, "the last term that comes completes the match, in any order") {
        build().with<Hot>().with<Cold>().each(note());
        e.add<Hot>();
        CHECK(taken() == "");
        e.add<Cold>();
        CHECK(taken() == "OnAdd Cold e; ");
        e.remove<Hot>();
        CHECK(taken() == "OnRemove Hot e; ");
        e.remove<Cold>();
        CHECK(taken() == "");
        e.add<Cold>().add<Hot>();
        CHECK(taken() == "OnAdd Hot e; ");
        e.add<Position>().remove<Position>();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "one change that brings or takes several terms is told once") {
        build().with<Hot>().with<Cold>().with<Position>().each(note());
        world.defer([&] { e.add<Hot>().add<Cold>().add<Position>(); });
        CHECK(taken() == "OnAdd Position e; ");
        e.clear();
        CHECK(taken() == "OnRemove Position e; ");
        kith::entity copy = world.entity("copy");
        world.defer([&] { copy.add<Hot>().add<Cold>().add<Position>(); });
        taken();
        copy.destruct();
        CHECK(taken() == "OnRemove Position copy; ");
    }

    TEST_CASE_FIXTURE(fixture, "all values can be read on the first removal") {
        world.observer<Position, Velocity>()
            .event(kith::OnRemove)
            .each([&](Position& p, Velocity& v) { log += std::to_string(p.x * 10 + v.x); });
        e.set(Position{1, 0}).set(Velocity{2, 0});
        e.clear();
        CHECK(taken() == "12");
        e.set(Position{3, 0}).set(Velocity{4, 0});
        e.remove<Velocity>();
        CHECK(taken() == "34");
    }

    TEST_CASE_FIXTURE(fixture, "OnSet is told for each term that is set while all match") {
        world.observer<Position, Velocity>().event(kith::OnSet).each(note());
        e.set(Position{1, 0});
        CHECK(taken() == "");
        e.set(Velocity{1, 0});
        CHECK(taken() == "OnSet Velocity e; ");
        e.set(Position{2, 0}).set(Position{3, 0});
        CHECK(taken() == "OnSet Position e; OnSet Position e; ");
    }

    TEST_CASE_FIXTURE(fixture, "what must not be there completes a match when it goes") {
        build().with<Hot>().without<Cold>().each(note());
        e.add<Cold>().add<Hot>();
        CHECK(taken() == "");
        e.remove<Cold>();
        CHECK(taken() == "OnAdd Cold e; ");
        e.add<Cold>();
        CHECK(taken() == "OnRemove Cold e; ");
        e.remove<Hot>();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "a term that comes while another one goes is told once") {
        build().with<Hot>().without<Cold>().each(note());
        e.add<Cold>();
        world.defer([&] { e.remove<Cold>().add<Hot>(); });
        CHECK(taken() == "OnAdd Cold e; ");
        world.defer([&] { e.add<Cold>().remove<Hot>(); });
        CHECK(taken() == "OnRemove Hot e; ");
    }

    TEST_CASE_FIXTURE(fixture, "any member of an or chain is told") {
        build().with<Position>().with<Hot>().or_().with<Cold>().each(note());
        e.add<Position>();
        CHECK(taken() == "");
        e.add<Cold>();
        CHECK(taken() == "OnAdd Cold e; ");
        world.entity("f").add<Hot>().add<Position>();
        CHECK(taken() == "OnAdd Position f; ");
        kith::entity g = world.entity("g").add<Position>();
        world.defer([&] { g.add<Hot>().add<Cold>(); });
        CHECK(taken() == "OnAdd Hot g; ");
    }

    TEST_CASE_FIXTURE(fixture, "optional terms, and filters, are not told of by themselves") {
        build().with<Hot>().with<Cold>().filter().with<Position>().optional().each(note());
        e.add<Hot>();
        e.add<Cold>();
        CHECK(taken() == "");
        e.add<Position>();
        CHECK(taken() == "");
        e.remove<Hot>();
        CHECK(taken() == "OnRemove Hot e; ");
        e.add<Hot>();
        CHECK(taken() == "OnAdd Hot e; ");
        e.remove<Cold>();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "a filter may be written in the query language") {
        world.observer()
            .event(kith::OnAdd)
            .expr("kith_test.Hot, [filter] kith_test.Cold")
            .each(note());
        e.add<Hot>().add<Cold>();
        CHECK(taken() == "");
        world.entity("f").add<Cold>().add<Hot>();
        CHECK(taken() == "OnAdd Hot f; ");
    }

    TEST_CASE_FIXTURE(fixture, "terms without access are told of") {
        build().with<Hot>().inout_none().with<Position>().inout_none().each(note());
        e.add<Position>().add<Hot>();
        CHECK(taken() == "OnAdd Hot e; ");
    }

    TEST_CASE_FIXTURE(fixture, "wildcards are told for each pair, with its id as the field's") {
        world.observer<Position>()
            .with<Likes>(kith::Wildcard)
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .each([&](kith::iter& it, std::size_t, Position&) {
                log += name_of(it.event()) + " " + short_text(it.event_id()) + " " +
                       short_text(it.id(2)) + "; ";
            });
        e.add<Likes>(apple).add<Likes>(pear);
        CHECK(taken() == "");
        e.add<Position>();
        CHECK(taken() == "OnAdd Position (Likes,apple); OnAdd Position (Likes,pear); ");
        e.remove<Likes>(apple);
        CHECK(taken() == "OnRemove (Likes,apple) (Likes,apple); ");
        e.add<Likes>(apple);
        CHECK(taken() == "OnAdd (Likes,apple) (Likes,apple); ");
        e.clear();
        CHECK(taken() == "OnRemove Position (Likes,apple); OnRemove Position (Likes,pear); ");
    }

    TEST_CASE_FIXTURE(fixture, "fixed sources are told with all that matches") {
        kith::entity game = world.entity("game");
        world.entity("f").add<Hot>();
        e.add<Hot>();
        build().with<Hot>().with<Cold>().src(game).each(note());
        game.add<Cold>();
        CHECK(taken() == "OnAdd Cold f; OnAdd Cold e; ");
        world.entity("g").add<Hot>();
        CHECK(taken() == "OnAdd Hot g; ");
        e.add<Cold>();
        CHECK(taken() == "");
        game.remove<Cold>();
        CHECK(taken() == "OnRemove Cold f; OnRemove Cold g; OnRemove Cold e; ");
    }

    TEST_CASE_FIXTURE(fixture, "fixed sources alone have no entity to hand out") {
        kith::entity game = world.entity("game");
        int calls = 0;
        world.observer<Position>()
            .term_at(1)
            .src(game)
            .event(kith::OnSet)
            .each([&](kith::entity one, Position& p) {
                CHECK(!one);
                calls += p.x;
            });
        world.observer<Position>()
            .term_at(1)
            .src(game)
            .event(kith::OnSet)
            .iter([&](kith::iter& it) {
                CHECK(it.count() == 0);
                CHECK(it.src(1) == game);
                calls += it.field<const Position>(1)->x;
            });
        game.set(Position{3, 0});
        e.set(Position{100, 0});
        CHECK(calls == 6);
    }

    TEST_CASE_FIXTURE(fixture, "singletons are told when they are set") {
        world.observer<Position>().term_at(1).singleton().event(kith::OnSet).each([&](Position& p) {
            log += std::to_string(p.x);
        });
        world.set(Position{4, 0});
        e.set(Position{5, 0});
        CHECK(taken() == "4");
    }

    TEST_CASE_FIXTURE(fixture, "variables are bound by what came") {
        world.observer()
            .event(kith::OnAdd)
            .with<Hot>()
            .with<Likes>("$food")
            .with<Cold>()
            .src("$food")
            .each([&](kith::iter& it, std::size_t row) {
                log += name_of(it.entity(row)) + " " + name_of(it.get_var("food")) + "; ";
            });
        kith::entity f = world.entity("f").add<Hot>().add<Likes>(apple).add<Likes>(pear);
        e.add<Likes>(apple);
        CHECK(taken() == "");
        apple.add<Cold>();
        CHECK(taken() == "f apple; ");
        e.add<Hot>();
        CHECK(taken() == "e apple; ");
        pear.add<Cold>();
        CHECK(taken() == "f pear; ");
        e.add<Likes>(pear);
        CHECK(taken() == "e pear; ");
        f.remove<Hot>().add<Hot>();
        CHECK(taken() == "f apple; f pear; ");
    }

    TEST_CASE_FIXTURE(fixture, "scopes are part of what must match") {
        build()
            .with<Hot>()
            .none([](auto& q) { q.template with<Cold>().template with<Position>(); })
            .each(note());
        e.add<Cold>().add<Position>().add<Hot>();
        CHECK(taken() == "");
        e.remove<Hot>();
        e.remove<Cold>().add<Hot>();
        CHECK(taken() == "OnAdd Hot e; ");
    }

    TEST_CASE_FIXTURE(fixture, "sparse ids and links are told as others") {
        world.component<Eats>().add(kith::Sparse);
        build().with<Hot>().with<Eats>(apple).each(note());
        e.add<Hot>();
        e.set<Eats>(apple, {3});
        CHECK(taken() == "OnAdd (Eats,apple) e; ");
        e.remove<Eats>(apple);
        CHECK(taken() == "OnRemove (Eats,apple) e; ");
        world.component<Position>().add(kith::Sparse);
        build().with<Hot>().with<Position>().each(note());
        world.observer<Position>()
            .with<Hot>()
            .event(kith::OnSet)
            .each([&](kith::entity, Position& p) { log += std::to_string(p.x) + "; "; });
        e.set(Position{1, 0});
        CHECK(taken() == "OnAdd Position e; 1; ");
        e.destruct();
        CHECK(taken() == "OnRemove Hot e; ");
    }

    TEST_CASE_FIXTURE(fixture, "32 terms are told like two") {
        auto builder = build();
        std::vector<kith::entity> tags;
        for (int i = 0; i < 32; ++i) {
            tags.push_back(world.entity());
            builder.with(tags.back());
        }
        int calls = 0;
        builder.each([&] { ++calls; });
        for (kith::entity tag : tags) {
            CHECK(calls == 0);
            e.add(tag);
        }
        CHECK(calls == 1);
        e.clear();
        CHECK(calls == 2);
    }

    TEST_CASE_FIXTURE(fixture,
                      "a pair of a transitive relationship is told when the closure holds") {
        kith::entity in = world.entity("in").add(kith::Transitive);
        kith::entity earth = world.entity("earth");
        kith::entity town = world.entity("town").add(in, earth);
        world.observer().event(kith::OnAdd).with(in, earth).each(note());
        e.add(in, town);
        CHECK(taken() == "OnAdd (in,town) e; ");
        e.add(in, apple);
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "a tag is told when one that is derived from it comes") {
        kith::entity unit = world.entity("unit");
        kith::entity knight = world.entity("knight").is_a(unit);
        build().with(unit).each(note());
        e.add(knight);
        CHECK(taken() == "OnAdd knight e; ");
        e.remove(knight);
        CHECK(taken() == "OnRemove knight e; ");
        e.add<Hot>();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "a tag is told of what is derived from it later") {
        kith::entity unit = world.entity("unit");
        build().with(unit).each(note());
        kith::entity knight = world.entity("knight").is_a(unit);
        e.add(knight);
        CHECK(taken() == "OnAdd knight e; ");
        e.add(unit);
        CHECK(taken() == "OnAdd unit e; ");
        e.remove(knight);
        CHECK(taken() == "OnRemove knight e; ");
        e.add<Hot>();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "a pair is told of what is derived from its elements later") {
        kith::entity eats = world.entity("eats");
        kith::entity fruit = world.entity("fruit");
        build().with(eats, fruit).each(note());
        pear.is_a(fruit);
        e.add(eats, pear);
        CHECK(taken() == "OnAdd (eats,pear) e; ");
        kith::entity bites = world.entity("bites").is_a(eats);
        e.add(bites, pear);
        CHECK(taken() == "OnAdd (bites,pear) e; ");
        e.add(eats, fruit);
        CHECK(taken() == "OnAdd (eats,fruit) e; ");
        e.add(pear, eats);
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(fixture, "what must not be there may be derived later") {
        kith::entity unit = world.entity("unit");
        build().with<Hot>().without(unit).each(note());
        kith::entity knight = world.entity("knight").is_a(unit);
        e.add<Hot>();
        taken();
        e.add(knight);
        CHECK(taken() == "OnRemove knight e; ");
        e.remove(knight);
        CHECK(taken() == "OnAdd knight e; ");
    }

    TEST_CASE_FIXTURE(fixture, "terms that are seen through others are told of once, too") {
        kith::entity base = world.prefab("base").add<Hot>();
        build().with<Hot>().with<Cold>().each(note());
        kith::entity one = world.entity("one").is_a(base).add<Cold>();
        CHECK(taken() == "OnAdd Cold one; ");
        one.clear();
        CHECK(count_taken() == 1);
        one.is_a(base).add<Cold>();
        taken();
        one.destruct();
        CHECK(count_taken() == 1);
        base.add<Cold>();
        kith::entity two = world.entity("two").is_a(base);
        CHECK(count_taken() == 1);
        two.remove(kith::IsA, base);
        CHECK(count_taken() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "a result for each target is told, though they come together") {
        kith::entity likes = world.entity("likes");
        build().with<Hot>().with(likes, kith::Wildcard).each(note());
        world.defer([&] { e.add<Hot>().add(likes, apple).add(likes, pear); });
        CHECK(count_taken() == 2);
        e.destruct();
        CHECK(count_taken() == 2);
    }
}
