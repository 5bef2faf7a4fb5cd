// The edges of a relation in the graph of entities: from an entity to its targets and from a target
// to its sources, whether the pairs are stored in tables or as links. Inherited pairs are excluded.
// `visit` must not change the store.
//
// Covered by tests/features/relationships/traverse_test.cpp.
#pragma once

#include "base/counters.hpp"
#include "storage/find.hpp"

#include <algorithm>

namespace kith::storage {

// The targets of an entity for a relation, numbered in the order in which each_target() visits
// them. Both directions, from number to target and from target to number, take constant time.
class own_targets {
public:
    own_targets(const store& data, const entity_record& record, entity_t entity,
                std::uint32_t relation) noexcept
        : relation_(relation),
          source_(index_of(entity)),
          type_(data.tables.at(record.table)),
          links_(find_links(data, relation)) {
        if (links_) {
            count_ = links_->target_count(source_);
            return;
        }
        const id_t any = make_pair(relation, Wildcard);
        first_ = find_id(type_, any);
        if (first_ >= 0) {
            // Ids are sorted, so the pairs of one relation are neighbours.
            const id_t* begin = type_.ids + first_;
            const id_t* end = std::partition_point(begin, type_.ids + type_.id_count, [&](id_t id) {
                return (id >> 32) == (any >> 32);
            });
            count_ = static_cast<std::uint32_t>(end - begin);
        }
    }

    std::uint32_t count() const noexcept { return count_; }
    // The index of the target with a number. Requires: number < count().
    std::uint32_t at(std::uint32_t number) const noexcept {
        KITH_COUNT(visits);
        return links_ ? links_->target_at(source_, number)
                      : pair_second(type_.ids[static_cast<std::uint32_t>(first_) + number]);
    }
    // The number of a target, -1 if the entity does not have the target.
    std::int32_t number_of(std::uint32_t target) const noexcept {
        KITH_COUNT(visits);
        if (links_) {
            return links_->find_target(source_, target);
        }
        const std::int32_t position =
            count_ != 0 ? find_id(type_, make_pair(relation_, target)) : -1;
        return position < 0 ? -1 : position - first_;
    }

private:
    std::uint32_t relation_;
    std::uint32_t source_;
    const table& type_;
    const link_store* links_;  // null if the pairs of the relation are in tables
    std::int32_t first_ = -1;  // position of the first pair in the type
    std::uint32_t count_ = 0;
};

// Calls visit(index of the target) for the targets of an entity, until a call returns false.
// Returns false if a call did. A dead entity has no targets.
template <class Visit>
bool each_target(const store& data, entity_t entity, std::uint32_t relation, Visit&& visit) {
    if (const link_store* links = find_links(data, relation)) {
        const target_span targets = links->targets(index_of(entity));
        for (std::uint32_t i = 0; i < targets.count; ++i) {
            if (!visit(i == 0 ? targets.first : targets.rest[i - 1])) {
                return false;
            }
        }
        return true;
    }
    const entity_record* record = data.entities.find(entity);
    if (!record) {
        return true;
    }
    const id_t any = make_pair(relation, Wildcard);
    const table& type = data.tables.at(record->table);
    for (std::int32_t position = find_match(type, any, 0); position >= 0;
         position = next_match(type, any, position)) {
        if (!visit(pair_second(type.ids[position]))) {
            return false;
        }
    }
    return true;
}

// Calls visit(source) for the entities with a pair (relation, target), until a call returns false.
// Returns false if a call did.
template <class Visit>
bool each_source(const store& data, std::uint32_t relation, std::uint32_t target, Visit&& visit) {
    if (const link_store* links = find_links(data, relation)) {
        source_span sources = links->sources(target);
        for (std::uint32_t i = 0; i < sources.size; ++i) {
            if (sources.items[i] != 0 && !visit(sources.items[i])) {
                return false;
            }
        }
        return true;
    }
    const id_record* record = data.ids.find(make_pair(relation, target));
    for (std::uint32_t i = 0; record && i < record->active; ++i) {
        const detail::table_rows& rows = data.tables.rows(record->tables[i].table);
        for (std::uint32_t row = 0; row < rows.count; ++row) {
            const table& owner = data.tables.at(record->tables[i].table);
            if (!visit(entity_t{entities_of(owner, rows)[row]})) {
                return false;
            }
        }
    }
    return true;
}

// Calls visit(source, index of the target) for all pairs of a relation, until a call returns false.
// Returns false if a call did.
template <class Visit>
bool each_pair(const store& data, std::uint32_t relation, Visit&& visit) {
    if (const link_store* links = find_links(data, relation)) {
        for (std::uint32_t source = links->next_source(1); source != 0;
             source = links->next_source(source + 1)) {
            for (std::uint32_t i = 0; i < links->target_count(source); ++i) {
                if (!visit(data.entities.alive_at(source), links->target_at(source, i))) {
                    return false;
                }
            }
        }
        return true;
    }
    const id_record* any = data.ids.find(make_pair(relation, Wildcard));
    for (std::uint32_t i = 0; any && i < any->active_pairs; ++i) {
        std::uint32_t target = pair_second(any->pairs[i]->id);
        if (!each_source(data, relation, target,
                         [&](entity_t source) { return visit(source, target); })) {
            return false;
        }
    }
    return true;
}

}  // namespace kith::storage
