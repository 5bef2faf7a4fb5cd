// Implements sibling_names.hpp.
#include "mutate/rules/sibling_names.hpp"

#include "mutate/context/command.hpp"
#include "mutate/context/stage.hpp"
#include "names/entity_name.hpp"
#include "names/id_text.hpp"

#include <algorithm>
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

}  // namespace kith::mutate
