// Joining neighbouring rows of results into one call of a monitor's callback.
#include "observe/monitor/result_emitter.hpp"

#include "base/assert.hpp"

#include <algorithm>

namespace kith::observe {

void result_emitter::add(const detail::result& result, std::uint32_t first,
                         std::uint32_t count) noexcept {
    KITH_ASSERT(result.count == 0 || first + count <= result.count, "the rows are the result's");
    KITH_ASSERT(event_ == OnAdd || event_ == OnRemove, "results enter or leave");
    if (has_pending_ && continues(result, first)) {
        pending_.count += count;
        return;
    }
    flush();
    keep(result, first, count);
}

void result_emitter::prepare() {
    if (query_.context.compiled().tracked && !tracker_) {
        tracker_.emplace(query_.context.compiled(), &query_.context.world);
    }
}

bool result_emitter::continues(const detail::result& result, std::uint32_t first) const noexcept {
    if (result.count == 0 || pending_.count == 0 || result.table != pending_.table ||
        result.entities + first != pending_.entities + pending_.count ||
        result.group != pending_.group || (result.shared && query_.row_at_a_time)) {
        return false;
    }
    for (std::uint32_t i = 1; result.variables && i < query_.model.variable_count; ++i) {
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
                               last.value + std::size_t{last.stride} * pending_.count)) {
            return false;
        }
    }
    return true;
}

void result_emitter::keep(const detail::result& result, std::uint32_t first,
                          std::uint32_t count) noexcept {
    has_pending_ = true;
    pending_ = result;
    pending_.fields = fields_;
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        fields_[i] = result.fields[i];
        fields_[i].value += fields_[i].value ? std::size_t{fields_[i].stride} * first : 0;
    }
    if (result.variables) {
        std::copy_n(result.variables, query_.model.variable_count, variables_);
        pending_.variables = variables_;
    }
    if (result.count != 0) {
        pending_.entities += first;
        pending_.first_row += first;
        pending_.count = count;
    }
}

void result_emitter::lock_sources(detail::table_lock& lock) noexcept {
    lock.table = pending_.table;
    for (std::uint32_t i = 0; i < pending_.field_count; ++i) {
        const detail::field_data& field = fields_[i];
        if (!field.value) {
            continue;
        }
        ids_[lock.sparse_count++] = field.id;
        if (const storage::entity_record* record =
                field.source != 0 ? query_.data.entities.find(field.source) : nullptr) {
            tables_[lock.more_count++] = record->table;
        }
    }
    lock.sparse_ids = ids_;
    lock.more_tables = tables_;
}

void result_emitter::flush() noexcept {
    if (has_pending_) {
        has_pending_ = false;
        detail::table_lock lock(&query_.context.world, query_.context.query);
        lock_sources(lock);
        if (tracker_) [[unlikely]] {
            tracker_->enter(pending_);
        }
        callback_.call(pending_, event_);
        if (tracker_) [[unlikely]] {
            tracker_->leave();
        }
    }
}

}  // namespace kith::observe
