// Creation, batches and destruction of monitors.
#include "observe/monitor/monitor_list.hpp"

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "base/counters.hpp"
#include "base/scope_exit.hpp"
#include "containers/reserve_one.hpp"
#include "mutate/queue/post_iteration.hpp"

#include <algorithm>
#include <utility>

namespace kith::observe {

monitor_list::~monitor_list() {
    stop_all();
}

monitor& monitor_list::add(detail::query_head* query, std::uint32_t events,
                           const detail::observer_action& action, bool row_at_a_time) {
    base::scope_exit free_action([&] { action.free_function(action.function); });
    containers::reserve_one(all_);
    auto owned = std::make_unique<monitor>(*this, world_, query, events, action, row_at_a_time);
    free_action.release();
    base::scope_exit stop([&] { owned->stop(); });
    owned->start();
    stop.release();
    monitor& added = *owned.release();
    added.list_number = next_number_++;
    all_.push_back({added.list_number, &added});
    open_count_ += added.is_open();
    subscribe_to_entities();
    if (added.compares_values()) {
        world_.data.ticks.on_write = {on_written, this};
    }
    base::scope_exit remove_unreported([&] { release(added); });
    // The end of this scope is the end of a batch, unless one is open around it: existing results
    // are reported here.
    mutate::callback_scope code(world_);
    code.finish();
    remove_unreported.release();
    return added;
}

void monitor_list::on_written(void* me, id_t id) noexcept {
    monitor_list& list = *static_cast<monitor_list*>(me);
    bool any = false;
    for (const entry& each : list.all_) {
        any |= each.listed && !each.listed->is_stopped() && each.listed->note_written(id);
    }
    // Parts of frames on several threads end before their batch is opened.
    if (any && !(list.world_.mode & detail::mode_redirected)) {
        list.world_.operation.batch_open = true;
        mutate::defer_past_iteration(list.world_);
    }
}

void monitor_list::open_written() noexcept {
    for (const entry& each : all_) {
        if (each.listed && !each.listed->is_stopped() && each.listed->is_pending()) {
            world_.operation.batch_open = true;
        }
    }
}

void monitor_list::subscribe_to_entities() noexcept {
    world_.monitored = open_count_ != 0;
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
    const bool was_open = !ended.is_stopped() && ended.is_open();
    KITH_ASSERT(open_count_ >= std::size_t{was_open}, "open monitors are counted");
    open_count_ -= was_open;
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
    KITH_ASSERT(place != all_.end() && place->listed == &ended, "a monitor is in its world's list");
    KITH_ASSERT(!ended.is_busy(), "no callback of the monitor is running");
    place->listed = nullptr;
    ++gap_count_;
    delete &ended;
}

void monitor_list::drop_stopped() noexcept {
    if (!std::exchange(unfinished_, false)) {
        return;
    }
    // Destroying a callback may release other monitors.
    ending_batch_ = true;
    for (std::size_t i = 0; i < all_.size(); ++i) {
        monitor* monitor = all_[i].listed;
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

void monitor_list::close_gaps() noexcept {
    if (2 * gap_count_ >= all_.size()) {
        std::erase_if(all_, [](const entry& each) {
            KITH_COUNT(entries);
            return !each.listed;
        });
        gap_count_ = 0;
    }
}

void monitor_list::end_batch() {
    std::exception_ptr first;
    const bool outermost = !std::exchange(ending_batch_, true);
    {
        // Changes that callbacks make are deferred, and belong to the next batch.
        mutate::callback_scope code(world_);
        for (std::size_t i = 0, count = all_.size(); i < count; ++i) {
            monitor* listed = all_[i].listed;
            if (!listed || listed->is_stopped() || !listed->is_pending()) {
                continue;
            }
            base::attempt([&] { listed->end_batch(); },
                          [&] { first = first ? first : std::current_exception(); });
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

void monitor_list::record_all() {
    for (const entry& each : all_) {
        if (each.listed && !each.listed->is_stopped() && !each.listed->is_pending()) {
            each.listed->record_all();
        }
    }
}

void monitor_list::stop_all() noexcept {
    for (const entry& each : all_) {
        if (!each.listed) {
            continue;
        }
        each.listed->leave_world();
        if (!each.listed->held) {
            delete each.listed;
        }
    }
    all_.clear();
    world_.data.ticks.on_write = {};
    gap_count_ = open_count_ = 0;
    subscribe_to_entities();
}

}  // namespace kith::observe
