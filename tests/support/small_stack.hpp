// A thread with little stack: code that needs stack for each level of a chain overflows there on a
// chain of a few thousand levels, so that a test need not build one of many thousands.
#pragma once

#include <cstddef>

#include <pthread.h>

namespace kith_test {

// Runs func() on a thread with `bytes` of stack; false if there is no such thread.
template <class Func>
bool on_small_stack(Func func, std::size_t bytes = 256 * 1024) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, bytes);
    auto call = [](void* function) -> void* {
        (*static_cast<Func*>(function))();
        return nullptr;
    };
    pthread_t thread;
    const bool runs = pthread_create(&thread, &attributes, call, &func) == 0;
    pthread_attr_destroy(&attributes);
    return runs && pthread_join(thread, nullptr) == 0;
}

}  // namespace kith_test
