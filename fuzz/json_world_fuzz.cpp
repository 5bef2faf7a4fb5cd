// Bytes as the JSON of a world. Whatever they are: a text that is refused changes nothing, a world
// that was read comes back equal from the JSON that is written, and chunks mean what the whole text
// means.
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

// The message of the refusal; empty if the text was read. `step` is the size of chunks, 0: one.
std::string refusal_of(kith::world& world, std::string_view text, kith::unknown_policy policy,
                       std::size_t step) {
    kith::json_options options;
    options.unknown = policy;
    try {
        if (step == 0) {
            kith::from_json(world, text, options);
            return {};
        }
        kith::json_reader reader(world, options);
        for (std::size_t at = 0; at < text.size(); at += step) {
            // A copy, so that the sanitizer sees reads behind the chunk.
            const std::string chunk(text.substr(at, step));
            reader.feed(chunk);
        }
        reader.finish();
        return {};
    } catch (const kith::error& refused) {
        return refused.what();
    }
}

bool read(kith::world& world, std::string_view text, kith::unknown_policy policy) {
    const std::string before = kith_test::dump_all(world);
    const bool accepted = refusal_of(world, text, policy, 0).empty();
    world.check();
    require(accepted || kith_test::dump_all(world) == before, "a refused text left something",
            before);
    if (!accepted) {
        kith::world untouched;
        require(world.entity().id() == untouched.entity().id(), "a refused text used up an id",
                before);
    }
    return accepted;
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
    kith::world in_chunks;
    kith::world whole;
    const std::size_t step = 1 + (size > 0 ? data[0] % 7u : 0u);
    const auto policy = static_cast<kith::unknown_policy>(size % 3);
    require(refusal_of(in_chunks, text, policy, step) == refusal_of(whole, text, policy, 0),
            "chunks mean something else", std::string(text));
    kith::world world;
    if (!read(world, text, policy)) {
        return 0;
    }
    if (const std::optional<std::string> written = write(world)) {
        kith::world again;
        require(read(again, *written, policy), "what was written is refused", *written);
        require(write(again) == written, "written again, it is another text", *written);
    }
    return 0;
}
