// Variables of a thread that have a destructor.
#pragma once

#include <kith/detail/mutex.hpp>

// KITH_THREAD_OWNED(pool, pool_of_thread) defines a function pool_of_thread() for the one pool that
// each thread has. The pool is made at the first call and destroyed when the thread ends. Its
// destructor relies on its own members alone, not on other variables of the thread.
//
// g++ for Windows frees the memory of thread_local variables before their destructors run, so there
// the variable lies in memory of its own, and a key of the thread destroys it.
#if defined(__MINGW32__) && !defined(__clang__)

#include <pthread.h>

namespace kith::detail {

// What a thread owns of a type. A function that is not inlined makes it, so that reading is short.
template <class T>
struct thread_owned {
    static T& make() noexcept {
        static const pthread_key_t key = [] {
            pthread_key_t made{};
            pthread_key_create(&made, destroy);
            return made;
        }();
        mine = new T;  // without memory for it the program ends
        pthread_setspecific(key, mine);
        return *mine;
    }
    static void destroy(void* owned) noexcept {
        mine = nullptr;
        delete static_cast<T*>(owned);
    }
    static inline constinit thread_local T* mine = nullptr;
};

}  // namespace kith::detail

#define KITH_THREAD_OWNED(type, name)                      \
    [[maybe_unused]] static inline type& name() noexcept { \
        using owned = ::kith::detail::thread_owned<type>;  \
        return owned::mine ? *owned::mine : owned::make(); \
    }                                                      \
    static_assert(true, "a semicolon follows")

#else

#define KITH_THREAD_OWNED(type, name)                      \
    static KITH_THREAD_LOCAL type name##_variable;         \
    [[maybe_unused]] static inline type& name() noexcept { \
        return name##_variable;                            \
    }                                                      \
    static_assert(true, "a semicolon follows")

#endif
