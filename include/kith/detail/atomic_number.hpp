// Numbers that several threads may read and write. The header replaces <atomic>, which takes as
// long to compile as the rest of kith's headers together.
#pragma once

#include <cstdint>

#if !defined(__GNUC__)
#include <atomic>
#endif

namespace kith::detail {

// A counter or a version, with the few operations that kith needs.
class atomic_number {
public:
    constexpr explicit atomic_number(std::uint32_t value = 0) noexcept : value_(value) {}

#if defined(__GNUC__)
    // Reads the number. Writes before the store() of this number are visible afterwards.
    std::uint32_t load() const noexcept {
        return __atomic_load_n(&value_, __ATOMIC_ACQUIRE);
    }
    void store(std::uint32_t value) noexcept {
        __atomic_store_n(&value_, value, __ATOMIC_RELEASE);
    }
    void increment() noexcept {
        __atomic_fetch_add(&value_, 1u, __ATOMIC_RELAXED);
    }
    // Subtracts 1. True if the number became 0.
    bool decrement() noexcept {
        return __atomic_fetch_sub(&value_, 1u, __ATOMIC_ACQ_REL) == 1;
    }

private:
    std::uint32_t value_;
#else
    std::uint32_t load() const noexcept {
        return value_.load(std::memory_order_acquire);
    }
    void store(std::uint32_t value) noexcept {
        value_.store(value, std::memory_order_release);
    }
    void increment() noexcept {
        value_.fetch_add(1, std::memory_order_relaxed);
    }
    bool decrement() noexcept {
        return value_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }

private:
    std::atomic<std::uint32_t> value_;
#endif
};

// Atomic reads and writes of plain members of structs.
#if defined(__GNUC__)
template <class T>
T load_relaxed(const T& number) noexcept {
    return __atomic_load_n(&number, __ATOMIC_RELAXED);
}
template <class T>
T load_acquire(const T& number) noexcept {
    return __atomic_load_n(&number, __ATOMIC_ACQUIRE);
}
template <class T>
void store_relaxed(T& number, T value) noexcept {
    __atomic_store_n(&number, value, __ATOMIC_RELAXED);
}
template <class T>
void store_release(T& number, T value) noexcept {
    __atomic_store_n(&number, value, __ATOMIC_RELEASE);
}
#else
template <class T>
T load_relaxed(const T& number) noexcept {
    return std::atomic_ref<T>(const_cast<T&>(number)).load(std::memory_order_relaxed);
}
template <class T>
T load_acquire(const T& number) noexcept {
    return std::atomic_ref<T>(const_cast<T&>(number)).load(std::memory_order_acquire);
}
template <class T>
void store_relaxed(T& number, T value) noexcept {
    std::atomic_ref<T>(number).store(value, std::memory_order_relaxed);
}
template <class T>
void store_release(T& number, T value) noexcept {
    std::atomic_ref<T>(number).store(value, std::memory_order_release);
}
#endif

}  // namespace kith::detail
