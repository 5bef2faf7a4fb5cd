// A number that several threads may read and write. What the headers need of <atomic>, which takes
// as long to compile as the rest of them together.
#pragma once

#include <cstdint>

#if !defined(__GNUC__)
#include <atomic>
#endif

namespace kith::detail {

class atomic_number {
public:
    constexpr explicit atomic_number(std::uint32_t value = 0) noexcept : value_(value) {}

#if defined(__GNUC__)
    // Sees what was written before the number was stored.
    std::uint32_t load() const noexcept {
        return __atomic_load_n(&value_, __ATOMIC_ACQUIRE);
    }
    void store(std::uint32_t value) noexcept {
        __atomic_store_n(&value_, value, __ATOMIC_RELEASE);
    }
    void increment() noexcept {
        __atomic_fetch_add(&value_, 1u, __ATOMIC_RELAXED);
    }
    // True if it became 0.
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

}  // namespace kith::detail
