// Keys of results, and runs of a monitor's query.
#include "observe/monitor/monitored_query.hpp"

#include "mutate/apply/values.hpp"
#include "query/exec/exec_context.hpp"
#include "storage/find.hpp"
#include "traits/traits.hpp"

namespace kith::observe {

using queries::no_variable;
using queries::source_kind;
using queries::term;
using queries::term_kind;
using queries::this_variable;

namespace {

// True if each id that the term finds makes a result of its own and no variable has its value: the
// id is part of the key then.
bool distinguishes(const term& term) {
    if (term.kind != term_kind::ids || term.at_most_one) {
        return false;
    }
    if (!is_pair(term.id)) {
        return is_wildcard(term.id) && term.first_variable == no_variable;
    }
    return (is_wildcard_element(pair_first(term.id)) && term.first_variable == no_variable) ||
           (is_wildcard_element(pair_second(term.id)) && term.second_variable == no_variable);
}

// The id of a term whose variables have the values of the key.
id_t bound_id(const term& term, const id_t* key) noexcept {
    auto element = [&](std::uint8_t variable, std::uint32_t otherwise) {
        return variable == no_variable ? otherwise : index_of(key[variable]);
    };
    if (is_pair(term.id)) {
        return make_pair(element(term.first_variable, pair_first(term.id)),
                         element(term.second_variable, pair_second(term.id)));
    }
    return term.first_variable != no_variable ? key[term.first_variable] : term.id;
}

// The entity whose ids the term asks for, 0 if it asks for none.
entity_t bound_source(const term& term, const id_t* key) noexcept {
    return term.from == source_kind::fixed  ? term.source
           : term.from == source_kind::none ? 0
                                            : key[term.source_variable];
}

}  // namespace

result_keys::result_keys(const queries::query_model& model, const query_structure& structure)
    : model_(model), key_position_(model.count, 0) {
    auto each_term = [&](auto&& visit) {
        for (std::uint32_t i = 0; i < model.count; ++i) {
            if (structure.is_required(i) || structure.is_alternative(i)) {
                visit(i, model.terms[i]);
            }
        }
    };
    each_term([&](std::uint32_t, const term& term) {
        if (distinguishes(term) && (fields_.empty() || fields_.back() != term.field)) {
            fields_.push_back(term.field);
        }
    });
    // All members of an Or chain have the same field.
    each_term([&](std::uint32_t number, const term& term) {
        const auto field = std::find(fields_.begin(), fields_.end(), term.field);
        if (field != fields_.end()) {
            key_position_[number] =
                static_cast<std::uint8_t>(model.variable_count + (field - fields_.begin()));
        }
    });
    width_ = model.variable_count + static_cast<std::uint32_t>(fields_.size());
}

void result_keys::fill_fields(mutate::stage& world, const id_t* key,
                              detail::field_data* fields) const {
    std::fill_n(fields, model_.field_count, detail::field_data{});
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& term = model_.terms[i];
        if (term.kind != term_kind::ids) {
            continue;
        }
        detail::field_data& field = fields[term.field];
        const entity_t source = bound_source(term, key);
        field.id = key_position_[i] != 0 ? key[key_position_[i]] : bound_id(term, key);
        field.source = term.from == source_kind::self ? 0 : source;
        const storage::entity_record* record = world.data.entities.find(source);
        if (term.oper == Not || !record || is_wildcard(field.id) ||
            (field.flags & detail::field_set) ||
            !storage::owns_id(world.data, *record, source, field.id)) {
            continue;
        }
        field.flags = queries::flags_of_match(term, true);
        if (const auto* type = traits::describe_id(world.data, field.id).value_type) {
            field.value = static_cast<std::byte*>(
                mutate::find_own_value(world, source, *record, field.id, 0));
            field.stride = static_cast<std::uint32_t>(type->info.size);
        }
    }
}

monitored_query::monitored_query(mutate::stage& world, detail::query_head* query, bool single_rows)
    : context{world, query},
      model(context.model()),
      data(world.data),
      row_at_a_time(single_rows),
      structure(model),
      affected(context.compiled(), structure, data),
      predicate(context.compiled(), data),
      keys(model, structure),
      held(model.conditions.empty() ? nullptr
                                    : std::make_unique<held_results>(data.mem, keys.width())) {
    query->owners.increment();
}

bool monitored_query::find_options(const binding& with, detail::run_options& options) const {
    bool alive = true;
    each_variable(with.which, [&](std::uint8_t variable) {
        alive = alive && data.entities.find(with.values[variable]);
    });
    if (!alive || (with.which & this_variable &&
                   !detail::find_entity_range(&context.world, with.values[0], options))) {
        return false;
    }
    options.variables = with.values;
    options.variable_set = with.which & ~this_variable;
    return true;
}

}  // namespace kith::observe
