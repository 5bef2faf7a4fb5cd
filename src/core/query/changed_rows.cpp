#include "query/changed_rows.hpp"

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

void changed_rows::add(entity_t entity) {
    if (known_.insert(entity).second) {
        found_.push_back(entity);
    }
}

template <class Visit>
void changed_rows::each_inheritor(entity_t base, Visit&& visit) const {
    std::vector<entity_t> inheritors{base};
    std::unordered_set<entity_t> known;
    for (std::size_t i = 0; i < inheritors.size(); ++i) {
        visit(inheritors[i]);
        if (data_.is_base(index_of(inheritors[i]))) {
            storage::each_source(data_, IsA, index_of(inheritors[i]), [&](entity_t inheritor) {
                if (known.insert(inheritor).second) {
                    inheritors.push_back(inheritor);
                }
                return true;
            });
        }
    }
}

void changed_rows::add_below(entity_t entity, const upward& by) {
    struct visit {
        entity_t entity;
        std::uint32_t level;
    };
    std::vector<visit> open{{entity, 0}};
    while (!open.empty()) {
        const visit at = open.back();
        open.pop_back();
        storage::each_source(data_, by.relation, index_of(at.entity), [&](entity_t below) {
            const std::uint32_t level = at.level + 1;
            if (level >= by.min_depth) {
                add(below);
            }
            // A value of its own hides values above it from the entities below it.
            const bool hides = level >= by.min_depth && has_or_inherits(data_, below, by.pattern);
            if (level < by.max_depth && !hides) {
                open.push_back({below, level});
            }
            return true;
        });
    }
}

void changed_rows::collect_above(const upward& by) {
    auto add_seeing = [&](entity_t entity) {
        each_inheritor(entity, [&](entity_t inheritor) { add_below(inheritor, by); });
    };
    each_marked(by.pattern, add_seeing);
    each_marked(make_pair(IsA, Wildcard), add_seeing);
    each_marked(make_pair(by.relation, Wildcard), [&](entity_t entity) {
        add(entity);
        if (!has_or_inherits(data_, entity, by.pattern)) {
            add_below(entity, by);
        }
    });
}

// True if the query hands out the entity with a value of its own to be written.
bool changed_rows::is_written(entity_t entity, const upward& by) const {
    return by.written && std::all_of(model_.begin(), model_.end(), [&](const term& one) {
               const bool own = one.kind == term_kind::ids && one.from == source_kind::self &&
                                one.flags & Self && one.is_required() && !is_open(one.id) &&
                                !one.has_element_variables();
               return !own || has_or_inherits(data_, entity, one.id);
           });
}

void changed_rows::collect(bool own_writes) {
    auto add_row = [&](entity_t entity) { add(entity); };
    each_marked(0, add_row);
    for (const term& one : model_) {
        if (one.kind == term_kind::ids && one.from == source_kind::self && one.flags & Self) {
            each_marked(pattern_of(one), [&](entity_t entity) {
                one.follows() ? each_inheritor(entity, add_row) : add_row(entity);
            });
        }
    }
    for (const upward& by : scope_.upwards) {
        collect_above(by);
    }
    for (std::size_t i = 0; own_writes && i < found_.size(); ++i) {
        for (const upward& by : scope_.upwards) {
            if (is_written(found_[i], by)) {
                add_below(found_[i], by);
            }
        }
    }
}

}  // namespace kith::queries
