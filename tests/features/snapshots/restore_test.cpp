#include <kith/kith.hpp>
#include <kith/reflect.hpp>
#include <kith/snapshot.hpp>
#include <kith/value.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Shield {
    int strength = 0;
};

// A world with a bit of everything.
struct filled_world {
    filled_world() {
        register_all(world);
        world.component<Shield>().add(kith::Sparse);
        likes = world.entity("likes");
        owes = world.entity("owes").add(kith::Sparse);
        sun = world.entity("sun").set(Position{1, 2});
        earth = world.entity("earth").child_of(sun).set(Position{3, 4}).set(Label{"blue"});
        moon = world.entity("moon").child_of(earth).add(likes, earth).set(Shield{7});
        moon.add(owes, sun).set<Eats>(sun, Eats{5});
        earth.add(Color::Green).disable<Position>();
        world.entity().destruct();
    }
    std::string dump() const { return dump_world(world, all_values()); }

    kith::world world;
    kith::entity likes;
    kith::entity owes;
    kith::entity sun;
    kith::entity earth;
    kith::entity moon;
};

}  // namespace

TEST_SUITE("features.snapshots.restore") {
    // spec 563
    TEST_CASE_FIXTURE(filled_world, "a restored world is the world that was captured") {
        const std::string before = dump();
        const kith::snapshot taken = world.snapshot().take();
        CHECK(dump() == before);
        earth.set(Position{9, 9}).set(Label{"red"}).remove<Color>();
        moon.remove(likes, earth).set(Shield{8}).child_of(sun);
        sun.set_name("star");
        world.entity("comet").add<Hot>();
        owes.destruct();
        CHECK(dump() != before);
        taken.restore();
        CHECK(dump() == before);
        CHECK_NOTHROW(world.check());
        CHECK(world.lookup("sun::earth::moon") == moon);
        CHECK(moon.get<Shield>()->strength == 7);
        CHECK_FALSE(earth.enabled<Position>());
    }

    // spec 563
    TEST_CASE_FIXTURE(filled_world, "a snapshot can be restored any number of times") {
        const kith::snapshot first = world.snapshot().take();
        const std::string first_dump = dump();
        earth.destruct();
        world.entity("venus").child_of(sun);
        const kith::snapshot second = world.snapshot().take();
        const std::string second_dump = dump();
        world.entity("mars").set(Velocity{1, 1});
        for (int i = 0; i < 3; ++i) {
            first.restore();
            CHECK(dump() == first_dump);
            CHECK_NOTHROW(world.check());
            second.restore();
            CHECK(dump() == second_dump);
            CHECK_NOTHROW(world.check());
        }
    }

    // spec 563
    TEST_CASE_FIXTURE(filled_world, "new entities after a restore have the ids that they had") {
        world.entity().destruct();
        const kith::snapshot taken = world.snapshot().take();
        std::vector<kith::entity_t> ids;
        for (int i = 0; i < 5; ++i) {
            ids.push_back(world.entity());
        }
        moon.destruct();
        const kith::entity_t reused = world.entity();
        taken.restore();
        for (kith::entity_t id : ids) {
            CHECK(world.entity() == id);
        }
        moon.destruct();
        CHECK(world.entity() == reused);
    }

    // spec 563
    TEST_CASE_FIXTURE(filled_world, "rows are visited in the order of the capture") {
        std::vector<kith::entity> many;
        for (int i = 0; i < 20; ++i) {
            many.push_back(world.entity().set(Velocity{i, 0}));
            if (i % 3 == 0) {
                many.back().add<Hot>();
            }
        }
        auto visited = [&] {
            std::string order;
            world.each([&](kith::entity e, const Velocity&) {
                order += std::to_string(kith::index_of(e)) + " ";
            });
            return order;
        };
        const std::string order = visited();
        const kith::snapshot taken = world.snapshot().take();
        many[3].destruct();
        many[5].add<Cold>();
        many[8].remove<Velocity>();
        many[9].remove<Hot>();
        CHECK(visited() != order);
        taken.restore();
        CHECK(visited() == order);
    }

    // spec 563
    TEST_CASE_FIXTURE(filled_world, "queries find what the restored world has") {
        auto cached = world.query_builder<const Position>().cached().build();
        auto above = world.query_builder<const Position>().term_at(1).up().build();
        auto count = [](auto& query) {
            int found = 0;
            query.each([&](kith::entity, const Position&) { ++found; });
            return found;
        };
        const int cached_before = count(cached);
        const int above_before = count(above);
        const kith::snapshot taken = world.snapshot().take();
        world.entity().set(Position{5, 5}).add<Hot>().add<Cold>();
        world.entity().child_of(moon);
        moon.remove(kith::ChildOf, earth);
        taken.restore();
        CHECK(count(cached) == cached_before);
        CHECK(count(above) == above_before);
        world.entity().set(Position{5, 5}).add<Cold>();
        CHECK(count(cached) == cached_before + 1);
    }

    // spec 563
    TEST_CASE_FIXTURE(filled_world, "references find their values again") {
        kith::ref<Position> position = sun.get_ref<Position>();
        CHECK(position->x == 1);
        const kith::snapshot taken = world.snapshot().take();
        sun.set(Position{8, 8}).add<Hot>();
        CHECK(position->x == 8);
        taken.restore();
        CHECK(position->x == 1);
    }

    // spec 563
    TEST_CASE_FIXTURE(filled_world, "types that were used first after the capture stay known") {
        struct Late {
            int number;
        };
        const kith::snapshot taken = world.snapshot().take();
        int added = 0;
        world.component<Late>().on_add([&](Late&) { ++added; });
        sun.set(Late{3});
        taken.restore();
        CHECK_FALSE(sun.has<Late>());
        CHECK(world.component<Late>().is_alive());
        sun.set(Late{4});
        CHECK(added == 2);
        CHECK_NOTHROW(world.check());
    }

    // spec 563
    // spec 563
    TEST_CASE_FIXTURE(filled_world, "a type keeps the name under which the program knows it") {
        struct Fancy {
            int x;
        };
        struct Inner {
            int x;
        };
        kith::entity engine = world.entity("engine");
        kith::snapshot before = world.snapshot().take();
        world.component<Fancy>("Luxury");
        engine.scope([&] { world.component<Inner>("Part"); });
        before.restore();
        CHECK(world.component<Fancy>("Luxury").path() == "::Luxury");
        CHECK(world.lookup("engine.Part") == world.component<Inner>());
    }

    // spec 563
    TEST_CASE("types of run time are declared again after a return to a world without types") {
        kith::world world;
        kith::snapshot empty = world.snapshot().take();
        auto declare = [&] { world.component("Item").member<float>("weight"); };
        declare();
        kith::snapshot typed = world.snapshot().take();
        empty.restore();
        CHECK_FALSE(world.lookup("Item"));
        declare();
        CHECK(world.lookup("Item"));
        empty.restore();
        typed.restore();
        const kith::entity item = world.lookup("Item");
        const kith::entity rock = world.entity("rock").add(item);
        kith::set_path(rock, "Item.weight", 2.5F);
        CHECK(kith::value_of(rock, item).str() == "{weight: 2.5}");
    }

    TEST_CASE("components that were defined at run time come back") {
        kith::world world;
        kith::entity weight = world.entity("Weight");
        weight.set<kith::Component>({4, 4});
        kith::entity stone = world.entity("stone");
        const int heavy = 7;
        stone.set_ptr(weight, sizeof(heavy), &heavy);
        const kith::snapshot taken = world.snapshot().take();
        stone.remove(weight);
        weight.destruct();
        world.entity("other").set<kith::Component>({8, 8});
        taken.restore();
        CHECK(weight.is_alive());
        CHECK(*static_cast<const int*>(stone.get(weight)) == 7);
        CHECK_FALSE(world.lookup("other"));
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(filled_world, "prefabs and their instances are restored") {
        kith::entity ship = world.prefab("ship").set(Position{4, 4});
        world.prefab("engine").child_of(ship).set(Velocity{1, 1});
        kith::entity mine = world.entity("mine").is_a(ship);
        const std::string before = dump();
        const kith::snapshot taken = world.snapshot().take();
        mine.set(Position{1, 1});
        ship.destruct();
        taken.restore();
        CHECK(dump() == before);
        CHECK(mine.get<Position>()->x == 4);
        kith::entity other = world.entity().is_a(ship);
        CHECK(other.lookup("engine").get<Velocity>()->x == 1);
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(filled_world, "values that cannot be copied are refused by name") {
        sun.set(Owner{std::make_unique<int>(3)});
        CHECK(error_of([&] { world.snapshot().take(); }) == kith::errc::not_copyable);
        const std::string message = message_of([&] { world.snapshot().take(); });
        CHECK(message.find("Owner") != std::string::npos);
        CHECK(message.find("sun") != std::string::npos);
        kith::snapshot held = world.snapshot();
        CHECK_THROWS_AS(held.take(), kith::error);
        CHECK(held.empty());
        sun.remove<Owner>();
        CHECK_NOTHROW(held.take());
        sun.set(Owner{std::make_unique<int>(3)});
        held.restore();
        CHECK_FALSE(sun.has<Owner>());
    }

    TEST_CASE_FIXTURE(filled_world, "a snapshot is taken and restored between operations only") {
        kith::snapshot taken = world.snapshot().take();
        auto refused = [&](auto&& call) { CHECK(error_of(call) == kith::errc::invalid_operation); };
        world.defer([&] {
            refused([&] { world.snapshot().take(); });
            refused([&] { taken.restore(); });
        });
        world.each([&](const Position&) {
            refused([&] { world.snapshot().take(); });
            refused([&] { taken.restore(); });
        });
        world.observer<Hot>().event(kith::OnAdd).each([&](kith::entity, Hot) {
            refused([&] { taken.restore(); });
        });
        sun.add<Hot>();
        refused([&] { world.snapshot().restore(); });
        std::optional<kith::world> other(std::in_place);
        kith::snapshot of_ended = other->snapshot().take();
        other.reset();
        refused([&] { of_ended.restore(); });
        refused([&] { of_ended.take(); });
    }

    TEST_CASE_FIXTURE(filled_world, "hooks and observers are not called by a restore") {
        int calls = 0;
        world.component<Position>()
            .on_add([&](Position&) { ++calls; })
            .on_set([&](Position&) { ++calls; })
            .on_remove([&](Position&) { ++calls; });
        world.observer<Position>()
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .event(kith::OnSet)
            .each([&](kith::entity, Position&) { ++calls; });
        const kith::snapshot taken = world.snapshot().take();
        sun.set(Position{8, 8});
        world.entity().set(Position{5, 5});
        earth.destruct();
        calls = 0;
        taken.restore();
        CHECK(calls == 0);
        sun.set(Position{1, 1});
        CHECK(calls == 2);
    }

    TEST_CASE_FIXTURE(filled_world, "monitors report what differs, once") {
        std::string log;
        auto query = world.query<const Position>();
        auto entered = query.on_enter([&](kith::iter& it) {
            for (auto i : it) {
                log += "+" + std::string(it.entity(i).name().c_str());
            }
        });
        auto left = query.on_leave([&](kith::iter& it) {
            for (auto i : it) {
                log += "-" + std::to_string(kith::index_of(it.entity(i)));
            }
        });
        const kith::snapshot taken = world.snapshot().take();
        sun.remove<Position>();
        kith::entity added = world.entity().set(Position{1, 1});
        log.clear();
        taken.restore();
        CHECK(log == "+sun-" + std::to_string(kith::index_of(added)));
        log.clear();
        taken.restore();
        CHECK(log == "");
        sun.remove<Position>();
        CHECK(log == "-" + std::to_string(kith::index_of(sun)));
    }

    TEST_CASE_FIXTURE(filled_world, "observers that were made since the capture end") {
        int calls = 0;
        const kith::snapshot taken = world.snapshot().take();
        world.observer<Hot>().event(kith::OnAdd).each([&](kith::entity, Hot) { ++calls; });
        sun.add<Hot>();
        CHECK(calls == 1);
        taken.restore();
        sun.add<Hot>();
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(filled_world, "an enum that was used first after the capture works again") {
        enum class Late { One, Two };
        const kith::snapshot taken = world.snapshot().take();
        sun.add(Late::Two);
        taken.restore();
        CHECK_FALSE(sun.has(Late::Two));
        sun.add(Late::One);
        CHECK(sun.has(Late::One));
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(filled_world, "a snapshot opens as a world of its own") {
        kith::snapshot taken = world.snapshot().take();
        const std::string before = dump();
        earth.destruct();
        kith::world opened = taken.open();
        CHECK(dump_world(opened, all_values()) == before);
        CHECK_NOTHROW(opened.check());
        CHECK(opened.entity(moon).get<Shield>()->strength == 7);
        opened.entity("new").set(Position{1, 1});
        CHECK_FALSE(world.lookup("new"));
        CHECK(error_of([&] { taken.restore_into(world); }) == kith::errc::in_use);
    }

    TEST_CASE_FIXTURE(filled_world,
                      "snapshots have the hash of their world, and are compared by it") {
        const kith::snapshot first = world.snapshot().take();
        CHECK(first.hash() == world.hash());
        const kith::snapshot same = world.snapshot().take();
        CHECK((first == same));
        world.entity("other");
        const kith::snapshot later = world.snapshot().take();
        CHECK_FALSE((first == later));
        CHECK(first.hash() != later.hash());
        first.restore();
        CHECK((world.snapshot().take() == first));
        CHECK_FALSE((world.snapshot() == first));
    }

    // spec 563
    TEST_CASE("a snapshot may outlive its world") {
        std::optional<filled_world> source(std::in_place);
        const std::string before = source->dump();
        kith::snapshot taken = source->world.snapshot().take();
        source.reset();
        kith::world opened = taken.open();
        CHECK(dump_world(opened, all_values()) == before);
    }

    TEST_CASE_FIXTURE(filled_world, "copies of a handle share what was captured") {
        kith::snapshot taken = world.snapshot().take();
        const kith::snapshot kept = taken;
        sun.set(Position{8, 8});
        taken.take();
        sun.set(Position{9, 9});
        taken.restore();
        CHECK(sun.get<Position>()->x == 8);
        kept.restore();
        CHECK(sun.get<Position>()->x == 1);
        CHECK(kept.bytes() > 0);
    }

    // spec 563
    TEST_CASE("names return to their places if parents were ids of tables at the capture") {
        const kith::world world;
        kith::entity parents(world, kith::ChildOf);
        parents.remove(kith::Sparse);
        const kith::entity parent = world.entity("parent");
        kith::entity child = world.entity("child");
        const kith::snapshot taken = world.snapshot().take();
        parents.add(kith::Sparse);
        child.child_of(parent);
        taken.restore();
        world.check();
        CHECK(world.lookup("child") == child);
        CHECK_FALSE(world.lookup("parent::child"));
    }
}
