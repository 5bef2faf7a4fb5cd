// Descriptions of types whose library is unloaded: functions that src/values implements for
// kith::forget_types().
#pragma once

#include <kith/description.hpp>

#include <functional>

namespace kith::detail {

// Addresses of a library: `from` is part of it, `to` is not.
struct code_range {
    const void* from = nullptr;
    const void* to = nullptr;

    bool contains(const void* address) const noexcept {
        return !std::less<const void*>()(address, from) && std::less<const void*>()(address, to);
    }
    template <class Result, class... Args>
    bool contains(Result (*function)(Args...)) const noexcept {
        return contains(reinterpret_cast<const void*>(function));
    }
    template <class Result, class... Args>
    bool contains(Result (*function)(Args...) noexcept) const noexcept {
        return contains(reinterpret_cast<const void*>(function));
    }
};

// True if a function for values of the type lies in the range.
bool is_handled_in(const type_info& type, const code_range& range) noexcept;

// The C++ types that lose their functions with a library.
struct forgotten_types {
    code_range range;
    const std::uint32_t* types = nullptr;
    std::size_t count = 0;

    bool contains(entity_t type) const noexcept {
        std::size_t i = 0;
        while (i < count && types[i] != type) {
            ++i;
        }
        return i != count;
    }
};

// The component of the world that was declared at run time and has a part from the library; 0 if
// there is none. Makes room, so that forget_descriptions() cannot fail.
entity_t find_declared_user(world_t* world, const forgotten_types& ending);
// Ends the descriptions of the world that depend on the library. Called when the process has
// forgotten the functions.
void forget_descriptions(world_t* world, const forgotten_types& ending) noexcept;
// Ends the descriptions of the process. A type that another library describes as well keeps the
// description from there.
// Descriptions come back when a library describes a type of the same name and layout.
void forget_descriptions(const code_range& range) noexcept;

}  // namespace kith::detail
