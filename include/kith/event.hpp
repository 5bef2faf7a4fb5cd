// Events of the program: an event concerns an entity or rows of a table, perhaps ids, and carries a
// value. Observers of the event are notified immediately, or together with the deferred changes.
//
// Covered by tests/features/events/custom_test.cpp.
#pragma once

#include <kith/query_builder.hpp>
#include <kith/world.hpp>

namespace kith {

namespace detail {

// The common part of event builders. `Me` is the builder.
template <class Me>
class event_parts {
public:
    event_parts(world_t* world, entity_t event) noexcept : world_(world) { event_.event = event; }

    // -- ids that the event is about. An event without ids notifies observers without terms, and
    // observers of the entity
    Me& id(id_t id) {
        if (event_.id_count == most_ids) {
            raise_too_many_ids(most_ids);
        }
        ids_[event_.id_count++] = checked_id(id, "id", "the id");
        return me();
    }
    Me& id(entity_t first, entity_t second) {
        return id(checked_pair(world_, first, second, "id"));
    }
    // An enum stands for the constant that each entity has.
    template <class T>
    Me& id() {
        if constexpr (is_enum_type<T>) {
            return id(pattern_of<T>(world_));
        } else {
            return id(id_t{kith::world(world_).id<T>()});
        }
    }
    template <enum_class E>
    Me& id(E constant) {
        return id(constant_pair(world_, constant));
    }
    template <class First>
    Me& id(entity_t second) {
        return id(id_t{kith::world(world_).pair<First>(second)});
    }
    template <class First, class Second>
    Me& id() {
        return id(id_t{kith::world(world_).pair<First, Second>()});
    }

    // -- the subject: an entity, or some rows of a table (count 0: all from the offset on). An
    // event without a subject notifies observers without terms.
    Me& entity(entity_t entity) {
        event_.entity = checked_entity(entity, "entity");
        return me();
    }
    Me& table(table_t* table, std::int32_t offset = 0, std::int32_t count = 0) noexcept {
        event_.table = reinterpret_cast<const table_shape*>(table);
        event_.for_rows = true;
        event_.offset = offset;
        event_.count = count;
        return me();
    }

    Me& table(const table_range& rows) noexcept { return table(rows, rows.offset(), rows.count()); }

    // Notifies the observers immediately.
    void emit() { emit_event(world_, finished()); }
    // Notifies the observers together with the deferred changes, in their order; immediately if the
    // world is not deferred.
    void enqueue() { enqueue_event(world_, finished()); }

protected:
    const emission& finished() noexcept {
        event_.ids = ids_;
        return event_;
    }

    static constexpr std::uint32_t most_ids = 16;
    world_t* world_;
    emission event_;
    id_t ids_[most_ids];

private:
    Me& me() noexcept { return static_cast<Me&>(*this); }
};

}  // namespace detail

// An event that is an entity.
class event_builder : public detail::event_parts<event_builder> {
public:
    using detail::event_parts<event_builder>::event_parts;

    // A payload, which must live until emit() returns. enqueue() copies or moves it.
    template <class E>
    event_builder& ctx(E* payload) noexcept {
        event_.payload = {const_cast<std::remove_const_t<E>*>(payload),
                          detail::ensure_type_id<std::remove_const_t<E>>()};
        return *this;
    }
    // A payload of an unknown type; enqueue() keeps the pointer.
    event_builder& ctx(void* payload) noexcept {
        event_.payload = {payload, 0};
        return *this;
    }
};

// An event that is a type; its payload is a value of it.
template <class E>
class event_builder_typed : public detail::event_parts<event_builder_typed<E>> {
    using base = detail::event_parts<event_builder_typed<E>>;

public:
    explicit event_builder_typed(world_t* world) : base(world, detail::term_id<E>(world)) {
        detail::check_value_type<E>();
    }
    event_builder_typed(const event_builder_typed&) = delete;
    event_builder_typed& operator=(const event_builder_typed&) = delete;
    ~event_builder_typed() { end(); }

    event_builder_typed& ctx(const E& payload) { return keep(payload); }
    event_builder_typed& ctx(E&& payload) { return keep(std::move(payload)); }
    // A payload of the program, which must live until emit() returns.
    event_builder_typed& ctx(E* payload) noexcept {
        end();
        this->event_.payload = {payload, detail::ensure_type_id<E>()};
        this->event_.may_move = false;
        return *this;
    }

private:
    template <class Value>
    event_builder_typed& keep(Value&& payload) {
        end();
        E* made = ::new (static_cast<void*>(kept_)) E(std::forward<Value>(payload));
        has_kept_ = true;
        this->event_.payload = {made, detail::ensure_type_id<E>()};
        this->event_.may_move = true;
        return *this;
    }
    void end() noexcept {
        if (has_kept_) {
            static_cast<E*>(this->event_.payload.value)->~E();
            has_kept_ = false;
        }
    }

    alignas(E) std::byte kept_[sizeof(E)];
    bool has_kept_ = false;
};

inline event_builder world::event(entity_t event) const {
    return event_builder(world_, event);
}
template <class E>
event_builder_typed<E> world::event() const {
    return event_builder_typed<E>(world_);
}

// -- events of one entity
inline void entity_view::emit(kith::entity event) const {
    event_builder(world_, event).entity(detail::checked_entity(id_, "emit")).emit();
}
inline void entity_view::enqueue(kith::entity event) const {
    event_builder(world_, event).entity(detail::checked_entity(id_, "enqueue")).enqueue();
}
template <class E>
void entity_view::emit() const {
    E payload{};
    event_builder_typed<E>(world_)
        .entity(detail::checked_entity(id_, "emit"))
        .ctx(detail::address_of(payload))
        .emit();
}
template <class E>
    requires(!std::is_convertible_v<E, entity_t>)
void entity_view::emit(const E& payload) const {
    event_builder_typed<E>(world_)
        .entity(detail::checked_entity(id_, "emit"))
        .ctx(const_cast<E*>(detail::address_of(payload)))
        .emit();
}
template <class E>
void entity_view::enqueue() const {
    event_builder_typed<E>(world_)
        .entity(detail::checked_entity(id_, "enqueue"))
        .ctx(E{})
        .enqueue();
}
template <class E>
    requires(!std::is_convertible_v<E, entity_t>)
void entity_view::enqueue(E&& payload) const {
    event_builder_typed<std::remove_cvref_t<E>>(world_)
        .entity(detail::checked_entity(id_, "enqueue"))
        .ctx(std::forward<E>(payload))
        .enqueue();
}

// -- events of no entity
inline void world::emit(kith::entity event) const {
    event_builder(world_, event).emit();
}
inline void world::enqueue(kith::entity event) const {
    event_builder(world_, event).enqueue();
}
template <class E>
void world::emit() const {
    E payload{};
    event_builder_typed<E>(world_).ctx(detail::address_of(payload)).emit();
}
template <class E>
    requires(!std::is_convertible_v<E, entity_t>)
void world::emit(const E& payload) const {
    event_builder_typed<E>(world_).ctx(const_cast<E*>(detail::address_of(payload))).emit();
}
template <class E>
void world::enqueue() const {
    event_builder_typed<E>(world_).ctx(E{}).enqueue();
}
template <class E>
    requires(!std::is_convertible_v<E, entity_t>)
void world::enqueue(E&& payload) const {
    event_builder_typed<std::remove_cvref_t<E>>(world_).ctx(std::forward<E>(payload)).enqueue();
}

}  // namespace kith
