#include "query/plan/change_dependencies.hpp"

#include "events/track.hpp"
#include "traits/inherit.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::queries {

using storage::sparse_change_marks;

id_t pattern_of(const term& one) noexcept {
    auto element = [](std::uint32_t index) {
        return is_wildcard_element(index) ? std::uint32_t{Wildcard} : index;
    };
    if (!is_pair(one.id)) {
        return is_wildcard(one.id) ? id_t{Wildcard} : one.id;
    }
    return make_pair(element(pair_first(one.id)), element(pair_second(one.id)));
}

namespace {

constexpr id_t name_pair = make_pair(detail::identifier_type_id, Name);

id_t any_of(std::uint32_t relation) noexcept {
    return make_pair(relation, Wildcard);
}

// What $this has itself, or inherits, decides the term.
bool is_own(const storage::store& data, const term& one) noexcept {
    return one.kind == term_kind::ids && one.from == source_kind::self && one.flags & Self &&
           !(one.flags & (TraverseAll | Down | Cascade)) && !one.is_limited() &&
           (one.trav == 0 || one.trav == IsA) && one.first_by.flags == 0 &&
           one.second_by.flags == 0 && !one.is_from_list() && find_semantics(data, one).is_plain();
}

// $this takes the value from the nearest entity above it; each level has one entity at most.
bool is_upward(const storage::store& data, const term& one) noexcept {
    return one.kind == term_kind::ids && one.from == source_kind::self && one.follows_up() &&
           one.trav != 0 && one.trav != IsA && !(one.flags & (TraverseAll | Down)) &&
           !one.is_from_list() && one.first_by.flags == 0 && one.second_by.flags == 0 &&
           !one.has_element_variables() && !is_open(one.id) &&
           find_semantics(data, one).is_plain() &&
           traits::describe_id(data, any_of(one.trav)).traits & traits::trait_exclusive;
}

bool writes(const term& one, id_t id) noexcept {
    return one.kind == term_kind::ids && one.from == source_kind::self && one.id == id &&
           one.flags & Self && (one.trav == 0 || one.trav == IsA) && one.oper != Not &&
           (one.access == InOut || one.access == Out || one.access == InOutDefault);
}

void add_upward(const query_model& model, const term& one, change_dependencies& scope) {
    const bool written = std::any_of(model.begin(), model.end(), [&](const term& other) {
        return &other != &one && writes(other, one.id);
    });
    scope.upwards.push_back(
        {pattern_of(one), one.trav, one.min_depth, one.max_depth, one.field, written});
}

void add_anywhere(change_dependencies& scope, id_t id, bool values) {
    auto same = [&](const change_dependencies::pattern& known) { return known.id == id; };
    auto found = std::find_if(scope.anywhere.begin(), scope.anywhere.end(), same);
    if (found == scope.anywhere.end()) {
        scope.anywhere.push_back({id, values});
    } else {
        found->values |= values;
    }
}

void add_others(const storage::store& data, const term& one, change_dependencies& scope) {
    if (one.from == source_kind::none || one.kind == term_kind::equal ||
        one.kind == term_kind::apart || one.kind >= term_kind::scope_open) {
        return;
    }
    if (one.kind != term_kind::ids) {
        add_anywhere(scope, name_pair, true);
        add_anywhere(scope, any_of(ChildOf), false);
        return;
    }
    const term_semantics meaning = find_semantics(data, one);
    const bool any_first = meaning.first_subsets || one.first_by.flags != 0;
    const bool any_second =
        meaning.second_subsets || meaning.transitive || one.second_by.flags != 0;
    id_t id = pattern_of(one);
    if (one.is_from_list()) {
        id = 0;
    } else if (is_pair(id)) {
        id = make_pair(any_first ? Wildcard : pair_first(id),
                       any_second ? Wildcard : pair_second(id));
    } else if (any_first) {
        id = Wildcard;
    }
    add_anywhere(scope, id, false);
    scope.everything |= one.is_from_list();
    for (std::uint32_t relation : {one.trav, one.first_by.trav, one.second_by.trav}) {
        if (relation != 0) {
            add_anywhere(scope, any_of(relation), false);
        }
    }
    // Those that are visited have what their bases have, too.
    if (meaning.first_subsets || meaning.second_subsets || one.follows()) {
        add_anywhere(scope, any_of(IsA), false);
    }
}

// The id is in the table of each result that does not inherit it. What a wildcard stands for may
// lie beside the tables, if not now, then later.
bool marks_table(const storage::store& data, const term& one) noexcept {
    return one.is_required() && is_own(data, one) && !is_open(one.id) &&
           !(traits::describe_id(data, one.id).traits & traits::trait_sparse);
}

// Rows of one table may differ in what the term finds.
bool is_by_row(const storage::store& data, const term& one) noexcept {
    if (one.kind != term_kind::ids || one.from == source_kind::none ||
        one.from == source_kind::fixed) {
        return false;
    }
    return !is_own(data, one) || is_open(one.id) ||
           (traits::describe_id(data, one.id).traits & traits::trait_sparse) != 0;
}

void find_sparse(const storage::store& data, const term& one, change_dependencies& scope) {
    const id_t pattern = pattern_of(one);
    for (const sparse_change_marks* marks : data.ticks.all_sparse()) {
        if (storage::concerns(pattern, marks->id) &&
            std::find(scope.sparse.begin(), scope.sparse.end(), marks) == scope.sparse.end()) {
            scope.sparse.push_back(marks);
        }
    }
}

std::uint64_t rows_of(const storage::store& data, const storage::id_record& record,
                      bool values) noexcept {
    std::uint64_t last = record.dormant_tick;
    for (std::uint32_t i = 0; i < record.active; ++i) {
        KITH_COUNT(visits);
        const storage::table_entry& entry = record.tables[i];
        const storage::table& type = data.tables.at(entry.table);
        if (!(type.flags & detail::shape_tracked)) {
            continue;
        }
        last = std::max(last, data.ticks.rows_tick(entry.table));
        if (values) {
            last = std::max(last, data.ticks.value_tick(type, entry.position, 0));
        }
    }
    return last;
}

}  // namespace

