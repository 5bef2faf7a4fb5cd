// Names as texts write them, and the entities that they mean.
#pragma once

#include <kith/syntax/text.hpp>
#include <kith/syntax/token.hpp>
#include <kith/world.hpp>

#include <string>
#include <string_view>

namespace kith::dsl {

// Stands between the elements of a decoded path. A character that nobody types, so that elements
// may have dots and colons.
inline constexpr char separator = '\x1F';

struct decoded_path {
    std::string text;      // elements with `separator` between them
    bool at_root = false;  // it began with `::`
};
// Takes a token apart: quotes and escapes are resolved.
decoded_path decode_path(std::string_view token);
// The text of a token in quotes.
std::string decode_quoted(std::string_view token);

// The entity that a name means, seen from a scope; null if there is none. `search`: also from the
// scopes above and from the lookup path, as world.lookup() does.
entity find_entity(const world& world, std::string_view token, bool search = true);
// An entity by its number, 0 if no living one has it.
entity find_number(const world& world, std::string_view digits);

using syntax::append_name;

// "; did you mean 'Planet'?" with the name nearest to one that does not exist; empty if none is
// near.
std::string suggest(const world& world, std::string_view token);
// True if a word is, but for a slip or two, another one.
bool is_near(std::string_view word, std::string_view other);

}  // namespace kith::dsl
