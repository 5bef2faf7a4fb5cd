// world.relation: all properties of a relationship in one declaration, all or nothing.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct DockedTo {};
struct Weight {
    int amount = 0;
};

struct fixture {
    fixture() {
        register_all(world);
        world.component<DockedTo>();
        world.component<Weight>();
    }

    kith::world world;
    kith::entity a = world.entity("a");
    kith::entity b = world.entity("b");
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.relationships.properties") {
    // spec 312
    TEST_CASE_FIXTURE(fixture, "a declaration gives a relationship all that it names") {
        kith::component<DockedTo> docked =
            world.relation<DockedTo>({.exclusive = true,
                                      .tag = true,
                                      .acyclic = true,
                                      .storage = kith::storage::sparse,
                                      .on_delete_target = kith::Delete});
        CHECK(docked == world.component<DockedTo>());
        CHECK(docked.has(kith::Exclusive));
        CHECK(docked.has(kith::Tag));
        CHECK(docked.has(kith::Sparse));
        CHECK(docked.has(kith::OnDeleteTarget, kith::Delete));
        e.add<DockedTo>(a).add<DockedTo>(b);
        CHECK(targets_of(e, docked) == entity_list{b});
        CHECK(e.table().type().count() == 1);
        CHECK(refusal(world, [&] { b.add<DockedTo>(e); }) == errc::cycle);
        b.destruct();
        CHECK_FALSE(e.is_alive());
        world.check();
    }

    // spec 312
    TEST_CASE_FIXTURE(fixture, "each field is the property of that name") {
        const std::pair<kith::relation_desc, kith::entity_t> fields[] = {
            {{.exclusive = true}, kith::Exclusive},
            {{.tag = true}, kith::Tag},
            {{.symmetric = true}, kith::Symmetric},
            {{.transitive = true}, kith::Transitive},
            {{.reflexive = true}, kith::Reflexive},
            {{.acyclic = true}, kith::Acyclic},
            {{.traversable = true}, kith::Traversable},
            {{.final = true}, kith::Final},
            {{.dont_inherit = true}, kith::DontInherit},
            {{.transient = true}, kith::Transient},
            {{.storage = kith::storage::sparse}, kith::Sparse},
            {{.one_of = kith::This}, kith::OneOf}};
        int number = 0;
        for (const auto& [desc, property] : fields) {
            kith::entity rel = world.relation(("r" + std::to_string(number++)).c_str(), desc);
            const std::string field = world.entity(property).name().c_str();
            CAPTURE(field);
            CHECK(rel.has(property));
            CHECK(rel.has(kith::Relationship));
            for (const auto& [other, name] : fields) {
                const bool implied = property == kith::Traversable && name == kith::Acyclic;
                CHECK(rel.has(name) == (name == property || implied));
            }
        }
        kith::entity rel =
            world.relation("pairs", {.on_delete = kith::Panic, .with = a, .one_of = b});
        CHECK(rel.has(kith::OnDelete, kith::Panic));
        CHECK(rel.has(kith::With, a));
        CHECK(rel.has(kith::OneOf, b));
        world.check();
    }

    // spec 312
    TEST_CASE_FIXTURE(fixture, "a relationship is named, given, or a type") {
        kith::entity named = world.relation("named", {.exclusive = true});
        CHECK(world.lookup("named") == named);
        CHECK(world.relation("named", {.tag = true}) == named);
        CHECK(named.has(kith::Exclusive));
        CHECK(named.has(kith::Tag));
        CHECK(world.relation(a, {.symmetric = true}) == a);
        e.add(a, b);
        CHECK(b.has(a, e));
        CHECK(world.relation<Weight>({}) == world.component<Weight>());
        e.set<Weight>(a, Weight{3});
        CHECK(e.get<Weight>(a)->amount == 3);
        world.check();
    }

    // spec 92, 93
    TEST_CASE_FIXTURE(fixture, "deletion of sources needs no other field") {
        kith::entity rel = world.relation("follows", {.on_delete_target = kith::Delete});
        e.add(rel, a).add(rel, b);
        CHECK(sources_of(a, rel) == entity_list{e});
        a.destruct();
        CHECK_FALSE(e.is_alive());
        CHECK(b.is_alive());
        world.check();
    }

    // spec 325
    TEST_CASE_FIXTURE(fixture, "a relationship says whether it has many targets") {
        kith::entity many = world.relation("many", {});
        kith::entity one = world.relation("one", {.exclusive = true});
        e.add(many, a).add(many, b).add(one, a).add(one, b);
        CHECK(targets_of(e, many) == entity_list{a, b});
        CHECK(targets_of(e, one) == entity_list{b});
    }

