// Descriptions that a program gives: members, bases, constants, attributes, opaque types.
#include <kith/kith.hpp>
#include <kith/reflect.hpp>

#include <cstddef>
#include <string>

#include <doctest/doctest.h>

namespace {

struct Deck {
    float strength;
    float shield;
};
struct Hull {
    float strength;
    float shield;
    const char* label;
    std::int32_t holes[4];
};
class Secret {
public:
    static void describe(kith::describer<Secret>& to) {
        to.member("code", &Secret::code_).member("level", &Secret::level_);
    }
    int code_of() const { return code_; }

private:
    int code_ = 0;
    double level_ = 0;
};
struct Base {
    int inherited;
};
struct Derived : Base {
    int own;
    static void describe(kith::describer<Derived>& to) {
        to.base<Base>().member("own", &Derived::own);
    }
};
// Grams, seen from outside as kilograms.
class Weight {
public:
    static void describe(kith::describer<Weight>& to) {
        to.opaque([](const Weight& weight) { return weight.grams_ / 1000.0; },
                  [](Weight& weight, double kilograms) { weight.grams_ = kilograms * 1000; });
    }
    double grams() const { return grams_; }

private:
    double grams_ = 0;
};
enum class Toppings : std::uint32_t { none = 0, bacon = 1, lettuce = 2, both = 3 };
enum class Shade { dark, light };

kith::errc code_of(auto&& call) {
    try {
        call();
    } catch (const kith::error& raised) {
        return raised.code();
    }
    return kith::errc::callback;  // nothing was thrown
}

const kith::description& own(const kith::world& world, kith::entity_t type) {
    return *kith::detail::find_description(world, type);
}

}  // namespace

template <>
inline constexpr bool kith::is_flags<Toppings> = true;

