// The walk over the tables that match, declared in matching_tables.hpp, and table_scan (declared in
// include/kith/detail/table_scan.hpp), which hands the tables to inlined code.
#include "query/run/matching_tables.hpp"

#include <kith/detail/table_scan.hpp>

#include <new>

namespace kith::queries {

matching_tables::matching_tables(const compiled_query& query, const storage::store& data) noexcept
    : data_(data), matcher_(data, query.model, query.steps(), hidden_flags(query.model)) {
    std::uint32_t fewest = 0xFFFFFFFF;
    for (const term& term : query.model) {
        if (term.oper == And) {
            const storage::id_record* record = data.ids.find(term.id);
            const std::uint32_t count = record ? record->active : 0;
            if (count < fewest) {
                fewest = count;
                start_ = record;
            }
        }
    }
    walk_ = table_walk(data, start_, start_ ? start_->active : 0);
}

const std::uint32_t* matching_tables::next_record(bool& may_go_on) noexcept {
    const std::uint32_t number = next();
    may_go_on = number != 0 && at_ < limit();
    return number != 0 ? matcher_.record() : nullptr;
}

}  // namespace kith::queries

namespace kith::detail {

using queries::matching_tables;

const std::uint32_t* table_scan::begin(const query_head* query) {
    static_assert(sizeof(matching_tables) <= state_size);
    static_assert(std::is_trivially_destructible_v<matching_tables>);
    const auto& data = static_cast<const storage::store&>(*world_of(query)->store);
    auto* tables = ::new (state_) matching_tables(queries::compiled(query), data);
    return tables->next_record(may_go_on_);
}

const std::uint32_t* table_scan::next() noexcept {
    return std::launder(reinterpret_cast<matching_tables*>(state_))->next_record(may_go_on_);
}

}  // namespace kith::detail
