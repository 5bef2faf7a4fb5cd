// A guard that runs an action when its scope ends, by return or by exception. It replaces local
// structs whose only content is a destructor.
//
// Covered by tests/unit/base/scope_exit_test.cpp.
#pragma once

#include <type_traits>
#include <utility>

namespace kith::base {

// Usage:
//     base::scope_exit undo([&] { index.release(); });
//     ...              // steps that can fail
//     undo.release();  // the work is complete
// The action must not throw: it runs in a destructor, possibly while an exception is under way.
// Guards of one scope run in reverse order of their declaration.
template <class Action>
class [[nodiscard]] scope_exit {
public:
    explicit scope_exit(Action action) noexcept : action_(std::move(action)) {
        static_assert(std::is_nothrow_move_constructible_v<Action>,
                      "an action that fails to move would be lost");
    }
    ~scope_exit() {
        if (armed_) {
            action_();
        }
    }
    scope_exit(const scope_exit&) = delete;
    scope_exit& operator=(const scope_exit&) = delete;

    // The action does not run any more.
    void release() noexcept { armed_ = false; }

private:
    Action action_;
    bool armed_ = true;
};

}  // namespace kith::base
