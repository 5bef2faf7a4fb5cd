// The results of a query that compares values, as they were at the end of the last batch. A value
// has changed when its event is dispatched, so the results before the change are no longer found by
// a run of the query.
#pragma once

#include "observe/monitor/tuple_set.hpp"

#include <memory>
#include <utility>

namespace kith::observe {

class held_results {
public:
    held_results(containers::memory& mem, std::uint32_t width) noexcept
        : mem_(mem), width_(width), keys_(std::make_unique<tuple_set>(mem, width)) {}

    bool has(const id_t* key) const noexcept {
        const std::uint32_t number = keys_->find(key);
        return number != tuple_set::none && keys_->mark(number) == is_held;
    }
    void add(const id_t* key) {
        const std::uint32_t number = keys_->find(key);
        if (number == tuple_set::none) {
            keys_->add(key, is_held);
        } else {
            gone_ -= keys_->mark(number) == is_gone;
            keys_->mark(number) = is_held;
        }
    }
    void remove(const id_t* key) noexcept {
        const std::uint32_t number = keys_->find(key);
        if (number != tuple_set::none && keys_->mark(number) == is_held) {
            keys_->mark(number) = is_gone;
            ++gone_;
        }
    }
    // Calls visit(key) for each result.
    template <class Visit>
    void each(Visit&& visit) const {
        for (std::uint32_t i = 0; i < keys_->size(); ++i) {
            if (keys_->mark(i) == is_held) {
                visit(keys_->at(i));
            }
        }
    }
    // Frees the memory of removed results if they are the most.
    void shrink() {
        if (gone_ < few || 2 * gone_ < keys_->size()) {
            return;
        }
        auto kept = std::make_unique<tuple_set>(mem_, width_);
        each([&](const id_t* key) { kept->add(key, is_held); });
        keys_ = std::move(kept);
        gone_ = 0;
    }

private:
    enum : std::uint8_t { is_gone, is_held };
    static constexpr std::uint32_t few = 64;

    containers::memory& mem_;
    std::uint32_t width_;
    std::unique_ptr<tuple_set> keys_;
    std::uint32_t gone_ = 0;  // keys of results that hold no more
};

}  // namespace kith::observe
