// Bytes as the text of a world. Whatever they are: a text with mistakes changes nothing, one that
// is laid out stays as it is and says the same, and a world that was loaded comes back equal from
// what is saved.
#include "support/world_text.hpp"

#include <kith/world_text.hpp>

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

// Empty if the world refuses the text: then it must be as before.
bool load(kith::world& world, std::string_view text) {
    const std::string before = kith_test::dump_all(world);
    try {
        kith::load_text(world, text);
        world.check();
        return true;
    } catch (const kith::error&) {
        world.check();
        require(kith_test::dump_all(world) == before, "a refused text left something", before);
        return false;
    }
}

// Nothing if there is something that text cannot say.
std::optional<std::string> save(const kith::world& world) {
    try {
        return kith::save_text(world);
    } catch (const kith::error&) {
        return std::nullopt;
    }
}

void check_layout(std::string_view text, const kith::world& world) {
    const std::string formatted = kith::format_text(text);
    require(kith::format_text(formatted) == formatted, "layout is not stable", formatted);
    kith::world again;
    require(load(again, formatted), "layout breaks a text", formatted);
    require(kith_test::dump_all(again) == kith_test::dump_all(world), "layout changes", formatted);
}

void check_saved(const std::string& text, const kith::world& world) {
    kith::world again;
    require(load(again, text), "what was saved is refused", text);
    const bool in_order = kith_test::ids_follow_tree(world);
    require(kith_test::dump_facts(again, in_order) == kith_test::dump_facts(world, in_order),
            "what was saved is another world", text);
    require(save(again) == text, "saved again, it is another text", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    kith::world world;
    if (!load(world, text)) {
        return 0;
    }
    check_layout(text, world);
    if (const std::optional<std::string> saved = save(world)) {
        check_saved(*saved, world);
    }
    // The same facts once more, the last of them refused.
    load(world, std::string(text) + "\nWildcard(Refused)\n");
    return 0;
}
