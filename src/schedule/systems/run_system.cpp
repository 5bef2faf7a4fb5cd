// Implements run_system.hpp.
#include "systems/run_system.hpp"

#include <algorithm>
#include <utility>

namespace kith::scheduling {

namespace {

// The results of a query.
class query_feed final : public detail::row_feed {
public:
    query_feed(const detail::query_head* query, world_t* stage, const detail::run_options& options)
        : run_(query, stage, options) {}
    bool next(detail::result& found) override {
        const bool has_next = run_.next(found);
        rows_ += has_next ? found.count : 0;
        return has_next;
    }
    std::uint64_t rows() const noexcept { return rows_; }

private:
    detail::query_run run_;
    std::uint64_t rows_ = 0;
};

// The rows of the tables that the query lists.
std::uint64_t listed_rows(const detail::query_head& query, const detail::store_head& store) {
    std::uint64_t rows = 0;
    for (std::uint32_t i = 0; i < query.match_count; ++i) {
        rows += store.rows[query.matches[std::size_t{i} * query.match_size]].count;
    }
    return rows;
}

// One result without rows; with the null entity for callbacks that take one.
class task_feed final : public detail::row_feed {
public:
    explicit task_feed(bool has_entity) : has_entity_(has_entity) {}
    bool next(detail::result& found) override {
        static constexpr entity_t none = 0;
        found = {};
        found.entities = has_entity_ ? &none : nullptr;
        found.count = has_entity_ ? 1 : 0;
        return !std::exchange(done_, true);
    }

private:
    bool has_entity_;
    bool done_ = false;
};

// The run is untracked: a condition that is asked must not count as a reader of changes.
bool has_result(const detail::query_head* query, world_t* stage) {
    detail::run_options options;
    options.untracked = true;
    options.limit = 1;
    detail::query_run run(query, stage, options);
    detail::result found{};
    return run.next(found);
}

}  // namespace

// Only callbacks that step by themselves see the feed by iter::next(); others are driven by their
// action.
void call_with(const system_body& body, world_t* stage, detail::system_info& info,
               detail::row_feed& feed) {
    info.feed = body.action.steps ? &feed : nullptr;
    body.action.run(body.action.function, {stage, body.query.get(), &info, &feed, {}});
}

// A callback that takes tables gets rows one at a time where fields are shared by rows, unless the
// query is instanced.
detail::run_options options_of(const system_data& system, const system_body& body) {
    detail::run_options options;
    options.row_at_a_time = body.action.table_wise && !detail::is_instanced(body.query.get());
    options.noncontiguous = body.action.noncontiguous;
    options.writes = body.action.writes;
    options.one_group = system.group.is_set;
    options.group = system.group.id;
    return options;
}

void call_body(const system_body& body, world_t* stage, detail::system_info& info,
               const detail::run_options& options, std::uint64_t* rows) {
    if (body.is_task) {
        task_feed feed(body.action.takes_entity);
        call_with(body, stage, info, feed);
        return;
    }
    // The list of matches is the fast way: it needs an up-to-date cache and no selection of rows.
    const detail::query_head* query = body.query.get();
    if (body.action.by_list && options.is_plain() &&
        query->version.load() == stage->store->version &&
        query->listed == detail::listing::matches) {
        if (rows) {
            *rows = listed_rows(*query, *stage->store);
        }
        body.action.run(body.action.function,
                        {stage, query, &info, nullptr, {0, query->match_count}});
        return;
    }
    query_feed feed(query, stage, options);
    call_with(body, stage, info, feed);
    if (rows) {
        *rows = feed.rows();
    }
}

detail::system_info make_info(const system_data& system, const system_body& body,
                              const run_times& times, void* param) {
    detail::system_info info{};
    info.payload.type = detail::system_payload;
    info.payload.value = param ? param : body.settings.context;
    info.context = body.settings.context;
    info.system = system.entity;
    info.delta_time = times.delta_time;
    info.delta_system_time = times.delta_system_time;
    info.alpha = times.alpha;
    return info;
}

// The conditions are asked in the order of declaration, up to the first that fails. Changes are
// tested last, because the test takes note of them.
bool is_due(const system_body& body, world_t* stage) {
    const bool all = std::all_of(
        body.conditions.begin(), body.conditions.end(), [&](const run_condition& condition) {
            return condition.query.get() ? has_result(condition.query.get(), stage)
                                         : condition.function(stage);
        });
    return all && (!body.settings.if_changed || !body.query.get() ||
                   detail::is_query_changed(body.query.get()));
}

}  // namespace kith::scheduling
