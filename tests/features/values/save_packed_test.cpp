// Compressed save files, and what is refused about them.
#include <kith/kith.hpp>
#include <kith/save.hpp>

#include "support/errors.hpp"
#include "support/file_forge.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include <doctest/doctest.h>

namespace {

struct Walk {
    float x = 0;
    float y = 0;
    float z = 0;
};
struct Zeros {
    double values[4] = {};
};
struct Memo {
    std::string text;
};

void fill(const kith::world& world, int count) {
    kith::reflect<Walk, Zeros, Memo>();
    world.component<Walk>();
    world.component<Zeros>();
    world.component<Memo>();
    for (int i = 0; i < count; ++i) {
        const auto f = static_cast<float>(i);
        world.entity().set(Walk{std::sin(f), f / 3, 100}).set(Zeros{});
        if (i % 7 == 0) {
            world.entity(("named " + std::to_string(i)).c_str()).set(Memo{"memo"});
        }
    }
}

std::string save_packed(const kith::world& world, bool planes) {
    kith::save_options options;
    options.zstd = true;
    options.planes = planes;
    return kith::save_to_string(world, options);
}

// Turns the library off while it lives.
struct without_zstd {
    without_zstd() { ::setenv("KITH_ZSTD", "off", 1); }
    ~without_zstd() { ::unsetenv("KITH_ZSTD"); }
};

bool has_library() {
    try {
        save_packed(kith::world(), false);
        return true;
    } catch (const kith::error&) {
        MESSAGE("there is no zstd here");
        return false;
    }
}

std::string refusal(const std::string& file, const kith::load_file_options& options = {}) {
    const kith::world target;
    try {
        kith::load_from_string(target, file, options);
    } catch (const kith::error& refused) {
        CHECK(refused.code() == kith::errc::invalid_file);
        return refused.what();
    }
    return "";
}

}  // namespace

TEST_SUITE("features.values.save_packed") {
    // spec 584
    TEST_CASE("packed files are smaller and give equal worlds") {
        if (!has_library()) {
            return;
        }
        const kith::world world;
        fill(world, 20000);
        const std::string plain = kith::save_to_string(world);
        const std::string packed = save_packed(world, false);
        const std::string separated = save_packed(world, true);
        CHECK(packed.size() < plain.size() / 2);
        CHECK(separated.size() < packed.size());
        CHECK(save_packed(world, true) == separated);
        for (const std::string* file : {&plain, &packed, &separated}) {
            const kith::world copy;
            CHECK(kith::load_from_string(copy, *file).exact);
            copy.check();
            CHECK(copy.hash() == world.hash());
            CHECK(kith::save_to_string(copy) == plain);
        }
    }

    // spec 584
    TEST_CASE("programs without zstd read plain files and refuse packed ones by name") {
        const kith::world world;
        fill(world, 300);
        const std::string plain = kith::save_to_string(world);
        const std::string packed = has_library() ? save_packed(world, true) : "";
        const without_zstd off;
        CHECK(refusal(plain) == "");
        if (!packed.empty()) {
            CHECK(refusal(packed).find("compressed by zstd, and this program has no zstd") !=
                  std::string::npos);
        }
        try {
            save_packed(world, false);
            FAIL_CHECK("saved");
        } catch (const kith::error& refused) {
            CHECK(refused.code() == kith::errc::invalid_operation);
            CHECK(std::string(refused.what()).find("zstd") != std::string::npos);
        }
    }

    // spec 584
    TEST_CASE("damaged blocks and sizes beyond the limits are refused") {
        if (!has_library()) {
            return;
        }
        const kith::world world;
        fill(world, 3000);
        const std::string packed = save_packed(world, true);
        kith::load_file_options small;
        small.bytes = packed.size() * 2;
        CHECK(refusal(packed, small).find("beyond the limits") != std::string::npos);
        kith::load_file_options narrow;
        narrow.ratio = 1;
        CHECK(refusal(packed, narrow).find("beyond the limits") != std::string::npos);
        // Every byte of the first packed part, with checksums that fit.
        std::size_t part = 64;
        while (packed[part + 15] != 1) {
            std::uint64_t size = 0;
            std::memcpy(&size, &packed[part + 8], 7);
            part += 24 + size;
        }
        for (std::size_t at = part + 8; at < part + 250; ++at) {
            for (const int change : {1, 0x80, 0xFF}) {
                std::string file = packed;
                file[at] = static_cast<char>(file[at] ^ change);
                file_forge::repair(file);
                const kith::world target;
                try {
                    kith::load_from_string(target, file);
                } catch (const kith::error&) {}
                REQUIRE_NOTHROW(target.check());
            }
        }
        // Truncated and changed without repair.
        for (std::size_t at = 64; at < packed.size(); at += 997) {
            CHECK(refusal(packed.substr(0, at)) != "");
            std::string file = packed;
            file[at] = static_cast<char>(~file[at]);
            CHECK(refusal(file) != "");
        }
    }
}
