#include "observe/monitor_list.hpp"

#include "base/counters.hpp"
#include "containers/reserve_one.hpp"

#include <algorithm>
#include <utility>

namespace kith::observe {

monitor_list::~monitor_list() {
    stop_all();
}

monitor& monitor_list::add(detail::query_head* query, std::uint32_t events,
                           const detail::observer_action& action, bool row_at_a_time) {
    struct guard {
        const detail::observer_action* owned;
        ~guard() {
            if (owned) {
                owned->free_function(owned->function);
            }
        }
    } unused{&action};
    containers::reserve_one(all_);
    auto made = std::make_unique<monitor>(*this, world_, query, events, action, row_at_a_time);
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
    made->list_number = next_number_++;
    all_.push_back({made->list_number, made.get()});
    monitor& added = *made.release();
    open_ += added.is_open();
    subscribe_to_entities();
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
    mutate::callback_scope code(world_);
    code.finish();
    refused.made = nullptr;
    return added;
}

void monitor_list::subscribe_to_entities() noexcept {
    world_.monitored = open_ != 0;
    mutate::update_mode(world_);
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
    open_ -= !ended.is_stopped() && ended.is_open();
    ended.stop();
    subscribe_to_entities();
    if (ending_batch_ || ended.is_busy()) {
        unfinished_ = true;
    } else {
        drop(ended);
        close_gaps();
    }
}

void monitor_list::drop(monitor& ended) noexcept {
    auto place = std::lower_bound(all_.begin(), all_.end(), ended.list_number,
                                  [](const entry& left, std::uint64_t number) {
                                      KITH_COUNT(entries);
                                      return left.number < number;
                                  });
    place->one = nullptr;
    ++gone_;
    delete &ended;
}

void monitor_list::drop_stopped() noexcept {
    if (!std::exchange(unfinished_, false)) {
        return;
    }
    // Destroying a callback may release other monitors.
    ending_batch_ = true;
    for (std::size_t i = 0; i < all_.size(); ++i) {
        monitor* monitor = all_[i].one;
        KITH_COUNT(entries);
        if (!monitor || monitor->held) {
            continue;
        }
        if (monitor->is_busy()) {
            unfinished_ = true;
        } else {
            drop(*monitor);
        }
    }
    ending_batch_ = false;
    close_gaps();
}

// The cost is spread over the monitors that were removed.
void monitor_list::close_gaps() noexcept {
    if (2 * gone_ >= all_.size()) {
        std::erase_if(all_, [](const entry& each) {
            KITH_COUNT(entries);
            return !each.one;
        });
        gone_ = 0;
    }
}

void monitor_list::end_batch() {
    std::exception_ptr first;
    const bool outermost = !std::exchange(ending_batch_, true);
    {
        // What callbacks change waits for the next round.
        mutate::callback_scope code(world_);
        for (std::size_t i = 0, count = all_.size(); i < count; ++i) {
            if (!all_[i].one || all_[i].one->is_stopped() || !all_[i].one->is_pending()) {
                continue;
            }
            monitor& monitor = *all_[i].one;
#if defined(__cpp_exceptions)
            try {
                monitor.end_batch();
            } catch (...) {
                first = first ? first : std::current_exception();
            }
#else
            one.end_batch();
#endif
        }
        code.finish();
    }
    if (outermost) {
        ending_batch_ = false;
        drop_stopped();
    }
    if (first) {
        std::rethrow_exception(first);
    }
}

void monitor_list::stop_all() noexcept {
    for (const entry& each : all_) {
        if (!each.one) {
            continue;
        }
        each.one->leave_world();
        if (!each.one->held) {
            delete each.one;
        }
    }
    all_.clear();
    gone_ = open_ = 0;
    subscribe_to_entities();
}

}  // namespace kith::observe
