// Implements values.hpp.
#include "mutate/apply/values.hpp"

#include "base/assert.hpp"
#include "mutate/apply/owned_ids.hpp"
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

void make_value(const type_info& info, const detail::value_source& source, void* place) {
    if (source.make) {
        source.make(place, source.context);
    } else {
        std::memcpy(place, source.context, info.size);
    }
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

}  // namespace kith::mutate
