// The functions of change_ticks that find the table of a changed entity in the store, and the
// listeners that connect marks to sparse stores and link stores (change_ticks.hpp).
#include "storage/store.hpp"

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
    if (on_write.written) {
        on_write.written(on_write.context, id);
    }
    return sparse_marks || table.slots[position].size != 0;
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
