// The paths of entities as JSON has them (json_path.hpp).
#include "json_path.hpp"

#include <kith/detail/assert.hpp>
#include <kith/syntax/text.hpp>

#include "identifier.hpp"
#include "world_contents.hpp"

#include <algorithm>
#include <vector>

namespace kith::dsl {

std::string json_path(const entity& named) {
    std::string path;
    if (is_builtin(named) && named.parent() == Kith) {
        append_name(named.name(), path);
        return path;
    }
    std::vector<std::string_view> elements;
    for (entity at = named; at; at = at.parent()) {
        if (at.name().empty()) {
            return "#" + std::to_string(index_of(named));
        }
        elements.push_back(at.name());
    }
    const world owner = named.world();
    path += detail::lookup_path(owner, Kith, elements.back(), {}, {}, false) ? "::" : "";
    for (std::size_t i = elements.size(); i-- > 0;) {
        append_name(elements[i], path);
        path += i > 0 ? "." : "";
    }
    return path;
}

namespace {

std::string json_text(const world& world, const std::string& text, const json_options& options) {
    std::string quoted;
    detail::append_json(quoted, world, describe<std::string>(), &text, options);
    return quoted;
}

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
        parent_path_ = path.starts_with('#') ? "" : json_text(world_, path, options_);
        if (!parent_path_.empty()) {
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
        out += json_text(world_, json_path(named), options_);
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
