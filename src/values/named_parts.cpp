// Members, alternatives, constants and entities by their names, and suggestions for names that
// nothing has (assign.hpp).
#include <kith/detail/assert.hpp>
#include <kith/syntax/lexer.hpp>
#include <kith/world.hpp>

#include "assign.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace kith::values {

// Present names win over former ones (`was`).
const member_info* find_member(const description& type, std::string_view name) {
    for (const member_info& member : type) {
        if (name == member.name) {
            return &member;
        }
    }
    for (const member_info& member : type) {
        if (member.attributes && member.attributes->was && name == member.attributes->was) {
            return &member;
        }
    }
    return nullptr;
}

namespace {

// The number of letters by which two words differ.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        row[j] = j;
    }
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

// The name of a type without namespaces; template arguments stay.
std::string_view last_name(std::string_view name) {
    const std::size_t angle = name.find('<');
    const std::size_t colon = name.substr(0, angle).rfind(':');
    const std::size_t dot = name.substr(0, angle).rfind('.');
    const std::size_t cut = colon == std::string_view::npos ? dot : colon;
    return cut == std::string_view::npos ? name : name.substr(cut + 1);
}

}  // namespace

// A name counts as near if at most a third of its letters differ, and one letter in short names.
std::string suggest_member(const description& type, std::string_view name) {
    constexpr std::uint32_t most_shown = 12;
    std::string text = "; " + std::string(type.life.name) + " has ";
    const char* nearest = nullptr;
    std::size_t least = std::max<std::size_t>(name.size() / 3, 1) + 1;
    for (std::uint32_t i = 0; i < type.count; ++i) {
        const char* member = type.members[i].name;
        if (i < most_shown) {
            text += (i > 0 ? ", " : "") + std::string(member);
        }
        if (name.size() < 64) {
            const std::size_t far = distance(name, member);
            nearest = far < least ? member : nearest;
            least = std::min(far, least);
        }
    }
    text += type.count == 0 ? "no members" : type.count > most_shown ? ", …" : "";
    return nearest ? text + "; did you mean '" + nearest + "'?" : text;
}

// The last name is enough if no other alternative shares it; then the full name, and `#2` if that
// is shared, too, or is no word.
std::string alternative_name(const description& type, std::uint32_t which) {
    KITH_ASSERT(which < type.count, "the variant has the alternative");
    const description* wanted = type.members[which].type;
    const std::string_view full = wanted->life.name;
    const std::string_view last = last_name(full);
    bool shares_last = false;
    bool shares_full = false;
    for (std::uint32_t i = 0; i < type.count; ++i) {
        if (i != which) {
            const std::string_view other = type.members[i].type->life.name;
            shares_full |= other == full;
            shares_last |= last_name(other) == last;
        }
    }
    const bool is_word = std::all_of(last.begin(), last.end(), syntax::chars::is_name);
    if (shares_full || !is_word) {
        return "#" + std::to_string(which);
    }
    std::string name(shares_last ? full : last);
    for (std::size_t at = name.find("::"); at != std::string::npos; at = name.find("::")) {
        name.replace(at, 2, ".");
    }
    return name;
}

std::int32_t find_alternative(const description& type, std::string_view name) {
    for (std::uint32_t i = 0; i < type.count; ++i) {
        if (name == alternative_name(type, i) || name == "#" + std::to_string(i)) {
            return static_cast<std::int32_t>(i);
        }
    }
    return -1;
}

const constant_info* find_constant(const description& type, std::string_view name) {
    KITH_ASSERT(type.what == kind::enumeration || type.what == kind::flags,
                "only enums and flags have constants");
    const std::size_t dot = name.rfind('.');
    const std::string_view word = dot == std::string_view::npos ? name : name.substr(dot + 1);
    for (std::uint32_t i = 0; i < type.count; ++i) {
        if (word == type.constants[i].name) {
            return &type.constants[i];
        }
    }
    return nullptr;
}

// An index without generation names the live entity with the index. A generation names exactly this
// id, whether or not it is alive, so that texts keep dead handles.
entity_t find_entity(assignment& state, std::string_view name) {
    if (!state.world) {
        return 0;
    }
    if (name.starts_with('#')) {
        std::uint32_t index = 0;
        const char* end = name.data() + name.size();
        const auto read = std::from_chars(name.data() + 1, end, index);
        if (read.ec != std::errc{}) {
            return 0;
        }
        if (read.ptr == end) {
            return detail::get_alive(state.world, index);
        }
        std::uint16_t generation = 0;
        const auto last = std::from_chars(read.ptr + 1, end, generation);
        return *read.ptr == '@' && last.ec == std::errc{} && last.ptr == end
                   ? make_entity_id(index, generation)
                   : 0;
    }
    if (state.find) {
        return state.find(state.context, name);
    }
    return detail::lookup_path(state.world, 0, name, ".", "::", true);
}

}  // namespace kith::values
