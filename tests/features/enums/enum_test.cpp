#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

enum Plain { PlainOne = 1, PlainTwo = 2, PlainTen = 10 };
enum class Signed : signed char { Minus = -1, Zero, Plus };
enum class Far : std::uint16_t { Near = 1, Away = 1000 };
enum class Empty {};

}  // namespace

template <>
struct kith::enum_range<Far> {
    static constexpr std::int64_t min = 0;
    static constexpr std::int64_t max = 1100;
};

TEST_SUITE("features.enums.enum") {
    TEST_CASE("constants are the children of the enum's entity, named without prefix") {
        kith::world world;
        kith::entity color = world.component<Color>();
        std::vector<std::string> names;
        color.children([&](kith::entity e) { names.push_back(e.name().c_str()); });
        CHECK(names == std::vector<std::string>{"Red", "Green", "Blue"});
        CHECK(world.entity(Color::Red).parent() == color);
        CHECK(world.entity(Color::Red).name() == "Red");
        CHECK(world.to_entity(Color::Blue) == world.entity(Color::Blue));
        CHECK(world.id(Color::Green) == world.entity(Color::Green));
    }

    TEST_CASE("a constant holds its value") {
        kith::world world;
        CHECK(world.entity(Color::Green).to_constant<Color>() == Color::Green);
        CHECK(*world.entity(Color::Blue).get<Color>() == Color::Blue);
        kith::entity e = world.entity();
        CHECK(error_of([&] { e.to_constant<Color>(); }).has_value());
    }

    TEST_CASE("adding a constant replaces another of the same enum") {
        kith::world world;
        kith::entity e = world.entity().add(Color::Red);
        CHECK(e.has(Color::Red));
        CHECK(e.has<Color>());
        CHECK(*e.get<Color>() == Color::Red);
        e.add(Color::Blue);
        CHECK_FALSE(e.has(Color::Red));
        CHECK(*e.get<Color>() == Color::Blue);
        CHECK(e.type().count() == 1);
        e.remove<Color>();
        CHECK_FALSE(e.has<Color>());
        CHECK(e.get<Color>() == nullptr);
    }

    TEST_CASE("the enum is the relation and the constant its target") {
        kith::world world;
        kith::entity e = world.entity().add(Color::Green);
        CHECK(e.has(world.component<Color>(), world.entity(Color::Green)));
        CHECK(e.target<Color>() == world.entity(Color::Green));
        CHECK(world.component<Color>().has(kith::Exclusive));
        CHECK(world.component<Color>().has(kith::OneOf));
        CHECK(world.component<Color>().has(kith::Tag));
    }

    TEST_CASE("enum constants are targets of other relations") {
        kith::world world;
        kith::entity e = world.entity().add<Likes>(Color::Red);
        CHECK(e.has<Likes>(Color::Red));
        CHECK_FALSE(e.has<Color>());
        e.set<Eats>(Color::Blue, Eats{4});
        CHECK(e.get<Eats>(Color::Blue)->amount == 4);
        e.remove<Likes>(Color::Red);
        CHECK_FALSE(e.has<Likes>(Color::Red));
    }

    TEST_CASE("entities of a constant are counted") {
        kith::world world;
        world.entity().add(Color::Red);
        world.entity().add(Color::Red);
        world.entity().add(Color::Blue);
        CHECK(world.count(Color::Red) == 2);
        CHECK(world.count(Color::Green) == 0);
        CHECK(world.count<Color>() == 3);
    }

    TEST_CASE("reflection knows the constants of an enum") {
        kith::world world;
        auto color = kith::enum_type<Color>(world);
        CHECK(color.first() == 0);
        CHECK(color.last() == 2);
        CHECK(color.is_valid(1));
        CHECK_FALSE(color.is_valid(3));
        CHECK_FALSE(color.is_valid(-1));
        CHECK(color.entity() == world.component<Color>());
        CHECK(color.entity(Color::Red) == world.entity(Color::Red));
        auto plain = kith::enum_type<Plain>(world);
        CHECK(plain.first() == 1);
        CHECK(plain.last() == 10);
        CHECK(plain.is_valid(2));
        CHECK_FALSE(plain.is_valid(5));
    }

    TEST_CASE("negative constants and those beyond the usual range") {
        kith::world world;
        auto with_sign = kith::enum_type<Signed>(world);
        CHECK(with_sign.first() == -1);
        CHECK(with_sign.last() == 1);
        CHECK(world.entity(Signed::Minus).to_constant<Signed>() == Signed::Minus);
        auto far = kith::enum_type<Far>(world);
        CHECK(far.last() == 1000);
        CHECK(world.entity(Far::Away).to_constant<Far>() == Far::Away);
        CHECK(world.entity(Far::Away).name() == "Away");
    }

    TEST_CASE("an unscoped enum's constants are named as written") {
        kith::world world;
        CHECK(world.entity(PlainTen).to_constant<Plain>() == PlainTen);
        kith::entity e = world.entity().add(PlainTwo);
        CHECK(*e.get<Plain>() == PlainTwo);
    }

    TEST_CASE("a value that is no constant is an error") {
        kith::world world;
        world.component<Color>();
        kith::entity e = world.entity().add(Color::Red);
        CHECK(refusal(world, all_values(), [&] { e.add(static_cast<Color>(77)); }).has_value());
        CHECK(*e.get<Color>() == Color::Red);
    }

    TEST_CASE("an enum without constants can be registered") {
        kith::world world;
        auto empty = kith::enum_type<Empty>(world);
        CHECK(empty.last() < empty.first());
        CHECK_FALSE(empty.is_valid(0));
        CHECK(empty.entity().is_alive());
    }

    TEST_CASE("a constant is added while deferred") {
        kith::world world;
        kith::entity e = world.entity().add(Color::Red);
        world.defer([&] {
            e.add(Color::Green);
            e.add(Color::Blue);
            CHECK(*e.get<Color>() == Color::Red);
        });
        CHECK(*e.get<Color>() == Color::Blue);
        CHECK(e.type().count() == 1);
        world.check();
    }

    TEST_CASE("two worlds have their own constants") {
        kith::world a;
        kith::world b;
        b.entity();
        CHECK(a.entity(Color::Red).is_alive());
        CHECK(b.entity(Color::Red).is_alive());
        CHECK(b.entity(Color::Red).to_constant<Color>() == Color::Red);
        CHECK(a.component<Color>().id() == b.component<Color>().id());
    }
}
