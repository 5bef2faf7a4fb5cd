// Decoding names, and finding names that are similar.
#include "identifier.hpp"

#include <kith/query.hpp>
#include <kith/syntax/lexer.hpp>

#include <algorithm>
#include <charconv>
#include <vector>

namespace kith::dsl {

namespace {

constexpr char root_mark = '\x1E';  // begins a path that is looked up from the root

// The character of an escape whose letter is at `position`, which is moved to its last character.
char unescaped(std::string_view token, std::size_t& position) noexcept {
    switch (token[position]) {
        case 'n':
            return '\n';
        case 't':
            return '\t';
        case 'r':
            return '\r';
        case 'x': {
            const std::int32_t value = syntax::chars::hex_value(token[position + 1]) * 16 +
                                       syntax::chars::hex_value(token[position + 2]);
            position += 2;
            return static_cast<char>(value);
        }
        default:
            return token[position];
    }
}

// Appends the text between quotes. Returns the offset behind the closing quote.
std::size_t append_unquoted(std::string_view token, std::size_t position, std::string& out) {
    for (++position; position < token.size() && token[position] != '"'; ++position) {
        if (token[position] == '\\') {
            ++position;
            out += unescaped(token, position);
        } else {
            out += token[position];
        }
    }
    return position + 1;
}

// The number of letters that must be inserted, removed or replaced, or neighbours that must be
// swapped, to get from `a` to `b`. Upper and lower case are equal. A result above `limit` is not
// exact.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
    const std::size_t apart = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    if (apart > limit) {
        return limit + 1;
    }
    // Three rows of the table of distances suffice: swaps look two rows back.
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) {
        last[j] = j;
    }
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    };
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = std::min(row[j], before[j - 2] + 1);
            }
        }
        before.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

// Keeps the nearest of the names that are shown to it, within a limit of letters.
class nearest_name {
public:
    explicit nearest_name(std::string_view word)
        : word_(word), least_(std::min<std::size_t>(word.size() / 3 + 1, 3) + 1) {}
    void show(std::string_view name) {
        if (++seen_ <= most && name.size() < longest) {
            const std::size_t letters = distance(word_, name, least_ - 1);
            if (letters < least_) {
                least_ = letters;
                name_ = name;
            }
        }
    }
    const std::string& name() const noexcept { return name_; }

    // The number of names that are compared: a suggestion must not take long in a large world.
    static constexpr std::size_t most = 100'000;

private:
    static constexpr std::size_t longest = 64;

    std::string_view word_;
    std::size_t least_;
    std::size_t seen_ = 0;
    std::string name_;
};

// Shows the name of an entity, if it has one.
void show(const entity& entity, nearest_name& best) {
    const kith::string_view name = entity.name();
    if (!name.empty()) {
        best.show(name);
    }
}
void show_children(const entity& parent, nearest_name& best) {
    parent.children([&](entity child) { show(child, best); });
}

// Appends the path of an entity from the root.
void append_path(const entity& named, std::string& out) {
    std::vector<entity> chain{named};
    while (const entity parent = chain.back().parent()) {
        chain.push_back(parent);
    }
    for (std::size_t i = chain.size(); i-- > 0;) {
        append_name(chain[i].name(), out);
        out += i != 0 ? "." : "";
    }
}

// The path of some entity with this name, anywhere in the world; empty if there is none.
std::string find_elsewhere(const world& world, std::string_view name) {
    std::size_t seen = 0;
    const entity match =
        world.filter_builder().with<Identifier>(Name).build().find([&](entity entity) {
            return ++seen > nearest_name::most || std::string_view{entity.name()} == name;
        });
    std::string path;
    if (match && seen <= nearest_name::most) {
        append_path(match, path);
    }
    return path;
}

// An entity of this name anywhere; otherwise the nearest of the names that are visible here.
std::string suggest_name(const world& world, std::string_view name) {
    if (const std::string elsewhere = find_elsewhere(world, name); !elsewhere.empty()) {
        return elsewhere;
    }
    nearest_name best{name};
    for (entity scope = world.get_scope(); scope; scope = scope.parent()) {
        show_children(scope, best);
    }
    world.children([&](entity child) { show(child, best); });
    show_children(entity(world, Kith), best);
    std::string nearest;
    if (!best.name().empty()) {
        append_name(best.name(), nearest);
    }
    return nearest;
}

// The nearest name among the children of the path before `cut`, where its last element begins.
std::string suggest_child(const world& world, const decoded_path& path, std::size_t cut) {
    std::string parent_token = path.at_root ? "::" : "";
    for (std::size_t position = 0; position < cut;) {
        const std::size_t end = std::min(path.text.find(separator, position), cut);
        append_name(std::string_view{path.text}.substr(position, end - position), parent_token);
        parent_token += ".";
        position = end + 1;
    }
    parent_token.pop_back();
    const entity parent = find_entity(world, parent_token);
    if (!parent) {
        return {};
    }
    nearest_name best{std::string_view{path.text}.substr(cut + 1)};
    show_children(parent, best);
    if (best.name().empty()) {
        return {};
    }
    parent_token += ".";
    append_name(best.name(), parent_token);
    return parent_token;
}

}  // namespace

// Separators inside of `<>` belong to the name of a type.
decoded_path decode_path(std::string_view token) {
    decoded_path path;
    std::size_t position = 0;
    if (token.starts_with("::")) {
        path.at_root = true;
        position = 2;
    }
    std::uint32_t angles = 0;
    while (position < token.size()) {
        const char c = token[position];
        if (angles == 0 && c == '"') {
            position = append_unquoted(token, position, path.text);
        } else if (angles == 0 && (c == '.' || c == ':')) {
            path.text += separator;
            position += c == '.' ? 1 : 2;
        } else {
            angles += c == '<';
            angles -= c == '>';
            path.text += c;
            ++position;
        }
    }
    return path;
}

std::string decode_quoted(std::string_view token) {
    std::string text;
    append_unquoted(token, 0, text);
    return text;
}

// The path is looked up with separators that names do not have, so decoded names need no quotes.
entity find_entity(const world& world, std::string_view token, bool search) {
    const decoded_path path = decode_path(token);
    if (token.starts_with('#') && path.text.find(separator) == std::string::npos) {
        return find_number(world, token.substr(1));
    }
    const char between[] = {separator, 0};
    const char root[] = {root_mark, 0};
    const std::string text = path.at_root ? root + path.text : path.text;
    return world.lookup(text.c_str(), between, root, search);
}

entity find_number(const world& world, std::string_view digits) {
    std::uint64_t number = 0;
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (failed != std::errc{} || end != digits.data() + digits.size()) {
        return {};
    }
    // An index names the entity that is alive there; a whole id names itself.
    return number <= 0xFFFFFFFF || world.is_alive(number) ? world.get_alive(number) : entity();
}

std::string suggest(const world& world, std::string_view token) {
    const decoded_path path = decode_path(token);
    const std::size_t cut = path.text.rfind(separator);
    std::string suggestion =
        cut == std::string::npos ? suggest_name(world, path.text) : suggest_child(world, path, cut);
    return suggestion.empty() ? suggestion : "; did you mean '" + suggestion + "'?";
}

bool is_near(std::string_view word, std::string_view other) {
    nearest_name best{word};
    best.show(other);
    return !best.name().empty();
}

}  // namespace kith::dsl
