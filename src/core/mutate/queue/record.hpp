// Recording commands in a recorder (context/recorder.hpp): arguments are checked as far as reading
// the world allows; the rest is checked when the commands are linked (flush/link.hpp).
//
// Covered by tests/unit/mutate/recorder_test.cpp.
#pragma once

#include "mutate/apply/rows.hpp"
#include "mutate/context/command.hpp"
#include "mutate/context/recorder.hpp"
#include "mutate/context/stage.hpp"

#include <string_view>

namespace kith::mutate {

// The text of a name, symbol or alias that a command gives (command_kind::name). The characters lie
// in the arena of the recorder.
struct queued_text {
    const char* text;
    std::size_t size;
    entity_t kind;   // Name, Symbol or Alias
    entity_t scope;  // of an alias
    bool is_new;     // the name belongs to the creation of the entity
};

// An action that waits for the end of a frame (command_kind::post_frame).
struct queued_action {
    void (*action)(world_t* world, void* context);
    void* context;
};

// The types of values that are queued as plain bytes, so that they need no type of the world.
extern const type_info queued_ids_type;
extern const type_info queued_text_type;
extern const type_info queued_action_type;

// Records a command without a value. Throws if the entity is not alive or the id cannot be added;
// an asynchronous stage checks when it is merged.
void record_id(stage& world, command_kind kind, entity_t entity, id_t id);
// Ids that are added in one step. Requires: count <= queued_ids::limit.
void record_properties(stage& world, entity_t entity, const id_t* ids, std::uint32_t count);
// `type` is the C++ type of the value, 0 for that of the id. The value is constructed in the arena
// by `source`.
void record_value(stage& world, command_kind kind, entity_t entity, id_t id, std::uint32_t type,
                  const detail::value_source& source);
// The place where the program may write the value: stored, recorded before in this part, or new.
// The program may write through the pointer until the part ends.
void* record_ensure(stage& world, entity_t entity, id_t id, std::uint32_t type);
// Records a name, symbol or alias. `parent`: where lookups of this part find the name.
void record_name(stage& world, entity_t entity, entity_t kind, entity_t parent,
                 std::string_view text, bool is_new);
// The action is called at the end of the frame, with the world. Its context belongs to the program.
void record_action(stage& world, const queued_action& action);
// Runs an action that records, under the lock of an asynchronous stage.
template <class Action>
decltype(auto) record_locked(recorder& used, Action&& action) {
    if (used.lock) {
        const detail::lock_guard guard(*used.lock);
        return action();
    }
    return action();
}

// Constructs the value of a command.
inline void construct_value(command& made, const detail::value_source& source) {
    if (source.make) {
        source.make(made.value(), source.context);
    } else {
        copy_bytes(static_cast<std::byte*>(made.value()),
                   static_cast<const std::byte*>(source.context), made.type->size);
    }
}
// Constructs a value that a get_mut() adds: a copy of `value`, or the default if that is null.
void construct_ensured(command& made, const void* value);
// Writes the value of an add_list command.
void fill_queued_ids(const stage& world, command& made, const id_t* ids, std::uint32_t count);
// Throws if values of the id cannot be moved, because queued values are moved to their place.
void check_queueable(const stage& world, entity_t entity, id_t id, const type_info& info);
// The kind of command whose scope an `ensure` has: the queued value replaces an inherited one, so
// that the command acts as a set, unless a base decides whether the value can be constructed.
command_kind scope_kind_of_ensure(const storage::id_info& id) noexcept;

}  // namespace kith::mutate
