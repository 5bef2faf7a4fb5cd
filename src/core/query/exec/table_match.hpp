// The match of one table with a query whose terms are each one id that the type of the table must,
// must not or may have. Records of matches have the layout of detail::query_head::matches.
//
// Implemented in table_match.cpp.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/plan/plan.hpp"
#include "storage/store.hpp"

#include <cstring>

namespace kith::queries {

// Writes the number of the table, then offset and position of each term, or no_place. Returns false
// if the table does not match; then the record has no meaning. Terms of the set `dead` match
// nothing. Requires: term i is field i.
bool match_columns(const query_model& model, std::uint64_t dead, const storage::table& table,
                   std::uint32_t* record) noexcept;

// Matches many tables, one after the other. Ids below low_id_limit are looked up in the column
// layout of the table, once for neighbouring tables with the same layout, so that tables which
// match by such ids alone are not read. Requires: term i is field i, and there are at most
// plan::max_simple terms.
class table_matcher {
public:
    // Tables with one of the `hidden` flags, which are among layout_flags, do not match. `steps` is
    // the plan of the model: its dead terms match nothing.
    table_matcher(const storage::store& data, const query_model& model, const plan& steps,
                  std::uint32_t hidden) noexcept;

    // False for most tables that do not match. Reads the signature only.
    bool may_match(std::uint32_t number) const noexcept {
        return (data_.tables.signature(number) & required_) == required_;
    }
    // True if the table has a flag that hides it. Reads the layout only.
    bool is_hidden(std::uint32_t number) const noexcept {
        return (data_.tables.layouts().of(number).flags & hidden_) != 0;
    }
    // True if a term is looked up in the descriptions of tables.
    bool reads_types() const noexcept { return typed_ != 0; }
    // True if the table matches: the record is its match.
    bool match(std::uint32_t number) noexcept {
        const std::uint32_t layout = data_.tables.layouts().number_of(number);
        if (layout != layout_) {
            use_layout(layout);
        }
        record_[0] = number;
        return fits_ && (typed_ == 0 || match_typed(number));
    }
    // Copies the record of the table that was matched last.
    void copy_record(std::uint32_t* to) const noexcept {
        *to++ = record_[0];
        for (std::uint32_t i = 0; i < model_.count; ++i, to += 2) {
            std::memcpy(to, record_ + 1 + 2 * i, 2 * sizeof(std::uint32_t));
        }
    }
    // The layout of the table that was matched last.
    const storage::column_layout& layout() const noexcept {
        return data_.tables.layouts().at(layout_);
    }
    // The offset of the column of a field that has values.
    std::uint32_t offset(std::uint32_t field) const noexcept { return record_[1 + 2 * field]; }
    // The value of a field in the first row of a matched table; null for a tag, or without a match.
    std::byte* value(std::uint32_t field, const detail::table_rows& rows) const noexcept {
        const std::uint32_t offset = record_[1 + 2 * field];
        return offset == detail::no_place ? nullptr
                                          : rows.block + std::size_t{offset} * rows.capacity;
    }
    // The size of the values of a field; 0 for a tag, or without a match.
    std::uint32_t size(std::uint32_t field) const noexcept { return sizes_[field]; }
    bool is_set(std::uint32_t field) const noexcept {
        return record_[2 + 2 * field] != detail::no_place;
    }
    // The match of the table that was matched last, until the next one.
    const std::uint32_t* record() const noexcept { return record_; }

private:
    static constexpr std::uint32_t no_layout = ~std::uint32_t{0};

    void use_layout(std::uint32_t number) noexcept;
    bool match_typed(std::uint32_t number) noexcept;
    bool put(std::uint32_t field, oper_kind_t oper, std::int32_t position,
             const detail::column* slots) noexcept;

    const storage::store& data_;
    const query_model& model_;
    std::uint64_t required_;
    std::uint64_t dead_;
    std::uint64_t typed_;  // terms that the layout does not answer
    std::uint32_t hidden_;
    std::uint32_t layout_ = no_layout;  // of the table that was matched last
    bool fits_ = false;                 // the low ids of the layout satisfy their terms
    std::uint32_t record_[1 + 2 * plan::max_simple];
    std::uint32_t sizes_[plan::max_simple];
};

}  // namespace kith::queries
