// Runs over the rows that changed.
#include <kith/query.hpp>

#include "api/query_changes.hpp"
#include "api/world_impl.hpp"
#include "query/run_tracker.hpp"

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

// Of so many entities one must have changed before all results are visited.
constexpr std::size_t few_share = 16;

}  // namespace

struct changed_run::state {
    state(const query_head* head, world_t* world, const run_options& options);

    bool next(result& result) { return by_entity ? next_entity(result) : next_row(result); }

private:
    void sort_rows();
    bool next_entity(result& result);
    bool next_row(result& result);
    bool is_wanted(const result& result, std::uint32_t row) const;
    void take_rows(std::uint32_t first, std::uint32_t count, result& result);

    compiled_query& query;
    seen_versions& reader;
    world_t* stage;
    const storage::store& data;
    run_options options;
    std::vector<entity_t> rows;  // that changed, if that is known
    bool known = false;
    bool by_entity = false;  // they are visited one by one
    std::optional<query_run> inner;
    // State of a run by single entities.
    std::optional<run_tracker> tracker;
    std::size_t at = 0;
    std::vector<std::uint32_t> tables;
    // State of a run by results, of which it hands out the rows that changed.
    std::unordered_set<entity_t> wanted;
    result all{};
    std::uint32_t row = 0;
    field_data fields[queries::max_terms];
};

changed_run::state::state(const query_head* head, world_t* world, const run_options& asked)
    : query(const_cast<compiled_query&>(static_cast<const compiled_query&>(*head))),
      reader(row_reader_of(query)),
      stage(world),
      data(impl_of(world).data),
      options(asked) {
    queries::ensure_fresh(query, data);
    tracker.emplace(query, stage);  // with room for the marks of all rows
    known = reader.find_changed(data, query.model, tracker->now(), true, rows);
    const bool ordered = query.model.grouped || (query.order && !query.order->keys.empty());
    by_entity = known && !ordered && rows.size() * few_share <= data.entities.count();
    if (by_entity) {
        sort_rows();
        return;
    }
    tracker.reset();
    wanted.insert(rows.begin(), rows.end());
    inner.emplace(&query, stage, options);
}

// Parents before their children, if the query wants that; else by their places.
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
    for (const entity_t entity : rows) {
        const storage::entity_record& record = *data.entities.find(entity);
        const std::uint32_t depth =
            model.cascade >= 0
                ? queries::depth_of(data, entity,
                                    model.terms[static_cast<std::uint32_t>(model.cascade)].trav)
                : 0;
        places.push_back({depth, record.table, record.row, entity});
    }
    std::sort(places.begin(), places.end(),
              [](const place& left, const place& right) { return left.key() < right.key(); });
    rows.clear();
    for (const place& place : places) {
        rows.push_back(place.entity);
    }
}

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
        if (at == rows.size()) {
            reader.finish_rows(tracker->now(), tables);
            tracker->note_unchanged();
            return false;
        }
        if (find_entity_range(stage, rows[at++], only)) {
            inner.emplace(&query, stage, only);
        }
    }
}

bool changed_run::state::is_wanted(const result& result, std::uint32_t which) const {
    if (result.count == 0) {
        return is_result_changed(&query, stage, result, -1);
    }
    return known ? wanted.count(result.entities[which]) != 0
                 : is_result_changed(&query, stage, result, which);
}

// Some rows of the result that was found last.
void changed_run::state::take_rows(std::uint32_t first, std::uint32_t count, result& result) {
    result = all;
    for (std::uint32_t i = 0; i < all.field_count; ++i) {
        fields[i] = all.fields[i];
        fields[i].value += fields[i].value ? std::size_t{fields[i].stride} * first : 0;
    }
    result.fields = fields;
    result.entities += first;
    result.first_row += first;
    result.count = count;
    result.scanned = false;
    queries::tracker_of(*inner->tracker()).narrow(result);
}

bool changed_run::state::next_row(result& result) {
    for (;;) {
        while (row < all.count && !is_wanted(all, row)) {
            ++row;
        }
        if (row < all.count) {
            const std::uint32_t first = row++;
            while (row < all.count && is_wanted(all, row)) {
                ++row;
            }
            take_rows(first, row - first, result);
            return true;
        }
        if (!inner->next(all)) {
            return false;
        }
        queries::tracker_of(*inner->tracker()).skip();
        row = 0;
        if (all.count == 0 && is_wanted(all, 0)) {
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
