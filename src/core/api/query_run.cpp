// query_run (declared in include/kith/detail/query_ops.hpp): chooses the kind of run that fits a
// query and its options, and forwards to it. The runs are in query/; cursor serves all queries, the
// others are faster for frequent plans.
//
// The chosen run lies in `state_`. A tracked run is a tracker around another kind of run.
#include <kith/query.hpp>

#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "query/bound_run.hpp"
#include "query/cached_group_run.hpp"
#include "query/cached_run.hpp"
#include "query/cursor.hpp"
#include "query/refresh_groups.hpp"
#include "query/run_tracker.hpp"
#include "query/sorted_run.hpp"
#include "query/table_run.hpp"
#include "query/wildcard_run.hpp"

#include <memory>
#include <new>
#include <utility>

namespace kith::detail {

using api::impl_of;
using queries::compiled_query;

namespace {

// The query behind a handle.
const compiled_query& compiled(const query_head* head) noexcept {
    return static_cast<const compiled_query&>(*head);
}

// The run that lies in the state. Requires: `Run` is its kind.
template <class Run>
Run* run_in(std::byte* state) noexcept {
    return std::launder(reinterpret_cast<Run*>(state));
}

// Not inlined: otherwise next() would save the registers of the cached run for every kind of run.
[[gnu::noinline]] bool next_cached(queries::cached_run& run, result& result) noexcept {
    return run.next(result);
}

}  // namespace

// Brings the query up to date before the run, and puts a tracker around runs of tracked queries.
query_run::query_run(const query_head* head, world_t* stage, const run_options& options)
    : query_(head) {
    static_assert(sizeof(queries::cursor) <= state_size);
    static_assert(sizeof(queries::bound_run) <= state_size);
    const compiled_query& query = compiled(head);
    world_t* world = world_of(head);
    queries::ensure_fresh(query, mutate::stage_of(world).data);
    inherits_ = options.writes;
    if (query.tracked && !options.untracked) [[unlikely]] {
        run_options in_order = options;
        // Noncontiguous batches do not say which entity a value belongs to, so writes could not be
        // attributed.
        in_order.noncontiguous = false;
        auto tracker =
            std::make_unique<queries::run_tracker>(query, stage ? stage : world, options);
        start(query, stage ? stage : world, in_order);
        inner_ = std::exchange(kind_, kind::tracked);
        tracker_ = tracker.release();
    } else {
        start(query, stage ? stage : world, options);
    }
}

// The order of the tests is that of speed: the first run that fits is the fastest.
void query_run::start(const query_head& head, world_t* stage, const run_options& options) {
    const compiled_query& query = compiled(&head);
    const storage::store& data = mutate::stage_of(stage).data;
    if (queries::is_ordered(query, options)) {
        start_ordered(query, stage, options);
    } else if (queries::cached_run::fits(query, options)) {
        kind_ = kind::tables;
        ::new (state_) queries::cached_run(query, stage, options);
    } else if (queries::table_run::fits(query, data, options)) {
        kind_ = kind::plain;
        ::new (state_) queries::table_run(query, stage, options);
    } else if (queries::wildcard_run::fits(query, data, options)) {
        kind_ = kind::patterns;
        ::new (state_) queries::wildcard_run(query, stage, options);
    } else if (queries::bound_run::fits(query, data, options)) {
        kind_ = kind::given;
        ::new (state_) queries::bound_run(query, stage, options);
    } else {
        ::new (state_) queries::cursor(query, stage, options);
    }
}

// Groups are brought up to date before the run reads them.
void query_run::start_ordered(const query_head& head, world_t* stage, const run_options& options) {
    const compiled_query& query = compiled(&head);
    if (query.model.grouped) {
        queries::refresh_groups(query, stage, options);
    }
    if (queries::is_sorted(query, options)) {
        kind_ = kind::sorted;
        ::new (state_) queries::sorted_run(query, stage, options);
    } else if (queries::cached_group_run::fits(query, options)) {
        kind_ = kind::grouped;
        ::new (state_) queries::cached_group_run(query, stage, options);
    } else {
        ::new (state_) queries::cursor(query, stage, options);
    }
}

query_run::~query_run() {
    if (kind_ == kind::tracked) [[unlikely]] {
        delete static_cast<queries::run_tracker*>(tracker_);
        kind_ = inner_;
    }
    switch (kind_) {
        case kind::grouped:
            run_in<queries::cached_group_run>(state_)->~cached_group_run();
            break;
        case kind::plain:
            run_in<queries::table_run>(state_)->~table_run();
            break;
        case kind::patterns:
            run_in<queries::wildcard_run>(state_)->~wildcard_run();
            break;
        case kind::given:
            run_in<queries::bound_run>(state_)->~bound_run();
            break;
        case kind::sorted:
            run_in<queries::sorted_run>(state_)->~sorted_run();
            break;
        case kind::tables:
            run_in<queries::cached_run>(state_)->~cached_run();
            break;
        default:
            run_in<queries::cursor>(state_)->~cursor();
            break;
    }
}

bool query_run::next(result& result) {
    return next(kind_, result);
}

bool query_run::next(kind of, result& result) {
    switch (of) {
        case kind::plain:
            return run_in<queries::table_run>(state_)->next(result);
        case kind::patterns:
            return run_in<queries::wildcard_run>(state_)->next(result);
        case kind::given:
            return run_in<queries::bound_run>(state_)->next(result);
        case kind::grouped:
            return run_in<queries::cached_group_run>(state_)->next(result);
        case kind::sorted:
            return next_shared(run_in<queries::sorted_run>(state_)->next(result), result);
        case kind::tables:
            return next_cached(*run_in<queries::cached_run>(state_), result);
        case kind::tracked:
            return next_watched(result);
        default:
            return next_shared(run_in<queries::cursor>(state_)->next(result), result);
    }
}

// Warns of inherited values in the result that the callback may write.
bool query_run::next_shared(bool any, const result& result) {
    if (any && result.shared && inherits_ != 0) [[unlikely]] {
        inherits_ = warn_of_inherited(query_, result, inherits_);
    }
    return any;
}

// The tracker records the results that the callback has received.
bool query_run::next_watched(result& result) {
    KITH_ASSERT(tracker_, "a tracked run has a tracker");
    auto& tracker = static_cast<queries::run_tracker&>(*tracker_);
    tracker.leave();
    if (!next(inner_, result)) {
        tracker.finish();
        return false;
    }
    tracker.enter(result);
    return true;
}

const entity_t* entities_of_table(const table_shape& shape, const table_rows& rows) noexcept {
    return storage::entities_of(static_cast<const storage::table&>(shape), rows);
}

// Restricts $this to the row of an entity. False if the entity has no row.
bool find_entity_range(world_t* world, entity_t entity, run_options& options) {
    const storage::entity_record* record = impl_of(world).data.entities.find(entity);
    if (!record || record->table == storage::no_table) {
        return false;
    }
    options.given = true;
    options.table = record->table;
    options.first_row = record->row;
    options.row_count = 1;
    return true;
}

// Counts rows. Order, tracking and fields of the results do not matter.
std::int64_t count_results(const query_head* head, world_t* stage, const run_options& options) {
    run_options whole = options;
    whole.row_at_a_time = false;
    whole.noncontiguous = true;
    whole.untracked = true;
    whole.unordered = true;
    query_run run(head, stage, whole);
    std::int64_t count = 0;
    for (result result; run.next(result);) {
        count += result.count;
    }
    return count;
}

}  // namespace kith::detail
