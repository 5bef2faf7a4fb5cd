// Orders by depth that are kept, declared in kept_ranks.hpp.
#include "query/order/kept_ranks.hpp"

#include "base/assert.hpp"
#include "events/track.hpp"
#include "query/plan/change_dependencies.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// The links that give rows their depth; null: the relationship is in tables.
const storage::link_store* depth_links(const storage::store& data,
                                       const query_model& model) noexcept {
    KITH_ASSERT(model.cascade >= 0, "a term orders by depth");
    return storage::find_links(data, model.terms[model.cascade].trav);
}

bool is_tracked(const storage::store& data, const row_range& range) noexcept {
    return (data.tables.at(range.table).flags & detail::shape_tracked) != 0;
}

bool are_same(const row_range& a, const row_range& b) noexcept {
    return a.table == b.table && a.first == b.first && a.count == b.count;
}

}  // namespace

bool are_tracked(const storage::store& data, const std::vector<row_range>& ranges) noexcept {
    return std::all_of(ranges.begin(), ranges.end(),
                       [&](const row_range& range) { return is_tracked(data, range); });
}

bool kept_ranks::track(storage::store& data, const query_model& model) {
    const id_t marker = find_dependencies(data, model).marker;
    if (marker != 0) {
        events::track_rows(data, marker);
    }
    return marker != 0;
}

kept_ranks::state kept_ranks::now(const storage::store& data, const query_model& model) noexcept {
    const storage::link_store* links = depth_links(data, model);
    return {data.ticks.now(), links ? links->edition() : unlinked, data.schema};
}

std::shared_ptr<const ranked_rows> kept_ranks::find(
    const storage::store& data, const state& present,
    const std::vector<row_range>& proposed) noexcept {
    detail::lock_guard<detail::mutex> guard(keeping_);
    if (!rows_ || present.edition != made_.edition || present.schema != made_.schema ||
        proposed.size() != proposed_.size()) {
        return nullptr;
    }
    for (std::size_t i = 0; i < proposed.size(); ++i) {
        if (!are_same(proposed[i], proposed_[i]) || !is_tracked(data, proposed[i]) ||
            data.ticks.rows_tick(proposed[i].table) > made_.tick) {
            return nullptr;
        }
    }
    return rows_;
}

void kept_ranks::keep(const storage::store& data, const state& present,
                      const std::vector<row_range>& proposed,
                      const std::shared_ptr<const ranked_rows>& rows) {
    if (present.edition == unlinked || !are_tracked(data, proposed)) {
        return;
    }
    std::vector<row_range> copy = proposed;
    detail::lock_guard<detail::mutex> guard(keeping_);
    rows_ = rows;
    proposed_ = std::move(copy);
    made_ = present;
}

}  // namespace kith::queries
