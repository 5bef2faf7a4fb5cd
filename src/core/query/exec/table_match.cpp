// Matches of single tables, declared in table_match.hpp.
#include "query/exec/table_match.hpp"

#include <kith/detail/query_layout.hpp>

#include "base/assert.hpp"

namespace kith::queries {

using detail::no_place;

bool match_columns(const query_model& model, std::uint64_t dead, const storage::table& table,
                   std::uint32_t* record) noexcept {
    KITH_ASSERT(model.field_count == model.count, "each term is one field");
    *record++ = table.number;
    for (const term& term : model) {
        const std::int32_t position = dead & 1 ? -1 : storage::find_id_inline(table, term.id);
        dead >>= 1;
        if (term.oper != Optional && (position >= 0) != (term.oper == And)) {
            return false;
        }
        const bool has_value = position >= 0 && table.slots[position].size != 0;
        *record++ = has_value ? table.slots[position].offset : no_place;
        *record++ = static_cast<std::uint32_t>(position);
    }
    return true;
}

std::uint64_t required_signature(const query_model& model) noexcept {
    std::uint64_t required = 0;
    for (const term& term : model) {
        if (term.is_required() && !is_open(term.id)) {
            const bool any_target = is_pair(term.id) && is_wildcard_element(pair_second(term.id));
            required |= storage::signature_of(any_target ? make_pair(pair_first(term.id), Wildcard)
                                                         : term.id);
        }
    }
    return required;
}

}  // namespace kith::queries
