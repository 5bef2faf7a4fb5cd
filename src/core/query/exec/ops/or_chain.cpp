// The operator `or_chain`, declared in or_chain.hpp.
#include "query/exec/ops/or_chain.hpp"

#include "query/exec/value_check.hpp"

namespace kith::queries {

bool or_chain_operator::open(exec_context& context, const op& op) {
    alternative = op.first;
    return open_alternative(context, op);
}

bool or_chain_operator::next(exec_context& context, const op& op) {
    KITH_ASSERT(alternative < op.last, "a chain without results is not asked for the next one");
    if (!context.model.terms[alternative].at_most_one && next_of_alternative(context, op)) {
        return true;
    }
    if (!context.model.terms[op.first].every_of_chain) {
        return false;
    }
    ++alternative;
    return open_alternative(context, op);
}

// Goes to the first match of the present alternative or of a later one.
bool or_chain_operator::open_alternative(exec_context& context, const op& op) {
    for (; alternative < op.last; ++alternative) {
        search.open(context, op, context.model.terms[alternative]);
        if (next_of_alternative(context, op)) {
            return true;
        }
    }
    return false;
}

bool or_chain_operator::next_of_alternative(exec_context& context, const op& op) {
    const bool every = context.model.terms[op.first].every_of_chain;
    const term& present = context.model.terms[alternative];
    while (search.next(context, present)) {
        if (present.value && !holds_value(context, present)) {
            continue;
        }
        if (!every || !is_repeated(context, op)) {
            return true;
        }
    }
    return false;
}

// True if a term before the present one matches the same id on the same entity.
bool or_chain_operator::is_repeated(const exec_context& context, const op& op) const {
    const storage::store& data = context.data;
    const detail::field_data& field = context.fields[context.model.terms[alternative].field];
    for (std::uint32_t i = op.first; i < alternative; ++i) {
        const term& earlier = context.model.terms[i];
        const location source = context.is_dead(i) ? location{} : context.source_of(earlier);
        if (!source.table || !matches_id(earlier.id, field.id) ||
            (earlier.value && !holds_value(context, earlier, field.value))) {
            continue;
        }
        term exact = earlier;
        exact.id = field.id;
        std::vector<owner_ref> owners;
        if (earlier.flags & TraverseAll) {
            collect_owners(data, source, exact, owners);
        } else {
            owners.push_back(find_owner(data, source, exact));
        }
        for (const owner_ref& owner : owners) {
            const bool mine = earlier.from == source_kind::self && owner.is_source;
            if (owner.owner != 0 && (mine ? 0 : owner.owner) == field.source) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace kith::queries
