// Rows in the order of their ranks, declared in ordered_rows.hpp.
#include "query/order/ordered_rows.hpp"

#include "base/assert.hpp"
#include "graph/depth.hpp"
#include "query/order/kept_ranks.hpp"
#include "query/plan/plan.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace kith::queries {

namespace {

// The depth of entities in a hierarchy, for many entities in turn.
class depth_reader {
public:
    depth_reader(const storage::store& data, const term& term)
        // A relationship that lost its property may have cycles: all depths are 0 then.
        : followed_(can_follow(data, term.relation)),
          links_(followed_ ? storage::find_links(data, term.trav) : nullptr),
          finder_(data, term.trav) {
        if (links_ && links_->is_exclusive()) {
            chain_.emplace(*links_);
        }
    }

    // The links, if each entity has one target at most and they decide all depths; else null.
    const storage::link_store* single_links() const noexcept { return chain_ ? links_ : nullptr; }
    std::uint32_t target_of(entity_t entity) const noexcept {
        return chain_ ? chain_->above(index_of(entity)) : 0;
    }
    // The depth of an entity. `again`: the entity is in the same table as the one before.
    std::uint32_t of(entity_t entity, bool again) {
        if (chain_) {
            // Neighbours often have the same target.
            const std::uint32_t target = chain_->above(index_of(entity));
            if (!again || target != last_target_) {
                last_target_ = target;
                depth_ = chain_->below(target);
            }
        } else if (followed_ && (!again || links_)) {
            depth_ = finder_.find(index_of(entity));
        }
        return depth_;
    }

private:
    bool followed_;                     // the relationship can be followed
    const storage::link_store* links_;  // null: the relationship is in tables
    graph::depth_finder finder_;
    std::optional<graph::chain_depths> chain_;  // each entity has one target at most, in links_
    std::uint32_t last_target_ = 0;
    std::uint32_t depth_ = 0;  // of the entity before
};

// The rows of each depth as ranges of tables, with the targets of their rows.
class range_lists {
public:
    // `depths` 0: nothing is listed.
    explicit range_lists(std::size_t depths) : lists_(depths) {}

    void add(std::uint32_t depth, std::uint32_t table, std::uint32_t row, std::uint32_t target) {
        if (lists_.empty()) {
            return;
        }
        list& rows = lists_[depth];
        const bool continues = !rows.ranges.empty() && rows.ranges.back().rows.table == table &&
                               last_of(rows.ranges.back().rows) + 1 == row;
        if (!continues) {
            const auto position = static_cast<std::uint32_t>(rows.siblings.size());
            rows.ranges.push_back({{table, row, 0}, position});
        }
        if (!continues || rows.siblings.back().target != target) {
            rows.siblings.push_back({target, 0});
        }
        ++rows.ranges.back().rows.count;
        ++rows.siblings.back().count;
    }
    // Appends the ranges of a depth.
    void append(std::size_t depth, ranked_rows& to) const {
        if (lists_.empty()) {
            return;
        }
        const auto before = static_cast<std::uint32_t>(to.siblings.size());
        for (ranked_rows::range range : lists_[depth].ranges) {
            range.siblings += before;
            to.ranges.push_back(range);
        }
        to.siblings.insert(to.siblings.end(), lists_[depth].siblings.begin(),
                           lists_[depth].siblings.end());
    }

private:
    struct list {
        std::vector<ranked_rows::range> ranges;
        std::vector<sibling_run> siblings;
    };
    static std::uint32_t last_of(const row_range& rows) noexcept {
        return rows.first + rows.count - 1;
    }

