// A query as the library keeps it: the checked terms, the current plan, and what a cached one
// remembers. Shared by all handles to it; lives as long as one of them, even after its world.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/cache/match_cache.hpp"
#include "query/exec/up_memo.hpp"

#include <optional>

namespace kith::queries {

struct compiled_query : detail::query_head {
    query_model model;
    plan steps;
    entity_t entity = 0;  // that holds its name, 0 if it has none
    std::uint32_t bytes = 0;
    // What `steps` and `cache` were made for.
    std::uint32_t schema = 0;
    std::uint32_t deaths = 0;
    std::uint32_t bases = 0;
    bool has_open_terms = false;
    bool has_memos = false;
    detail::atomic_number pages;  // of entities, when its memories were last extended
    std::optional<match_cache> cache;
    memo_registry* memos = nullptr;
    name_reader names;
    // The same with variables for open targets; null until it is asked for.
    detail::query_head* arguments = nullptr;
    std::uint32_t argument_count = 0;
    // Plans for runs where variables have values from the start.
    struct bound_plan {
        std::uint64_t bound;
        plan steps;
    };
    std::vector<std::unique_ptr<bound_plan>> bound_plans;
    compiled_query* next = nullptr;  // cached queries of the world
    compiled_query* previous = nullptr;

    const term* terms() const noexcept { return reinterpret_cast<const term*>(this + 1); }
    term* terms() noexcept { return reinterpret_cast<term*>(this + 1); }
};

// The plan for runs where some variables have values from the start. The query must be fresh.
const plan& plan_for(compiled_query& query, const storage::store& data, std::uint64_t bound);

// Makes the plan and the cache fit the world as it is. Safe from several threads, while nobody
// changes the world.
void refresh(compiled_query& query, const storage::store& data);
inline void ensure_fresh(const compiled_query& query, const storage::store& data) {
    if (query.version.load() != data.version || query.has_open_terms ||
        (query.has_memos && query.pages.load() != data.page_count)) [[unlikely]] {
        refresh(const_cast<compiled_query&>(query), data);
    }
}

}  // namespace kith::queries
