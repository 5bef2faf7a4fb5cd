// The chapters "entities" and "ids of entities" of kith.h.
#include "ids.hpp"

#include <algorithm>

using namespace kith::capi;
namespace detail = kith::detail;
using kith::entity_view;

namespace {

// Deletes an entity that could not be completed.
class new_entity_guard {
public:
    new_entity_guard(kith_world_t* world, kith_entity_t entity) noexcept
        : world_(world), entity_(entity) {}
    new_entity_guard(const new_entity_guard&) = delete;
    new_entity_guard& operator=(const new_entity_guard&) = delete;
    ~new_entity_guard() {
        if (entity_ == 0) {
            return;
        }
#if defined(__cpp_exceptions)
        try {
            detail::delete_entity(world_, entity_);
        } catch (...) {
            // Later failures do not replace the first failure.
        }
#else
        detail::delete_entity(world_, entity_);
#endif
    }
    void keep() noexcept {
        entity_ = 0;
    }

private:
    kith_world_t* world_;
    kith_entity_t entity_;
};

// The scope of a description, for as long as the object lives.
class scope_guard {
public:
    scope_guard(kith_world_t* world, kith_entity_t scope) : world_(world) {
        if (scope != 0) {
            previous_ = detail::open_scope(world, scope);
            open_ = true;
        }
    }
    ~scope_guard() {
        if (open_) {
            detail::close_scope(world_, previous_);
        }
    }
    scope_guard(const scope_guard&) = delete;
    scope_guard& operator=(const scope_guard&) = delete;

private:
    kith_world_t* world_;
    kith_entity_t previous_ = 0;
    bool open_ = false;
};

// Creates the entity in its table at once, without a move from the table of entities without ids. A
// parent that is given takes the place of the scope.
kith_entity_t new_with(kith_world_t* world, kith_id_t id) {
    if (detail::get_scope(at(world)) != 0 && kith::is_pair(id) &&
        kith::pair_first(id) == kith::ChildOf) {
        if (const kith_entity_t parent = detail::get_alive(at(world), kith::pair_second(id))) {
            const scope_guard scope(at(world), parent);
            return detail::new_entity(at(world));
        }
    }
    return *detail::new_bulk(at(world), 1, &id, 1, nullptr);
}

// Checks all values before anything is made, so that a mistake in the last one leaves no entity.
void check_values(const kith_world_t* world, const kith_entity_desc_t& desc) {
    for (const kith_value_t& value : desc.set) {
        if (value.id == 0) {
            return;
        }
        check_pointer(value.ptr, "kith_entity_init", "the value of a component is NULL");
        if (!is_valid_id(world, value.id)) {
            detail::raise_error(kith::errc::invalid_id,
                                "kith_entity_init: an id of `set` is not alive, or a wildcard");
        }
    }
}

// The entity that a description means. `made` says whether it is new.
kith_entity_t find_or_make(kith_world_t* world, const kith_entity_desc_t& desc, bool& made) {
    made = false;
    if (desc.id != 0) {
        detail::shape_of(world, desc.id, "kith_entity_init");  // must be alive
        return desc.id;
    }
    scope_guard scope(world, desc.parent);
    const bool named = desc.name && *desc.name;
    if (named) {
        const kith_entity_t found = detail::lookup_path(world, detail::get_scope(world),
                                                        text_of(desc.name), "::", "::", false);
        if (found != 0) {
            return found;
        }
    }
    made = true;
    return named ? detail::ensure_path(world, detail::get_scope(world), text_of(desc.name),
                                       "::", "::")
                 : detail::new_entity(world);
}

// All ids are checked first; later failures (a callback, memory) delete a new entity, and leave an
// existing one with the steps that were done.
kith_entity_t init_entity(kith_world_t* world, const kith_entity_desc_t& desc) {
    check_world(world);
    check_values(world, desc);
    std::vector<kith::id_t> ids(desc.add,
                                std::find(std::begin(desc.add), std::end(desc.add), kith_id_t{0}));
    if (desc.add_expr) {
        const std::vector<kith::id_t> more = parse_ids(world, desc.add_expr, "kith_entity_init");
        ids.insert(ids.end(), more.begin(), more.end());
    }
    for (kith_id_t id : ids) {
        if (!is_valid_id(world, id)) {
            detail::raise_error(kith::errc::invalid_id,
                                "kith_entity_init: an id of `add` is not alive, or a wildcard");
        }
    }
    bool made = false;
    const kith_entity_t entity = find_or_make(world, desc, made);
    new_entity_guard incomplete(world, made ? entity : 0);
    if (desc.id != 0 && desc.parent != 0) {
        detail::add_id(world, entity,
                       detail::checked_pair(world, kith::ChildOf, desc.parent, "kith_entity_init"));
    }
    if (desc.id != 0 && desc.name) {
        detail::set_name(world, entity, text_of(desc.name));
    }
    if (desc.symbol) {
        detail::set_symbol(world, entity, text_of(desc.symbol));
    }
    for (kith_id_t id : ids) {
        detail::add_id(world, entity, id);
    }
    for (const kith_value_t& value : desc.set) {
        if (value.id == 0) {
            break;
        }
        const kith::type_info* type = detail::type_of(world, value.id);
        detail::copy_value(world, entity, value.id,
                           value.size == 0 && type ? type->size : value.size, value.ptr);
    }
    incomplete.keep();
    return entity;
}

// Copies up to `capacity` ids for which `wanted` holds; returns their number.
template <class Wanted>
int32_t copy_ids(const kith_world_t* world, kith_entity_t entity, kith_id_t* ids, int32_t capacity,
                 Wanted&& wanted) {
    const kith::type type = entity_view(at(world), entity).type();
    int32_t count = 0;
    for (kith_id_t id : type) {
        if (wanted(id)) {
            if (count < capacity) {
                ids[count] = id;
            }
            ++count;
        }
    }
    return count;
}

}  // namespace

