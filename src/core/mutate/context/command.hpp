// A deferred command: one operation that waits in the queue, with its value behind it in memory.
#pragma once

#include <kith/id.hpp>

#include "base/assert.hpp"
#include "traits/traits.hpp"
#include "types/component_type.hpp"

namespace kith::mutate {

// The operation of a command, and the meaning of its id and value.
enum class command_kind : std::uint8_t {
    place,        // an entity created while deferred gets its row
    add,          // id
    remove,       // id, may be a wildcard
    set,          // id, value; notifies
    emplace,      // as set, but fails if the component is there
    ensure,       // id, value if it was missing; does not notify
    modified,     // id; notifies
    clear,        // all ids of the entity
    destruct,     // deletes the entity
    clone,        // id: the source
    clone_types,  // as clone, without values
    enable,       // id
    disable,      // id
    add_list,     // value: queued_ids, id: the first of them
    remove_all,   // id, no entity
    delete_with,  // id, no entity
    emit,         // value: queued_emission, no entity
    shrink,       // no entity
    post_frame,   // value: queued_action, no entity; recorded only
    name,         // value: queued_text; recorded only, linked as a set or by rules of names
};

// The value of add_list: ids that are added in one step.
struct queued_ids {
    static constexpr std::uint32_t limit = 16;
    id_t ids[limit];
    entity_t targets[limit];  // of the ids that are pairs, 0 for others
    std::uint32_t count;
};

// One deferred command. Its value follows in memory.
struct command {
    entity_t entity;
    id_t id;
    const type_info* type;  // type of the value, null: none
    command* next;          // next command of the entity in the segment
    command* before;        // previous command of the entity, any segment
    command* following;     // next command in call order
    command_kind kind;
    bool is_head;         // first command of its chain
    bool has_value;       // the value behind the header is alive
    bool is_barrier;      // depends on other entities, or changes them
    std::uint32_t order;  // position in call order
    // Generations of the elements of a pair, which the id does not contain: the command must not
    // apply to later entities with the same indices.
    std::uint16_t generations[2] = {};

    // The value behind the header, at its alignment. Requires: `type` is not null.
    void* value() const noexcept {
        KITH_ASSERT(type, "the command has a value");
        auto address = reinterpret_cast<std::uintptr_t>(this + 1);
        std::uintptr_t mask = type->alignment - 1;
        return reinterpret_cast<void*>((address + mask) & ~mask);
    }
    // True if running the command may change the meaning of commands of other entities.
    bool changes_meaning() const noexcept {
        return kind == command_kind::destruct || kind == command_kind::clear ||
               traits::is_property(id);
    }
};

// Destroys the value of a command, if it is still alive.
inline void drop_value(command& queued) noexcept {
    if (queued.has_value && !queued.type->trivial_destroy) {
        types::destroy_values(*queued.type, queued.value(), 1);
    }
    queued.has_value = false;
}

}  // namespace kith::mutate
