// The calls by which a program describes a component in a world: bodies of the functions of
// component<T>, untyped_component and world. Included by <kith/reflect.hpp>.
//
// Covered by tests/features/values/explicit_test.cpp.
#pragma once

namespace kith {

namespace detail {

// The id of a member's type; texts by pointer have one of their own.
template <class M>
std::uint32_t member_type_id() {
    if constexpr (std::is_same_v<M, const char*> || std::is_same_v<M, char*>) {
        return ensure_type_id<pointer_text_tag>();
    } else {
        return ensure_type_id<std::remove_cv_t<std::remove_all_extents_t<M>>>();
    }
}

// The offset in memory that holds no T: only addresses are used.
template <class T, class M, class C>
std::size_t offset_of_member(M C::*pointer) {
    alignas(T) char memory[sizeof(T)];
    const T& whole = *reinterpret_cast<const T*>(memory);
    return static_cast<std::size_t>(
        reinterpret_cast<const volatile char*>(__builtin_addressof(whole.*pointer)) - memory);
}

}  // namespace detail

template <class T>
template <class M, class C>
    requires(!std::is_function_v<M>)
component<T>
&component<T>::member(const char* name, M C::*pointer) {
    detail::add_member(world_, id_,
                       {detail::member_type_id<std::remove_all_extents_t<M>>(), name,
                        static_cast<std::int32_t>(sizeof(M) / sizeof(std::remove_all_extents_t<M>)),
                        detail::offset_of_member<T>(pointer), true, std::is_const_v<M>});
    return *this;
}
template <class T>
template <class Get, class Set>
    requires detail::member_getter<T, Get> component<T>
&component<T>::member(const char* name, Get get, Set set) {
    detail::add_function_member(world_, id_,
                                detail::member_functions<T, Get, Set>::make(name, get, set));
    return *this;
}
template <class T>
template <class Get>
    requires detail::member_getter<T, Get> component<T>
&component<T>::member(const char* name, Get get) {
    return member(name, get, nullptr);
}
template <class T>
template <class B>
component<T>& component<T>::base() {
    static_assert(std::is_base_of_v<B, T>, "base<B>() needs a base of the component");
    const T& whole = detail::sample<T>.value;
    detail::add_base(world_, id_, describe<B>(),
                     detail::offset_in(whole, static_cast<const B&>(whole)));
    return *this;
}
template <class T>
template <class M, class C>
component<T>& component<T>::ignore(M C::*pointer) {
    detail::ignore_member(world_, id_, describe<T>(), detail::offset_of_member<T>(pointer));
    return *this;
}

namespace detail {

// Calls of component<T> and of untyped components share these functions.
template <class Self>
Self& describe_by(description_calls<Self>& calls, auto&& call) {
    Self& self = static_cast<Self&>(calls);
    call(self.c_world(), self.id());
    return self;
}
template <class Self>
Self& set_member_attribute(description_calls<Self>& calls, attribute what, double a = 0,
                           double b = 0, const char* text = nullptr) {
    return describe_by(calls, [&](world_t* world, entity_t component) {
        set_attribute(world, component, what, a, b, text);
    });
}
template <class Self>
Self& description_calls<Self>::member(entity_t type, const char* name, std::int32_t count,
                                      std::size_t offset) {
    return describe_by(*this, [&](world_t* world, entity_t component) {
        add_member(world, component, {type, name, count, offset, offset != 0});
    });
}
template <class Self>
template <class M>
Self& description_calls<Self>::member(const char* name, std::int32_t count, std::size_t offset) {
    return member(member_type_id<M>(), name, count, offset);
}
template <class Self>
Self& description_calls<Self>::member(entity_t type, entity_t unit, const char* name,
                                      std::int32_t count, std::size_t offset) {
    member(type, name, count, offset);
    return this->unit(unit);
}
template <class Self>
template <class M>
Self& description_calls<Self>::member(entity_t unit, const char* name, std::int32_t count,
                                      std::size_t offset) {
    return member(member_type_id<M>(), unit, name, count, offset);
}
template <class Self>
template <class M, class U>
Self& description_calls<Self>::member(const char* name, std::int32_t count, std::size_t offset) {
    world_t* world = static_cast<Self&>(*this).c_world();
    return member<M>(kith::world(world).template entity<U>(), name, count, offset);
}
template <class Self>
Self& description_calls<Self>::constant(const char* name, std::int64_t value) {
    return describe_by(*this, [&](world_t* world, entity_t component) {
        add_constant(world, component, name, value, false);
    });
}
template <class Self>
Self& description_calls<Self>::bit(const char* name, std::uint64_t value) {
    return describe_by(*this, [&](world_t* world, entity_t component) {
        add_constant(world, component, name, static_cast<std::int64_t>(value), true);
    });
}
template <class Self>
Self& description_calls<Self>::range(double min, double max) {
    return set_member_attribute(*this, attribute::range, min, max);
}
template <class Self>
Self& description_calls<Self>::warning_range(double min, double max) {
    return set_member_attribute(*this, attribute::warning_range, min, max);
}
template <class Self>
Self& description_calls<Self>::error_range(double min, double max) {
    return set_member_attribute(*this, attribute::error_range, min, max);
}
template <class Self>
Self& description_calls<Self>::step(double width) {
    return set_member_attribute(*this, attribute::step, width);
}
template <class Self>
Self& description_calls<Self>::unit(const char* symbol) {
    return set_member_attribute(*this, attribute::unit_symbol, 0, 0, symbol);
}
template <class Self>
Self& description_calls<Self>::unit(entity_t unit) {
    return describe_by(*this, [&](world_t* world, entity_t component) {
        set_member_unit(world, component, unit);
    });
}
template <class Self>
Self& description_calls<Self>::on_delete_target(entity_t policy) {
    return describe_by(*this, [&](world_t* world, entity_t component) {
        set_handle_policy(world, component, policy);
    });
}
template <class Self>
Self& description_calls<Self>::doc(const char* text) {
    return set_member_attribute(*this, attribute::doc, 0, 0, text);
}
template <class Self>
Self& description_calls<Self>::was(const char* former_name) {
    return set_member_attribute(*this, attribute::was, 0, 0, former_name);
}
template <class Self>
Self& description_calls<Self>::hidden() {
    return set_member_attribute(*this, attribute::hidden);
}
template <class Self>
Self& description_calls<Self>::read_only() {
    return set_member_attribute(*this, attribute::read_only);
}
template <class Self>
Self& description_calls<Self>::on(const char* member) {
    return describe_by(*this, [&](world_t* world, entity_t component) {
        select_member(world, component, member);
    });
}
template <class Self>
entity description_calls<Self>::member_entity(const char* member) {
    Self& self = static_cast<Self&>(*this);
    return entity(self.c_world(), ensure_member_entity(self.c_world(), self.id(), member));
}

}  // namespace detail

// The letters of `form` are those of detail::compose_type().
inline entity world::compose(char form, const entity_t* types, std::size_t count,
                             std::int32_t size) const {
    return kith::entity(world_, detail::compose_type(world_, form, types, count, size));
}
inline entity world::array(entity_t type, std::int32_t size) const {
    return compose('n', &type, 1, size);
}
inline entity world::vector(entity_t type) const {
    return compose('l', &type, 1, 0);
}
inline entity world::optional(entity_t type) const {
    return compose('?', &type, 1, 0);
}
inline entity world::map(entity_t key, entity_t value) const {
    const entity_t types[] = {key, value};
    return compose('m', types, 2, 0);
}
template <class... Types>
entity world::variant(const Types&... alternatives) const {
    const entity_t types[] = {entity_t(alternatives)...};
    return compose('|', types, sizeof...(Types), 0);
}
template <class... Types>
entity world::tuple(const Types&... elements) const {
    const entity_t types[] = {entity_t(elements)...};
    return compose('(', types, sizeof...(Types), 0);
}

template <class T>
entity world::array(std::int32_t size) const {
    detail::attach_description(detail::ensure_type_id<T>(), describe<T>());
    return array(detail::member_type_id<T>(), size);
}
template <class T>
entity world::vector() const {
    detail::attach_description(detail::ensure_type_id<T>(), describe<T>());
    return vector(detail::member_type_id<T>());
}
template <class Func>
void world::dangling(Func&& func) const {
    struct call {
        world_t* world;
        Func& func;
    } target{world_, func};
    detail::each_dangling(
        world_,
        [](void* context, entity_t owner, id_t id, const char* path, entity_t dead) {
            call& to = *static_cast<call*>(context);
            to.func(kith::entity(to.world, owner), kith::id(to.world, id), path, dead);
        },
        &target);
}

template <class T>
component<T>& component<T>::reflect() {
    detail::attach_description(detail::ensure_type_id<T>(), describe<T>());
    return *this;
}
template <class T>
template <class To, class From>
component<T>& component<T>::opaque(To to, From from) {
    using functions = detail::opaque_functions<T, To, From>;
    static constexpr value_ops ops = functions::ops();
    detail::set_opaque(world_, id_, describe<typename functions::representation>(), ops,
                       new functions{to, from},
                       [](void* kept) noexcept { delete static_cast<functions*>(kept); });
    return *this;
}
// `refusal` returns null for good values, else the reason, which must stay valid until the error is
// raised.
template <class T>
component<T>& component<T>::validate(const char* (*refusal)(const T& value)) {
    using function = const char* (*)(const T&);
    reflect();
    detail::set_validate(
        world_, id_,
        [](const description& type, const void* value) {
            return reinterpret_cast<function>(const_cast<void*>(type.validate_context))(
                *static_cast<const T*>(value));
        },
        reinterpret_cast<const void*>(refusal));
    return *this;
}

}  // namespace kith
