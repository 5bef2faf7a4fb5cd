// Callbacks of get() and set() that take the values of several components: the values that their
// parameters stand for, and the calls. Included by entity_inl.hpp, after value_access.hpp.
#pragma once

namespace kith::detail {

// A parameter of a callback of get() or set(): T, T&, const T&, a pair type, or T*, which is null
// where there is no value.
template <class Arg>
struct value_arg {
    using bare = std::remove_cvref_t<Arg>;
    using target = std::remove_pointer_t<bare>;
    static constexpr bool is_optional = std::is_pointer_v<bare>;
    static constexpr bool writes =
        is_optional ? !std::is_const_v<target>
                    : (std::is_reference_v<Arg> ||
                       is_pair_type<bare>)&&!std::is_const_v<std::remove_reference_t<Arg>>;
    KITH_STATIC_ASSERT(!std::is_empty_v<value_of<Arg>>,
                       "an empty type is a tag: it has no value, ask for it with has()");
    KITH_STATIC_ASSERT((!is_optional || !is_pair_type<target>),
                       "the value of a pair that may be missing: take a pointer to the value type "
                       "from get<R, T>()");

    explicit value_arg(void* found) noexcept : at(make(found)) {}
    decltype(auto) get() noexcept {
        if constexpr (is_optional || is_pair_type<bare>) {
            return static_cast<Arg&&>(at);
        } else {
            return static_cast<std::remove_reference_t<Arg>&>(*at);
        }
    }

private:
    using kept = std::conditional_t<is_optional || is_pair_type<bare>, bare, bare*>;
    static kept make(void* found) noexcept {
        if constexpr (is_pair_type<bare>) {
            return bare(*static_cast<value_of<bare>*>(found));
        } else {
            return static_cast<kept>(found);
        }
    }

    kept at;
};

// Holds the value of a parameter while the callback runs.
template <class Arg, bool = is_enum_type<Arg>>
struct value_place {
    static constexpr bool is_stored = true;
    void* value = nullptr;

    void find(world_t* world, entity_t entity) {
        value = const_cast<void*>(
            get_value(world, entity, id_of<Arg>(), ensure_type_id<value_of<Arg>>()));
    }
    void write(world_t*, entity_t, bool) const noexcept {}
};
// The value of an enum is that of its constant: the callback gets a copy.
template <class Arg>
struct value_place<Arg, true> {
    using constant = base_type<Arg>;
    static constexpr bool is_stored = false;
    void* value = nullptr;

    void find(world_t* world, entity_t entity) {
        if (const constant* found = find_constant<constant>(world, entity)) {
            copy = before = *found;
            value = address_of(copy);
        }
    }
    void write(world_t* world, entity_t entity, bool always) const {
        if (value && (always || copy != before)) {
            set_constant(world, entity, copy);
        }
    }
    constant copy{};
    constant before{};
};

// Calls a callback of get() if the entity has all values that it takes. The table is locked
// meanwhile.
template <class Func, class... Args>
bool get_values(world_t* world, entity_t entity, Func& func, arg_list<Args...>) {
    constexpr bool mutates = (... || value_arg<Args>::writes);
    auto call = [&](value_place<Args>... places) {
        (places.find(world, entity), ...);
        if (!((places.value || value_arg<Args>::is_optional) && ...)) {
            return false;
        }
        {
            const table_shape& shape = *shape_of(world, entity);
            if (mutates && load_flags(shape) & (shape_unwritten | shape_indexed | shape_has_base))
                [[unlikely]] {
                note_values_written(world, entity);
            }
            table_lock lock(world, shape.number, mutates);
            func(value_arg<Args>(places.value).get()...);
        }
        (places.write(world, entity, false), ...);
        return true;
    };
    return call(value_place<Args>{}...);
}

// Calls a callback of set() with values that are added if they are missing, in one operation.
template <class Func, class... Args>
void set_values(world_t* world, entity_t entity, Func& func, arg_list<Args...>) {
    id_t ids[sizeof...(Args)];
    std::uint32_t types[sizeof...(Args)];
    void* values[sizeof...(Args)];
    std::uint32_t count = 0;
    auto add = [&](id_t id, std::uint32_t type) {
        ids[count] = id;
        types[count++] = type;
    };
    auto call = [&](value_place<Args>... places) {
        auto prepare = [&]<class Place, class Arg>(Place& place, arg_list<Arg>) {
            if constexpr (Place::is_stored) {
                add(id_of<Arg>(), ensure_type_id<value_of<Arg>>());
            } else {
                place.find(world, entity);
                place.value = address_of(place.copy);
            }
        };
        (prepare(places, arg_list<Args>{}), ...);
        auto write = [&](void* const* found) {
            auto take = [&]<class Place>(Place& place) {
                if constexpr (Place::is_stored) {
                    place.value = *found++;
                }
            };
            (take(places), ...);
            func(value_arg<Args>(places.value).get()...);
        };
        if (count == 0) {
            write(nullptr);
        } else {
            using function = decltype(write);
            write_values(world, entity,
                         {ids, types, values, count,
                          [](void* const* found, void* context) {
                              (*static_cast<function*>(context))(found);
                          },
                          address_of(write)});
        }
        (places.write(world, entity, true), ...);
    };
    call(value_place<Args>{}...);
}

}  // namespace kith::detail
