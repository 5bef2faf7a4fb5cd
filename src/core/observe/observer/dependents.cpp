// The breadth-first walk to dependents.
#include "observe/observer/dependents.hpp"

#include "graph/walk.hpp"
#include "query/plan/term_semantics.hpp"

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

void dependents::collect_seeing(const queries::term& term, entity_t visited) {
    const std::uint32_t through =
        queries::find_semantics(data_, term).transitive ? index_of(term.first) : 0;
    const bool down = term.flags & Down;
    const bool is_seen =
        down || data_.entities.at(index_of(visited)).state & storage::record_referenced;
    if (is_seen && term.follows() && term.trav != IsA) {
        // A search also finds ids that the visited entities inherit.
        collect(visited, IsA, direction::to_sources);
    }
    if (is_seen && (term.follows() || through != 0)) {
        collect(visited, term.trav, down ? direction::to_targets : direction::to_sources, through);
    } else {
        add(visited);
    }
}

}  // namespace kith::observe
