// Matches of single tables, declared in table_match.hpp.
#include "query/exec/table_match.hpp"

#include "base/assert.hpp"

#include <bit>

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
                             const plan& steps, std::uint32_t hidden) noexcept
    : data_(data),
      model_(model),
      required_(steps.signature),
      dead_(steps.dead),
      typed_(steps.typed),
      hidden_(hidden) {
    KITH_ASSERT(model.count == model.field_count && model.count <= plan::max_simple,
                "each term is one field of the record");
    KITH_ASSERT((hidden & ~storage::layout_flags) == 0, "the layout of a table has these flags");
}

// Writes a field of the record; false if its term, with this operator, is not satisfied.
inline bool table_matcher::put(std::uint32_t field, oper_kind_t oper, std::int32_t position,
                               const detail::column* slots) noexcept {
    if (position < 0 ? oper == And : oper == Not) {
        return false;
    }
    const detail::column slot = position >= 0 ? slots[position] : detail::column{0, 0};
    record_[1 + 2 * field] = slot.size != 0 ? slot.offset : no_place;
    record_[2 + 2 * field] = static_cast<std::uint32_t>(position);
    sizes_[field] = slot.size;
    return true;
}

// Fills in the fields of low ids.
void table_matcher::use_layout(std::uint32_t number) noexcept {
    layout_ = number;
    const storage::column_layout& known = layout();
    fits_ = false;
    if (known.flags & hidden_) {
        return;
    }
    // Compilers cannot know that writing the record leaves these as they are.
    const detail::column* const slots = known.slots();
    const std::uint8_t* const low = known.low();
    const std::uint32_t low_count = known.low_count;
    const term* const terms = model_.terms;
    const std::uint32_t count = model_.count;
    const std::uint64_t skipped = typed_;
    const std::uint64_t dead = dead_;
    for (std::uint32_t i = 0; i < count; ++i) {
        if ((skipped >> i) & 1) {
            continue;
        }
        const id_t id = terms[i].id;
        const bool has = id < low_count && !((dead >> i) & 1);
        if (!put(i, terms[i].oper, has ? std::int32_t{low[id]} - 1 : -1, slots)) {
            return;
        }
    }
    fits_ = true;
}

bool table_matcher::match_typed(std::uint32_t number) noexcept {
    const storage::table& type = data_.tables.at(number);
    for (std::uint64_t rest = typed_; rest != 0; rest &= rest - 1) {
        const auto field = static_cast<std::uint32_t>(std::countr_zero(rest));
        const term& term = model_.terms[field];
        if (!put(field, term.oper, storage::find_id(type, term.id), type.slots)) {
            return false;
        }
    }
    return true;
}

}  // namespace kith::queries
