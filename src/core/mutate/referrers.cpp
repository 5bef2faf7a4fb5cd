#include "mutate/referrers.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::id_info;

void collect_holders(const stage& world, id_t pattern, containers::vec<entity_t>& found) {
    storage::store& data = world.data;
    each_match(data, pattern, [&](const id_info&, entity_t holder) {
        found.push(data.mem, holder, purpose::commands);
    });
    std::sort(found.begin(), found.end());
    found.truncate(
        static_cast<std::uint32_t>(std::unique(found.begin(), found.end()) - found.begin()));
}

void bulk_removals::notify() {
    std::sort(all_.begin(), all_.end(), [](const id_owner& holder, const id_owner& other) {
        return holder.id != other.id ? holder.id < other.id : holder.holder < other.holder;
    });
    for (const id_owner* first = all_.begin(); first != all_.end();) {
        const id_owner* last = first;
        entities_.clear();
        for (; last != all_.end() && last->id == first->id; ++last) {
            entities_.push(world_.data.mem, last->holder, purpose::commands);
        }
        notify_bulk_removal(world_, {entities_.data(), entities_.size(), first->id});
        first = last;
    }
}

void bulk_removals::notify_bulk_removal(stage& world, events::bulk_removal all) noexcept {
    if (all.count > 1) {
        keep_error(world, [&] {
            world.events.dispatch({&world, events::before_bulk_removal, 0, 0, &all});
        });
    }
}

}  // namespace kith::mutate
