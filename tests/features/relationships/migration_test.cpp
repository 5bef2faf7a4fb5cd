// The storage of a relationship is nobody's business but its own: the same random script leaves the
// same world whether relationships are dense, sparse, or change between the two all the time.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

#include <functional>

using namespace kith_test;

namespace {

enum class storages { dense, sparse, changing };

struct random_numbers {
    std::uint32_t state;
    std::uint32_t operator()(std::uint32_t limit) {
        state = state * 1664525 + 1013904223;
        return (state >> 9) % limit;
    }
};

// The same names and ids whatever the storage.
struct scene {
    explicit scene(storages kind) {
        register_all(world);
        const std::pair<const char*, std::vector<kith::id_t>> wanted[] = {
            {"plain", {}},
            {"one", {kith::Exclusive}},
            {"allied", {kith::Symmetric}},
            {"married", {kith::Symmetric, kith::Exclusive}},
            {"within", {kith::Acyclic}},
            {"fate", {kith::make_pair(kith::OnDeleteTarget, kith::Delete)}},
            {"needs", {kith::make_pair(kith::OnDeleteTarget, kith::Panic)}},
            {"hidden", {kith::DontInherit}},
        };
        for (const auto& [name, properties] : wanted) {
            kith::entity rel = world.entity(name);
            for (kith::id_t property : properties) {
                rel.add(property);
            }
            relations.push_back(rel);
        }
        relations.push_back(world.entity("loves").add(kith::With, relations[0]));
        relations.push_back(world.component<Eats>());
        relations.push_back(world.component<Label>().add(kith::Symmetric));
        relations.push_back(world.component<Position>());
        relations.push_back(world.entity(kith::ChildOf));
        prefab = world.prefab("prefab").set(Label{"prefab"}).override<Label>();
        world.prefab("part").child_of(prefab).set(Position{7, 7});
        for (int i = 0; i < 12; ++i) {
            entities.push_back(world.entity(("e" + std::to_string(i)).c_str()));
        }
        for (kith::entity rel : relations) {
            if (kind != storages::changing) {
                store(rel, kind == storages::sparse);
            }
        }
    }

    static void store(kith::entity rel, bool sparse) {
        if (sparse) {
            rel.add(kith::Sparse);
        } else {
            rel.remove(kith::Sparse);
        }
    }

    void step(random_numbers& random) {
        kith::entity x = entities[random(12)];
        kith::entity y = entities[random(12)];
        kith::entity rel = relations[random(13)];
        const int number = static_cast<int>(random(1000));
        const std::uint32_t kind = random(26);
        if (!x.is_alive()) {
            x = entities[0];
        }
        switch (kind) {
            case 0:
                x.remove(rel, kith::Wildcard);
                break;
            case 1:
                x.remove(kith::Wildcard, y);
                break;
            case 2:
                x.clear();
                break;
            case 3:
                world.remove_all(rel, y);
                break;
            case 4:
                x.set<Eats>(y, Eats{number});
                break;
            case 5:
                x.set<Label>(y, Label{std::to_string(number)});
                break;
            case 6:
                x.set(Position{number, 0});
                break;
            case 7:
                x.set<Position>(y, Position{number, 1});
                break;
            case 8:
                x.disable(rel, y);
                break;
            case 9:
                x.enable(rel, y);
                break;
            case 10:
                if (x.has<Eats>(y)) {
                    x.get_mut<Eats>(y)->amount += 1;
                }
                break;
            case 11:
                world.defer([&] {
                    x.add(rel, y).set<Eats>(x, Eats{number});
                    y.add(rel, x).add<Hot>();
                    x.remove(rel, y);
                });
                break;
            case 12:
                x.is_a(y);
                break;
            case 13:
                x.remove(kith::IsA, kith::Wildcard);
                break;
            case 14:
                if (number % 4 == 0) {
                    x.destruct();
                }
                break;
            case 15:
                x.remove(rel, y);
                break;
            default:
                x.add(rel, y);
        }
    }

    // Everything but the storage, by name.
    std::string text() {
        std::string all;
        for (kith::entity x : entities) {
            if (!x.is_alive()) {
                all += "dead\n";
                continue;
            }
            all += dump_entity(x, all_values()) + "\n  ";
            for (kith::entity rel : relations) {
                for (kith::entity y : entities) {
                    if (y.is_alive()) {
                        all += x.has(rel, y) ? '1' : '0';
                    }
                }
                all += text_of(targets_of(x, rel).size(), sources_of(x, rel).size(),
                               world.count(rel, x), x.has(rel, kith::Wildcard)) +
                       " ";
            }
            const Position* place = x.get<Position>();
            all += text_of(x.path().c_str(), place ? place->x : -1) + "\n";
        }
        return all;
    }

