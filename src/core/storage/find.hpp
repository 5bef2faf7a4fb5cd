// The ids that an entity itself has, wherever they are stored: in its table, in sparse stores, in
// links. Inherited ids are found by traits/inherit.hpp.
#pragma once

#include "storage/store.hpp"

namespace kith::storage {

// Calls visit(relation record, target index) for each link of the entity whose pair the pattern
// matches, until a call returns false. Returns false if a call did. Patterns that are no pairs
// match no links. `index` is the index of the entity, `record` its record; `visit` must not change
// links.
template <class Visit>
bool each_link(const store& data, const entity_record& record, std::uint32_t index, id_t pattern,
               Visit&& visit) {
    if (!is_pair(pattern) || pattern & Override ||
        !(record.state & (record_any_sparse | record_has_parent))) {
        return true;
    }
    auto visit_links = [&](const id_record& relation) {
        const link_store& links = *relation.links;
        if (!(record.state & source_flag(relation))) {
            return true;
        }
        std::uint32_t target = pair_second(pattern);
        if (!is_wildcard_element(target)) {
            return !links.has(index, target) || visit(relation, target);
        }
        std::uint32_t count = links.target_count(index);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!visit(relation, links.target_at(index, i))) {
                return false;
            }
        }
        return true;
    };
    if (!is_wildcard_element(pair_first(pattern))) {
        const id_record* relation = data.ids.find(make_pair(pair_first(pattern), Wildcard));
        return !relation || !relation->links || visit_links(*relation);
    }
    for (std::uint32_t i = 0; i < data.link_ids.size(); ++i) {
        if (!visit_links(*data.link_ids[i])) {
            return false;
        }
    }
    return true;
}

// Calls visit(id record) for each sparse component of the entity that the pattern matches, until a
// call returns false. Returns false if a call did.
template <class Visit>
bool each_sparse(const store& data, const entity_record& record, std::uint32_t index, id_t pattern,
                 Visit&& visit) {
    if (is_pair(pattern) || !(record.state & record_any_sparse)) {
        return true;
    }
    if (!is_wildcard(pattern)) {
        id_record* exact = data.ids.find(pattern);
        return !exact || !exact->sparse || !exact->sparse->has(index) || visit(*exact);
    }
    for (std::uint32_t i = 0; i < data.sparse_ids.size(); ++i) {
        id_record& component = *data.sparse_ids[i];
        if (component.sparse->has(index) && !visit(component)) {
            return false;
        }
    }
    return true;
}

// True if the entity itself has an id that the pattern matches. `record` is its record.
inline bool owns_id(const store& data, const entity_record& record, entity_t entity,
                    id_t pattern) noexcept {
    if (find_match(data.tables.at(record.table), pattern, 0) >= 0) {
        return true;
    }
    if (is_pair(pattern)) {
        return !each_link(data, record, index_of(entity), pattern,
                          [](const id_record&, std::uint32_t) { return false; });
    }
    return !each_sparse(data, record, index_of(entity), pattern,
                        [](const id_record&) { return false; });
}

// The parent of a live entity, 0 if it has none.
inline entity_t parent_of(const store& data, const entity_record& record,
                          entity_t entity) noexcept {
    if (data.parents_store) {
        return record.state & record_has_parent ? detail::find_parent(data, entity) : 0;
    }
    const table& type = data.tables.at(record.table);
    if (!(type.flags & detail::shape_has_parent)) {
        return 0;
    }
    std::int32_t position = find_id(type, make_pair(ChildOf, Wildcard));
    return data.entities.alive_at(pair_second(type.ids[position]));
}
inline entity_t parent_of(const store& data, entity_t entity) noexcept {
    const entity_record* record = data.entities.find(entity);
    return record ? parent_of(data, *record, entity) : 0;
}

}  // namespace kith::storage
