// The chapters "values" and "many entities at once" of kith.h.
//
// kith_get_id and references find values that lie in the entity's table by themselves,
// with the layout that inlined C++ uses; all other cases take the compiled functions of core.
#include <kith/detail/layout.hpp>

#include "ids.hpp"

#include <cstring>

using namespace kith::capi;
namespace detail = kith::detail;

namespace {

struct place {
    const detail::entity_record* record = nullptr;
    const detail::table_shape* shape = nullptr;
    std::int32_t position = -1;  // of the id in the shape
};

// The place of an id in the table of a living entity; position -1 if a compiled function has to
// look for it.
KITH_ALWAYS_INLINE place find_place(const kith::world_t* world, kith_entity_t entity,
                                    kith_id_t id) noexcept {
    place found;
    found.record = detail::find_record(*world->store, entity);
    if (!found.record) [[unlikely]] {
        return found;
    }
    found.shape = world->store->shapes[found.record->table];
    if (id < kith::low_id_limit) {
        found.position = detail::find_low(*found.shape, static_cast<std::uint32_t>(id));
    } else if (!(found.shape->flags & detail::shape_wide)) {
        found.position = detail::find_exact(*found.shape, id);
    }
    if (found.position >= 0 && found.shape->slots[found.position].size == 0) {
        found.position = -1;
    }
    return found;
}

// Sets a value whose arguments may be missing. Size 0 stands for the size of the type.
[[gnu::cold]] kith_status_t set_checked(kith_world_t* world, kith_entity_t entity, kith_id_t id,
                                        std::size_t size, const void* value) {
    return guard([&] {
        check_pointer(value, "kith_set_id", "the value is NULL");
        detail::checked_entity(entity, "kith_set_id");
        detail::checked_id(id, "kith_set_id", "the id");
        const kith::type_info* type = size == 0 ? detail::type_of(at(world), id) : nullptr;
        detail::copy_value(at(world), entity, id, type ? type->size : size, value);
    });
}

// A value that is moved by the functions of its type.
struct moved_value {
    const kith::type_info* type;
    void* from;
};
// Without a function, the bytes change their owner.
void make_moved(void* value, void* context) {
    const auto& moved = *static_cast<moved_value*>(context);
    if (moved.type->trivial_move) {
        std::memcpy(value, moved.from, moved.type->size);
    } else {
        moved.type->move_construct(value, moved.from, *moved.type);
    }
}
void assign_moved(void* value, void* context) {
    const auto& moved = *static_cast<moved_value*>(context);
    if (!moved.type->trivial_move && moved.type->move_assign) {
        moved.type->move_assign(value, moved.from, *moved.type);
        return;
    }
    if (!moved.type->trivial_destroy) {
        moved.type->destroy(value, *moved.type);
    }
    make_moved(value, context);
}

// The state of a reference, in kith_ref_t::reserved.
struct ref_state {
    const detail::entity_record* record;  // null: no place is known
    std::uint32_t generation;
    std::uint32_t table;
    std::uint32_t epoch;
    std::uint32_t offset;
    std::uint32_t size;
};
static_assert(sizeof(ref_state) <= sizeof(kith_ref_t::reserved));

ref_state load_state(const kith_ref_t& ref) noexcept {
    ref_state state;
    std::memcpy(&state, ref.reserved, sizeof state);
    return state;
}
void store_state(kith_ref_t& ref, const ref_state& state) noexcept {
    std::memcpy(ref.reserved, &state, sizeof state);
}

// Looks the value up and remembers its place, unless it lies elsewhere than in the table.
void* find_again(kith_ref_t& ref) {
    store_state(ref, {});
    const kith::world_t* world = at(ref.world);
    const place found = find_place(world, ref.entity, ref.id);
    if (!found.record) {
        return nullptr;
    }
    detail::note_reference(ref.world, ref.entity, ref.id);
    if (found.position < 0) {
        return const_cast<void*>(detail::get_value(world, ref.entity, ref.id, 0));
    }
    const detail::column slot = found.shape->slots[found.position];
    store_state(ref, {found.record, static_cast<std::uint32_t>(ref.entity >> 32),
                      found.record->table, world->store->table_epoch, slot.offset, slot.size});
    return detail::value_at(*world->store, *found.record, slot);
}

}  // namespace

