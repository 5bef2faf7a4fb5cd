// A change of relationships that finds no memory leaves the world as it was, wherever it fails;
// those that run many changes leave it sound and usable.
#include <kith/kith.hpp>

#include "support/counting_resource.hpp"
#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;

namespace {

struct scene {
    // Every block is asked for by itself, so that each can fail.
    scene(counting_resource& memory, bool sparse) : world(kith::use_memory(memory, false)) {
        register_all(world);
        set_hierarchy(world, sparse);
        likes = make_relation(world, sparse, "likes");
        one = make_relation(world, sparse, "one").add(kith::Exclusive);
        allied = make_relation(world, sparse, "allied").add(kith::Symmetric);
        married = make_relation(world, sparse, "married").add(kith::Symmetric).add(kith::Exclusive);
        within = make_relation(world, sparse, "within").add(kith::Acyclic);
        fate = make_relation(world, sparse, "fate").add(kith::OnDeleteTarget, kith::Delete);
        loves = make_relation(world, sparse, "loves").add(kith::With, likes);
        make_relation<Label>(world, sparse);
        own = make_relation(world, sparse, "own").add(kith::Tag);
        own.add(own, likes).add(own, own).add(own);
        peers = make_relation(world, sparse, "peers").add(kith::Symmetric);
        peers.add(peers, likes).add(peers, own).add(likes, one);
        a = world.entity("a").add(one, likes).add(within, likes).add(married, married);
        b = world.entity("b").set<Label>(a, Label{"a text that is too long for small strings"});
        c = world.entity("c").child_of(b).add(likes, a).add(fate, a).set(Position{1, 1});
        d = world.entity().add(married, likes);
        base = world.entity("base").set(Label{"another text that is too long for them"});
        prefab = world.prefab("prefab").set(Label{"x"}).override<Label>();
        world.prefab("part").child_of(prefab).slot().set(Label{"y"});
    }

