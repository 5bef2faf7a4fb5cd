// Tracking of runs, declared in run_tracker.hpp.
#include "query/run/run_tracker.hpp"

#include "query/run/whole_table.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::queries {

run_tracker::run_tracker(const compiled_query& query, world_t* stage,
                         const detail::run_options& options)
    : run_tracker(query, stage) {
    if (reader_) {
        at_ = reader_->begin(data_, options);
    }
}

run_tracker::run_tracker(const compiled_query& query, world_t* stage)
    : query_(query),
      data_(static_cast<storage::store&>(*stage->store)),
      reader_(query.changes.get()),
      writes_(may_write(query.model)) {
    all = this;
    // Ticks of single rows need room for entities that were made since the last run.
    storage::row_ticks& single = data_.ticks.single();
    if (single.is_active() && !single.has_room(data_.page_count)) {
        single.make_room(data_.page_count, data_.ticks.now());
    }
    if (reader_) {
        at_ = reader_->look(data_);
    }
}

run_tracker::run_tracker(const compiled_query& query, world_t* stage,
                         const seen_versions::run& whole)
    : query_(query),
      data_(static_cast<storage::store&>(*stage->store)),
      reader_(query.changes.get()),
      at_(whole),
      writes_(may_write(query.model)),
      is_part_(true) {
    all = this;
}

run_tracker::~run_tracker() {
    if (!query_.link->world) {
        return;  // the world has ended
    }
    leave();
    const bool sorted = query_.order && !query_.order->keys.empty();
    const bool by_table =
        (query_.steps().by_column || query_.steps().strategy == run_strategy::table) && !sorted;
    // Rows of the last table may be missing, unless each result is a whole table.
    if (reader_ && !finished_ && (is_part_ || !by_table)) {
        reader_->abandon(at_, table_);
    }
}

void run_tracker::finish() noexcept {
    finished_ = true;
    if (reader_ && !is_part_) {
        reader_->finish(at_);
        if (at_.whole && at_.shares == 1) {
            note_unchanged();
        }
    }
}

bool run_tracker::start_scan() {
    KITH_ASSERT(reader_ && query_.cache(), "the query is cached and has change detection");
    filled_ = reader_->find_filled(data_, *query_.cache());
    if (!filled_->all_marked || reader_->depends_on_others()) {
        return false;
    }
    for (const term& term : query_.model) {
        const types::component_type* type = traits::describe_id(data_, term.id).value_type;
        detail::field_data& field = scanned_[term.field];
        field = owned_field(term, term.id, nullptr, type ? type->info.size : 0);
        field.flags |= detail::field_readonly;
    }
    // Unless something changes, the scan repeats the last complete run, and notes no visits.
    if (at_.start == at_.completed && reader_->completed_run() != 0) {
        at_.id = reader_->completed_run();
    }
    seen = reader_->seen_tables(data_);
    ticks = &data_.ticks.head();
    fields = scanned_;
    completed = at_.completed;
    run = at_.id;
    places = filled_->places.data();
    place_count = static_cast<std::uint32_t>(filled_->places.size());
    placed = filled_->tick;
    match_limit_ = query_.cache()->count();
    return true;
}

detail::scan_step run_tracker::next_scanned(std::uint32_t match) {
    // Tables that callbacks make do not join the run.
    const std::uint32_t limit = std::min(match_limit_, query_.cache()->count());
    for (std::uint32_t i = match + 1; i < limit; ++i) {
        const std::uint32_t table = query_.cache()->record(i)[0];
        if (data_.tables.rows(table).count != 0 && data_.ticks.has_table(table)) {
            return {{i, table}, reader_->seen_tables(data_)};
        }
    }
    return {};
}

// Builds the result of a scanned table, of which inlined code passes the table only.
bool run_tracker::is_table_changed(std::uint32_t table, std::uint64_t tick) const {
    detail::field_data table_fields[detail::most_scanned];
    const storage::table& type = data_.tables.at(table);
    for (const term& term : query_.model) {
        detail::field_data& field = table_fields[term.field];
        field = scanned_[term.field];
        field.flags = storage::find_id(type, term.id) >= 0 ? field.flags : 0;
    }
    const detail::result result =
        whole_table(data_, table, data_.tables.rows(table), table_fields, query_.model.field_count);
    return reader_->is_changed(data_, at_, result, tick);
}

bool run_tracker::is_changed(const detail::result& result, std::uint64_t tick) const {
    return !reader_ || reader_->is_changed(data_, at_, result, tick);
}

bool run_tracker::is_changed(const detail::result& result, std::uint32_t row,
                             std::uint64_t tick) const {
    return !reader_ || reader_->is_row_changed(data_, query_.model, at_, result, row, tick);
}

// Values that were handed out to be written count as written, whether callbacks wrote them or not.
void run_tracker::mark_written() noexcept {
    written_ = false;
    constexpr std::uint32_t relevant = detail::field_set | detail::field_readonly;
    const std::uint32_t writer = reader_ ? reader_->number() : 0;
    for (std::uint32_t i = 0; i < last_.field_count; ++i) {
        const detail::field_data& field = last_.fields[i];
        if ((field.flags & relevant) != detail::field_set || !field.value) {
            continue;
        }
        if (field.source == 0) {
            own_ticks_ += data_.ticks.written_by(data_, last_.table, field.id, last_.entities,
                                                 last_.count, writer);
        } else if (const storage::entity_record* source = data_.entities.find(field.source)) {
            own_ticks_ +=
                data_.ticks.written_by(data_, source->table, field.id, &field.source, 1, writer);
        }
    }
}

}  // namespace kith::queries