    std::vector<list> lists_;
};

// The entities of a range of rows.
const entity_t* entities_in(const storage::store& data, const row_range& rows) noexcept {
    return storage::entities_of(data.tables.at(rows.table), data.tables.rows(rows.table)) +
           rows.first;
}

// Stores the depth of each row. The result has the number of rows of depth d at position d + 1, and
// 0 at the first position.
std::vector<std::size_t> count_depths(const storage::store& data,
                                      const std::vector<row_range>& ranges, depth_reader& finder,
                                      std::uint32_t* depth_of_row) {
    std::vector<std::size_t> counts(2);
    for (const row_range& range : ranges) {
        const entity_t* entities = entities_in(data, range);
        for (std::uint32_t i = 0; i < range.count; ++i) {
            KITH_COUNT(steps);
            const std::uint32_t depth = finder.of(entities[i], i != 0);
            if (depth + 2 > counts.size()) {
                counts.resize(depth + 2);
            }
            ++counts[depth + 1];
            *depth_of_row++ = depth;
        }
    }
    return counts;
}

// Makes the counts of count_depths() the positions at which the rows of each depth start, and adds
// the levels.
void add_levels(std::vector<std::size_t>& starts, bool descending, ranked_rows& sorted) {
    const std::size_t depths = starts.size() - 1;
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (std::size_t depth = 0; depth < depths; ++depth) {
        sorted.levels.push_back({depth, starts[depth + 1]});
    }
    if (descending) {
        // The deepest level comes first, so positions are counted from the end.
        std::reverse(sorted.levels.begin(), sorted.levels.end());
        for (std::size_t depth = 0; depth < depths; ++depth) {
            sorted.levels[depths - 1 - depth].end = sorted.count - starts[depth];
            starts[depth] = sorted.count - starts[depth + 1];
        }
    }
}

}  // namespace

// Counts the rows of the ranges that were added.
std::size_t ordered_rows::count_rows() const noexcept {
    return std::accumulate(
        ranges_.begin(), ranges_.end(), std::size_t{0},
        [](std::size_t count, const row_range& range) { return count + range.count; });
}

// A counting sort by depth.
void ordered_rows::sort_by_depth(ranked_rows& sorted) const {
    KITH_ASSERT(model_.cascade >= 0, "a term orders by depth");
    const term& term = model_.terms[model_.cascade];
    depth_reader finder(data_, term);
    sorted.count = count_rows();
    const std::unique_ptr<std::uint32_t[]> depths(new std::uint32_t[sorted.count]);
    std::vector<std::size_t> starts = count_depths(data_, ranges_, finder, depths.get());
    add_levels(starts, (term.flags & Desc) != 0, sorted);
    sorted.entities.reset(new entity_t[sorted.count]);
    range_lists lists(are_tracked(data_, ranges_) ? starts.size() - 1 : 0);
    const std::uint32_t* depth_of_row = depths.get();
    for (const row_range& range : ranges_) {
        const entity_t* entities = entities_in(data_, range);
        for (std::uint32_t i = 0; i < range.count; ++i) {
            const std::uint32_t depth = *depth_of_row++;
            sorted.entities[starts[depth]++] = entities[i];
            lists.add(depth, range.table, range.first + i, finder.target_of(entities[i]));
        }
    }
    for (const ranked_rows::level& level : sorted.levels) {
        lists.append(level.group, sorted);
    }
    // Where most rows have a target of their own, reading the links costs no more than a list.
    if (finder.single_links() && sorted.siblings.size() <= sorted.count / 2) {
        sorted.links = finder.single_links();
        sorted.edition = sorted.links->edition();
    } else {
        sorted.siblings = {};
    }
}

