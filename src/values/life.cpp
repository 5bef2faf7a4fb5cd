// Making, copying and destroying single values (life.hpp).
#include "life.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/ops.hpp>

#include "raise.hpp"

#include <cstdint>
#include <cstring>

namespace kith::values {

namespace {

// Types of the program may lack a name.
const char* shown_name(const type_info& info) noexcept {
    return info.name ? info.name : "a value";
}

// Releases memory unless a value was made in it.
struct memory_guard {
    const type_info& info;
    void* memory;
    ~memory_guard() {
        if (memory) {
            release(info, memory);
        }
    }
    void* keep() noexcept { return detail::exchange(memory, nullptr); }
};

}  // namespace

void make_value(const type_info& info, void* value) {
    if (info.zero_construct) {
        std::memset(value, 0, info.size);
    } else if (info.construct) {
        info.construct(value, info);
    } else {
        raise(errc::not_constructible,
              std::string(shown_name(info)) + " has no default value to start from");
    }
}

void destroy_value(const type_info& info, void* value) noexcept {
    if (!info.trivial_destroy && info.destroy) {
        info.destroy(value, info);
    }
}

void copy_value(const type_info& info, void* to, const void* from) {
    if (info.trivial_copy) {
        std::memcpy(to, from, info.size);
    } else if (info.copy_construct) {
        info.copy_construct(to, from, info);
    } else {
        raise(errc::not_copyable, std::string(shown_name(info)) + " cannot be copied");
    }
}

void assign_copy(const type_info& info, void* to, const void* from) {
    if (info.trivial_copy) {
        std::memcpy(to, from, info.size);
    } else if (info.copy_assign) {
        info.copy_assign(to, from, info);
    } else {
        raise(errc::not_copyable, std::string(shown_name(info)) + " cannot be assigned");
    }
}

// Bytes are copied only if nothing has to be destroyed afterwards: `trivial_move` is about a move
// together with the end of the old value, which lives on here.
void move_value(const type_info& info, void* to, void* from) noexcept {
    KITH_ASSERT(info.can_move(), "values of the type can be moved");
    if (info.trivial_move && info.trivial_destroy) {
        std::memcpy(to, from, info.size);
    } else if (info.move_construct) {
        info.move_construct(to, from, info);
    }
}

void assign_moved(const type_info& info, void* to, void* from) noexcept {
    KITH_ASSERT(info.can_move(), "values of the type can be moved");
    if (info.trivial_move && info.trivial_destroy) {
        std::memcpy(to, from, info.size);
    } else if (info.move_assign) {
        info.move_assign(to, from, info);
    } else {
        destroy_value(info, to);
        move_value(info, to, from);
    }
}

// Throws [limit] if the number of bytes overflows.
void* allocate(const type_info& info, std::size_t count) {
    constexpr std::size_t most_bytes = PTRDIFF_MAX;
    if (info.size != 0 && count > most_bytes / info.size) {
        raise(errc::limit, "a list of " + std::to_string(count) + " values of " +
                               std::string(shown_name(info)) + " is too long");
    }
    const std::size_t bytes = std::size_t{info.size} * count;
    return ::operator new (bytes ? bytes : 1,
                           std::align_val_t{info.alignment ? info.alignment : 1});
}

void release(const type_info& info, void* memory) noexcept {
    ::operator delete (memory, std::align_val_t{info.alignment ? info.alignment : 1});
}

value_box::value_box(const type_info& info) : info_(&info), value_(nullptr) {
    memory_guard memory{info, allocate(info, 1)};
    make_value(info, memory.memory);
    value_ = memory.keep();
}

value_box::value_box(const type_info& info, const void* from) : info_(&info), value_(nullptr) {
    memory_guard memory{info, allocate(info, 1)};
    copy_value(info, memory.memory, from);
    value_ = memory.keep();
}

value_box::~value_box() {
    if (value_) {
        destroy_value(*info_, value_);
        release(*info_, value_);
    }
}

void set_box(world_t* world, entity_t entity, id_t id, value_box& made) {
    const detail::value_source source{
        &made, [](void* value, void* context) { static_cast<value_box*>(context)->move_to(value); },
        [](void* value, void* context) { static_cast<value_box*>(context)->assign_to(value); }};
    detail::set_value(world, entity, id, 0, source);
}

}  // namespace kith::values
