// Save files while memory is short: the world is as before.
#include <kith/save.hpp>

#include "support/failing_script.hpp"

#include <string>

#include <doctest/doctest.h>

namespace {

using namespace model;

struct Stock {
    std::string name;
    float weight = 0;
};

std::string stocks() {
    kith::reflect<Stock>();
    kith::world world;
    const kith::entity shop = world.entity("shop").set(Stock{"all", 1});
    world.entity("shelf").child_of(shop).set(Stock{"some of it, in a long text", 2});
    return kith::save_to_string(world);
}

const script& loads() {
    static const std::string data = stocks();
    static std::string written;
    static const script steps = {
        {"use the world", promise::usable,
         [](script_state& s) {
             s[0] = s.world.entity("own").set(Stock{"own", 3});
         }},
        {"load", promise::undone, [](script_state& s) { kith::load_from_string(s.world, data); }},
        {"save", promise::undone, [](script_state& s) { written = kith::save_to_string(s.world); }},
    };
    return steps;
}

}  // namespace

TEST_SUITE("model.save_failure") {
    // spec 581
    TEST_CASE("each allocation of a load and of a save may fail") {
        CHECK(fail_everywhere(loads()) > 2);
    }
}
