// The ticks of changes (change_ticks.hpp): marks of rows, of columns and of sparse ids.
#include "storage/change_ticks.hpp"

#include <algorithm>
#include <memory>

namespace kith::storage {

using containers::purpose;

change_ticks::~change_ticks() {
    for (const column_marks& columns : columns_) {
        mem_.release(columns.marks, columns.count * sizeof(change_mark), purpose::tables);
    }
    for (sparse_change_marks* marks : sparse_) {
        marks->tables.release(mem_, purpose::sparse);
        mem_.release(marks, sizeof(sparse_change_marks), purpose::sparse);
    }
    tables_.release(mem_, purpose::tables);
    columns_.release(mem_, purpose::tables);
    sparse_.release(mem_, purpose::sparse);
}

// The mark of the column of an id, null for a tag. Columns are sorted by offset.
change_mark* change_ticks::find_column(const table& table, std::uint32_t position) const noexcept {
    const detail::column slot = table.slots[position];
    if (slot.size == 0) {
        return nullptr;
    }
    const detail::column* column =
        std::lower_bound(table.columns, table.columns + table.column_count, slot.offset,
                         [](const detail::column& candidate, std::uint32_t offset) {
                             return candidate.offset < offset;
                         });
    KITH_ASSERT(columns_[table.number].count >= table.column_count,
                "a tracked table has a mark for each column");
    return columns_[table.number].marks + (column - table.columns);
}

std::uint64_t change_ticks::value_tick(const table& table, std::uint32_t position,
                                       std::uint32_t reader) const noexcept {
    const change_mark* mark = find_column(table, position);
    return mark ? mark->tick_for(reader) : 0;
}

const sparse_change_marks* change_ticks::find_sparse(id_t id) const noexcept {
    for (const sparse_change_marks* marks : sparse_) {
        if (marks->id == id) {
            return marks;
        }
    }
    return nullptr;
}

void change_ticks::value_written(const table& table, std::uint32_t position,
                                 std::uint32_t writer) noexcept {
    if (change_mark* mark = find_column(table, position)) {
        const std::uint64_t tick = next();
        mark->set(tick, writer);
        tables_[table.number].any.set(tick, writer);
        go_on(tick);
    }
}

void change_ticks::sparse_written(sparse_change_marks& marks, std::uint32_t number,
                                  std::uint32_t writer) noexcept {
    const std::uint64_t tick = next();
    marks.any.set(tick, writer);
    if (number < marks.tables.size()) {
        marks.tables[number].set(tick, writer);
    }
    if (number < tables_.size()) {
        tables_[number].any.set(tick, writer);
    }
    go_on(tick);
}

void change_ticks::row_moved(const table& from, const table& to, std::uint32_t index) noexcept {
    // The values of a pattern changed if another id matches it first, or if none does any more.
    single_.each_pattern([&](id_t pattern) {
        const std::int32_t before = find_match(from, pattern, 0);
        const std::int32_t after = find_match(to, pattern, 0);
        if ((before < 0 ? id_t{0} : from.ids[before]) != (after < 0 ? id_t{0} : to.ids[after])) {
            single_.mark_id(pattern, index, now(), 0);
        }
    });
}

void change_ticks::table_replaced(const table& replaced, const entity_t* entities,
                                  std::uint32_t count) noexcept {
    rows_changed(replaced.number);
    const std::uint64_t tick = now();
    gone_ = tick;
    for (std::uint32_t i = 0; i < replaced.column_count; ++i) {
        columns_[replaced.number].marks[i].set(tick, 0);
    }
    for (std::uint32_t i = 0; single_.is_active() && i < count; ++i) {
        single_.mark_all(index_of(entities[i]), tick);
    }
}

void change_ticks::reserve_table(std::uint32_t number, std::uint32_t column_count) {
    for (sparse_change_marks* marks : sparse_) {
        while (marks->tables.size() <= number) {
            marks->tables.push(mem_, {}, purpose::sparse);
        }
    }
    while (tables_.size() <= number) {
        // Both lists grow or none does.
        columns_.reserve_extra(mem_, 1, purpose::tables);
        tables_.push(mem_, {}, purpose::tables);
        head_.tables = tables_.data();
        columns_.push_reserved({});
    }
    column_marks& columns = columns_[number];
    if (columns.count >= column_count) {
        return;
    }
    auto* marks = static_cast<change_mark*>(
        mem_.allocate(column_count * sizeof(change_mark), purpose::tables));
    std::uninitialized_fill_n(marks, column_count, change_mark{});
    mem_.release(columns.marks, columns.count * sizeof(change_mark), purpose::tables);
    columns = {marks, column_count};
}

void change_ticks::forget_table(const table& removed) noexcept {
    // The number may be given to another table, which keeps the marks of rows and gets new columns.
    if (!(removed.flags & detail::shape_tracked)) {
        return;
    }
    rows_changed(removed.number);
    gone_ = now();
    column_marks& columns = columns_[removed.number];
    mem_.release(columns.marks, columns.count * sizeof(change_mark), purpose::tables);
    columns = {};
}

}  // namespace kith::storage
