// The notification that several entities lose an id together.
//
// Covered by tests/features/monitors/ranges_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/rules/referrers.hpp"

namespace kith::mutate {

// The losses of ids in an operation on several entities. Listeners of bulk removals are notified
// before it begins, once for each id.
class bulk_removals {
public:
    explicit bulk_removals(stage& world) noexcept : world_(world) {}
    ~bulk_removals() {
        losses_.release(world_.data.mem, containers::purpose::commands);
        entities_.release(world_.data.mem, containers::purpose::commands);
    }
    bulk_removals(const bulk_removals&) = delete;
    bulk_removals& operator=(const bulk_removals&) = delete;

    // Adds a loss, if its removal has listeners.
    void add(const storage::id_info& id, entity_t holder) {
        if (id.event_mask & storage::event_remove) {
            losses_.push(world_.data.mem, {id.id, holder}, containers::purpose::commands);
        }
    }
    bool empty() const noexcept { return losses_.empty(); }
    // Notifies of all losses, grouped by id.
    void notify();
    // Notifies of entities that are deleted or lose one id together, if there are several.
    static void notify_bulk_removal(stage& world, events::bulk_removal losses) noexcept;

private:
    stage& world_;
    containers::vec<id_owner> losses_;
    containers::vec<entity_t> entities_;  // scratch: the holders of one id
};

}  // namespace kith::mutate
