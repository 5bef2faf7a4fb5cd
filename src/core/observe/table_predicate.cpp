#include "observe/table_predicate.hpp"

#include "query/plan/plan.hpp"
#include "query/plan/term_meaning.hpp"
#include "traits/inherit.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::observe {

using queries::query_model;
using queries::source_kind;
using queries::term;
using queries::term_kind;

namespace {

// One id, or any of a relationship, that is looked for on the entity and its bases. Where each id
// that is found is a result, the entity does not tell them apart.
bool is_plain(const term& one) {
    const bool several = is_wildcard(one.id) && !one.at_most_one &&
                         (one.in_chain ? one.every_of_chain : one.oper == And);
    return one.kind == term_kind::ids && one.from == source_kind::self && !one.is_graph() &&
           !one.is_from_list() && !(one.id & Override) && !queries::is_open(one.id) && !several &&
           one.flags & Self && !(one.flags & (Down | TraverseAll)) && !one.is_limited() &&
           (one.trav == 0 || one.trav == IsA) &&
           (!one.in_chain || one.oper == Or || one.oper == And);
}

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
                            [](const term& one) { return one.inherits(); })) {}

bool table_predicate::suits_world() const noexcept {
    return !data_.bases->links && std::all_of(model_.begin(), model_.end(), [&](const term& one) {
        return !queries::names_deleted(data_, one) &&
               queries::find_semantics(data_, one).is_plain() &&
               !(traits::describe_id(data_, one.id).traits & traits::trait_sparse);
    });
}

bool table_predicate::is_about_one(const change& made) const noexcept {
    constexpr std::uint32_t named = storage::record_used_as_id | storage::record_link_target;
    const storage::entity_record* record = data_.entities.find(made.entity);
    if (!record || !can_decide(*record)) {
        return false;
    }
    // Others may be its instances, or have it, and then it says what that means.
    const bool is_base = is_pair(made.id) && pair_first(made.id) == IsA;
    return !(record->state & named) ||
           (data_.bases->pairs.empty() && !is_base && !is_semantic_property(made.id));
}

bool table_predicate::can_decide(const storage::entity_record& record) const noexcept {
    return !(record.state & storage::record_has_disabled) &&
           (data_.toggled_ids.empty() || !inherits_ ||
            !(data_.tables.at(record.table).flags & detail::shape_has_base));
}

bool table_predicate::has(const storage::table& type, const storage::entity_record& record,
                          entity_t entity, const term& one) const {
    const std::int32_t position =
        is_wildcard(one.id) ? storage::find_match(type, one.id, 0) : storage::find_id(type, one.id);
    return position >= 0 || (type.flags & detail::shape_has_base && one.inherits() &&
                             traits::find_base(data_, record, entity, one.id) != 0);
}

bool table_predicate::holds(const storage::entity_record& record, entity_t entity) const {
    const storage::table& type = data_.tables.at(record.table);
    if (record.table == storage::no_table || type.flags & hidden_) {
        return false;
    }
    bool found = false;  // an alternative, in the chain so far
    for (const term& one : model_) {
        if (one.oper == Optional) {
            continue;
        }
        found = found || has(type, record, entity, one);
        if (one.oper == Or) {
            continue;
        }
        if (found != (one.oper != Not)) {
            return false;
        }
        found = false;
    }
    return true;
}

bool table_predicate::ends_by_loss(const storage::entity_record& record, const change& made) const {
    return std::any_of(model_.begin(), model_.end(), [&](const term& one) {
        return one.is_required() && one.id == made.id &&
               !(one.inherits() && traits::find_base(data_, record, made.entity, made.id) != 0);
    });
}

bool table_predicate::ends_by_gain(const change& made) const noexcept {
    return std::any_of(
               model_.begin(), model_.end(),
               [&](const term& one) { return one.oper == Not && matches_id(one.id, made.id); }) ||
           (made.id == Prefab && !model_.shows_prefabs) ||
           (made.id == Disabled && !model_.shows_disabled);
}

bool table_predicate::fill(const storage::table& type, std::uint32_t first_row,
                           detail::field_data* fields) const noexcept {
    // Writing is watched, and groups are known, by runs.
    if (query_.version.load() != data_.version || query_.tracked || query_.order ||
        (inherits_ && type.flags & detail::shape_has_base)) {
        return false;
    }
    const detail::table_rows& rows = data_.tables.rows(type.number);
    for (const term& one : model_) {
        if (one.in_chain || is_wildcard(one.id)) {
            return false;
        }
        const std::int32_t position =
            one.oper == Not ? std::int32_t{-1} : storage::find_id(type, one.id);
        detail::field_data& field = fields[one.field];
        field = {nullptr, nullptr, one.id, 0, 0, 0};
        if (position < 0) {
            continue;
        }
        const detail::column slot = type.slots[position];
        field.value = slot.size != 0 ? storage::value_in(rows, slot, first_row) : nullptr;
        field.stride = slot.size;
        field.flags =
            detail::field_set | (queries::is_readonly(one, true) ? detail::field_readonly : 0u);
    }
    return true;
}

}  // namespace kith::observe
