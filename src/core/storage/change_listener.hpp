// Change listeners: caches and counters that a sparse store or link store notifies when the sparse
// components or links of an entity change. Changes of tables are reported by the store itself.
#pragma once

#include <cstdint>

namespace kith::storage {

struct table;

struct change_listener {
    // The entity got or lost a sparse component, a link from it, or an id was switched on or off.
    void (*changed)(void* context, std::uint32_t index) noexcept;
    // The row of the entity moved to another table. Null if the listener does not need it.
    void (*moved)(void* context, std::uint32_t index, const table& from, const table& to) noexcept;
    void* context;
};

// The listeners of a store: a cache (memory) and the change ticks (counter). The frequent case, no
// listener at all, costs a single test.
class change_listeners {
public:
    enum which : std::uint8_t { memory, counter };
    // Null removes the listener. The listener must outlive its registration.
    void set(which kind, const change_listener* listener) noexcept {
        listeners_[kind] = listener;
        any_ = unwritten_ || listeners_[memory] || listeners_[counter];
    }
    // For snapshots: the store is unwritten until the next notification.
    void set_unwritten(bool unwritten) noexcept {
        unwritten_ = unwritten;
        set(memory, listeners_[memory]);
    }
    bool is_unwritten() const noexcept { return unwritten_; }
    // Notifies caches only: the entity has not changed, but data about it became invalid.
    void notify_memory(std::uint32_t index) const noexcept {
        if (const change_listener* listener = listeners_[memory]) [[unlikely]] {
            listener->changed(listener->context, index);
        }
    }
    void notify(std::uint32_t index) noexcept {
        ++edition_;
        if (any_) [[unlikely]] {
            notify_all(index);
        }
    }
    // Differs after each change of the store, for readers that compare.
    std::uint64_t edition() const noexcept { return edition_; }
    // The whole contents of the store were exchanged.
    void note_exchange() noexcept { ++edition_; }

private:
    void notify_all(std::uint32_t index) noexcept {
        if (unwritten_) {
            set_unwritten(false);
        }
        for (const change_listener* listener : listeners_) {
            if (listener) {
                listener->changed(listener->context, index);
            }
        }
    }
    const change_listener* listeners_[2] = {};
    bool unwritten_ = false;
    bool any_ = false;  // a listener is set, or unwritten_
    std::uint64_t edition_ = 0;
};

}  // namespace kith::storage
