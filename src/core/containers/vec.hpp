// A growable array of trivially copyable values whose header is 16 bytes large. It does not know
// its memory: callers pass it, because a world has hundreds of thousands of such arrays. So it has
// no destructor either, and its owner calls release().
#pragma once

#include "base/assert.hpp"
#include "containers/memory.hpp"

#include <cstring>
#include <type_traits>

namespace kith::containers {

// Functions named `..._reserved` cannot fail; their callers have reserved room with
// reserve_extra(). Invariant: size_ <= capacity_, and data_ is null if and only if capacity_ is 0.
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
    T& back() noexcept {
        KITH_ASSERT(size_ != 0, "an empty array has no last element");
        return data_[size_ - 1];
    }

    // Makes room for `extra` calls of push_reserved(). The capacity grows by half at least, so that
    // repeated calls copy each element a constant number of times.
    void reserve_extra(memory& mem, std::uint32_t extra, purpose use) {
        if (capacity_ - size_ < extra) {
            std::uint32_t larger = capacity_ < 2 ? capacity_ + 1 : capacity_ + capacity_ / 2 + 1;
            grow(mem, larger < size_ + extra ? size_ + extra : larger, use);
        }
    }
    // Requires: room was reserved.
    void push_reserved(const T& value) noexcept {
        KITH_ASSERT(size_ < capacity_, "room for an element was reserved");
        data_[size_++] = value;
    }
    // Adds elements that were written behind the end. Requires: room was reserved.
    void extend_reserved(std::uint32_t count) noexcept {
        KITH_ASSERT(capacity_ - size_ >= count, "room for the elements was reserved");
        size_ += count;
    }
    // Requires: `value` is no element of this array, which may move.
    void push(memory& mem, const T& value, purpose use) {
        reserve_extra(mem, 1, use);
        push_reserved(value);
    }
    void pop() noexcept {
        KITH_ASSERT(size_ != 0, "an empty array has no last element");
        --size_;
    }
    void clear() noexcept { size_ = 0; }
    // Removes the elements from position `size` on.
    void truncate(std::uint32_t size) noexcept {
        KITH_ASSERT(size <= size_, "an array is not truncated to a larger size");
        size_ = size;
    }
    // Removes an element; the last element takes its position.
    void swap_remove(std::uint32_t index) noexcept {
        KITH_ASSERT(index < size_, "a removed element exists");
        data_[index] = data_[--size_];
    }
    // Gives the memory back and leaves an empty array. `mem` and `use` are the arguments
    // with which the array grew.
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
