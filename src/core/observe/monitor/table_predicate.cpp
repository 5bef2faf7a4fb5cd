// Deciding results of a query by the types of tables.
#include "observe/monitor/table_predicate.hpp"

#include "base/assert.hpp"
#include "observe/monitor/term_dependencies.hpp"
#include "query/plan/plan.hpp"
#include "query/plan/term_semantics.hpp"
#include "traits/inherit.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::observe {

using queries::query_model;
using queries::source_kind;
using queries::term;
using queries::term_kind;

namespace {

// True if the term asks for one id, or for any id of a wildcard, on the entity and its bases. A
// wildcard that makes one result per id is not plain: the entity alone does not tell such results
// apart.
bool is_plain(const term& term) {
    const bool several = is_wildcard(term.id) && !term.at_most_one &&
                         (term.in_chain ? term.every_of_chain : term.oper == And);
    return term.kind == term_kind::ids && term.from == source_kind::self && !term.is_graph() &&
           !term.is_from_list() && !(term.id & Override) && !queries::is_open(term.id) &&
           !several && !term.value && term.flags & Self && !(term.flags & (Down | TraverseAll)) &&
           !term.is_limited() && (term.trav == 0 || term.trav == IsA) &&
           (!term.in_chain || term.oper == Or || term.oper == And);
}

// True if the description of the query permits the test; the world has to permit it as well.
bool suits(const query_model& model) {
    return model.has_this && !model.graph && model.variable_count == 1 &&
           std::all_of(model.begin(), model.end(), is_plain);
}

}  // namespace

table_predicate::table_predicate(const queries::compiled_query& query, const storage::store& data)
    : query_(query),
      model_(query.model),
      data_(data),
      hidden_(queries::hidden_flags(query.model)),
      suits_(suits(query.model)),
      inherits_(std::any_of(query.model.begin(), query.model.end(),
                            [](const term& term) { return term.inherits(); })) {}

bool table_predicate::suits_world() const noexcept {
    return !data_.bases->links && std::all_of(model_.begin(), model_.end(), [&](const term& term) {
        return !queries::names_deleted(data_, term) &&
               queries::find_semantics(data_, term).is_plain() &&
               !(traits::describe_id(data_, term.id).traits & traits::trait_sparse);
    });
}

bool table_predicate::is_about_one(const change& change) const noexcept {
    KITH_ASSERT(usable_, "is_usable() was asked");
    constexpr std::uint32_t named = storage::record_used_as_id | storage::record_link_target;
    const storage::entity_record* record = data_.entities.find(change.entity);
    if (!record || !can_decide(*record)) {
        return false;
    }
    // An entity that is used as an id may have instances, or be a component whose properties give
    // ids of other entities their meaning.
    const bool is_base = is_pair(change.id) && pair_first(change.id) == IsA;
    return !(record->state & named) ||
           (data_.bases->pairs.empty() && !is_base && !is_semantic_property(change.id));
}

bool table_predicate::can_decide(const storage::entity_record& record) const noexcept {
    KITH_ASSERT(usable_, "is_usable() was asked");
    return !(record.state & storage::record_has_disabled) &&
           (data_.toggled_ids.empty() || !inherits_ ||
            !(data_.tables.at(record.table).flags & detail::shape_has_base));
}

bool table_predicate::has(const storage::table& type, const storage::entity_record& record,
                          entity_t entity, const term& term) const {
    const std::int32_t position = is_wildcard(term.id) ? storage::find_match(type, term.id, 0)
                                                       : storage::find_id(type, term.id);
    return position >= 0 || (type.flags & detail::shape_has_base && term.inherits() &&
                             traits::find_base(data_, record, entity, term.id) != 0);
}

bool table_predicate::holds(const storage::entity_record& record, entity_t entity) const {
    KITH_ASSERT(usable_, "is_usable() was asked");
    const storage::table& type = data_.tables.at(record.table);
    if (record.table == storage::no_table || type.flags & hidden_) {
        return false;
    }
    bool satisfied = false;  // an alternative of the present Or chain holds
    for (const term& term : model_) {
        if (term.oper == Optional) {
            continue;
        }
        satisfied = satisfied || has(type, record, entity, term);
        if (term.oper == Or) {
            continue;
        }
        if (satisfied != (term.oper != Not)) {
            return false;
        }
        satisfied = false;
    }
    return true;
}

bool table_predicate::ends_by_loss(const storage::entity_record& record,
                                   const change& change) const {
    return std::any_of(model_.begin(), model_.end(), [&](const term& term) {
        return term.is_required() && term.id == change.id &&
               !(term.inherits() &&
                 traits::find_base(data_, record, change.entity, change.id) != 0);
    });
}

bool table_predicate::ends_by_gain(const change& change) const noexcept {
    KITH_ASSERT(usable_, "is_usable() was asked");
    return std::any_of(model_.begin(), model_.end(),
                       [&](const term& term) {
                           return term.oper == Not && matches_id(term.id, change.id);
                       }) ||
           (change.id == Prefab && !model_.shows_prefabs) ||
           (change.id == Disabled && !model_.shows_disabled);
}

bool table_predicate::fill(const storage::table& type, std::uint32_t first_row,
                           detail::field_data* fields) const noexcept {
    // Tracked writes and groups of results are known to runs of the query only.
    if (query_.version.load() != data_.version || query_.tracked || query_.order ||
        (inherits_ && type.flags & detail::shape_has_base)) {
        return false;
    }
    const detail::table_rows& rows = data_.tables.rows(type.number);
    for (const term& term : model_) {
        if (term.in_chain || is_wildcard(term.id)) {
            return false;
        }
        const std::int32_t position =
            term.oper == Not ? std::int32_t{-1} : storage::find_id(type, term.id);
        detail::field_data& field = fields[term.field];
        field = {nullptr, nullptr, term.id, 0, 0, 0};
        if (position < 0) {
            continue;
        }
        const detail::column column = type.slots[position];
        field.value = column.size != 0 ? storage::value_in(rows, column, first_row) : nullptr;
        field.stride = column.size;
        field.flags = queries::flags_of_match(term, true);
    }
    return true;
}

}  // namespace kith::observe
