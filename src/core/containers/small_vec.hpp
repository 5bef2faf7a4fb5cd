// An array of trivially copyable values that holds the first `Inline` of them in itself and takes
// memory of the world, or of the heap, only beyond that. The destructor releases the memory, which
// a vec leaves to its owner.
#pragma once

#include "containers/vec.hpp"

namespace kith::containers {

// Invariant: size_ <= capacity_; data_ points to inline_ if and only if capacity_ == Inline.
template <class T, std::uint32_t Inline>
class small_vec {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    small_vec(memory& mem, purpose use) noexcept : small_vec(&mem, use) {}
    // A null memory stands for the heap.
    small_vec(memory* mem, purpose use) noexcept : mem_(mem), use_(use) {}
    ~small_vec() { release(); }
    small_vec(const small_vec&) = delete;
    small_vec& operator=(const small_vec&) = delete;

    std::uint32_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T* data() noexcept { return data_; }
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
    void pop() noexcept {
        KITH_ASSERT(size_ != 0, "an empty array has no last element");
        --size_;
    }
    void clear() noexcept { size_ = 0; }

    void reserve(std::uint32_t capacity) {
        if (capacity > capacity_) {
            T* data = static_cast<T*>(allocate_from(mem_, capacity * sizeof(T), use_));
            std::memcpy(static_cast<void*>(data), data_, size_ * sizeof(T));
            release();
            data_ = data;
            capacity_ = capacity;
        }
    }
    // Makes room for one push(), which then cannot fail.
    void reserve_one() {
        if (size_ == capacity_) {
            reserve(capacity_ * 2);
        }
    }
    // `value` may be an element of this array: it is copied before the elements move.
    void push(const T& value) {
        if (size_ == capacity_) {
            T copy = value;
            reserve(capacity_ * 2);
            data_[size_++] = copy;
            return;
        }
        data_[size_++] = value;
    }

private:
    void release() noexcept {
        if (data_ != inline_data()) {
            release_to(mem_, data_, capacity_ * sizeof(T), use_);
        }
    }
    T* inline_data() noexcept { return reinterpret_cast<T*>(inline_); }

    memory* mem_;
    purpose use_;
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = Inline;
    alignas(T) std::byte inline_[Inline * sizeof(T)];
    T* data_ = inline_data();
};

}  // namespace kith::containers
