// Opaque types: by two functions, and by functions that are given one by one.
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/meta.hpp>
#include <kith/value.hpp>

#include "support/errors.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith::errc;
using kith_test::error_of;
using kith_test::refusal;

// A type of somebody else: kith cannot see into any of these.
class Text {
public:
    const char* get() const { return text_.c_str(); }
    void set(const char* text) { text_ = text; }

private:
    std::string text_ = "none";
};
class Numbers {
public:
    std::vector<int> list = {1, 2};
    virtual ~Numbers() = default;
    std::size_t ensured = 0;
};
class Flag {
public:
    virtual ~Flag() = default;
    bool on = false;
};
class Target {
public:
    virtual ~Target() = default;
    kith::entity_t entity = 0;
};
class Pair {
public:
    virtual ~Pair() = default;
    int first = 1;
    int second = 2;
};
struct Holder {
    Text name;
    Numbers numbers;
};
struct Point {
    int x;
    int y;
};
class Polar {
public:
    virtual ~Polar() = default;
    double r = 0;
};

// A number behind several functions.
struct Number {
    virtual ~Number() = default;
    double value = 0;
};

void describe_text(const kith::world& world) {
    world.component<Text>()
        .opaque(kith::String)
        .serialize([](const kith::serializer* to, const Text* text) {
            const char* value = text->get();
            return to->value(kith::String, &value);
        })
        .assign_string([](Text* text, const char* value) { text->set(value); });
}
kith::opaque<Numbers, int> numbers_type(kith::world& world) {
    return kith::opaque<Numbers, int>(world)
        .as_type(world.vector<int>())
        .serialize([](const kith::serializer* to, const Numbers* numbers) {
            for (const int one : numbers->list) {
                to->value(one);
            }
            return 0;
        })
        .count([](const Numbers* numbers) { return numbers->list.size(); })
        .resize([](Numbers* numbers, std::size_t size) { numbers->list.resize(size); })
        .ensure_element([](Numbers* numbers, std::size_t index) {
            ++numbers->ensured;
            if (numbers->list.size() <= index) {
                numbers->list.resize(index + 1);
            }
            return &numbers->list[index];
        });
}

}  // namespace

