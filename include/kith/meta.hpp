// Values for tools: a cursor that steps through a value, and opaque types whose functions are given
// one by one. Both follow the vocabulary of Flecs. Not part of <kith/kith.hpp>; see
// docs/manual/reflection.md.
//
//   kith::cursor at = world.cursor<Line>(&line);
//   at.push();
//   at.member("start");
//   at.push();
//   at.set_float(10);
//
// Covered by tests/features/values/cursor_test.cpp and tests/features/values/opaque_test.cpp.
#pragma once

#include <kith/doc.hpp>
#include <kith/reflect.hpp>

namespace kith {

namespace values {
class cursor_state;
}

// A place in a value. push() enters the struct or collection at the place, and pop() leaves it.
// Writes change the value in place and notify nobody; ranges and read-only members are respected.
// Functions that return int return 0, and throw kith::error if they cannot do it. The value must
// live longer, and must not be changed by others meanwhile.
class cursor {
public:
    cursor(world_t* world, entity_t type, void* value);
    cursor(cursor&& other) noexcept : state_(detail::exchange(other.state_, nullptr)) {}
    cursor& operator=(cursor&& other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~cursor();

    // The place behind this one. Behind the last element of a list, a write appends one.
    int push();
    int pop();
    int next();
    int member(const char* name);
    // Members of members: "start.x".
    int dotmember(const char* path);
    int elem(std::int32_t index);
    // The value of a map with this key, which is made if it is missing.
    int key(const char* text);

    // True inside of an array, list, set or map.
    bool is_collection() const;
    // Empty outside of structs.
    string_view get_member() const;
    // The component of the type, 0 if it has none; the unit of the member.
    entity get_type() const;
    entity get_unit() const;
    void* get_ptr();

    int set_bool(bool value);
    int set_char(char value);
    int set_int(std::int64_t value);
    int set_uint(std::uint64_t value);
    int set_float(double value);
    // A text, the name of a constant or of an entity; the text of any other value.
    int set_string(const char* value);
    // The text of a value, such as `"a"` or `{1, 2}`.
    int set_string_literal(const char* value);
    int set_entity(entity_t value);
    int set_id(id_t value);
    int set_null();

    // Numbers convert if nothing is lost.
    bool get_bool() const;
    char get_char() const;
    std::int64_t get_int() const;
    std::uint64_t get_uint() const;
    double get_float() const;
    // Valid until the next call.
    string_view get_string() const;
    entity get_entity() const;

private:
    values::cursor_state* state_;
};

inline cursor world::cursor(entity_t type, void* value) const {
    return kith::cursor(world_, type, value);
}
template <class T>
cursor world::cursor(void* value) const {
    detail::attach_description(detail::ensure_type_id<T>(), describe<T>());
    return kith::cursor(world_, detail::ensure_type_id<T>(), value);
}

// The receiver of a value that a program writes part by part.
struct serializer {
    world_t* world;
    void* context;

    // The value itself, the next element of a collection, or the member that member() named.
    int value(entity_t type, const void* value) const;
    template <class V>
    int value(const V& value) const {
        if constexpr (!std::is_pointer_v<V>) {
            detail::attach_description(detail::ensure_type_id<V>(), describe<V>());
        }
        return this->value(detail::member_type_id<V>(), __builtin_addressof(value));
    }
    int member(const char* name) const;
};
template <class T>
using serialize = int (*)(const serializer* to, const T* value);
using serialize_t = serialize<void>;

namespace detail {

// The functions of an opaque type, by position.
enum class opaque_call : std::uint8_t {
    serialize,
    assign_bool,
    assign_char,
    assign_int,
    assign_uint,
    assign_float,
    assign_string,
    assign_entity,
    assign_null,
    clear,
    ensure_element,
    ensure_member,
    count,
    resize,
};
inline constexpr std::size_t opaque_call_count = 14;

// The types of the functions: each is called with the function that the program gave.
struct opaque_thunks {
    using function = void (*)();
    int (*serialize)(function, const serializer* to, const void* value);
    void (*assign_bool)(function, void* value, bool from);
    void (*assign_char)(function, void* value, char from);
    void (*assign_int)(function, void* value, std::int64_t from);
    void (*assign_uint)(function, void* value, std::uint64_t from);
    void (*assign_float)(function, void* value, double from);
    void (*assign_string)(function, void* value, const char* from);
    void (*assign_entity)(function, void* value, world_t* world, entity_t from);
    void (*act)(function, void* value);  // assign_null, clear
    void* (*ensure_element)(function, void* value, std::size_t index);
    void* (*ensure_member)(function, void* value, const char* name);
    std::size_t (*count)(function, const void* value);
    void (*resize)(function, void* value, std::size_t size);
};
struct opaque_type {
    world_t* world = nullptr;
    entity_t as_type = 0;
    std::size_t element_size = 0;  // of ensure_element; 0: not known
    const opaque_thunks* thunks = nullptr;
    opaque_thunks::function calls[opaque_call_count] = {};

