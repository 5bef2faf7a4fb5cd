#include "world_report.hpp"

#include <kith/detail/type_text.hpp>
#include <kith/value.hpp>

#include "answer.hpp"
#include "display_width.hpp"
#include "names.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace kith_app {

namespace {

// -- tree ----------------------------------------------------------------------------------------

constexpr std::size_t most_lines = 200;

// What every world has is found by its name alone.
std::string short_name(const kith::entity& entity) {
    return is_builtin(entity.id()) ? entity.name().c_str() : path_of(entity);
}

std::string tag_list(const kith::entity& entity) {
    std::string text;
    entity.each([&](kith::id id) {
        if (!id.is_pair()) {
            text += (text.empty() ? "" : ", ") + short_name(id.entity());
        }
    });
    return text.empty() ? text : "  (" + text + ")";
}

// Siblings in the order of their names. Lists what is left to draw instead of calling itself: trees
// may be deep.
class tree {
public:
    explicit tree(const kith::entity& relation) : relation_(relation) {}

    void add(std::vector<kith::entity> roots) {
        push(std::move(roots), 0);
        while (!left_.empty()) {
            const auto [entity, depth] = left_.back();
            left_.pop_back();
            // One that is below several, or below itself, is drawn with all of it once.
            const bool is_new = drawn_.insert(entity.id()).second;
            if (++count_ <= most_lines) {
                draw(entity, depth, is_new);
            }
            if (is_new) {
                push(children_of(entity), depth + 1);
            }
        }
    }
    std::string str() const {
        return count_ <= most_lines ? text_
                                    : text_ + "… and " + std::to_string(count_ - most_lines) +
                                          " more; ':tree ENTITY' shows what is below one\n";
    }

private:
    struct item {
        kith::entity entity;
        std::size_t depth;
    };

    std::vector<kith::entity> children_of(const kith::entity& parent) const {
        std::vector<kith::entity> children;
        parent.each_source(relation_, [&](kith::entity child) { children.push_back(child); });
        return children;
    }
    // The last is drawn first.
    void push(std::vector<kith::entity> siblings, std::size_t depth) {
        std::sort(siblings.begin(), siblings.end(), [](const auto& left, const auto& right) {
            return std::string_view(left.name()) > std::string_view(right.name());
        });
        for (const kith::entity& one : siblings) {
            left_.push_back({one, depth});
        }
    }
    void draw(const kith::entity& entity, std::size_t depth, bool is_new) {
        constexpr std::size_t deepest = 40;  // beyond, lines would only move out of sight
        const std::string name = entity.name().empty() ? path_of(entity) : entity.name().c_str();
        text_ += std::string(std::min(depth, deepest) * 2, ' ') +
                 printable(name + (is_new ? tag_list(entity) : "  (see above)")) + "\n";
    }

    kith::entity relation_;
    std::unordered_set<kith::entity_t> drawn_;
    std::vector<item> left_;
    std::size_t count_ = 0;
    std::string text_;
};

// -- schema --------------------------------------------------------------------------------------

struct usage {
    std::size_t pairs = 0;
    std::size_t plain = 0;
};

// By name, so that the order is that of the names.
using usages = std::map<std::string, std::pair<kith::entity_t, usage>>;

void count_id(const kith::id& id, usages& found) {
    const kith::entity what = id.is_pair() ? id.first() : id.entity();
    if (is_builtin(what.id()) && what != kith::ChildOf && what != kith::IsA &&
        what != kith::Prefab) {
        return;  // names, and properties, which stand beside what has them
    }
    auto& [entity, counts] = found[short_name(what)];
    entity = what.id();
    ++(id.is_pair() ? counts.pairs : counts.plain);
}

usages count_all(const kith::world& world) {
    usages found;
    each_named(world, [&](kith::entity entity) {
        entity.each([&](kith::id id) { count_id(id, found); });
    });
    return found;
}

// `Transitive, (With,Trusts)`: what a user said about a relationship or a tag.
std::string properties(const kith::entity& entity) {
    std::string text;
    entity.each([&](kith::id id) {
        const kith::entity_t what = id.is_pair() ? id.first().id() : id.raw_id();
        if (what >= kith::Tag && what <= kith::OnDeleteTarget) {
            text += (text.empty() ? "" : ", ") + std::string(id.str().c_str());
        }
    });
    return text;
}

struct line {
    std::string name;
    std::size_t count;
    std::string notes;
};

std::string section(const char* title, const std::vector<line>& lines) {
    if (lines.empty()) {
        return {};
    }
    std::size_t name_width = 0;
    std::size_t count_width = 0;
    for (const line& one : lines) {
        name_width = std::max(name_width, display_width(one.name));
        count_width = std::max(count_width, std::to_string(one.count).size());
    }
    std::string text = std::string(title) + "\n";
    for (const line& one : lines) {
        const std::string count = std::to_string(one.count);
        text += "  " + one.name + std::string(name_width - display_width(one.name) + 2, ' ') +
                std::string(count_width - count.size(), ' ') + count +
                (one.notes.empty() ? "" : "  " + one.notes) + "\n";
    }
    return text;
}

// `  Cargo = {tons: 8}`, one line for each id.
std::string ids_text(const kith::world& world, const kith::entity& entity, shown_ids shown) {
    std::string text;
    entity.each([&](kith::id id) {
        const kith::entity_t what = id.is_pair() ? id.first().id() : id.raw_id();
        const kith::entity_t component = kith::detail::type_component(world, id);
        if (what == kith::type_id<kith::Identifier>() || what == kith::detail::component_type_id ||
            (shown == shown_ids::values && !component)) {
            return;  // names and types
        }
        text += "  " + printable(id.str().c_str());
        const kith::description* type =
            component ? kith::detail::find_description(world, component) : nullptr;
        const void* value = component ? entity.get(id) : nullptr;
        if (value && type && type->what != kith::kind::none) {
            text += " = " + printable(kith::value_view(world, *type, value).str());
        } else if (value) {
            text += " = ?";
        }
        text += entity.enabled(id) ? "\n" : "  (disabled)\n";
    });
    return text;
}

std::string kilobytes(std::size_t bytes) {
    return std::to_string((bytes + 1023) / 1024) + " KiB";
}

}  // namespace

