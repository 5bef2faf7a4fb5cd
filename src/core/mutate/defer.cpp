#include "mutate/defer.hpp"

#include "base/assert.hpp"
#include "mutate/rows.hpp"
#include "mutate/transition.hpp"
#include "mutate/values.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

using storage::id_record;

namespace {

bool is_ordinary(entity_t entity) noexcept {
    return index_of(entity) >= first_entity;
}

// Elements of the id that a queued command might delete or change.
void mention_elements(stage& owner, id_t id) {
    auto mention = [&](entity_t element) {
        if (element == 0 || !is_ordinary(element)) {
            return;  // commands on builtins and types are never run out of order
        }
        if (owner.commands.is_dangerous(element)) {
            owner.commands.start_segment();
        }
        owner.commands.mention(owner.data.mem, element);
    };
    if (is_pair(id)) {
        mention(owner.data.entities.alive_at(pair_first(id)));
        mention(owner.data.entities.alive_at(pair_second(id)));
    } else {
        mention(id & ~id_flags_mask);
    }
}

// As prepare_id, with a short way for C++ types that are known.
const id_record& known_id(stage& owner, id_t id) {
    const id_record* known = id < low_id_limit ? owner.data.ids.find(id) : nullptr;
    return known && known->hook_type ? *known : prepare_id(owner, id);
}

// Whether an entity may have a name or a parent depends on its siblings and on its own children.
bool changes_place(command_kind kind, id_t id) noexcept {
    if (kind != command_kind::add && kind != command_kind::remove) {
        return false;
    }
    std::uint32_t relation = is_pair(id) ? pair_first(id) : 0;
    return relation == ChildOf || relation == detail::identifier_type_id ||
           is_wildcard_element(relation);
}

// True if others' commands may mean something else before and after this one.
bool is_barrier(const stage& owner, command_kind kind, entity_t entity, id_t id) {
    bool dangerous = kind == command_kind::destruct || kind == command_kind::clear ||
                     changes_place(kind, id) || traits::is_property(id);
    if (!dangerous) {
        return false;
    }
    constexpr std::uint32_t entangled = storage::record_used_as_id | storage::record_named;
    return !is_ordinary(entity) || owner.commands.is_mentioned(entity) ||
           get_record(owner, entity).state & entangled;
}

void queue(stage& owner, command_kind kind, entity_t entity, id_t id) {
    bool barrier = entity == 0 || is_barrier(owner, kind, entity, id);
    if (id >= low_id_limit) {
        mention_elements(owner, id);
    }
    if (barrier) {
        owner.commands.start_segment();
    }
    owner.commands.commit(owner.commands.prepare(owner.data.mem, kind, entity, id, nullptr));
    if (barrier) {
        owner.commands.start_segment();
    }
}

// What the queued commands have made of an id of an entity so far.
struct pending_state {
    void* value;  // stored or queued, null if there is none
    bool has;
    // A queued command will read the value, before what is written to it now may be seen.
    bool is_read;
};

pending_state find_pending(const stage& owner, entity_t entity, const id_record& record,
                           void* stored) {
    id_t id = record.id;
    pending_state state{stored, stored != nullptr, false};
    // While all commands are of one segment, the entity's chain has all of its own.
    bool whole = owner.commands.is_one_segment();
    for (command* at = whole ? owner.commands.first_of(entity) : owner.commands.first(); at;
         at = whole ? at->next : at->following) {
        if ((at->kind == command_kind::clone || at->kind == command_kind::clone_types) &&
            at->id == entity) {
            state.is_read = true;
        }
        if (at->entity != entity && at->entity != 0) {
            continue;
        }
        bool replaces = record.traits & traits::trait_exclusive && is_pair(at->id) && is_pair(id) &&
                        pair_first(at->id) == pair_first(id) && at->id != id;
        switch (at->kind) {
            case command_kind::add:
                state.has |= at->id == id;
                break;
            case command_kind::emplace:
                if (at->id == id && state.has) {
                    break;  // this one will fail
                }
                [[fallthrough]];
            case command_kind::set:
            case command_kind::ensure:
                if (at->id == id) {
                    KITH_ASSERT(at->has_value, "a queued value is alive until it is run");
                    state = {at->value(), true, false};
                }
                break;
            case command_kind::remove:
            case command_kind::remove_all:
                replaces = matches_id(at->id, id);
                break;
            case command_kind::clear:
                replaces = true;
                break;
            default:
                replaces = false;
                break;
        }
        if (replaces) {
            state = {nullptr, false, false};
        }
    }
    return state;
}

}  // namespace

void defer_id(stage& owner, command_kind kind, entity_t entity, id_t id) {
    get_record(owner, entity);
    if (kind == command_kind::add) {
        known_id(owner, id);
    }
    queue(owner, kind, entity, id);
}

void defer_entity(stage& owner, command_kind kind, entity_t entity) {
    get_record(owner, entity);
    queue(owner, kind, entity, 0);
}

void defer_world(stage& owner, command_kind kind, id_t id) {
    queue(owner, kind, 0, id);
}

void defer_clone(stage& owner, entity_t clone, entity_t source, bool copy_values) {
    owner.commands.start_segment();
    queue(owner, copy_values ? command_kind::clone : command_kind::clone_types, clone, source);
    owner.commands.start_segment();
}

void defer_value(stage& owner, command_kind kind, entity_t entity, id_t id, std::uint32_t type,
                 const detail::value_source& source) {
    get_record(owner, entity);
    const id_record& record = known_id(owner, id);
    if (type != id || !record.value_type) {
        check_value_type(owner, record, type);
    }
    if (id >= low_id_limit) {
        mention_elements(owner, id);
    }
    const type_info& info = record.value_type->info;
    command* queued = owner.commands.prepare(owner.data.mem, kind, entity, id, &info);
    if (source.make) {
        // If this throws, the command was never queued; its memory is reused with the rest.
        source.make(queued->value(), source.context);
    } else {
        copy_bytes(static_cast<std::byte*>(queued->value()),
                   static_cast<const std::byte*>(source.context), info.size);
    }
    owner.commands.commit(queued);
}

void* defer_ensure(stage& owner, entity_t entity, id_t id, std::uint32_t type) {
    storage::entity_record& found = get_record(owner, entity);
    const id_record& record = prepare_id(owner, id);
    check_value_type(owner, record, type);
    pending_state pending =
        find_pending(owner, entity, record, find_value(owner, entity, found, id, type));
    const type_info& info = record.value_type->info;
    if (pending.value && !(pending.is_read && info.can_copy())) {
        return pending.value;
    }
    if (!pending.value) {
        check_default_constructible(owner, record);
    }
    mention_elements(owner, id);
    command* queued =
        owner.commands.prepare(owner.data.mem, command_kind::ensure, entity, id, &info);
    if (pending.value) {
        types::copy_values(info, queued->value(), pending.value, 1);
    } else {
        types::construct_values(info, queued->value(), 1);
    }
    owner.commands.commit(queued);
    return queued->value();
}

}  // namespace kith::mutate
