// A growable array for plain values, 16 bytes large. It does not know its memory: callers pass it,
// because there are hundreds of thousands of these in a world.
#pragma once

#include "containers/memory.hpp"

#include <cstring>
#include <type_traits>

namespace kith::containers {

template <class T>
class vec {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    std::uint32_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    T& operator[](std::size_t index) noexcept { return data_[index]; }
    const T& operator[](std::size_t index) const noexcept { return data_[index]; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    const T* begin() const noexcept { return data_; }
    const T* end() const noexcept { return data_ + size_; }
    T& back() noexcept { return data_[size_ - 1]; }

    // After this, `extra` pushes cannot fail.
    void reserve_extra(memory& mem, std::uint32_t extra, purpose use) {
        if (capacity_ - size_ < extra) {
            std::uint32_t wanted = capacity_ < 2 ? capacity_ + 1 : capacity_ + capacity_ / 2 + 1;
            grow(mem, wanted < size_ + extra ? size_ + extra : wanted, use);
        }
    }
    void push_reserved(const T& value) noexcept { data_[size_++] = value; }
    void push(memory& mem, const T& value, purpose use) {
        reserve_extra(mem, 1, use);
        push_reserved(value);
    }
    void pop() noexcept { --size_; }
    void clear() noexcept { size_ = 0; }
    void truncate(std::uint32_t size) noexcept { size_ = size; }
    // The last element takes the place of the removed one.
    void swap_remove(std::uint32_t index) noexcept { data_[index] = data_[--size_]; }
    void release(memory& mem, purpose use) noexcept {
        mem.release(data_, capacity_ * sizeof(T), use, alignment);
        data_ = nullptr;
        size_ = capacity_ = 0;
    }
    std::uint32_t capacity() const noexcept { return capacity_; }

private:
    static constexpr std::size_t alignment = alignof(T) > 16 ? alignof(T) : 16;

    void grow(memory& mem, std::uint32_t capacity, purpose use) {
        T* data = static_cast<T*>(mem.allocate(capacity * sizeof(T), use, alignment));
        if (size_ != 0) {
            std::memcpy(static_cast<void*>(data), data_, size_ * sizeof(T));
        }
        mem.release(data_, capacity_ * sizeof(T), use, alignment);
        data_ = data;
        capacity_ = capacity;
    }

    T* data_ = nullptr;
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = 0;
};

}  // namespace kith::containers
