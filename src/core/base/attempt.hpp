// Running an action whose failure must not leave the caller, with and without exceptions.
//
// Covered by tests/unit/base/attempt_test.cpp.
#pragma once

namespace kith::base {

// Runs the action. If it throws, `on_error` runs inside of the handler: it may read the exception
// by std::current_exception() or throw again. In builds without exceptions an action that fails
// does not return, and `on_error` never runs. Inlined always: the dispatch of an event is about as
// short as a call.
template <class Action, class OnError>
[[gnu::always_inline]] inline void attempt(Action&& action, [[maybe_unused]] OnError&& on_error) {
#if defined(__cpp_exceptions)
    try {
        action();
    } catch (...) {
        on_error();
    }
#else
    action();
#endif
}

}  // namespace kith::base
