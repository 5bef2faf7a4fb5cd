// A batch of commands ends in the same world as the same commands one by one: with every property,
// storage and builtin relationship.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

#include <sstream>

using namespace kith_test;
using kith::errc;

namespace {

// A world with relationships of all kinds, and entities to use them on.
struct scene {
    explicit scene(bool sparse) {
        register_all(world);
        set_hierarchy(world, sparse);
        likes = make_relation(world, sparse, "likes");
        one = make_relation(world, sparse, "one").add(kith::Exclusive);
        allied = make_relation(world, sparse, "allied").add(kith::Symmetric);
        married = make_relation(world, sparse, "married").add(kith::Symmetric).add(kith::Exclusive);
        within = make_relation(world, sparse, "within").add(kith::Acyclic);
        fate = make_relation(world, sparse, "fate").add(kith::OnDeleteTarget, kith::Delete);
        needs = make_relation(world, sparse, "needs").add(kith::OnDeleteTarget, kith::Panic);
        loves = make_relation(world, sparse, "loves").add(kith::With, likes);
        sworn = make_relation(world, sparse, "sworn").add(kith::With, allied);
        engaged = make_relation(world, sparse, "engaged").add(kith::With, married);
        make_relation<Eats>(world, sparse);
        make_relation<Label>(world, sparse).add(kith::Exclusive).add(kith::Symmetric);
        prefab =
            world.prefab("prefab").set(Position{1, 1}).set(Velocity{2, 2}).override<Velocity>();
        slot = world.prefab("slot").child_of(prefab).slot().set(Position{3, 3});
        for (int i = 0; i < 6; ++i) {
            e[i] = world.entity(("e" + std::to_string(i)).c_str());
        }
    }
    // Without the ids, which depend on when entities are made, but with the order of children.
    // Where ChildOf is dense, children come by tables, whose order depends on which of them had
    // rows.
    std::string text() {
        std::vector<std::string> lines;
        std::istringstream dump(dump_world(world, all_values()));
        for (std::string line; std::getline(dump, line);) {
            const std::size_t end = line.find_first_of(" :");
            lines.push_back(end == std::string::npos ? "nothing" : line.substr(end));
        }
        std::sort(lines.begin(), lines.end());
        std::string all;
        for (const std::string& line : lines) {
            all += line + "\n";
        }
        for (const kith::entity& x : e) {
            if (x.is_alive()) {
                all += x.name().c_str();
                std::vector<std::string> names;
                for (kith::entity child : children_of(x)) {
                    names.push_back(child.name());
                }
                if (!world.entity(kith::ChildOf).has(kith::Sparse)) {
                    std::sort(names.begin(), names.end());
                }
                for (const std::string& name : names) {
                    all += " " + name;
                }
                all += "\n";
            }
        }
        return all;
    }

    kith::world world;
    kith::entity likes, one, allied, married, within, fate, needs, loves, sworn, engaged, prefab,
        slot;
    kith::entity e[6];
};

// Runs commands one by one, each with its own error, and as one batch.
template <class... Commands>
void same_outcome(const Commands&... commands) {
    const bool sparse = for_both_storages();
    scene single(sparse);
    std::optional<errc> first;
    auto run = [&](auto& command) {
        const auto code = error_of([&] { command(single, single.e); });
        if (!first) {
            first = code;
        }
    };
    (run(commands), ...);
    single.world.check();
    scene batch(sparse);
    const auto code =
        error_of([&] { batch.world.defer([&] { (commands(batch, batch.e), ...); }); });
    batch.world.check();
    CHECK(batch.text() == single.text());
    CHECK(code == first);
    CHECK(is_mutual(batch.world, batch.allied));
    CHECK(is_mutual(batch.world, batch.married));
}

#define DO(...)                                     \
    [](scene& s, kith::entity* e) {                 \
        static_cast<void>(s), static_cast<void>(e); \
        __VA_ARGS__;                                \
    }

}  // namespace

