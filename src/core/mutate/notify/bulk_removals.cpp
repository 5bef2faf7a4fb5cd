// Implements bulk_removals.hpp.
#include "mutate/notify/bulk_removals.hpp"

#include "mutate/rules/referrers.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;

void bulk_removals::notify() {
    std::sort(losses_.begin(), losses_.end(), [](const id_owner& left, const id_owner& right) {
        return left.id != right.id ? left.id < right.id : left.holder < right.holder;
    });
    for (const id_owner* first = losses_.begin(); first != losses_.end();) {
        const id_owner* last = first;
        entities_.clear();
        for (; last != losses_.end() && last->id == first->id; ++last) {
            entities_.push(world_.data.mem, last->holder, purpose::commands);
        }
        notify_bulk_removal(world_, {entities_.data(), entities_.size(), first->id});
        first = last;
    }
}

void bulk_removals::notify_bulk_removal(stage& world, events::bulk_removal losses) noexcept {
    if (losses.count > 1) {
        keep_error(world, [&] {
            world.events.dispatch({&world, events::before_bulk_removal, 0, 0, &losses});
        });
    }
}

}  // namespace kith::mutate
