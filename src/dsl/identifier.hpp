// Names as texts write them (with quotes, escapes and paths), the entities that they name, and
// suggestions for names that do not exist.
#pragma once

#include <kith/syntax/text.hpp>
#include <kith/syntax/token.hpp>
#include <kith/world.hpp>

#include <string>
#include <string_view>

namespace kith::dsl {

// Separates the elements of a decoded path: a control character, so that elements may have dots and
// colons.
inline constexpr char separator = '\x1F';

// A path without quotes and escapes.
struct decoded_path {
    std::string text;      // elements with `separator` between them
    bool at_root = false;  // it began with `::`
};
// Decodes a token that names an entity.
decoded_path decode_path(std::string_view token);
// The text of a token in quotes.
std::string decode_quoted(std::string_view token);

// The entity that the token names, from the world's scope on; null if there is none. With `search`,
// enclosing scopes and the lookup path are searched as well, as in world.lookup().
entity find_entity(const world& world, std::string_view token, bool search = true);
// The entity with this index or id; null if it is not alive.
entity find_number(const world& world, std::string_view digits);

using syntax::append_name;

// "; did you mean 'Planet'?" with the existing name that is nearest to the token; empty if none is.
std::string suggest(const world& world, std::string_view token);
// True if the words differ by a few letters only.
bool is_near(std::string_view word, std::string_view other);

}  // namespace kith::dsl
