// The execution context, declared in exec_context.hpp: sources of terms, bindings, fields.
#include "query/exec/exec_context.hpp"

#include <algorithm>
#include <bit>

namespace kith::queries {

location exec_context::source_of(const term& term) const noexcept {
    if (term.from == source_kind::fixed) {
        return locate(data, term.source);
    }
    if (term.from == source_kind::variable) {
        return locate(data, value_of(term.source_variable));
    }
    if (self.rows.count == 0) {
        return {self.table, &self.bare, This, 0};
    }
    const entity_t entity =
        storage::entities_of(*self.table, data.tables.rows(self.rows.table))[self.rows.first];
    return {self.table, &data.entities.at(index_of(entity)), entity, self.rows.first};
}

bool exec_context::find_stored(const location& source, const match& match,
                               owned_id& owned) const noexcept {
    const location where = match.owner.is_source ? source : locate(data, match.owner.owner);
    owned_id_position position;
    return where.table && next_owned_id(data, where, match.id, visibility::own, position, owned);
}

bool exec_context::still_there(row_range& rows) const noexcept {
    const std::uint32_t count =
        data.tables.find_number(rows.table) ? data.tables.rows(rows.table).count : 0;
    rows.count = rows.first < count ? std::min(rows.count, count - rows.first) : 0;
    return rows.count != 0;
}

bool exec_context::bind(std::uint8_t variable, entity_t value, variable_set& bound_here) noexcept {
    if (is_bound(variable)) {
        return value_of(variable) == value;
    }
    const std::uint32_t flags = hidden_of(variable);
    const storage::entity_record* record = flags != 0 ? data.entities.find(value) : nullptr;
    if (record && data.tables.at(record->table).flags & flags) {
        return false;
    }
    if (variable == 0) {
        record = record ? record : data.entities.find(value);
        // An entity whose creation is still queued has no row yet.
        if (!record || record->table == storage::no_table) {
            return false;
        }
        take_range({record->table, record->row, 1});
    } else {
        bindings->values[variable] = value;
    }
    bindings->bound |= only(variable);
    bound_here |= only(variable);
    return true;
}

bool exec_context::bind_elements(const term& term, id_t id, variable_set& bound_here) noexcept {
    auto element = [&](std::uint8_t variable, std::uint32_t index) {
        return variable == no_variable || bind(variable, data.entities.alive_at(index), bound_here);
    };
    const bool substituted_first = term.first_by.flags != 0;
    const bool substituted_second = term.second_by.flags != 0;
    return (substituted_first ||
            element(term.first_variable, is_pair(id) ? pair_first(id) : index_of(id))) &&
           (substituted_second || !is_pair(id) || element(term.second_variable, pair_second(id)));
}

void exec_context::unbind(variable_set variables) noexcept {
    KITH_ASSERT((variables & ~bindings->bound) == 0, "variables are bound before they are unbound");
    if (variables & this_variable) {
        self.table = nullptr;
        self.rows = self.whole = {};
    }
    bindings->bound &= ~variables;
    for (; variables != 0; variables &= variables - 1) {
        bindings->values[std::countr_zero(variables)] = 0;
    }
}

void exec_context::clear_fields(const op& op) noexcept {
    for (std::uint32_t t = op.first; t < op.last; ++t) {
        if (model.terms[t].kind < term_kind::apart) {
            clear_field(model.terms[t]);
        }
    }
}

void exec_context::shift_fields(std::ptrdiff_t rows) noexcept {
    for (std::uint32_t i = 0; i < model.field_count; ++i) {
        if (fields[i].value && !((row_fields >> i) & 1)) {
            fields[i].value += rows * static_cast<std::ptrdiff_t>(fields[i].stride);
        }
    }
}

}  // namespace kith::queries
