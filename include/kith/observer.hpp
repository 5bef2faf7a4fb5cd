// Observers: callbacks for events of the entities that a query matches.
//
//   world.observer<Position>().event(kith::OnSet).each([](kith::entity e, Position& p) { … });
//
//   kith::observer watch = world.observer<Health, const Shield*>()
//                              .event(kith::OnRemove)
//                              .iter([](kith::iter& it) { … it.entity(0) … });
//   watch.destruct();
//
// An observer is an entity: destruct() ends it, and disable() keeps it from being called. Changes
// that a callback makes to the world are deferred until the operation that called it is complete.
// The compiled part is src/core/observe.
//
// Covered by tests/features/observers/.
#pragma once

#include <kith/event.hpp>
#include <kith/query.hpp>

namespace kith {

namespace detail {

// An action that owns a copy of the callback.
template <class Func>
observer_action make_action(void (*call)(void*, const observed&), Func&& func) {
    using function = std::decay_t<Func>;
    return {call, new function(std::forward<Func>(func)),
            [](void* made) noexcept { delete static_cast<function*>(made); }};
}

// Warns of inherited values that a callback of an observer may write.
template <class Func, class... Ts>
void warn_of_written(const observed& what) {
    if constexpr (written_fields<Func, Ts...>::mask != 0) {
        if (what.found->shared) [[unlikely]] {
            warn_of_inherited(what.query, *what.found, written_fields<Func, Ts...>::mask);
        }
    }
}

template <class Func, class... Ts>
void call_each(void* function, const observed& what) {
    Func& func = *static_cast<Func*>(function);
    warn_of_written<Func, Ts...>(what);
    using caller_type = row_caller<Func, Ts...>;
    if constexpr (caller_type::wants_iter) {
        kith::iter it(what);
        caller_type(func, what.world, what.query, &it).call(it.raw());
    } else if constexpr (caller_type::wants_entity) {
        caller_type caller(func, what.world, what.query, nullptr);
        if (what.found->count != 0) [[likely]] {
            caller.call(*what.found);
            return;
        }
        // All sources are fixed, so the callback receives the null entity.
        constexpr entity_t none = 0;
        result row = *what.found;
        row.entities = &none;
        row.count = 1;
        caller.call(row);
    } else {
        caller_type(func, what.world, what.query, nullptr).call(*what.found);
    }
}

template <class Func, class... Ts>
void call_single(void* function, world_t* world, entity_t entity, void* value) {
    row_caller<Func, Ts...> caller(*static_cast<Func*>(function), world, nullptr, nullptr);
    const field_data unknown{};
    [&]<std::size_t... I>(std::index_sequence<I...> indices) {
        caller.call_one(&entity, 0, &unknown, indices,
                        (static_cast<void>(I), static_cast<std::byte*>(value))...);
    }
    (std::index_sequence_for<Ts...>{});
}

// The callback of an observer's each().
template <class... Ts, class Func>
observer_action make_each_action(Func&& func) {
    using function = std::decay_t<Func>;
    if constexpr (!callback_form<function, Ts...>::is_known) {
        static_cast<void>(callback_mistake<function, Ts...>{});
        return {};
    } else {
        using caller_type = row_caller<function, Ts...>;
        observer_action made = make_action(call_each<function, Ts...>, std::forward<Func>(func));
        if constexpr (caller_type::is_about_row) {
            made.call_row = call_single<function, Ts...>;
            made.wants_value = caller_type::wants_value;
        }
        return made;
    }
}

template <class Func, class... Ts>
void call_iter(void* function, const observed& what) {
    warn_of_written<Func, Ts...>(what);
    kith::iter it(what);
    call_table<Ts...>(*static_cast<Func*>(function), it, std::index_sequence_for<Ts...>{});
}

// A function that the program runs around the callback, and the callback, which it owns.
struct run_around {
    kept_function<void(iter_t*)> action;
    observer_action inner;

    static void call(void* function, const observed& what) {
        const run_around& me = *static_cast<run_around*>(function);
        kith::iter it(what);
        it.set_inner(&me.inner);
        me.action(&it);
    }
    static void end(void* function) noexcept {
        auto* me = static_cast<run_around*>(function);
        me->inner.free_function(me->inner.function);
        delete me;
    }
};

// A function object with a state that runs around the callback of an observer.
template <class Func>
concept around_callback = !std::is_convertible_v<Func, iter_action_t> &&
                          !std::is_invocable_v<std::decay_t<Func>&, iter&> &&
                          std::is_invocable_v<std::decay_t<Func>&, iter_t*>;

// The callback of an observer of one entity; E is void where the event has no type.
template <class Func, class E>
void call_observe(void* function, const observed& what) {
    Func& func = *static_cast<Func*>(function);
    const kith::entity source(what.world, what.found->entities[0]);
    if constexpr (std::is_invocable_v<Func&>) {
        func();
    } else if constexpr (std::is_invocable_v<Func&, kith::entity>) {
        func(source);
    } else {
        auto payload = [&]() -> E& {
            void* value = checked_payload(what.world, what.event, ensure_type_id<E>());
            if (!value) {
                raise_no_payload(what.world, what.event->event);
            }
            return *static_cast<E*>(value);
        };
        if constexpr (std::is_invocable_v<Func&, E&>) {
            func(payload());
        } else if constexpr (std::is_invocable_v<Func&, kith::entity, E&>) {
            func(source, payload());
        } else {
            KITH_STATIC_ASSERT((std::is_invocable_v<Func&, kith::entity, E&>),
                               "an observer of an entity takes (), (entity), (E&) or (entity, E&)");
        }
    }
}

// The event of a callback (E&) or (entity, E&).
template <class Args>
struct observed_event;
template <class E>
struct observed_event<arg_list<E>> {
    using type = std::remove_cvref_t<E>;
};
template <class Entity, class E>
struct observed_event<arg_list<Entity, E>> {
    using type = std::remove_cvref_t<E>;
};

}  // namespace detail

// The entity of an observer.
class observer : public entity {
public:
    observer() noexcept = default;
    explicit observer(world_t* world, entity_t value) noexcept : entity(world, value) {}

