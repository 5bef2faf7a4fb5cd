// Changed rows of a query, declared in changed_rows.hpp.
#include "query/changes/changed_rows.hpp"

#include "graph/reach.hpp"
#include "storage/graph.hpp"

#include <algorithm>

namespace kith::queries {

template <class Visit>
void changed_rows::each_marked(id_t pattern, Visit&& visit) const {
    data_.ticks.single().each_changed(pattern, since_, reader_, [&](std::uint32_t index) {
        if (const entity_t entity = data_.entities.alive_at(index)) {
            visit(entity);
        }
    });
}

void changed_rows::add_below(entity_t entity, const upward& search) {
    struct visit {
        entity_t entity;
        std::uint32_t level;
    };
    std::vector<visit> open{{entity, 0}};
    while (!open.empty()) {
        const visit visit = open.back();
        open.pop_back();
        storage::each_source(data_, search.relation, index_of(visit.entity), [&](entity_t below) {
            const std::uint32_t level = visit.level + 1;
            if (level >= search.min_depth) {
                add(below);
            }
            // An id of the entity hides the ids above it from the entities below it.
            const bool hides =
                level >= search.min_depth && has_or_inherits(data_, below, search.pattern);
            if (level < search.max_depth && !hides) {
                open.push_back({below, level});
            }
            return true;
        });
    }
}

void changed_rows::collect_above(const upward& search) {
    // An entity sees a change on its ancestor, or on a base of its ancestor.
    auto add_seeing = [&](entity_t entity) {
        for (entity_t inheritor : graph::subtypes_of(data_, entity)) {
            add_below(inheritor, search);
        }
    };
    each_marked(search.pattern, add_seeing);
    each_marked(detail::any_base, add_seeing);
    // An entity with another target sees other ancestors, and so do the entities below it.
    each_marked(make_pair(search.relation, Wildcard), [&](entity_t entity) {
        add(entity);
        if (!has_or_inherits(data_, entity, search.pattern)) {
            add_below(entity, search);
        }
    });
}

// True if the query may hand out the entity with a value of its own that callbacks write.
bool changed_rows::is_written(entity_t entity, const upward& search) const {
    return search.written && std::all_of(model_.begin(), model_.end(), [&](const term& term) {
               const bool own = term.kind == term_kind::ids && term.from == source_kind::self &&
                                term.flags & Self && term.is_required() && !is_open(term.id) &&
                                !term.has_element_variables();
               return !own || has_or_inherits(data_, entity, term.id);
           });
}

void changed_rows::collect(bool own_writes) {
    auto add_row = [&](entity_t entity) { add(entity); };
    each_marked(0, add_row);
    for (const term& term : model_) {
        if (term.kind == term_kind::ids && term.from == source_kind::self && term.flags & Self) {
            each_marked(pattern_of(term), [&](entity_t entity) {
                if (term.follows()) {
                    const graph::visit_set inheritors = graph::subtypes_of(data_, entity);
                    std::for_each(inheritors.begin(), inheritors.end(), add_row);
                } else {
                    add_row(entity);
                }
            });
        }
    }
    for (const upward& search : dependencies_.upwards) {
        collect_above(search);
    }
    // found_ grows meanwhile: an entity that is added may be written as well.
    for (std::uint32_t i = 0; own_writes && i < found_.size(); ++i) {
        for (const upward& search : dependencies_.upwards) {
            if (is_written(found_[i], search)) {
                add_below(found_[i], search);
            }
        }
    }
}

}  // namespace kith::queries
