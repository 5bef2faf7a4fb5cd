#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <unordered_set>

using namespace kith_test;
using kith::errc;

TEST_SUITE("features.entities.entity") {
    TEST_CASE("a default handle is null, false and safe to destroy") {
        kith::entity e;
        CHECK(!e);
        CHECK(e.id() == 0);
        CHECK(e == kith::entity::null());
        CHECK_FALSE(e.is_alive());
        CHECK_FALSE(e.is_valid());
        kith::entity_view view;
        CHECK(!view);
        kith::id id;
        CHECK(id == 0u);
    }

    TEST_CASE("handles compare and hash by id") {
        kith::world world;
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        CHECK(a == a);
        CHECK(a != b);
        CHECK(a < b);
        CHECK(a <= b);
        CHECK(b > a);
        CHECK(b >= a);
        CHECK(a == a.id());
        CHECK(a.id() == a);
        std::unordered_set<kith::entity> set{a, b, a};
        CHECK(set.size() == 2);
        std::unordered_set<kith::entity_view> views{a, b, a};
        CHECK(views.size() == 2);
        std::unordered_set<kith::id> ids{a, b, a};
        CHECK(ids.size() == 2);
    }

    TEST_CASE("a new entity is alive and has nothing") {
        kith::world world;
        kith::entity e = world.entity();
        CHECK(e.is_alive());
        CHECK(e.is_valid());
        CHECK(e.type().count() == 0);
        CHECK(e.name() == "");
        CHECK(world.exists(e));
    }

    TEST_CASE("a deleted entity is dead for every handle, also when its index lives again") {
        kith::world world;
        kith::entity old = world.entity();
        old.destruct();
        CHECK_FALSE(old.is_alive());
        kith::entity young = world.entity();
        CHECK(kith::index_of(young) == kith::index_of(old));
        CHECK(kith::generation_of(young) == kith::generation_of(old) + 1);
        CHECK_FALSE(old.is_alive());
        CHECK_FALSE(old.is_valid());
        CHECK(young.is_alive());
        CHECK(world.exists(old));
    }

    TEST_CASE("the index that was freed last is used first") {
        kith::world world;
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        kith::entity c = world.entity();
        b.destruct();
        a.destruct();
        c.destruct();
        CHECK(kith::index_of(world.entity()) == kith::index_of(c));
        CHECK(kith::index_of(world.entity()) == kith::index_of(a));
        CHECK(kith::index_of(world.entity()) == kith::index_of(b));
    }

    TEST_CASE("an index is retired when its generations are used up") {
        kith::world world;
        kith::entity first = world.entity();
        const std::uint32_t index = kith::index_of(first);
        kith::entity e = first;
        int lives = 1;
        while (lives < 70000) {
            e.destruct();
            e = world.entity();
            if (kith::index_of(e) != index) {
                break;
            }
            ++lives;
        }
        CHECK(lives >= 65535);
        CHECK(lives <= 65536);
        CHECK_FALSE(first.is_alive());
        CHECK_FALSE(world.get_alive(index));
        world.check();
    }

    TEST_CASE("wrapping an id checks nothing and creates nothing") {
        kith::world world;
        const std::string before = dump_world(world);
        CHECK(world.entity(kith::entity_t{0}).id() == 0);
        CHECK(world.entity(kith::entity_t{77777}).id() == 77777);
        CHECK(world.entity(kith::ChildOf).is_alive());
        CHECK(dump_world(world) == before);
    }

    TEST_CASE("an id that was never issued is valid but not alive") {
        kith::world world;
        CHECK(world.is_valid(500000));
        CHECK_FALSE(world.is_alive(500000));
        CHECK_FALSE(world.exists(500000));
        CHECK_FALSE(world.is_valid(0));
        CHECK_FALSE(world.is_alive(0));
        CHECK_FALSE(world.is_valid(kith::make_entity_id(500000, 3)));
    }

    TEST_CASE("make_alive revives exactly the generation it is given") {
        kith::world world;
        const kith::entity_t id = kith::make_entity_id(9000, 5);
        kith::entity e = world.make_alive(id);
        CHECK(e.id() == id);
        CHECK(e.is_alive());
        CHECK_FALSE(world.is_alive(9000));
        CHECK(world.get_alive(9000) == id);
        CHECK(world.exists(9000));
        e.set(Position{1, 2});
        CHECK(e.get<Position>()->y == 2);
        world.check();
    }

    TEST_CASE("make_alive of what is alive changes nothing") {
        kith::world world;
        kith::entity e = world.entity().set(Position{1, 2});
        CHECK(world.make_alive(e) == e);
        CHECK(e.get<Position>()->x == 1);
    }

    TEST_CASE("make_alive of another generation of a live index is an error") {
        kith::world world;
        kith::entity e = world.entity();
        const kith::entity_t other = kith::make_entity_id(kith::index_of(e), 9);
        CHECK(refusal(world, [&] { world.make_alive(other); }).has_value());
        CHECK(e.is_alive());
    }

    TEST_CASE("make_alive takes an index out of the free ones") {
        kith::world world;
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        a.destruct();
        b.destruct();
        world.make_alive(a.id());
        CHECK(a.is_alive());
        kith::entity c = world.entity();
        CHECK(kith::index_of(c) == kith::index_of(b));
        kith::entity d = world.entity();
        CHECK(kith::index_of(d) != kith::index_of(a));
        CHECK(kith::index_of(d) != kith::index_of(b));
        world.check();
    }

    TEST_CASE("make_alive of an index ahead is not issued again") {
        kith::world world;
        kith::entity probe = world.entity();
        const kith::entity_t ahead = kith::index_of(probe) + 3;
        world.make_alive(ahead);
        for (int i = 0; i < 10; ++i) {
            CHECK(kith::index_of(world.entity()) != ahead);
        }
        world.check();
    }

    TEST_CASE("make_alive of null and of pairs is an error") {
        kith::world world;
        CHECK(refusal(world, [&] { world.make_alive(0); }).has_value());
        CHECK(refusal(world, [&] { world.make_alive(kith::make_pair(300, 301)); }).has_value());
    }

    TEST_CASE("get_alive finds the live generation of an index, or null") {
        kith::world world;
        kith::entity e = world.entity();
        const kith::entity_t index = kith::index_of(e);
        e.destruct();
        CHECK_FALSE(world.get_alive(index));
        kith::entity next = world.entity();
        CHECK(world.get_alive(index) == next);
        CHECK_FALSE(world.get_alive(0));
        CHECK_FALSE(world.get_alive(123456789));
    }

    TEST_CASE("new ids come from the range, and limits can be lifted") {
        kith::world world;
        kith::entity before = world.entity();
        world.set_entity_range(10000, 10003);
        CHECK(kith::index_of(world.entity()) == 10000);
        CHECK(kith::index_of(world.entity()) == 10001);
        CHECK(kith::index_of(world.entity()) == 10002);
        CHECK(refusal(world, [&] { world.entity(); }) == errc::limit);
        world.set_entity_range(0, 0);
        CHECK(world.entity().is_alive());
        CHECK(before.is_alive());
        world.check();
    }

    TEST_CASE("freed indices outside of the range are not used while it is set") {
        kith::world world;
        kith::entity outside = world.entity();
        world.set_entity_range(20000, 30000);
        outside.destruct();
        CHECK(kith::index_of(world.entity()) >= 20000);
        CHECK(kith::index_of(world.entity()) >= 20000);
        world.set_entity_range(0, 0);
        CHECK(kith::index_of(world.entity()) == kith::index_of(outside));
        world.check();
    }

    TEST_CASE("with range checks, changing an entity outside of the range is an error") {
        kith::world world;
        world.component<Position>();
        kith::entity outside = world.entity();
        world.set_entity_range(20000, 30000);
        kith::entity inside = world.entity();
        world.enable_range_check(true);
        CHECK_NOTHROW(inside.add<Position>());
        CHECK(refusal(world, [&] { outside.add<Position>(); }).has_value());
        CHECK(refusal(world, [&] { outside.destruct(); }).has_value());
        world.enable_range_check(false);
        CHECK_NOTHROW(outside.add<Position>());
    }

    // spec 4
    TEST_CASE("a tag is had or not, and holds no data") {
        kith::world world;
        kith::entity tag = world.entity();
        kith::entity e = world.entity().add(tag);
        CHECK(e.has(tag));
        CHECK(error_of([&] { e.get(tag.id()); }) == errc::wrong_type);
        CHECK(e.table().get(tag.id()) == nullptr);
        e.remove(tag);
        CHECK_FALSE(e.has(tag));
    }

    // spec 13
    TEST_CASE("an empty type is a tag") {
        kith::world world;
        kith::entity e = world.entity().add<Hot>();
        CHECK(e.has<Hot>());
        CHECK(world.component<Hot>().get<kith::Component>()->size == 0);
        CHECK(e.table().get<Hot>() == nullptr);
    }

    // spec 1
    TEST_CASE("components, tags, plain entities and pairs are added, had and removed alike") {
        kith::world world;
        kith::entity apple = world.entity();
        const kith::id_t ids[] = {world.id<Position>(), world.id<Hot>(), apple.id(),
                                  world.pair<Eats>(apple), world.pair<Likes>(apple)};
        kith::entity e = world.entity();
        for (kith::id_t id : ids) {
            CHECK_FALSE(e.has(id));
            e.add(id);
            CHECK(e.has(id));
            CHECK(e.owns(id));
        }
        CHECK(e.type().count() == 5);
        for (kith::id_t id : ids) {
            e.remove(id);
            CHECK_FALSE(e.has(id));
        }
        CHECK(e.type().count() == 0);
        world.check();
    }

    TEST_CASE("adding twice is no change") {
        kith::world world;
        kith::entity e = world.entity().add<Hot>().set(Position{3, 4});
        e.add<Hot>().add<Position>();
        CHECK(e.type().count() == 2);
        CHECK(e.get<Position>()->x == 3);
    }

    TEST_CASE("removing what is absent is no error") {
        kith::world world;
        kith::entity e = world.entity();
        CHECK_NOTHROW(e.remove<Position>());
        CHECK_NOTHROW(e.remove<Likes>(e));
        CHECK_NOTHROW(e.remove(e));
        CHECK_NOTHROW(e.remove<Color>());
    }

    TEST_CASE("add default-constructs the value") {
        kith::world world;
        kith::entity e = world.entity().add<Wide>().add<Velocity>();
        CHECK(e.get<Wide>()->number == 7);
        CHECK(e.get<Velocity>()->x == 0);
        CHECK(e.get<Velocity>()->y == 0);
    }

    TEST_CASE("a value outlives additions and removals of other components") {
        kith::world world;
        kith::entity e = world.entity().set(Label{"a text that is too long for small strings"});
        e.add<Position>().add<Hot>().set(Velocity{1, 2}).add<Wide>();
        e.remove<Position>().remove<Hot>();
        CHECK(e.get<Label>()->text == "a text that is too long for small strings");
        CHECK(e.get<Velocity>()->y == 2);
    }

    TEST_CASE("set adds what is missing and assigns what is there") {
        kith::world world;
        kith::entity e = world.entity();
        e.set(Position{1, 2});
        CHECK(e.get<Position>()->x == 1);
        const void* address = e.get<Position>();
        e.set(Position{3, 4});
        CHECK(e.get<Position>()->x == 3);
        CHECK(e.get<Position>() == address);
    }

    TEST_CASE("get of what is missing is null") {
        kith::world world;
        kith::entity e = world.entity();
        CHECK(e.get<Position>() == nullptr);
        CHECK(e.get<Eats>(e) == nullptr);
        CHECK(e.get<Color>() == nullptr);
        CHECK(e.get(world.id<Position>().raw_id()) == nullptr);
    }

    TEST_CASE("emplace constructs in place, and refuses what is there") {
        kith::world world;
        register_all(world);
        kith::entity e = world.entity();
        e.emplace<Needy>(5);
        CHECK(e.get<Needy>()->number() == 5);
        CHECK(refusal(world, all_values(), [&] { e.emplace<Needy>(6); }) == errc::already_exists);
        e.emplace<Position>(1, 2);
        CHECK(e.get<Position>()->y == 2);
    }

    TEST_CASE("emplace works for pairs of all forms") {
        kith::world world;
        kith::entity apple = world.entity();
        kith::entity e = world.entity();
        e.emplace_first<Eats>(apple, 3);
        CHECK(e.get<Eats>(apple)->amount == 3);
        kith::entity likes = world.entity();
        e.emplace_second<Position>(likes, 4, 5);
        CHECK(e.get_second<Position>(likes)->x == 4);
        e.emplace<Likes, Position>(6, 7);
        CHECK(e.get<Likes, Position>()->y == 7);
    }

    // spec 41
    TEST_CASE("get_mut gives the entity's own value, which it adds if missing") {
        kith::world world;
        kith::entity e = world.entity();
        Position* p = e.get_mut<Position>();
        REQUIRE(p);
        CHECK(e.has<Position>());
        p->x = 10;
        CHECK(e.get<Position>()->x == 10);
        CHECK(e.get_mut<Position>() == p);
        e.ensure<Position>().y = 11;
        CHECK(e.get<Position>()->y == 11);
    }

    // spec 41
    TEST_CASE("modified tells the set hook, get_mut does not") {
        kith::world world;
        int calls = 0;
        world.component<Position>().on_set([&](Position&) { ++calls; });
        kith::entity e = world.entity();
        e.get_mut<Position>()->x = 1;
        CHECK(calls == 0);
        e.modified<Position>();
        CHECK(calls == 1);
    }

    TEST_CASE("set with a callback adds all, calls once and tells of each once") {
        kith::world world;
        int sets = 0;
        world.component<Position>().on_set([&](Position&) { ++sets; });
        world.component<Velocity>().on_set([&](Velocity&) { ++sets; });
        kith::entity e = world.entity();
        int calls = 0;
        e.set([&](Position& p, Velocity& v) {
            ++calls;
            p = {1, 2};
            v = {3, 4};
        });
        CHECK(calls == 1);
        CHECK(sets == 2);
        CHECK(e.get<Position>()->y == 2);
        CHECK(e.get<Velocity>()->x == 3);
    }

    TEST_CASE("get with a callback calls only if all are there, and says so") {
        kith::world world;
        kith::entity e = world.entity().set(Position{1, 2});
        int calls = 0;
        CHECK_FALSE(e.get([&](const Position&, const Velocity&) { ++calls; }));
        CHECK(calls == 0);
        e.set(Velocity{3, 4});
        CHECK(e.get([&](const Position& p, const Velocity& v) {
            ++calls;
            CHECK(p.x == 1);
            CHECK(v.y == 4);
        }));
        CHECK(calls == 1);
        CHECK(e.get([&](Position& p) { p.x = 9; }));
        CHECK(e.get<Position>()->x == 9);
    }

    TEST_CASE("get with a callback locks the table") {
        kith::world world;
        register_all(world);
        kith::entity e = world.entity().set(Position{1, 2});
        e.get([&](const Position&) {
            CHECK(refusal(world, all_values(), [&] { e.add<Hot>(); }) == errc::locked);
        });
        CHECK_NOTHROW(e.add<Hot>());
    }

    TEST_CASE("nested reading of a table is fine, nested writing is an error") {
        kith::world world;
        kith::entity a = world.entity().set(Position{1, 2});
        kith::entity b = world.entity().set(Position{3, 4});
        int reads = 0;
        a.get([&](const Position&) { b.get([&](const Position&) { ++reads; }); });
        CHECK(reads == 1);
        CHECK(error_of([&] { a.get([&](Position&) { b.get([](Position&) {}); }); }) ==
              errc::locked);
        CHECK_NOTHROW(a.add<Hot>());
    }

    TEST_CASE("clear removes everything and keeps the entity") {
        kith::world world;
        kith::entity parent = world.entity("parent");
        kith::entity e = world.entity("e").child_of(parent).set(Label{"x"}).add<Likes>(parent);
        e.clear();
        CHECK(e.is_alive());
        CHECK(e.type().count() == 0);
        CHECK_FALSE(world.lookup("parent::e"));
        world.check();
    }

    TEST_CASE("add_if adds when the condition holds and removes when it does not") {
        kith::world world;
        kith::entity target = world.entity();
        kith::entity other = world.entity();
        kith::entity e = world.entity();
        e.add_if<Hot>(true);
        CHECK(e.has<Hot>());
        e.add_if<Hot>(false);
        CHECK_FALSE(e.has<Hot>());
        e.add_if<Likes>(true, target).add_if<Likes>(true, other);
        e.add_if<Likes>(false, target);
        CHECK_FALSE(e.has<Likes>(target));
        CHECK(e.has<Likes>(other));
        e.add_if<Likes>(false, kith::entity_t{0});
        CHECK_FALSE(e.has<Likes>(other));
        e.add_if(true, Color::Red);
        CHECK(e.has(Color::Red));
        e.add_if(false, Color::Blue);
        CHECK_FALSE(e.has<Color>());
    }

    TEST_CASE("add_if false of an exclusive relationship removes whatever target is there") {
        kith::world world;
        kith::entity rel = world.entity().add(kith::Exclusive);
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        kith::entity e = world.entity().add(rel, a);
        e.add_if(false, rel, b);
        CHECK_FALSE(e.has(rel, kith::Wildcard));
    }

    TEST_CASE("each visits every id, every target, or what a pattern matches") {
        kith::world world;
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        kith::entity e = world.entity().add<Hot>().add<Likes>(a).add<Likes>(b).add<Eats>(a);
        int all = 0;
        e.each([&](kith::id) { ++all; });
        CHECK(all == 4);
        std::vector<kith::entity> liked;
        e.each<Likes>([&](kith::entity target) { liked.push_back(target); });
        CHECK(liked == std::vector<kith::entity>{a, b});
        int of_a = 0;
        e.each(kith::Wildcard, a, [&](kith::id id) {
            ++of_a;
            CHECK(id.second() == a);
        });
        CHECK(of_a == 2);
        int plain = 0;
        e.match(kith::Wildcard, [&](kith::id id) {
            ++plain;
            CHECK_FALSE(id.is_pair());
        });
        CHECK(plain == 1);
    }

    TEST_CASE("type lists all ids in one order whatever the order of addition") {
        kith::world world;
        kith::entity a = world.entity().add<Hot>().add<Position>().add<Likes>(world.entity(256));
        kith::entity b = world.entity().add<Likes>(world.entity(256)).add<Position>().add<Hot>();
        CHECK(a.type().str() == b.type().str());
        CHECK(a.table() == b.table());
        CHECK(error_of([&] { a.type().get(3); }).has_value());
        CHECK(error_of([&] { a.type().get(-1); }).has_value());
    }

    TEST_CASE("the rows of a table keep the order of insertion") {
        kith::world world;
        std::vector<kith::entity> made;
        for (int i = 0; i < 50; ++i) {
            made.push_back(world.entity().set(Position{i, 0}));
        }
        int row = 0;
        world.each([&](kith::entity e, Position& p) {
            CHECK(e == made[static_cast<std::size_t>(row)]);
            CHECK(p.x == row);
            ++row;
        });
        CHECK(row == 50);
    }

    TEST_CASE("a table's range covers the entity's row") {
        kith::world world;
        world.entity().set(Position{1, 1});
        kith::entity e = world.entity().set(Position{2, 2});
        kith::table_range range = e.range();
        CHECK(range.count() == 1);
        CHECK(range.offset() == 1);
        CHECK(range.get<Position>()->x == 2);
        CHECK(e.table().count() == 2);
        CHECK(e.table().get<Position>()[1].x == 2);
        CHECK(e.table().has<Position>());
        CHECK(e.table().search(world.id<Velocity>()) == -1);
    }

    TEST_CASE("set_ptr copies a value into a component known by its id") {
        kith::world world;
        register_all(world);
        const Position value{5, 6};
        kith::entity e = world.entity();
        e.set_ptr(world.component<Position>(), &value);
        CHECK(e.get<Position>()->y == 6);
        CHECK(refusal(world, all_values(), [&] {
                  e.set_ptr(world.component<Position>(), 3, &value);
              }).has_value());
        CHECK(refusal(world, all_values(), [&] {
                  e.set_ptr(world.component<Hot>(), 8, &value);
              }).has_value());
    }

    TEST_CASE("mut and view are the same entity") {
        kith::world world;
        kith::entity e = world.entity();
        kith::entity_view view = e.view();
        view.mut(world).add<Hot>();
        CHECK(e.has<Hot>());
        view.mut(e).remove<Hot>();
        CHECK_FALSE(view.has<Hot>());
        CHECK(e.world().c_ptr() == world.c_ptr());
    }

    TEST_CASE("an entity with hundreds of ids works like any other") {
        kith::world world;
        std::vector<kith::entity> tags;
        for (int i = 0; i < 600; ++i) {
            tags.push_back(world.entity());
        }
        kith::entity e = world.entity().set(Position{1, 2});
        for (kith::entity tag : tags) {
            e.add(tag);
            e.add<Likes>(tag);
        }
        CHECK(e.type().count() == 1201);
        for (kith::entity tag : tags) {
            CHECK(e.has(tag));
            CHECK(e.has<Likes>(tag));
            CHECK_FALSE(e.has<Eats>(tag));
        }
        CHECK(e.has<Position>());
        CHECK(e.get<Position>()->y == 2);
        CHECK(e.target<Likes>(599) == tags[599]);
        world.check();
        for (kith::entity tag : tags) {
            e.remove(tag);
        }
        CHECK(e.type().count() == 601);
        e.remove<Likes>(kith::Wildcard);
        CHECK(e.type().count() == 1);
        CHECK(e.get<Position>()->y == 2);
        world.check();
    }
}