    // The terms of the observer as a query. Throws if the entity is no observer, or has no terms.
    filter<> query() const {
        detail::checked_entity(id_, "query");
        return filter<>(detail::query_ref(detail::observer_query(world_, id_)));
    }
};

// Describes an observer: the terms of a query, and events. each(), iter() and run() make the
// observer with a callback.
template <class... Ts>
class observer_builder : public builder_base<observer_builder<Ts...>, filter<Ts...>, Ts...> {
    using base = builder_base<observer_builder<Ts...>, filter<Ts...>, Ts...>;

public:
    explicit observer_builder(world_t* world, text_view name = {})
        : base(world, cache_policy::none, name) {}

    // Adds an event: OnAdd, OnSet, OnRemove, UnSet, OnDelete, OnDeleteTarget, OnTableCreate,
    // OnTableDelete, Monitor, or an event of the program. Each event is reported by its own call.
    observer_builder& event(entity_t event) {
        if (event_count_ == most_events) {
            detail::raise_too_many_events(most_events);
        }
        events_[event_count_++] = detail::checked_entity(event, "event", "the event");
        return *this;
    }
    template <class E>
    observer_builder& event() {
        return event(detail::term_id<E>(this->world_));
    }
    // Existing results are reported when the observer is made.
    observer_builder& yield_existing(bool value = true) {
        yield_existing_ = value;
        return *this;
    }
    // The pointer that iter::ctx() returns; the program owns it.
    observer_builder& ctx(void* context) {
        context_ = context;
        return *this;
    }

    // Makes the observer. The callback is called for each row, in the forms of queries: (T&...),
    // (entity, T&...), (iter&, size_t, T&...).
    template <class Func>
    observer each(Func&& func) {
        return make(detail::make_each_action<Ts...>(std::forward<Func>(func)), false);
    }
    // Makes the observer. The callback is called for several rows of a table at a time: (iter&,
    // T*...) or (iter&).
    template <class Func>
    observer iter(Func&& func) {
        return make(detail::make_action(detail::call_iter<std::decay_t<Func>, Ts...>,
                                        std::forward<Func>(func)),
                    true);
    }
    template <class Func>
        requires(!std::is_convertible_v<Func, iter_action_t> && !detail::around_callback<Func>)
    observer run(Func&& func) { return iter(std::forward<Func>(func)); }
    // Sets a function that is called in place of the callback, with the raw iterator; it->call()
    // calls the callback.
    observer_builder& run(iter_action_t action) {
        run_ = action;
        return *this;
    }
    template <detail::around_callback Func>
    observer_builder& run(Func func) {
        run_ = detail::kept_function<void(iter_t*)>::of(std::move(func),
                                                        [](Func& kept, iter_t* it) { kept(it); });
        return *this;
    }
    filter<Ts...> build() const = delete;

private:
    observer make(detail::observer_action action, bool table_wise) const {
        if (run_) {
            action = {detail::run_around::call, new detail::run_around{run_, action},
                      detail::run_around::end};
        }
        detail::observer_desc desc;
        desc.terms = this->description();
        desc.events = events_;
        desc.event_count = event_count_;
        desc.context = context_;
        desc.table_wise = table_wise;
        desc.yield_existing = yield_existing_;
        return observer(this->world_, detail::make_observer(this->world_, desc, action));
    }

    static constexpr std::uint32_t most_events = 16;
    entity_t events_[most_events];
    std::uint32_t event_count_ = 0;
    bool yield_existing_ = false;
    void* context_ = nullptr;
    detail::kept_function<void(iter_t*)> run_;
};

template <class... Ts>
observer_builder<Ts...> world::observer(text_view name) const {
    return observer_builder<Ts...>(world_, name);
}
inline observer world::observer(kith::entity e) const {
    return kith::observer(world_, e);
}

// -- observers of one entity
template <class E, class Func>
entity& entity::observe(Func&& func) {
    detail::make_entity_observer(
        world_, id_, detail::term_id<E>(world_),
        detail::make_action(detail::call_observe<std::decay_t<Func>, E>, std::forward<Func>(func)));
    return *this;
}
template <class Func>
entity& entity::observe(entity_t event, Func&& func) {
    detail::make_entity_observer(world_, id_, event,
                                 detail::make_action(detail::call_observe<std::decay_t<Func>, void>,
                                                     std::forward<Func>(func)));
    return *this;
}
template <detail::value_callback Func>
entity& entity::observe(Func&& func) {
    using E = typename detail::observed_event<detail::args_of<Func>>::type;
    KITH_STATIC_ASSERT((!std::is_base_of_v<entity_view, E>),
                       "name the event: observe<E>(func(entity))");
    return observe<E>(std::forward<Func>(func));
}

}  // namespace kith
