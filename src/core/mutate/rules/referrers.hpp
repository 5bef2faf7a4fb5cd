// Referrers: the entities with an id, the ids with an entity as an element, and the entities with
// ids that match a pattern.
//
// Covered by tests/features/relationships/cleanup_policies_test.cpp and
// tests/features/monitors/ranges_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"
#include "storage/graph.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

// Calls visit(entity) for all entities with the id of a record, in tables and in the sparse store.
// Requires: `visit` changes none of them.
template <class Visit>
void each_entity_with(const storage::store& data, const storage::id_record& record, Visit&& visit) {
    for (const storage::table_entry& entry : record.tables) {
        const detail::table_rows& rows = data.tables.rows(entry.table);
        const entity_t* entities =
            rows.count ? storage::entities_of(data.tables.at(entry.table), rows) : nullptr;
        for (std::uint32_t row = 0; row < rows.count; ++row) {
            visit(entities[row]);
        }
    }
    for (std::uint32_t i = 0; record.sparse && i < record.sparse->count(); ++i) {
        visit(record.sparse->entity_at(i));
    }
}

// Calls visit(id) for each id that directly implies (With) the id.
template <class Visit>
void each_implying(const storage::store& data, id_t id, Visit&& visit) {
    const entity_t implied = is_pair(id) ? data.entities.alive_at(pair_first(id)) : id;
    if (const storage::id_record* with = data.ids.find(make_pair(With, implied))) {
        each_entity_with(data, *with, [&](entity_t implying) {
            visit(is_pair(id) ? make_pair(implying, pair_second(id)) : implying);
        });
    }
}

// Calls visit(source, target index) for links of a relationship: all of them if the entity is the
// relationship itself (is_first), else those with the entity as target.
template <class Visit>
void each_link_source(const storage::store& data, const storage::id_record& relation,
                      entity_t entity, bool is_first, Visit&& visit) {
    if (is_first) {
        storage::each_pair(data, pair_first(relation.id), [&](entity_t source, std::uint32_t to) {
            visit(source, to);
            return true;
        });
        return;
    }
    storage::source_span sources = relation.links->sources(index_of(entity));
    for (std::uint32_t i = 0; i < sources.size; ++i) {
        if (sources.items[i] != 0) {
            visit(sources.items[i], index_of(entity));
        }
    }
}

// Calls visit(record, is_first) for the records of ids with the entity as an element: itself, its
// pairs, pairs with it as target, and the override marks of these. `is_first` is false for the
// pairs with it as target.
template <class Visit>
void each_id_naming(const storage::store& data, entity_t entity, Visit&& visit) {
    const bool has_marks = data.ids.has_marks();
    auto visit_marked = [&](storage::id_record& record, bool is_first) {
        visit(record, is_first);
        if (storage::id_record* mark = has_marks ? data.ids.find(Override | record.id) : nullptr) {
            visit(*mark, is_first);
        }
    };
    if (storage::id_record* plain = data.ids.find(entity)) {
        visit_marked(*plain, true);
    }
    if (const storage::id_record* relation = data.ids.find(make_pair(entity, Wildcard))) {
        for (storage::id_record* pair : relation->pairs) {
            visit_marked(*pair, true);
        }
    }
    for (storage::id_record* pair = data.ids.first_with_target(index_of(entity)); pair;
         pair = data.ids.next_with_target(*pair)) {
        visit_marked(*pair, false);
    }
}

// Calls visit(relation record, is_first) for the sparse relationships that the entity is a target
// of, and for its own links if it is one.
template <class Visit>
void each_link_relation_to(const storage::store& data, entity_t entity, std::uint32_t state,
                           Visit&& visit) {
    if (state & storage::record_has_children && data.parents_store &&
        data.parents_store->is_target(index_of(entity))) {
        visit(*data.parents_relation, false);
    }
    if (state & storage::record_link_target) {
        for (std::uint32_t i = 0; i < data.link_ids.size(); ++i) {
            const storage::id_record& relation = *data.link_ids[i];
            if (pair_first(relation.id) != ChildOf && relation.links->is_target(index_of(entity))) {
                visit(relation, false);
            }
        }
    }
    if (state & storage::record_used_as_id && !data.link_ids.empty()) {
        const storage::id_record* relation = data.ids.find(make_pair(entity, Wildcard));
        if (relation && relation->links && relation->links->pair_count() != 0) {
            visit(*relation, true);
        }
    }
}

// One way in which entities refer to an element: an id with the element, or the links of a
// relationship.
struct reference {
    const storage::id_record* record;  // of the id; of links: (R,*)
    bool is_first;  // the element is the id itself or its relationship, not its target
    bool is_link;
};

// Calls visit(reference) for all ways in which entities refer to the element. `state`: the flags of
// its record.
template <class Visit>
void each_reference(const storage::store& data, entity_t element, std::uint32_t state,
                    Visit&& visit) {
    if (state & storage::record_used_as_id) {
        each_id_naming(data, element, [&](storage::id_record& record, bool is_first) {
            visit(reference{&record, is_first, false});
        });
    }
    each_link_relation_to(data, element, state,
                          [&](const storage::id_record& relation, bool is_first) {
                              visit(reference{&relation, is_first, true});
                          });
}
// Calls visit(id, entity) for each entity that refers to the element in this way. Requires: `visit`
// changes none of them.
template <class Visit>
void each_referrer(const storage::store& data, entity_t element, const reference& use,
                   Visit&& visit) {
    if (!use.is_link) {
        each_entity_with(data, *use.record,
                         [&](entity_t holder) { visit(use.record->id, holder); });
        return;
    }
    const std::uint32_t relation = pair_first(use.record->id);
    each_link_source(
        data, *use.record, element, use.is_first,
        [&](entity_t source, std::uint32_t target) { visit(make_pair(relation, target), source); });
}

// Calls visit(id_info, entity) for each id that matches the pattern and each entity with it.
template <class Visit>
void each_match(const storage::store& data, id_t pattern, Visit&& visit) {
    auto visit_all = [&](const storage::id_record& record) {
        each_entity_with(data, record,
                         [&](entity_t holder) { visit(storage::id_info{record}, holder); });
    };
    for (std::uint32_t i = 0; is_pair(pattern) && i < data.link_ids.size(); ++i) {
        const storage::id_record& relation = *data.link_ids[i];
        if (!is_wildcard_element(pair_first(pattern)) &&
            pair_first(pattern) != pair_first(relation.id)) {
            continue;
        }
        bool any = is_wildcard_element(pair_second(pattern));
        each_link_source(data, relation, any ? 0 : data.entities.alive_at(pair_second(pattern)),
                         any, [&](entity_t source, std::uint32_t target) {
                             visit(traits::describe_link(data, relation, target), source);
                         });
    }
    if (!is_wildcard(pattern)) {
        if (const storage::id_record* record = data.ids.find(pattern)) {
            visit_all(*record);
        }
        return;
    }
    for (std::uint32_t number = 0; number < data.ids.number_limit(); ++number) {
        const storage::id_record* record = data.ids.by_number(number);
        if (record && !is_wildcard(record->id) && matches_id(pattern, record->id)) {
            visit_all(*record);
        }
    }
}

// Collects the entities with an id that matches the pattern, in the order of their ids, each once.
// On an exception the caller releases the list.
void collect_holders(const stage& world, id_t pattern, containers::vec<entity_t>& holders);

// An id together with a holder of the id.
struct id_owner {
    id_t id;
    entity_t holder;
};

}  // namespace kith::mutate
