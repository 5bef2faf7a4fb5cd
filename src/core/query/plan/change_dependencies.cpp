// Dependencies of queries, declared in change_dependencies.hpp. A term is either "own" ($this has
// or inherits the id), "upward" ($this finds it on its nearest ancestor), or depends on other
// entities.
#include "query/plan/change_dependencies.hpp"

#include "base/assert.hpp"
#include "events/track.hpp"
#include "traits/implications.hpp"
#include "traits/inherit.hpp"

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

// The pair in which names are stored: comparisons with names depend on its values.
// (relation, *)
id_t any_of(std::uint32_t relation) noexcept {
    return make_pair(relation, Wildcard);
}

// True if the ids that $this has or inherits decide the term.
bool is_own(const storage::store& data, const term& term) noexcept {
    return term.kind == term_kind::ids && term.from == source_kind::self && term.flags & Self &&
           !(term.flags & (TraverseAll | Down | Cascade)) && !term.is_limited() &&
           (term.trav == 0 || term.trav == IsA) && term.first_by.flags == 0 &&
           term.second_by.flags == 0 && !term.is_from_list() &&
           find_semantics(data, term).is_plain();
}

// True if $this takes the id from its nearest ancestor along an exclusive relationship: then each
// level above $this is one entity, and changes can be followed down from it.
bool is_upward(const storage::store& data, const term& term) noexcept {
    return term.kind == term_kind::ids && term.from == source_kind::self && term.follows_up() &&
           term.trav != 0 && term.trav != IsA && !(term.flags & (TraverseAll | Down)) &&
           !term.is_from_list() && term.first_by.flags == 0 && term.second_by.flags == 0 &&
           !term.has_element_variables() && !is_open(term.id) &&
           find_semantics(data, term).is_plain() &&
           traits::is_exclusive(traits::describe_id(data, any_of(term.trav)).traits);
}

// True if the term hands out values of the id to be written.
bool writes(const term& term, id_t id) noexcept {
    return term.kind == term_kind::ids && term.from == source_kind::self && term.id == id &&
           term.flags & Self && (term.trav == 0 || term.trav == IsA) && term.oper != Not &&
           (term.access == InOut || term.access == Out || term.access == InOutDefault);
}

void add_upward(const query_model& model, const term& term, change_dependencies& dependencies) {
    const bool written = std::any_of(model.begin(), model.end(), [&](const queries::term& other) {
        return &other != &term && writes(other, term.id);
    });
    dependencies.upwards.push_back(
        {pattern_of(term), term.trav, term.min_depth, term.max_depth, term.field, written});
}

// Adds an id to `anywhere`, once.
void add_anywhere(change_dependencies& dependencies, id_t id, bool values) {
    auto same = [&](const change_dependencies::pattern& pattern) { return pattern.id == id; };
    auto pattern = std::find_if(dependencies.anywhere.begin(), dependencies.anywhere.end(), same);
    if (pattern == dependencies.anywhere.end()) {
        dependencies.anywhere.push_back({id, values});
    } else {
        pattern->values |= values;
    }
}

