// Builds and exchanges table sets (table_set_state.hpp).
#include "storage/table_set_state.hpp"

#include "base/assert.hpp"
#include "storage/table_layout.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace kith::storage {

using containers::purpose;

table_set_state::history table_set_state::save_history(const table_set& set) noexcept {
    history saved{set.idle_limit_, set.dormant_, set.slept_, set.woken_, {}};
    std::copy(std::begin(set.dropped_), std::end(set.dropped_), saved.dropped);
    return saved;
}

table* table_set_state::append(table_set& set, const id_t* sorted, std::uint32_t count,
                               const table_age& age) {
    const std::uint32_t number = set.reserve_number();
    KITH_ASSERT(number == set.number_limit_, "restored tables are added by number");
    set.idle_.reserve(set.mem_, number, number + 1);
    if (!sorted) {
        set.enter(number, nullptr, 0);
        ++set.number_limit_;
        return nullptr;
    }
    set.by_type_.reserve_one(set.mem_, purpose::tables);
    std::vector<id_record*> records(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        records[i] = set.ids_.find(sorted[i]);
        KITH_ASSERT(records[i], "the records of a restored table exist");
    }
    const table_plan plan = plan_table(sorted, count, records.data());
    table& added = build_table(set.mem_.allocate(plan.bytes, purpose::tables), plan, sorted, count,
                               records.data());
    const std::uint32_t layout = set.add_layout(added);
    const std::uint64_t hash = set.hash_ids(sorted, count);
    added.number = number;
    added.hash = static_cast<std::uint32_t>(hash);
    set.enter(number, &added, layout);
    set.ages_[number] = age;
    set.last_activation_ = std::max(set.last_activation_, age.activated);
    ++set.number_limit_;
    if (number != no_table) {
        set.by_type_.insert_reserved(hash, number);
    }
    return &added;
}

void table_set_state::finish(table_set& set, const std::uint32_t* free, std::uint32_t free_count,
                             const std::uint32_t* idle, std::uint32_t idle_count,
                             const history& saved) {
    set.free_numbers_.reserve_extra(set.mem_, set.number_capacity_, purpose::tables);
    for (std::uint32_t i = 0; i < free_count; ++i) {
        set.free_numbers_.push_reserved(free[i]);
    }
    for (std::uint32_t number = 0; number < set.ids_.number_limit(); ++number) {
        const id_record* record = set.ids_.by_number(number);
        for (std::uint32_t i = 0; record && i < record->tables.size(); ++i) {
            const table_entry listed = record->tables[i];
            set.at(listed.table).entry_positions[listed.position] = i;
        }
    }
    replace_idle(set, idle, idle_count, saved);
}

void table_set_state::swap(table_set& set, table_set& other) noexcept {
    KITH_ASSERT(&set.mem_ == &other.mem_, "both sets have the same memory");
    std::swap(set.head_.rows, other.head_.rows);
    std::swap(set.head_.shapes, other.head_.shapes);
    std::swap(set.by_type_, other.by_type_);
    std::swap(set.signatures_, other.signatures_);
    std::swap(set.layouts_, other.layouts_);
    std::swap(set.ages_, other.ages_);
    std::swap(set.last_activation_, other.last_activation_);
    std::swap(set.free_numbers_, other.free_numbers_);
    std::swap(set.idle_, other.idle_);
    std::swap(set.idle_limit_, other.idle_limit_);
    std::swap(set.dormant_, other.dormant_);
    std::swap(set.slept_, other.slept_);
    std::swap(set.woken_, other.woken_);
    std::swap(set.number_limit_, other.number_limit_);
    std::swap(set.number_capacity_, other.number_capacity_);
    std::swap(set.dropped_, other.dropped_);
    ++set.head_.table_epoch;
    ++set.edition_;
}

detail::table_rows table_set_state::make_block(const table_set& set, const table& owner,
                                               std::uint32_t rows, std::uint32_t capacity) {
    KITH_ASSERT(rows <= capacity, "a block has room for its rows");
    return {static_cast<std::byte*>(set.mem_.allocate(std::size_t{owner.row_bytes} * capacity,
                                                      purpose::rows, block_alignment(owner))),
            rows, capacity};
}

void table_set_state::release_block(const table_set& set, const table& owner,
                                    const detail::table_rows& block) noexcept {
    set.mem_.release(block.block, std::size_t{owner.row_bytes} * block.capacity, purpose::rows,
                     block_alignment(owner));
}

void table_set_state::replace_idle(table_set& set, const std::uint32_t* numbers,
                                   std::uint32_t count, const history& saved) noexcept {
    while (!set.idle_.numbers().empty()) {
        set.idle_.remove(set.at(set.idle_.numbers()[set.idle_.numbers().size() - 1]));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        set.idle_.add(set.at(numbers[i]));
    }
    set.idle_limit_ = saved.idle_limit;
    set.dormant_ = saved.dormant;
    set.slept_ = saved.slept;
    set.woken_ = saved.woken;
    std::copy(std::begin(saved.dropped), std::end(saved.dropped), set.dropped_);
}

}  // namespace kith::storage