    kith::world world;
    entity_list relations;
    entity_list entities;
    kith::entity prefab;
};

}  // namespace

TEST_SUITE("features.relationships.migration") {
    TEST_CASE("a random script leaves the same world in every storage") {
        for (std::uint32_t seed = 1; seed <= 40; ++seed) {
            CAPTURE(seed);
            scene dense(storages::dense);
            scene sparse(storages::sparse);
            scene changing(storages::changing);
            random_numbers dense_random{seed * 2654435761u};
            random_numbers sparse_random = dense_random;
            random_numbers changing_random = dense_random;
            random_numbers changes{seed};
            for (int i = 0; i < 250; ++i) {
                CAPTURE(i);
                const auto first = error_of([&] { dense.step(dense_random); });
                const auto second = error_of([&] { sparse.step(sparse_random); });
                const auto third = error_of([&] { changing.step(changing_random); });
                REQUIRE(first == second);
                REQUIRE(first == third);
                if (changes(4) == 0) {
                    kith::entity rel = changing.relations[changes(13)];
                    scene::store(rel, changes(2) == 0);
                    changing.world.check();
                }
                if (i % 10 == 9) {
                    dense.world.check();
                    sparse.world.check();
                    changing.world.check();
                    REQUIRE(dense.text() == sparse.text());
                    REQUIRE(dense.text() == changing.text());
                }
            }
        }
    }

    TEST_CASE("values balance however often they move") {
        balance_check<counted<0>> balance;
        balance_check<counted<1>> second_balance;
        kith::world world;
        kith::entity first = world.component<counted<0>>();
        kith::entity second = world.component<counted<1>>().add(kith::Exclusive);
        random_numbers random{99};
        entity_list all;
        for (int i = 0; i < 20; ++i) {
            all.push_back(world.entity());
        }
        std::map<std::pair<kith::entity_t, kith::entity_t>, int> expected;
        for (int i = 0; i < 3000; ++i) {
            kith::entity x = all[random(20)];
            kith::entity y = all[random(20)];
            switch (random(6)) {
                case 0:
                    x.set<counted<0>>(y, counted<0>(i));
                    expected[{x, y}] = i;
                    break;
                case 1:
                    x.set<counted<1>>(y, counted<1>(i));
                    break;
                case 2:
                    x.remove<counted<0>>(y);
                    expected.erase({x, y});
                    break;
                case 3:
                    scene::store(random(2) ? first : second, random(2) == 0);
                    break;
                case 4:
                    x.add_if(random(2) == 0, world.component<Hot>());
                    break;
                default:
                    world.defer([&] { x.set<counted<0>>(y, counted<0>(-i)); });
                    expected[{x, y}] = -i;
            }
            REQUIRE(counted<0>::counts.alive() == static_cast<int>(expected.size()));
        }
        for (const auto& [pair, number] : expected) {
            REQUIRE(world.entity(pair.first).get<counted<0>>(pair.second)->number() == number);
        }
        world.check();
    }

    TEST_CASE("a relationship that loses all it is, and pairs of itself by itself") {
        kith::world world;
        register_all(world);
        kith::entity rel = world.entity().add(kith::Sparse).add(kith::Tag);
        rel.add(rel, world.component<Label>());
        CHECK(refusal(world, all_values(), [&] { rel.remove(kith::Wildcard); }) ==
              kith::errc::constraint);
        CHECK_NOTHROW(rel.clear());
        CHECK(rel.type().count() == 0);
        rel.set_second<Label>(rel, Label{"x"});
        CHECK(rel.get_second<Label>(rel)->text == "x");
        world.check();
    }

    TEST_CASE("a relationship becomes sparse together with pairs of itself") {
        kith::world world;
        kith::entity relation = world.entity();
        kith::entity model = world.entity().add(kith::Sparse);
        model.set_second<Label>(relation, Label{"a text that is too long for small strings"});
        model.add(relation);
        model.clone(true, relation);
        CHECK(relation.get_second<Label>(relation)->text ==
              "a text that is too long for small strings");
        CHECK(relation.has(relation));
        CHECK(model.has_second<Label>(relation));
        world.check();
    }
}
