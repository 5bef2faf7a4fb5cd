// Sparse relationships: targets do not split tables, and nothing else is different.
#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct Payload {
    char bytes[64] = {};
};

struct fixture : world_fixture {
    kith::entity rel = make_relation(world, true, "rel");
    kith::entity eats = make_relation<Eats>(world, true);
    kith::entity a = world.entity("a");
    kith::entity b = world.entity("b");
    kith::entity e = world.entity("e");
};

// Bytes that a world needs for `pairs` pairs of a sparse relationship, spread over `targets`.
template <class Give>
std::size_t bytes_for(int pairs, int targets, Give&& give) {
    kith::world world;
    kith::entity rel = make_relation(world, true);
    make_relation<Payload>(world, true);
    entity_list all;
    for (int i = 0; i < pairs; ++i) {
        all.push_back(world.entity());
    }
    world.shrink();
    const std::size_t before = world.stats().bytes_total;
    for (int i = 0; i < pairs; ++i) {
        give(all[static_cast<std::size_t>(i)], rel, all[static_cast<std::size_t>(i % targets)]);
    }
    const std::size_t after = world.stats().bytes_total;
    world.check();
    return after - before;
}

void give_tag(kith::entity e, kith::entity rel, kith::entity target) {
    e.add(rel, target);
}
void give_payload(kith::entity e, kith::entity, kith::entity target) {
    e.add<Payload>(target);
}

}  // namespace

