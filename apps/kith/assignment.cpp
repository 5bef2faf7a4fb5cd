// Assignments to members (assignment.hpp).
#include "assignment.hpp"

#include <kith/syntax/lexer.hpp>
#include <kith/value.hpp>

#include "answer.hpp"
#include "display_width.hpp"
#include "input_error.hpp"
#include "names.hpp"
#include "nearest.hpp"

#include <algorithm>
#include <vector>

namespace kith_app {

namespace {

constexpr const char* how_to_assign =
    "a value is set like this: Earth.Position.x = 3, and added like this: + Position(Earth) = {x: "
    "3, y: 0}";

constexpr const char* blanks = " \t\r\n";

// The value that is set: a component of an entity, or a part of it.
struct destination {
    kith::entity owner;
    kith::entity component;
    std::string path;
};

// The places where a name may end: dots and opening brackets outside of quotes and brackets.
std::vector<std::size_t> ends_of_names(std::string_view text) {
    std::vector<std::size_t> ends;
    bool quoted = false;
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted && c == '\\') {
            ++at;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (!quoted) {
            if (depth == 0 && (c == '.' || c == '[')) {
                ends.push_back(at);
            }
            depth += (c == '[') - (c == ']');
        }
    }
    return ends;
}

const kith::description* described(const kith::world& world, const kith::entity& component) {
    const kith::description* type =
        component ? kith::detail::find_description(world, component) : nullptr;
    return type && type->what != kith::kind::none ? type : nullptr;
}

// The components with values that an entity has.
std::vector<std::string> values_of(const kith::world& world, const kith::entity& owner) {
    std::vector<std::string> names;
    owner.each([&](kith::id id) {
        if (!id.is_pair() && described(world, id.entity())) {
            names.push_back(path_of(id.entity()));
        }
    });
    return names;
}

// The longest beginning of the text that names a component with values: `Position.x`, `Marks[2]`.
bool find_component(const kith::world& world, const std::string& text, destination& found) {
    std::vector<std::size_t> ends = ends_of_names(text);
    ends.push_back(text.size());
    for (std::size_t i = ends.size(); i-- > 0;) {
        found.component = lookup_path(world, text.substr(0, ends[i]));
        if (described(world, found.component)) {
            found.path = text.substr(std::min(text.size(), ends[i] + (text[ends[i]] == '.')));
            return true;
        }
    }
    return false;
}

// The longest beginning that names an entity which has the component named behind it.
destination find_destination(const kith::world& world, const std::string& text) {
    destination missing;
    std::size_t owner_end = 0;  // of the longest name of an entity
    const std::vector<std::size_t> ends = ends_of_names(text);
    for (std::size_t i = ends.size(); i-- > 0;) {
        destination found;
        found.owner =
            text[ends[i]] == '.' ? lookup_path(world, text.substr(0, ends[i])) : found.owner;
        if (!found.owner) {
            continue;
        }
        owner_end = std::max(owner_end, ends[i]);
        if (find_component(world, text.substr(ends[i] + 1), found)) {
            if (found.owner.has(found.component)) {
                return found;
            }
            missing = missing.owner ? missing : found;
        }
    }
    if (missing.owner) {
        const std::string owner = path_of(missing.owner);
        const std::string component = path_of(missing.component);
        throw input_error(owner + " does not have " + component + "; a fact gives it one: + " +
                          component + "(" + owner + ") = ...");
    }
    if (owner_end == 0) {
        find_named(world, text.substr(0, ends.empty() ? text.size() : ends.front()));
        throw input_error(how_to_assign);
    }
    const kith::entity owner = find_named(world, text.substr(0, owner_end));
    const std::string rest = text.substr(owner_end + 1);
    const std::string word = rest.substr(0, rest.find_first_of(".["));
    throw input_error(path_of(owner) + " has no value '" + word + "'" +
                      did_you_mean(word, values_of(world, owner)));
}

// A message with a part of the line as its place.
std::string with_place(const std::string& message, const std::string& line, std::size_t begin,
                       std::size_t size) {
    const std::size_t column = display_width(line.substr(0, begin));
    return "1:" + std::to_string(column + 1) + ": " + message + "\n    " + line + "\n    " +
           std::string(column, ' ') +
           std::string(std::max<std::size_t>(1, display_width(line.substr(begin, size))), '^');
}

// A message about `value` as one about the line, which has other characters in place of the
// leading blanks. Mistakes of syntax have a place and an excerpt already; others are about the
// whole value.
std::string about_line(std::string message, const std::string& line, const std::string& value) {
    if (!message.starts_with("1:")) {
        const std::size_t begin = std::min(value.find_first_not_of(blanks), value.size());
        return with_place(message, line, begin, value.find_last_not_of(blanks) + 1 - begin);
    }
    const std::size_t excerpt = message.find("\n    " + value);
    return excerpt != std::string::npos ? message.replace(excerpt + 5, value.size(), line)
                                        : message;
}

}  // namespace

std::size_t find_assignment(std::string_view text) {
    using kith::syntax::token_kind;
    kith::syntax::lexer words(text, kith::syntax::lexer_mode::with_comparisons);
    for (kith::syntax::token word = words.next(); word.kind != token_kind::end;
         word = words.next()) {
        if (word.kind == token_kind::equal) {
            return word.at.begin;
        }
    }
    return std::string_view::npos;
}

void assign(const kith::world& world, const std::string& text) {
    const std::size_t mark = find_assignment(text);
    const std::size_t end = mark == 0 ? std::string::npos : text.find_last_not_of(blanks, mark - 1);
    if (end == std::string::npos) {
        throw input_error(how_to_assign);
    }
    const destination into = find_destination(world, text.substr(0, end + 1));
    try {
        static_cast<void>(kith::path(
            world.c_ptr(), kith::detail::require_description(world, into.component), into.path));
    } catch (const kith::error& refused) {
        throw input_error(
            with_place(refused.what(), text, end + 1 - into.path.size(), into.path.size()));
    }
    kith::value_edit edit = kith::edit(into.owner, into.component);
    // Blanks in the place of what was read, so that mistakes have the columns of the line.
    const std::string value = std::string(mark + 1, ' ') + text.substr(mark + 1);
    try {
        edit.parse(into.path, value);
        edit.commit();
    } catch (const kith::error& refused) {
        edit.discard();
        throw input_error(about_line(refused.what(), text, value));
    }
}

}  // namespace kith_app
