#include "query/plan/change_dependencies.hpp"

#include "events/track.hpp"
#include "traits/inherit.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::queries {

using storage::sparse_change_marks;

id_t pattern_of(const term& term) noexcept {
    auto element = [](std::uint32_t index) {
        return is_wildcard_element(index) ? std::uint32_t{Wildcard} : index;
    };
    if (!is_pair(term.id)) {
        return is_wildcard(term.id) ? id_t{Wildcard} : term.id;
    }
    return make_pair(element(pair_first(term.id)), element(pair_second(term.id)));
}

namespace {

constexpr id_t name_pair = make_pair(detail::identifier_type_id, Name);

id_t any_of(std::uint32_t relation) noexcept {
    return make_pair(relation, Wildcard);
}

// What $this has itself, or inherits, decides the term.
bool is_own(const storage::store& data, const term& term) noexcept {
    return term.kind == term_kind::ids && term.from == source_kind::self && term.flags & Self &&
           !(term.flags & (TraverseAll | Down | Cascade)) && !term.is_limited() &&
           (term.trav == 0 || term.trav == IsA) && term.first_by.flags == 0 &&
           term.second_by.flags == 0 && !term.is_from_list() &&
           find_semantics(data, term).is_plain();
}

// $this takes the value from the nearest entity above it; each level has one entity at most.
bool is_upward(const storage::store& data, const term& term) noexcept {
    return term.kind == term_kind::ids && term.from == source_kind::self && term.follows_up() &&
           term.trav != 0 && term.trav != IsA && !(term.flags & (TraverseAll | Down)) &&
           !term.is_from_list() && term.first_by.flags == 0 && term.second_by.flags == 0 &&
           !term.has_element_variables() && !is_open(term.id) &&
           find_semantics(data, term).is_plain() &&
           traits::describe_id(data, any_of(term.trav)).traits & traits::trait_exclusive;
}

bool writes(const term& term, id_t id) noexcept {
    return term.kind == term_kind::ids && term.from == source_kind::self && term.id == id &&
           term.flags & Self && (term.trav == 0 || term.trav == IsA) && term.oper != Not &&
           (term.access == InOut || term.access == Out || term.access == InOutDefault);
}

void add_upward(const query_model& model, const term& searched_term, change_dependencies& scope) {
    const bool written = std::any_of(model.begin(), model.end(), [&](const term& other) {
        return &other != &searched_term && writes(other, searched_term.id);
    });
    scope.upwards.push_back({pattern_of(searched_term), searched_term.trav, searched_term.min_depth,
                             searched_term.max_depth, searched_term.field, written});
}

void add_anywhere(change_dependencies& scope, id_t id, bool values) {
    auto same = [&](const change_dependencies::pattern& pattern) { return pattern.id == id; };
    auto found = std::find_if(scope.anywhere.begin(), scope.anywhere.end(), same);
    if (found == scope.anywhere.end()) {
        scope.anywhere.push_back({id, values});
    } else {
        found->values |= values;
    }
}

void add_others(const storage::store& data, const term& term, change_dependencies& scope) {
    if (term.from == source_kind::none || term.kind == term_kind::equal ||
        term.kind == term_kind::apart || term.kind >= term_kind::scope_open) {
        return;
    }
    if (term.kind != term_kind::ids) {
        add_anywhere(scope, name_pair, true);
        add_anywhere(scope, any_of(ChildOf), false);
        return;
    }
    const term_semantics meaning = find_semantics(data, term);
    const bool any_first = meaning.first_subsets || term.first_by.flags != 0;
    const bool any_second =
        meaning.second_subsets || meaning.transitive || term.second_by.flags != 0;
    id_t id = pattern_of(term);
    if (term.is_from_list()) {
        id = 0;
    } else if (is_pair(id)) {
        id = make_pair(any_first ? Wildcard : pair_first(id),
                       any_second ? Wildcard : pair_second(id));
    } else if (any_first) {
        id = Wildcard;
    }
    add_anywhere(scope, id, false);
    scope.everything |= term.is_from_list();
    for (std::uint32_t relation : {term.trav, term.first_by.trav, term.second_by.trav}) {
        if (relation != 0) {
            add_anywhere(scope, any_of(relation), false);
        }
    }
    // Those that are visited have what their bases have, too.
    if (meaning.first_subsets || meaning.second_subsets || term.follows()) {
        add_anywhere(scope, any_of(IsA), false);
    }
}

// The id is in the table of each result that does not inherit it. What a wildcard stands for may
// lie beside the tables, if not now, then later.
bool marks_table(const storage::store& data, const term& term) noexcept {
    return term.is_required() && is_own(data, term) && !is_open(term.id) &&
           !(traits::describe_id(data, term.id).traits & traits::trait_sparse);
}

// Rows of one table may differ in what the term finds.
bool is_by_row(const storage::store& data, const term& term) noexcept {
    if (term.kind != term_kind::ids || term.from == source_kind::none ||
        term.from == source_kind::fixed) {
        return false;
    }
    return !is_own(data, term) || is_open(term.id) ||
           (traits::describe_id(data, term.id).traits & traits::trait_sparse) != 0;
}

void find_sparse(const storage::store& data, const term& term, change_dependencies& scope) {
    const id_t pattern = pattern_of(term);
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
    for (const term& term : model) {
        meanings_.push_back(find_semantics(data, term));
    }
}

bool scope_basis::holds(const storage::store& data, const query_model& model) const noexcept {
    if (schema_ != data.schema) {
        return false;
    }
    return bases_ == data.base_version ||
           std::equal(model.begin(), model.end(), meanings_.begin(), meanings_.end(),
                      [&](const term& term, term_semantics semantics) {
                          return find_semantics(data, term) == semantics;
                      });
}

change_dependencies find_scope(const storage::store& data, const query_model& model) {
    change_dependencies scope;
    std::uint32_t depth = 0;
    for (const term& term : model) {
        depth += term.kind == term_kind::scope_open;
        depth -= term.kind == term_kind::scope_close;
        if (depth == 0 && marks_table(data, term)) {
            scope.marker = term.id;
        }
        scope.by_row |= is_by_row(data, term);
        if (is_own(data, term)) {
            scope.inherits |= term.inherits();
        } else {
            add_others(data, term, scope);
            if (is_upward(data, term)) {
                add_upward(model, term, scope);
            } else {
                scope.follows_up &= term.from == source_kind::none;
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
    for (const term& searched_term : model) {
        if (searched_term.kind == term_kind::ids && searched_term.from != source_kind::none &&
            !searched_term.is_from_list()) {
            events::track(data, pattern_of(searched_term));
        }
    }
    for (const change_dependencies::pattern& other : scope.anywhere) {
        events::track(data, other.id);
    }
    if (scope.inherits) {
        events::track(data, any_of(IsA));
    }
    for (const term& term : model) {
        if (is_own(data, term)) {
            find_sparse(data, term, scope);
        }
    }
}

bool track_tables(storage::store& data, const query_model& model, id_t by,
                  change_dependencies& scope) {
    bool has_marker = false;
    for (const term& term : model) {
        if (term.kind != term_kind::ids || !is_own(data, term) || is_by_row(data, term)) {
            return false;
        }
        has_marker |= term.id == by && marks_table(data, term);
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
                          const change_dependencies::pattern& pattern) noexcept {
    if (pattern.id == 0 || is_open(pattern.id)) {
        return std::max(data.ticks.any_rows_tick(), data.ticks.any_sparse_tick());
    }
    std::uint64_t last = 0;
    const storage::id_record* record = data.ids.find(pattern.id);
    if (record) {
        last = rows_of(data, *record, pattern.values);
        for (std::uint32_t i = 0; i < record->active_pairs; ++i) {
            last = std::max(last, rows_of(data, *record->pairs[i], pattern.values));
        }
    }
    for (const sparse_change_marks* marks : data.ticks.all_sparse()) {
        last = std::max(last, storage::concerns(pattern.id, marks->id) ? marks->structure : 0);
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
    for (const change_dependencies::pattern& pattern : scope.anywhere) {
        // Names decide what is found.
        last = std::max(last, last_change(data, {pattern.id, pattern.id == name_pair}));
    }
    for (const sparse_change_marks* marks : scope.sparse) {
        last = std::max(last, marks->structure);
    }
    return last;
}

}  // namespace kith::queries
