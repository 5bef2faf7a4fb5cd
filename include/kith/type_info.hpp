// How kith handles values of a C++ type (or of a component defined at run time): size, alignment
// and the functions that make, move, copy and destroy values. Also the process-wide register of C++
// types: a type has one id, the same in every world and in every shared library of a process, found
// by name.
//
// Covered by tests/unit/types/ and tests/features/components/.
#pragma once

#include <kith/fwd.hpp>
#include <kith/id.hpp>

#include <new>
#include <type_traits>
#include <typeinfo>
// libstdc++ has what is needed of <utility> and <functional> in headers of its own.
#if __has_include(<bits/utility.h>) && defined(_GLIBCXX_BEGIN_NAMESPACE_VERSION)
#include <bits/move.h>
#include <bits/utility.h>
// The template is specialised for handles and strings; programs that hash them include the rest.
// clang-format off
namespace std _GLIBCXX_VISIBILITY(default) {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
template <typename T> struct hash;
_GLIBCXX_END_NAMESPACE_VERSION
}  // namespace std
// clang-format on
#else
#include <functional>
#include <utility>
#endif

namespace kith {

// Functions on single values, which get the type as their last argument. A null function says that
// the type cannot do it, except where a flag says that plain bytes do: `trivial_copy`,
// `trivial_move`, `trivial_destroy`, `zero_construct`. Moves and destructors must not throw;
// constructors and copies may.
struct type_info {
    const char* name = nullptr;  // readable, `game::Position`
    std::uint32_t size = 0;      // 0: a tag
    std::uint32_t alignment = 0;
    void* context = nullptr;  // for the functions; kith does not read it
    // Called when a world forgets a component that was defined with this context.
    void (*free_context)(void* context) noexcept = nullptr;

    void (*construct)(void* value, const type_info& type) = nullptr;
    void (*destroy)(void* value, const type_info& type) noexcept = nullptr;
    void (*copy_construct)(void* value, const void* from, const type_info& type) = nullptr;
    void (*copy_assign)(void* value, const void* from, const type_info& type) = nullptr;
    void (*move_construct)(void* value, void* from, const type_info& type) noexcept = nullptr;
    void (*move_assign)(void* value, void* from, const type_info& type) noexcept = nullptr;

    bool zero_construct = false;   // a default value is all zero bytes
    bool trivial_copy = false;     // copying is copying bytes
    bool trivial_move = false;     // moving a value and destroying the old one is copying bytes
    bool trivial_destroy = false;  // nothing to do
    bool is_enum = false;
    bool is_fixed = false;  // values stay where they are made: the component must be Sparse

