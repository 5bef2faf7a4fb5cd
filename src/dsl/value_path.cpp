// Paths to values, declared in value_path.hpp.
#include "value_path.hpp"

#include <kith/detail/value_test.hpp>

namespace kith::dsl {

namespace {

// The last separator in front of `end` that is outside of quotes and of the <> of a type; npos if
// there is none.
std::size_t find_last_dot(std::string_view token, std::size_t end) {
    std::size_t found = std::string_view::npos;
    std::size_t angles = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < end; ++i) {
        const char c = token[i];
        if (quoted) {
            i += c == '\\';
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else {
            angles += c == '<';
            angles -= c == '>' && angles > 0;
            found = c == '.' && angles == 0 ? i : found;
        }
    }
    return found;
}

}  // namespace

value_path find_value_path(const world& world, std::string_view token) {
    for (std::size_t end = token.size(); end != std::string_view::npos;
         end = find_last_dot(token, end)) {
        const entity_t named = find_entity(world, token.substr(0, end));
        if (named && detail::find_description(world, named)) {
            value_path found;
            found.component = named;
            found.path = end == token.size() ? "" : token.substr(end + 1);
            found.is_whole = detail::is_compared_as_whole(world, named);
            return found;
        }
    }
    return {};
}

}  // namespace kith::dsl
