// Answers the questions of handles about changes: changed(), skip(), and scans that visit changed
// tables only. Declared in include/kith/detail/query_ops.hpp.
#include "api/query_changes.hpp"

#include <kith/query.hpp>

#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "mutate/context/recorder.hpp"
#include "query/run/run_tracker.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace kith::detail {

using api::impl_of;
using queries::compiled;
using queries::compiled_query;
using queries::seen_versions;

namespace {

// Reports that the iterator belongs to an event.
[[noreturn]] void raise_no_query(const char* call) {
    base::text message;
    message << call << " is for results of a query; this iterator has none";
    base::raise(errc::invalid_query, message);
}

// True if a result has changed since the reader last saw it. O(results).
bool has_changed_result(const compiled_query& query, seen_versions& reader, world_t* world,
                        const seen_versions::run& seen) {
    const storage::store& data = impl_of(world).data;
    run_options options;
    options.untracked = true;
    options.unordered = true;
    query_run run(&query, world, options);
    for (result result; run.next(result);) {
        if (reader.is_changed(data, seen, result, reader.seen_at(seen, result.table))) {
            return true;
        }
    }
    return false;
}

// True if one of the changed entities is part of a result, or was when the query last ran.
bool has_result(const compiled_query& query, const seen_versions& reader, world_t* world,
                const std::vector<entity_t>& rows) {
    const storage::store& data = impl_of(world).data;
    return std::any_of(rows.begin(), rows.end(), [&](entity_t row) {
        run_options only;
        return reader.has_seen(data.entities.find(row)->table) ||
               (find_entity_range(world, row, only) && count_results(&query, world, only) != 0);
    });
}

}  // namespace

seen_versions& reader_of(const compiled_query& query) {
    mutate::stage& owner = mutate::stage_of(world_of(&query));
    if (!query.changes) {
        if (mutate::is_recorded(owner) &&
            mutate::recorder_of(owner).use == mutate::recorder_use::part) {
            mutate::check_not_recording(owner, "the first question changed() of a query");
        }
        query.changes =
            std::make_unique<seen_versions>(owner.data.ticks.new_reader(), query.model.tracks_rows);
        // The query counts as outdated, so that its next run is a tracked one.
        query.version.store(owner.data.version - 1);
    }
    queries::track_changes(query, owner.data);
    return *query.changes;
}

seen_versions& row_reader_of(const compiled_query& query) {
    if (!query.changes) {
        reader_of(query);
    }
    query.changes->track_rows();
    return reader_of(query);
}

// The cheap tests come first: ticks of the world, then changed rows, then all results.
bool is_query_changed(const query_head* head) {
    world_t* world = world_of(head);
    const compiled_query& query = compiled(head);
    seen_versions& reader = reader_of(query);
    const storage::store& data = impl_of(world).data;
    if (!reader.has_completed()) {
        return true;
    }
    if (reader.is_known_unchanged(data)) {
        return false;
    }
    // Entities that were created since the last question need room for their ticks.
    storage::row_ticks& single = impl_of(world).data.ticks.single();
    if (reader.finds_rows() && !single.has_room(data.page_count)) {
        single.make_room(data.page_count, data.ticks.now());
    }
    const seen_versions::run run = reader.look(data);
    std::vector<entity_t> rows;
    if (reader.has_lost_results(data, run) ||
        (reader.find_changed(data, query.model, run, false, rows)
             ? has_result(query, reader, world, rows)
             : has_changed_result(query, reader, world, run))) {
        return true;
    }
    reader.set_unchanged(run.start);
    return false;
}

bool is_result_changed(const query_head* head, world_t* world, const result& result,
                       std::int64_t row) {
    if (!head) {
        raise_no_query("changed()");
    }
    if (row >= std::int64_t{result.count} || row < -1) {
        base::text message;
        message << "there is no row " << row << " in this result; it has " << result.count
                << ", counted from 0";
        base::raise(errc::invalid_query, message);
    }
    if (result.tracker) {
        const queries::run_tracker& run = queries::tracker_of(*result.tracker);
        const std::uint64_t since = result.tracker->since;
        if (run.asks()) {
            return row < 0 ? run.is_changed(result, since)
                           : run.is_changed(result, static_cast<std::uint32_t>(row), since);
        }
    }
    // The query is asked for the first time in the middle of a run: the reader notes the table.
    seen_versions& reader = reader_of(compiled(head));
    reader.note_first(impl_of(world).data, result.table);
    return true;
}

// A tracker for a run that inlined code makes; null if the query need not be tracked.
tracked_run* begin_scan(const query_head* head, world_t* stage) {
    auto tracker =
        std::make_unique<queries::run_tracker>(compiled(head), stage, detail::run_options{});
    return tracker->start_scan() ? tracker.release() : nullptr;
}

void end_scan(tracked_run* tracker, bool complete) noexcept {
    std::unique_ptr<queries::run_tracker> ended(static_cast<queries::run_tracker*>(tracker));
    if (ended && complete) {
        ended->finish();
    }
}

scan_step next_scanned(tracked_run* scan, std::uint32_t match) {
    return queries::tracker_of(*scan).next_scanned(match);
}

bool is_table_changed(const tracked_run* scan, std::uint32_t table, std::uint64_t since) {
    return queries::tracker_of(*scan).is_table_changed(table, since);
}

// Marks the values of a field as written by the program.
void mark_field_written(world_t* world, const result& result, std::size_t index, bool written) {
    KITH_ASSERT(index < result.field_count, "the field is one of the result's");
    storage::store& data = mutate::stage_of(world).data;
    const field_data& field = result.fields[index];
    if (!written || !field.value || !data.ticks.is_active()) {
        return;
    }
    if (field.source == 0) {
        data.ticks.written_by(data, result.table, field.id, result.entities, result.count, 0);
    } else {
        const std::uint32_t table = data.entities.find(field.source)->table;
        data.ticks.written_by(data, table, field.id, &field.source, 1, 0);
    }
}
// The rows of the result do not count as written by this run.
void skip_result(const query_head* head, const result& result) {
    if (!head) {
        raise_no_query("skip()");
    }
    if (result.tracker) {
        queries::tracker_of(*result.tracker).skip();
    }
}

}  // namespace kith::detail
