// Reachability, declared in reach.hpp. All searches but the one for cycles are breadth first.
#include "graph/reach.hpp"

#include "graph/walk.hpp"

#include <algorithm>

namespace kith::graph {

std::vector<entity_t> reached_from(const storage::store& data, std::uint32_t relation,
                                   entity_t from, std::size_t limit) {
    visit_set visited;
    visited.insert(from);
    for (std::uint32_t i = 0; i < visited.size() && visited.size() <= limit; ++i) {
        add_targets(visited, data, relation, visited[i]);
    }
    return {visited.begin() + 1,
            visited.begin() + std::min<std::size_t>(limit + 1, visited.size())};
}

std::vector<entity_t> shortest_path(const storage::store& data, std::uint32_t relation,
                                    entity_t from, entity_t to, std::uint32_t limit) {
    visit_set visited;
    std::vector<std::uint32_t> previous{0};  // by position of the entity: position before it
    visited.insert(from);
    for (std::uint32_t i = 0; i < visited.size() && visited.size() <= limit && !visited.has(to);
         ++i) {
        add_targets(visited, data, relation, visited[i]);
        previous.resize(visited.size(), i);
    }
    std::vector<entity_t> path;
    const std::uint32_t last = visited.find(to);
    if (last == visit_set::none || last > limit) {
        return path;
    }
    for (std::uint32_t position = last; position != 0; position = previous[position]) {
        path.push_back(visited[position]);
    }
    path.push_back(from);
    std::reverse(path.begin(), path.end());
    return path;
}

namespace {

// One side of a search: step() goes along one edge at a time, to targets (up) or to sources (down).
class search_side {
public:
    search_side(const storage::store& data, containers::memory& mem, std::uint32_t relation,
                bool once, bool up, std::uint32_t from)
        : data_(data),
          links_(storage::find_links(data, relation)),
          relation_(relation),
          once_(once),
          up_(up),
          queue_(mem, purpose::commands),
          seen_(&mem) {
        add(from);
    }

    // The entity at the end of the next edge, 0 if no edge is left.
    std::uint32_t step() {
        std::uint32_t neighbour = next_neighbour();
        while (neighbour == 0 && next_ + 1 < queue_.size()) {
            ++next_;
            position_ = row_ = 0;
            neighbour = next_neighbour();
        }
        if (neighbour != 0) {
            add(neighbour);
        }
        return neighbour;
    }

private:
    void add(std::uint32_t index) {
        if (!once_ || seen_.insert(index)) {
            queue_.push(index);
        }
    }
    // The next neighbour of the first entity in the queue, 0 at the end.
    std::uint32_t next_neighbour() noexcept {
        const std::uint32_t index = queue_[next_];
        return links_ ? next_link(index) : up_ ? next_target(index) : next_source(index);
    }
    std::uint32_t next_link(std::uint32_t index) noexcept {
        if (up_) {
            return position_ < links_->target_count(index) ? links_->target_at(index, position_++)
                                                           : 0;
        }
        const storage::source_span sources = links_->sources(index);
        while (position_ < sources.size && sources.items[position_] == 0) {
            ++position_;
        }
        return position_ < sources.size ? index_of(sources.items[position_++]) : 0;
    }
    std::uint32_t next_target(std::uint32_t index) noexcept {
        const storage::table& type = data_.tables.at(data_.entities.at(index).table);
        const std::int32_t position = storage::find_match(type, make_pair(relation_, Wildcard),
                                                          static_cast<std::int32_t>(position_));
        if (position < 0) {
            return 0;
        }
        position_ = static_cast<std::uint32_t>(position + 1);
        return pair_second(type.ids[position]);
    }
    std::uint32_t next_source(std::uint32_t index) noexcept {
        const storage::id_record* pair = data_.ids.find(make_pair(relation_, index));
        for (; pair && position_ < pair->active; ++position_, row_ = 0) {
            const std::uint32_t number = pair->tables[position_].table;
            const detail::table_rows& rows = data_.tables.rows(number);
            if (row_ < rows.count) {
                return index_of(storage::entities_of(data_.tables.at(number), rows)[row_++]);
            }
        }
        return 0;
    }

    const storage::store& data_;
    const storage::link_store* links_;
    std::uint32_t relation_;
    bool once_;
    bool up_;
    containers::small_vec<std::uint32_t, 16> queue_;
    visit_set seen_;              // empty unless once_
    std::uint32_t next_ = 0;      // in queue_: the entity whose edges follow
    std::uint32_t position_ = 0;  // of the next edge
    std::uint32_t row_ = 0;       // of the next source in its table
};

}  // namespace

bool is_reachable(const storage::store& data, containers::memory& mem, std::uint32_t relation,
                  bool exclusive, std::uint32_t from, std::uint32_t to) {
    search_side up(data, mem, relation, !exclusive, true, from);
    search_side down(data, mem, relation, !exclusive, false, to);
    for (;;) {
        const std::uint32_t above = up.step();
        if (above == 0 || above == to) {
            return above == to;
        }
        const std::uint32_t below = down.step();
        if (below == 0 || below == from) {
            return below == from;
        }
    }
}

// Depth first over all sources: an entity that is reached while it is open closes a cycle.
cycle_edge find_cycle(const storage::store& data, std::uint32_t relation) {
    cycle_edge cycle;
    visit_set seen;            // indices
    std::vector<char> closed;  // by position in `seen`
    std::vector<std::uint32_t> pending;
    storage::each_pair(data, relation, [&](entity_t root, std::uint32_t) {
        pending.push_back(index_of(root));
        while (!pending.empty()) {
            const std::uint32_t index = pending.back();
            if (!seen.insert(index)) {
                closed[seen.find(index)] = true;
                pending.pop_back();
                continue;
            }
            closed.push_back(false);
            const entity_t source = data.entities.alive_at(index);
            storage::each_target(data, source, relation, [&](std::uint32_t target) {
                const std::uint32_t position = seen.find(target);
                if (position == visit_set::none) {
                    pending.push_back(target);
                } else if (!closed[position]) {
                    cycle = {source, data.entities.alive_at(target)};
                }
                return cycle.source == 0;
            });
            if (cycle.source != 0) {
                return false;
            }
        }
        return true;
    });
    return cycle;
}

bool is_subtype_of(const storage::store& data, std::uint32_t index, entity_t base) {
    visit_set visited;
    visited.insert(data.entities.alive_at(index));
    for (std::uint32_t i = 0; i < visited.size() && !visited.has(base); ++i) {
        add_targets(visited, data, IsA, visited[i]);
    }
    return visited.has(base);
}

visit_set subtypes_of(const storage::store& data, entity_t base) {
    visit_set visited;
    visited.insert(base);
    if (!data.bases->pairs.empty() || data.bases->links) {
        for (std::uint32_t i = 0; i < visited.size(); ++i) {
            add_sources(visited, data, IsA, visited[i]);
        }
    }
    return visited;
}

}  // namespace kith::graph
