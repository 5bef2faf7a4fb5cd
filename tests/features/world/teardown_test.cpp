// The end of a world: roots with children first, then what is alone, modules and components last;
// policies hold to the end, and nothing is lost.
#include <kith/kith.hpp>

#include "support/counting_resource.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;

namespace {

using value = counted<0>;

struct log_of_ends {
    std::vector<int> order;

    void listen(const kith::world& world) {
        world.component<Position>().on_remove([this](Position& p) { order.push_back(p.x); });
    }
    std::size_t at(int number) const {
        const auto found = std::find(order.begin(), order.end(), number);
        REQUIRE(found != order.end());
        return static_cast<std::size_t>(found - order.begin());
    }
};

}  // namespace

TEST_SUITE("features.world.teardown") {
    // spec 91
    TEST_CASE("trees end from the leaves, before entities that stand alone") {
        const bool sparse = for_both_storages();
        log_of_ends ends;
        {
            kith::world world;
            set_hierarchy(world, sparse);
            ends.listen(world);
            world.entity().set(Position{1, 0});
            kith::entity root = world.entity().set(Position{2, 0});
            kith::entity child = world.entity().child_of(root).set(Position{3, 0});
            world.entity().child_of(child).set(Position{4, 0});
            world.entity().set(Position{5, 0});
            world.entity().child_of(root).set(Position{6, 0});
        }
        CHECK(ends.order.size() == 6);
        CHECK(ends.at(4) < ends.at(3));
        CHECK(ends.at(3) < ends.at(2));
        CHECK(ends.at(6) < ends.at(2));
        CHECK(ends.at(3) < ends.at(6));
        CHECK(ends.at(2) < ends.at(1));
        CHECK(ends.at(2) < ends.at(5));
    }

    // spec 91
    TEST_CASE("modules and their contents outlive the entities that use them") {
        log_of_ends ends;
        std::vector<bool> module_alive;
        kith::entity module;
        kith::entity tool;
        {
            kith::world world;
            ends.listen(world);
            module = world.entity("module").add(kith::Module).set(Position{1, 0});
            tool = world.entity("tool").child_of(module).set(Position{2, 0});
            kith::entity root = world.entity("root").set(Position{3, 0});
            world.component<Velocity>().on_remove([&](kith::entity, Velocity&) {
                module_alive.push_back(world.is_alive(module) && world.is_alive(tool));
            });
            world.entity().child_of(root).set(Position{4, 0}).set(Velocity{0, 0}).add(tool);
            world.entity().set(Position{5, 0}).set(Velocity{0, 0}).add(tool);
        }
        CHECK(module_alive == std::vector<bool>{true, true});
        CHECK(ends.order.size() == 5);
        CHECK(ends.at(4) < ends.at(1));
        CHECK(ends.at(3) < ends.at(1));
        CHECK(ends.at(4) < ends.at(2));
    }

    // spec 91
    TEST_CASE("components below plain roots are there as long as they are used") {
        balance_check<value> balance;
        int removed = 0;
        {
            kith::world world;
            kith::entity root = world.entity("a_root");
            root.scope([&] { world.component<value>(); });
            REQUIRE(world.component<value>().parent() == root);
            world.component<value>().on_remove([&](value&) { ++removed; });
            world.entity().child_of(root).set(value(1));
            world.entity().set(value(2));
            kith::entity other = world.entity();
            world.entity().child_of(other).set(value(3));
        }
        CHECK(removed == 3);
    }

    // spec 91
    TEST_CASE("policies hold until the end, Panic does not stop it") {
        const bool sparse = for_both_storages();
        balance_check<value> balance;
        std::vector<int> order;
        {
            kith::world world;
            world.component<value>().on_remove([&](value& v) { order.push_back(v.number()); });
            kith::entity cascade =
                make_relation(world, sparse).add(kith::OnDeleteTarget, kith::Delete);
            kith::entity panic = make_relation(world, sparse)
                                     .add(kith::OnDeleteTarget, kith::Panic)
                                     .add(kith::OnDelete, kith::Panic);
            kith::entity a = world.entity().set(value(1));
            kith::entity b = world.entity().set(value(2)).add(cascade, a);
            world.entity().set(value(3)).add(cascade, b).add(panic, a);
            world.entity().set(value(4)).add(panic, b).add(panic);
            make_relation<value>(world, sparse);
            world.entity().set<value>(a, value(5));
        }
        CHECK(order.size() == 5);
        auto at = [&](int number) { return std::find(order.begin(), order.end(), number); };
        CHECK(at(3) < at(2));
        CHECK(at(2) < at(1));
    }

    TEST_CASE("cycles of Delete end with the world") {
        const bool sparse = for_both_storages();
        balance_check<value> balance;
        kith::world world;
        kith::entity rel = make_relation(world, sparse).add(kith::OnDeleteTarget, kith::Delete);
        entity_list all;
        for (int i = 0; i < 100; ++i) {
            all.push_back(world.entity().set(value(i)));
        }
        for (std::size_t i = 0; i < 100; ++i) {
            all[i].add(rel, all[(i + 1) % 100]).add(rel, all[(i * 7) % 100]).add(rel, all[i]);
        }
    }

    TEST_CASE("hooks at the end see names, parents and targets of what is alive") {
        const bool sparse = for_both_storages();
        std::string text;
        {
            kith::world world;
            kith::entity rel = make_relation(world, sparse, "rel");
            kith::entity root = world.entity("root");
            kith::entity target = world.entity("target").child_of(root);
            world.component<Position>().on_remove([&text, rel](kith::entity e, Position&) {
                text += e.path().c_str();
                text += e.parent() ? " has a parent" : "";
                text += e.target(rel) ? " and a target" : "";
            });
            world.entity("child")
                .child_of(root)
                .add(rel, root)
                .set(Position{1, 1})
                .add(rel, target);
        }
        CHECK(contains(text, "::root::child has a parent and a target"));
    }

    TEST_CASE("hooks that change the world at its end do no harm") {
        const bool sparse = for_both_storages();
        balance_check<value> balance;
        int calls = 0;
        {
            kith::world world;
            kith::entity rel = make_relation(world, sparse, "rel");
            kith::entity root = world.entity("root");
            world.component<value>().on_remove([&calls, &world, rel, root](kith::entity e, value&) {
                ++calls;
                kith::entity made = world.entity();
                made.add(rel, e).child_of(e);
                e.add<Hot>();
                e.destruct();
                root.destruct();
            });
            for (int i = 0; i < 10; ++i) {
                world.entity().child_of(root).set(value(i)).add(rel, root);
            }
        }
        CHECK(calls == 10);
    }

    TEST_CASE("symmetric, exclusive and slot pairs end with the world") {
        const bool sparse = for_both_storages();
        balance_check<value> balance;
        kith::world world;
        kith::entity married =
            make_relation(world, sparse).add(kith::Symmetric).add(kith::Exclusive);
        make_relation<value>(world, sparse).add(kith::Symmetric);
        kith::entity prefab = world.prefab("p");
        world.prefab("s").child_of(prefab).slot().set(value(1));
        kith::entity last;
        for (int i = 0; i < 50; ++i) {
            kith::entity e = world.entity().is_a(prefab);
            if (last) {
                e.add(married, last).set<value>(last, value(i));
            }
            last = e;
        }
        CHECK(is_mutual(world, married));
        world.check();
    }

    TEST_CASE("reset ends a world in the same way") {
        const bool sparse = for_both_storages();
        balance_check<value> balance;
        log_of_ends ends;
        kith::world world;
        ends.listen(world);
        set_hierarchy(world, sparse);
        kith::entity root = world.entity("root").set(Position{1, 0}).set(value(1));
        world.entity("child").child_of(root).set(Position{2, 0}).add<Likes>(root);
        world.reset();
        CHECK(ends.order == std::vector<int>{2, 1});
        CHECK_FALSE(world.lookup("root"));
        CHECK_FALSE(world.entity("root").has<Position>());
        world.check();
    }

    TEST_CASE("a world full of relationships ends without memory") {
        const bool sparse = for_both_storages();
        counting_resource memory;
        {
            kith::world world(kith::use_memory(memory));
            set_hierarchy(world, sparse);
            kith::entity rel = make_relation(world, sparse).add(kith::OnDeleteTarget, kith::Delete);
            kith::entity allied = make_relation(world, sparse).add(kith::Symmetric);
            make_relation<Label>(world, sparse);
            kith::entity prefab = world.prefab("p").set(Label{"x"});
            world.prefab("c").child_of(prefab).slot();
            kith::entity parent = world.entity("parent");
            kith::entity last = parent;
            for (int i = 0; i < 200; ++i) {
                kith::entity e = world.entity().is_a(prefab).child_of(i % 3 ? last : parent);
                e.add(rel, parent)
                    .add(allied, last)
                    .set<Label>(last, Label{"a longer text than fits"});
                last = e;
            }
            world.check();
            memory.fail_always();
        }
        CHECK(memory.blocks() == 0);
    }
}