    opaque_thunks::function find(opaque_call call) const noexcept {
        return calls[static_cast<std::size_t>(call)];
    }
};
// Throws unless `as_type` has a description. The component keeps a copy, which is returned.
opaque_type* register_opaque(world_t* world, entity_t component, const opaque_type& type);

template <class T, class E>
struct opaque_thunks_of {
    using function = opaque_thunks::function;
    template <class F>
    static F* as_function(function call) noexcept {
        return reinterpret_cast<F*>(call);
    }
    template <class V>
    static void assign(function call, void* value, V from) {
        as_function<void(T*, V)>(call)(static_cast<T*>(value), from);
    }
    static constexpr opaque_thunks table{
        [](function call, const serializer* to, const void* value) {
            return as_function<int(const serializer*, const T*)>(call)(
                to, static_cast<const T*>(value));
        },
        assign<bool>,
        assign<char>,
        assign<std::int64_t>,
        assign<std::uint64_t>,
        assign<double>,
        assign<const char*>,
        [](function call, void* value, world_t* world, entity_t from) {
            as_function<void(T*, world_t*, entity_t)>(call)(static_cast<T*>(value), world, from);
        },
        [](function call, void* value) { as_function<void(T*)>(call)(static_cast<T*>(value)); },
        [](function call, void* value, std::size_t index) -> void* {
            return as_function<E*(T*, std::size_t)>(call)(static_cast<T*>(value), index);
        },
        [](function call, void* value, const char* name) {
            return as_function<void*(T*, const char*)>(call)(static_cast<T*>(value), name);
        },
        [](function call, const void* value) {
            return as_function<std::size_t(const T*)>(call)(static_cast<const T*>(value));
        },
        assign<std::size_t>,
    };
};

}  // namespace detail

// The functions of an opaque type, given one by one: values of T are shown as values of `as_type`.
// E is the type of elements.
template <class T, class E>
class opaque {
    using call = detail::opaque_call;

public:
    explicit opaque(const world& owner) {
        own_.world = owner;
        own_.thunks = &detail::opaque_thunks_of<T, E>::table;
        if constexpr (!std::is_void_v<E>) {
            own_.element_size = sizeof(E);
        }
    }
    opaque(const world& owner, entity_t component, entity_t as_type) : opaque(owner) {
        own_.as_type = as_type;
        kept_ = detail::register_opaque(own_.world, component, own_);
    }

    opaque& as_type(entity_t type) {
        own_.as_type = type;
        return *this;
    }
    opaque& serialize(kith::serialize<T> func) { return set(call::serialize, func); }
    opaque& assign_bool(void (*func)(T*, bool)) { return set(call::assign_bool, func); }
    opaque& assign_char(void (*func)(T*, char)) { return set(call::assign_char, func); }
    opaque& assign_int(void (*func)(T*, std::int64_t)) { return set(call::assign_int, func); }
    opaque& assign_uint(void (*func)(T*, std::uint64_t)) { return set(call::assign_uint, func); }
    opaque& assign_float(void (*func)(T*, double)) { return set(call::assign_float, func); }
    opaque& assign_string(void (*func)(T*, const char*)) { return set(call::assign_string, func); }
    opaque& assign_entity(void (*func)(T*, world_t*, entity_t)) {
        return set(call::assign_entity, func);
    }
    opaque& assign_null(void (*func)(T*)) { return set(call::assign_null, func); }
    opaque& clear(void (*func)(T*)) { return set(call::clear, func); }
    opaque& ensure_element(E* (*func)(T*, std::size_t)) { return set(call::ensure_element, func); }
    opaque& ensure_member(void* (*func)(T*, const char*)) { return set(call::ensure_member, func); }
    opaque& count(std::size_t (*func)(const T*)) { return set(call::count, func); }
    opaque& resize(void (*func)(T*, std::size_t)) { return set(call::resize, func); }

    const detail::opaque_type& registers_opaque() const noexcept { return own_; }

private:
    template <class F>
    opaque& set(call which, F* func) {
        const auto index = static_cast<std::size_t>(which);
        own_.calls[index] = reinterpret_cast<detail::opaque_thunks::function>(func);
        if (kept_) {
            kept_->calls[index] = own_.calls[index];
        }
        return *this;
    }

    detail::opaque_type own_;
    detail::opaque_type* kept_ = nullptr;  // of the component; null: not registered yet
};

template <class T>
template <class E>
opaque<T, E> component<T>::opaque(entity_t as_type) {
    return kith::opaque<T, E>(kith::world(world_), id_, as_type);
}
template <class T>
template <class Func>
    requires requires(Func& make, kith::world& owner) {
        make(owner).registers_opaque();
    }
component<T>& component<T>::opaque(Func make) {
    kith::world owner(world_);
    detail::register_opaque(world_, id_, make(owner).registers_opaque());
    return *this;
}

// A member of a component, as a value of the member's entity. Written by kith.
struct Member {
    entity_t type = 0;  // 0: the type has no component
    std::int32_t count = 0;
    entity_t unit = 0;
    std::int32_t offset = 0;
};
struct member_range {
    double min = 0;
    double max = 0;
};
// Intervals of a member; those that are not set have two zeros.
struct MemberRanges {
    member_range value;
    member_range warning;
    member_range error;
};

}  // namespace kith
