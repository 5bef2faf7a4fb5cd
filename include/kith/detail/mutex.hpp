// Mutexes for kith's own sources: std::mutex on platforms with threads. On WebAssembly
// without threads, locks do nothing, and variables of a thread are variables of the program.
#pragma once

#if defined(__wasm__) && !defined(_REENTRANT)
#define KITH_NO_THREADS 1
#endif

#if defined(KITH_NO_THREADS)

#define KITH_THREAD_LOCAL

namespace kith::detail {

inline constexpr bool has_threads = false;

struct mutex {
    void lock() noexcept {}
    void unlock() noexcept {}
    bool try_lock() noexcept { return true; }
};
using recursive_mutex = mutex;

template <class Mutex>
struct lock_guard {
    explicit lock_guard(Mutex&) noexcept {}
    ~lock_guard() {}
    lock_guard(const lock_guard&) = delete;
    lock_guard& operator=(const lock_guard&) = delete;
};

template <class Mutex>
struct unique_lock {
    unique_lock() noexcept = default;
    explicit unique_lock(Mutex&) noexcept {}
    unique_lock(unique_lock&&) noexcept = default;
    unique_lock& operator=(unique_lock&&) noexcept = default;
    ~unique_lock() {}
    void lock() noexcept {}
    void unlock() noexcept {}
};

}  // namespace kith::detail

#else

#include <mutex>

#define KITH_THREAD_LOCAL thread_local

namespace kith::detail {

inline constexpr bool has_threads = true;

using std::lock_guard;
using std::mutex;
using std::recursive_mutex;
using std::unique_lock;

}  // namespace kith::detail

#endif
