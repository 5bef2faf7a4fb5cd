#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

TEST_SUITE("features.entities.bulk") {
    TEST_CASE("entities are made from columns, in order") {
        kith::world world;
        std::vector<Position> positions;
        std::vector<Label> labels;
        for (int i = 0; i < 100; ++i) {
            positions.push_back({i, -i});
            labels.push_back({std::to_string(i)});
        }
        const kith::entity_span made = world.bulk(100, positions.data(), labels.data());
        REQUIRE(made.size() == 100);
        for (std::size_t i = 0; i < 100; ++i) {
            kith::entity e = world.entity(made[i]);
            CHECK(e.get<Position>()->x == static_cast<int>(i));
            CHECK(e.get<Label>()->text == std::to_string(i));
        }
        CHECK(labels[5].text == "5");
        world.check();
    }

    TEST_CASE("the run-time form takes ids; tags and null columns are defaults") {
        kith::world world;
        kith::entity tag = world.entity();
        const Position positions[] = {{1, 1}, {2, 2}};
        const kith::id_t ids[] = {world.component<Position>(), tag, world.component<Wide>(),
                                  world.pair<Likes>(tag)};
        const void* columns[] = {positions, nullptr, nullptr, nullptr};
        const kith::entity_span made = world.bulk(2, ids, 4, columns);
        kith::entity second = world.entity(made[1]);
        CHECK(second.get<Position>()->x == 2);
        CHECK(second.has(tag));
        CHECK(second.has<Likes>(tag));
        CHECK(second.get<Wide>()->number == 7);
        world.check();
    }

    TEST_CASE("none, and entities without components") {
        kith::world world;
        CHECK(world.bulk(0, static_cast<const Position*>(nullptr)).size() == 0);
        const kith::entity_span made = world.bulk(10);
        CHECK(made.size() == 10);
        for (kith::entity_t e : made) {
            CHECK(world.is_alive(e));
        }
        world.check();
    }

    TEST_CASE("freed indices are used, scope and with apply") {
        kith::world world;
        kith::entity parent = world.entity("parent");
        kith::entity old = world.entity();
        old.destruct();
        const Position values[] = {{1, 1}, {2, 2}};
        std::vector<kith::entity_t> ids;
        parent.scope([&] {
            world.with<Hot>([&] {
                const kith::entity_span made = world.bulk(2, values);
                ids.assign(made.begin(), made.end());
            });
        });
        for (kith::entity_t id : ids) {
            CHECK(world.entity(id).parent() == parent);
            CHECK(world.entity(id).has<Hot>());
        }
        CHECK(world.entity(ids[1]).get<Position>()->x == 2);
        world.check();
    }

    TEST_CASE("bad descriptions are refused") {
        kith::world world;
        register_all(world);
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        const int value[4] = {};
        const void* columns[] = {value, nullptr};
        auto refused = [&](kith::id_t first, kith::id_t second) {
            const kith::id_t ids[] = {first, second};
            return refusal(world, all_values(), [&] { world.bulk(1, ids, 2, columns); });
        };
        CHECK(refused(world.component<Position>(), kith::Wildcard) == errc::invalid_id);
        CHECK(refused(world.component<Position>(), 0) == errc::invalid_id);
        CHECK(refused(world.component<Position>(), 99999) == errc::invalid_id);
        CHECK(refused(world.component<Position>(), world.component<Needy>()) ==
              errc::not_constructible);
        CHECK(refused(world.component<Hot>(), a) == errc::wrong_type);
        const kith::id_t parents[] = {kith::make_pair(kith::ChildOf, a),
                                      kith::make_pair(kith::ChildOf, b)};
        const void* none[] = {nullptr, nullptr};
        CHECK(refusal(world, all_values(), [&] { world.bulk(1, parents, 2, none); }) ==
              errc::constraint);
        const Owner owners[1] = {};
        CHECK(refusal(world, all_values(), [&] { world.bulk(1, owners); }) == errc::not_copyable);
    }

    TEST_CASE("hooks hear nothing of entities that lack what must come along") {
        int heard = 0;
        kith::world world;
        register_all(world);
        world.component<Hot>().on_add([&](kith::entity) { ++heard; });
        world.component<Position>().add(kith::With, world.component<Needy>());
        const kith::id_t ids[] = {world.component<Hot>(), world.component<Position>()};
        const void* none[] = {nullptr, nullptr};
        CHECK(refusal(world, all_values(), [&] { world.bulk(2, ids, 2, none); }) ==
              errc::not_constructible);
        CHECK(refusal(world, all_values(), [&] {
                  world.entity(Position{1, 2});
              }) == errc::not_constructible);
        CHECK(world.entity(Needy(3), Position{1, 2}).get<Needy>()->number() == 3);
        CHECK(heard == 0);
    }

    TEST_CASE("hooks hear nothing of entities with two targets of what comes along") {
        int heard = 0;
        kith::world world;
        register_all(world);
        world.component<Hot>().on_add([&](kith::entity) { ++heard; });
        kith::entity near = world.entity("near").add(kith::Exclusive);
        world.component<Hot>().add(kith::With, near);
        const kith::entity_t a = world.entity("a");
        const kith::id_t ids[] = {kith::make_pair(world.component<Hot>(), a),
                                  kith::make_pair(world.component<Hot>(), near)};
        const void* none[] = {nullptr, nullptr};
        CHECK(refusal(world, all_values(), [&] { world.bulk(2, ids, 2, none); }) ==
              errc::constraint);
        CHECK(heard == 0);
    }
}
