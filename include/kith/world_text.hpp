// Worlds as text: facts such as `Planet(Earth)` or `Likes(Bob, Alice)`, in files that end in .kith.
// What they mean is in docs/manual/worlds-as-text.md. Not part of <kith/kith.hpp>.
//
// Covered by tests/dsl/.
#pragma once

#include <kith/world.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kith {

// A mistake in a text. Lines and columns count from 1, columns in characters.
struct text_error {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::string message;
    std::string excerpt;  // the line, and below it carets
};

struct load_options {
    const char* file = nullptr;  // for messages
    // Told about how much was read, in bytes, from time to time; returns false to give up, which is
    // an error (invalid_operation). A text is read twice, so `size` is twice that of the text.
    bool (*progress)(void* context, std::size_t done, std::size_t size) = nullptr;
    void* context = nullptr;
};

struct load_result {
    std::uint64_t facts = 0;
    std::uint64_t entities = 0;  // that it made; copies of prefabs' children do not count
};

// Adds the facts of a text to a world; its top is the world's current scope. All or nothing: throws
// kith::error (invalid_text) whose message has every mistake of syntax with its place, or what the
// world refused first, and then the world is as it was. Hooks run for what is taken back, too. In
// builds without exceptions the error handler is called before anything is taken back.
load_result load_text(world& world, std::string_view text, const load_options& options = {});

// The facts that make up a world, in a fixed order, so that loading them into an empty world gives
// an equal one. Throws kith::error naming the first thing that text cannot say: a value without
// description, an entity without a name that others refer to, a disabled id, an override, an alias.
// Entities without a name that nobody refers to are left out.
std::string save_text(const world& world);

// One entity with its own ids and values, in one line: `Sol.Earth: Planet, Position = {x: 1, y:
// 2}`. Values without description are `?`; without such values, load_text() reads the line.
std::string to_text(const entity_view& entity);
inline string entity_view::to_text() const {
    return string(text_view(kith::to_text(*this)));
}

// Mistakes of syntax, without a world; the text as we would write it, comments kept. Formatting a
// text that has mistakes throws.
std::vector<text_error> check_text(std::string_view text);
std::string format_text(std::string_view text);

}  // namespace kith
