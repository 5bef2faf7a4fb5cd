#include "mutate/transition.hpp"

namespace kith::mutate {

void add_ids(stage& owner, entity_t entity, const id_t* ids, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
        add_id(owner, entity, ids[i]);
    }
}

}  // namespace kith::mutate
