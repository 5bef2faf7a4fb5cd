// Handles inside of values: weak by default, and changed by deletions where a member says so.
#include <kith/kith.hpp>
#include <kith/save.hpp>
#include <kith/snapshot.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith::errc;
using kith_test::error_of;
using kith_test::refusal;

struct Follows {
    kith::handle who;
    int distance;
};
struct Crew {
    std::vector<kith::handle> members;
    std::optional<kith::handle> captain;
    std::map<std::string, kith::handle> by_task;
    std::set<kith::entity_t> numbers;
    kith::entity last;
};
struct Squad {
    std::vector<Follows> inner;
};

// A world whose Follows::who has a policy.
struct following {
    explicit following(kith::entity_t policy) {
        world.component<Follows>().reflect().on("who").on_delete_target(policy);
    }
    kith::entity follower(kith::entity_t target) const {
        return world.entity().set(Follows{target, 3});
    }
    kith::world world;
};

struct Counted {
    kith::handle to;
};
struct Holder {
    Counted counted;
};

struct Cleared {
    std::vector<kith::handle> to;
};
struct Removed {
    kith::handle to;
};
struct Deleted {
    std::optional<kith::handle> to;
};

// Entities with handles of all policies, and the state that the test expects.
class random_graph {
public:
    explicit random_graph(unsigned seed) : random_(seed) {
        kith::reflect<Cleared, Removed, Deleted>();
        world_.component<Cleared>().on("to").on_delete_target(kith::Clear);
        world_.component<Removed>().on("to").on_delete_target(kith::Remove);
        world_.component<Deleted>().on("to").on_delete_target(kith::Delete);
        for (int i = 0; i < 24; ++i) {
            nodes_.push_back({world_.entity(), {}, -1, -1, true});
        }
        for (node& one : nodes_) {
            for (int i = number(3); i > 0; --i) {
                one.cleared.push_back(number(24));
            }
            one.removed = number(2) ? number(24) : -1;
            one.deleted = number(3) == 0 ? number(24) : -1;
            write(one);
            one.reference = one.entity.get_ref<Cleared>();
        }
    }
    // Values get other handles, in one of the ways in which programs write.
    void change_some() {
        for (int i = number(6); i > 0; --i) {
            node& one = nodes_[at(number(24))];
            if (one.alive && !one.cleared.empty()) {
                one.cleared.assign(1 + at(number(3)), number(24));
                change(one);
            }
            if (one.alive && one.deleted >= 0) {
                one.deleted = number(24);
                one.entity.set(Deleted{handle_to(one.deleted)});
            }
        }
    }
    void destroy_one() {
        const int chosen = number(24);
        if (!nodes_[at(chosen)].alive) {
            return;
        }
        expect_end(chosen);
        const auto destroy = [&] { nodes_[at(chosen)].entity.destruct(); };
        number(2) ? world_.defer(destroy) : destroy();
        for (const node& one : nodes_) {
            check(one);
        }
        world_.check();
    }

private:
    struct node {
        kith::entity entity;
        std::vector<int> cleared;  // -1: a null handle
        int removed;               // -1: the entity does not have the component
        int deleted;
        bool alive;
        kith::ref<Cleared> reference = {};
    };
    static std::size_t at(int index) { return static_cast<std::size_t>(index); }
    int number(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
    kith::handle handle_to(int index) const {
        return index < 0 ? kith::handle() : kith::handle(nodes_[at(index)].entity);
    }
    Cleared value_of(const node& one) const {
        Cleared value;
        for (const int to : one.cleared) {
            value.to.push_back(handle_to(to));
        }
        return value;
    }
    void change(node& one) {
        const Cleared value = value_of(one);
        switch (number(8)) {
            case 0:
                one.entity.set(value);
                break;
            case 1:
                *one.entity.get_mut<Cleared>() = value;
                break;
            case 2:
                *one.reference.get() = value;
                break;
            case 3:
                one.entity.get([&](Cleared& present) { present = value; });
                break;
            case 4:
                world_.defer([&] { one.entity.set(value); });
                break;
            case 5:
                world_.each([&](kith::entity entity, Cleared& present) {
                    present = entity == one.entity ? value : present;
                });
                break;
            case 6:
                all_.each([&](kith::entity entity, Cleared& present) {
                    present = entity == one.entity ? value : present;
                });
                break;
            default:
                one.entity.remove<Cleared>();
                one.entity.set(value);
                break;
        }
    }
    void write(node& one) {
        if (!one.cleared.empty()) {
            one.entity.set(value_of(one));
        }
        if (one.removed >= 0) {
            one.entity.set(Removed{handle_to(one.removed)});
        }
        if (one.deleted >= 0) {
            one.entity.set(Deleted{handle_to(one.deleted)});
        }
    }
    void expect_end(int index) {
        nodes_[at(index)].alive = false;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].alive && nodes_[i].deleted == index) {
                expect_end(static_cast<int>(i));
            }
        }
        for (node& one : nodes_) {
            std::replace(one.cleared.begin(), one.cleared.end(), index, -1);
            one.removed = one.removed == index ? -1 : one.removed;
        }
    }
    void check(const node& one) const {
        CHECK(one.entity.is_alive() == one.alive);
        if (!one.alive) {
            return;
        }
        CHECK(one.entity.has<Removed>() == (one.removed >= 0));
        CHECK(one.entity.has<Deleted>() == (one.deleted >= 0));
        REQUIRE(one.entity.has<Cleared>() == !one.cleared.empty());
        for (std::size_t i = 0; i < one.cleared.size(); ++i) {
            CHECK(one.entity.get<Cleared>()->to[i].id() == handle_to(one.cleared[i]).id());
        }
    }

    kith::world world_;
    kith::query<Cleared> all_ = world_.query<Cleared>();
    std::mt19937 random_;
    std::vector<node> nodes_;
};

}  // namespace

