// Bodies of the templates that follow relationships. Included at the end of world.hpp, behind
// entity_inl.hpp.
#pragma once

namespace kith {

namespace detail {

// Calls func(entity, depth) or func(entity); false if it says to stop.
template <class Func>
bool call_step(Func& func, kith::entity entity, std::int32_t depth) {
    if constexpr (std::is_invocable_v<Func&, kith::entity, std::int32_t>) {
        return call_row(func, entity, depth);
    } else {
        KITH_STATIC_ASSERT((std::is_invocable_v<Func&, kith::entity>),
                           "walk_up calls func(entity) or func(entity, depth)");
        return call_row(func, entity);
    }
}

}  // namespace detail

template <class Func>
void entity_view::each_source(detail::id_arg relation, Func&& func) const {
    KITH_STATIC_ASSERT((std::is_invocable_v<Func&, kith::entity>),
                       "each_source calls func(entity)");
    detail::shape_of(world_, id_, "each_source");  // must be alive
    detail::checked_id(relation.in(world_), "each_source", "the relationship");
    if (is_known(relation)) {
        children(relation.in(world_), func);
    }
}

inline kith::entity entity_view::target_for(detail::id_arg relation, detail::id_arg id) const {
    return kith::entity(world_,
                        detail::find_owner(world_, id_, relation.in(world_), id.in(world_)));
}
inline kith::entity entity_view::target_for(detail::id_arg relation, detail::id_arg first,
                                            detail::id_arg second) const {
    if (!is_known(first) || !is_known(second)) {
        detail::shape_of(world_, id_, "target_for");  // must be alive all the same
        return kith::entity(world_, entity_t{0});
    }
    return target_for(relation, make_pair(first.in(world_), second.in(world_)));
}
template <class T>
kith::entity entity_view::target_for(detail::id_arg relation) const {
    return target_for(relation, detail::pattern_of<T>(world_));
}
template <class First, class Second>
kith::entity entity_view::target_for(detail::id_arg relation) const {
    return target_for(relation, detail::id_of<kith::pair<First, Second>>());
}

inline traversal entity_view::traverse(detail::id_arg relation) const {
    return traversal(world_, id_, relation.in(world_));
}
template <class Rel>
traversal entity_view::traverse() const {
    return traversal(world_, id_, detail::id_of<Rel>());
}

void entity_view::walk_up(detail::id_arg relation, auto&& func, std::int32_t max_depth) const {
    const entity_t followed = relation.in(world_);
    detail::checked_entity(id_, "walk_up");
    detail::check_followed(world_, followed, "walk_up");
    entity_t at = detail::target_of(world_, id_, followed, 0);
    for (std::int32_t depth = 1; at != 0; ++depth) {
        if (depth > max_depth) {
            detail::raise_too_deep(world_, id_, followed, max_depth);
        }
        if (!detail::call_step(func, kith::entity(world_, at), depth)) {
            return;
        }
        at = detail::is_alive(world_, at) ? detail::target_of(world_, at, followed, 0) : 0;
    }
}

// The entity of a type, which is registered in the world by the call.
template <class T>
entity_t entity::type_entity() const {
    if constexpr (std::is_enum_v<T>) {
        return detail::enum_entity<T>(world_);
    } else {
        return detail::ensure_component(world_, detail::ensure_type_id<T>());
    }
}

template <detail::plain_value T>
entity& entity::set_override(T&& value) {
    if constexpr (detail::is_enum_type<T>) {
        return set(value).override(detail::constant_pair(world_, value));
    } else {
        return set(std::move(value)).template override<T>();
    }
}
template <detail::plain_value T>
entity& entity::set_override(const T& value) {
    if constexpr (detail::is_enum_type<T>) {
        return set(value).override(detail::constant_pair(world_, value));
    } else {
        return set(value).template override<T>();
    }
}
template <class T, class... Args>
entity& entity::emplace_override(Args&&... args) {
    if constexpr (detail::is_enum_type<T>) {
        const auto value = detail::base_type<T>(std::forward<Args>(args)...);
        return emplace<T>(value).override(detail::constant_pair(world_, value));
    } else {
        return emplace<T>(std::forward<Args>(args)...).template override<T>();
    }
}
template <class T>
entity& entity::override() {
    if constexpr (detail::is_pair_type<T>) {
        using pair_type = detail::base_type<T>;
        return override(type_entity<typename pair_type::first>(),
                        type_entity<typename pair_type::second>());
    } else if constexpr (detail::is_enum_type<T>) {
        // An instance gets the constant of its base at the time of instantiation.
        const id_t constant = detail::own_id_of<T>(world_, id_);
        if (!kith::is_pair(constant)) {
            detail::raise_ref(world_, id_, constant);
        }
        return override(constant);
    } else {
        return override(type_entity<T>());
    }
}

}  // namespace kith
