// The last change of something, which threads may mark while others read it.
#pragma once

#include <kith/detail/layout.hpp>

#include <atomic>

namespace kith::storage {

// The last change of something, and who made it: a query that wrote while it ran (its number), or
// 0: anybody else. So a query can be told of all changes but its own.
struct change_mark {
    std::uint64_t last = 0;
    std::uint64_t other = 0;  // the last one by somebody else than `writer`
    std::uint32_t writer = 0;

    // The last change that was not made by `reader`.
    std::uint64_t tick_for(std::uint32_t reader) const noexcept {
        // The writer first: where it is new, the other fields are too.
        return ref(writer).load(std::memory_order_acquire) == reader && reader != 0
                   ? ref(other).load(std::memory_order_relaxed)
                   : ref(last).load(std::memory_order_relaxed);
    }
    void set(std::uint64_t tick, std::uint32_t by) noexcept {
        if (ref(writer).load(std::memory_order_relaxed) != by) {
            ref(other).store(ref(last).load(std::memory_order_relaxed), std::memory_order_relaxed);
            ref(writer).store(by, std::memory_order_release);
        }
        ref(last).store(tick, std::memory_order_relaxed);
    }

private:
    template <class T>
    static std::atomic_ref<T> ref(const T& number) noexcept {
        return std::atomic_ref<T>(const_cast<T&>(number));
    }
};

}  // namespace kith::storage
