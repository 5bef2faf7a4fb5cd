// Implements naming.hpp.
#include "mutate/ops/naming.hpp"

#include "base/assert.hpp"
#include "mutate/context/command.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/ops/set_value.hpp"
#include "mutate/queue/defer.hpp"
#include "mutate/queue/record.hpp"
#include "mutate/rules/sibling_names.hpp"
#include "names/entity_name.hpp"
#include "storage/find.hpp"

#include <new>
#include <string>
#include <utility>

namespace kith::mutate {

using names::find_name;
using names::name_node;

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
    if (is_recorded(world)) [[unlikely]] {
        record_name(world, entity, Name, parent, name, true);
        return;
    }
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
