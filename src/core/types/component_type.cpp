// Values of a component in arrays (component_type.hpp): construct, destroy, copy and relocate them
// with the functions of their type, or as bytes where the type allows that.
#include "types/component_type.hpp"

#include "base/assert.hpp"
#include "base/scope_exit.hpp"

#include <cstring>

namespace kith::types {

namespace {

std::byte* value_at(void* first, std::size_t size, std::size_t index) {
    return static_cast<std::byte*>(first) + size * index;
}

// Calls make(value, index) for `count` places in raw memory, in order. If one call throws, the
// values made before it are destroyed: all of the values exist afterwards, or none.
template <class Make>
void make_values(const type_info& info, void* first, std::size_t count, Make&& make) {
    std::size_t finished = 0;
    base::scope_exit undo([&] { destroy_values(info, first, finished); });
    for (; finished < count; ++finished) {
        make(value_at(first, info.size, finished), finished);
    }
    undo.release();
}

}  // namespace

const char* find_type_fault(const type_info& info) noexcept {
    if (info.size == 0) {
        return info.alignment == 0 ? nullptr : "a component without size must have no alignment";
    }
    if (info.size > max_value_size) {
        return "the size of a component must be at most 16 MiB";
    }
    if (info.alignment == 0 || (info.alignment & (info.alignment - 1)) != 0) {
        return "the alignment of a component must be a power of two";
    }
    if (info.alignment > max_value_alignment) {
        return "the alignment of a component must be at most 4096";
    }
    if (info.size % info.alignment != 0) {
        return "the size of a component must be a multiple of its alignment";
    }
    // A C++ type that cannot be moved (is_fixed) passes: components with the property Sparse may
    // have it, and creating a table refuses it.
    if (!info.can_move() && !info.is_fixed) {
        return "a component needs a function to move it, unless its bytes can be moved";
    }
    if (!info.trivial_destroy && !info.destroy) {
        return "a component needs a function to destroy it, unless there is nothing to do";
    }
    return nullptr;
}

void construct_values(const type_info& info, void* first, std::size_t count) {
    KITH_ASSERT(info.can_construct(), "values of the type can be constructed");
    if (info.zero_construct) {
        std::memset(first, 0, info.size * count);
        return;
    }
    make_values(info, first, count, [&](void* value, std::size_t) { info.construct(value, info); });
}

void destroy_values(const type_info& info, void* first, std::size_t count) noexcept {
    if (info.trivial_destroy) {
        return;
    }
    for (std::size_t i = 0; i < count; ++i) {
        info.destroy(value_at(first, info.size, i), info);
    }
}

void copy_values(const type_info& info, void* to, const void* from, std::size_t count) {
    KITH_ASSERT(info.can_copy(), "values of the type can be copied");
    if (info.trivial_copy) {
        std::memcpy(to, from, info.size * count);
        return;
    }
    make_values(info, to, count, [&](void* value, std::size_t index) {
        info.copy_construct(value, static_cast<const std::byte*>(from) + info.size * index, info);
    });
}

void relocate_value(const type_info& info, void* to, void* from) noexcept {
    KITH_ASSERT(info.can_move(), "values of the type can be moved");
    if (info.trivial_move) {
        std::memcpy(to, from, info.size);
        return;
    }
    info.move_construct(to, from, info);
    if (!info.trivial_destroy) {
        info.destroy(from, info);
    }
}

}  // namespace kith::types