TEST_SUITE("features.relationships.sparse_relationships") {
    // spec 306, 313
    TEST_CASE("a hundred thousand targets make no table") {
        kith::world world;
        kith::entity rel = make_relation(world, true);
        make_relation<Eats>(world, true);
        entity_list targets;
        for (int i = 0; i < 100000; ++i) {
            targets.push_back(world.entity());
        }
        kith::entity first = world.entity().set(Position{0, 0});
        first.add(rel, targets[0]).set<Eats>(targets[0], Eats{1});
        const std::size_t tables = world.stats().tables;
        entity_list sources;
        for (std::size_t i = 0; i < targets.size(); ++i) {
            kith::entity source = world.entity().set(Position{1, 1});
            source.add(rel, targets[i]).set<Eats>(targets[i], Eats{static_cast<int>(i)});
            sources.push_back(source);
        }
        CHECK(world.stats().tables == tables);
        CHECK(static_cast<kith::table_t*>(sources[0].table()) ==
              static_cast<kith::table_t*>(sources[99999].table()));
        CHECK(sources[70000].get<Eats>(targets[70000])->amount == 70000);
        CHECK(world.count(rel, kith::Wildcard) == 100001);
        CHECK(sources_of(targets[123], rel) == entity_list{sources[123]});
        for (std::size_t i = 0; i < targets.size(); i += 2) {
            targets[i].destruct();
        }
        CHECK(world.count(rel, kith::Wildcard) == 50000);
        CHECK(world.count<Position>() == 100001);
        CHECK(world.stats().tables <= tables);
        world.check();
    }

    // spec 306
    TEST_CASE("a dense relationship makes a table per target, a sparse one does not") {
        for (bool sparse : {false, true}) {
            kith::world world;
            kith::entity rel = make_relation(world, sparse);
            entity_list targets;
            for (int i = 0; i < 1000; ++i) {
                targets.push_back(world.entity());
            }
            const std::size_t before = world.stats().tables;
            for (kith::entity target : targets) {
                world.entity().add(rel, target);
            }
            const std::size_t grown = world.stats().tables - before;
            CHECK(grown == (sparse ? 0 : 1000));
        }
    }

    // spec 313
    TEST_CASE("memory follows the number of pairs, not that of targets or entities") {
        const std::size_t one = bytes_for(100000, 1, give_tag);
        const std::size_t some = bytes_for(100000, 1000, give_tag);
        const std::size_t each = bytes_for(100000, 100000, give_tag);
        CHECK(some <= 2 * one + 100000);
        CHECK(each <= 4 * one);
        const std::size_t twice = bytes_for(200000, 1000, give_tag);
        CHECK(twice <= some * 5 / 2);
        CHECK(each / 100000 <= 160);
    }

    // spec 311
    TEST_CASE("a relationship without data stores nothing but targets") {
        const std::size_t tags = bytes_for(50000, 100, give_tag);
        const std::size_t values = bytes_for(50000, 100, give_payload);
        CHECK(tags + 50000 * sizeof(Payload) <= values + values / 4);
        CHECK(tags / 50000 <= 96);
    }

    TEST_CASE("what was removed gives its memory back") {
        kith::world world;
        kith::entity rel = make_relation(world, true);
        entity_list all;
        for (int i = 0; i < 50000; ++i) {
            all.push_back(world.entity());
        }
        world.shrink();
        const std::size_t before = world.stats().bytes_sparse;
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].add(rel, all[i / 2]).add(rel, all[i / 3]);
        }
        const std::size_t full = world.stats().bytes_sparse;
        world.remove_all(rel, kith::Wildcard);
        world.shrink();
        const std::size_t after = world.stats().bytes_sparse;
        CHECK(full > before);
        CHECK(after - before <= (full - before) / 4);
        world.check();
    }

    // spec 313
    TEST_CASE_FIXTURE(fixture, "adding and removing pairs moves no row") {
        e.set(Position{1, 2});
        const kith::table_t* table = e.table();
        const void* value = e.get<Position>();
        e.add(rel, a).add(rel, b).set<Eats>(a, Eats{1});
        CHECK(static_cast<kith::table_t*>(e.table()) == table);
        CHECK(e.get<Position>() == value);
        e.remove(rel, a).remove<Eats>(a);
        CHECK(static_cast<kith::table_t*>(e.table()) == table);
        CHECK(e.get<Position>() == value);
    }

    // spec 314
    TEST_CASE_FIXTURE(fixture, "the sources of one target are found directly, and counted") {
        for (int i = 0; i < 1000; ++i) {
            world.entity().add(rel, a);
        }
        kith::entity x = world.entity().add(rel, b).add(rel, a);
        CHECK(matches_of(world, kith::make_pair(rel, b)) == entity_list{x});
        CHECK(world.count(rel, b) == 1);
        CHECK(world.count(rel, a) == 1001);
        CHECK(sources_of(b, rel) == entity_list{x});
        CHECK(matches_of(world, kith::make_pair(kith::Wildcard, b)).size() == 1);
    }

    // spec 315
    TEST_CASE_FIXTURE(fixture, "a value is read by its target") {
        e.set<Eats>(a, Eats{1}).set<Eats>(b, Eats{2});
        CHECK(e.get<Eats>(a)->amount == 1);
        CHECK(e.get<Eats>(b)->amount == 2);
        CHECK(e.get<Eats>(e.target<Eats>()) != nullptr);
        CHECK(e.get<Eats>(e) == nullptr);
        CHECK(e.get<Eats>() == nullptr);
        CHECK(static_cast<const Eats*>(e.get(world.pair<Eats>(b)))->amount == 2);
    }

    // spec 316
    TEST_CASE("the same script leaves the same world, dense or sparse") {
        std::string text[2];
        for (int sparse = 0; sparse < 2; ++sparse) {
            kith::world world;
            register_all(world);
            kith::entity rel = world.entity("rel");
            kith::entity one = world.entity("one").add(kith::Exclusive);
            if (sparse) {
                rel.add(kith::Sparse);
                one.add(kith::Sparse);
                world.component<Eats>().add(kith::Sparse);
            }
            entity_list all;
            for (int i = 0; i < 20; ++i) {
                all.push_back(world.entity());
            }
            std::uint32_t random = 7;
            auto draw = [&] {
                random = random * 1664525 + 1013904223;
                return all[(random >> 10) % all.size()];
            };
            for (int i = 0; i < 2000; ++i) {
                kith::entity x = draw();
                kith::entity y = draw();
                switch (i % 11) {
                    case 0:
                        x.add(rel, y);
                        break;
                    case 1:
                        x.add(one, y);
                        break;
                    case 2:
                        x.set<Eats>(y, Eats{i});
                        break;
                    case 3:
                        x.remove(rel, y);
                        break;
                    case 4:
                        x.remove<Eats>(kith::Wildcard);
                        break;
                    case 5:
                        x.add<Hot>().set(Position{i, i});
                        break;
                    case 6:
                        x.get_mut<Eats>(y)->amount += 1;
                        break;
                    case 7:
                        world.remove_all(rel, y);
                        break;
                    case 8:
                        x.add<Eats>(y).disable<Eats>(y);
                        break;
                    case 9:
                        world.defer([&] { x.add(one, y).add(rel, x).set<Eats>(x, Eats{-i}); });
                        break;
                    default:
                        if (i % 5 == 0) {
                            std::replace(all.begin(), all.end(), x, y);
                            if (x != y) {
                                x.destruct();
                                all.push_back(world.entity());
                            }
                        } else {
                            x.clear();
                        }
                }
            }
            world.check();
            text[sparse] = dump_entities(world, all_values());
        }
        // The properties differ, the rest does not.
        for (std::string& each : text) {
            for (std::size_t at; (at = each.find(", Sparse")) != std::string::npos;) {
                each.erase(at, 8);
            }
            for (std::size_t at; (at = each.find("Sparse, ")) != std::string::npos;) {
                each.erase(at, 8);
            }
        }
        CHECK(text[0] == text[1]);
    }

    TEST_CASE_FIXTURE(fixture, "pairs are switched off and on one by one") {
        e.set<Eats>(a, Eats{1}).set<Eats>(b, Eats{2}).add(rel, a);
        e.disable<Eats>(a).disable(rel, a);
        CHECK_FALSE(e.enabled<Eats>(a));
        CHECK(e.enabled<Eats>(b));
        CHECK_FALSE(e.enabled(rel, a));
        CHECK(e.has<Eats>(a));
        CHECK(e.get<Eats>(a)->amount == 1);
        e.remove<Eats>(a).add<Eats>(a);
        CHECK(e.enabled<Eats>(a));
        e.add<Hot>();
        CHECK_FALSE(e.enabled(rel, a));
        e.enable(rel, a);
        CHECK(e.enabled(rel, a));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "values keep their address while others come and go") {
        e.set<Eats>(a, Eats{7});
        const Eats* value = e.get<Eats>(a);
        for (int i = 0; i < 2000; ++i) {
            world.entity().set<Eats>(i % 2 ? a : b, Eats{i});
        }
        e.add<Eats>(b).add<Hot>();
        world.delete_with(eats, b);
        CHECK_FALSE(e.is_alive());
        kith::entity x = world.entity().set<Eats>(a, Eats{8});
        value = x.get<Eats>(a);
        for (kith::entity other : sources_of(a, eats)) {
            if (other != x) {
                other.remove<Eats>(a);
            }
        }
        CHECK(x.get<Eats>(a) == value);
        CHECK(value->amount == 8);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "pairs go when elements die, in whatever role") {
        e.add(rel, a).set<Eats>(a, Eats{1}).add(rel, e);
        a.add(rel, e);
        kith::entity both = make_relation(world, true);
        e.add(both, both).add(rel, both);
        both.destruct();
        CHECK(targets_of(e, rel) == entity_list{a, e});
        a.destruct();
        CHECK(targets_of(e, rel) == entity_list{e});
        CHECK_FALSE(e.has<Eats>(kith::Wildcard));
        rel.destruct();
        CHECK(e.type().count() == 1);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a sparse relationship in use under Panic is not deleted") {
        e.set<Eats>(b, Eats{1});
        CHECK(refusal(world, all_values(), [&] { eats.destruct(); }) == errc::in_use);
        e.remove<Eats>(b);
        CHECK_NOTHROW(eats.destruct());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "visiting sources locks nothing that is not visited") {
        e.add(rel, a);
        kith::entity x = world.entity().add(rel, a);
        // Other entities may change their pairs while the sources of a target are visited by a
        // deferring program; it ends with the state of the commands in order.
        world.defer([&] {
            a.children(rel, [&](kith::entity source) { source.add(rel, b).remove(rel, a); });
        });
        CHECK(sources_of(a, rel).empty());
        CHECK(sources_of(b, rel) == entity_list{e, x});
        world.check();
    }
}
