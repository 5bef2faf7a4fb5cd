#include "query/watched_run.hpp"

#include "query/find_groups.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// Rows one after the other: a batch does not say which entity each value is of.
detail::run_options in_order(detail::run_options options) noexcept {
    options.scattered = false;
    return options;
}

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

watched_run::watched_run(const compiled_query& query, world_t* stage,
                         const detail::run_options& options)
    : query_(query),
      data_(static_cast<storage::store&>(*stage->store)),
      reader_(query.changes.get()),
      writes_(std::any_of(query.model.begin(), query.model.end(), may_write)) {
    if (is_ordered(query, options) && query.model.grouped) {
        find_groups(query, stage, options);
    }
    if (is_sorted(query, options)) {
        sorted_.emplace(query, stage, in_order(options));
    } else if (!query.order && cached_run::fits(query, options)) {
        tables_.emplace(query, stage);
    } else {
        rows_.emplace(query, stage, in_order(options));
    }
    if (data_.ticks.single().is_active() && !data_.ticks.single().has_room(data_.page_count)) {
        data_.ticks.single().make_room(data_.page_count, data_.ticks.now());
    }
    if (reader_) {
        at_ = reader_->begin(data_, options);
    }
}

watched_run::~watched_run() {
    if (query_.link->world) {
        mark_written();
    }
}

bool watched_run::next(detail::result& found) {
    mark_written();
    if (!next_result(found)) {
        if (reader_) {
            reader_->finish(at_);
        }
        return false;
    }
    if (reader_) {
        since_ = reader_->visit(data_, at_, found.table);
    }
    found.watch = this;
    if (writes_) {
        last_ = found;
        written_ = true;
    }
    return true;
}

bool watched_run::is_changed(const detail::result& found) const noexcept {
    return !reader_ || reader_->is_changed(data_, at_, found, since_);
}

bool watched_run::is_changed(const detail::result& found, std::uint32_t row) const noexcept {
    return !reader_ || reader_->is_row_changed(data_, query_.model, at_, found, row, since_);
}

// What was handed out to be written counts as written, whether it was or not.
void watched_run::mark_written() noexcept {
    if (!written_) {
        return;
    }
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
