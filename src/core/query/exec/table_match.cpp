// Matches of single tables, declared in table_match.hpp.
#include "query/exec/table_match.hpp"

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

table_matcher::table_matcher(const storage::store& data, const query_model& model,
                             std::uint32_t hidden, std::uint64_t dead) noexcept
    : data_(data),
      model_(model),
      required_(required_signature(model)),
      dead_(dead),
      hidden_(hidden) {
    KITH_ASSERT(model.count == model.field_count && model.count <= plan::max_simple,
                "each term is one field of the record");
    KITH_ASSERT((hidden & ~storage::layout_flags) == 0, "the layout of a table has these flags");
    for (std::uint32_t i = 0; i < model.count; ++i) {
        if (model.terms[i].id >= low_id_limit && !((dead >> i) & 1)) {
            others_[other_count_++] = static_cast<std::uint8_t>(i);
        }
    }
}

// Writes a field of the record; false if the term is not satisfied.
bool table_matcher::put(std::uint32_t field, std::int32_t position,
                        const detail::column* slots) noexcept {
    const term& term = model_.terms[field];
    if (term.oper != Optional && (position >= 0) != (term.oper == And)) {
        return false;
    }
    const bool has_value = position >= 0 && slots[position].size != 0;
    record_[1 + 2 * field] = has_value ? slots[position].offset : no_place;
    record_[2 + 2 * field] = static_cast<std::uint32_t>(position);
    return true;
}

// Fills in the fields of low ids.
void table_matcher::use_layout(std::uint32_t number) noexcept {
    layout_ = number;
    const storage::column_layout& known = layout();
    fits_ = !(known.flags & hidden_);
    for (std::uint32_t i = 0; fits_ && i < model_.count; ++i) {
        const id_t id = model_.terms[i].id;
        const bool dead = (dead_ >> i) & 1;
        if (dead || id < low_id_limit) {
            fits_ = put(i, dead ? -1 : known.find(id), known.slots());
        }
    }
}

bool table_matcher::match_others(std::uint32_t number) noexcept {
    const storage::table& type = data_.tables.at(number);
    for (std::uint32_t i = 0; i < other_count_; ++i) {
        const std::uint32_t field = others_[i];
        if (!put(field, storage::find_id(type, model_.terms[field].id), type.slots)) {
            return false;
        }
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