TEST_SUITE("features.values.handles") {
    // spec 524, 81
    TEST_CASE("a handle is weak: the value stays, and never means the next entity of its index") {
        kith::world world;
        kith::reflect<Follows>();
        kith::entity target = world.entity();
        const kith::entity_t id = target;
        const kith::entity holder = world.entity().set(Follows{target, 1});
        target.destruct();
        CHECK(holder.get<Follows>()->who.id() == id);
        const kith::entity next = world.entity();
        CHECK(kith::index_of(next) == kith::index_of(id));
        CHECK(holder.get<Follows>()->who.id() != next.id());
        CHECK_FALSE(world.is_alive(holder.get<Follows>()->who));
    }

    // spec 524
    TEST_CASE("dangling() lists handles to the dead, with their paths") {
        kith::world world;
        kith::reflect<Follows, Crew, Squad>();
        const kith::entity dead = world.entity();
        const kith::entity alive = world.entity();
        const kith::entity ship = world.entity("Ship").set(
            Crew{{alive, dead}, dead, {{"a b", alive}, {"cook", dead}}, {}, dead});
        world.entity("Solo").set(Follows{alive, 1});
        world.component<Squad>().add(kith::Sparse);
        world.entity("Group").set(Squad{{{alive, 1}, {dead, 2}}});
        world.entity("Pair").set<Follows>(alive, {dead, 1});
        kith::entity(dead).destruct();
        std::set<std::pair<std::string, std::string>> found;
        world.dangling([&](kith::entity owner, kith::id id, const char* path, kith::entity_t to) {
            CHECK(to == dead);
            CHECK(owner.has(id));
            found.insert({std::string(owner.name()), path});
        });
        CHECK(found == std::set<std::pair<std::string, std::string>>{{"Ship", "members[1]"},
                                                                     {"Ship", "captain"},
                                                                     {"Ship", "by_task[\"cook\"]"},
                                                                     {"Ship", "last"},
                                                                     {"Group", "inner[1].who"},
                                                                     {"Pair", "who"}});
        // The program may change the world while it hears of them.
        world.dangling([&](kith::entity owner, kith::id, const char*, kith::entity_t) {
            if (owner.is_alive()) {
                owner.destruct();
            }
        });
        int left = 0;
        world.dangling([&](auto&&...) { ++left; });
        CHECK(left == 0);
        CHECK_FALSE(ship.is_alive());
    }

    // spec 525
    TEST_CASE("Clear makes the handle null and notifies OnSet, while the target still exists") {
        following fixture(kith::Clear);
        kith::entity target = fixture.world.entity("target");
        const kith::entity holder = fixture.follower(target);
        const kith::entity other = fixture.follower(fixture.world.entity());
        int sets = 0;
        fixture.world.observer<Follows>()
            .event(kith::OnSet)
            .each([&](kith::entity entity, Follows& value) {
                ++sets;
                CHECK(entity == holder);
                CHECK(value.who.id() == 0);
                CHECK(target.is_alive());
            });
        target.destruct();
        CHECK(sets == 1);
        CHECK(holder.get<Follows>()->who.id() == 0);
        CHECK(holder.get<Follows>()->distance == 3);
        CHECK(other.get<Follows>()->who.id() != 0);
        fixture.world.check();
    }

    // spec 525
    TEST_CASE("Remove takes the component away, and is notified like any removal") {
        following fixture(kith::Remove);
        kith::entity target = fixture.world.entity();
        const kith::entity holder = fixture.follower(target);
        int removed = 0;
        fixture.world.observer<Follows>()
            .event(kith::OnRemove)
            .each([&](kith::entity entity, Follows& value) {
                ++removed;
                CHECK(entity == holder);
                CHECK(value.who.id() == target.id());
            });
        target.destruct();
        CHECK(removed == 1);
        CHECK(holder.is_alive());
        CHECK_FALSE(holder.has<Follows>());
        fixture.world.check();
    }

    // spec 525
    TEST_CASE("Delete ends the owner, along chains, and cycles end") {
        int deleted = 0;  // outlives the world, whose end removes values as well
        following fixture(kith::Delete);
        kith::entity first = fixture.world.entity();
        std::vector<kith::entity> chain{first};
        for (int i = 0; i < 50; ++i) {
            chain.push_back(fixture.follower(chain.back()));
        }
        first.set(Follows{chain.back(), 0});  // a cycle
        const kith::entity apart = fixture.follower(fixture.world.entity());
        const kith::entity self = fixture.world.entity();
        kith::entity(self).set(Follows{self, 0});
        fixture.world.observer<Follows>().event(kith::OnRemove).each([&](Follows&) { ++deleted; });
        chain[20].destruct();
        for (const kith::entity& one : chain) {
            CHECK_FALSE(one.is_alive());
        }
        CHECK(deleted == 51);
        CHECK(apart.is_alive());
        kith::entity(self).destruct();
        CHECK_FALSE(self.is_alive());
        fixture.world.check();
    }

    // spec 525
    TEST_CASE("owners end before the entity that their handle names") {
        std::vector<kith::entity_t> order;
        following fixture(kith::Delete);
        const kith::entity tag = fixture.world.entity();
        kith::entity target = fixture.world.entity().add(tag);
        const kith::entity holder = fixture.follower(target).add(tag);
        fixture.world.observer().event(kith::OnRemove).with(tag).each([&](kith::entity entity) {
            order.push_back(entity);
        });
        target.destruct();
        CHECK(order == std::vector<kith::entity_t>{holder, target});
    }

    // spec 525
    TEST_CASE("handles in lists, optionals, maps and nested types follow the policy") {
        kith::world world;
        kith::reflect<Follows, Crew, Squad>();
        world.component<Crew>()
            .on("members")
            .on_delete_target(kith::Clear)
            .on("captain")
            .on_delete_target(kith::Remove)
            .on("by_task")
            .on_delete_target(kith::Clear);
        world.component<Follows>().on("who").on_delete_target(kith::Delete);
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b");
        kith::entity c = world.entity("c");
        const kith::entity ship =
            world.entity("Ship").set(Crew{{a, b, a}, b, {{"x", a}, {"y", b}}, {}, a});
        const kith::entity group = world.entity("Group").set(Squad{{{b, 1}, {c, 2}}});
        a.destruct();
        const Crew* crew = ship.get<Crew>();
        REQUIRE(crew);
        CHECK(crew->members == std::vector<kith::handle>{kith::handle(), b, kith::handle()});
        CHECK(crew->by_task.at("x").id() == 0);
        CHECK(crew->by_task.at("y").id() == b.id());
        CHECK(crew->last.id() != 0);  // no policy: the handle is weak
        c.destruct();
        CHECK_FALSE(group.is_alive());  // the type of an element has a policy
        b.destruct();
        CHECK(ship.is_alive());
        CHECK_FALSE(ship.has<Crew>());  // Remove is stronger than Clear
        world.check();
    }

    // spec 525
    TEST_CASE("elements of sets and keys of maps that name the entity are erased") {
        struct Known {
            std::set<kith::handle> all;
            std::map<kith::handle, kith::handle> pairs;
        };
        kith::world world;
        kith::reflect<Known>();
        world.component<Known>()
            .on("all")
            .on_delete_target(kith::Clear)
            .on("pairs")
            .on_delete_target(kith::Clear);
        kith::entity a = world.entity();
        const kith::entity b = world.entity();
        const kith::entity one = world.entity().set(Known{{a, b}, {{a, b}, {b, a}}});
        a.destruct();
        CHECK(one.get<Known>()->all == std::set<kith::handle>{b});
        CHECK(one.get<Known>()->pairs == std::map<kith::handle, kith::handle>{{b, kith::handle()}});
    }

    // spec 525
    TEST_CASE("policies hold for pairs, sparse components, prefabs and types without C++") {
        kith::world world;
        kith::reflect<Follows>();
        world.component<Follows>().on("who").on_delete_target(kith::Clear).add(kith::Sparse);
        const kith::entity type =
            world.component("Link").member(kith::Entity, "to").on_delete_target(kith::Remove);
        kith::entity target = world.entity();
        const kith::entity sparse = world.entity().set(Follows{target, 1});
        const kith::entity base = world.prefab().set(Follows{target, 2});
        const kith::entity instance = world.entity().is_a(base);
        kith::entity linked = world.entity().add(type);
        kith::edit(linked, type).set("to", target);
        const kith::entity paired = world.entity().set<Follows>(world.entity(), {target, 4});
        target.destruct();
        CHECK(sparse.get<Follows>()->who.id() == 0);
        CHECK(instance.get<Follows>()->who.id() == 0);
        CHECK_FALSE(linked.has(type));
        int dead = 0;
        world.dangling([&](auto&&...) { ++dead; });
        CHECK(dead == 0);
        CHECK(paired.is_alive());
        world.check();
    }

    // spec 525
    TEST_CASE("deferred and mass deletions, and deletions by relationships, follow the policies") {
        following fixture(kith::Delete);
        const kith::entity tag = fixture.world.entity();
        std::vector<kith::entity> holders;
        for (int i = 0; i < 20; ++i) {
            holders.push_back(fixture.follower(fixture.world.entity().add(tag)));
        }
        kith::entity parent = fixture.world.entity();
        const kith::entity of_child = fixture.follower(fixture.world.entity().child_of(parent));
        kith::entity late = fixture.world.entity();
        const kith::entity of_late = fixture.follower(late);
        fixture.world.defer([&] {
            late.destruct();
            CHECK(of_late.is_alive());
        });
        CHECK_FALSE(of_late.is_alive());
        parent.destruct();
        CHECK_FALSE(of_child.is_alive());
        fixture.world.delete_with(tag);
        for (const kith::entity& holder : holders) {
            CHECK_FALSE(holder.is_alive());
        }
        fixture.world.check();
    }

    // spec 525
    TEST_CASE("a deletion that must not remove the component is refused, and changes nothing") {
        following fixture(kith::Remove);
        const kith::entity tag = fixture.world.entity();
        kith::entity(tag).add(kith::With, fixture.world.component<Follows>());
        kith::entity target = fixture.world.entity();
        kith::entity holder = fixture.follower(target);
        holder.add(tag);
        const auto code = refusal(fixture.world, [&] { target.destruct(); });
        CHECK(code == errc::constraint);
        holder.remove(tag);
        // The table of the holder is being iterated.
        fixture.world.query<Follows>().each([&](kith::entity, Follows&) {
            CHECK(error_of([&] { target.destruct(); }) == errc::locked);
        });
        CHECK(target.is_alive());
        target.destruct();
        CHECK_FALSE(holder.has<Follows>());
        fixture.world.check();
    }

    // spec 525
    TEST_CASE("monitors see the end of a result in the batch of the deletion") {
        following fixture(kith::Remove);
        kith::entity target = fixture.world.entity();
        fixture.follower(target);
        int left = 0;
        auto query = fixture.world.query<Follows>();
        auto monitor =
            query.on_leave([&](kith::iter& it) { left += static_cast<int>(it.count()); });
        target.destruct();
        CHECK(left == 1);
    }

    // spec 525
    TEST_CASE("random graphs of handles: deletions change what the policies say, and no more") {
        for (unsigned seed = 1; seed <= 60; ++seed) {
            INFO("seed ", seed);
            random_graph graph(seed);
            for (int i = 0; i < 8; ++i) {
                graph.destroy_one();
                graph.change_some();
            }
        }
    }

    // spec 525
    TEST_CASE("types that a text declares have policies, which are saved") {
        kith::world world;
        kith::load_text(world,
                        "struct Link { to: entity (on_delete_target: \"Delete\"), near: [entity] "
                        "(on_delete_target: \"Clear\") }\n"
                        "A {}\nB {}\nOne: Link = {A}\nTwo: Link = {near: [A, B]}\n");
        const std::string saved = kith::save_text(world);
        kith::world copy;
        kith::load_text(copy, saved);
        CHECK(kith::save_text(copy) == saved);
        copy.lookup("A").destruct();
        CHECK_FALSE(copy.lookup("One"));
        CHECK(kith::value_of(copy.lookup("Two"), copy.lookup("Link")).str() ==
              "{to: 0, near: [0, B]}");
        for (const char* text : {"struct X { a: f32 (on_delete_target: \"Clear\") }",
                                 "struct X { a: entity (on_delete_target: \"Panic\") }",
                                 "struct X { a: entity (on_delete_target: Clear) }"}) {
            CHECK(refusal(copy, [&] { kith::load_text(copy, text); }) == errc::invalid_text);
        }
    }

    // spec 525
    TEST_CASE("a deletion reads the values that may name its entity, and no others") {
        kith::world world;
        int reads = 0;
        kith::reflect<kith::handle>();
        static int* counter;
        counter = &reads;
        world.component<Counted>().opaque(
            [](const Counted& value) {
                ++*counter;
                return value.to;
            },
            [](Counted& value, const kith::handle& to) { value.to = to; });
        world.component<Holder>().reflect().on("counted").on_delete_target(kith::Clear);
        std::vector<kith::entity> targets;
        for (int i = 0; i < 1000; ++i) {
            targets.push_back(world.entity());
        }
        std::vector<kith::entity> holders;
        for (const kith::entity& target : targets) {
            holders.push_back(world.entity().set(Holder{{target}}));
        }
        targets[0].destruct();
        CHECK(holders[0].get<Holder>()->counted.to.id() == 0);
        for (std::size_t i = 1; i < 100; ++i) {
            reads = 0;
            targets[i].destruct();
            CHECK(reads < 20);
            CHECK(holders[i].get<Holder>()->counted.to.id() == 0);
        }
        reads = 0;
        world.defer([&] {
            for (std::size_t i = 100; i < 150; ++i) {
                targets[i].destruct();
            }
        });
        CHECK(reads < 1000);
        CHECK(holders[149].get<Holder>()->counted.to.id() == 0);
        // Without handles to it, the end of an entity reads nothing but what was written.
        reads = 0;
        world.entity().destruct();
        CHECK(reads < 20);
    }

    // spec 525, 572
    TEST_CASE("worlds that are opened from a snapshot have the policies") {
        following fixture(kith::Clear);
        const kith::entity target = fixture.world.entity("Target");
        fixture.follower(target).set_name("Holder");
        const kith::snapshot taken = fixture.world.snapshot().take();
        const kith::world opened = taken.open();
        opened.lookup("Target").destruct();
        CHECK(opened.lookup("Holder").get<Follows>()->who.id() == 0);
        const kith::world other;
        kith::snapshot(taken).restore_into(other);
        other.lookup("Target").destruct();
        CHECK(other.lookup("Holder").get<Follows>()->who.id() == 0);
    }

    // spec 525, 575
    TEST_CASE("worlds that are loaded exactly have the policies of the file") {
        kith::world world;
        kith::load_text(world,
                        "struct Link { to: entity (on_delete_target: \"Clear\") }\n"
                        "Target {}\nHolder: Link = {Target}\n");
        const std::string file = kith::save_to_string(world);
        const kith::world loaded;
        CHECK(kith::load_from_string(loaded, file).exact);
        loaded.lookup("Target").destruct();
        CHECK(loaded.lookup("Holder").value(loaded.lookup("Link")).str() == "{to: 0}");
    }

    // spec 525
    TEST_CASE("wrong policies are refused") {
        kith::world world;
        kith::reflect<Follows>();
        auto follows = world.component<Follows>();
        CHECK(error_of([&] { follows.on_delete_target(kith::Clear); }) == errc::invalid_operation);
        follows.on("distance");
        CHECK(error_of([&] { follows.on_delete_target(kith::Clear); }) == errc::wrong_type);
        follows.on("who");
        CHECK(error_of([&] { follows.on_delete_target(kith::Panic); }) == errc::invalid_operation);
        CHECK(error_of([&] { follows.on_delete_target(0); }) == errc::invalid_operation);
    }
}
