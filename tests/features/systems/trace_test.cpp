// Traces of frames.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <string>

#include <doctest/doctest.h>

using kith_test::error_of;

namespace {

struct Health {};

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

void make_systems(kith::world& world) {
    world.system("Spawn").write<Health>().iter(
        [](kith::iter& it) { it.world().entity().add<Health>(); });
    world.system<Health>("game::Damage").iter([](kith::iter&) {});
}

}  // namespace

TEST_SUITE("features.systems.trace") {
    TEST_CASE("a world without a trace gives an empty one") {
        kith::world world;
        const std::string json = world.trace_json().c_str();
        CHECK(json.find("\"traceEvents\":[\n]") != std::string::npos);
        CHECK(error_of([&] { world.trace_start(0); }) == kith::errc::invalid_operation);
    }

    TEST_CASE("frames, systems by path and sync points with their reason are recorded") {
        kith::world world;
        make_systems(world);
        world.progress(1);
        world.trace_start();
        world.progress(1);
        world.progress(1);
        world.trace_stop();
        world.progress(1);
        const std::string json = world.trace_json().c_str();
        CHECK(count_of(json, "\"cat\":\"frame\"") == 2);
        CHECK(count_of(json, "\"name\":\"Spawn\",\"cat\":\"system\"") == 2);
        CHECK(count_of(json, "\"name\":\"game::Damage\",\"cat\":\"system\"") == 2);
        CHECK(count_of(json, "\"reason\":\"game::Damage reads Health\"") == 2);
        CHECK(json.find("\"commands\":") != std::string::npos);
    }

    TEST_CASE("the last events are kept, with the names of systems that are gone") {
        kith::world world;
        make_systems(world);
        world.trace_start(10);
        for (int i = 0; i < 100; ++i) {
            world.progress(1);
        }
        world.lookup("Spawn").destruct();
        const std::string json = world.trace_json().c_str();
        CHECK(count_of(json, "\"ph\":\"X\"") == 10);
        CHECK(json.find("\"name\":\"frame 100\"") != std::string::npos);
        CHECK(json.find("\"name\":\"Spawn\"") != std::string::npos);
    }
}
