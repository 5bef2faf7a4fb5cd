// Implements queued_place.hpp.
#include "mutate/queue/queued_place.hpp"

#include "containers/small_vec.hpp"
#include "mutate/context/recorder.hpp"
#include "names/name_index.hpp"
#include "storage/find.hpp"
#include "storage/graph.hpp"

namespace kith::mutate {

namespace {

// The last command of the entity that waits in the stage.
const command* last_waiting(stage& world, entity_t entity) {
    return is_recorded(world) ? recorder_of(world).last_of(entity)
                              : world.queue.commands.last_of(entity);
}

}  // namespace

// The last command about a parent decides. A command that removes a certain parent counts only if
// an earlier command, or the entity itself, has this parent.
entity_t queued_parent(stage& world, entity_t entity) {
    containers::small_vec<id_t, 8> removed(memory_of(world), containers::purpose::commands);
    entity_t parent = storage::parent_of(world.data, entity);
    for (const command* queued = last_waiting(world, entity); queued; queued = queued->before) {
        bool of_parent = is_pair(queued->id) && pair_first(queued->id) == ChildOf;
        if (queued->kind == command_kind::add && of_parent) {
            parent = world.data.entities.alive_at(pair_second(queued->id));
            break;
        }
        if (queued->kind == command_kind::clear ||
            (queued->kind == command_kind::remove && is_pair(queued->id) &&
             is_wildcard_element(pair_second(queued->id)) &&
             matches_id(queued->id, make_pair(ChildOf, Wildcard)))) {
            return 0;
        }
        if (queued->kind == command_kind::remove) {
            removed.push(queued->id);
        }
    }
    for (id_t id : removed) {
        if (matches_id(id, make_pair(ChildOf, parent))) {
            return 0;
        }
    }
    return parent;
}

void move_pending_name(stage& world, entity_t entity, std::uint32_t parent) noexcept {
    if (is_recorded(world)) {
        return;  // recording the command has moved the name
    }
    if (names::name_node* pending = world.names.find_pending(entity)) {
        world.names.move(*pending, parent);
    }
}

void follow_removed_parent(stage& world, entity_t entity, id_t removed) noexcept {
    if (is_recorded(world) || !is_pair(removed)) {
        return;
    }
    names::name_node* pending = world.names.find_pending(entity);
    if (pending && matches_id(removed, make_pair(ChildOf, pending->parent))) {
        world.names.move(*pending, 0);
    }
}

}  // namespace kith::mutate