    TEST_CASE_FIXTURE(fixture, "contradictions are one error, and nothing is set") {
        const kith::relation_desc bad[] = {
            {.exclusive = true, .symmetric = true, .acyclic = true},
            {.tag = true, .symmetric = true, .transitive = true},
            {.symmetric = true, .traversable = true, .storage = kith::storage::sparse}};
        for (const kith::relation_desc& desc : bad) {
            CHECK(refusal(world, all_values(), [&] { world.relation(a, desc); }) ==
                  errc::constraint);
            CHECK(refusal(world, all_values(), [&] { world.relation<DockedTo>(desc); }) ==
                  errc::constraint);
        }
        a.add(kith::Symmetric);
        CHECK(refusal(world, all_values(), [&] {
                  world.relation(a, {.exclusive = true, .acyclic = true});
              }) == errc::constraint);
        CHECK_FALSE(a.has(kith::Exclusive));
    }

    TEST_CASE_FIXTURE(fixture, "data that forbids one property keeps all of them out") {
        e.add(a, b).add(a, e).set<Weight>(b, Weight{1});
        const auto refused = [&](kith::entity_t rel, const kith::relation_desc& desc) {
            const auto code = refusal(world, all_values(), [&] { world.relation(rel, desc); });
            CHECK_FALSE(world.entity(rel).has(kith::Sparse));
            return code;
        };
        CHECK(refused(a, {.exclusive = true, .storage = kith::storage::sparse}) ==
              errc::constraint);
        CHECK(refused(a, {.symmetric = true, .storage = kith::storage::sparse}) ==
              errc::constraint);
        CHECK(refused(a, {.acyclic = true, .storage = kith::storage::sparse}).has_value());
        CHECK(refused(a, {.storage = kith::storage::sparse, .one_of = kith::This}) ==
              errc::constraint);
        CHECK(refused(a, {.storage = kith::storage::sparse, .with = b}) == errc::constraint);
        CHECK(refused(world.component<Weight>(), {.tag = true, .storage = kith::storage::sparse}) ==
              errc::constraint);
    }

    TEST_CASE_FIXTURE(fixture, "a declaration after use migrates what exists") {
        e.add(a, b);
        world.relation(a, {.exclusive = true, .storage = kith::storage::sparse});
        CHECK(e.table().type().count() == 1);
        CHECK(e.target(a) == b);
        e.add(a, e);
        CHECK(targets_of(e, a) == entity_list{e});
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "bad fields are refused") {
        kith::entity dead = world.entity();
        dead.destruct();
        CHECK(refusal(world, all_values(), [&] { world.relation(a, {.with = dead}); }).has_value());
        CHECK(refusal(world, all_values(), [&] {
                  world.relation(a, {.one_of = kith::Wildcard});
              }).has_value());
        CHECK(
            refusal(world, all_values(), [&] { world.relation(a, {.on_delete = b}); }).has_value());
        CHECK(refusal(world, all_values(), [&] {
                  world.relation(a, {.exclusive = true, .on_delete_target = kith::ChildOf});
              }).has_value());
        CHECK(
            refusal(world, all_values(), [&] { world.relation(dead, {.tag = true}); }).has_value());
    }

    TEST_CASE_FIXTURE(fixture, "a declaration waits in a queue like other changes") {
        world.defer([&] {
            e.add(a, b);
            world.relation(a, {.exclusive = true, .storage = kith::storage::sparse});
            e.add(a, e);
        });
        CHECK(targets_of(e, a) == entity_list{e});
        CHECK(a.has(kith::Sparse));
        world.check();
    }

    // spec 97
    TEST_CASE_FIXTURE(fixture, "every property is an entity with a name, found and removable") {
        for (kith::entity_t property :
             {kith::Tag, kith::Final, kith::DontInherit, kith::Transitive, kith::Reflexive,
              kith::Acyclic, kith::Traversable, kith::Exclusive, kith::Union, kith::Sparse,
              kith::Symmetric, kith::OneOf, kith::Transient, kith::Relationship}) {
            kith::entity rel = world.entity().add(property);
            CHECK(rel.has(property));
            CHECK_FALSE(world.entity(property).name().empty());
            rel.remove(property);
            CHECK_FALSE(rel.has(property));
            world.check();
        }
    }
}
