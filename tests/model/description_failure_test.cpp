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
}