bool has_or_inherits(const storage::store& data, entity_t entity, id_t pattern) {
    const storage::entity_record* record = data.entities.find(entity);
    return record && (storage::owns_id(data, *record, entity, pattern) ||
                      traits::find_base(data, *record, entity, pattern) != 0);
}

scope_basis::scope_basis(const storage::store& data, const query_model& model)
    : schema_(data.schema), bases_(data.base_version) {
    for (const term& one : model) {
        meanings_.push_back(find_semantics(data, one));
    }
}

bool scope_basis::holds(const storage::store& data, const query_model& model) const noexcept {
    if (schema_ != data.schema) {
        return false;
    }
    return bases_ == data.base_version ||
           std::equal(model.begin(), model.end(), meanings_.begin(), meanings_.end(),
                      [&](const term& one, term_semantics known) {
                          return find_semantics(data, one) == known;
                      });
}

change_dependencies find_scope(const storage::store& data, const query_model& model) {
    change_dependencies scope;
    std::uint32_t depth = 0;
    for (const term& one : model) {
        depth += one.kind == term_kind::scope_open;
        depth -= one.kind == term_kind::scope_close;
        if (depth == 0 && marks_table(data, one)) {
            scope.marker = one.id;
        }
        scope.by_row |= is_by_row(data, one);
        if (is_own(data, one)) {
            scope.inherits |= one.inherits();
        } else {
            add_others(data, one, scope);
            if (is_upward(data, one)) {
                add_upward(model, one, scope);
            } else {
                scope.follows_up &= one.from == source_kind::none;
            }
        }
    }
    scope.everything |= model.has_this && scope.marker == 0;
    return scope;
}

void track_scope(storage::store& data, const query_model& model, change_dependencies& scope) {
    if (scope.everything) {
        events::track(data, 0);
    }
    for (const term& one : model) {
        if (one.kind == term_kind::ids && one.from != source_kind::none && !one.is_from_list()) {
            events::track(data, pattern_of(one));
        }
    }
    for (const change_dependencies::pattern& other : scope.anywhere) {
        events::track(data, other.id);
    }
    if (scope.inherits) {
        events::track(data, any_of(IsA));
    }
    for (const term& one : model) {
        if (is_own(data, one)) {
            find_sparse(data, one, scope);
        }
    }
}

bool track_tables(storage::store& data, const query_model& model, id_t by,
                  change_dependencies& scope) {
    bool has_marker = false;
    for (const term& one : model) {
        if (one.kind != term_kind::ids || !is_own(data, one) || is_by_row(data, one)) {
            return false;
        }
        has_marker |= one.id == by && marks_table(data, one);
    }
    if (!has_marker) {
        return false;
    }
    scope.marker = by;
    events::track(data, by);
    if (scope.inherits) {
        events::track(data, any_of(IsA));
    }
    return true;
}

std::uint64_t last_change(const storage::store& data,
                          const change_dependencies::pattern& of) noexcept {
    if (of.id == 0 || is_open(of.id)) {
        return std::max(data.ticks.any_rows_tick(), data.ticks.any_sparse_tick());
    }
    std::uint64_t last = 0;
    const storage::id_record* record = data.ids.find(of.id);
    if (record) {
        last = rows_of(data, *record, of.values);
        for (std::uint32_t i = 0; i < record->active_pairs; ++i) {
            last = std::max(last, rows_of(data, *record->pairs[i], of.values));
        }
    }
    for (const sparse_change_marks* marks : data.ticks.all_sparse()) {
        last = std::max(last, storage::concerns(of.id, marks->id) ? marks->structure : 0);
    }
    return last;
}

std::uint64_t last_written(const storage::store& data, id_t pattern) noexcept {
    std::uint64_t last = last_change(data, {pattern, true});
    for (const sparse_change_marks* marks : data.ticks.all_sparse()) {
        if (storage::concerns(pattern, marks->id)) {
            last = std::max(last, marks->any.tick_for(0));
        }
    }
    return last;
}

std::uint64_t structure_tick(const storage::store& data,
                             const change_dependencies& scope) noexcept {
    std::uint64_t last = data.ticks.tables_gone_tick();
    if (scope.everything) {
        last = std::max({last, data.ticks.any_rows_tick(), data.ticks.any_sparse_tick()});
    } else if (scope.marker != 0) {
        last = std::max(last, last_change(data, {scope.marker, false}));
    }
    if (scope.inherits) {
        last = std::max({last, data.ticks.bases_tick(), last_change(data, {any_of(IsA), false})});
    }
    for (const change_dependencies::pattern& one : scope.anywhere) {
        // Names decide what is found.
        last = std::max(last, last_change(data, {one.id, one.id == name_pair}));
    }
    for (const sparse_change_marks* marks : scope.sparse) {
        last = std::max(last, marks->structure);
    }
    return last;
}

}  // namespace kith::queries
