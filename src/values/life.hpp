// Making, copying and destroying values by the functions of their type, or as bytes where the type
// allows that; a temporary value of any described type.
#pragma once

#include <kith/description.hpp>

namespace kith::values {

// The part of a value that begins at an offset.
inline void* part_at(void* value, std::size_t offset) noexcept {
    return static_cast<std::byte*>(value) + offset;
}
inline const void* part_at(const void* value, std::size_t offset) noexcept {
    return static_cast<const std::byte*>(value) + offset;
}

// `value` is raw memory. Throws if the type has no default value.
void make_value(const type_info& info, void* value);
void destroy_value(const type_info& info, void* value) noexcept;
// Throws if the type cannot be copied; `to` is raw memory.
void copy_value(const type_info& info, void* to, const void* from);
// `to` is a value. Throws if the type cannot be assigned.
void assign_copy(const type_info& info, void* to, const void* from);
// `to` is raw memory; `from` stays a value that must be destroyed.
void move_value(const type_info& info, void* to, void* from) noexcept;
// `to` is a value; `from` stays a value that must be destroyed. Requires, for both moves: values of
// the type can be moved.
void assign_moved(const type_info& info, void* to, void* from) noexcept;

// Raw memory for `count` values, at least one byte. Requires: the size of all values fits
// std::size_t.
void* allocate(const type_info& info, std::size_t count);
void release(const type_info& info, void* memory) noexcept;

// A value outside of all worlds. The box refers to `info`, which must outlive it. A box that was
// moved from is empty.
class value_box {
public:
    // A default value.
    explicit value_box(const type_info& info);
    // A copy.
    value_box(const type_info& info, const void* from);
    value_box(value_box&& other) noexcept
        : info_(other.info_), value_(detail::exchange(other.value_, nullptr)) {}
    value_box& operator=(value_box&& other) noexcept {
        std::swap(info_, other.info_);
        std::swap(value_, other.value_);
        return *this;
    }
    ~value_box();

    void* get() const noexcept { return value_; }
    // Hands the value over; what is left must only be destroyed.
    void move_to(void* raw) noexcept { move_value(*info_, raw, value_); }
    void assign_to(void* value) noexcept { assign_moved(*info_, value, value_); }

private:
    const type_info* info_;
    void* value_;
};

// Sets a component to a value that was made aside: OnSet is notified.
void set_box(world_t* world, entity_t entity, id_t id, value_box& made);

}  // namespace kith::values
