// A reference to a component of one entity. It remembers the place of the value and finds it again
// when the entity or its table has moved.
#pragma once

#include <kith/enum.hpp>

namespace kith {

namespace detail {

// Untyped part of ref. Remembers where the value was found; a compare or two tell whether it is
// still there. Covered by tests/features/components/ref_test.cpp.
class ref_base {
public:
    ref_base() noexcept = default;
    ref_base(world_t* world, entity_t entity, id_t id) noexcept
        : world_(world), entity_(entity), id_(id) {}

protected:
    // Null if the entity is dead or lacks the component.
    template <class T>
    KITH_ALWAYS_INLINE T* find() {
        // The epoch is compared before the record is read: the world of the record may have ended.
        if (world_->store->table_epoch == epoch_ && record_->table == table_ &&
            (record_->state & record_identity) == generation_) [[likely]] {
            const table_rows& rows = world_->store->rows[table_];
            return reinterpret_cast<T*>(rows.block + std::size_t{offset_} * rows.capacity) +
                   record_->row;
        }
        return static_cast<T*>(find_slow(known_type_id<T>()));
    }
    // Finds the value and remembers its place, unless it is in a sparse store.
    void* find_slow(std::uint32_t type);

    world_t* world_ = &no_world;
    entity_t entity_ = 0;
    id_t id_ = 0;
    // Until a place is known: a record that is never where the reference looks.
    static constexpr entity_record nowhere{0, 0, 0};
    const entity_record* record_ = &nowhere;
    std::uint32_t generation_ = record_free;
    std::uint32_t table_ = 0;
    std::uint32_t epoch_ = 0;
    std::uint32_t offset_ = 0;
};

}  // namespace detail

template <class T>
class ref : private detail::ref_base {
public:
    ref() noexcept = default;
    ref(world_t* world, entity_t entity, id_t id) noexcept : ref_base(world, entity, id) {}

    // Throws kith::error if the component is gone.
    T* operator->() { return get(); }
    T& operator*() { return *get(); }
    T* get() {
        T* value = try_get();
        if (!value) [[unlikely]] {
            detail::raise_ref(world_, entity_, id_);
        }
        return value;
    }
    // Null if the component is gone.
    T* try_get() { return find<T>(); }
    bool has() { return try_get() != nullptr; }
    explicit operator bool() { return has(); }

    kith::entity entity() const;
};

// Of an enum component: the value is that of the constant, and an assignment replaces that.
template <class E>
    requires(std::is_enum_v<E>)
class ref<E> {
public:
    ref() noexcept = default;
    ref(world_t* world, entity_t entity, id_t) noexcept : world_(world), entity_(entity) {}

    enum_value<E> operator*() const { return get(); }
    enum_value<E> get() const {
        if (!try_get()) [[unlikely]] {
            detail::raise_ref(world_, entity_, detail::ensure_type_id<E>());
        }
        return enum_value<E>(world_, entity_);
    }
    const E* try_get() const {
        return detail::is_alive(world_, entity_) ? detail::find_constant<E>(world_, entity_)
                                                 : nullptr;
    }
    bool has() const { return try_get() != nullptr; }
    explicit operator bool() const { return has(); }

    template <class Entity = kith::entity>
    Entity entity() const {
        return Entity(world_, entity_);
    }

private:
    world_t* world_ = &detail::no_world;
    entity_t entity_ = 0;
};

}  // namespace kith
