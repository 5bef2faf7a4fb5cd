// The ticks of changes (change_ticks.hpp): marks of columns and of sparse ids, and the listeners
// that connect them to sparse stores and link stores.
#include "storage/change_ticks.hpp"

#include "storage/store.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace kith::storage {

using containers::purpose;

namespace {

// change_listener::changed of an id with marks. A change of a base concerns all of its inheritors.
void notify_sparse(void* context, std::uint32_t index) noexcept {
    auto& marks = *static_cast<sparse_change_marks*>(context);
    marks.data->ticks.sparse_changed(marks, marks.data->entities.at(index).table, index);
    if (marks.data->is_base(index)) {
        marks.data->ticks.bases_changed();
    }
}

// change_listener::changed of a tracked id that has no marks yet: counts as a change of rows.
void notify_unknown(void* context, std::uint32_t index) noexcept {
    auto& data = *static_cast<store*>(context);
    const table& table = data.tables.at(data.entities.at(index).table);
    if (table.flags & detail::shape_tracked) {
        data.ticks.row_came(table.number, index);
    }
}

}  // namespace

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
    KITH_ASSERT(columns_[table.number].count == table.column_count,
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

void change_ticks::id_changed(const store& data, std::uint32_t index, id_t id) noexcept {
    const table& table = data.tables.at(data.entities.at(index).table);
    const bool tracked = table.flags & detail::shape_tracked;
    const std::int32_t position = find_id(table, id);
    const sparse_change_marks* sparse_marks = position < 0 ? find_sparse(sparse_key(id)) : nullptr;
    if (sparse_marks) {
        sparse_written(const_cast<sparse_change_marks&>(*sparse_marks), table.number, 0);
    } else if (tracked && position >= 0 && table.slots[position].size != 0) {
        value_written(table, static_cast<std::uint32_t>(position), 0);
    } else if (tracked) {
        rows_changed(table.number);
    }
    single_.mark_id(id, index, now(), 0);
}

bool change_ticks::written_by(const store& data, std::uint32_t number, id_t id,
                              const entity_t* entities, std::uint32_t count,
                              std::uint32_t writer) noexcept {
    const table& table = data.tables.at(number);
    const std::int32_t position = find_id(table, id);
    if (position >= 0 && !(table.flags & detail::shape_tracked)) {
        return false;
    }
    const sparse_change_marks* sparse_marks = position < 0 ? find_sparse(sparse_key(id)) : nullptr;
    if (position < 0 && !sparse_marks) {
        return false;
    }
    // A spin lock: the marks are written within a few instructions.
    while (locked_.test_and_set(std::memory_order_acquire)) {}
    if (sparse_marks) {
        sparse_written(const_cast<sparse_change_marks&>(*sparse_marks), number, writer);
    } else {
        value_written(table, static_cast<std::uint32_t>(position), writer);
    }
    for (std::uint32_t i = 0; single_.is_active() && i < count; ++i) {
        single_.mark_id(id, index_of(entities[i]), now(), writer);
    }
    locked_.clear(std::memory_order_release);
    return sparse_marks || table.slots[position].size != 0;
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
    if (columns.count == column_count) {
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

sparse_change_marks& change_ticks::ensure_sparse_marks(store& data, id_t id) {
    if (const sparse_change_marks* marks = find_sparse(id)) {
        return const_cast<sparse_change_marks&>(*marks);
    }
    sparse_.reserve_extra(mem_, 1, purpose::sparse);
    auto& marks =
        *::new (mem_.allocate(sizeof(sparse_change_marks), purpose::sparse)) sparse_change_marks;
    marks.id = id;
    marks.data = &data;
    marks.listener = {notify_sparse, nullptr, &marks};
    sparse_.push_reserved(&marks);
    const std::uint32_t limit = data.tables.number_limit();
    marks.tables.reserve_extra(mem_, limit, purpose::sparse);
    while (marks.tables.size() < limit) {
        marks.tables.push_reserved({});
    }
    return marks;
}

const change_listener* change_ticks::watch_for(store& data, id_t id) noexcept {
    if (const sparse_change_marks* marks = find_sparse(id)) {
        return &marks->listener;
    }
    unknown_ = {notify_unknown, nullptr, &data};
    return &unknown_;
}

}  // namespace kith::storage
