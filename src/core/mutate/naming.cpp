// Implements naming.hpp.
#include "mutate/naming.hpp"

#include "base/assert.hpp"
#include "mutate/archetype_move.hpp"
#include "mutate/defer.hpp"
#include "mutate/values.hpp"
#include "names/entity_name.hpp"
#include "names/id_text.hpp"
#include "storage/find.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace kith::mutate {

using names::find_name;
using names::name_node;

namespace {

// Throws if another entity has the name among the children of the parent.
void check_free(const stage& world, entity_t entity, entity_t parent, std::string_view name) {
    const name_node* node = world.names.find_stored(index_of(parent), name);
    if (node && node->entity != entity) {
        base::text message;
        message << "the name \"" << name << "\" is taken among the children of ";
        if (parent) {
            names::describe_id(world.data, parent, message);
        } else {
            message << "the root scope";
        }
        base::raise(errc::name_taken, message);
    }
}

// The node of the name that the command stores.
name_node* queued_node(const command& queued) noexcept {
    return identifier_access::node(*static_cast<const Identifier*>(queued.value()));
}

}  // namespace

void raise_name_taken(const stage& world, std::string_view text, entity_t parent, entity_t holder) {
    base::text message;
    message << "the name \"" << text << "\" is taken by entity #" << index_of(holder) << " in ";
    if (parent) {
        names::describe_id(world.data, parent, message);
    } else {
        message << "the root scope";
    }
    base::raise(errc::name_taken, message);
}

void check_name_under(const stage& world, entity_t entity, entity_t parent) {
    if (const name_node* name = find_name(world.data, entity, Name)) {
        check_free(world, entity, parent, name->view());
    }
}

void check_names_as_roots(const stage& world, const entity_t* children, std::uint32_t count) {
    // Names may conflict with those of roots, and with each other.
    std::vector<const name_node*> nodes;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (const name_node* name = find_name(world.data, children[i], Name)) {
            check_free(world, children[i], 0, name->view());
            nodes.push_back(name);
        }
    }
    std::sort(nodes.begin(), nodes.end(), [](const name_node* left, const name_node* right) {
        return left->view() < right->view();
    });
    auto same = std::adjacent_find(nodes.begin(), nodes.end(),
                                   [](const name_node* left, const name_node* right) {
                                       return left->view() == right->view();
                                   });
    if (same != nodes.end()) {
        raise_about(world, errc::name_taken, "two entities named ", (*same)->text(),
                    " would lose their parents: names of roots are unique");
    }
}

void check_queued_name(const stage& world, entity_t entity, entity_t parent,
                       const command& queued) {
    check_free(world, entity, parent, queued_node(queued)->view());
}

void move_name(stage& world, entity_t entity, entity_t parent) noexcept {
    const name_node* name = find_name(world.data, entity, Name);
    if (name && name->parent != index_of(parent)) {
        world.names.move(const_cast<name_node&>(*name), index_of(parent));
    }
}

void commit_queued_name(stage& world, entity_t parent, const command& queued) noexcept {
    world.names.commit_name(*queued_node(queued), index_of(parent));
}

void store_identifier(stage& world, entity_t entity, entity_t kind, name_node* node, bool later) {
    KITH_ASSERT(node, "an identifier has a text");
    Identifier value = identifier_access::make(node);
    detail::value_source source{
        &value,
        [](void* to, void* from) {
            ::new (to) Identifier(std::move(*static_cast<Identifier*>(from)));
        },
        // The old name is free before observers are notified of the new one.
        [](void* to, void* from) {
            std::exchange(*static_cast<Identifier*>(to),
                          std::move(*static_cast<Identifier*>(from)));
        }};
    id_t id = make_pair(detail::identifier_type_id, kind);
    if (later) {
        defer_value(world, command_kind::set, entity, id, 0, source);
    } else {
        set_value(world, entity, id, 0, source);
    }
}

void give_name(stage& world, entity_t entity, entity_t parent, std::string_view name) {
    if (const name_node* taken = world.names.find_stored(index_of(parent), name)) {
        if (taken->entity == entity) {
            return;
        }
        raise_name_taken(world, name, parent, taken->entity);
    }
    notify_renaming(world, entity);
    name_node* node = world.names.add(index_of(parent), name, entity);
    world.data.entities.at(index_of(entity)).state |= storage::record_named;
    store_identifier(world, entity, Name, node, false);
}

void queue_name(stage& world, entity_t entity, entity_t parent, std::string_view name) {
    name_node* node = world.names.add(index_of(parent), name, entity, true);
    world.data.entities.at(index_of(entity)).state |= storage::record_named;
    store_identifier(world, entity, Name, node, true);
}

void copy_name(stage& world, entity_t from, entity_t to) {
    if (const name_node* name = find_name(world.data, from, Name)) {
        const std::string text(name->view());
        give_name(world, to, storage::parent_of(world.data, to), text);
    }
}

}  // namespace kith::mutate
