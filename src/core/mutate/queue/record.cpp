// Implements record.hpp.
#include "mutate/queue/record.hpp"

#include "base/assert.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/notify/validate.hpp"
#include "mutate/queue/pending_value.hpp"
#include "storage/find.hpp"

#include <algorithm>
#include <new>

namespace kith::mutate {

using storage::id_info;

namespace {

// The type of a value that is copied as bytes and needs no destructor.
template <class T>
constexpr type_info plain_bytes() {
    type_info info{};
    info.size = sizeof(T);
    info.alignment = alignof(T);
    info.trivial_copy = info.trivial_move = info.trivial_destroy = true;
    return info;
}

// True if the index belongs to a C++ type of the process that this world need not know yet.
bool is_type(std::uint32_t index) noexcept {
    return index < first_entity && detail::find_type(index);
}

// Throws if the id cannot be added, as far as reading tells.
void check_addable(const recorder& used, id_t id) {
    if (id == 0) {
        base::raise(errc::invalid_id, "0 is no id that can be added");
    }
    if (is_wildcard(id)) {
        raise_id(used, errc::invalid_id, id, "is a wildcard: it can be asked for, not added");
    }
    if (!is_pair(id) && !(id & id_flags_mask) && used.use != recorder_use::async &&
        !used.data.entities.find(id) && !is_type(index_of(id))) {
        raise_id(used, errc::invalid_id, id, "is not alive: it cannot be added");
    }
}

// Throws if the entity is not alive. An asynchronous stage cannot read the world.
void check_subject(const recorder& used, entity_t entity) {
    if (entity != 0 && used.use != recorder_use::async) {
        get_record(used, entity);
    }
}

// Throws if a part of a frame deletes a system: parts of it may be running on other threads.
void check_keeps_system(const recorder& used, command_kind kind, entity_t entity, id_t id) {
    const bool deletes = kind == command_kind::destruct || kind == command_kind::clear ||
                         (kind == command_kind::remove && id == System);
    if (deletes && used.use == recorder_use::part && entity != 0 &&
        storage::owns_id(used.data, get_record(used, entity), entity, System)) {
        raise_entity_id(used, errc::invalid_operation, entity, System,
                        "cannot be taken away in a parallel or split part: only alone and "
                        "immediate systems may delete systems");
    }
}

// The type of the values of an id. `type`: the C++ type of the given value, 0: that of the id.
// Throws if the id has no values, if the given type is another one, or if the type cannot be known
// without reading the world.
const type_info& value_type_of(const recorder& used, id_t id, std::uint32_t type) {
    if (used.use != recorder_use::async) {
        const id_info info = traits::describe_id(used.data, id);
        const std::uint32_t element = is_pair(id) ? pair_first(id) : index_of(id);
        const bool is_known = used.data.entities.alive_at(element) != 0;
        if (info.value_type || is_known) {
            check_value_type(used, info, type);
            return info.value_type->info;
        }
    }
    const std::uint32_t number = type ? type : is_pair(id) ? 0 : index_of(id);
    const type_info* info = number ? detail::find_type(number) : nullptr;
    if (!info || info->size == 0) {
        base::raise(errc::wrong_type,
                    "the type of the value is not known here: record values of C++ types");
    }
    return *info;
}

}  // namespace

const type_info queued_ids_type = plain_bytes<queued_ids>();
const type_info queued_text_type = plain_bytes<queued_text>();
const type_info queued_action_type = plain_bytes<queued_action>();

void construct_ensured(command& made, const void* value) {
    if (value) {
        types::copy_values(*made.type, made.value(), value, 1);
    } else {
        types::construct_values(*made.type, made.value(), 1);
    }
}

void fill_queued_ids(const stage& world, command& made, const id_t* ids, std::uint32_t count) {
    KITH_ASSERT(count <= queued_ids::limit, "the ids fit into one command");
    auto& list = *::new (made.value()) queued_ids{};
    list.count = count;
    std::copy_n(ids, count, list.ids);
    for (std::uint32_t i = 0; i < count; ++i) {
        list.targets[i] = is_pair(ids[i]) ? world.data.entities.alive_at(pair_second(ids[i])) : 0;
    }
}

void check_queueable(const stage& world, entity_t entity, id_t id, const type_info& info) {
    if (!info.can_move()) [[unlikely]] {
        raise_entity_id(world, errc::invalid_type, entity, id,
                        "has values that cannot be moved: they cannot wait in a queue. Add the "
                        "component, and write its value when the changes were made");
    }
}

command_kind scope_kind_of_ensure(const id_info& id) noexcept {
    const type_info& info = id.value_type->info;
    const bool depends_on_base = !info.can_copy() || !info.can_construct() || is_validated(id);
    return depends_on_base ? command_kind::ensure : command_kind::set;
}

// Lookups in the part find names by parent, so that a change of the parent moves a recorded name.
void record_id(stage& world, command_kind kind, entity_t entity, id_t id) {
    recorder& used = recorder_of(world);
    record_locked(used, [&] {
        check_subject(used, entity);
        if (kind == command_kind::add) {
            check_addable(used, id);
        }
        check_keeps_system(used, kind, entity, id);
        used.append(used.make(kind, entity, id, nullptr));
        if (kind == command_kind::remove) {
            used.given_names.leave(entity, id);
        } else if (kind == command_kind::add && is_pair(id) && pair_first(id) == ChildOf) {
            used.given_names.move(entity, pair_second(id));
        }
    });
}

void record_properties(stage& world, entity_t entity, const id_t* ids, std::uint32_t count) {
    recorder& used = recorder_of(world);
    record_locked(used, [&] {
        check_subject(used, entity);
        if (count != 0) {
            command* made = used.make(command_kind::add_list, entity, ids[0], &queued_ids_type);
            fill_queued_ids(used, *made, ids, count);
            used.append(made);
        }
    });
}

void record_value(stage& world, command_kind kind, entity_t entity, id_t id, std::uint32_t type,
                  const detail::value_source& source) {
    recorder& used = recorder_of(world);
    record_locked(used, [&] {
        check_subject(used, entity);
        check_addable(used, id);
        const type_info& info = value_type_of(used, id, type);
        check_queueable(used, entity, id, info);
        command* made = used.make(kind, entity, id, &info);
        construct_value(*made, source);
        used.append(made);
    });
}

// The steps: a value that is stored or was recorded is returned as it is, unless a recorded command
// will read it before; then a copy is made. A missing value begins as a copy of the inherited
// value, or as the default.
void* record_ensure(stage& world, entity_t entity, id_t id, std::uint32_t type) {
    recorder& used = recorder_of(world);
    return record_locked(used, [&]() -> void* {
        check_subject(used, entity);
        check_addable(used, id);
        const type_info& info = value_type_of(used, id, type);
        id_info described;
        described.id = id;
        void* stored = nullptr;
        if (used.use != recorder_use::async) {
            described = traits::describe_id(used.data, id);
            stored = find_own_value(used, entity, get_record(used, entity), id, type);
        }
        pending_state state =
            find_pending(used.commands.first, false, entity, described, stored, [&] {
                used.pending.catch_up(used.own, used.data, used.commands.first);
                return used.pending.find(entity, id, stored);
            });
        if (state.value && !(state.is_read && info.can_copy())) {
            if (state.value == stored) {
                note_value_handed_out(used.data, entity, get_record(used, entity), id);
            }
            return state.value;
        }
        check_queueable(used, entity, id, info);
        if (!state.value && info.can_copy() && used.use != recorder_use::async) {
            // The entity's own value begins as a copy of the inherited value.
            state.value = find_inherited_value(used, entity, get_record(used, entity), id, type);
        }
        if (!state.value && !info.can_construct()) {
            raise_id(used, errc::not_constructible, id,
                     "has no default constructor: give it a value with set or emplace");
        }
        command* made = used.make(command_kind::ensure, entity, id, &info);
        construct_ensured(*made, state.value);
        used.append(made);
        return made->value();
    });
}

void record_name(stage& world, entity_t entity, entity_t kind, entity_t parent,
                 std::string_view text, bool is_new) {
    recorder& used = recorder_of(world);
    record_locked(used, [&] {
        check_subject(used, entity);
        command* made = used.make(command_kind::name, entity, 0, &queued_text_type);
        auto* copy = static_cast<char*>(used.arena.take(used.own, text.size() + 1));
        std::copy(text.begin(), text.end(), copy);
        copy[text.size()] = 0;
        ::new (made->value()) queued_text{copy, text.size(), kind, parent, is_new};
        used.append(made);
        if (kind == Name) {
            used.given_names.add(index_of(parent), {copy, text.size()}, entity);
        }
    });
}

void record_action(stage& world, const queued_action& action) {
    recorder& used = recorder_of(world);
    record_locked(used, [&] {
        command* made = used.make(command_kind::post_frame, 0, 0, &queued_action_type);
        ::new (made->value()) queued_action(action);
        used.append(made);
    });
}

}  // namespace kith::mutate
