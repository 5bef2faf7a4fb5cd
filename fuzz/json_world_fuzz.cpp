// Bytes as the JSON of a world. Whatever they are: a text that is refused changes nothing, and a
// world that was read comes back equal from the JSON that is written.
#include <kith/json.hpp>
#include <kith/world_text.hpp>

#include "support/world_text.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace {

void require(bool holds, const char* what, const std::string& text) {
    if (!holds) {
        std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
        std::abort();
    }
}

bool read(kith::world& world, std::string_view text) {
    const std::string before = kith_test::dump_all(world);
    try {
        kith::from_json(world, text);
        world.check();
        return true;
    } catch (const kith::error&) {
        world.check();
        require(kith_test::dump_all(world) == before, "a refused text left something", before);
        return false;
    }
}

// Returns nothing if the world has facts that JSON of worlds cannot express.
std::optional<std::string> write(const kith::world& world) {
    try {
        return kith::to_json(world);
    } catch (const kith::error&) {
        return std::nullopt;
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    kith::world world;
    if (!read(world, text)) {
        return 0;
    }
    if (const std::optional<std::string> written = write(world)) {
        kith::world again;
        require(read(again, *written), "what was written is refused", *written);
        require(write(again) == written, "written again, it is another text", *written);
    }
    return 0;
}
