// Updates of the groups of a query, declared in refresh_groups.hpp.
#include "query/run/refresh_groups.hpp"

#include "base/assert.hpp"
#include "query/run/general_run.hpp"

#include <unordered_set>

namespace kith::queries {

namespace {

// The groups of all results, each once, for queries whose cache does not list them.
std::vector<std::uint64_t> collect_groups(const compiled_query& query, world_t* stage) {
    const auto& data = static_cast<const storage::store&>(*stage->store);
    const grouping& grouping = query.order->by;
    const storage::link_store* links = group_links(data, grouping);
    std::vector<std::uint64_t> groups;
    std::unordered_set<std::uint64_t> known_groups;
    std::unordered_set<std::uint32_t> known_tables;
    auto add = [&](std::uint64_t group) {
        if (known_groups.insert(group).second) {
            groups.push_back(group);
        }
    };
    detail::run_options options;
    options.unordered = true;
    general_run run(query, stage, options);
    for (detail::result rows; run.next(rows);) {
        for (std::uint32_t i = 0; links && i < rows.count; ++i) {
            add(group_of(data, *links, rows.entities[i]));
        }
        if (!links && known_tables.insert(rows.table).second) {
            add(group_of(stage, data, grouping, data.tables.at(rows.table)));
        }
    }
    return groups;
}

// Lets inlined code find the table of a group by itself, if its records are all there is to a
// result. Several threads may do so at the same time.
void publish_groups(const compiled_query& query) noexcept {
    const group_list& groups = query.order->groups;
    if (!detail::load_relaxed(query.groups) && has_plain_matches(query) && !query.tracked &&
        query.order->keys.empty() && groups.is_current(*query.cache())) {
        detail::store_release(query.groups, &groups.index());
    }
}

}  // namespace

void refresh_groups(const compiled_query& query, world_t* stage) {
    KITH_ASSERT(query.order && query.order->by.any(), "the query has groups");
    const auto& data = static_cast<const storage::store&>(*stage->store);
    if (query.caches_groups) {
        query.order->groups.follow(stage, data, *query.cache());
        publish_groups(query);
    } else if (query.order->by.has_callbacks()) {
        query.order->groups.replace(stage, collect_groups(query, stage));
    }
}

}  // namespace kith::queries
