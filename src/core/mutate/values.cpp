// Implements values.hpp.
#include "mutate/values.hpp"

#include "base/assert.hpp"
#include "mutate/add_remove.hpp"
#include "mutate/constraints.hpp"
#include "mutate/fast_path.hpp"
#include "mutate/rows.hpp"
#include "mutate/sparse_ops.hpp"
#include "mutate/symmetric.hpp"
#include "mutate/validate.hpp"
#include "traits/inherit.hpp"

#include <memory>
#include <new>

namespace kith::mutate {

using storage::entity_record;
using storage::id_info;
using storage::table;

void check_value_type(const stage& world, const id_info& id, std::uint32_t type) {
    if (!id.value_type) {
        raise_id(world, errc::wrong_type, id.id, "is a tag: it has no value");
    }
    if (type != 0 && id.value_type->component != type) {
        const type_info* expected = detail::find_type(type);
        raise_about(world, errc::wrong_type, id.id, " has values of type ",
                    id.value_type->component, ", not of type ",
                    expected ? expected->name : "another component");
    }
}

// The table is searched first, since most values are there.
void* find_own_value(const stage& world, entity_t entity, const entity_record& record, id_t id,
                     std::uint32_t type) {
    const storage::store& data = world.data;
    const table& own_table = data.tables.at(record.table);
    std::int32_t position = storage::find_id(own_table, id);
    if (position >= 0) {
        check_value_type(world, *own_table.records[position], type);
        return storage::value_in(data.tables.rows(record.table), own_table.slots[position],
                                 record.row);
    }
    constexpr std::uint32_t sparse_flags = storage::record_any_sparse | storage::record_has_parent;
    if (!(record.state & sparse_flags) || !storage::owns_id(data, record, entity, id)) {
        return nullptr;
    }
    id_info info = traits::describe_id(data, id);
    if (is_pair(id) && is_wildcard_element(pair_second(id))) {
        // A wildcard as target stands for the first target.
        storage::each_link(data, record, index_of(entity), id,
                           [&](const storage::id_record& relation, std::uint32_t target) {
                               info = traits::describe_link(data, relation, target);
                               return false;
                           });
    }
    check_value_type(world, info, type);
    return value_sparse(data, entity, info);
}

namespace {

// Throws for a wildcard, which stands for no single value.
void check_exact(const stage& world, id_t id) {
    if (is_wildcard(id)) {
        raise_id(world, errc::invalid_id, id, "is a wildcard: it can be asked for, not written");
    }
}

}  // namespace

void* find_value(const stage& world, entity_t entity, const entity_record& record, id_t id,
                 std::uint32_t type) {
    void* value = find_own_value(world, entity, record, id, type);
    return value ? value : find_inherited_value(world, entity, record, id, type);
}

void* find_inherited_value(const stage& world, entity_t entity, const entity_record& record,
                           id_t id, std::uint32_t type) {
    entity_t base = traits::find_base(world.data, record, entity, id);
    return base ? find_own_value(world, base, *world.data.entities.find(base), id, type) : nullptr;
}

void assign_value(const type_info& info, void* value, const detail::value_source& source) {
    KITH_ASSERT(value, "the entity has the value");
    if (source.assign) {
        source.assign(value, source.context);
    } else if (!source.make) {
        std::memcpy(value, source.context, info.size);
    } else {
        // Sources without an assignment have a constructor that cannot fail.
        types::destroy_values(info, value, 1);
        source.make(value, source.context);
    }
}

namespace {

// Replaces a value whose type can be copied but not assigned. The copy is constructed aside: if
// that fails, the old value stays.
void replace_by_copy(const type_info& info, void* value, const void* from) {
    std::align_val_t alignment{info.alignment};
    struct deleter {
        std::align_val_t alignment;
        void operator()(void* block) const { ::operator delete(block, alignment); }
    };
    std::unique_ptr<void, deleter> copy(::operator new(info.size, alignment), deleter{alignment});
    info.copy_construct(copy.get(), from, info);
    types::destroy_values(info, value, 1);
    types::relocate_value(info, value, copy.get());
}

}  // namespace

// A source without functions stands for bytes, which is the fast way for trivial types.
detail::value_source copying_source(copy_context& context) noexcept {
    KITH_ASSERT(context.info, "values have a type");
    if (context.info->trivial_copy) {
        return {const_cast<void*>(context.value), nullptr, nullptr};
    }
    return {&context,
            [](void* value, void* from) {
                const auto& copied = *static_cast<copy_context*>(from);
                copied.info->copy_construct(value, copied.value, *copied.info);
            },
            [](void* value, void* from) {
                const auto& copied = *static_cast<copy_context*>(from);
                if (copied.info->copy_assign) {
                    copied.info->copy_assign(value, copied.value, *copied.info);
                } else {
                    replace_by_copy(*copied.info, value, copied.value);
                }
            }};
}

detail::value_source moving_source(move_context& context) noexcept {
    KITH_ASSERT(context.info, "values have a type");
    // Bytes can be copied, unless the moved-from value still owns resources.
    if (context.info->trivial_move && context.info->trivial_destroy) {
        return {context.value, nullptr, nullptr};
    }
    return {&context,
            [](void* value, void* from) {
                const auto& moved = *static_cast<move_context*>(from);
                moved.info->move_construct(value, moved.value, *moved.info);
            },
            [](void* value, void* from) {
                const auto& moved = *static_cast<move_context*>(from);
                if (moved.info->move_assign) {
                    moved.info->move_assign(value, moved.value, *moved.info);
                } else {
                    types::destroy_values(*moved.info, value, 1);
                    moved.info->move_construct(value, moved.value, *moved.info);
                }
            }};
}

// A missing id is added, which may run hooks.
void* ensure_value(stage& world, entity_t entity, id_t id, std::uint32_t type) {
    entity_record& record = get_record(world, entity);
    check_exact(world, id);
    if (void* value = find_own_value(world, entity, record, id, type)) {
        return value;
    }
    check_value_type(world, prepare_id(world, id), type);
    add_id(world, entity, id, true);
    // A hook with suspended deferring may have removed the id again.
    entity_record* record_after = world.data.entities.find(entity);
    void* value = record_after ? find_own_value(world, entity, *record_after, id, type) : nullptr;
    if (!value) {
        raise_entity_id(world, errc::missing_component, entity, id, "was removed again by a hook");
    }
    return value;
}

void dispatch_set(stage& world, entity_t entity, const id_info& id, void* value) {
    notify(world, storage::event_set, id, entity, value);
    if (id.traits & traits::trait_symmetric && is_pair(id.id)) {
        assign_inverse_value(world, entity, id);
    }
}

namespace {

// Adds an id with a given value and notifies.
void add_with_value(stage& world, entity_t entity, entity_record& record, const id_info& added,
                    const detail::value_source& source) {
    check_range(world, entity, added.id);
    ensure_row(world, entity, record);
    callback_scope code(world);
    add_with_others(world, entity, added, &source);
    if (void* value = find_own_value(world, entity, record, added.id, 0)) {
        dispatch_set(world, entity, added, value);
    }
    code.finish();
}

}  // namespace

// Tries the fast paths, then assigns an existing value, then adds the id.
void set_value(stage& world, entity_t entity, id_t id, std::uint32_t type,
               const detail::value_source& source) {
    entity_record& record = get_record(world, entity);
    // For a plain component the id is the type, so only pairs can have another type.
    bool bytes = !source.make && !is_pair(id);
    if (bytes && (type == 0 || id == type) &&
        (try_assign_bytes(world, record, id, source.context) ||
         assign_and_notify(world, entity, record, id, source.context) ||
         try_set_bytes(world, entity, record, id, source.context))) {
        return;
    }
    check_exact(world, id);
    if (void* value = find_own_value(world, entity, record, id, type)) {
        id_info info = traits::describe_id(world.data, id);
        constexpr std::uint32_t observed_events = storage::event_set | storage::event_validate;
        if (bytes && !(info.event_mask & observed_events)) {
            copy_bytes(static_cast<std::byte*>(value),
                       static_cast<const std::byte*>(source.context), info.value_type->info.size);
            return;
        }
        if (info.event_mask & storage::event_set) {
            world.data.mem.ensure_reserve();
        }
        callback_scope code(world);
        values_ahead values(world.data.mem);
        const detail::value_source& valid =
            is_validated(info) ? *validate_added(world, entity, info, &source, values) : source;
        assign_value(info.value_type->info, value, valid);
        dispatch_set(world, entity, info, value);
        code.finish();
        return;
    }
    id_info added = prepare_id(world, id);
    check_value_type(world, added, type);
    add_with_value(world, entity, record, added, source);
}

void emplace_value(stage& world, entity_t entity, id_t id, std::uint32_t type,
                   const detail::value_source& source) {
    entity_record& record = get_record(world, entity);
    check_exact(world, id);
    if (find_own_value(world, entity, record, id, type)) {
        raise_entity_id(world, errc::already_exists, entity, id, "is there already; use set");
    }
    id_info added = prepare_id(world, id);
    check_value_type(world, added, type);
    add_with_value(world, entity, record, added, source);
}

// A component in the entity's table is notified of without a description of its id.
void notify_set(stage& world, entity_t entity, id_t id) {
    entity_record& record = get_record(world, entity);
    if (const own_column own = find_own_column(world.data, record, id);
        own.id && !is_validated(*own.id)) {
        notify_assigned(world, entity, record, *own.id, own.value);
        return;
    }
    void* value = find_own_value(world, entity, record, id, 0);
    if (!value) {
        raise_entity_id(world, errc::missing_component, entity, id,
                        "is not there, so it was not modified");
    }
    callback_scope code(world);
    const id_info info = traits::describe_id(world.data, id);
    if (is_validated(info)) {
        validate(world, entity, info, value);
    }
    dispatch_set(world, entity, info, value);
    code.finish();
}

}  // namespace kith::mutate
