// The ids that new entities will get (kith/detail/next_ids.hpp).
#include <kith/detail/next_ids.hpp>

#include "api/world_impl.hpp"
#include "storage/entity_index_state.hpp"

namespace kith::detail {

next_ids save_next_ids(const world_t* world) {
    const storage::entity_index& index = api::impl_of(world).data.entities;
    next_ids saved;
    index.each_next([&](std::uint32_t next) {
        // The index before is free; the last one was never issued.
        if (saved.fresh != 0) {
            const std::uint32_t state = index.at(saved.fresh).state;
            saved.free.push_back(make_entity_id(saved.fresh, static_cast<std::uint16_t>(state)));
        }
        saved.fresh = next;
    });
    return saved;
}

void restore_next_ids(world_t* world, const next_ids& saved) noexcept {
    storage::entity_index_state::restore_next(api::impl_of(world).data.entities, saved.free.data(),
                                              saved.free.size(), saved.fresh);
}

}  // namespace kith::detail
