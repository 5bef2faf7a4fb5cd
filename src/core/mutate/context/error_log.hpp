// The log of errors of deferred commands: one failing command does not stop the others.
#pragma once

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "base/raise.hpp"
#include "mutate/context/command.hpp"

#include <exception>
#include <utility>

namespace kith::mutate {

// Errors of the commands of one flush. The first error in call order is kept, all are counted.
class error_log {
public:
    // Runs the action of a command. Returns false if it threw.
    template <class Action>
    bool attempt(const command& running, Action&& action) {
        return attempt_at(running.order, action);
    }
    // Runs an action that follows from several commands; its error counts as the last one.
    template <class Action>
    bool attempt(Action&& action) {
        return attempt_at(0xFFFFFFFF, action);
    }
    // Adds the errors of another log, which is empty afterwards.
    void merge(error_log& other) noexcept {
        if (other.count_ != 0 && (count_ == 0 || other.first_order_ < first_order_)) {
            first_ = std::move(other.first_);
            first_order_ = other.first_order_;
        }
        count_ += std::exchange(other.count_, 0);
    }
    std::uint32_t count() const noexcept { return count_; }
    // Call order of the command with the first error.
    std::uint32_t first_order() const noexcept { return first_order_; }
    // Throws the first error, with the number of errors in its message if there are several.
    void raise_first() const {
#if defined(__cpp_exceptions)
        if (count_ == 0) {
            return;
        }
        if (count_ > 1) {
            KITH_ASSERT(first_, "a counted error is kept");
            try {
                std::rethrow_exception(first_);
            } catch (const error& failed) {
                base::raise(failed.code(), base::text{} << failed.what() << " (the first of "
                                                        << count_
                                                        << " deferred commands that failed)");
            }
        }
        std::rethrow_exception(first_);
#endif
    }

private:
    template <class Action>
    bool attempt_at(std::uint32_t order, Action& action) {
        bool done = true;
        base::attempt(action, [&] {
            if (count_++ == 0 || order < first_order_) {
                first_ = std::current_exception();
                first_order_ = order;
            }
            done = false;
        });
        return done;
    }

    std::uint32_t count_ = 0;
    std::uint32_t first_order_ = 0;  // call order of the command with the first error
    std::exception_ptr first_;
};

}  // namespace kith::mutate
