#include "mutate/values.hpp"

#include "mutate/fast_path.hpp"
#include "mutate/rows.hpp"
#include "mutate/transition.hpp"
#include "traits/traits.hpp"

#include <memory>
#include <new>

namespace kith::mutate {

using storage::entity_record;
using storage::id_record;
using storage::table;

void check_value_type(const stage& owner, const id_record& record, std::uint32_t type) {
    if (!record.value_type) {
        raise_id(owner, errc::wrong_type, record.id, "is a tag: it has no value");
    }
    if (type != 0 && record.value_type->component != type) {
        base::text message;
        owner.listen.describe_id(owner, record.id, message);
        message << " has values of type ";
        owner.listen.describe_id(owner, record.value_type->component, message);
        message << ", not of type ";
        const type_info* expected = detail::find_type(type);
        message << (expected ? expected->name : "another component");
        base::raise(errc::wrong_type, message);
    }
}

void* find_value(const stage& owner, entity_t entity, const entity_record& found, id_t id,
                 std::uint32_t type) {
    const table& owner_table = owner.data.tables.at(found.table);
    std::int32_t position = storage::find_id(owner_table, id);
    if (position >= 0) {
        check_value_type(owner, *owner_table.records[position], type);
        return storage::value_in(owner.data.tables.rows(found.table), owner_table.slots[position],
                                 found.row);
    }
    if (!(found.state & storage::record_any_sparse)) {
        return nullptr;
    }
    const id_record* record = owner.data.ids.find(id);
    if (!record || !record->sparse || !record->sparse->has(index_of(entity))) {
        return nullptr;
    }
    check_value_type(owner, *record, type);
    return record->sparse->find(index_of(entity));
}

void assign_value(const type_info& info, void* value, const detail::value_source& source) {
    if (source.assign) {
        source.assign(value, source.context);
    } else if (!source.make) {
        std::memcpy(value, source.context, info.size);
    } else {
        // Only sources whose construction cannot fail come without an assignment.
        types::destroy_values(info, value, 1);
        source.make(value, source.context);
    }
}

namespace {

// For types that can be copied but not assigned. The copy is made aside: if that fails, the value
// stays.
void replace_by_copy(const type_info& info, void* value, const void* from) {
    std::align_val_t alignment{info.alignment};
    struct deleter {
        std::align_val_t alignment;
        void operator()(void* block) const { ::operator delete(block, alignment); }
    };
    std::unique_ptr<void, deleter> copy(::operator new(info.size, alignment), deleter{alignment});
    info.copy_construct(copy.get(), from);
    types::destroy_values(info, value, 1);
    types::relocate_value(info, value, copy.get());
}

}  // namespace

detail::value_source copying_source(copy_context& context) noexcept {
    if (context.info->trivial_copy) {
        return {const_cast<void*>(context.value), nullptr, nullptr};
    }
    return {&context,
            [](void* value, void* from) {
                const auto& copied = *static_cast<copy_context*>(from);
                copied.info->copy_construct(value, copied.value);
            },
            [](void* value, void* from) {
                const auto& copied = *static_cast<copy_context*>(from);
                if (copied.info->copy_assign) {
                    copied.info->copy_assign(value, copied.value);
                } else {
                    replace_by_copy(*copied.info, value, copied.value);
                }
            }};
}

detail::value_source moving_source(move_context& context) noexcept {
    // Bytes do, unless the value that stays behind still owns something.
    if (context.info->trivial_move && context.info->trivial_destroy) {
        return {context.value, nullptr, nullptr};
    }
    return {&context,
            [](void* value, void* from) {
                const auto& moved = *static_cast<move_context*>(from);
                moved.info->move_construct(value, moved.value);
            },
            [](void* value, void* from) {
                const auto& moved = *static_cast<move_context*>(from);
                if (moved.info->move_assign) {
                    moved.info->move_assign(value, moved.value);
                } else {
                    types::destroy_values(*moved.info, value, 1);
                    moved.info->move_construct(value, moved.value);
                }
            }};
}

void* ensure_value(stage& owner, entity_t entity, id_t id, std::uint32_t type) {
    entity_record& record = get_record(owner, entity);
    if (void* value = find_value(owner, entity, record, id, type)) {
        return value;
    }
    check_value_type(owner, prepare_id(owner, id), type);
    add_id(owner, entity, id);
    // A hook may have taken it away again.
    entity_record* current = owner.data.entities.find(entity);
    void* value = current ? find_value(owner, entity, *current, id, type) : nullptr;
    if (!value) {
        raise_entity_id(owner, errc::missing_component, entity, id, "was removed again by a hook");
    }
    return value;
}

namespace {

// Adds the id with a given value.
void add_with_value(stage& owner, entity_t entity, entity_record& record, id_record& added,
                    const detail::value_source& source) {
    check_range(owner, entity, added.id);
    place_entity(owner, entity, record);
    user_code code(owner);
    if (is_sparse(added)) {
        add_sparse(owner, entity, record, added, &source);
    } else {
        given_value given{&added, &source};
        move_entity(owner, entity, record,
                    resolve_add(owner, owner.data.tables.at(record.table), added), &given, 1);
    }
    run_hook(owner, types::hook_set, added, entity, find_value(owner, entity, record, added.id, 0));
    code.finish();
}

}  // namespace

void set_value(stage& owner, entity_t entity, id_t id, std::uint32_t type,
               const detail::value_source& source) {
    entity_record& record = get_record(owner, entity);
    // For a plain component the id is the type: only pairs can be of another one.
    bool bytes = !source.make && !is_pair(id);
    if (bytes && (type == 0 || id == type) &&
        (try_assign_bytes(owner, record, id, source.context) ||
         try_set_bytes(owner, entity, record, id, source.context))) {
        return;
    }
    if (void* value = find_value(owner, entity, record, id, type)) {
        const id_record& known = *owner.data.ids.find(id);
        bool hooked = known.hook_type->hooks[types::hook_set].call != nullptr;
        if (bytes && !hooked) {
            copy_bytes(static_cast<std::byte*>(value),
                       static_cast<const std::byte*>(source.context), known.value_type->info.size);
            return;
        }
        user_code code(owner);
        assign_value(known.value_type->info, value, source);
        run_hook(owner, types::hook_set, known, entity, value);
        code.finish();
        return;
    }
    id_record& added = prepare_id(owner, id);
    check_value_type(owner, added, type);
    add_with_value(owner, entity, record, added, source);
}

void emplace_value(stage& owner, entity_t entity, id_t id, std::uint32_t type,
                   const detail::value_source& source) {
    entity_record& record = get_record(owner, entity);
    if (find_value(owner, entity, record, id, type)) {
        raise_entity_id(owner, errc::already_exists, entity, id, "is there already; use set");
    }
    id_record& added = prepare_id(owner, id);
    check_value_type(owner, added, type);
    add_with_value(owner, entity, record, added, source);
}

void notify_set(stage& owner, entity_t entity, id_t id) {
    entity_record& record = get_record(owner, entity);
    void* value = find_value(owner, entity, record, id, 0);
    if (!value) {
        raise_entity_id(owner, errc::missing_component, entity, id,
                        "is not there, so it was not modified");
    }
    const id_record& known = *owner.data.ids.find(id);
    if (known.hook_type && known.hook_type->hooks[types::hook_set].call) {
        user_code code(owner);
        run_hook(owner, types::hook_set, known, entity, value);
        code.finish();
    }
}

}  // namespace kith::mutate
