// Entities of members, texts about entities, and units.
#include <kith/kith.hpp>
#include <kith/meta.hpp>
#include <kith/units.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"

#include <set>
#include <string>

#include <doctest/doctest.h>

namespace {

using kith::errc;
using kith_test::error_of;
using kith_test::refusal;

struct Position {
    float x;
    float y[3];
};

}  // namespace

// spec 526
TEST_SUITE("features.values.member_entities") {
    TEST_CASE("a member has an entity when it is asked for, a child of the component") {
        kith::world world;
        auto position = world.component<Position>().reflect();
        CHECK_FALSE(position.lookup("x"));
        const kith::entity x = position.member_entity("x");
        CHECK(x.parent() == position);
        CHECK(position.lookup("x") == x);
        CHECK(position.member_entity("x") == x);
        const kith::Member* member = x.get<kith::Member>();
        REQUIRE(member);
        CHECK(member->type == kith::F32);
        CHECK(member->offset == 0);
        const kith::Member* list = position.member_entity("y").get<kith::Member>();
        REQUIRE(list);
        CHECK(list->type == kith::F32);
        CHECK(list->count == 3);
        CHECK(list->offset == 4);
        CHECK(world.count<kith::Member>() == 2);
        world.check();
    }

    TEST_CASE("ranges, unit and doc of the member follow its attributes") {
        kith::world world;
        const kith::entity meters = world.entity("Meters").unit("m");
        auto position = world.component<Position>().reflect();
        position.on("x").range(-5, 5);
        const kith::entity x = position.member_entity("x");
        CHECK(x.get<kith::MemberRanges>()->value.max == 5);
        position.on("x").warning_range(-4, 4).unit(meters).doc("across");
        CHECK(x.get<kith::MemberRanges>()->warning.min == -4);
        CHECK(x.get<kith::Member>()->unit == meters.id());
        CHECK(std::string(x.doc_brief()) == "across");
        const kith::entity y = position.member_entity("y");
        CHECK_FALSE(y.has<kith::MemberRanges>());
    }

    TEST_CASE("entities of members are found by queries, and cannot be deleted by themselves") {
        kith::world world;
        auto position = world.component<Position>().reflect();
        kith::entity x = position.member_entity("x");
        std::set<std::string> names;
        world.query<kith::Member>().each(
            [&](kith::entity member, kith::Member&) { names.insert(std::string(member.name())); });
        CHECK(names == std::set<std::string>{"x"});
        CHECK(refusal(world, [&] { x.destruct(); }) == errc::in_use);
        kith::untyped_component type = world.component("Item").member<int>("n");
        const kith::entity n = type.member_entity("n");
        type.destruct();
        CHECK_FALSE(n.is_alive());
        world.check();
    }

    TEST_CASE("members that do not exist, and deferred worlds, are refused") {
        kith::world world;
        auto position = world.component<Position>().reflect();
        CHECK(error_of([&] { position.member_entity("z"); }) == errc::invalid_value);
        position.on("x");
        world.defer([&] {
            CHECK(error_of([&] { position.member_entity("x"); }) == errc::invalid_operation);
        });
    }

    TEST_CASE("saved worlds load with and without the entities of members") {
        kith::world world;
        auto position = world.component<Position>().reflect();
        position.member_entity("x");
        world.entity("One").set(Position{1, {2, 3, 4}});
        const std::string saved = kith::save_text(world);
        CHECK(saved.find("Member") == std::string::npos);
        kith::world copy;
        copy.component<Position>();
        kith::load_text(copy, saved);
        CHECK(copy.lookup("One").get<Position>()->y[2] == 4);
        CHECK(copy.component<Position>().member_entity("x").has<kith::Member>());
    }

    TEST_CASE("entities have texts for people") {
        kith::world world;
        kith::entity ann = world.entity("Ann");
        CHECK(std::string(ann.doc_name()) == "Ann");
        CHECK_FALSE(ann.doc_brief());
        ann.set_doc_name("Ann of the Hill")
            .set_doc_brief("a smith")
            .set_doc_detail("She came from afar.")
            .set_doc_link("https://example.org")
            .set_doc_color("#fff");
        CHECK(std::string(ann.doc_name()) == "Ann of the Hill");
        CHECK(std::string(ann.doc_brief()) == "a smith");
        CHECK(std::string(kith::doc::get_detail(ann)) == "She came from afar.");
        CHECK(std::string(ann.doc_link()) == "https://example.org");
        CHECK(std::string(ann.doc_color()) == "#fff");
        CHECK(ann.has<kith::doc::Description>(kith::Name));
        CHECK(ann.has<kith::doc::Description>(kith::entity_t(kith::doc::Brief)));
        CHECK(std::string(ann.name()) == "Ann");
        ann.set_doc_name("");
        CHECK(std::string(ann.doc_name()) == "Ann");
        CHECK_FALSE(ann.has<kith::doc::Description>(kith::Name));
        kith::doc::set_brief(ann, "a queen");
        CHECK(std::string(ann.doc_brief()) == "a queen");
        const kith::entity copy = ann.clone();
        CHECK(std::string(copy.doc_brief()) == "a queen");
        world.check();
    }

    TEST_CASE("symbols of units are composed of prefix, base and divisor") {
        kith::world world;
        const kith::entity pre = world.entity().unit_prefix("p", 10, 3);
        const kith::entity base = world.entity().unit("U1");
        const kith::entity over = world.entity().unit("U0");
        const auto symbol = [](const kith::entity& unit) {
            return std::string(unit.get<kith::Unit>()->symbol);
        };
        CHECK(symbol(world.entity().unit("u")) == "u");
        CHECK(symbol(world.entity().unit(pre, base)) == "pU1");
        CHECK(symbol(world.entity().unit(pre, base, over)) == "pU1/U0");
        CHECK(symbol(world.entity().unit("own", pre, base)) == "own");
        CHECK(refusal(world, [&] { kith::entity(over).unit(pre, kith::entity_t{0}); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::entity(over).unit(pre, over); }) == errc::cycle);
        CHECK(refusal(world, [&] { kith::entity(over).unit(base, pre); }) == errc::invalid_value);
        world.component<Position>().member<float>(base, "x");
        CHECK(std::string(kith::detail::find_description(world, world.component<Position>())
                              ->members[0]
                              .attributes->unit_symbol) == "U1");
    }

    TEST_CASE("the module of units has common ones, with quantities") {
        kith::world world;
        world.import <kith::units>();
        using units = kith::units;
        const kith::entity speed = world.entity<units::speed::KiloMetersPerHour>();
        CHECK(std::string(speed.get<kith::Unit>()->symbol) == "km/h");
        CHECK(speed.has<kith::Quantity, units::Speed>());
        CHECK(std::string(world.entity<units::data::MebiBytes>().get<kith::Unit>()->symbol) ==
              "MiB");
        world.import <kith::units>();
        const kith::entity x =
            world.component<Position>().member<float, units::length::Meters>("x").member_entity(
                "x");
        CHECK(x.get<kith::Member>()->unit == world.entity<units::length::Meters>().id());
        world.check();
    }
}
