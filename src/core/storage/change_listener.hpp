// Those who remember something about entities, and want to know when it changes.
#pragma once

#include <cstdint>

namespace kith::storage {

struct table;

struct change_listener {
    // What the entity has beside its table changed: a sparse component, or a link from it.
    void (*changed)(void* context, std::uint32_t index) noexcept;
    // The entity went from one table to another.
    void (*moved)(void* context, std::uint32_t index, const table& from, const table& to) noexcept;
    void* context;
};

// Two of them, and one test for both.
class change_listeners {
public:
    enum which : std::uint8_t { memory, counter };
    void set(which at, const change_listener* listener) noexcept {
        listeners_[at] = listener;
        any_ = listeners_[memory] || listeners_[counter];
    }
    // Caches must drop their data about the entity, which has not changed.
    void notify_memory(std::uint32_t index) const noexcept {
        if (const change_listener* listener = listeners_[memory]) [[unlikely]] {
            listener->changed(listener->context, index);
        }
    }
    void notify(std::uint32_t index) const noexcept {
        if (any_) [[unlikely]] {
            notify_all(index);
        }
    }

private:
    void notify_all(std::uint32_t index) const noexcept {
        for (const change_listener* listener : listeners_) {
            if (listener) {
                listener->changed(listener->context, index);
            }
        }
    }
    const change_listener* listeners_[2] = {};
    bool any_ = false;
};

}  // namespace kith::storage