TEST_SUITE("features.deferring.relationships") {
    TEST_CASE("exclusive targets that replace each other") {
        same_outcome(DO(e[0].add(s.one, e[1])), DO(e[0].add(s.one, e[2])),
                     DO(e[0].remove(s.one, e[1])), DO(e[1].add(s.one, e[0])),
                     DO(e[1].remove(s.one, kith::Wildcard)), DO(e[2].destruct()),
                     DO(e[3].add(s.one, e[3]).add(s.one, e[4])));
    }

    TEST_CASE("symmetric pairs that come along") {
        same_outcome(DO(e[0].add<Position>()), DO(e[0].add(s.sworn, e[1])),
                     DO(e[2].add(s.sworn, e[3])), DO(e[2].remove(s.sworn, e[3])),
                     DO(e[2].add<Position>()));
    }

    TEST_CASE("marriages, divorces and deaths") {
        same_outcome(DO(e[0].add(s.married, e[1])), DO(e[2].add(s.married, e[3])),
                     DO(e[1].add(s.married, e[2])), DO(e[0].add(s.married, e[3])),
                     DO(e[4].add(s.married, e[4])), DO(e[4].add(s.married, e[5])),
                     DO(e[3].destruct()), DO(e[0].add(s.married, e[5])),
                     DO(e[1].remove(s.married, e[2])));
    }

    // Without a name, its end keeps nothing in order by itself.
    TEST_CASE("a partner who comes along frees the former one, and ends") {
        same_outcome(DO(e[0].add(s.married, e[1])), DO(e[2] = s.world.entity()),
                     DO(e[2].add(s.engaged, e[1])), DO(e[2].add<Velocity>()), DO(e[2].destruct()));
    }

    TEST_CASE("a partner by the clone of a relationship frees the former one, and ends") {
        same_outcome(DO(s.likes = s.married.clone()), DO(e[0].add(s.likes, e[1])),
                     DO(e[2] = s.world.entity()), DO(e[2].add(s.likes, e[1])),
                     DO(e[2].add<Velocity>()), DO(e[2].destruct()));
    }

    TEST_CASE("values of symmetric exclusive pairs") {
        same_outcome(DO(e[0].set<Label>(e[1], Label{"01"})), DO(e[1].set<Label>(e[0], Label{"10"})),
                     DO(e[2].set<Label>(e[1], Label{"21"})),
                     DO(e[0].get_mut<Label>(e[3])->text = "x"),
                     DO(e[3].set<Label>(e[0], Label{"30"})), DO(e[1].remove<Label>(e[2])),
                     DO(e[4].add<Label>(e[5])), DO(e[5].clear()));
    }

    TEST_CASE("a value that is written is the other side's once it is modified") {
        same_outcome(DO(e[0].get_mut<Label>(e[1])->text = "01"),
                     DO(e[2].get_mut<Label>(e[3])->text = "23"), DO(e[2].modified<Label>(e[3])));
    }

    TEST_CASE("a written value of what becomes symmetric is one side's alone") {
        same_outcome(DO(s.world.component<Eats>().add(kith::Symmetric)),
                     DO(e[0].get_mut<Eats>(e[1])->amount = 3));
    }

    TEST_CASE("a symmetric pair that is added, removed and added from both sides") {
        same_outcome(DO(e[0].add(s.allied, e[1])), DO(e[1].remove(s.allied, e[0])),
                     DO(e[1].add(s.allied, e[0])), DO(e[0].add(s.allied, e[0])),
                     DO(e[2].add(s.allied, e[1])), DO(e[1].clear()), DO(e[2].add(s.allied, e[3])),
                     DO(s.world.remove_all(s.allied, e[3])), DO(e[4].add(s.allied, e[5])));
    }

    TEST_CASE("cycles are refused where they are closed") {
        same_outcome(DO(e[0].add(s.within, e[1])), DO(e[1].add(s.within, e[2])),
                     DO(e[2].add(s.within, e[0])), DO(e[0].remove(s.within, e[1])),
                     DO(e[2].add(s.within, e[0])), DO(e[3].add(s.within, e[3])),
                     DO(e[1].destruct()), DO(e[0].add(s.within, e[3])), DO(e[3].add<Hot>()));
    }

    TEST_CASE("parents that change, names that move with them") {
        same_outcome(DO(e[0].child_of(e[1])), DO(e[1].child_of(e[2])), DO(e[2].child_of(e[0])),
                     DO(e[3].child_of(e[0])), DO(e[4].child_of(e[0])), DO(e[3].set_name("x")),
                     DO(e[0].child_of(e[2])), DO(e[4].set_name("x")), DO(e[4].child_of(e[1])),
                     DO(e[4].set_name("x")), DO(e[3].child_of(e[1])),
                     DO(e[1].remove(kith::ChildOf, e[2])));
    }

    TEST_CASE("children and sources come in the order of the calls") {
        scene s(true);
        kith::entity* e = s.e;
        auto order_of = [&](kith::entity relation) {
            std::string names;
            e[5].each_source(relation, [&](kith::entity x) { names += x.name().c_str(); });
            return names;
        };
        s.world.defer([&] {
            e[3].add<Hot>();
            e[1].child_of(e[5]).add(s.likes, e[5]);
            e[2].child_of(e[5]).set<Eats>(e[5], Eats{1});
            e[3].child_of(e[5]).add(s.loves, e[5]).set<Eats>(e[5], Eats{2});
            e[1].set<Eats>(e[5], Eats{3});
        });
        CHECK(order_of(s.world.entity(kith::ChildOf)) == "e1e2e3");
        CHECK(order_of(s.likes) == "e1e3");
        CHECK(order_of(s.world.component<Eats>()) == "e2e3e1");
        // Whoever goes and comes again is the last.
        s.world.defer([&] {
            e[1].remove(s.likes, e[5]).add(s.likes, e[5]);
            e[2].remove<Eats>(kith::Wildcard).set<Eats>(e[5], Eats{4});
        });
        CHECK(order_of(s.likes) == "e3e1");
        CHECK(order_of(s.world.component<Eats>()) == "e3e1e2");
        CHECK(e[2].get<Eats>(e[5])->amount == 4);
        for (int i = 0; i < 4; ++i) {
            e[i].add(s.one, e[5]);
        }
        s.world.defer([&] { e[1].add(s.one, e[4]).add(s.one, e[5]).add<Hot>(); });
        CHECK(order_of(s.one) == "e0e2e3e1");
        s.world.check();
    }

    TEST_CASE("cascades over entities of the same batch") {
        same_outcome(DO(e[0].add(s.fate, e[1])), DO(s.world.entity("new").add(s.fate, e[0])),
                     DO(s.world.entity("child").child_of(e[0])), DO(e[2].add(s.likes, e[0])),
                     DO(e[3].add(s.one, e[1]).add(s.allied, e[0])), DO(e[1].destruct()),
                     DO(e[4].add(s.fate, e[2])), DO(e[2].destruct()), DO(e[5].add<Hot>()));
    }

    TEST_CASE("a Panic in the batch refuses one command") {
        same_outcome(DO(e[0].add(s.needs, e[1])), DO(e[1].child_of(e[2])), DO(e[2].destruct()),
                     DO(e[1].destruct()), DO(e[3].add(s.likes, e[2])),
                     DO(e[0].remove(s.needs, e[1])), DO(e[2].destruct()), DO(e[4].add<Hot>()));
    }

    TEST_CASE("instances of prefabs, with children, slots and overrides") {
        same_outcome(DO(e[0].is_a(s.prefab)), DO(e[1].child_of(e[0])), DO(e[0].set(Velocity{9, 9})),
                     DO(e[2].set(Velocity{8, 8}).is_a(s.prefab)),
                     DO(s.world.entity("more").child_of(s.prefab).add(s.likes, e[5])),
                     DO(e[3].is_a(s.prefab)), DO(e[3].add<Position>()),
                     DO(e[2].remove(kith::IsA, s.prefab)), DO(e[0].destruct()));
    }

    TEST_CASE("what an instance takes from its base is not written to later on") {
        same_outcome(DO(e[1].is_a(e[0])), DO(e[0].set(Label{"first"})), DO(e[1].add<Label>()),
                     DO(e[0].get_mut<Label>()->text = "second"), DO(e[2].is_a(e[0])),
                     DO(e[0].get_mut<Label>()->text = "third"));
        kith::world world;
        kith::entity base = world.entity().set_override(Label{"first"});
        kith::entity x = world.entity();
        world.defer([&] {
            base.set(Label{"second"});
            x.is_a(base);
            base.get_mut<Label>()->text = "third";
        });
        CHECK(x.get<Label>()->text == "second");
        CHECK(base.get<Label>()->text == "third");
    }

    TEST_CASE("a prefab that dies in the batch") {
        same_outcome(DO(e[0].is_a(s.prefab)), DO(s.slot.destruct()), DO(e[1].is_a(s.prefab)),
                     DO(s.prefab.destruct()), DO(e[0].add<Hot>()), DO(e[2].add<Position>()));
    }

    TEST_CASE("what comes with something, and cannot go before it") {
        same_outcome(DO(e[0].add(s.loves, e[1])), DO(e[0].remove(s.likes, e[1])),
                     DO(e[0].remove(s.loves, e[1])), DO(e[0].remove(s.likes, e[1])),
                     DO(e[2].add(s.loves, e[3]).add(s.loves, e[4])), DO(e[3].destruct()),
                     DO(e[2].clear()), DO(e[5].add(s.loves, e[5])));
    }

    TEST_CASE("world-wide removals between changes of single entities") {
        same_outcome(DO(e[0].add(s.likes, e[1]).set<Eats>(e[1], Eats{1})),
                     DO(e[2].add(s.likes, e[1]).add(s.allied, e[1])),
                     DO(s.world.remove_all(s.likes, kith::Wildcard)), DO(e[3].add(s.likes, e[1])),
                     DO(s.world.remove_all(kith::Wildcard, e[1])), DO(e[4].add(s.fate, e[1])),
                     DO(e[5].add(s.likes, e[4])), DO(s.world.delete_with(s.fate, kith::Wildcard)));
    }

    TEST_CASE("relationships that die, properties that come in between") {
        same_outcome(DO(e[0].add(s.likes, e[1]).add(s.likes, e[2])),
                     DO(s.likes.add(kith::Exclusive)), DO(e[0].remove(s.likes, e[1])),
                     DO(s.likes.add(kith::Exclusive)), DO(e[0].add(s.likes, e[3])),
                     DO(e[4].add(s.allied, e[5])), DO(s.allied.destruct()),
                     DO(e[4].add(s.one, e[5])), DO(s.one.add(kith::Sparse)),
                     DO(e[4].add(s.one, e[3])), DO(s.one.remove(kith::Sparse)));
    }

    TEST_CASE("clones and bulk entities of a batch") {
        same_outcome(DO(e[0].add(s.one, e[1]).add(s.allied, e[2]).set<Eats>(e[3], Eats{4})),
                     DO(e[0].clone()), DO(e[0].add(s.one, e[4])), DO(e[0].clone().set_name("copy")),
                     DO(const kith::id_t id = kith::make_pair(s.married, e[5]);
                        const void* none = nullptr; s.world.bulk(1, &id, 1, &none)),
                     DO(e[5].add(s.married, e[4])), DO(e[2].destruct()));
    }

    TEST_CASE("switches of pairs that are replaced") {
        same_outcome(DO(e[0].add(s.one, e[1]).set<Eats>(e[1], Eats{1})),
                     DO(e[0].disable(s.one, e[1])), DO(e[0].disable<Eats>(e[1])),
                     DO(e[0].add(s.one, e[2])), DO(e[0].add(s.one, e[1])),
                     DO(e[0].disable(s.one, e[2])), DO(e[0].set<Eats>(e[1], Eats{2})));
    }

    TEST_CASE("scopes and with inside of a batch") {
        same_outcome(
            DO(e[0].scope([&] { s.world.entity("in").add(s.one, e[1]); })),
            DO(s.world.with(s.one, e[2],
                            [&] { e[0].scope([&] { s.world.entity("both").add(s.one, e[3]); }); })),
            DO(s.world.with(s.allied, e[4], [&] { s.world.entity("friend"); })),
            DO(e[0].lookup("in").add<Hot>()), DO(e[3].destruct()));
    }

    TEST_CASE("new entities that are children, targets, sources and dead in one batch") {
        same_outcome(DO(s.world.entity("n1").child_of(e[0])),
                     DO(s.world.entity("n2").child_of(s.world.lookup("e0::n1"))),
                     DO(s.world.lookup("e0::n1::n2").add(s.fate, e[1])),
                     DO(e[2].add(s.fate, s.world.lookup("e0::n1"))),
                     DO(e[3].child_of(s.world.lookup("e0::n1::n2"))), DO(s.world.entity("n1")),
                     DO(e[1].destruct()));
    }

    TEST_CASE("a random batch ends as its commands do") {
        const bool sparse = for_both_storages();
        std::uint32_t seed = 1;
        for (int round = 0; round < 60; ++round) {
            scene single(sparse);
            scene batch(sparse);
            const std::uint32_t start = ++seed * 2654435761u;
            auto run = [&](scene& s, bool each) {
                std::uint32_t random = start;
                auto draw = [&](std::uint32_t limit) {
                    random = random * 1664525 + 1013904223;
                    return (random >> 9) % limit;
                };
                const kith::entity rels[] = {s.likes,   s.one,    s.allied,
                                             s.married, s.within, s.fate,
                                             s.loves,   s.sworn,  s.world.entity(kith::ChildOf)};
                auto command = [&] {
                    kith::entity x = s.e[draw(6)];
                    kith::entity y = s.e[draw(6)];
                    const kith::entity rel = rels[draw(9)];
                    const std::uint32_t kind = draw(12);
                    const int number = static_cast<int>(draw(100));
                    // A dead entity is an error at once, but a skipped command in a batch.
                    auto act = [&] {
                        switch (kind) {
                            case 0:
                                x.destruct();
                                break;
                            case 1:
                                x.clear();
                                break;
                            case 2:
                                x.remove(rel, kith::Wildcard);
                                break;
                            case 3:
                                x.remove(rel, y);
                                break;
                            case 4:
                                x.set<Eats>(y, Eats{number});
                                break;
                            case 5:
                                x.set<Label>(y, Label{std::to_string(number)});
                                break;
                            default:
                                x.add(rel, y);
                        }
                    };
                    if (each) {
                        error_of(act);
                    } else {
                        act();
                    }
                };
                for (int i = 0; i < 25; ++i) {
                    command();
                }
            };
            run(single, true);
            error_of([&] { batch.world.defer([&] { run(batch, false); }); });
            CAPTURE(round);
            single.world.check();
            batch.world.check();
            REQUIRE(batch.text() == single.text());
        }
    }

    TEST_CASE("a queued pair that is refused leaves nothing of what would come along") {
        kith::world world;
        auto exclusive = world.entity("exclusive").add(kith::Exclusive);
        auto bringer = world.entity("bringer").add(kith::With, exclusive);
        auto relation = world.entity("relation").add(kith::With, bringer);
        auto a = world.entity("a");
        auto b = world.entity("b");
        auto e = world.entity("e");
        CHECK(error_of([&] {
                  // (exclusive, b) would replace (exclusive, a), which (bringer, a) must have.
                  world.defer([&] { e.add(relation, a).add(relation, b); });
              }) == errc::constraint);
        CHECK(e.has(bringer, a));
        CHECK(e.target(exclusive) == a);
        CHECK_FALSE(e.has(bringer, b));
        CHECK_FALSE(e.has(relation, b));
        world.check();
    }
}

#undef DO
