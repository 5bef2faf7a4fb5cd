// Plans and caches of queries are made and refreshed here, as declared in compiled_query.hpp.
#include "query/compiled_query.hpp"

#include "base/assert.hpp"
#include "events/track.hpp"

#include <algorithm>
#include <mutex>

namespace kith::queries {

namespace {

// Guards plans and caches of all queries. A run takes it only if the world has changed since the
// last run of its query.
std::mutex refreshing;

// True if a term with an open pattern is evaluated at the wrong level: whether links match `*`
// changes with the pairs that exist, not only with properties.
bool levels_changed(const compiled_query& query, const storage::store& data) noexcept {
    if (query.steps.graph) {
        return query.steps.graph->rows != find_row_terms(data, query.model);
    }
    for (std::uint32_t i = 0; i < query.steps.count; ++i) {
        const op& step = query.steps.ops[i];
        for (std::uint32_t t = step.first; t < step.last; ++t) {
            const term& term = query.model.terms[t];
            if (is_open(term.id) && term.from == source_kind::self && !term.is_from_list() &&
                is_table_level(data, term) != (step.level == op_level::table)) {
                return true;
            }
        }
    }
    for (std::uint32_t t = 0; t < query.model.count; ++t) {
        const term& term = query.model.terms[t];
        if ((query.steps.cached >> t) & 1 && is_open(term.id) && !is_table_level(data, term)) {
            return true;
        }
    }
    return false;
}

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

// Copies the address and size of the records into the head of the query, where inlined code reads
// them. Runs that are under way continue with the records.
void publish(compiled_query& query) noexcept {
    KITH_ASSERT(query.cache.has_value(), "only cached queries have matches");
    query.matches = query.cache->records();
    query.match_count = query.cache->count();
    query.match_size = query.cache->record_size();
    query.listed = find_listing(query);
    detail::store_release(query.groups, static_cast<const detail::group_index*>(nullptr));
    if (query.cache->is_incomplete() || query.cache->is_behind()) {
        query.version.store(0);  // the next run refreshes the query
    }
}

// Connects the ops that search upward with the ancestor caches of the world.
void assign_ancestor_caches(compiled_query& query) {
    std::uint8_t used = 0;
    for (std::uint32_t i = 0; i < query.steps.count; ++i) {
        op& step = query.steps.ops[i];
        step.memo = 0;
        bool dead = (query.steps.dead >> step.first) & 1;
        if (step.code != op_code::match || dead || used == plan::max_ancestor_caches) {
            continue;
        }
        if (ancestor_cache* memo = query.memos->find(query.model.terms[step.first])) {
            query.steps.memos[used] = memo;
            step.memo = ++used;
        }
    }
    query.has_ancestor_caches = used != 0;
}

// True if runs of the query need a run_tracker.
bool needs_tracking(const compiled_query& query, const storage::store& data) noexcept {
    if (query.changes) {
        return true;
    }
    // Without change detection of its own, the query matters to others if it may write tracked ids.
    return data.ticks.is_active() &&
           std::any_of(query.model.begin(), query.model.end(), [&](const term& term) {
               return may_write(term) &&
                      (is_wildcard(term.id) ||
                       data.subscription_counts.event_mask(term.id) & storage::event_track);
           });
}

// Replaces entities in the terms whose place a C++ type has taken by the entity of the type.
void follow_replaced(compiled_query& query, const storage::store& data) noexcept {
    for (const storage::store::replacement& replaced : data.replaced) {
        auto follow = [&](entity_t& element) {
            const bool named = element == replaced.before;
            element = named ? replaced.now : element;
            return named;
        };
        for (term* term = query.terms(); term != query.terms() + query.model.count; ++term) {
            const bool first = follow(term->first);
            const bool second = follow(term->second);
            if (is_pair(term->id)) {
                const entity_t relation = first ? replaced.now : pair_first(term->id);
                const entity_t target = second ? replaced.now : pair_second(term->id);
                term->id = (term->id & id_flags_mask) | make_pair(relation, target);
            } else if (first) {
                term->id = (term->id & id_flags_mask) | replaced.now;
            }
            follow(term->source);
            for (substitution* substitution : {&term->first_by, &term->second_by}) {
                substitution->trav =
                    follow(substitution->relation) ? index_of(replaced.now) : substitution->trav;
            }
            term->trav = follow(term->relation) ? index_of(replaced.now) : term->trav;
        }
    }
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

std::uint32_t size_of_world(const storage::store& data) noexcept {
    std::uint32_t size = data.entities.count() + data.tables.count();
    for (const storage::id_record* relation : data.link_ids) {
        size += relation->links->pair_count();
    }
    return size;
}

void track_changes(compiled_query& query, storage::store& data) {
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

const plan& plan_for(compiled_query& query, const storage::store& data, std::uint64_t bound) {
    if (const auto* recent = query.recent_plan.load(std::memory_order_acquire);
        recent && recent->bound == bound) {
        return recent->steps;
    }
    std::lock_guard<std::mutex> guard(refreshing);
    for (const auto& plan : query.bound_plans) {
        if (plan->bound == bound) {
            query.recent_plan.store(plan.get(), std::memory_order_release);
            return plan->steps;
        }
    }
    auto plan = std::make_unique<compiled_query::bound_plan>();
    plan->bound = bound;
    plan->steps =
        make_plan(data, query.model, query.cache.has_value() && !(bound & this_variable), bound);
    query.bound_plans.push_back(std::move(plan));
    query.recent_plan.store(query.bound_plans.back().get(), std::memory_order_release);
    return query.bound_plans.back()->steps;
}

void refresh(compiled_query& query, const storage::store& data) {
    std::lock_guard<std::mutex> guard(refreshing);
    const bool replaced = query.deletion_epoch != data.deletion_epoch && !data.replaced.empty();
    if (replaced) {
        follow_replaced(query, data);
    }
    const bool other_bases = query.bases != data.base_version;
    const subset_terms subsets = query.steps.graph ? query.steps.graph->subsets : subset_terms{};
    bool replan = query.schema != data.schema || replaced ||
                  (other_bases && !(find_subsets(data, query.model) == subsets)) ||
                  (query.cache && query.cache->is_incomplete()) ||
                  (query.deletion_epoch != data.deletion_epoch &&
                   find_dead_terms(data, query.model) != query.steps.dead) ||
                  (query.has_open_terms && levels_changed(query, data)) ||
                  (query.has_graph && is_outdated(query, data));
    if (!replan && query.version.load() == data.version && query.pages.load() == data.page_count) {
        return;  // another thread has refreshed the query, and may be reading it already
    }
    if (replan) {
        query.schema = 0;  // no schema: in case memory runs out before the end
        query.recent_plan.store(nullptr, std::memory_order_relaxed);
        query.bound_plans.clear();
        query.steps = make_plan(data, query.model, query.cache.has_value());
        ++query.plan_count;
    }
    assign_ancestor_caches(query);
    if (query.changes || query.order) {
        track_changes(query, const_cast<storage::store&>(data));
    }
    query.tracked = needs_tracking(query, data);
    if (query.cache) {
        // A group exists as long as it has a table, even one without rows.
        query.cache->keep_all(query.model.grouped);
        query.cache->on_change(
            [](void* owner) noexcept { publish(*static_cast<compiled_query*>(owner)); }, &query);
        if (replan) {
            query.cache->fill(query.steps);
        } else {
            query.cache->catch_up();
            if (other_bases) {
                query.cache->fill_inheritors();
            }
        }
        publish(query);
    }
    query.has_graph = query.steps.graph != nullptr;
    query.caches_groups =
        query.model.grouped && query.cache && query.steps.cached != 0 && groups_tables(query, data);
    query.pages.store(data.page_count);
    query.schema = data.schema;
    query.deletion_epoch = data.deletion_epoch;
    query.bases = data.base_version;
    if (replan) {
        query.planned_size.store(size_of_world(data));
    }
    query.version.store(data.version);
}

}  // namespace kith::queries
