// Bodies of the templates of kith::world. Included at the end of world.hpp, behind entity_inl.hpp.
#pragma once

namespace kith {

namespace detail {

// The list of component ids for world.entity(values...), made once per list of types.
template <class... Ts>
KITH_ONE_PER_FILE const bundle& bundle_of() {
    static const id_t ids[] = {ensure_type_id<Ts>()...};
    static const bundle list{next_bundle_slot(), sizeof...(Ts), ids};
    return list;
}

// True for callbacks that take mutable references only, and for callbacks of unknown parameters.
template <class Func, class Value>
constexpr bool may_write() {
    if constexpr (callback<Func>) {
        return !std::is_invocable_v<Func&, const Value&> &&
               !std::is_invocable_v<Func&, kith::entity, const Value&>;
    } else {
        return true;
    }
}

// Defers the world until finish() or the destructor.
class defer_guard {
public:
    explicit defer_guard(world_t* world) : world_(world) { defer_begin(world); }
    // Ends deferring after an exception. The commands run; their errors are dropped in favour of
    // the exception.
    ~defer_guard() {
        if (world_) {
            defer_abandon(world_);
        }
    }
    defer_guard(const defer_guard&) = delete;
    defer_guard& operator=(const defer_guard&) = delete;
    void finish() { defer_end(detail::exchange(world_, nullptr)); }

private:
    world_t* world_;
};

// Calls func(T&) or func(entity, T&) for all values of a component, until it returns false.
template <class T, class Func>
void each_value(world_t* world, Func& func) {
    using value_type = value_of<T>;
    id_cursor cursor(world, id_of<T>(), false, may_write<Func, value_type>());
    for (batch rows; cursor.next(rows);) {
        value_type* values = static_cast<value_type*>(rows.values);
        for (std::uint32_t i = 0; i < rows.count; ++i) {
            bool goes_on = true;
            if constexpr (std::is_invocable_v<Func&, kith::entity, value_type&>) {
                goes_on = call_row(func, kith::entity(world, rows.entities[i]), values[i]);
            } else {
                goes_on = call_row(func, values[i]);
            }
            if (!goes_on) {
                return;
            }
        }
    }
}

// Calls func(entity) for all entities with the id, until it returns false.
void each_entity(world_t* world, id_t id, auto& func) {
    id_cursor cursor(world, id, false);
    for (batch rows; cursor.next(rows);) {
        for (std::uint32_t i = 0; i < rows.count; ++i) {
            if (!call_row(func, kith::entity(world, rows.entities[i]))) {
                return;
            }
        }
    }
}

// The description of a column of bulk creation.
template <class T>
bulk_column bulk_column_of([[maybe_unused]] world_t* world, const T* values) {
    if constexpr (std::is_enum_v<T>) {
        return {enum_entity<T>(world), values, &enum_desc_of<T>(),
                [](const void* all, std::size_t row) {
                    return static_cast<std::int64_t>(static_cast<const T*>(all)[row]);
                }};
    } else {
        return {id_of<T>(), values};
    }
}

// The component of a callback (T&) or (entity, T&).
template <class Args>
struct each_component;
template <class T>
struct each_component<arg_list<T>> {
    using type = std::remove_cvref_t<T>;
};
template <class E, class T>
struct each_component<arg_list<E, T>> {
    using type = std::remove_cvref_t<T>;
};

}  // namespace detail

template <class T>
kith::entity world::entity(text_view name) const {
    if constexpr (std::is_enum_v<T>) {
        return kith::entity(world_, detail::enum_entity<T>(world_));
    } else {
        return kith::entity(world_,
                            detail::declare_component(world_, detail::ensure_type_id<T>(), name));
    }
}

template <class First, class... Rest>
    requires(detail::new_value<First> && (detail::new_value<Rest> && ...))
kith::entity world::entity(First&& first, Rest&&... rest)
const {
    const detail::value_source values[] = {detail::source_of(std::forward<First>(first)),
                                           detail::source_of(std::forward<Rest>(rest))...};
    return kith::entity(
        world_,
        detail::new_with_values(
            world_, detail::bundle_of<std::remove_cvref_t<First>, std::remove_cvref_t<Rest>...>(),
            values));
}

template <class... Ts>
entity_span world::bulk(std::size_t count, const Ts*... columns) const {
    (detail::check_value_type<Ts>(), ...);
    if constexpr ((detail::is_enum_type<Ts> || ...)) {
        const detail::bulk_column parts[] = {detail::bulk_column_of(world_, columns)...};
        return {detail::new_bulk_with_enums(world_, count, parts, sizeof...(Ts)), count};
    } else {
        const id_t ids[] = {detail::id_of<Ts>()..., 0};
        const void* const arrays[] = {columns..., nullptr};
        return bulk(count, ids, sizeof...(Ts), arrays);
    }
}

template <class T>
kith::id world::id() const {
    if constexpr (detail::is_pair_type<T>) {
        using pair_type = detail::base_type<T>;
        return pair<typename pair_type::first, typename pair_type::second>();
    } else {
        return kith::id(world_, type_entity<detail::base_type<T>>());
    }
}

// The description is checked before the type is registered, so that an error changes nothing.
template <class R>
kith::component<R> world::relation(const relation_desc& desc) const {
    detail::check_relation(world_, desc);
    kith::component<R> declared(world_);
    detail::declare_relation(world_, declared, desc);
    return declared;
}
inline kith::entity world::relation(entity_t entity, const relation_desc& desc) const {
    detail::declare_relation(world_, detail::checked_entity(entity, "relation"), desc);
    return kith::entity(world_, entity);
}
inline kith::entity world::relation(text_view name, const relation_desc& desc) const {
    detail::check_relation(world_, desc);  // before anything is made
    return relation(kith::entity(world_, name), desc);
}
inline kith::entity world::relation(const relation_desc& desc) const {
    detail::check_relation(world_, desc);  // before anything is made
    return relation(kith::entity(world_), desc);
}

template <class M>
kith::entity world::import() const {
    KITH_STATIC_ASSERT((std::is_constructible_v<M, kith::world&>),
                       "a module is made from the world: it needs a constructor M(kith::world&)");
    auto construct = [](world_t* raw) {
        kith::world w(raw);
        if constexpr (std::is_empty_v<M>) {
            M made(w);
            static_cast<void>(made);
        } else {
            // The module is constructed outside of the world: its constructor moves values.
            w.set(M(w));
        }
    };
    return kith::entity(world_,
                        detail::import_module(world_, detail::ensure_type_id<M>(), construct));
}

template <class T>
kith::entity world::use(text_view alias) const {
    kith::entity e(world_, type_entity<T>());
    use(e, alias);
    return e;
}
inline kith::entity world::use(text_view name, text_view alias) const {
    kith::entity e = lookup(name);
    if (!e) {
        detail::raise_unknown_name(name);
    }
    use(e, alias);
    return e;
}
inline void world::use(kith::entity e, text_view alias) const {
    detail::checked_entity(e, "use");
    detail::set_alias(world_, e, alias.size != 0 ? alias : text_view(e.name()));
}

void world::scope(id_t parent, auto&& func) const {
    detail::scope_guard guard(world_, parent);
    func();
}
inline scoped_world world::scope(id_t parent) const {
    return scoped_world(world_, parent);
}
template <class T>
scoped_world world::scope() const {
    return scoped_world(world_, type_entity<T>());
}
inline scoped_world world::scope(text_view name) const {
    return scoped_world(world_, kith::entity(world_, name));
}

void world::with(id_t id, auto&& func) const {
    detail::with_guard guard(world_, id);
    func();
}

template <detail::writing_callback Func>
void world::set(Func&& func) const {
    using T = typename detail::each_component<detail::args_of<Func>>::type;
    singleton<T>().set(func);
}
template <detail::value_callback Func>
bool world::get(Func&& func) const {
    using T = typename detail::each_component<detail::args_of<Func>>::type;
    return singleton<T>().get(func);
}

template <class T>
std::int32_t world::count() const {
    return count(pattern<T>());
}

void world::each(id_t id, auto&& func) const {
    detail::each_entity(world_, id, func);
}

void world::defer(auto&& func) const {
    detail::defer_guard guard(world_);
    func();
    guard.finish();
}

}  // namespace kith
