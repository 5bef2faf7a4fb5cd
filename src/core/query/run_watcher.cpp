#include "query/run_watcher.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

bool may_write(const term& one) noexcept {
    return one.kind == term_kind::ids && one.from != source_kind::none && one.oper != Not &&
           !is_readonly(one, true);
}

}  // namespace

bool needs_watch(const compiled_query& query, const storage::store& data) noexcept {
    if (query.changes) {
        return true;
    }
    for (const term& one : query.model) {
        if (data.ticks.is_active() && may_write(one) &&
            (is_wildcard(one.id) || data.listening.heard(one.id) & storage::heard_track)) {
            return true;
        }
    }
    return false;
}

run_watcher::run_watcher(const compiled_query& query, world_t* stage,
                         const detail::run_options& options)
    : query_(query),
      data_(static_cast<storage::store&>(*stage->store)),
      reader_(query.changes.get()),
      writes_(std::any_of(query.model.begin(), query.model.end(), may_write)) {
    storage::row_ticks& single = data_.ticks.single();
    if (single.is_active() && !single.has_room(data_.page_count)) {
        single.make_room(data_.page_count, data_.ticks.now());
    }
    if (reader_) {
        at_ = reader_->begin(data_, options);
    }
}

run_watcher::~run_watcher() {
    if (!query_.link->world) {
        return;
    }
    leave();
    const bool sorted = query_.order && !query_.order->keys.empty();
    const bool by_table = (query_.steps.plain || query_.steps.simple) && !sorted;
    if (reader_ && !finished_ && !by_table) {
        reader_->abandon(at_, table_);
    }
}

void run_watcher::finish() noexcept {
    finished_ = true;
    if (reader_) {
        reader_->finish(at_);
    }
}

bool run_watcher::is_changed(const detail::result& found) const noexcept {
    return !reader_ || reader_->is_changed(data_, at_, found, since_);
}

bool run_watcher::is_changed(const detail::result& found, std::uint32_t row) const noexcept {
    return !reader_ || reader_->is_row_changed(data_, query_.model, at_, found, row, since_);
}

// What was handed out to be written counts as written, whether it was or not.
void run_watcher::mark_written() noexcept {
    written_ = false;
    constexpr std::uint32_t relevant = detail::field_set | detail::field_readonly;
    const std::uint32_t writer = reader_ ? reader_->number() : 0;
    for (std::uint32_t i = 0; i < last_.field_count; ++i) {
        const detail::field_data& field = last_.fields[i];
        if ((field.flags & relevant) != detail::field_set || !field.value) {
            continue;
        }
        if (field.source == 0) {
            data_.ticks.written_by(data_, last_.table, field.id, last_.entities, last_.count,
                                   writer);
        } else if (const storage::entity_record* source = data_.entities.find(field.source)) {
            data_.ticks.written_by(data_, source->table, field.id, &field.source, 1, writer);
        }
    }
}

}  // namespace kith::queries
