#include "query/order/sort_key.hpp"

#include "base/raise.hpp"
#include "traits/traits.hpp"

namespace kith::queries {

namespace {

bool has_values(const term& one) noexcept {
    return one.kind == term_kind::ids && one.oper != Not && !one.is_from_list() &&
           one.from != source_kind::none;
}

bool is_negated_scope(const term& one) noexcept {
    return one.kind == term_kind::scope_open && one.oper == Not;
}

// The term with the component, or else one with pairs of it.
const term* find_term(const query_model& model, id_t component) noexcept {
    const term* found = nullptr;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        const term& one = model.terms[i];
        if (is_negated_scope(one)) {
            i = one.scope_end;
            continue;
        }
        if (!has_values(one)) {
            continue;
        }
        if (one.id == component) {
            return &one;
        }
        if (!found && is_pair(one.id) && !is_pair(component) &&
            pair_first(one.id) == index_of(component)) {
            found = &one;
        }
    }
    return found;
}

[[noreturn]] void refuse(const resolver& names, errc code, std::string_view before, id_t id,
                         std::string_view after) {
    base::text message;
    message << "order_by: " << before;
    names.describe(names.world, id, message);
    message << after;
    base::raise(code, message);
}

// Of a number that is read from a value; else of anything that has an address in there.
std::uint32_t size_of(const sort_key& key) {
    return key.is_number()
               ? sorting::with_reader(key.by.number, [](auto read) { return read.size; })
               : 1;
}

// What is compared must be inside of each value.
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

sort_key make_sort_key(const storage::store& data, const resolver& names, const order_desc& by,
                       const query_model& model) {
    if (by.number == order_number::none && !by.compare && !by.call && !by.callable) {
        base::raise(errc::invalid_query, "order_by: there is no function to compare with");
    }
    sort_key made;
    made.by = by;
    if (made.by_entity()) {
        made.bytes = sizeof(entity_t);
        return made;
    }
    const term* found = find_term(model, by.component);
    if (!found) {
        refuse(names, errc::invalid_query, "the query has no term for ", by.component, "");
    }
    made.field = found->field;
    made.pattern = found->id;
    made.type = by.type;
    const storage::id_info asked = traits::describe_id(data, found->id);
    made.is_enum = traits::is_enum_pair(asked);
    const types::component_type* type = made.is_enum ? asked.hook_type : asked.value_type;
    if (type) {
        if (by.type != 0 && type->component != by.type) {
            refuse(names, errc::wrong_type, "the values are not of type ", by.type, "");
        }
        made.type = type->component;
        made.bytes = made.is_number()          ? sizeof(std::uint64_t)
                     : type->info.trivial_copy ? type->info.size
                                               : 0;
    } else if (!is_wildcard(found->id)) {
        refuse(names, errc::invalid_query, "", found->id, " is a tag, and has no values");
    }
    check_place(data, names, made);
    return made;
}

}  // namespace kith::queries