extern "C" {

kith_entity_t kith_new(kith_world_t* world) {
    return guard_value<kith_entity_t>(0, [&] { return detail::new_entity(at(world)); });
}
kith_entity_t kith_new_id(kith_world_t* world) {
    return guard_value<kith_entity_t>(0, [&] { return detail::new_id(at(world)); });
}
kith_entity_t kith_new_w_id(kith_world_t* world, kith_id_t id) {
    return guard_value<kith_entity_t>(0, [&] { return new_with(world, id); });
}
kith_entity_t kith_new_w_pair(kith_world_t* world, kith_entity_t relation, kith_entity_t target) {
    return guard_value<kith_entity_t>(0, [&] {
        return new_with(world,
                        detail::checked_pair(at(world), relation, target, "kith_new_w_pair"));
    });
}
kith_entity_t kith_new_entity(kith_world_t* world, const char* path) {
    return guard_value<kith_entity_t>(0, [&] {
        return path && *path ? detail::ensure_path(at(world), detail::get_scope(at(world)),
                                                   text_of(path), "::", "::")
                             : detail::new_entity(at(world));
    });
}
kith_entity_t kith_new_prefab(kith_world_t* world, const char* path) {
    kith_entity_desc_t desc{};
    desc.name = path;
    desc.add[0] = KithPrefab;
    return kith_entity_init(world, &desc);
}
kith_entity_t kith_entity_init_w_size(kith_world_t* world, const kith_entity_desc_t* desc,
                                      size_t size) {
    return guard_value<kith_entity_t>(0, [&] {
        const read_desc<kith_entity_desc_t> given("kith_entity_init", desc, size);
        return init_entity(world, *given);
    });
}
const kith_entity_t* kith_bulk_init_w_size(kith_world_t* world, const kith_bulk_desc_t* desc,
                                           size_t size) {
    return guard_value<const kith_entity_t*>(nullptr, [&] {
        const read_desc<kith_bulk_desc_t> given("kith_bulk_init", desc, size);
        if (given->count < 0) {
            raise_argument("kith_bulk_init", "the count is negative");
        }
        const auto id_count = static_cast<std::size_t>(
            std::find(std::begin(given->ids), std::end(given->ids), kith_id_t{0}) -
            std::begin(given->ids));
        return detail::new_bulk(at(world), static_cast<std::size_t>(given->count), given->ids,
                                id_count, given->data);
    });
}
kith_entity_t kith_clone(kith_world_t* world, kith_entity_t into, kith_entity_t entity,
                         bool values) {
    return guard_value<kith_entity_t>(
        0, [&] { return detail::clone_entity(at(world), entity, values, into); });
}
kith_status_t kith_delete(kith_world_t* world, kith_entity_t entity) {
    return guard([&] { detail::delete_entity(at(world), entity); });
}
kith_status_t kith_delete_with(kith_world_t* world, kith_id_t id) {
    return guard([&] { detail::delete_with(at(world), id); });
}
kith_status_t kith_remove_all(kith_world_t* world, kith_id_t id) {
    return guard([&] { detail::remove_all(at(world), id); });
}
kith_status_t kith_clear(kith_world_t* world, kith_entity_t entity) {
    return guard([&] { detail::clear_entity(at(world), entity); });
}
bool kith_is_alive(const kith_world_t* world, kith_entity_t entity) {
    return detail::is_alive(at(world), entity);
}
bool kith_is_valid(const kith_world_t* world, kith_entity_t entity) {
    return detail::is_valid(at(world), entity);
}
bool kith_exists(const kith_world_t* world, kith_entity_t entity) {
    return detail::exists(at(world), entity);
}
kith_entity_t kith_get_alive(const kith_world_t* world, kith_entity_t entity) {
    return guard_value<kith_entity_t>(0, [&] {
        check_world(world);
        return detail::get_alive(at(world), entity);
    });
}
kith_status_t kith_make_alive(kith_world_t* world, kith_entity_t entity) {
    return guard([&] { detail::make_alive(at(world), entity); });
}
// An entity is enabled if it does not have the tag Disabled.
kith_status_t kith_enable(kith_world_t* world, kith_entity_t entity, bool enabled) {
    return guard([&] {
        detail::checked_entity(entity, "kith_enable");
        (enabled ? detail::remove_id : detail::add_id)(at(world), entity, kith::Disabled);
    });
}
bool kith_is_enabled(const kith_world_t* world, kith_entity_t entity) {
    return guard_value(false, [&] { return !detail::has_id(at(world), entity, kith::Disabled); });
}
int32_t kith_count_id(const kith_world_t* world, kith_id_t id) {
    return guard_value<int32_t>(
        0, [&] { return static_cast<int32_t>(detail::count_id(at(world), id)); });
}
// Returns the number of all ids, which may be larger than `capacity`: the caller can ask again with
// a larger array.
int32_t kith_get_ids(const kith_world_t* world, kith_entity_t entity, kith_id_t* ids,
                     int32_t capacity) {
    return guard_value<int32_t>(0, [&] {
        check_count(capacity, ids, "kith_get_ids");
        return copy_ids(world, entity, ids, capacity, [](kith_id_t) { return true; });
    });
}
int32_t kith_match_ids(const kith_world_t* world, kith_entity_t entity, kith_id_t pattern,
                       kith_id_t* ids, int32_t capacity) {
    return guard_value<int32_t>(0, [&] {
        check_count(capacity, ids, "kith_match_ids");
        return copy_ids(world, entity, ids, capacity,
                        [&](kith_id_t id) { return kith::matches_id(pattern, id); });
    });
}
// All entities are checked before the first is deleted.
kith_status_t kith_delete_n(kith_world_t* world, const kith_entity_t* entities, int32_t count) {
    return guard([&] {
        check_count(count, entities, "kith_delete_n");
        check_world(world);
        for (int32_t i = 0; i < count; ++i) {
            detail::shape_of(at(world), entities[i], "kith_delete_n");  // must be alive
        }
        for (int32_t i = 0; i < count; ++i) {
            // Cleanup of one may have deleted another.
            if (detail::is_alive(at(world), entities[i])) {
                detail::delete_entity(at(world), entities[i]);
            }
        }
    });
}

// -- ids of entities

kith_status_t kith_add_id(kith_world_t* world, kith_entity_t entity, kith_id_t id) {
    return guard([&] { detail::add_id(at(world), entity, id); });
}
kith_status_t kith_remove_id(kith_world_t* world, kith_entity_t entity, kith_id_t id) {
    return guard([&] { detail::remove_id(at(world), entity, id); });
}
bool kith_has_id(const kith_world_t* world, kith_entity_t entity, kith_id_t id) {
    return guard_value(false, [&] { return entity_view(at(world), entity).has(id); });
}
bool kith_owns_id(const kith_world_t* world, kith_entity_t entity, kith_id_t id) {
    return guard_value(false, [&] { return detail::owns_id(at(world), entity, id); });
}
kith_status_t kith_override_id(kith_world_t* world, kith_entity_t entity, kith_id_t id) {
    return guard([&] { kith::entity(at(world), entity).override(id); });
}
kith_status_t kith_enable_id(kith_world_t* world, kith_entity_t entity, kith_id_t id,
                             bool enabled) {
    return guard([&] { detail::enable_id(at(world), entity, id, enabled); });
}
bool kith_is_enabled_id(const kith_world_t* world, kith_entity_t entity, kith_id_t id) {
    return guard_value(false, [&] { return detail::is_enabled(at(world), entity, id); });
}
kith_status_t kith_add_pair(kith_world_t* world, kith_entity_t entity, kith_entity_t relation,
                            kith_entity_t target) {
    return guard([&] { kith::entity(at(world), entity).add(relation, target); });
}
kith_status_t kith_remove_pair(kith_world_t* world, kith_entity_t entity, kith_entity_t relation,
                               kith_entity_t target) {
    return guard([&] { kith::entity(at(world), entity).remove(relation, target); });
}
bool kith_has_pair(const kith_world_t* world, kith_entity_t entity, kith_entity_t relation,
                   kith_entity_t target) {
    return guard_value(false, [&] { return entity_view(at(world), entity).has(relation, target); });
}
bool kith_owns_pair(const kith_world_t* world, kith_entity_t entity, kith_entity_t relation,
                    kith_entity_t target) {
    return guard_value(false,
                       [&] { return entity_view(at(world), entity).owns(relation, target); });
}
const void* kith_get_pair(const kith_world_t* world, kith_entity_t entity, kith_entity_t relation,
                          kith_entity_t target) {
    return guard_value<const void*>(
        nullptr, [&] { return entity_view(at(world), entity).get(relation, target); });
}
}
