#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

void count_call(void* context) {
    ++*static_cast<int*>(context);
}

}  // namespace

TEST_SUITE("features.world.world") {
    TEST_CASE("worlds are independent") {
        kith::world a;
        kith::world b;
        kith::entity e = a.entity("e").set(Position{1, 2});
        CHECK_FALSE(b.lookup("e"));
        CHECK_FALSE(b.is_alive(e));
        CHECK(b.count<Position>() == 0);
    }

    TEST_CASE("a world moves, copies refer to it") {
        kith::world first;
        kith::entity e = first.entity();
        kith::world second(std::move(first));
        CHECK(second.is_alive(e));
        {
            kith::world copy(second);
            CHECK(copy.c_ptr() == second.c_ptr());
            kith::world wrapped(second.c_ptr());
            CHECK(wrapped.is_alive(e));
        }
        CHECK(second.is_alive(e));
        kith::world third;
        third = std::move(second);
        CHECK(third.is_alive(e));
    }

    TEST_CASE("reset ends all contents and starts anew") {
        balance_check<counted<0>> balance;
        kith::world world;
        kith::entity e = world.entity("e").set(counted<0>(1));
        world.reset();
        CHECK(counted<0>::counts.alive() == 0);
        CHECK_FALSE(world.is_alive(e));
        CHECK_FALSE(world.lookup("e"));
        CHECK(world.entity("e").set(Position{1, 2}).get<Position>()->x == 1);
        kith::world wrapped(world.c_ptr());
        CHECK(error_of([&] { wrapped.reset(); }) == errc::invalid_operation);
        world.check();
    }

    TEST_CASE("reset inside of what goes on with the world is an error that changes nothing") {
        kith::world world;
        kith::entity e = world.entity("e").set(Position{1, 2});
        std::vector<std::optional<errc>> errors;
        auto reset = [&] { errors.push_back(error_of([&] { world.reset(); })); };
        SUBCASE("an observer") {
            world.observer<Velocity>().event(kith::OnAdd).each([&](kith::entity, Velocity&) {
                reset();
            });
            e.add<Velocity>();
        }
        SUBCASE("an observer of what is there") {
            world.observer<Position>()
                .event(kith::OnAdd)
                .yield_existing()
                .each([&](kith::entity, Position&) { reset(); });
        }
        SUBCASE("a hook") {
            world.component<Velocity>().on_remove([&](Velocity&) { reset(); });
            e.add<Velocity>().remove<Velocity>();
        }
        SUBCASE("a hook of the end of the world") {
            kith::world ending;
            ending.component<Position>().on_remove(
                [&](Position&) { errors.push_back(error_of([&] { ending.reset(); })); });
            ending.entity().add<Position>();
        }
        SUBCASE("a monitor") {
            auto watch = world.query<Velocity>().monitor([&](kith::iter&) { reset(); });
            e.add<Velocity>();
        }
        SUBCASE("each") {
            world.each([&](Position&) { reset(); });
        }
        SUBCASE("a run of a query") {
            world.query<Position>().run([&](kith::iter& it) {
                static_cast<void>(it);
                reset();
            });
        }
        SUBCASE("a scope") {
            e.scope([&] { reset(); });
        }
        SUBCASE("a scope of an object") {
            kith::scoped_world inside = world.scope(e);
            reset();
        }
        SUBCASE("deferred") {
            world.defer([&] { reset(); });
        }
        SUBCASE("suspended") {
            world.defer([&] {
                world.defer_suspend();
                reset();
                world.defer_resume();
            });
        }
        SUBCASE("with") {
            world.with(e, [&] { reset(); });
        }
        REQUIRE_FALSE(errors.empty());
        for (std::optional<errc> error : errors) {
            CHECK(error == errc::invalid_operation);
        }
        CHECK(e.get<Position>()->x == 1);
        world.check();
    }

    TEST_CASE("user pointers are kept, and freed at the end or when replaced") {
        int freed = 0;
        int binding_freed = 0;
        {
            kith::world world;
            CHECK(world.get_ctx() == nullptr);
            world.set_ctx(&freed, count_call);
            CHECK(world.get_ctx() == &freed);
            world.set_ctx(&freed, count_call);
            CHECK(freed == 1);
            world.set_binding_ctx(&binding_freed, count_call);
            CHECK(world.get_binding_ctx() == &binding_freed);
        }
        CHECK(freed == 2);
        CHECK(binding_freed == 1);
    }

    TEST_CASE("count counts ids, pairs and wildcards") {
        kith::world world;
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        world.entity().add<Hot>().add<Likes>(a).add<Likes>(b);
        world.entity().add<Hot>().add<Likes>(a);
        world.entity().add<Eats>(a);
        CHECK(world.count<Hot>() == 2);
        CHECK(world.count<Likes>(a) == 2);
        CHECK(world.count<Likes>(b) == 1);
        CHECK(world.count<Cold>() == 0);
        CHECK(world.count(kith::Wildcard, b) == 1);
        CHECK(world.count<Eats>() == 0);
    }

    TEST_CASE("delete_with deletes everything that has an id, a pair or a wildcard's match") {
        kith::world world;
        kith::entity target = world.entity();
        kith::entity a = world.entity().add<Hot>().set(Label{"x"});
        kith::entity b = world.entity().add<Hot>().add<Likes>(target);
        kith::entity c = world.entity().add<Eats>(target);
        kith::entity d = world.entity();
        world.delete_with<Hot>();
        CHECK_FALSE(a.is_alive());
        CHECK_FALSE(b.is_alive());
        CHECK(c.is_alive());
        world.delete_with(kith::Wildcard, target);
        CHECK_FALSE(c.is_alive());
        CHECK(d.is_alive());
        CHECK(target.is_alive());
        CHECK_NOTHROW(world.delete_with<Cold>());
        CHECK_NOTHROW(world.delete_with<Likes, Cold>());
        world.check();
    }

    TEST_CASE("delete_with takes children of what it deletes along") {
        kith::world world;
        kith::entity parent = world.entity().add<Hot>();
        kith::entity child = world.entity().child_of(parent);
        world.delete_with<Hot>();
        CHECK_FALSE(child.is_alive());
    }

    TEST_CASE("remove_all removes an id from everything") {
        kith::world world;
        kith::entity target = world.entity();
        kith::entity a = world.entity().add<Hot>().set(Label{"x"});
        kith::entity b = world.entity().add<Hot>().add<Likes>(target).add<Eats>(target);
        world.remove_all<Hot>();
        CHECK_FALSE(a.has<Hot>());
        CHECK(a.get<Label>()->text == "x");
        CHECK_FALSE(b.has<Hot>());
        world.remove_all(kith::Wildcard, target);
        CHECK(b.type().count() == 0);
        CHECK_NOTHROW(world.remove_all<Cold>());
        world.check();
    }

    TEST_CASE("remove_all of a relationship takes all its targets") {
        kith::world world;
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        kith::entity e = world.entity().add<Likes>(a).add<Likes>(b).add<Hot>();
        world.remove_all(world.component<Likes>(), kith::Wildcard);
        CHECK(e.type().count() == 1);
        CHECK(e.has<Hot>());
    }

    TEST_CASE("shrink deletes empty tables, gives memory back and changes nothing else") {
        kith::world world;
        register_all(world);
        std::vector<kith::entity> all;
        for (int i = 0; i < 5000; ++i) {
            all.push_back(world.entity().set(Position{i, i}).set(Label{std::to_string(i)}));
        }
        for (std::size_t i = 10; i < all.size(); ++i) {
            all[i].destruct();
        }
        auto ref = all[3].get_ref<Position>();
        CHECK(ref->x == 3);
        const std::string before = dump_world(world, all_values());
        const kith::world_stats stats = world.stats();
        world.shrink();
        CHECK(dump_world(world, all_values()) == before);
        CHECK(world.stats().empty_tables < stats.empty_tables + 1);
        CHECK(world.stats().bytes_rows < stats.bytes_rows);
        CHECK(ref->x == 3);
        all[3].add<Hot>();
        ref->x = 33;
        CHECK(all[3].get<Position>()->x == 33);
        world.check();
        world.shrink();
        world.shrink();
        CHECK(ref->x == 33);
        world.entity().set(Position{1, 1}).set(Label{"again"});
        world.check();
    }

    TEST_CASE("shrink while iterating is an error") {
        kith::world world;
        world.entity().set(Position{1, 1});
        world.each([&](Position&) {
            CHECK(error_of([&] { world.shrink(); }).value_or(errc::locked) == errc::locked);
        });
        world.check();
    }

    TEST_CASE("stats count entities, tables, ids and bytes") {
        kith::world world;
        const kith::world_stats before = world.stats();
        kith::entity e = world.entity();
        CHECK(world.stats().entities == before.entities + 1);
        e.add(world.entity());
        CHECK(world.stats().tables == before.tables + 1);
        CHECK(world.stats().ids == before.ids + 1);
        for (int i = 0; i < 1000; ++i) {
            world.entity().set(Position{1, 2});
        }
        const kith::world_stats after = world.stats();
        CHECK(after.bytes_rows >= before.bytes_rows + 1000 * sizeof(Position));
        CHECK(after.bytes_total >= after.bytes_rows);
        world.delete_with<Position>();
        CHECK(world.stats().empty_tables > before.empty_tables);
    }

    TEST_CASE("check accepts a fresh world") {
        kith::world world;
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE("prefabs and disabled entities are tagged and not visited") {
        kith::world world;
        kith::entity prefab = world.prefab("p").set(Position{1, 1});
        CHECK(prefab.has(kith::Prefab));
        kith::entity off = world.entity().set(Position{2, 2}).disable();
        kith::entity on = world.entity().set(Position{3, 3});
        std::vector<kith::entity> seen;
        world.each([&](kith::entity e, Position&) { seen.push_back(e); });
        CHECK(seen == std::vector<kith::entity>{on});
        off.enable();
        seen.clear();
        world.each([&](kith::entity e, Position&) { seen.push_back(e); });
        CHECK(seen.size() == 2);
    }

    TEST_CASE("a type's entity is its component") {
        kith::world world;
        CHECK(world.entity<Position>() == world.component<Position>());
        CHECK(world.entity<Velocity>("Speed").name() == "Speed");
        CHECK(world.prefab<Wide>().has(kith::Prefab));
    }
}
