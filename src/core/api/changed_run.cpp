// changed_run (declared in include/kith/detail/query_ops.hpp): a run over the rows of a query's
// results that have changed since the query last ran.
//
// The changed entities are visited one by one if they are known and few. Otherwise the query is run
// over all results, and consecutive changed rows of each result are handed out.
#include <kith/query.hpp>

#include "api/query_changes.hpp"
#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "graph/depth.hpp"
#include "query/exec/row_share.hpp"
#include "query/run/run_tracker.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

namespace kith::detail {

using api::impl_of;
using queries::compiled_query;
using queries::run_tracker;
using queries::seen_versions;

namespace {

// Changed entities are few if they are at most this fraction (1 / few_share) of all entities.
constexpr std::size_t few_share = 16;

}  // namespace

// The state of a run. Exactly one of the two ways is used, as `by_entity` says.
struct changed_run::state {
    state(const query_head* head, world_t* world, const run_options& options);

    bool next(result& result) { return by_entity ? next_entity(result) : next_row(result); }

private:
    void sort_rows();
    bool next_entity(result& result);
    bool next_row(result& result);
    // True if the row has changed. For a result about no entity, `row` is ignored.
    bool is_changed(const result& result, std::uint32_t row) const;
    void take_rows(std::uint32_t first, std::uint32_t count, result& result);

    const compiled_query& query;
    seen_versions& reader;
    world_t* stage;
    const storage::store& data;
    run_options options;
    std::vector<entity_t> rows;  // the changed entities, if rows_known
    bool rows_known = false;
    bool by_entity = false;          // `rows` are visited one by one
    std::optional<query_run> inner;  // of one entity, or of the whole query
    // State of a run by single entities.
    std::optional<run_tracker> tracker;
    std::size_t position = 0;           // of the next entity in `rows`
    std::vector<std::uint32_t> tables;  // that results were found in
    // State of a run by results.
    std::unordered_set<entity_t> changed;
    result whole{};         // the result whose changed rows are handed out
    std::uint32_t row = 0;  // the next row of it
    field_data fields[queries::max_terms];
};

changed_run::state::state(const query_head* head, world_t* world, const run_options& requested)
    : query(queries::compiled(head)),
      reader(row_reader_of(query)),
      stage(world),
      data(impl_of(world).data),
      options(requested) {
    queries::ensure_fresh(query, data);
    tracker.emplace(query, stage);  // with room for the marks of whole rows
    rows_known = reader.find_changed(data, query.model, tracker->now(), true, rows);
    const bool ordered = query.model.grouped || (query.order && !query.order->keys.empty());
    by_entity = rows_known && !ordered && rows.size() * few_share <= data.entities.count();
    if (by_entity) {
        sort_rows();
        return;
    }
    tracker.reset();
    changed.insert(rows.begin(), rows.end());
    inner.emplace(&query, stage, options);
}

// Sorts by depth, so that parents come before their children, if the query cascades; then by table
// and row.
void changed_run::state::sort_rows() {
    struct place {
        std::uint32_t depth;
        std::uint32_t table;
        std::uint32_t row;
        entity_t entity;
        auto key() const { return std::tuple(depth, table, row); }
    };
    const queries::query_model& model = query.model;
    std::vector<place> places;
    std::optional<graph::depth_finder> depths;
    if (model.cascade >= 0) {
        depths.emplace(data, model.terms[static_cast<std::uint32_t>(model.cascade)].trav);
    }
    for (const entity_t entity : rows) {
        const storage::entity_record& record = *data.entities.find(entity);
        const std::uint32_t depth = depths ? depths->find(index_of(entity)) : 0;
        places.push_back({depth, record.table, record.row, entity});
    }
    std::sort(places.begin(), places.end(),
              [](const place& left, const place& right) { return left.key() < right.key(); });
    rows.clear();
    for (const place& place : places) {
        rows.push_back(place.entity);
    }
}

// Runs the query for the next changed entity. The end of the run completes the reader's view.
bool changed_run::state::next_entity(result& result) {
    tracker->leave();
    for (;;) {
        if (inner && inner->next(result)) {
            tracker->enter(result);
            if (tables.empty() || tables.back() != result.table) {
                tables.push_back(result.table);
            }
            return true;
        }
        inner.reset();
        run_options only = options;
        only.untracked = true;
        if (position == rows.size()) {
            reader.finish_rows(data, tracker->now(), tables);
            tracker->note_unchanged();
            return false;
        }
        if (find_entity_range(stage, rows[position++], only)) {
            inner.emplace(&query, stage, only);
        }
    }
}

bool changed_run::state::is_changed(const result& result, std::uint32_t number) const {
    if (result.count == 0) {
        return is_result_changed(&query, stage, result, -1);
    }
    return rows_known ? changed.count(result.entities[number]) != 0
                      : is_result_changed(&query, stage, result, number);
}

// Hands out some rows of `whole`.
void changed_run::state::take_rows(std::uint32_t first, std::uint32_t count, result& result) {
    KITH_ASSERT(first + count <= whole.count, "the rows are those of the result");
    result = whole;
    queries::narrow_rows(result, fields, first, count);
    result.scanned = false;
    queries::tracker_of(*inner->tracker()).narrow(result);
}

// Finds the next series of changed rows.
bool changed_run::state::next_row(result& result) {
    KITH_ASSERT(inner && !by_entity, "the run visits whole results");
    for (;;) {
        while (row < whole.count && !is_changed(whole, row)) {
            ++row;
        }
        if (row < whole.count) {
            const std::uint32_t first = row++;
            while (row < whole.count && is_changed(whole, row)) {
                ++row;
            }
            take_rows(first, row - first, result);
            return true;
        }
        if (!inner->next(whole)) {
            return false;
        }
        queries::tracker_of(*inner->tracker()).skip();
        row = 0;
        if (whole.count == 0 && is_changed(whole, 0)) {
            take_rows(0, 0, result);
            return true;
        }
    }
}

changed_run::changed_run(const query_head* head, world_t* world, const run_options& options)
    : state_(new state(head, world, options)) {}

changed_run::~changed_run() {
    delete state_;
}

bool changed_run::next(result& result) {
    return state_->next(result);
}

}  // namespace kith::detail
