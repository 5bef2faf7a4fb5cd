// Held while functions of the program are asked how the results of a query are ordered. One for all
// queries: such a function may run other queries, so it can be taken again by the same thread.
#pragma once

#include "base/raise.hpp"

#include <mutex>

namespace kith::queries {

class ordering_lock {
public:
    // `busy`: of the query; an error if it is set, for then the function runs its own query.
    ordering_lock(bool& busy, const char* who) : guard_(mutex()), busy_(busy) {
        if (busy_) {
            base::text message;
            message << who << " cannot run that query";
            base::raise(errc::invalid_query, message);
        }
        busy_ = true;
    }
    ~ordering_lock() { busy_ = false; }
    ordering_lock(const ordering_lock&) = delete;
    ordering_lock& operator=(const ordering_lock&) = delete;

private:
    static std::recursive_mutex& mutex() noexcept {
        static std::recursive_mutex one;
        return one;
    }

    std::lock_guard<std::recursive_mutex> guard_;
    bool& busy_;
};

}  // namespace kith::queries