extern "C" {

const void* kith_get_id(const kith_world_t* world, kith_entity_t entity, kith_id_t id) {
    const place found = find_place(at(world), entity, id);
    if (found.position >= 0) [[likely]] {
        return detail::value_at(*at(world)->store, *found.record,
                                found.shape->slots[found.position]);
    }
    return guard_value<const void*>(nullptr,
                                    [&] { return detail::get_value(at(world), entity, id, 0); });
}
void* kith_get_mut_id(kith_world_t* world, kith_entity_t entity, kith_id_t id) {
    return guard_value<void*>(nullptr,
                              [&] { return detail::ensure_value(at(world), entity, id, 0); });
}
kith_status_t kith_modified_id(kith_world_t* world, kith_entity_t entity, kith_id_t id) {
    return guard([&] { detail::notify_set(at(world), entity, id); });
}
kith_status_t kith_set_id(kith_world_t* world, kith_entity_t entity, kith_id_t id, size_t size,
                          const void* value) {
    if (!value || entity == 0 || id == 0 || size == 0) [[unlikely]] {
        return set_checked(world, entity, id, size, value);
    }
    return guard([&] { detail::copy_value(at(world), entity, id, size, value); });
}
kith_status_t kith_move_id(kith_world_t* world, kith_entity_t entity, kith_id_t id, size_t size,
                           void* value) {
    return guard([&] {
        check_pointer(value, "kith_move_id", "the value is NULL");
        detail::checked_id(id, "kith_move_id", "the id");
        const kith::type_info* type = detail::type_of(at(world), id);
        if (!type || (size != 0 && size != type->size)) {
            // The check of copies has the message for tags, dead ids and other sizes.
            detail::copy_value(at(world), entity, id, type ? size : 0, value);
            return;
        }
        moved_value moved{type, value};
        detail::set_value(at(world), entity, id, 0, {&moved, make_moved, assign_moved});
    });
}
kith_status_t kith_emplace_id(kith_world_t* world, kith_entity_t entity, kith_id_t id,
                              kith_construct_t construct, void* ctx) {
    return guard([&] {
        if (!construct) {
            raise_argument("kith_emplace_id", "construct is NULL");
        }
        struct maker {
            kith_construct_t construct;
            void* ctx;
        } making{construct, ctx};
        detail::emplace_value(at(world), entity, id, 0,
                              {&making,
                               [](void* value, void* context) {
                                   const auto& made = *static_cast<maker*>(context);
                                   call_back(made.construct, value, made.ctx);
                               },
                               nullptr});
    });
}

kith_status_t kith_ref_init_id(const kith_world_t* world, kith_entity_t entity, kith_id_t id,
                               kith_ref_t* ref) {
    return guard([&] {
        check_pointer(ref, "kith_ref_init_id", "ref is NULL");
        *ref = {};  // what is not made refers to nothing
        check_world(world);
        detail::shape_of(world, entity, "kith_ref_init_id");  // must be alive
        detail::checked_id(id, "kith_ref_init_id", "the id");
        ref->world = at(world);
        ref->entity = entity;
        ref->id = id;
        find_again(*ref);
    });
}
void* kith_ref_get_id(kith_ref_t* ref) {
    if (!ref) [[unlikely]] {
        fail_argument("kith_ref_get_id", "ref is NULL");
        return nullptr;
    }
    const ref_state state = load_state(*ref);
    if (const kith::world_t* world = ref->world; world && state.record) [[likely]] {
        // The epoch is compared before the record is read, which may be gone.
        if (world->store->table_epoch == state.epoch && state.record->table == state.table &&
            (state.record->state & detail::record_identity) == state.generation) [[likely]] {
            return detail::value_at(*world->store, *state.record, {state.offset, state.size});
        }
    }
    return guard_value<void*>(nullptr, [&] { return find_again(*ref); });
}
kith_status_t kith_ref_update(kith_ref_t* ref) {
    return guard([&] {
        check_pointer(ref, "kith_ref_update", "ref is NULL");
        if (!find_again(*ref)) {
            detail::raise_ref(at(ref->world), ref->entity, ref->id);
        }
    });
}

// -- many entities at once

int32_t kith_get_n(const kith_world_t* world, const kith_entity_t* entities, int32_t count,
                   kith_id_t id, size_t size, void* out) {
    return guard_value<int32_t>(-1, [&] {
        check_count(count, entities, "kith_get_n");
        check_count(count, out, "kith_get_n");
        const kith::type_info* type = detail::type_of(at(world), id);
        if (!type || type->size != size) {
            detail::raise_error(kith::errc::wrong_type,
                                "kith_get_n: the values of the id have another size");
        }
        int32_t found = 0;
        auto* to = static_cast<std::byte*>(out);
        for (int32_t i = 0; i < count; ++i, to += size) {
            const place where = find_place(at(world), entities[i], id);
            const void* value = where.position >= 0
                                    ? detail::value_at(*at(world)->store, *where.record,
                                                       where.shape->slots[where.position])
                                    : detail::get_value(at(world), entities[i], id, 0);
            if (value) {
                std::memcpy(to, value, size);
                ++found;
            } else {
                std::memset(to, 0, size);
            }
        }
        return found;
    });
}
kith_status_t kith_set_n(kith_world_t* world, const kith_entity_t* entities, int32_t count,
                         kith_id_t id, size_t size, const void* values) {
    const kith_status_t checked = guard([&] {
        check_count(count, entities, "kith_set_n");
        check_count(count, values, "kith_set_n");
        const kith::type_info* type = detail::type_of(at(world), id);
        if (!type || type->size != size) {
            detail::raise_error(kith::errc::wrong_type,
                                "kith_set_n: the values of the id have another size");
        }
    });
    const auto* from = static_cast<const std::byte*>(values);
    kith_status_t status = checked;
    for (int32_t i = 0; i < count && status == KITH_OK; ++i, from += size) {
        status = kith_set_id(world, entities[i], id, size, from);
    }
    return status;
}
kith_status_t kith_add_n(kith_world_t* world, const kith_entity_t* entities, int32_t count,
                         kith_id_t id) {
    return guard([&] {
        check_count(count, entities, "kith_add_n");
        check_world(world);
        for (int32_t i = 0; i < count; ++i) {
            detail::add_id(at(world), entities[i], id);
        }
    });
}
kith_status_t kith_remove_n(kith_world_t* world, const kith_entity_t* entities, int32_t count,
                            kith_id_t id) {
    return guard([&] {
        check_count(count, entities, "kith_remove_n");
        check_world(world);
        for (int32_t i = 0; i < count; ++i) {
            detail::remove_id(at(world), entities[i], id);
        }
    });
}
kith_status_t kith_targets_n(const kith_world_t* world, const kith_entity_t* entities,
                             int32_t count, kith_entity_t relation, kith_entity_t* out) {
    return guard([&] {
        check_count(count, entities, "kith_targets_n");
        check_count(count, out, "kith_targets_n");
        check_world(world);
        for (int32_t i = 0; i < count; ++i) {
            out[i] = detail::target_of(at(world), entities[i], relation, 0);
        }
    });
}
kith_status_t kith_names_n(const kith_world_t* world, const kith_entity_t* entities, int32_t count,
                           const char** out) {
    return guard([&] {
        check_count(count, entities, "kith_names_n");
        check_count(count, out, "kith_names_n");
        check_world(world);
        for (int32_t i = 0; i < count; ++i) {
            const kith::string_view name = detail::name_of(at(world), entities[i], kith::Name);
            out[i] = name.empty() ? nullptr : name.c_str();
        }
    });
}
}
