// The subjects that see an entity.
#include "observe/observer/subject_runs.hpp"

#include "query/plan/term_semantics.hpp"

namespace kith::observe {

void subject_runs::collect_seeing(const queries::term& term, entity_t entity,
                                  dependents& entities) const {
    const storage::store& data = context_.data();
    const std::uint32_t through =
        queries::find_semantics(data, term).transitive ? index_of(term.first) : 0;
    const bool down = term.flags & Down;
    const bool is_seen =
        down || data.entities.at(index_of(entity)).state & storage::record_referenced;
    if (is_seen && term.follows() && term.trav != IsA) {
        // A search also finds ids that the visited entities inherit.
        entities.collect(entity, IsA, dependents::direction::to_sources);
    }
    if (is_seen && (term.follows() || through != 0)) {
        entities.collect(
            entity, term.trav,
            down ? dependents::direction::to_targets : dependents::direction::to_sources, through);
    } else {
        entities.add(entity);
    }
}

}  // namespace kith::observe
