// The process-wide target of warnings (kith::set_log, base::warn). A mutex protects the target,
// because worlds of several threads warn.
#include "base/log.hpp"

#include <kith/detail/mutex.hpp>

#include <cstdio>

namespace kith {

namespace {

struct log_target {
    log_handler handler = nullptr;
    void* context = nullptr;
};

detail::mutex log_mutex;
log_target current_target;

}  // namespace

void set_log(log_handler handler, void* context) noexcept {
    detail::lock_guard lock(log_mutex);
    current_target = {handler, context};
}

void base::warn(const text& message) noexcept {
    log_target target;
    {
        // The lock ends before the handler runs: the handler may call set_log.
        detail::lock_guard lock(log_mutex);
        target = current_target;
    }
    if (target.handler) {
        target.handler(message.c_str(), target.context);
    } else {
        std::fprintf(stderr, "kith: %s\n", message.c_str());
    }
}

}  // namespace kith
