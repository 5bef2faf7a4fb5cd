// JSON Schema of described types.
#include <kith/json.hpp>
#include <kith/kith.hpp>

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace {

enum class Color : std::uint8_t { Red, Green = 4 };
struct Point {
    float x, y;
};
struct Shape {
    std::variant<std::monostate, Point> at;
    Color color;
    std::vector<Shape> parts;
};
struct Health {
    int points;
};

}  // namespace

TEST_SUITE("features.values.json_schema") {
    TEST_CASE("types are definitions that refer to each other") {
        const kith::world world;
        CHECK(
            kith::json_schema<Shape>(world) ==
            R"({"$schema":"https://json-schema.org/draft/2020-12/schema", "$ref":"#/$defs/Shape", )"
            R"("$defs":{"Color":{"anyOf":[{"type":"string", "pattern":"^(-?[0-9]+|([^|]*\\.)?(Red|Green))$"}, )"
            R"({"type":"integer", "minimum":0, "maximum":255}]}, )"
            R"("Point":{"type":"object", "properties":{"x":{"anyOf":[{"type":"number", )"
            R"("exclusiveMinimum":-3.4028235677973366e+38, "exclusiveMaximum":3.4028235677973366e+38}, )"
            R"({"enum":["NaN", "Infinity", "-Infinity"]}]}, "y":{"anyOf":[{"type":"number", )"
            R"("exclusiveMinimum":-3.4028235677973366e+38, "exclusiveMaximum":3.4028235677973366e+38}, )"
            R"({"enum":["NaN", "Infinity", "-Infinity"]}]}}, "additionalProperties":false}, )"
            R"("Shape":{"type":"object", "properties":{"at":{"anyOf":[{"type":"null"}, {"type":"object", )"
            R"("properties":{"Point":{"$ref":"#/$defs/Point"}}, "required":["Point"], "additionalProperties":false}]}, )"
            R"("color":{"$ref":"#/$defs/Color"}, "parts":{"type":"array", "items":{"$ref":"#/$defs/Shape"}}}, )"
            R"("additionalProperties":false}}})"
            "\n");
    }

    TEST_CASE("attributes of a world's components are part of its schema") {
        kith::world world;
        kith::reflect<Health>();
        world.component<Health>().on("points").range(0, 100).unit("hp").doc("left").was("life");
        const std::string schema = kith::json_schema(world);
        CHECK(schema.find(R"("Health":{"type":"object", "properties":{"points":)") !=
              std::string::npos);
        CHECK(schema.find(R"("allOf":[{"minimum":0, "maximum":100}], "description":"left", )"
                          R"("x-kith-unit":"hp", "x-kith-was":"life"}, "life":)") !=
              std::string::npos);
    }
}
