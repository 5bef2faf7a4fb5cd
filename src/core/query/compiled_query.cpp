// Plan, cache and change tracking of a query are brought up to date here, as declared in
// compiled_query.hpp.
#include "query/compiled_query.hpp"

#include <kith/detail/mutex.hpp>

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "events/track.hpp"
#include "storage/value_index.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// The way in which inlined code may walk the matches of the cache by itself.
detail::listing find_listing(const compiled_query& query) noexcept {
    if (!has_kept_matches(query) || query.order) {
        return detail::listing::none;
    }
    if (!query.tracked) {
        return detail::listing::matches;
    }
    const bool scanned = has_plain_matches(query) && query.changes && !may_write(query.model) &&
                         query.model.field_count <= detail::most_scanned;
    return scanned ? detail::listing::scan : detail::listing::none;
}

// True if results of the query, which has no cache, are the tables of a table run.
bool has_table_results(const compiled_query& query, const storage::store& data) noexcept {
    return query.steps().strategy == run_strategy::table && !query.tracked && !query.order &&
           data.bases->pairs.empty();
}

// Copies the address and size of the records into the head of the query, where inlined code reads
// them. Runs that are under way continue with the records.
void publish(const compiled_query& query) noexcept {
    const match_cache* cache = query.cache();
    KITH_ASSERT(cache, "only cached queries have matches");
    const bool was_empty = query.match_count == 0;
    query.matches = cache->records();
    query.match_count = cache->count();
    query.match_size = cache->record_size();
    query.listed = find_listing(query);
    detail::store_release(query.groups, static_cast<const detail::group_index*>(nullptr));
    const bool is_outdated = cache->is_incomplete() || cache->is_behind();
    if (is_outdated) {
        query.version.store(0);  // the next run refreshes the query
    }
    if (was_empty && (is_outdated || query.match_count != 0)) {
        cache->count_first_match();
    }
}

// True if the query may write values of a component with an index. Runs of graph plans may find
// values by ids that no term names.
bool may_write_indexed(const compiled_query& query,
                       const storage::value_indexes& indexes) noexcept {
    return !indexes.all().empty() &&
           std::any_of(query.model.begin(), query.model.end(), [&](const term& term) {
               return may_write(term) &&
                      (query.steps().graph || is_open(term.id) || indexes.covers(term.id));
           });
}

// True if runs of the query need a run_tracker.
bool needs_tracking(const compiled_query& query, const storage::store& data) noexcept {
    if (query.changes || (data.indexes && may_write_indexed(query, *data.indexes))) {
        return true;
    }
    // Without change detection of its own, the query matters to others if it may write ids whose
    // values are tracked.
    constexpr std::uint32_t tracked = storage::event_track | storage::event_set;
    return data.ticks.is_active() &&
           std::any_of(query.model.begin(), query.model.end(), [&](const term& term) {
               return may_write(term) &&
                      (is_wildcard(term.id) ||
                       (data.subscription_counts.event_mask(term.id) & tracked) == tracked);
           });
}

// True if all rows of a table have the same group or depth.
bool groups_tables(const compiled_query& query, const storage::store& data) noexcept {
    const query_model& model = query.model;
    if (model.grouped) {
        return !group_links(data, query.order->by);
    }
    return model.cascade >= 0 && !storage::find_links(data, model.terms[model.cascade].trav);
}

}  // namespace

void make_cache(compiled_query& query, storage::store& data, cache_registry& caches) {
    query.prepared.make_cache(
        data, caches,
        [](void* owner) noexcept { publish(*static_cast<const compiled_query*>(owner)); }, &query);
}

void track_changes(const compiled_query& query, storage::store& data) {
    if (query.changes && !query.changes->is_tracking(data, query.model)) {
        query.changes->track(data, query.model, groups_tables(query, data));
    }
    if (query.order && !query.order->semantics.holds(data, query.model)) {
        track_order(data, query.model, *query.order);
    }
    // A query that is under construction has no link to its world yet.
    if (query.link && events::is_tracked(data, 0)) {
        query.link->world->mode |= detail::mode_tracks_empty;
    }
}

