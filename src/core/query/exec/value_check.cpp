// Comparisons of value terms, declared in value_check.hpp.
#include "query/exec/value_check.hpp"

#include "query/exec/search.hpp"

namespace kith::queries {

namespace {

using detail::value_rows;

location locate_operand(const exec_context& context, const term& operand) noexcept {
    return operand.from == source_kind::variable && !context.bindings
               ? location{}
               : context.bound_source_of(operand);
}

// The value on the right side of a comparison; null if its source has none.
const std::byte* find_operand(const exec_context& context, const term& operand) {
    const location source = locate_operand(context, operand);
    if (!source.table) {
        return nullptr;
    }
    const owner_ref owner = find_owner(context.data, source, operand);
    const location where = owner.is_source ? source : locate(context.data, owner.owner);
    if (owner.owner == 0 || !where.table) {
        return nullptr;
    }
    owned_id owned;
    owned_id_position position;
    const bool found =
        next_owned_id(context.data, where, operand.id,
                      owner.is_source ? visibility::own : visibility::inheritable, position, owned);
    return found && !is_off(context.data, where.entity, owned.id) ? owned.value : nullptr;
}

// The column of the operand in the table of $this; empty if the operand is not there.
value_rows find_operand_column(const exec_context& context, const term& operand) noexcept {
    if (operand.from != source_kind::self || !(operand.flags & Self) ||
        !context.data.toggled_ids.empty()) {
        return {};
    }
    const std::int32_t position = storage::find_id(*context.self.table, operand.id);
    if (position < 0) {
        return {};
    }
    const detail::column column = context.self.table->slots[position];
    return {storage::value_in(context.data.tables.rows(context.self.whole.table), column,
                              context.self.whole.first),
            column.size};
}

const detail::value_test& test_of(const exec_context& context, const value_condition& condition) {
    return find_test(context.proposer.changed_values(), condition);
}

bool passes(const detail::value_test& test, const std::byte* left, const std::byte* right) {
    return test.mask(test, {left, 0}, {right, 0}, 1) != 0;
}

// The entity on the right side of `handle == $x`; 0: it has no value.
entity_t operand_entity(const exec_context& context, const term& operand) noexcept {
    if (operand.from == source_kind::variable && !context.bindings) {
        return 0;
    }
    return context.bound_source_of(operand).entity;
}

}  // namespace

const detail::value_test& find_test(const detail::value_change* changed,
                                    const value_condition& condition) noexcept {
    for (; changed; changed = changed->next) {
        if (changed->condition == &condition) {
            return *changed->test;
        }
    }
    return *condition.test;
}

bool holds_value(const exec_context& context, const term& term, const std::byte* value) {
    KITH_ASSERT(term.value, "the term compares values");
    const value_condition& condition = *term.value;
    if (!value) {
        return false;
    }
    if (!condition.has_operand) {
        return passes(test_of(context, condition), value, nullptr);
    }
    if (condition.is_handle) {
        const entity_t right = operand_entity(context, condition.operand);
        return right != 0 &&
               passes(*condition.test, value, reinterpret_cast<const std::byte*>(&right));
    }
    const std::byte* right = find_operand(context, condition.operand);
    return right && passes(*condition.test, value, right);
}

bool holds_value(const exec_context& context, const term& term) {
    return holds_value(context, term, context.fields[term.field].value);
}

bool bind_value(exec_context& context, const term& term, variable_set& bound_here) {
    KITH_ASSERT(context.bindings, "variables belong to block plans");
    const value_condition& condition = *term.value;
    if (!condition.binds || context.is_bound(term.value_variable)) {
        return holds_value(context, term);
    }
    const std::byte* value = context.fields[term.field].value;
    const entity_t found = value ? condition.test->handle(*condition.test, value) : 0;
    return context.data.entities.find(found) != nullptr &&
           context.bind(term.value_variable, found, bound_here);
}

std::uint64_t find_passing(exec_context& context, const term& term, std::uint32_t first,
                           std::uint32_t count) {
    KITH_ASSERT(count <= 64, "a mask has 64 bits");
    const value_condition& condition = *term.value;
    const detail::field_data& field = context.fields[term.field];
    const value_rows left{field.value + std::size_t{field.stride} * first, field.stride};
    const std::uint64_t all = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    // A value that the rows share is tested once.
    const bool shared = field.stride == 0 && !condition.has_operand;
    if (!field.value) {
        return 0;
    }
    if (!condition.has_operand) {
        const detail::value_test& test = test_of(context, condition);
        return !shared                             ? test.mask(test, left, {}, count)
               : passes(test, left.first, nullptr) ? all
                                                   : 0;
    }
    if (value_rows right = find_operand_column(context, condition.operand);
        right.first && !condition.is_handle) {
        right.first += right.stride * first;
        return condition.test->mask(*condition.test, left, right, count);
    }
    std::uint64_t mask = 0;
    const row_range rows = context.self.rows;
    for (std::uint32_t i = 0; i < count; ++i) {
        context.self.rows = {context.self.whole.table, context.self.whole.first + first + i, 1};
        mask |= std::uint64_t{holds_value(context, term, left.first + left.stride * i)} << i;
    }
    context.self.rows = rows;
    return mask;
}

}  // namespace kith::queries
