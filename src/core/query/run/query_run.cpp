// query_run (declared in include/kith/detail/query_ops.hpp): holds the run that choose_run() has
// chosen for a query and its options. The run lies in `state_`; a tracked run has a tracker in
// addition, which sees each result before the caller does.
#include <kith/detail/part_ops.hpp>
#include <kith/query.hpp>

#include "query/run/bound_run.hpp"
#include "query/run/cached_group_run.hpp"
#include "query/run/cached_run.hpp"
#include "query/run/choose_run.hpp"
#include "query/run/general_run.hpp"
#include "query/run/refresh_groups.hpp"
#include "query/run/run_tracker.hpp"
#include "query/run/sorted_run.hpp"
#include "query/run/table_run.hpp"
#include "query/run/wildcard_run.hpp"

#include <memory>
#include <new>

namespace kith::detail {

using queries::compiled;
using queries::compiled_query;
using queries::run_strategy;

namespace {

const storage::store& store_of(const world_t* world) noexcept {
    return static_cast<const storage::store&>(*world->store);
}

}  // namespace

// Brings the query up to date before the run, and puts a tracker around runs of tracked queries.
query_run::query_run(const query_head* head, world_t* stage, const run_options& options)
    : query_(head) {
    const compiled_query& query = compiled(head);
    world_t* world = world_of(head);
    queries::ensure_fresh(query, store_of(world));
    world_t* party = stage ? stage : world;
    if (is_checked(party)) [[unlikely]] {
        check_query_access(party, head);
    }
    if (query.tracked && !options.untracked) [[unlikely]] {
        run_options in_order = options;
        // Noncontiguous batches do not say which entity a value belongs to, so writes could not be
        // attributed.
        in_order.noncontiguous = false;
        auto tracker = std::make_unique<queries::run_tracker>(query, party, options);
        start(query, party, in_order);
        tracker_ = tracker.release();
    } else {
        start(query, party, options);
    }
}

template <class Run>
void query_run::hold(const query_head& head, world_t* stage, const run_options& options) {
    static_assert(sizeof(Run) <= state_size);
    run_ = ::new (state_) Run(compiled(&head), stage, options);
}

// Groups are brought up to date before the choice, which reads them.
void query_run::start(const query_head& head, world_t* stage, const run_options& options) {
    const compiled_query& query = compiled(&head);
    if (query.model.grouped && queries::is_ordered(query, options)) {
        queries::refresh_groups(query, stage, options);
    }
    switch (queries::choose_run(query, store_of(stage), options)) {
        case run_strategy::cached:
            return hold<queries::cached_run>(head, stage, options);
        case run_strategy::table:
            return hold<queries::table_run>(head, stage, options);
        case run_strategy::wildcard:
            return hold<queries::wildcard_run>(head, stage, options);
        case run_strategy::bound:
            return hold<queries::bound_run>(head, stage, options);
        case run_strategy::cached_group:
            return hold<queries::cached_group_run>(head, stage, options);
        case run_strategy::sorted:
            inherits_ = options.writes;
            return hold<queries::sorted_run>(head, stage, options);
        case run_strategy::general:
            inherits_ = options.writes;
            return hold<queries::general_run>(head, stage, options);
    }
}

query_run::~query_run() {
    delete static_cast<queries::run_tracker*>(tracker_);
    run_->~run();
}

bool query_run::next(result& result) {
    return tracker_ || inherits_ != 0 ? next_observed(result) : run_->next(result);
}

// Shows the next result to the tracker, and warns of inherited values in it that the callback may
// write.
bool query_run::next_observed(result& result) {
    auto* tracker = static_cast<queries::run_tracker*>(tracker_);
    if (tracker) {
        tracker->leave();
    }
    const bool any = run_->next(result);
    if (any && result.shared && inherits_ != 0) [[unlikely]] {
        inherits_ = warn_of_inherited(query_, result, inherits_);
    }
    if (tracker) {
        any ? tracker->enter(result) : tracker->finish();
    }
    return any;
}

const entity_t* entities_of_table(const table_shape& shape, const table_rows& rows) noexcept {
    return storage::entities_of(static_cast<const storage::table&>(shape), rows);
}

// Restricts $this to the row of an entity. False if the entity has no row.
bool find_entity_range(world_t* world, entity_t entity, run_options& options) {
    const storage::entity_record* record = store_of(world).entities.find(entity);
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
