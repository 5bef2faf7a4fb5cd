#include <kith/kith.hpp>

#include "support/counting_resource.hpp"
#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

using value = counted<0>;
using second_value = counted<1>;

}  // namespace

TEST_SUITE("features.components.lifecycle") {
    TEST_CASE("set constructs in place by one move, and assigns by one") {
        balance_check<value> balance;
        kith::world world;
        kith::entity e = world.entity();
        value given(1);
        value::counts = {.made = 1};
        e.set(std::move(given));
        CHECK(value::counts.moved == 1);
        CHECK(value::counts.copied == 0);
        e.set(value(2));
        CHECK(value::counts.move_assigned == 1);
        CHECK(e.get<value>()->number() == 2);
        const value copied(3);
        e.set(copied);
        CHECK(value::counts.copy_assigned == 1);
        CHECK(value::counts.copied == 0);
    }

    TEST_CASE("emplace makes exactly one value") {
        balance_check<value> balance;
        kith::world world;
        world.entity().emplace<value>(5);
        CHECK(value::counts.made == 1);
        CHECK(value::counts.moved == 0);
        CHECK(value::counts.copied == 0);
    }

    TEST_CASE("values balance through every operation") {
        balance_check<value> balance;
        balance_check<second_value> second_balance;
        kith::world world;
        kith::entity target = world.entity();
        std::vector<kith::entity> all;
        for (int i = 0; i < 100; ++i) {
            all.push_back(world.entity().set(value(i)));
        }
        for (int i = 0; i < 100; i += 2) {
            all[static_cast<std::size_t>(i)].add<second_value>().add<Hot>();
        }
        for (int i = 0; i < 100; i += 3) {
            all[static_cast<std::size_t>(i)].set<value>(target, value(1000 + i));
        }
        for (int i = 0; i < 100; ++i) {
            CHECK(all[static_cast<std::size_t>(i)].get<value>()->number() == i);
        }
        for (int i = 0; i < 100; i += 5) {
            all[static_cast<std::size_t>(i)].remove<value>();
        }
        for (int i = 1; i < 100; i += 10) {
            all[static_cast<std::size_t>(i)].destruct();
        }
        kith::entity clone = all[2].clone();
        CHECK(clone.get<value>()->number() == 2);
        all[2].clone(false);
        world.defer([&] {
            all[2].set(value(7));
            all[3].destruct();
            all[4].remove<value>();
            world.entity().set(value(9));
        });
        world.shrink();
        target.destruct();
        world.remove_all<second_value>();
        CHECK(second_value::counts.alive() == 0);
        world.check();
        world.delete_with<value>();
        CHECK(value::counts.alive() == 0);
        world.entity().set(value(1)).set(second_value(2));
        world.check();
    }

    TEST_CASE("bulk creation copies each value once") {
        balance_check<value> balance;
        kith::world world;
        {
            std::vector<value> column;
            for (int i = 0; i < 10; ++i) {
                column.emplace_back(i);
            }
            value::counts = {.made = 10};
            const kith::entity_span made = world.bulk(10, column.data());
            CHECK(value::counts.copied == 10);
            CHECK(world.entity(made[7]).get<value>()->number() == 7);
        }
        CHECK(value::counts.alive() == 10);
    }

    TEST_CASE("a table that grows keeps all values") {
        balance_check<value> balance;
        kith::world world;
        for (int i = 0; i < 5000; ++i) {
            world.entity().set(value(i)).set(Label{std::to_string(i)});
        }
        int at = 0;
        world.each([&](kith::entity e, value& v) {
            REQUIRE(v.number() == at);
            REQUIRE(e.get<Label>()->text == std::to_string(at));
            ++at;
        });
        CHECK(at == 5000);
    }

    TEST_CASE("over-aligned values are aligned in every row of every table") {
        kith::world world;
        std::vector<kith::entity> all;
        for (int i = 0; i < 300; ++i) {
            kith::entity e = world.entity();
            if (i % 2) {
                e.add<Hot>().set(Position{i, i});
            }
            if (i % 3) {
                e.set(Label{"x"});
            }
            all.push_back(e.set(Wide{i}));
        }
        world.shrink();
        for (std::size_t i = 0; i < all.size(); ++i) {
            CHECK(reinterpret_cast<std::uintptr_t>(all[i].get<Wide>()) % 64 == 0);
            CHECK(all[i].get<Wide>()->number == static_cast<int>(i));
        }
    }

    TEST_CASE("move-only values move with their entity") {
        kith::world world;
        kith::entity e = world.entity().set(Owner{std::make_unique<int>(4)});
        const int* address = e.get<Owner>()->number.get();
        e.add<Hot>().add<Position>();
        world.entity().set(Owner{}).add<Hot>();
        e.remove<Hot>();
        CHECK(e.get<Owner>()->number.get() == address);
        kith::entity clone = e.clone(false);
        CHECK(clone.get<Owner>()->number == nullptr);
    }

    TEST_CASE("a constructor that throws leaves the world as it was") {
        balance_check<value> balance;
        kith::world world;
        register_all(world);
        kith::entity e = world.entity().set(Label{"x"});
        value::throw_in = 1;
        const std::string before = dump_world(world, all_values());
        CHECK_THROWS_AS(e.add<value>(), std::runtime_error);
        CHECK(dump_world(world, all_values()) == before);
        value::throw_in = 1;
        CHECK_THROWS_AS(e.emplace<value>(3), std::runtime_error);
        CHECK(dump_world(world, all_values()) == before);
        value::throw_in = 1;
        CHECK_THROWS_AS(e.get_mut<value>(), std::runtime_error);
        CHECK(dump_world(world, all_values()) == before);
        CHECK_FALSE(world.is_deferred());
        world.check();
        CHECK_NOTHROW(e.add<value>());
    }

    TEST_CASE("a copy that throws leaves the world as it was") {
        balance_check<value> balance;
        kith::world world;
        register_all(world);
        const value source(5);
        kith::entity e = world.entity().set(Label{"x"});
        kith::entity full = world.entity().set(value(1)).set(Label{"y"}).set(second_value(2));
        const std::string before = dump_world(world, all_values());
        value::throw_in = 1;
        CHECK_THROWS_AS(e.set(source), std::runtime_error);
        CHECK(dump_world(world, all_values()) == before);
        value::throw_in = 1;
        CHECK_THROWS_AS(full.set(source), std::runtime_error);
        CHECK(dump_world(world, all_values()) == before);
        value::throw_in = 1;
        CHECK_THROWS_AS(full.clone(), std::runtime_error);
        CHECK(dump_world(world, all_values()) == before);
        value::throw_in = 1;
        CHECK_THROWS_AS(e.set_ptr(world.component<value>(), &source), std::runtime_error);
        CHECK(dump_world(world, all_values()) == before);
        value::throw_in = 1;
        CHECK_THROWS_AS(world.entity(Label{"z"}, source), std::runtime_error);
        CHECK(dump_world(world, all_values()) == before);
        world.check();
    }

    TEST_CASE("bulk creation that fails half way leaves the world as it was") {
        balance_check<value> balance;
        kith::world world;
        register_all(world);
        std::vector<value> column(10);
        std::vector<Label> labels(10, Label{"label"});
        const std::string before = dump_world(world, all_values());
        for (int n = 1; n <= 10; n += 3) {
            value::throw_in = n;
            CHECK_THROWS_AS(world.bulk(10, labels.data(), column.data()), std::runtime_error);
            CHECK(dump_world(world, all_values()) == before);
            world.check();
        }
        value::throw_in = 0;
        CHECK(world.bulk(10, labels.data(), column.data()).size() == 10);
    }

    TEST_CASE("values that throw in a flush are skipped") {
        balance_check<value> balance;
        kith::world world;
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        CHECK_THROWS(world.defer([&] {
            a.add<value>();
            b.add<Hot>();
            value::throw_in = 1;
        }));
        CHECK_FALSE(a.has<value>());
        CHECK(b.has<Hot>());
        world.check();
    }

    TEST_CASE("the memory of a world comes from its resource and goes back") {
        counting_resource memory;
        {
            kith::world world(kith::use_memory(memory));
            CHECK(memory.allocations() > 0);
            for (int i = 0; i < 1000; ++i) {
                world.entity(("n" + std::to_string(i)).c_str())
                    .set(Label{"text"})
                    .set(Wide{i})
                    .add<Likes>(world.entity());
            }
            world.defer([&] { world.entity().set(Label{"later"}); });
            world.component<Eats>().add(kith::Sparse);
            world.entity().set(Eats{3}).disable<Eats>();
            world.check();
            CHECK(world.stats().bytes_total <= memory.bytes());
            world.shrink();
        }
        CHECK(memory.blocks() == 0);
    }

    TEST_CASE("warm paths do not allocate") {
        counting_resource memory;
        kith::world world(kith::use_memory(memory));
        std::vector<kith::entity> all;
        for (int i = 0; i < 100; ++i) {
            all.push_back(world.entity().set(Position{i, i}));
        }
        kith::entity target = world.entity();
        auto work = [&] {
            for (kith::entity e : all) {
                e.add<Velocity>();
                e.set(Position{1, 2});
                e.add<Likes>(target);
                CHECK(e.get<Position>()->x == 1);
                CHECK(e.has<Velocity>());
                e.get_mut<Velocity>()->x = 1;
                e.remove<Likes>(target);
                e.remove<Velocity>();
            }
            world.defer([&] {
                for (kith::entity e : all) {
                    e.add<Velocity>();
                    e.set(Position{3, 4});
                    e.remove<Velocity>();
                }
            });
            kith::entity made = world.entity();
            made.set(Position{1, 1});
            made.destruct();
        };
        work();
        work();
        const std::size_t before = memory.allocations();
        work();
        CHECK(memory.allocations() == before);
    }

    TEST_CASE("an operation that finds no memory leaves the world as it was") {
        counting_resource memory;
        kith::world world(kith::use_memory(memory));
        register_all(world);
        std::vector<kith::entity> all;
        for (int i = 0; i < 20; ++i) {
            all.push_back(world.entity().set(Position{i, 0}));
        }
        const std::string before = dump_world(world, all_values());
        int refused = 0;
        int worked = 0;
        for (int round = 0; round < 40; ++round) {
            kith::entity tag = world.entity();
            const std::string start = dump_world(world, all_values());
            memory.fail_in(1);
            try {
                all[0].add<Likes>(tag).set(Label{"x"});
                ++worked;
            } catch (const std::bad_alloc&) {
                ++refused;
                memory.work_again();
                if (!all[0].has<Likes>(tag)) {
                    CHECK(dump_world(world, all_values()) == start);
                }
            }
            memory.work_again();
            world.check();
        }
        CHECK(refused + worked == 40);
        CHECK(before != "");
    }

    TEST_CASE("ending a world needs no memory") {
        counting_resource memory;
        {
            kith::world world(kith::use_memory(memory));
            kith::entity parent = world.entity("parent");
            for (int i = 0; i < 100; ++i) {
                world.entity().child_of(parent).set(Label{"x"}).add<Likes>(parent);
            }
            memory.fail_always();
        }
        CHECK(memory.blocks() == 0);
    }
}