std::string tree_text(const kith::world& world, const kith::entity& relation,
                      const kith::entity& root) {
    std::vector<kith::entity> roots;
    if (root) {
        roots.push_back(root);
    } else {
        world.children([&](kith::entity child) {
            if (!is_builtin(child.id())) {
                roots.push_back(child);
            }
        });
    }
    tree drawn(relation);
    drawn.add(std::move(roots));
    return drawn.str();
}

std::string schema_text(const kith::world& world) {
    std::vector<line> relationships;
    std::vector<line> tags;
    for (const auto& [path, found] : count_all(world)) {
        const kith::entity entity = world.entity(found.first);
        const std::string notes = is_builtin(entity.id()) ? std::string() : properties(entity);
        if (found.second.pairs != 0) {
            relationships.push_back({printable(path), found.second.pairs, notes});
        }
        if (found.second.plain != 0) {
            tags.push_back({printable(path), found.second.plain, notes});
        }
    }
    const std::string text = section("relationships, and how many pairs they have", relationships) +
                             section("tags, and how many entities have them", tags);
    return text.empty() ? "nothing is said about anything yet\n" : text;
}

std::string entity_text(const kith::world& world, const kith::entity& entity, shown_ids shown) {
    std::string text = printable(path_of(entity));
    if (!entity.name().empty()) {
        text += "  #" + std::to_string(kith::index_of(entity));
    }
    return text + "\n" + ids_text(world, entity, shown);
}

std::string entities_text(const kith::world& world, shown_ids shown) {
    std::map<std::string, kith::entity> sorted;
    each_named(world, [&](kith::entity entity) {
        if (!is_builtin(entity.id()) && !entity.owns(kith::detail::component_type_id)) {
            sorted.emplace(path_of(entity), entity);
        }
    });
    std::string text;
    for (const auto& [path, entity] : sorted) {
        if (shown == shown_ids::all || !ids_text(world, entity, shown).empty()) {
            text += entity_text(world, entity, shown);
        }
    }
    return text;
}

std::string types_text(const kith::world& world) {
    std::map<std::string, std::string> sorted;
    each_named(world, [&](kith::entity entity) {
        const kith::description* type =
            is_builtin(entity.id()) ? nullptr : kith::detail::find_description(world, entity);
        if (type && type->what != kith::kind::none && kith::detail::can_declare(*type)) {
            kith::detail::append_declaration(
                sorted[path_of(entity)], world, *type,
                [](void*, const kith::description& named, std::string& out) {
                    out += named.life.name;
                },
                nullptr);
        }
    });
    std::string text;
    for (const auto& [path, declaration] : sorted) {
        text += printable(declaration) + "\n";
    }
    return text.empty() ? "no values have a type\n" : text;
}

std::string stats_text(const kith::world& world) {
    std::size_t named = 0;
    each_named(world, [&](kith::entity) { ++named; });
    const kith::world_stats stats = world.stats();
    return "entities with names  " + std::to_string(named) + "\n" + "tables               " +
           std::to_string(stats.tables) + "\n" + "ids in use           " +
           std::to_string(stats.ids) + "\n" + "memory               " +
           kilobytes(stats.bytes_total) + "\n";
}

}  // namespace kith_app
