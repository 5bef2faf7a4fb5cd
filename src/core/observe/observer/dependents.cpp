// The breadth-first walk to dependents.
#include "observe/observer/dependents.hpp"

#include "graph/walk.hpp"

namespace kith::observe {

void dependents::collect(entity_t from, std::uint32_t relation, direction where,
                         std::uint32_t through) {
    add(from);
    for (std::uint32_t position = 0; position < entities_.size(); ++position) {
        const entity_t entity = entities_[position];
        if (through != 0) {
            graph::add_sources(entities_, data_, through, entity);
        }
        if (relation == 0) {
            continue;
        }
        if (where == direction::to_sources) {
            graph::add_sources(entities_, data_, relation, entity);
        } else {
            graph::add_targets(entities_, data_, relation, entity);
        }
    }
}

}  // namespace kith::observe
