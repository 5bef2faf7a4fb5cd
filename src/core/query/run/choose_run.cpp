// The choice of a run, declared in choose_run.hpp.
#include "query/run/choose_run.hpp"

#include <algorithm>

namespace kith::queries {

// Functions for rare cases are not inlined: otherwise choose_run() would save their registers for
// each short run.
namespace {

// True if the sources of a sparse pair are the candidates for $this. Rows with sparse values, or
// with optional sparse ids, differ in their fields: unless they are handed out in batches, the
// executor makes longer results of them.
[[gnu::noinline]] bool starts_with_link(const query_model& model, const storage::store& data,
                                        bool noncontiguous) noexcept {
    bool starts = false;
    for (const term& term : model) {
        const storage::link_store* links =
            is_pair(term.id) ? storage::find_links(data, pair_first(term.id)) : nullptr;
        const storage::id_record* record = links ? nullptr : data.ids.find(term.id);
        const bool sparse = record && record->sparse;
        const bool differs = sparse || (links && links->has_values());
        if ((differs && !noncontiguous) || ((links || sparse) && term.oper == Optional)) {
            return false;
        }
        starts |= links && term.oper == And;
    }
    return starts;
}

// True if a bound run gives the results of a query whose variables have the values of the options.
[[gnu::noinline]] bool binds_all(const compiled_query& query, const storage::store& data,
                                 const detail::run_options& options) {
    if (!query.steps().graph || !data.bases->pairs.empty() || !data.toggled_ids.empty()) {
        return false;
    }
    detail::run_options others = options;
    others.variable_set = 0;
    if (!others.is_plain_share() ||
        query.prepared.steps_for(data, options.variable_set).strategy != run_strategy::bound) {
        return false;
    }
    // A deleted entity matches nothing, and the pair of `*` is a pattern: the executor handles
    // both.
    return std::all_of(
        options.variables + 1, options.variables + query.model.variable_count, [&](entity_t value) {
            return data.entities.find(value) && !is_wildcard_element(index_of(value));
        });
}

// True if the strategy of the plan fits the present world. Requires: the run leaves nothing out
// except the rows of other shares.
bool fits_world(const compiled_query& query, const storage::store& data,
                const detail::run_options& options) noexcept {
    switch (query.steps().strategy) {
        case run_strategy::cached:
            return has_kept_matches(query) && query.model.count <= plan::max_simple;
        case run_strategy::bound:
            return !query.steps().graph && data.toggled_ids.empty() &&
                   (!query.steps().inheritable || data.bases->pairs.empty()) &&
                   starts_with_link(query.model, data, options.noncontiguous);
        default:
            return data.bases->pairs.empty();
    }
}

// The strategy of a run whose results have an order.
[[gnu::noinline]] run_strategy choose_ordered(const compiled_query& query,
                                              const detail::run_options& options) noexcept {
    if (!query.order->keys.empty() && !options.unordered) {
        return run_strategy::sorted;
    }
    const bool by_group = query.caches_groups && query.steps().by_column &&
                          query.model.count <= plan::max_simple &&
                          query.cache()->inheritor_count() == 0 && options.has_all_rows();
    return by_group ? run_strategy::cached_group : run_strategy::general;
}

}  // namespace

run_strategy choose_run(const compiled_query& query, const storage::store& data,
                        const detail::run_options& options) {
    if (is_ordered(query, options)) {
        return choose_ordered(query, options);
    }
    if (options.variable_set != 0) {
        return binds_all(query, data, options) ? run_strategy::bound : run_strategy::general;
    }
    return options.is_plain_share() && fits_world(query, data, options) ? query.steps().strategy
                                                                        : run_strategy::general;
}

}  // namespace kith::queries
