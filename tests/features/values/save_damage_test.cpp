// Save files whose checksums fit and whose contents do not: an error, or a world without a broken
// invariant.
#include <kith/kith.hpp>
#include <kith/save.hpp>

#include "support/file_forge.hpp"
#include "support/sanitized.hpp"
#include "support/world_dump.hpp"

#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Site {
    float x = 0;
    float y = 0;
};
struct Crew {
    std::vector<std::string> names;
    std::optional<int> limit;
    kith::handle captain;
};

std::string small_file() {
    kith::world world;
    kith::reflect<Site, Crew>();
    world.component<Site>().add(kith::Sparse);
    const kith::entity likes = world.entity("likes").add(kith::Exclusive);
    const kith::entity a = world.entity("a").set(Site{1, 2});
    kith::entity b = world.entity("b").child_of(a).add(likes, a);
    b.set(Crew{{"x", "yy"}, 3, a}).disable<Crew>();
    world.entity().is_a(a).destruct();
    return kith::save_to_string(world);
}

// 0: refused, 1: loaded.
int try_load(const std::string& file) {
    kith::world target;
    try {
        kith::load_from_string(target, file);
    } catch (const kith::error&) {
        // C++ types may have become known.
        CHECK(kith_test::dump_world(target, {}, kith::first_entity) == "");
        return 0;
    }
    CHECK_NOTHROW(target.check());
    return 1;
}

}  // namespace

TEST_SUITE("features.values.save_damage") {
    TEST_CASE("the checksum is that of the format") {
        std::string file = small_file();
        const std::string original = file;
        file_forge::repair(file);
        CHECK(file == original);
    }

    // spec 582
    TEST_CASE("hostile bytes with repaired checksums break nothing") {
        const std::string file = small_file();
        std::size_t refused = 0;
        std::size_t tried = 0;
        const std::size_t stride = kith_test::is_sanitized ? 5 : 1;
        for (std::size_t at = 64; at < file.size(); at += stride) {
            for (int value : {0, 1, 127, 255}) {
                std::string forged = file;
                forged[at] = static_cast<char>(value);
                file_forge::repair(forged);
                refused += try_load(forged) == 0;
                ++tried;
            }
        }
        CHECK(refused > tried / 4);
    }

    // spec 581
    TEST_CASE("parts that are exchanged, repeated or missing are found") {
        const std::string file = small_file();
        std::vector<std::string> parts;
        for (std::size_t at = 64; at < file.size();) {
            std::uint64_t size = 0;
            std::memcpy(&size, &file[at + 8], 8);
            parts.push_back(file.substr(at, 24 + size));
            at += 24 + size;
        }
        auto join = [&](const std::vector<std::string>& list) {
            std::string joined = file.substr(0, 64);
            for (const std::string& part : list) {
                joined += part;
            }
            return joined;
        };
        REQUIRE(try_load(join(parts)) == 1);
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            std::vector<std::string> changed = parts;
            std::swap(changed[i], changed[i + 1]);
            CHECK(try_load(join(changed)) == 0);
            changed = parts;
            changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
            CHECK(try_load(join(changed)) == 0);
            changed = parts;
            changed.insert(changed.begin() + static_cast<std::ptrdiff_t>(i), parts[i]);
            CHECK(try_load(join(changed)) == 0);
        }
    }

    TEST_CASE("a newer version is refused by its number") {
        std::string file = small_file();
        file[8] = 9;
        file_forge::repair(file);
        kith::world target;
        try {
            kith::load_from_string(target, file);
            FAIL_CHECK("loaded");
        } catch (const kith::error& refused) {
            CHECK(refused.code() == kith::errc::invalid_file);
            CHECK(std::string(refused.what()).find("version 9") != std::string::npos);
        }
    }
}