    bool can_construct() const noexcept { return zero_construct || construct; }
    bool can_copy() const noexcept { return trivial_copy || copy_construct; }
    bool can_move() const noexcept { return trivial_move || move_construct; }
};

// The argument of a hook.
struct hook_event {
    world_t* world;
    entity_t entity;
    id_t id;
    entity_t event;  // OnAdd, OnSet, OnRemove
    void* value;     // null for tags
};

// A hook without a C++ type, for components that are defined at run time.
struct hook {
    void (*call)(const hook_event& event, void* context) = nullptr;
    void* context = nullptr;
    void (*free_context)(void* context) noexcept = nullptr;
};

namespace detail {

template <class T>
T exchange(T& object, std::type_identity_t<T> value) noexcept {
    T old = static_cast<T&&>(object);
    object = static_cast<T&&>(value);
    return old;
}

// The arguments of the type register. `label` contains the type's name; `mangled` is null without
// RTTI; `slot` distinguishes types without a name of their own.
struct type_desc {
    const char* label;
    const char* mangled;
    const void* slot;
    type_info info;
};

// Stands for the list of types of this copy of kith: a file that contains kith has its own.
extern const char list_of_types;
[[noreturn]] void raise_other_types();

// The id of the type in this process; the first call assigns it. Throws kith::error when ids run
// out, and if a type of this name was registered whose values are handled otherwise. Thread-safe.
std::uint32_t register_type(const type_desc& desc);
// Null if no C++ type has this id. Thread-safe.
const type_info* find_type(std::uint32_t id) noexcept;
// True for types of functions and anonymous namespaces: others may have the same name.
bool is_local_type(std::uint32_t id) noexcept;

template <class T>
struct lifecycle {
    static void construct(void* value, const type_info&) { ::new (value) T{}; }
    static void destroy(void* value, const type_info&) noexcept { static_cast<T*>(value)->~T(); }
    static void copy_construct(void* value, const void* from, const type_info&) {
        ::new (value) T(*static_cast<const T*>(from));
    }
    static void copy_assign(void* value, const void* from, const type_info&) {
        *static_cast<T*>(value) = *static_cast<const T*>(from);
    }
    static void move_construct(void* value, void* from, const type_info&) noexcept {
        ::new (value) T(std::move(*static_cast<T*>(from)));
    }
    static void move_assign(void* value, void* from, const type_info&) noexcept {
        *static_cast<T*>(value) = std::move(*static_cast<T*>(from));
    }
};

template <class T>
constexpr type_info make_type_info() noexcept {
    KITH_STATIC_ASSERT(std::is_destructible_v<T>, "a component needs a destructor");
    type_info info;
    info.is_enum = std::is_enum_v<T>;
    if constexpr (std::is_empty_v<T>) {
        return info;
    } else {
        info.size = sizeof(T);
        info.alignment = alignof(T);
        info.zero_construct = std::is_trivially_default_constructible_v<T>;
        info.trivial_destroy = std::is_trivially_destructible_v<T>;
        info.trivial_copy = std::is_trivially_copyable_v<T> && std::is_copy_constructible_v<T>;
        info.trivial_move = std::is_trivially_copyable_v<T> && std::is_move_constructible_v<T>;
        if constexpr (!std::is_trivially_default_constructible_v<T> &&
                      std::is_default_constructible_v<T>) {
            info.construct = lifecycle<T>::construct;
        }
        if constexpr (!std::is_trivially_destructible_v<T>) {
            info.destroy = lifecycle<T>::destroy;
        }
        if constexpr (std::is_copy_constructible_v<T>) {
            info.copy_construct = lifecycle<T>::copy_construct;
        }
        if constexpr (std::is_copy_assignable_v<T>) {
            info.copy_assign = lifecycle<T>::copy_assign;
        }
        info.is_fixed = !std::is_move_constructible_v<T>;
        if constexpr (std::is_move_constructible_v<T>) {
            info.move_construct = lifecycle<T>::move_construct;
        }
        if constexpr (std::is_move_assignable_v<T>) {
            info.move_assign = lifecycle<T>::move_assign;
        }
        return info;
    }
}

template <class T>
constexpr const char* type_label() noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
    return __FUNCSIG__;
#else
    return __PRETTY_FUNCTION__;
#endif
}

// The address of an object whose type may overload operator&.
template <class T>
constexpr T* address_of(T& object) noexcept {
    return __builtin_addressof(object);
}

// Values are no pointers: the id of a pointer type is that of the type that it points to.
template <class T>
constexpr void check_value_type() noexcept {
    KITH_STATIC_ASSERT(!std::is_pointer_v<T>,
                       "a pointer is no component: give the value that it points to, or a struct "
                       "that holds the pointer");
}

// Ids are kept without const, reference and pointer.
template <class T>
using base_type = std::remove_cv_t<std::remove_pointer_t<std::remove_cvref_t<T>>>;

template <class T>
struct type_slot {
    // 0 until the type is registered. Several threads may register at once; all write the same
    // value.
    KITH_ONE_PER_FILE static inline std::uint32_t id = 0;
};

template <class T>
std::uint32_t register_type_slow() {
    type_desc desc{type_label<T>(), nullptr, &type_slot<T>::id, make_type_info<T>()};
#if defined(__cpp_rtti)
    desc.mangled = typeid(T).name();
#endif
    std::uint32_t id = register_type(desc);
    __atomic_store_n(&type_slot<T>::id, id, __ATOMIC_RELAXED);
    return id;
}

// 0 if the type was never registered by this library or program.
template <class T>
KITH_ALWAYS_INLINE std::uint32_t known_type_id() noexcept {
    return __atomic_load_n(&type_slot<base_type<T>>::id, __ATOMIC_RELAXED);
}

template <class T>
KITH_ALWAYS_INLINE std::uint32_t ensure_type_id() {
    std::uint32_t id = known_type_id<T>();
    return id ? id : register_type_slow<base_type<T>>();
}

}  // namespace detail

// The id of a C++ type, the same in every world of the process.
template <class T>
entity_t type_id() {
    return detail::ensure_type_id<T>();
}

}  // namespace kith