namespace {

// The first run of a query since a snapshot: the tables that its callbacks may write count as
// written from here on. Runs of graph plans may find values by ids that no term names.
void note_writes(const compiled_query& query, storage::store& data) noexcept {
    if (!data.snapshots.any_taken) [[likely]] {
        return;
    }
    for (const term& term : query.model) {
        if (may_write(term)) {
            data.pattern_written(query.steps().graph ? 0 : term.id);
        }
    }
}

}  // namespace

void refresh(const compiled_query& query, const storage::store& data) {
    detail::lock_guard<detail::mutex> guard(prepared_query::updating);
    prepared_query& prepared = query.prepared;
    const prepared_query::outdated_parts outdated = prepared.begin_update(data);
    if (!outdated.plan && !outdated.pages && query.version.load() == data.version) {
        return;  // another thread has refreshed the query, and may be reading it already
    }
    prepared.update_plan(data, outdated);
    if (query.order && outdated.plan) {
        follow_replaced(data, *query.order);
    }
    if (query.changes || query.order) {
        track_changes(query, const_cast<storage::store&>(data));
    }
    query.tracked = needs_tracking(query, data);
    if (query.cache()) {
        prepared.update_cache(outdated);
        publish(query);
    } else {
        query.listed =
            has_table_results(query, data) ? detail::listing::tables : detail::listing::none;
    }
    query.caches_groups = query.model.grouped && query.cache() && query.steps().cached != 0 &&
                          groups_tables(query, data);
    prepared.end_update(data, outdated);
    note_writes(query, const_cast<storage::store&>(data));
    query.version.store(data.version);
    if (query.steps().graph && !query.is_planned && query.plans_of_world) {
        query.plans_of_world->add(const_cast<compiled_query&>(query));
    }
}

void planned_queries::add(compiled_query& query) noexcept {
    static std::uint64_t queries = 0;
    query.serial = ++queries;
    query.is_planned = true;
    query.next_planned = first;
    query.planned_at = &first;
    if (first) {
        first->planned_at = &query.next_planned;
    }
    first = &query;
}

void planned_queries::remove(compiled_query& query) noexcept {
    detail::lock_guard<detail::mutex> guard(prepared_query::updating);
    *query.planned_at = query.next_planned;
    if (query.next_planned) {
        query.next_planned->planned_at = query.planned_at;
    }
    query.planned_at = nullptr;
}

// Captures of a world whose plans stay share one list.
std::shared_ptr<const planned_queries::kept> planned_queries::keep(const storage::store& data) {
    if (!first) {
        return nullptr;
    }
    std::size_t count = 0;
    bool is_same = last != nullptr;
    for (const compiled_query* query = first; query; query = query->next_planned, ++count) {
        const auto plans = query->prepared.keep_plans(data);
        is_same = is_same && count < last->size() && (*last)[count].serial == query->serial &&
                  (*last)[count].plans == plans;
    }
    if (is_same && count == last->size()) {
        return last;
    }
    auto made = std::make_shared<kept>();
    made->reserve(count);
    for (const compiled_query* query = first; query; query = query->next_planned) {
        made->push_back({query->serial, query->prepared.keep_plans(data)});
    }
    last = made;
    return made;
}

// A query whose plans cannot be put back, for lack of memory, is planned anew.
void planned_queries::return_to(const storage::store& data, const kept* earlier) noexcept {
    for (compiled_query* query = first; query; query = query->next_planned) {
        std::shared_ptr<const prepared_query::plans> plans;
        if (earlier) {
            const auto found =
                std::find_if(earlier->begin(), earlier->end(),
                             [&](const entry& one) { return one.serial == query->serial; });
            plans = found != earlier->end() ? found->plans : nullptr;
        }
        base::attempt([&] { query->prepared.return_to(data, plans); }, [] {});
        query->version.store(0);
    }
}

}  // namespace kith::queries
