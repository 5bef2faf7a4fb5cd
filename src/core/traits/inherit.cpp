// The search for inherited ids (inherit.hpp): the depth-first walk over bases where an entity has
// several of them, and the rules that hide an id of a base.
#include "traits/inherit.hpp"

#include "base/assert.hpp"
#include "traits/implications.hpp"

namespace kith::traits {

using storage::id_record;

entity_t base_walk::next_of_many() {
    if (!open_) {
        open_ =
            std::make_unique<graph::depth_first>(graph::repeat::never, graph::cycles::impossible);
    }
    // The walk knows bases by their index.
    open_->open({}, [&](auto&& add) {
        for (std::int32_t position = storage::find_match(*type_, detail::any_base, 0);
             position >= 0; position = storage::next_match(*type_, detail::any_base, position)) {
            add(pair_second(type_->ids[position]));
        }
    });
    graph::visit base;
    return open_->next(base) ? visit(static_cast<std::uint32_t>(base.entity)) : 0;
}

namespace {

// True if the entity, or a base that the walk visits before `until`, has a pair of the relation. If
// the relation is exclusive, such a pair hides the pairs of `until`.
// Requires: the walk reaches `until`.
bool is_hidden(const storage::store& data, const storage::entity_record& record, entity_t entity,
               std::uint32_t relation, entity_t until) {
    id_t any = make_pair(relation, Wildcard);
    if (storage::owns_id(data, record, entity, any)) {
        return true;
    }
    base_walk bases(data, data.tables.at(record.table));
    for (entity_t base = bases.next(); base != until; base = bases.next()) {
        KITH_ASSERT(base != 0, "a walk over the bases of an entity reaches each of them");
        if (storage::owns_id(data, *data.entities.find(base), base, any)) {
            return true;
        }
    }
    return false;
}

// True if the base has an id that the pattern matches and that the entity inherits. The pattern may
// match ids of several relationships or components, so each id is tested by its own traits.
bool offers_any(const storage::store& data, const storage::entity_record& record, entity_t entity,
                entity_t base, id_t pattern) {
    auto offers = [&](id_t id, std::uint32_t traits) {
        return !(traits & trait_dont_inherit) &&
               !(is_pair(id) && is_exclusive(traits) &&
                 is_hidden(data, record, entity, pair_first(id), base));
    };
    const storage::entity_record& from = *data.entities.find(base);
    const storage::table& type = data.tables.at(from.table);
    for (std::int32_t position = storage::find_match(type, pattern, 0); position >= 0;
         position = storage::next_match(type, pattern, position)) {
        if (offers(type.ids[position], type.records[position]->traits)) {
            return true;
        }
    }
    if (is_pair(pattern)) {
        return !storage::each_link(data, from, index_of(base), pattern,
                                   [&](const id_record& relation, std::uint32_t target) {
                                       return !offers(make_pair(pair_first(relation.id), target),
                                                      relation.traits);
                                   });
    }
    return !storage::each_sparse(
        data, from, index_of(base), pattern,
        [&](const id_record& pair_record) { return !offers(pair_record.id, pair_record.traits); });
}

// True if the pattern matches ids of more than one component or relationship.
bool is_open(id_t pattern) noexcept {
    return is_pair(pattern) ? is_wildcard_element(pair_first(pattern)) : is_wildcard(pattern);
}

}  // namespace

entity_t find_base(const storage::store& data, const storage::entity_record& record,
                   entity_t entity, id_t pattern) {
    const storage::table& type = data.tables.at(record.table);
    if (!(detail::load_flags(type) & detail::shape_has_base) || pattern & Override) {
        return 0;
    }
    base_walk bases(data, type);
    if (is_open(pattern)) {
        while (entity_t base = bases.next()) {
            if (offers_any(data, record, entity, base, pattern)) {
                return base;
            }
        }
        return 0;
    }
    const id_record* id_record = is_pair(pattern) ? nullptr : data.ids.find(pattern);
    std::uint32_t traits = id_record ? id_record->traits : describe_id(data, pattern).traits;
    if (traits & trait_dont_inherit) {
        return 0;
    }
    // For an exclusive relationship the first base with a pair of any target decides: the id is
    // inherited only if that base has a matching pair.
    bool hides = is_exclusive(traits) && is_pair(pattern);
    id_t deciding = hides ? make_pair(pair_first(pattern), Wildcard) : pattern;
    if (hides && storage::owns_id(data, record, entity, deciding)) {
        return 0;
    }
    while (entity_t base = bases.next()) {
        const storage::entity_record& from = data.entities.at(index_of(base));
        if (storage::owns_id(data, from, base, deciding)) {
            return !hides || storage::owns_id(data, from, base, pattern) ? base : 0;
        }
    }
    return 0;
}

}  // namespace kith::traits
