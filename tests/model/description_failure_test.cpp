// Descriptions and handles with policies while memory is short: texts with types are taken back,
// and the world stays usable.
#include <kith/meta.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/failing_script.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace model;

struct Gauge {
    int raw = 0;
    std::string label;
};
struct Follows {
    kith::handle who;
    std::vector<kith::handle> others;
};

struct Barrel {
    float litres = 0;
    std::string label;
};

// A C++ type takes the place of a declared one, whose values are in tables, pairs, prefabs and
// bases.
const script& takeover() {
    static const script steps = {
        {"declare", promise::usable,
         [](script_state& s) {
             s[0] = s.world.component("model_late::Barrel")
                        .member<float>("litres")
                        .member(kith::String, "label");
             s[1] = s.world.entity("first").add(s[0]);
             s[2] = s.world.entity("second").add(s[0]).add(s[0], s[1]);
             s[3] = s.world.prefab("base").add(s[0]).override(s[0]);
             s[4] = s.world.entity("instance").is_a(s[3]);
             for (int i = 1; i < 5; ++i) {
                 kith::edit(s[static_cast<std::size_t>(i)], s[0])
                     .set("litres", i)
                     .set("label", "a label that does not fit into a short string");
             }
         }},
        {"describe", promise::usable, [](script_state&) { kith::reflect<Barrel>(); }},
        {"take over", promise::undone,
         [](script_state& s) { s.world.component<Barrel>("model_late::Barrel"); }},
        {"use", promise::usable, [](script_state& s) { s[5] = s.world.entity().set(Barrel{}); }},
    };
    return steps;
}

const script& descriptions() {
    static const script steps = {
        {"reflect", promise::usable, [](script_state&) { kith::reflect<Gauge, Follows>(); }},
        {"describe members", promise::usable,
         [](script_state& s) {
             s.world.component<Gauge>()
                 .member("raw", &Gauge::raw)
                 .member(
                     "level", [](const Gauge& gauge) { return gauge.raw / 10.0; },
                     [](Gauge& gauge, double level) { gauge.raw = static_cast<int>(level * 10); })
                 .range(0, 5)
                 .member("label", &Gauge::label)
                 .default_value("a text that does not fit into the memory of a short string");
         }},
        {"circles of types", promise::usable,
         [](script_state& s) {
             kith::load_text(s.world,
                             "struct Ship { name: text, ports: [Port] }\n"
                             "struct Port { ships: {text: Ship}, depth: f32 = 3 }\n"
                             "Bell: Ship = {\"Bell\", [{ships: {a: {}}}]}\n");
         }},
        {"edit", promise::usable,
         [](script_state& s) {
             s[0] = s.world.entity("own").set(Gauge{});
             kith::edit(s[0], s.world.id<Gauge>()).parse("", "{level: 3, label: \"x\"}");
         }},
        {"policies", promise::usable,
         [](script_state& s) {
             s.world.component<Follows>()
                 .on("who")
                 .on_delete_target(kith::Delete)
                 .on("others")
                 .on_delete_target(kith::Clear);
             s[1] = s.world.entity();
             s[2] = s.world.entity().set(Follows{s[1], {}});
             s[3] = s.world.entity().set(Follows{{}, {s[1], s[2], s[0]}});
         }},
        {"delete", promise::usable,
         [](script_state& s) { kith::entity(s.world, s[1]).destruct(); }},
    };
    return steps;
}

}  // namespace

TEST_SUITE("model.description_failure") {
    // spec 525
    TEST_CASE("each allocation of descriptions, texts with types and deletions may fail") {
        CHECK(fail_everywhere(descriptions()) > 20);
    }

    // spec 523
    TEST_CASE("each allocation may fail while a C++ type takes the place of a declared one") {
        CHECK(fail_everywhere(takeover()) > 20);
    }
}
