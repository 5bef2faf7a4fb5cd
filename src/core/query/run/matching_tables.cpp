// The walk over the tables that match, declared in matching_tables.hpp, and table_scan (declared in
// include/kith/detail/table_scan.hpp), which hands the tables to inlined code.
#include "query/run/matching_tables.hpp"

#include <kith/detail/table_scan.hpp>

#include "base/assert.hpp"

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

// The tables of a list are far apart in memory: a later one is fetched while an earlier one is
// visited.
inline void matching_tables::prefetch_later(std::uint32_t at, std::uint32_t count) const noexcept {
#if defined(__GNUC__)
    if (walk_.by_number() || at + tables_ahead >= count) {
        return;
    }
    const std::uint32_t number = walk_.table_at(at + tables_ahead);
    if (matcher_.may_match(number)) {
        const std::byte* block = data_.tables.rows(number).block;
        __builtin_prefetch(block);
        __builtin_prefetch(block + 64);
        if (matcher_.reads_types()) {
            const storage::column_layouts& layouts = data_.tables.layouts();
            __builtin_prefetch(&layouts.of(number));  // loads the number of the layout, too
            const auto* shape = reinterpret_cast<const std::byte*>(data_.shapes[number]);
            __builtin_prefetch(shape);
            __builtin_prefetch(shape + 64);
            __builtin_prefetch(shape + 128);
        }
    }
#else
    static_cast<void>(at + count);
#endif
}

inline std::uint32_t matching_tables::find_next() noexcept {
    const std::uint32_t count = limit();
    for (std::uint32_t at = at_; at < count; ++at) {
        prefetch_later(at, count);
        KITH_COUNT(visits);
        const std::uint32_t number = walk_.table_at(at);
        if (matcher_.may_match(number) && data_.tables.rows(number).count != 0 &&
            walk_.is_part(data_, number) && matcher_.match(number)) {
            at_ = at + 1;
            return number;
        }
    }
    at_ = count;
    return 0;
}

std::uint32_t matching_tables::next() noexcept {
    return find_next();
}

// A copy of find_next(): scans of many tables pay for each call.
const std::uint32_t* matching_tables::next_record(bool& may_go_on) noexcept {
    const std::uint32_t number = find_next();
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
