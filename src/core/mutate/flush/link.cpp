// Implements link.hpp.
#include "mutate/flush/link.hpp"

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/flush/fold.hpp"
#include "mutate/ops/naming.hpp"
#include "mutate/queue/queued_place.hpp"
#include "mutate/queue/record.hpp"
#include "mutate/queue/segments.hpp"
#include "mutate/rules/destination.hpp"
#include "mutate/rules/sibling_names.hpp"
#include "names/name_index.hpp"

#include <string_view>

namespace kith::mutate {

using storage::id_info;

namespace {

// Takes the command out of its part and makes room for it in the queue.
command* adopt(stage& world, command& recorded) {
    recorded.before = recorded.following = recorded.next = nullptr;
    world.queue.commands.prepare_recorded(world.data.mem, recorded);
    return &recorded;
}

// Queues a recorded command without rules of its own.
template <class Notifies>
void link_plain(stage& world, command& recorded, Notifies&& notifies) {
    queue_made(world, recorded.kind, recorded.entity, recorded.id, notifies,
               [&] { return adopt(world, recorded); });
}

// The type of the id may have become known, or another one, since the value was recorded.
void link_value(stage& world, command& recorded) {
    const id_info info = prepare_known(world, recorded.id, recorded.entity);
    check_queued_type(world, info, recorded);
    enter_segment(world, recorded.kind, recorded.entity, recorded.id);
    const command_kind scope_kind =
        recorded.kind == command_kind::ensure ? scope_kind_of_ensure(info) : command_kind::set;
    queue_value(world, recorded.kind, scope_kind, recorded.entity, info,
                [&] { return adopt(world, recorded); });
}

// Properties of ids change the meaning of other commands, so that the list begins a segment.
void link_properties(stage& world, command& recorded) {
    const auto& list = *static_cast<const queued_ids*>(recorded.value());
    for (std::uint32_t i = 0; i < list.count; ++i) {
        prepare_id(world, list.ids[i], recorded.entity);
        note_element_references(world, list.ids[i]);
    }
    world.queue.commands.start_segment();
    world.queue.commands.commit(adopt(world, recorded));
    note_effects(world, list.ids[0]);
}

// A clone reads its source: a segment begins in front of it, and close_clone() decides about the
// one behind it.
void link_clone(stage& world, command& recorded) {
    world.queue.commands.start_segment();
    link_plain(world, recorded, never_notifies);
    close_clone(world, recorded.id);
}

// An alias is a name in the scope of the caller, which no other entity may have.
void link_alias(stage& world, entity_t entity, const queued_text& given, std::string_view text) {
    if (const names::name_node* node = world.names.find(index_of(given.scope), text)) {
        if (node->entity != entity) {
            raise_name_taken(world, text, given.scope, node->entity);
        }
        return;
    }
    store_identifier(world, entity, Alias, world.names.add(index_of(given.scope), text, entity),
                     true);
}

// A name becomes a command that stores an identifier.
void link_name(stage& world, const command& recorded) {
    const auto& given = *static_cast<const queued_text*>(recorded.value());
    const std::string_view text{given.text, given.size};
    if (given.kind == Symbol) {
        store_identifier(world, recorded.entity, Symbol,
                         world.names.add_unindexed(text, recorded.entity), true);
        return;
    }
    if (given.kind == Alias) {
        link_alias(world, recorded.entity, given, text);
        return;
    }
    // The name gets its place below the parent that commands before it give the entity.
    const entity_t parent = queued_parent(world, recorded.entity);
    if (!given.is_new) {
        world.queue.commands.start_segment();
    }
    queue_name(world, recorded.entity, parent, text);
    if (!given.is_new) {
        world.queue.commands.start_segment();
    }
}

// A change of the parent moves a queued name to the place where it will be.
void link_id(stage& world, command& recorded) {
    const entity_t entity = recorded.entity;
    const id_t id = recorded.id;
    if (recorded.kind == command_kind::add) {
        const id_info info = prepare_known(world, id, entity);
        link_plain(world, recorded, [&] { return notifies(world, info); });
        if (is_pair(id) && pair_first(id) == ChildOf) {
            move_pending_name(world, entity, pair_second(id));
        }
    } else {
        link_plain(world, recorded, never_notifies);
        follow_removed_parent(world, entity, id);
    }
}

// A command whose entity has ended meanwhile is dropped, as it would be by the queue.
void link_command(stage& world, command& recorded, action_list& actions) {
    if (recorded.entity != 0 && !world.data.entities.find(recorded.entity)) {
        drop_value(recorded);
        return;
    }
    switch (recorded.kind) {
        case command_kind::add:
        case command_kind::remove:
            link_id(world, recorded);
            break;
        case command_kind::modified:
            link_plain(world, recorded, [&] {
                return traits::describe_id(world.data, recorded.id).event_mask != 0;
            });
            break;
        case command_kind::set:
        case command_kind::emplace:
        case command_kind::ensure:
            link_value(world, recorded);
            break;
        case command_kind::add_list:
            link_properties(world, recorded);
            break;
        case command_kind::clone:
        case command_kind::clone_types:
            link_clone(world, recorded);
            break;
        case command_kind::emit:
            world.queue.commands.start_segment();
            world.queue.commands.commit(adopt(world, recorded));
            world.queue.commands.start_segment();
            break;
        case command_kind::name:
            link_name(world, recorded);
            break;
        case command_kind::post_frame:
            actions.add(*static_cast<const queued_action*>(recorded.value()));
            break;
        default:
            link_plain(world, recorded, never_notifies);
    }
}

// Sets the generations of the elements to those of the entities that are alive now.
void renew_generations(const stage& world, command& recorded) noexcept {
    if (is_pair(recorded.id)) {
        recorded.generations[0] = generation_at(world, pair_first(recorded.id));
        recorded.generations[1] = generation_at(world, pair_second(recorded.id));
    }
}

}  // namespace

// `next` is read before a command is linked, because the queue uses the links of commands for its
// own chains.
link_errors link_commands(stage& world, const command_list& part, action_list& actions,
                          bool is_current) {
    KITH_ASSERT(!is_recorded(world), "parts are linked when no other part runs");
    world.data.entities.count_revived(part.revived);
    link_errors errors;
    for (command* recorded = part.first; recorded;) {
        command* next = recorded->following;
        if (!is_current) {
            renew_generations(world, *recorded);
        }
        base::attempt([&] { link_command(world, *recorded, actions); },
                      [&] {
                          drop_value(*recorded);
                          if (errors.count++ == 0) {
                              errors.first = std::current_exception();
                          }
                      });
        recorded = next;
    }
    return errors;
}

}  // namespace kith::mutate
