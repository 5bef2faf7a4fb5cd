#include "observe/result_emitter.hpp"

#include "observe/monitor.hpp"

#include <algorithm>

namespace kith::observe {

void result_emitter::add(const detail::result& result, std::uint32_t first,
                         std::uint32_t count) noexcept {
    if (any_ && continues(result, first)) {
        waiting_.count += count;
        return;
    }
    flush();
    keep(result, first, count);
}

void result_emitter::prepare() {
    const auto& query = static_cast<const queries::compiled_query&>(*to_.query());
    if (query.tracked && !tracker_) {
        tracker_.emplace(query, &to_.owner());
    }
}

bool result_emitter::continues(const detail::result& result, std::uint32_t first) const noexcept {
    if (result.count == 0 || waiting_.count == 0 || result.table != waiting_.table ||
        result.entities + first != waiting_.entities + waiting_.count ||
        result.group != waiting_.group || (result.shared && to_.is_row_at_a_time())) {
        return false;
    }
    for (std::uint32_t i = 1; result.variables && i < to_.model().variable_count; ++i) {
        if (result.variables[i] != variables_[i]) {
            return false;
        }
    }
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        const detail::field_data& next = result.fields[i];
        const detail::field_data& last = fields_[i];
        if (next.id != last.id || next.source != last.source || next.flags != last.flags ||
            next.stride != last.stride || !next.value != !last.value ||
            (next.value && next.value + std::size_t{next.stride} * first !=
                               last.value + std::size_t{last.stride} * waiting_.count)) {
            return false;
        }
    }
    return true;
}

void result_emitter::keep(const detail::result& result, std::uint32_t first,
                          std::uint32_t count) noexcept {
    any_ = true;
    waiting_ = result;
    waiting_.fields = fields_;
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        fields_[i] = result.fields[i];
        fields_[i].value += fields_[i].value ? std::size_t{fields_[i].stride} * first : 0;
    }
    if (result.variables) {
        std::copy_n(result.variables, to_.model().variable_count, variables_);
        waiting_.variables = variables_;
    }
    if (result.count != 0) {
        waiting_.entities += first;
        waiting_.first_row += first;
        waiting_.count = count;
    }
}

// What the fields point to stays where it is.
void result_emitter::lock_sources(detail::table_lock& lock) noexcept {
    lock.table = waiting_.table;
    for (std::uint32_t i = 0; i < waiting_.field_count; ++i) {
        const detail::field_data& field = fields_[i];
        if (!field.value) {
            continue;
        }
        ids_[lock.sparse_count++] = field.id;
        if (const storage::entity_record* record =
                field.source != 0 ? to_.owner().data.entities.find(field.source) : nullptr) {
            tables_[lock.more_count++] = record->table;
        }
    }
    lock.sparse_ids = ids_;
    lock.more_tables = tables_;
}

void result_emitter::flush() noexcept {
    if (any_) {
        any_ = false;
        detail::table_lock lock(&to_.owner(), to_.query());
        lock_sources(lock);
        if (tracker_) [[unlikely]] {
            tracker_->enter(waiting_);
        }
        to_.call(waiting_, event_);
        if (tracker_) [[unlikely]] {
            tracker_->leave();
        }
    }
}

}  // namespace kith::observe
