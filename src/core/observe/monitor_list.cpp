#include "observe/monitor_list.hpp"

#include <algorithm>
#include <utility>

namespace kith::observe {

monitor_list::~monitor_list() {
    stop_all();
}

monitor& monitor_list::add(detail::query_head* query, std::uint32_t events,
                           const detail::observer_action& action, bool entity_wise) {
    struct guard {
        const detail::observer_action* owned;
        ~guard() {
            if (owned) {
                owned->free_function(owned->function);
            }
        }
    } unused{&action};
    all_.reserve(all_.size() + 1);
    auto made = std::make_unique<monitor>(*this, owner_, query, events, action, entity_wise);
    unused.owned = nullptr;
    struct stop_guard {
        monitor* made;
        ~stop_guard() {
            if (made) {
                made->stop();
            }
        }
    } unfinished{made.get()};
    made->start();
    all_.push_back(made.release());
    watch_entities();
    monitor& added = *all_.back();
    unfinished.made = nullptr;
    struct release_guard {
        monitor* made;
        ~release_guard() {
            if (made) {
                release(*made);
            }
        }
    } refused{&added};
    // Tells what is there, unless that is done anyway.
    mutate::user_code code(owner_);
    code.finish();
    refused.made = nullptr;
    return added;
}

void monitor_list::watch_entities() noexcept {
    owner_.monitored = std::any_of(all_.begin(), all_.end(), [](const monitor* one) {
        return !one->is_stopped() && one->is_open();
    });
    mutate::update_mode(owner_);
}

void monitor_list::release(monitor& ended) noexcept {
    if (ended.in_world) {
        ended.all().remove(ended);
    } else {
        delete &ended;
    }
}

void monitor_list::remove(monitor& ended) noexcept {
    ended.held = false;
    ended.stop();
    watch_entities();
    drop_stopped();
}

void monitor_list::drop_stopped() noexcept {
    if (settling_) {
        return;
    }
    auto gone = std::remove_if(all_.begin(), all_.end(), [](monitor* one) {
        if (one->held || one->is_busy()) {
            return false;
        }
        delete one;
        return true;
    });
    all_.erase(gone, all_.end());
}

void monitor_list::settle() {
    std::exception_ptr first;
    const bool outermost = !std::exchange(settling_, true);
    {
        // What callbacks change waits for the next round.
        mutate::user_code code(owner_);
        for (std::size_t i = 0, count = all_.size(); i < count; ++i) {
            monitor& one = *all_[i];
            if (one.is_stopped() || !one.is_pending()) {
                continue;
            }
#if defined(__cpp_exceptions)
            try {
                one.settle();
            } catch (...) {
                first = first ? first : std::current_exception();
            }
#else
            one.settle();
#endif
        }
        code.finish();
    }
    if (outermost) {
        settling_ = false;
        drop_stopped();
    }
    if (first) {
        std::rethrow_exception(first);
    }
}

void monitor_list::stop_all() noexcept {
    for (monitor* one : all_) {
        one->leave_world();
        if (!one->held) {
            delete one;
        }
    }
    all_.clear();
    watch_entities();
}

}  // namespace kith::observe