    kith::world world;
    kith::entity likes, one, allied, married, within, fate, loves, own, peers;
    kith::entity a, b, c, d, base, prefab;
};

struct operation {
    const char* name;
    void (*run)(scene& s);
};

// One change each: all or nothing.
const operation single[] = {
    {"add pair", [](scene& s) { s.a.add(s.likes, s.b); }},
    {"add second pair", [](scene& s) { s.c.add(s.likes, s.b); }},
    {"add pair of new relation", [](scene& s) { s.c.add(s.d, s.b); }},
    {"set value", [](scene& s) { s.a.set<Label>(s.b, Label{"t"}); }},
    {"set second value", [](scene& s) { s.b.set<Label>(s.c, Label{"t"}); }},
    {"get_mut", [](scene& s) { s.b.get_mut<Label>(s.c); }},
    {"replace", [](scene& s) { s.a.add(s.one, s.b); }},
    {"ally", [](scene& s) { s.a.add(s.allied, s.b); }},
    {"marry", [](scene& s) { s.a.add(s.married, s.b); }},
    {"marry twice", [](scene& s) { s.a.add(s.married, s.d); }},
    {"acyclic", [](scene& s) { s.b.add(s.within, s.a); }},
    {"with", [](scene& s) { s.b.add(s.loves, s.a); }},
    {"child", [](scene& s) { s.a.child_of(s.b); }},
    {"reparent", [](scene& s) { s.c.child_of(s.a); }},
    {"orphan", [](scene& s) { s.c.remove(kith::ChildOf, s.b); }},
    {"is_a", [](scene& s) { s.a.is_a(s.base); }},
    {"override", [](scene& s) { s.base.override<Label>(); }},
    {"remove", [](scene& s) { s.c.remove(s.likes, s.a); }},
    {"remove value", [](scene& s) { s.b.remove<Label>(s.a); }},
    {"divorce", [](scene& s) { s.d.remove(s.married, s.likes); }},
    {"remove all targets", [](scene& s) { s.c.remove(s.likes, kith::Wildcard); }},
    {"disable", [](scene& s) { s.c.disable(s.likes, s.a); }},
    {"clear", [](scene& s) { s.d.clear(); }},
    {"clear relation with own pairs", [](scene& s) { s.own.clear(); }},
    {"clear symmetric relation", [](scene& s) { s.peers.clear(); }},
    {"clone", [](scene& s) { s.c.clone(); }},
    {"clone symmetric", [](scene& s) { s.d.clone(); }},
    {"make sparse", [](scene& s) { s.likes.add(kith::Sparse); }},
    {"make dense", [](scene& s) { s.likes.remove(kith::Sparse); }},
    {"migrate values", [](scene& s) { s.world.component<Label>().add(kith::Sparse); }},
    {"migrate hierarchy",
     [](scene& s) { set_hierarchy(s.world, !s.world.entity(kith::ChildOf).has(kith::Sparse)); }},
    {"make exclusive", [](scene& s) { s.likes.add(kith::Exclusive); }},
    {"make acyclic", [](scene& s) { s.likes.add(kith::Acyclic); }},
    {"make symmetric", [](scene& s) { s.d.add(kith::Symmetric); }},
    {"relation", [](scene& s) { s.world.relation(s.d, {.exclusive = true, .acyclic = true}); }},
    {"bulk",
     [](scene& s) {
         const kith::id_t ids[] = {s.world.pair(s.likes, s.b), s.world.pair(s.allied, s.a)};
         const void* none[] = {nullptr, nullptr};
         s.world.bulk(20, ids, 2, none);
     }},
};

// Many changes each: a sound world.
const operation many[] = {
    {"instantiate", [](scene& s) { s.b.is_a(s.prefab); }},
    {"cascade", [](scene& s) { s.a.destruct(); }},
    {"delete relation", [](scene& s) { s.likes.destruct(); }},
    {"remove_all", [](scene& s) { s.world.remove_all(kith::Wildcard, s.a); }},
    {"delete_with", [](scene& s) { s.world.delete_with(s.fate, s.a); }},
    {"prefab child", [](scene& s) { s.b.child_of(s.prefab); }},
    {"batch",
     [](scene& s) {
         s.world.defer([&] {
             s.a.add(s.married, s.d).add(s.one, s.b);
             s.b.set<Label>(s.c, Label{"a text that is too long for small strings"});
             s.world.entity("new").child_of(s.a).is_a(s.prefab);
             s.c.destruct();
         });
     }},
};

// The operation with its nth allocation failing. False if it needed fewer.
bool fails(const operation& tried, bool sparse, std::size_t n, bool all_or_nothing) {
    const std::string name = tried.name;
    CAPTURE(name);
    CAPTURE(n);
    counting_resource memory;
    bool failed = false;
    {
        scene s(memory, sparse);
        const std::string before = dump_world(s.world, all_values());
        memory.fail_in(n);
        try {
            tried.run(s);
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        memory.work_again();
        CHECK_NOTHROW(s.world.check());
        CHECK_FALSE(s.world.is_deferred());
        CHECK(is_mutual(s.world, s.allied));
        CHECK(is_mutual(s.world, s.married));
        if (failed && all_or_nothing) {
            CHECK(dump_world(s.world, all_values()) == before);
            CHECK_NOTHROW(tried.run(s));
            CHECK_NOTHROW(s.world.check());
        }
    }
    CHECK(memory.blocks() == 0);
    return failed;
}

}  // namespace

TEST_SUITE("features.memory.failure_relationships") {
    TEST_CASE("a single change is done or not at all") {
        const bool sparse = for_both_storages();
        int failures = 0;
        for (const operation& tried : single) {
            for (std::size_t n = 1; fails(tried, sparse, n, true); ++n) {
                ++failures;
                REQUIRE(n < 10000);
            }
        }
        CHECK(failures > 30);
    }

    TEST_CASE("many changes at once leave a sound world") {
        const bool sparse = for_both_storages();
        int failures = 0;
        for (const operation& tried : many) {
            for (std::size_t n = 1; fails(tried, sparse, n, false); ++n) {
                ++failures;
                REQUIRE(n < 10000);
            }
        }
        CHECK(failures > 10);
    }
}