// Adds what a term that is not own depends on: its id, widened by subsets, closures and
// substitution, and the relationships that it follows.
void add_others(const storage::store& data, const term& term, change_dependencies& dependencies) {
    if (term.from == source_kind::none || term.kind == term_kind::equal ||
        term.kind == term_kind::apart || term.kind >= term_kind::scope_open) {
        return;
    }
    if (term.kind != term_kind::ids) {
        add_anywhere(dependencies, detail::name_pair, true);
        add_anywhere(dependencies, any_of(ChildOf), false);
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
    add_anywhere(dependencies, id, false);
    dependencies.everything |= term.is_from_list();
    for (std::uint32_t relation : {term.trav, term.first_by.trav, term.second_by.trav}) {
        if (relation != 0) {
            add_anywhere(dependencies, any_of(relation), false);
        }
    }
    // The entities on the way may inherit the id.
    if (meaning.first_subsets || meaning.second_subsets || term.follows()) {
        add_anywhere(dependencies, any_of(IsA), false);
    }
}

// True if the table of each result has the term's id, unless the result inherits it. Wildcards do
// not qualify: sparse ids may match them, now or later.
bool marks_table(const storage::store& data, const term& term) noexcept {
    return term.is_required() && is_own(data, term) && !is_open(term.id) &&
           !(traits::describe_id(data, term.id).traits & traits::trait_sparse);
}

// True if rows of one table may differ in the match of the term.
bool is_by_row(const storage::store& data, const term& term) noexcept {
    if (term.kind != term_kind::ids || term.from == source_kind::none ||
        term.from == source_kind::fixed) {
        return false;
    }
    return !is_own(data, term) || is_open(term.id) ||
           (traits::describe_id(data, term.id).traits & traits::trait_sparse) != 0;
}

// Adds the change marks of the sparse ids that the term's pattern concerns.
void find_sparse(const storage::store& data, const term& term, change_dependencies& dependencies) {
    const id_t pattern = pattern_of(term);
    for (const sparse_change_marks* marks : data.ticks.all_sparse()) {
        if (storage::concerns(pattern, marks->id) &&
            std::find(dependencies.sparse.begin(), dependencies.sparse.end(), marks) ==
                dependencies.sparse.end()) {
            dependencies.sparse.push_back(marks);
        }
    }
}

// The tick of the last change of rows, or with `values` of values of the id, in the tables of a
// record. Untracked tables are left out: changes in them count as seen.
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

semantics_snapshot::semantics_snapshot(const storage::store& data, const query_model& model)
    : schema_(data.schema), bases_(data.base_version) {
    for (const term& term : model) {
        meanings_.push_back(find_semantics(data, term));
    }
}

bool semantics_snapshot::holds(const storage::store& data,
                               const query_model& model) const noexcept {
    if (schema_ != data.schema) {
        return false;
    }
    KITH_ASSERT(meanings_.size() == model.count, "the snapshot is of this model");
    return bases_ == data.base_version ||
           std::equal(model.begin(), model.end(), meanings_.begin(), meanings_.end(),
                      [&](const term& term, term_semantics semantics) {
                          return find_semantics(data, term) == semantics;
                      });
}

change_dependencies find_dependencies(const storage::store& data, const query_model& model) {
    change_dependencies dependencies;
    std::uint32_t depth = 0;
    for (const term& term : model) {
        depth += term.kind == term_kind::scope_open;
        depth -= term.kind == term_kind::scope_close;
        if (depth == 0 && marks_table(data, term)) {
            dependencies.marker = term.id;
        }
        dependencies.by_row |= is_by_row(data, term);
        if (is_own(data, term)) {
            dependencies.inherits |= term.inherits();
        } else {
            add_others(data, term, dependencies);
            if (is_upward(data, term)) {
                add_upward(model, term, dependencies);
            } else {
                dependencies.follows_up &= term.from == source_kind::none;
            }
        }
    }
    dependencies.everything |= model.has_this && dependencies.marker == 0;
    return dependencies;
}

void track_dependencies(storage::store& data, const query_model& model,
                        change_dependencies& dependencies) {
    if (dependencies.everything) {
        events::track(data, 0);
    }
    for (const term& term : model) {
        if (term.kind == term_kind::ids && term.from != source_kind::none && !term.is_from_list()) {
            events::track(data, pattern_of(term));
        }
    }
    for (const change_dependencies::pattern& pattern : dependencies.anywhere) {
        events::track(data, pattern.id);
    }
    if (dependencies.inherits) {
        events::track(data, any_of(IsA));
    }
    for (const term& term : model) {
        if (is_own(data, term)) {
            find_sparse(data, term, dependencies);
        }
    }
}

bool track_tables(storage::store& data, const query_model& model, id_t marker,
                  change_dependencies& dependencies) {
    bool has_marker = false;
    for (const term& term : model) {
        if (term.kind != term_kind::ids || !is_own(data, term) || is_by_row(data, term)) {
            return false;
        }
        has_marker |= term.id == marker && marks_table(data, term);
    }
    if (!has_marker) {
        return false;
    }
    dependencies.marker = marker;
    events::track(data, marker);
    if (dependencies.inherits) {
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
                             const change_dependencies& dependencies) noexcept {
    std::uint64_t last = data.ticks.tables_gone_tick();
    if (dependencies.everything) {
        last = std::max({last, data.ticks.any_rows_tick(), data.ticks.any_sparse_tick()});
    } else if (dependencies.marker != 0) {
        last = std::max(last, last_change(data, {dependencies.marker, false}));
    }
    if (dependencies.inherits) {
        last = std::max({last, data.ticks.bases_tick(), last_change(data, {any_of(IsA), false})});
    }
    for (const change_dependencies::pattern& pattern : dependencies.anywhere) {
        // A comparison with a name has other results after a rename, which writes a value.
        last = std::max(last, last_change(data, {pattern.id, pattern.id == detail::name_pair}));
    }
    for (const sparse_change_marks* marks : dependencies.sparse) {
        last = std::max(last, marks->structure);
    }
    return last;
}

}  // namespace kith::queries