// spec 518
TEST_SUITE("features.values.opaque") {
    TEST_CASE("two functions: the value is shown as another type, which may be composed") {
        kith::world world;
        world.component<Polar>().opaque(
            [](const Polar& polar) {
                return Point{static_cast<int>(polar.r), 0};
            },
            [](Polar& polar, const Point& point) {
                if (point.y != 0) {
                    kith::detail::raise_error(errc::invalid_value, "it lies on the axis");
                }
                polar.r = point.x;
            });
        const kith::entity one = world.entity("One").add<Polar>();
        kith::edit(one, world.id<Polar>()).parse("", "{x: 7}");
        CHECK(one.get<Polar>()->r == 7);
        CHECK(kith::value_of(one, world.id<Polar>()).str() == "{x: 7, y: 0}");
        CHECK(refusal(world, [&] { kith::edit(one, world.id<Polar>()).parse("", "{y: 1}"); }) ==
              errc::invalid_value);
        CHECK(one.get<Polar>()->r == 7);
        CHECK(error_of([&] { world.component<Polar>().member("r", &Polar::r); }) ==
              errc::type_conflict);
    }

    TEST_CASE("a text is read and written by functions") {
        kith::world world;
        describe_text(world);
        Text text;
        kith::entity one = world.entity().set(Text(text));
        CHECK(std::string(world.to_expr(world.id<Text>(), one.get<Text>())) == "\"none\"");
        kith::edit(one, world.id<Text>()).parse("", "\"some\"");
        CHECK(std::string(one.get<Text>()->get()) == "some");
        CHECK(refusal(world, [&] { kith::edit(one, world.id<Text>()).parse("", "5"); }) ==
              errc::invalid_value);
    }

    TEST_CASE("a list is read and written element by element") {
        kith::world world;
        world.component<Numbers>().opaque(numbers_type);
        kith::entity one = world.entity().add<Numbers>();
        CHECK(kith::value_of(one, world.id<Numbers>()).str() == "[1, 2]");
        kith::edit(one, world.id<Numbers>()).parse("", "[4, 5, 6]");
        CHECK(one.get<Numbers>()->list == std::vector<int>{4, 5, 6});
        CHECK(one.get<Numbers>()->ensured == 3);
        kith::edit(one, world.id<Numbers>()).parse("", "[]");
        CHECK(one.get<Numbers>()->list.empty());
    }

    TEST_CASE("opaque types are members of others, in texts and JSON") {
        kith::world world;
        describe_text(world);
        world.component<Numbers>().opaque(numbers_type);
        world.component<Holder>().member("name", &Holder::name).member("numbers", &Holder::numbers);
        kith::entity one = world.entity().add<Holder>();
        const kith::id_t id = world.id<Holder>();
        CHECK(kith::value_of(one, id).str() == "{name: \"none\", numbers: [1, 2]}");
        kith::edit(one, id).parse("", "{numbers: [9], name: \"x\"}");
        CHECK(std::string(one.get<Holder>()->name.get()) == "x");
        CHECK(one.get<Holder>()->numbers.list == std::vector<int>{9});
        kith::edit(one, id).parse("name", "\"y\"");
        CHECK(kith::value_of(one, id).at("name").str() == "\"y\"");
    }

    TEST_CASE("members, truths, entities and numbers have functions of their own") {
        kith::world world;
        const kith::entity pair =
            world.component("PairShown").member<int>("first").member<int>("second");
        world.component<Pair>()
            .opaque(pair)
            .serialize([](const kith::serializer* to, const Pair* value) {
                to->member("second");
                to->value(value->second);
                to->member("first");
                return to->value(value->first);
            })
            .ensure_member([](Pair* value, const char* name) -> void* {
                return std::string(name) == "first" ? &value->first : &value->second;
            });
        world.component<Flag>()
            .opaque(kith::Bool)
            .serialize([](const kith::serializer* to, const Flag* flag) {
                return to->value(kith::Bool, &flag->on);
            })
            .assign_bool([](Flag* flag, bool on) { flag->on = on; });
        world.component<Target>()
            .opaque(kith::Entity)
            .serialize([](const kith::serializer* to, const Target* target) {
                return to->value(kith::Entity, &target->entity);
            })
            .assign_entity([](Target* target, kith::world_t*, kith::entity_t entity) {
                target->entity = entity;
            })
            .assign_null([](Target* target) { target->entity = 0; });
        const kith::entity one = world.entity("One").add<Pair>().add<Flag>().add<Target>();
        kith::edit(one, world.id<Pair>()).parse("", "{second: 5}");
        CHECK(kith::value_of(one, world.id<Pair>()).str() == "{first: 1, second: 5}");
        kith::edit(one, world.id<Flag>()).parse("", "true");
        CHECK(one.get<Flag>()->on);
        kith::edit(one, world.id<Target>()).parse("", "One");
        CHECK(one.get<Target>()->entity == one.id());
        CHECK(kith::value_of(one, world.id<Target>()).str() == "One");
        kith::edit(one, world.id<Target>()).parse("", "null");
        CHECK(one.get<Target>()->entity == 0);
    }

    TEST_CASE("a number goes to the function that takes it without loss") {
        kith::world world;
        world.component<Number>()
            .opaque(kith::I32)
            .serialize([](const kith::serializer* to, const Number* number) {
                const auto whole = static_cast<std::int32_t>(number->value);
                return to->value(kith::I32, &whole);
            })
            .assign_float([](Number* number, double value) { number->value = value; });
        const kith::entity one = world.entity().add<Number>();
        kith::edit(one, world.id<Number>()).parse("", "-3");
        CHECK(one.get<Number>()->value == -3);
        CHECK(refusal(world, [&] { kith::edit(one, world.id<Number>()).parse("", "1.5"); }) ==
              errc::invalid_value);
    }

    TEST_CASE("missing functions and types that do not fit are refused by name") {
        kith::world world;
        world.component<Flag>().opaque(kith::Bool);
        const kith::entity one = world.entity().add<Flag>().add<Text>();
        CHECK(error_of([&] { (void)kith::value_of(one, world.id<Flag>()).str(); }) ==
              errc::invalid_value);
        describe_text(world);
        world.component<Numbers>().opaque(kith::I32).serialize(
            [](const kith::serializer* to, const Numbers* numbers) {
                return to->value(numbers->list[0]);
            });
        kith::entity two = world.entity().add<Numbers>();
        CHECK(kith::value_of(two, world.id<Numbers>()).str() == "1");
        CHECK(refusal(world, [&] { kith::edit(two, world.id<Numbers>()).parse("", "1"); }) ==
              errc::invalid_value);
        CHECK(error_of([&] { world.component<Target>().opaque<char>(world.vector<int>()); }) ==
              errc::invalid_type);
        CHECK(error_of([&] { world.component<Target>().opaque(world.entity("Tag")); }) ==
              errc::wrong_type);
        CHECK(error_of([&] {
                  world.component<Pair>()
                      .opaque(world.component("S").member<int>("a"))
                      .serialize(
                          [](const kith::serializer* to, const Pair*) { return to->member("b"); });
                  (void)kith::value_of(world.entity().add<Pair>(), world.id<Pair>()).str();
              }) == errc::invalid_value);
    }
}
