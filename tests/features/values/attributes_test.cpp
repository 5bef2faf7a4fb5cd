// Attributes of members: ranges that every reader checks, defaults, and information for tools.
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith::errc;
using kith_test::error_of;
using kith_test::refusal;

struct Engine {
    float heat;
    int gear;
    std::string maker;
};
struct Car {
    Engine engine;
    std::vector<Engine> spares;
};
struct Plain {
    int x;
    int y;
};

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

struct garage {
    garage() {
        kith::reflect<Engine, Car>();
        world.component<Engine>()
            .on("heat")
            .range(0, 100)
            .warning_range(60, 90)
            .error_range(90, 100)
            .unit("°C")
            .step(0.5)
            .doc("of the cylinder")
            .on("gear")
            .range(-1, 6)
            .was("stage")
            .on("maker")
            .default_value("Ann");
    }
    kith::world world;
    kith::entity car = world.entity("Wagon").set(Car{{20, 1, "Bob"}, {{30, 2, "Cid"}}});
};

}  // namespace

// spec 520
TEST_SUITE("features.values.attributes") {
    TEST_CASE_FIXTURE(garage, "all readers check ranges, also of nested parts") {
        Car read{};
        CHECK(refusal(world, [&] { kith::from_text(world, read, "{engine: {heat: 101}}"); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::from_json(world, read, R"({"engine":{"gear":7}})"); }) ==
              errc::invalid_text);
        CHECK(refusal(world, [&] { kith::edit<Car>(car).set("engine.heat", -1); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::edit<Car>(car).set("spares[0].gear", 7); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::edit<Car>(car).append("spares", "{heat: 200}"); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::set_path(car, "Car.engine.heat", 100.5); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::load_text(world, "Van: Engine = {heat: 101}"); }) ==
              errc::invalid_text);
        kith::edit<Car>(car).set("engine.heat", 100).set("spares[0].gear", -1);
        CHECK(car.get<Car>()->engine.heat == 100);
        car.get_mut<Car>()->engine.heat = 1000;  // C++ code is free
    }

    TEST_CASE_FIXTURE(garage, "the message has the path, the value and the range") {
        const std::string message =
            kith_test::message_of([&] { kith::edit<Car>(car).set("engine.heat", 101); });
        CHECK(has(message, "engine.heat: 101 is outside of 0..100"));
    }

    TEST_CASE_FIXTURE(garage, "a former name is read, and the present one is written") {
        Engine read{};
        kith::from_text(world, read, "{stage: 3}");
        CHECK(read.gear == 3);
        CHECK(has(kith::to_text(world, read), "gear: 3"));
    }

    TEST_CASE_FIXTURE(garage, "values that a text makes have the declared defaults") {
        kith::load_text(world, "Van: Engine = {heat: 5}\nBus: Engine");
        CHECK(world.lookup("Van").get<Engine>()->maker == "Ann");
        CHECK(world.lookup("Bus").get<Engine>()->maker == "Ann");
        kith::load_text(world, "Lorry: Engine = {maker: \"Dan\"}\nTruck: Car = {}");
        CHECK(world.lookup("Lorry").get<Engine>()->maker == "Dan");
        CHECK(world.lookup("Truck").get<Car>()->engine.maker == "Ann");
        // A text that is read into a value leaves the others as they are.
        kith::edit(world.lookup("Lorry"), world.id<Engine>()).parse("", "{gear: 2}");
        CHECK(world.lookup("Lorry").get<Engine>()->maker == "Dan");
        kith::load_text(world, "Lorry: Engine = {gear: 3}");
        CHECK(world.lookup("Lorry").get<Engine>()->maker == "Dan");
    }

    TEST_CASE_FIXTURE(garage, "an inherited value is the start of the own one, not the default") {
        world.prefab("Base").set(Engine{1, 1, "Eve"});
        kith::load_text(world, "Own: (IsA, Base), Engine = {heat: 5}");
        CHECK(world.lookup("Own").get<Engine>()->maker == "Eve");
    }

    TEST_CASE_FIXTURE(garage, "reset() leads back to the declared default") {
        kith::edit<Car>(car).reset("engine.maker").reset("spares[0]");
        CHECK(car.get<Car>()->engine.maker == "Ann");
        CHECK(car.get<Car>()->engine.gear == 1);
        CHECK(car.get<Car>()->spares[0].maker == "Ann");
        CHECK(car.get<Car>()->spares[0].gear == 0);
    }

    TEST_CASE("types without C++ make their values with the declared defaults") {
        kith::world world;
        auto type = world.component("Item")
                        .member(kith::String, "name")
                        .default_value("box")
                        .member<float>("weight")
                        .range(0, 10)
                        .default_value(2);
        const kith::entity box = world.entity().add(type);
        CHECK(kith::value_of(box, type).str() == "{name: \"box\", weight: 2}");
        CHECK(refusal(world, [&] { type.on("weight").default_value(3); }) == errc::in_use);
        CHECK(kith::value_of(world.entity().add(type), type).str() == "{name: \"box\", weight: 2}");
    }

    TEST_CASE("defaults that the member cannot have are refused") {
        kith::world world;
        kith::reflect<Engine>();
        auto engine = world.component<Engine>();
        CHECK(error_of([&] { engine.default_value(1); }) == errc::invalid_operation);
        engine.on("gear").range(0, 5);
        CHECK(error_of([&] { engine.default_value(6); }) == errc::invalid_value);
        CHECK(error_of([&] { engine.default_value(1.5); }) == errc::invalid_value);
        CHECK(error_of([&] { engine.default_value("fast"); }) == errc::invalid_value);
        engine.default_value(5);
        kith::load_text(world, "Van: Engine");
        CHECK(world.lookup("Van").get<Engine>()->gear == 5);
    }

    TEST_CASE_FIXTURE(garage, "the schema of JSON has the attributes") {
        const std::string schema = kith::json_schema(world);
        CHECK(has(schema, "\"minimum\""));
        CHECK(has(schema, "of the cylinder"));
        CHECK(has(schema, "\"default\""));
        CHECK(has(schema, "\"Ann\""));
    }

    TEST_CASE_FIXTURE(garage, "declarations in texts have the attributes") {
        world.entity("One").set(Engine{1, 1, "Bob"});
        const std::string saved = kith::save_text(world);
        CHECK(has(saved, "heat: f32 (range: 0..100, warning: 60..90, error: 90..100, step: 0.5"));
        CHECK(has(saved, "unit: \"°C\", doc: \"of the cylinder\""));
        CHECK(has(saved, "gear: i32 (range: -1..6, was: \"stage\")"));
        CHECK(has(saved, "maker: text = \"Ann\""));
    }

    TEST_CASE("attributes may change while values exist") {
        kith::world world;
        auto type = world.component("Item").member<int>("points").range(0, 10);
        kith::entity one = world.entity().add(type);
        kith::edit(one, type).set("points", 10);
        type.on("points").range(0, 5);
        CHECK(refusal(world, [&] { kith::edit(one, type).set("points", 6); }) ==
              errc::invalid_value);
        CHECK(kith::value_of(one, type).at("points").get<int>() == 10);
    }

    TEST_CASE("a read-only member is not written by path, and is loaded") {
        kith::world world;
        kith::reflect<Plain>();
        world.component<Plain>().on("x").read_only().hidden();
        kith::load_text(world, "One: Plain = {x: 3, y: 4}");
        const kith::entity one = world.lookup("One");
        CHECK(one.get<Plain>()->x == 3);
        CHECK(refusal(world, [&] { kith::edit<Plain>(one).set("x", 5); }) ==
              errc::invalid_operation);
        CHECK(has(kith::save_text(world), "Plain = {x: 3, y: 4}"));
    }
}
