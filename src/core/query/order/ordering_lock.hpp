// The lock that is held while functions of the program compare or group the results of a query. All
// queries share one recursive mutex, because such a function may run other queries in its thread.
#pragma once

#include <kith/detail/mutex.hpp>

#include "base/raise.hpp"

namespace kith::queries {

class ordering_lock {
public:
    // `busy` is the flag of the query. Raises an error if it is set: then a function runs the query
    // whose order it decides. `function` names that function in the message.
    ordering_lock(bool& busy, const char* function) : guard_(mutex()), busy_(busy) {
        if (busy_) {
            base::text message;
            message << function << " cannot run that query";
            base::raise(errc::invalid_query, message);
        }
        busy_ = true;
    }
    ~ordering_lock() { busy_ = false; }
    ordering_lock(const ordering_lock&) = delete;
    ordering_lock& operator=(const ordering_lock&) = delete;

private:
    static detail::recursive_mutex& mutex() noexcept {
        static detail::recursive_mutex shared;
        return shared;
    }

    detail::lock_guard<detail::recursive_mutex> guard_;
    bool& busy_;
};

}  // namespace kith::queries
