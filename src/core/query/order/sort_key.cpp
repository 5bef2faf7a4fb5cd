// Resolution of sort keys, declared in sort_key.hpp.
#include "query/order/sort_key.hpp"

#include "base/raise.hpp"
#include "traits/traits.hpp"

namespace kith::queries {

namespace {

// True if results have a field with values for the term.
bool has_values(const term& term) noexcept {
    return term.kind == term_kind::ids && term.oper != Not && !term.is_from_list() &&
           term.from != source_kind::none;
}

bool is_negated_scope(const term& term) noexcept {
    return term.kind == term_kind::scope_open && term.oper == Not;
}

// The first term with the component, or else the first with pairs of it; null: there is none. Terms
// under negation have no values.
const term* find_term(const query_model& model, id_t component) noexcept {
    const term* pair_term = nullptr;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        const term& term = model.terms[i];
        if (is_negated_scope(term)) {
            i = term.scope_end;
            continue;
        }
        if (!has_values(term)) {
            continue;
        }
        if (term.id == component) {
            return &term;
        }
        if (!pair_term && is_pair(term.id) && !is_pair(component) &&
            pair_first(term.id) == index_of(component)) {
            pair_term = &term;
        }
    }
    return pair_term;
}

[[noreturn]] void refuse(const resolver& names, errc code, std::string_view before, id_t id,
                         std::string_view after) {
    base::text message;
    message << "order_by: " << before;
    names.describe(names.world, id, message);
    message << after;
    base::raise(code, message);
}

// The bytes that a comparison reads from a value at least.
std::uint32_t size_of(const sort_key& key) {
    return key.is_number()
               ? sorting::with_reader(key.by.number, [](auto read) { return read.size; })
               : 1;
}

// Refuses members that are not inside of the values that they are read from.
void check_place(const storage::store& data, const resolver& names, const sort_key& key) {
    const types::component_type* type =
        key.type != 0 ? traits::describe_id(data, key.type).value_type : nullptr;
    if (!type) {
        if (key.is_number() || key.by.offset != 0) {
            refuse(names, errc::invalid_query, "a member needs a type, and ", key.pattern,
                   " finds values of several");
        }
        return;
    }
    const std::uint32_t size = static_cast<std::uint32_t>(type->info.size);
    if (key.by.offset > size || size - key.by.offset < size_of(key)) {
        refuse(names, errc::invalid_query, "the member is not inside of the values of ", key.type,
               "");
    }
}

}  // namespace

sort_key make_sort_key(const storage::store& data, const resolver& names, const order_desc& order,
                       const query_model& model) {
    if (order.number == order_number::none && !order.compare && !order.call && !order.callable) {
        base::raise(errc::invalid_query, "order_by: there is no function to compare with");
    }
    sort_key key;
    key.by = order;
    if (key.by_entity()) {
        if (key.is_number() || order.offset != 0) {
            base::raise(errc::invalid_query, "order_by: a member needs a component");
        }
        key.bytes = sizeof(entity_t);
        return key;
    }
    const term* term = find_term(model, order.component);
    if (!term) {
        refuse(names, errc::invalid_query, "the query has no term for ", order.component, "");
    }
    key.field = term->field;
    key.pattern = term->id;
    key.type = order.type;
    const storage::id_info info = traits::describe_id(data, term->id);
    key.is_enum = traits::is_enum_pair(info);
    const types::component_type* type = key.is_enum ? info.hook_type : info.value_type;
    if (type) {
        if (order.type != 0 && type->component != order.type) {
            refuse(names, errc::wrong_type, "the values are not of type ", order.type, "");
        }
        key.type = type->component;
        key.bytes = key.is_number()           ? sizeof(std::uint64_t)
                    : type->info.trivial_copy ? type->info.size
                                              : 0;
    } else if (!is_wildcard(term->id)) {
        refuse(names, errc::invalid_query, "", term->id, " is a tag, and has no values");
    }
    check_place(data, names, key);
    return key;
}

}  // namespace kith::queries
