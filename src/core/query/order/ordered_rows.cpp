// Rows in the order of their ranks, declared in ordered_rows.hpp.
#include "query/order/ordered_rows.hpp"

#include "base/assert.hpp"
#include "graph/depth.hpp"
#include "query/plan/plan.hpp"

#include <algorithm>
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

// The entities of a range of rows.
const entity_t* entities_in(const storage::store& data, const row_range& rows) noexcept {
    return storage::entities_of(data.tables.at(rows.table), data.tables.rows(rows.table)) +
           rows.first;
}

}  // namespace

// A counting sort by depth.
void ordered_rows::sort_by_depth() {
    KITH_ASSERT(model_.cascade >= 0, "a term orders by depth");
    const term& term = model_.terms[model_.cascade];
    depth_reader finder(data_, term);
    std::unique_ptr<std::uint32_t[]> depths(new std::uint32_t[count_]);
    std::vector<std::size_t> starts(2);
    std::uint32_t* depth_of_row = depths.get();
    for (const row_range& range : ranges_) {
        const entity_t* entities = entities_in(data_, range);
        for (std::uint32_t i = 0; i < range.count; ++i) {
            const std::uint32_t depth = finder.of(entities[i], i != 0);
            if (depth + 2 > starts.size()) {
                starts.resize(depth + 2);
            }
            ++starts[depth + 1];
            *depth_of_row++ = depth;
        }
    }
    for (std::size_t i = 1; i < starts.size(); ++i) {
        starts[i] += starts[i - 1];
    }
    for (std::size_t depth = 0; depth + 1 < starts.size(); ++depth) {
        levels_.push_back({depth, starts[depth + 1]});
    }
    if (term.flags & Desc) {
        // Descending: the deepest level comes first, so positions are counted from the end.
        std::reverse(levels_.begin(), levels_.end());
        for (std::size_t depth = 0; depth + 1 < starts.size(); ++depth) {
            levels_[levels_.size() - 1 - depth].end = count_ - starts[depth];
            starts[depth] = count_ - starts[depth + 1];
        }
    }
    entities_.reset(new entity_t[count_]);
    depth_of_row = depths.get();
    for (const row_range& range : ranges_) {
        const entity_t* entities = entities_in(data_, range);
        for (std::uint32_t i = 0; i < range.count; ++i) {
            entities_[starts[*depth_of_row++]++] = entities[i];
        }
    }
}

// Sorts by rank of the group, depth, and the order of arrival.
void ordered_rows::sort_by_group(world_t* world) {
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
    rows.reserve(count_);
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
    count_ = rows.size();
    entities_.reset(new entity_t[count_]);
    for (std::size_t i = 0; i < count_; ++i) {
        entities_[i] = rows[i].entity;
        if (i == 0 || rows[i].group != rows[i - 1].group || rows[i].depth != rows[i - 1].depth) {
            levels_.push_back({rows[i].group, i});
        }
        levels_.back().end = i + 1;
    }
}

void ordered_rows::sort(world_t* world) {
    if (groups_) {
        sort_by_group(world);
    } else {
        sort_by_depth();
    }
    ranges_.clear();
}

void ordered_rows::limit(std::uint64_t group) noexcept {
    KITH_ASSERT(ranges_.empty(), "the rows are sorted");
    std::size_t start = 0;
    std::size_t first = count_;
    std::size_t last = count_;
    for (const level& rank : levels_) {
        if (rank.group == group) {
            first = std::min(first, start);
            last = rank.end;
        }
        start = rank.end;
    }
    first_ = at_ = first;
    count_ = last;
}

bool ordered_rows::next(row_range& rows, std::uint64_t& group) {
    KITH_ASSERT(ranges_.empty(), "the rows are sorted");
    const storage::entity_record* record = nullptr;
    while (at_ < count_ && !record) {
        record = data_.entities.find(entities_[at_++]);
    }
    if (!record) {
        return false;
    }
    if (level_ != 0 && at_ <= levels_[level_ - 1].end) {
        level_ = 0;  // restart() was called
    }
    while (levels_[level_].end < at_) {
        ++level_;
    }
    group = levels_[level_].group;
    rows = {record->table, record->row, 1};
    while (at_ < std::min(count_, levels_[level_].end)) {
        const storage::entity_record* next = data_.entities.find(entities_[at_]);
        if (!next || next->table != rows.table || next->row != rows.first + rows.count) {
            break;
        }
        ++rows.count;
        ++at_;
    }
    return true;
}

}  // namespace kith::queries
