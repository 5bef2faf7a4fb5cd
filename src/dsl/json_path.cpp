// The paths of entities as JSON has them (json_path.hpp).
#include "json_path.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/json_values.hpp>
#include <kith/syntax/text.hpp>

#include "identifier.hpp"
#include "world_contents.hpp"

#include <algorithm>
#include <vector>

namespace kith::dsl {

std::string json_path(const entity& named) {
    world_t* const world = named.c_world();
    std::string path;
    if (is_builtin(named) && named.parent() == Kith) {
        append_name(named.name(), path);
        return path;
    }
    // The elements from the last to the first; most paths are short.
    constexpr std::size_t few = 8;
    std::string_view elements[few];
    std::vector<std::string_view> more;
    std::size_t count = 0;
    for (entity at = named; at; at = at.target(ChildOf)) {
        const std::string_view name = at.name();
        if (name.empty()) {
            return "#" + std::to_string(index_of(named));
        }
        if (count < few) {
            elements[count] = name;
        } else {
            more.push_back(name);
        }
        ++count;
    }
    const auto element = [&](std::size_t i) { return i < few ? elements[i] : more[i - few]; };
    path += detail::lookup_path(world, Kith, element(count - 1), {}, {}, false) ? "::" : "";
    for (std::size_t i = count; i-- > 0;) {
        append_name(element(i), path);
        path += i > 0 ? "." : "";
    }
    return path;
}

namespace {

// True for a name that stands in JSON as it is.
bool is_plain(std::string_view name) noexcept {
    unsigned char all = 0;
    for (const char c : name) {
        all |= static_cast<unsigned char>(c);
    }
    return all < 0x80 && syntax::is_bare_name(name);
}

std::uint64_t length_bit(std::string_view name) noexcept {
    return std::uint64_t{1} << std::min<std::size_t>(name.size(), 63);
}

}  // namespace

json_paths::json_paths(const world& world, const json_options& options)
    : world_(world), options_(options) {}

void json_paths::find_builtins() {
    lengths_of_builtins_.resize(256);
    entity(world_, Kith).children([this](entity child) {
        const std::string_view name = child.name();
        if (!name.empty()) {
            lengths_of_builtins_[static_cast<unsigned char>(name[0])] |= length_bit(name);
        }
    });
}

bool json_paths::may_be_builtin(std::string_view name) const noexcept {
    KITH_ASSERT(!name.empty(), "the entity has a name");
    return (lengths_of_builtins_[static_cast<unsigned char>(name[0])] & length_bit(name)) != 0;
}

// False if the entity has a path that has to be looked at closely.
bool json_paths::append_plain(std::string& out, const entity& named) {
    const std::string_view name = named.name();
    if (!is_plain(name) || is_builtin(named)) {
        return false;
    }
    const entity parent = named.target(ChildOf);
    if (!parent) {
        if (may_be_builtin(name)) {
            return false;
        }
        (out += '"').append(name) += '"';
        return true;
    }
    if (is_builtin(parent)) {
        return false;
    }
    if (parent != parent_) {
        const std::string path = json_path(parent);
        parent_ = parent;
        parent_path_.clear();
        if (!path.starts_with('#')) {
            detail::append_json_text(parent_path_, path, options_.html_safe);
            parent_path_.back() = '.';  // in the place of the quote
        }
    }
    if (parent_path_.empty()) {
        return false;
    }
    (out += parent_path_).append(name) += '"';
    return true;
}

// A few entities do not pay for a list of builtin names.
void json_paths::append(std::string& out, const entity& named) {
    constexpr std::size_t few = 16;
    if (++count_ == few) {
        find_builtins();
    }
    if (count_ < few || !append_plain(out, named)) {
        detail::append_json_text(out, json_path(named), options_.html_safe);
    }
}

bool is_json_fact(id_t id) {
    const std::uint32_t element = element_of(id);
    return id != detail::component_type_id && element != detail::identifier_type_id &&
           !(is_pair(id) && element == ChildOf);
}

bool is_kept_json(id_t id) {
    return is_pair(id) && pair_first(id) == detail::ensure_type_id<kept_json>();
}

}  // namespace kith::dsl
