// Those who remember something about entities, and want to know when it changes.
#pragma once

#include <cstdint>

namespace kith::storage {

struct table;

struct change_watch {
    // What the entity has beside its table changed: a sparse component, or a link from it.
    void (*changed)(void* context, std::uint32_t index) noexcept;
    // The entity went from one table to another.
    void (*moved)(void* context, std::uint32_t index, const table& from, const table& to) noexcept;
    void* context;
};

// Two of them, and one test for both.
class watch_pair {
public:
    enum which : std::uint8_t { memory, counter };
    void set(which at, const change_watch* watch) noexcept {
        watches_[at] = watch;
        any_ = watches_[memory] || watches_[counter];
    }
    // Caches must drop their data about the entity, which has not changed.
    void notify_memory(std::uint32_t index) const noexcept {
        if (const change_watch* watch = watches_[memory]) [[unlikely]] {
            watch->changed(watch->context, index);
        }
    }
    void notify(std::uint32_t index) const noexcept {
        if (any_) [[unlikely]] {
            notify_all(index);
        }
    }

private:
    void notify_all(std::uint32_t index) const noexcept {
        for (const change_watch* watch : watches_) {
            if (watch) {
                watch->changed(watch->context, index);
            }
        }
    }
    const change_watch* watches_[2] = {};
    bool any_ = false;
};

}  // namespace kith::storage