// Sorts by rank of the group, depth, and the order of arrival.
void ordered_rows::sort_by_group(world_t* world, ranked_rows& sorted) const {
    struct ranked {
        std::uint64_t group;
        std::uint32_t depth;
        std::size_t order;
        entity_t entity;
    };
    const bool deep = model_.cascade >= 0;
    const bool descending = deep && model_.terms[model_.cascade].flags & Desc;
    const storage::link_store* links = group_links(data_, *groups_);
    std::unordered_map<std::uint32_t, std::uint64_t> group_of_table;
    std::vector<ranked> rows;
    rows.reserve(count_rows());
    // The group function may change the world, so it is called before rows are read. A range may
    // have lost rows by then.
    for (const row_range& range : ranges_) {
        if (!links && group_of_table.find(range.table) == group_of_table.end()) {
            group_of_table[range.table] =
                group_of(world, data_, *groups_, data_.tables.at(range.table));
        }
    }
    std::optional<depth_reader> finder;
    if (deep) {
        finder.emplace(data_, model_.terms[model_.cascade]);
    }
    for (row_range range : ranges_) {
        const std::uint32_t present = data_.tables.rows(range.table).count;
        range.count = range.first < present ? std::min(range.count, present - range.first) : 0;
        const entity_t* entities = range.count ? entities_in(data_, range) : nullptr;
        const std::uint64_t of_table = links ? 0 : group_of_table[range.table];
        for (std::uint32_t i = 0; i < range.count; ++i) {
            const std::uint32_t depth = deep ? finder->of(entities[i], i != 0) : 0;
            rows.push_back({links ? group_of(data_, *links, entities[i]) : of_table,
                            descending ? ~depth : depth, rows.size(), entities[i]});
        }
    }
    std::sort(rows.begin(), rows.end(), [&](const ranked& a, const ranked& b) {
        return std::tuple(groups_->rank(a.group), a.depth, a.order) <
               std::tuple(groups_->rank(b.group), b.depth, b.order);
    });
    sorted.count = rows.size();
    sorted.entities.reset(new entity_t[sorted.count]);
    for (std::size_t i = 0; i < sorted.count; ++i) {
        sorted.entities[i] = rows[i].entity;
        if (i == 0 || rows[i].group != rows[i - 1].group || rows[i].depth != rows[i - 1].depth) {
            sorted.levels.push_back({rows[i].group, i});
        }
        sorted.levels.back().end = i + 1;
    }
}

void ordered_rows::sort(world_t* world) {
    auto sorted = std::make_shared<ranked_rows>();
    if (groups_) {
        sort_by_group(world, *sorted);
    } else {
        sort_by_depth(*sorted);
    }
    take(std::move(sorted));
}

void ordered_rows::take(std::shared_ptr<const ranked_rows> sorted) noexcept {
    KITH_ASSERT(!sorted_, "rows are sorted once");
    sorted_ = std::move(sorted);
    end_ = sorted_->count;
    placed_ = data_.ticks.any_rows_tick();
}

void ordered_rows::limit(std::uint64_t group) noexcept {
    KITH_ASSERT(sorted_, "the rows are sorted");
    std::size_t start = 0;
    std::size_t first = end_;
    std::size_t last = end_;
    for (const ranked_rows::level& rank : sorted_->levels) {
        if (rank.group == group) {
            first = std::min(first, start);
            last = rank.end;
        }
        start = rank.end;
    }
    first_ = first;
    end_ = last;
    first_range_ = 0;
    for (std::size_t before = 0; !sorted_->ranges.empty() && before < first; ++first_range_) {
        before += sorted_->ranges[first_range_].rows.count;
    }
    restart();
}

bool ordered_rows::next(row_range& rows, std::uint64_t& group) {
    KITH_ASSERT(sorted_, "the rows are sorted");
    if (at_ == end_) {
        return false;
    }
    by_range_ = are_in_place();
    if (by_range_) {
        rows = sorted_->ranges[next_range_++].rows;
        at_ += rows.count;
    } else if (!next_entities(rows)) {
        return false;
    }
    while (sorted_->levels[level_].end < at_) {
        ++level_;
    }
    group = sorted_->levels[level_].group;
    return true;
}

sibling_list ordered_rows::siblings() const noexcept {
    if (!by_range_ || sorted_->siblings.empty()) {
        return {};
    }
    const std::uint32_t position = sorted_->ranges[next_range_ - 1].siblings;
    return {sorted_->siblings.data() + position, sorted_->links, sorted_->edition};
}

// The next entities that are alive, as far as they are neighbours of one rank in one table.
bool ordered_rows::next_entities(row_range& rows) {
    const entity_t* entities = sorted_->entities.get();
    const storage::entity_record* record = nullptr;
    while (at_ < end_ && !record) {
        record = data_.entities.find(entities[at_++]);
    }
    if (!record) {
        return false;
    }
    std::size_t level = level_;
    while (sorted_->levels[level].end < at_) {
        ++level;
    }
    const std::size_t end = std::min(end_, sorted_->levels[level].end);
    rows = {record->table, record->row, 1};
    for (; at_ < end; ++at_, ++rows.count) {
        const storage::entity_record* next = data_.entities.find(entities[at_]);
        if (!next || next->table != rows.table || next->row != rows.first + rows.count) {
            break;
        }
    }
    return true;
}

}  // namespace kith::queries
