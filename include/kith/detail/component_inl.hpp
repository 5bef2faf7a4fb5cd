// Bodies of component<T>: registration of hooks, for each accepted form of callback. Included by
// entity_inl.hpp.
#pragma once

namespace kith {

namespace detail {

template <class T, class Func>
inline constexpr bool is_value_hook =
    std::is_invocable_v<Func&, iter&, T*> || std::is_invocable_v<Func&, kith::entity, T&> ||
    std::is_invocable_v<Func&, T&>;

// Calls a hook in the form that it takes: (T&), (entity, T&) or (iter&, T*).
template <class T, class Func>
void call_hook_with(const hook_event& event, Func& func, T& value) {
    if constexpr (std::is_invocable_v<Func&, iter&, T*>) {
        const event_info about{event.event, event.id};
        iter it(event.world, &event.entity, 1, about);
        func(it, address_of(value));
    } else if constexpr (std::is_invocable_v<Func&, kith::entity, T&>) {
        func(kith::entity(event.world, event.entity), value);
    } else if constexpr (std::is_invocable_v<Func&, T&>) {
        func(value);
    } else if constexpr (std::is_invocable_v<Func&, kith::entity>) {
        func(kith::entity(event.world, event.entity));
    } else {
        KITH_STATIC_ASSERT((std::is_invocable_v<Func&, kith::entity>),
                           "a hook takes (T&), (entity, T&), (iter&, T*) or, for tags, (entity)");
    }
}

// The hook runs for entities that have a constant. Constants themselves have the value as a
// component, and are left out.
template <class E, class Func>
void call_enum_hook(const hook_event& event, Func& func) {
    if (!is_pair(event.id)) {
        return;
    }
    const E before = constant_value<E>(event.world, event.id);
    E value = before;
    call_hook_with(event, func, value);
    if (value != before && event.event != OnRemove) {
        set_constant(event.world, event.entity, value);
    }
}

// A hook that takes the value is not called for pairs that have none: those of a relationship that
// is a tag.
template <class T, class Func>
void call_hook(const hook_event& event, void* context) {
    Func& func = *static_cast<Func*>(context);
    if constexpr (std::is_empty_v<T>) {
        T tag{};
        call_hook_with(event, func, tag);
    } else if constexpr (std::is_enum_v<T>) {
        call_enum_hook<T>(event, func);
    } else if constexpr (is_value_hook<T, Func>) {
        if (event.value) {
            call_hook_with(event, func, *static_cast<T*>(event.value));
        }
    } else if constexpr (std::is_invocable_v<Func&, kith::entity>) {
        func(kith::entity(event.world, event.entity));
    } else {
        KITH_STATIC_ASSERT((std::is_invocable_v<Func&, kith::entity>),
                           "a hook takes (T&), (entity, T&), (iter&, T*) or, for tags, (entity)");
    }
}

// Calls a validating hook. A hook that takes a value is not called for pairs without a value.
template <class T, class Func>
void call_validator_with(const hook_event& event, Func& func, T* value) {
    const kith::entity holder(event.world, event.entity);
    const kith::entity target(
        event.world, is_pair(event.id) ? get_alive(event.world, pair_second(event.id)) : 0);
    if constexpr (std::is_invocable_v<Func&, kith::entity, kith::entity, T&>) {
        if (value) {
            func(holder, target, *value);
        }
    } else if constexpr (std::is_invocable_v<Func&, kith::entity, T&>) {
        if (value) {
            func(holder, *value);
        }
    } else if constexpr (std::is_invocable_v<Func&, T&>) {
        if (value) {
            func(*value);
        }
    } else if constexpr (std::is_invocable_v<Func&, kith::entity, kith::entity>) {
        func(holder, target);
    } else {
        KITH_STATIC_ASSERT((std::is_invocable_v<Func&, kith::entity>),
                           "a validating hook takes (T&), (entity, T&), (entity, entity target, "
                           "T&) or, without a value, (entity), (entity, entity target)");
        func(holder);
    }
}

template <class T, class Func>
void call_validator(const hook_event& event, void* context) {
    Func& func = *static_cast<Func*>(context);
    if constexpr (!std::is_enum_v<T>) {
        call_validator_with(event, func, static_cast<T*>(event.value));
    } else if (is_pair(event.id)) {
        // The value of the event is the pair that the entity is to have.
        const T before = constant_value<T>(event.world, event.id);
        T value = before;
        call_validator_with(event, func, address_of(value));
        if (value != before) {
            *static_cast<id_t*>(event.value) = constant_pair(event.world, value);
        }
    }
}

}  // namespace detail

template <class T>
template <class Func>
component<T>& component<T>::on_validate(Func&& func) {
    using function = std::decay_t<Func>;
    detail::set_validator(
        world_, id_,
        {detail::call_validator<T, function>, new function(std::forward<Func>(func)),
         [](void* context) noexcept { delete static_cast<function*>(context); }});
    return *this;
}

template <class T>
template <class Func>
component<T>& component<T>::hook_typed(entity_t event, Func&& func) {
    using function = std::decay_t<Func>;
    detail::set_hook(world_, id_, event,
                     {detail::call_hook<T, function>, new function(std::forward<Func>(func)),
                      [](void* context) noexcept { delete static_cast<function*>(context); }});
    return *this;
}

}  // namespace kith