TEST_SUITE("features.values.explicit") {
    // spec 514
    TEST_CASE("members are described by pointer, or by type in the order of the struct") {
        kith::world world;
        const kith::entity hull = world.component<Hull>()
                                      .member("strength", &Hull::strength)
                                      .member<float>("shield")
                                      .member("label", &Hull::label)
                                      .member("holes", &Hull::holes);
        const kith::description& type = own(world, hull);
        REQUIRE(type.count == 4);
        CHECK(type.members[1].offset == offsetof(Hull, shield));
        CHECK(type.members[2].type->what == kith::kind::text);
        CHECK(type.members[3].type->what == kith::kind::array);
        CHECK(type.members[3].offset == offsetof(Hull, holes));
        CHECK(type.life.size == sizeof(Hull));
    }

    TEST_CASE(
        "a struct may be described in part, with an offset, and differently in the next world") {
        for (const char* name : {"x", "y"}) {
            kith::world world;
            const kith::entity hull =
                world.component<Hull>().member<float>(name, 1, offsetof(Hull, shield));
            CHECK(own(world, hull).count == 1);
            CHECK(std::string(own(world, hull).members[0].name) == name);
            CHECK(own(world, hull).members[0].offset == offsetof(Hull, shield));
        }
    }

    // spec 523
    TEST_CASE("two worlds describe one type differently, a third one as the process does") {
        kith::world one;
        kith::world two;
        kith::world three;
        kith::reflect<Deck>();
        one.component<Deck>().member("first", &Deck::strength);
        two.component<Deck>().member("second", &Deck::shield).range(0, 5);
        const kith::description& automatic = kith::describe<Deck>();
        CHECK(std::string(own(one, one.component<Deck>()).members[0].name) == "first");
        CHECK(std::string(own(two, two.component<Deck>()).members[0].name) == "second");
        CHECK(own(two, two.component<Deck>()).count == 1);
        CHECK(&own(three, three.component<Deck>()) == &automatic);
        CHECK(automatic.count == 2);
        CHECK(automatic.members[1].attributes == nullptr);
        one.component<Deck>().member("first", &Deck::strength);
        CHECK(own(one, one.component<Deck>()).count == 1);
    }

    // spec 523
    TEST_CASE("the same member again changes nothing; another one of its name is refused") {
        kith::world world;
        auto hull = world.component<Hull>().member<float>("strength");
        hull.member<float>("strength");
        CHECK(own(world, hull).count == 1);
        CHECK(code_of([&] { hull.member<std::int32_t>("strength"); }) ==
              kith::errc::already_exists);
    }

    TEST_CASE("an array or a text of fixed size again changes nothing, and its name is taken") {
        struct Log {
            float last[4];
            char by[8];
        };
        kith::world world;
        auto log = world.component<Log>().member("last", &Log::last).member("by", &Log::by);
        log.member("last", &Log::last).member("by", &Log::by);
        CHECK(own(world, log).count == 2);
        CHECK(code_of([&] { log.member<float>("last", 3); }) == kith::errc::already_exists);
        CHECK(code_of([&] { log.member<float>("last"); }) == kith::errc::already_exists);
        CHECK(code_of([&] { log.member<char>("by", 4, offsetof(Log, by)); }) ==
              kith::errc::already_exists);
        CHECK(own(world, log).count == 2);
    }

    TEST_CASE("a refused call leaves the automatic description in force") {
        struct Speed {
            float now;
        };
        kith::reflect<Speed>();
        kith::world world;
        auto speed = world.component<Speed>();
        CHECK(code_of([&] { speed.member<float>(""); }) == kith::errc::invalid_type);
        CHECK(own(world, speed).count == 1);
    }

    TEST_CASE("a rule of values can be given before the type is reflected") {
        struct Speed {
            float now;
        };
        kith::world world;
        auto speed = world.component<Speed>().validate(
            [](const Speed& value) { return value.now < 0 ? "backwards" : nullptr; });
        CHECK(own(world, speed).what == kith::kind::structure);
    }

    TEST_CASE("members outside of the type, overlapping or without a name are refused") {
        kith::world world;
        auto hull = world.component<Hull>().member<float>("strength");
        CHECK(code_of([&] { hull.member<double>("far", 0, sizeof(Hull)); }) ==
              kith::errc::invalid_type);
        CHECK(code_of([&] { hull.member<std::int16_t>("inside", 0, 2); }) ==
              kith::errc::invalid_type);
        CHECK(code_of([&] { hull.member<float>(""); }) == kith::errc::invalid_type);
        CHECK(code_of([&] { hull.member<Weight>("weight"); }) == kith::errc::invalid_type);
        CHECK(own(world, hull).count == 1);
    }

    TEST_CASE("classes describe private members and bases") {
        CHECK(std::string(kith::describe<Secret>().members[1].name) == "level");
        const kith::description& derived = kith::describe<Derived>();
        REQUIRE(derived.count == 2);
        CHECK(std::string(derived.members[0].name) == "inherited");
        CHECK(derived.members[1].offset == sizeof(Base));
    }

    TEST_CASE("an opaque type is read and written as another one") {
        Weight weight;
        const kith::description& type = kith::describe<Weight>();
        CHECK(type.what == kith::kind::opaque);
        const double half = 0.5;
        type.ops->assign(type, &weight, &half);
        CHECK(weight.grams() == 500);
        double shown = 0;
        type.ops->represent(
            type, &weight,
            [](void* into, const void* value) {
                *static_cast<double*>(into) = *static_cast<const double*>(value);
            },
            &shown);
        CHECK(shown == 0.5);
    }

    TEST_CASE("a world may have functions of its own for a type") {
        kith::world world;
        int used = 0;
        const kith::entity hull = world.component<Hull>().opaque(
            [&used](const Hull& value) { return ++used, value.strength; },
            [](Hull& value, float strength) { value.strength = strength; });
        const kith::description& type = own(world, hull);
        CHECK(type.element == &kith::describe<float>());
        const Hull value{3, 0, "", {}};
        type.ops->represent(
            type, &value, [](void*, const void*) {}, nullptr);
        CHECK(used == 1);
        CHECK(kith::detail::find_description(kith::world(), hull) != &type);
    }

    // spec 516
    TEST_CASE("enums have their constants, flags their bits") {
        const kith::description& shade = kith::describe<Shade>();
        CHECK(shade.what == kith::kind::enumeration);
        CHECK(std::string(shade.constants[1].name) == "light");
        const kith::description& toppings = kith::describe<Toppings>();
        CHECK(toppings.what == kith::kind::flags);
        CHECK(toppings.count == 4);
        CHECK(toppings.number == kith::kind::u32);
    }

    TEST_CASE("constants and bits of a world replace those of the type") {
        kith::world world;
        auto shade = world.component<Shade>().constant("Night", 0).constant("Day", 1);
        CHECK(std::string(own(world, shade).constants[1].name) == "Day");
        CHECK(code_of([&] { shade.constant("Day", 2); }) == kith::errc::already_exists);
        CHECK(code_of([&] { shade.bit("Moon", 4); }) == kith::errc::type_conflict);
    }

    TEST_CASE("attributes are about the last member, or the one that on() names") {
        kith::world world;
        auto hull = world.component<Hull>()
                        .member("strength", &Hull::strength)
                        .range(0, 100)
                        .unit("MPa")
                        .doc("until it breaks")
                        .was("force")
                        .member("shield", &Hull::shield)
                        .hidden()
                        .on("strength")
                        .step(0.5)
                        .read_only();
        const kith::description& type = own(world, hull);
        const kith::member_attributes& strength = *type.members[0].attributes;
        CHECK(strength.range.max == 100);
        CHECK(std::string(strength.unit_symbol) == "MPa");
        CHECK(std::string(strength.was) == "force");
        CHECK(strength.step == 0.5);
        CHECK(type.members[0].read_only);
        CHECK(type.members[1].hidden);
        CHECK_FALSE(type.members[1].attributes);
    }

    TEST_CASE("on() gives attributes to members that kith has found") {
        struct Health {
            int points;
        };
        kith::reflect<Health>();
        kith::world world;
        const kith::entity health = world.component<Health>().on("points").range(0, 10);
        CHECK(own(world, health).members[0].attributes->range.max == 10);
        CHECK_FALSE(kith::describe<Health>().members[0].attributes);
    }

    TEST_CASE("wrong attributes are refused") {
        kith::world world;
        auto hull = world.component<Hull>();
        CHECK(code_of([&] { hull.range(0, 1); }) == kith::errc::invalid_operation);
        hull.member("strength", &Hull::strength);
        CHECK(code_of([&] { hull.range(2, 1); }) == kith::errc::invalid_value);
        CHECK(code_of([&] { hull.range(0, __builtin_nan("")); }) == kith::errc::invalid_value);
        hull.member("label", &Hull::label);
        CHECK(code_of([&] { hull.range(0, 1); }) == kith::errc::wrong_type);
        CHECK(code_of([&] { hull.on("strangth"); }) == kith::errc::invalid_value);
    }

    TEST_CASE("a component without description is refused with the way to describe it") {
        struct Plain {
            int number;
        };
        kith::world world;
        const kith::entity plain = world.component<Plain>();
        CHECK(code_of([&] { kith::detail::require_description(world, plain); }) ==
              kith::errc::invalid_type);
        world.component<Plain>().reflect();
        CHECK(kith::detail::require_description(world, plain).count == 1);
        CHECK(code_of([&] { kith::detail::require_description(world, world.entity("Tag")); }) ==
              kith::errc::wrong_type);
    }
}
