#include "mutate/values.hpp"

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

void* find_own_value(const stage& world, entity_t entity, const entity_record& record, id_t id,
                     std::uint32_t type) {
    const storage::store& data = world.data;
    const table& owner_table = data.tables.at(record.table);
    std::int32_t position = storage::find_id(owner_table, id);
    if (position >= 0) {
        check_value_type(world, *owner_table.records[position], type);
        return storage::value_in(data.tables.rows(record.table), owner_table.slots[position],
                                 record.row);
    }
    constexpr std::uint32_t sparse_change = storage::record_any_sparse | storage::record_has_parent;
    if (!(record.state & sparse_change) || !storage::owns_id(data, record, entity, id)) {
        return nullptr;
    }
    id_info info = traits::describe_id(data, id);
    if (is_pair(id) && is_wildcard_element(pair_second(id))) {
        // Any target: the first one.
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

void* ensure_value(stage& world, entity_t entity, id_t id, std::uint32_t type) {
    entity_record& record = get_record(world, entity);
    check_exact(world, id);
    if (void* value = find_own_value(world, entity, record, id, type)) {
        return value;
    }
    check_value_type(world, prepare_id(world, id), type);
    add_id(world, entity, id, true);
    // A hook may have taken it away again.
    entity_record* current = world.data.entities.find(entity);
    void* value = current ? find_own_value(world, entity, *current, id, type) : nullptr;
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

// Adds the id with a given value.
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

void set_value(stage& world, entity_t entity, id_t id, std::uint32_t type,
               const detail::value_source& source) {
    entity_record& record = get_record(world, entity);
    // For a plain component the id is the type: only pairs can be of another one.
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
        constexpr std::uint32_t noticed = storage::event_set | storage::event_validate;
        if (bytes && !(info.event_mask & noticed)) {
            copy_bytes(static_cast<std::byte*>(value),
                       static_cast<const std::byte*>(source.context), info.value_type->info.size);
            return;
        }
        if (info.event_mask & storage::event_set) {
            world.data.mem.ensure_reserve();
        }
        callback_scope code(world);
        values_ahead ahead(world.data.mem);
        const detail::value_source& valid =
            is_validated(info) ? *validate_added(world, entity, info, &source, ahead) : source;
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
