// Inlined access to the values of components: the paths that a program takes for every value.
// Values that lie in the table of their entity are found here, other cases take the compiled path.
// Included by entity_inl.hpp, after all handles are declared.
#pragma once

namespace kith::detail {

// The place of a component in the entity's table.
struct plain_place {
    const entity_record* record;
    const table_shape* shape;
    std::uint32_t position;  // of the component in the shape
};

// The value of a component that the entity's table holds, or null: then the slow path decides. Type
// 0 (not registered yet) is in no table.
template <class T>
KITH_ALWAYS_INLINE T* find_plain_value(const world_t* world, entity_t entity, std::uint32_t type,
                                       plain_place& place) {
    const store_head& store = *world->store;
    place.record = find_record(store, entity);
    if (!place.record || is_checked(world)) [[unlikely]] {
        return nullptr;
    }
    place.shape = store.shapes[place.record->table];
    if (type >= place.shape->low_count) [[unlikely]] {
        return nullptr;
    }
    const std::uint32_t number = place.shape->low()[type];
    if (number == 0) [[unlikely]] {
        return nullptr;
    }
    place.position = number - 1;
    const table_rows& rows = store.rows[place.record->table];
    std::byte* values =
        rows.block + std::size_t{place.shape->slots[place.position].offset} * rows.capacity;
    return reinterpret_cast<T*>(values) + place.record->row;
}

// True if the entity's table has the id. False if it lacks it; -1: the slow path decides.
KITH_ALWAYS_INLINE int find_in_table(const world_t* world, entity_t entity, id_t id) {
    const store_head& store = *world->store;
    const entity_record* record = find_record(store, entity);
    if (!record || is_checked(world)) [[unlikely]] {
        return -1;
    }
    const table_shape& shape = *store.shapes[record->table];
    std::int32_t position = -1;
    if (id < low_id_limit) {
        position = find_low(shape, static_cast<std::uint32_t>(id));
    } else if (shape.flags & shape_wide) [[unlikely]] {
        return -1;
    } else {
        position = find_exact(shape, id);
    }
    if (position >= 0) {
        return 1;
    }
    // The id may be inherited, or sparse.
    std::uint32_t sparse = is_pair(id) ? record_any_sparse | record_has_parent : record_any_sparse;
    return record->state & sparse || shape.flags & shape_has_base || is_wildcard(id) ? -1 : 0;
}

// True if the handle names the entity that is alive at its index, and not an earlier one. Requires:
// the index is alive, as for elements of a table's pairs.
KITH_ALWAYS_INLINE bool is_current(const world_t* world, entity_t element) noexcept {
    std::uint32_t index = index_of(element);
    if (index < first_entity) {
        return true;
    }
    const entity_record& record =
        world->store->pages[index >> record_page_bits][index & (record_page_size - 1)];
    return static_cast<std::uint16_t>(record.state) == generation_of(element);
}

// The first target of a relationship, if the entity's table has a pair of it. False: the slow path
// decides.
KITH_ALWAYS_INLINE bool find_first_target(const world_t* world, entity_t entity, entity_t relation,
                                          entity_t& target) {
    const store_head& store = *world->store;
    const entity_record* record = find_record(store, entity);
    if (!record || is_checked(world)) [[unlikely]] {
        return false;
    }
    const table_shape& shape = *store.shapes[record->table];
    constexpr std::uint32_t sparse = record_any_sparse | record_has_parent;
    if (shape.flags & (shape_wide | shape_has_base) || record->state & sparse) [[unlikely]] {
        return false;
    }
    std::int32_t position = find_first_pair(shape, relation);
    if (position < 0 || !is_current(world, relation)) {
        target = 0;
        return true;
    }
    std::uint32_t index = pair_second(shape.ids[position]);
    const entity_record& found =
        store.pages[index >> record_page_bits][index & (record_page_size - 1)];
    target = make_entity_id(index, static_cast<std::uint16_t>(found.state));
    return true;
}

// Assigns where the type can, else destroys and constructs.
template <class T, class V>
KITH_ALWAYS_INLINE void assign_value(T& slot, V&& value) {
    if constexpr (std::is_assignable_v<T&, V&&>) {
        slot = std::forward<V>(value);
    } else {
        // Made aside: if the constructor throws, the old value stays. Moving does not throw.
        T made(std::forward<V>(value));
        slot.~T();
        ::new (static_cast<void*>(address_of(slot))) T(std::move(made));
    }
}

template <class T>
value_source move_source(T& value) noexcept {
    if constexpr (std::is_trivially_copyable_v<T>) {
        return {address_of(value), nullptr, nullptr};
    } else {
        value_source source{
            address_of(value),
            [](void* to, void* from) { ::new (to) T(std::move(*static_cast<T*>(from))); }, nullptr};
        if constexpr (std::is_move_assignable_v<T>) {
            source.assign = [](void* to, void* from) {
                *static_cast<T*>(to) = std::move(*static_cast<T*>(from));
            };
        }
        return source;
    }
}

template <class T>
value_source copy_source(const T& value) noexcept {
    KITH_STATIC_ASSERT(std::is_copy_constructible_v<T>,
                       "this type cannot be copied: move the value");
    void* context = const_cast<T*>(address_of(value));
    if constexpr (std::is_trivially_copyable_v<T>) {
        return {context, nullptr, nullptr};
    } else {
        value_source source{
            context, [](void* to, void* from) { ::new (to) T(*static_cast<const T*>(from)); },
            nullptr};
        if constexpr (std::is_copy_assignable_v<T>) {
            source.assign = [](void* to, void* from) {
                *static_cast<T*>(to) = *static_cast<const T*>(from);
            };
        }
        return source;
    }
}

template <class V>
value_source source_of(V&& value) noexcept {
    if constexpr (std::is_lvalue_reference_v<V>) {
        return copy_source<std::remove_cvref_t<V>>(value);
    } else {
        return move_source<V>(value);
    }
}

// Sets a component. A value that the entity's table holds is assigned in place, if the world is not
// deferred; other cases take the compiled path.
template <class T, class V>
KITH_ALWAYS_INLINE void set_component(world_t* world, entity_t entity, V&& value) {
    check_value_type<T>();
    KITH_STATIC_ASSERT(!std::is_empty_v<T>,
                       "an empty type is a tag: add it, it has no value to set");
    KITH_STATIC_ASSERT(
        (std::is_constructible_v<T, V&&> || std::is_move_constructible_v<T> == false),
        "this type cannot be copied: move the value");
    KITH_STATIC_ASSERT((std::is_constructible_v<T, V&&>),
                       "values of this type can be neither moved nor copied here: emplace them");
    std::uint32_t type = known_type_id<T>();
    if (!(world->mode & mode_deferred)) [[likely]] {
        plain_place place;
        if (T* slot = find_plain_value<T>(world, entity, type, place)) [[likely]] {
            if (!(place.shape->flags & shape_notify_set)) [[likely]] {
                assign_value(*slot, std::forward<V>(value));
                return;
            }
            if (!(place.shape->flags & shape_validated)) {
                assign_value(*slot, std::forward<V>(value));
                if constexpr (std::is_trivially_assignable_v<T&, V&&>) {
                    notify_assigned(world, entity, *place.record, *place.shape, place.position,
                                    slot);
                } else {
                    notify_set(world, entity, type);
                }
                return;
            }
        }
    }
    type = ensure_type_id<T>();
    set_value(world, entity, type, type, source_of(std::forward<V>(value)));
}

// Sets the value of a pair.
template <class T, class V>
void set_pair_value(world_t* world, entity_t entity, id_t id, V&& value) {
    check_value_type<T>();
    KITH_STATIC_ASSERT(!std::is_empty_v<T>, "this pair is a tag: add it, it has no value to set");
    set_value(world, entity, id, ensure_type_id<T>(), source_of(std::forward<V>(value)));
}

// Constructs a value in place.
template <class T, class... Args>
void emplace_value_of(world_t* world, entity_t entity, id_t id, Args&&... args) {
    check_value_type<T>();
    KITH_STATIC_ASSERT(!std::is_empty_v<T>, "an empty type is a tag: add it, it has no value");
    auto construct = [&](void* value) {
        if constexpr (std::is_constructible_v<T, Args&&...>) {
            ::new (value) T(std::forward<Args>(args)...);
        } else {
            ::new (value) T{std::forward<Args>(args)...};
        }
    };
    using function = decltype(construct);
    value_source source{
        &construct, [](void* value, void* context) { (*static_cast<function*>(context))(value); },
        nullptr};
    emplace_value(world, entity, id, ensure_type_id<T>(), source);
}

}  // namespace kith::detail
