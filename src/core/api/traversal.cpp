// Following relationships up and down: depth, search, traversal. Nothing here recurses, looks at a
// pair twice or trusts that there are no cycles.
#include "api/world_impl.hpp"
#include "containers/id_map.hpp"
#include "names/id_text.hpp"
#include "storage/graph.hpp"

#include <algorithm>
#include <vector>

namespace kith::detail {

using containers::id_map;
using mutate::stage;
using mutate::stage_of;

namespace {

bool owns(const stage& owner, entity_t entity, id_t id) {
    return storage::owns_id(owner.data, mutate::get_record(owner, entity), entity, id);
}

// A handle of a relation that has died has no pairs, whoever has its index now.
bool is_current_relation(const stage& owner, entity_t relation) noexcept {
    return owner.data.entities.find(relation) != nullptr;
}

[[noreturn]] void raise_cycle(const stage& owner, entity_t entity, entity_t relation) {
    mutate::raise_entity_id(owner, errc::cycle, entity, relation,
                            "leads back to the entity: it has no depth");
}

// How deep entities are. Keeps what it found: ways that meet are walked once.
class depth_finder {
public:
    depth_finder(const stage& owner, entity_t relation) : owner_(owner), relation_(relation) {
        const entity_t properties[] = {Exclusive, Union, Acyclic, Traversable, Transitive};
        bool ordered = is_current_relation(owner, relation) &&
                       std::any_of(std::begin(properties), std::end(properties),
                                   [&](entity_t id) { return owns(owner, relation, id); });
        if (!ordered) {
            mutate::raise_id(owner, errc::constraint, relation,
                             "is neither exclusive nor acyclic: nothing has a depth in it");
        }
    }

    std::int32_t find(std::uint32_t start) {
        std::int32_t straight = find_straight(start);
        if (straight >= 0) {
            return straight;
        }
        path_.assign(1, start);
        while (!path_.empty()) {
            std::uint32_t position = path_.back();
            std::uint32_t state = states_.ensure(position, unseen);
            if (state == open) {
                states_.ensure(position, unseen) = finished + longest_from(position);
            } else if (state == unseen) {
                states_.ensure(position, unseen) = open;
                push_targets(position);
                continue;
            }
            path_.pop_back();
        }
        return static_cast<std::int32_t>(states_.ensure(start, unseen) - finished);
    }

private:
    // States of an entity. An open one is on the way that is being looked at.
    static constexpr std::uint32_t unseen = 0;
    static constexpr std::uint32_t open = 1;
    static constexpr std::uint32_t finished = 2;  // and its depth

    template <class Visit>
    void each_target(std::uint32_t index, Visit&& visit) const {
        storage::each_target(owner_.data, owner_.data.entities.alive_at(index), index_of(relation_),
                             visit);
    }
    // Most ways are short and do not fork: no memory is needed for them. -1 for others.
    std::int32_t find_straight(std::uint32_t position) const {
        for (std::int32_t depth = 0; depth < 64; ++depth) {
            std::uint32_t targets = 0;
            std::uint32_t above = 0;
            each_target(position, [&](std::uint32_t target) {
                above = target;
                return ++targets < 2;
            });
            if (targets == 0) {
                return depth;
            }
            if (targets > 1) {
                break;
            }
            position = above;
        }
        return -1;
    }
    void push_targets(std::uint32_t index) {
        std::uint32_t repeated = 0;
        each_target(index, [&](std::uint32_t target) {
            std::uint32_t state = states_.ensure(target, unseen);
            if (state == open) {
                repeated = target;
            } else if (state == unseen) {
                path_.push_back(target);
            }
            return repeated == 0;
        });
        if (repeated != 0) {
            raise_cycle(owner_, owner_.data.entities.alive_at(repeated), relation_);
        }
    }
    std::uint32_t longest_from(std::uint32_t index) {
        std::uint32_t longest = 0;
        each_target(index, [&](std::uint32_t target) {
            longest = std::max(longest, states_.ensure(target, unseen) - finished + 1);
            return true;
        });
        return longest;
    }

    const stage& owner_;
    entity_t relation_;
    id_map states_;
    std::vector<std::uint32_t> path_;
};

}  // namespace

void check_followed(const world_t* world, entity_t relation, const char* call) {
    const stage& owner = stage_of(world, call);
    checked_id(relation, call, "the relationship");
    if (is_wildcard(relation) || relation & id_flags_mask) {
        mutate::raise_id(owner, errc::invalid_id, relation,
                         "is no single relationship that could be followed");
    }
}

std::int32_t depth_of(const world_t* world, entity_t entity, entity_t relation) {
    const stage& owner = stage_of(world, "depth");
    mutate::get_record(owner, checked_entity(entity, "depth"));
    check_followed(world, relation, "depth");
    return depth_finder(owner, relation).find(index_of(entity));
}

std::int32_t table_depth(const world_t* world, const table_shape& shape, entity_t entity,
                         entity_t relation) {
    const stage& owner = stage_of(world);
    check_followed(world, relation, "depth");
    depth_finder finder(owner, relation);
    const id_t any = make_pair(relation, Wildcard);
    std::int32_t depth = 0;
    for (std::int32_t position = storage::find_match(shape, any, 0); position >= 0;
         position = storage::next_match(shape, any, position)) {
        depth = std::max(depth, finder.find(pair_second(shape.ids[position])) + 1);
    }
    return depth == 0 && owner.data.entities.find(entity) ? finder.find(index_of(entity)) : depth;
}

entity_t find_owner(const world_t* world, entity_t entity, entity_t relation, id_t id) {
    const stage& owner = stage_of(world, "target_for");
    mutate::get_record(owner, checked_entity(entity, "target_for"));
    check_followed(world, relation, "target_for");
    if (owns(owner, entity, id)) {
        return entity;
    }
    if (!is_current_relation(owner, relation)) {
        return 0;
    }
    id_map seen;
    std::vector<std::uint32_t> waiting{index_of(entity)};
    while (!waiting.empty()) {
        std::uint32_t index = waiting.back();
        waiting.pop_back();
        if (!seen.insert(index)) {
            continue;
        }
        entity_t other = owner.data.entities.alive_at(index);
        if (owns(owner, other, id)) {
            return other;
        }
        std::size_t first = waiting.size();
        storage::each_target(owner.data, other, index_of(relation), [&](std::uint32_t target) {
            waiting.push_back(target);
            return true;
        });
        std::reverse(waiting.begin() + static_cast<std::ptrdiff_t>(first), waiting.end());
    }
    return 0;
}

void raise_too_deep(const world_t* world, entity_t entity, entity_t relation, std::int32_t limit) {
    const stage& owner = stage_of(world);
    base::text message;
    message << "the way up from ";
    names::describe_id(owner.data, entity, message);
    message << " along ";
    names::describe_id(owner.data, relation, message);
    message << " is longer than " << std::int64_t{limit}
            << ": there may be a cycle, or max_depth is too small";
    base::raise(errc::limit, message);
}

struct graph_walk {
    struct step {
        entity_t entity;
        std::int32_t depth;
    };

    const world_t* world;
    entity_t relation;
    step at;
    std::vector<step> waiting;  // the next one last
    id_map seen;
};

graph_walk* begin_walk(const world_t* world, entity_t start, entity_t relation) {
    mutate::get_record(stage_of(world, "traverse"), checked_entity(start, "traverse"));
    check_followed(world, relation, "traverse");
    graph_walk walk{world, relation, {start, 0}, {}, {}};
    walk.seen.insert(index_of(start));
    return new graph_walk(std::move(walk));
}

graph_walk* copy_walk(const graph_walk& walk) {
    return new graph_walk(walk);
}

void end_walk(graph_walk* walk) noexcept {
    delete walk;
}

entity_t next_in_walk(graph_walk& walk, std::int32_t& depth) {
    const storage::store& data = stage_of(walk.world).data;
    // What the last one leads to. It may have died, and so may the relation.
    if (data.entities.find(walk.at.entity) && data.entities.find(walk.relation)) {
        std::size_t first = walk.waiting.size();
        storage::each_source(data, index_of(walk.relation), index_of(walk.at.entity),
                             [&](entity_t source) {
                                 walk.waiting.push_back({source, walk.at.depth + 1});
                                 return true;
                             });
        std::reverse(walk.waiting.begin() + static_cast<std::ptrdiff_t>(first), walk.waiting.end());
    }
    while (!walk.waiting.empty()) {
        walk.at = walk.waiting.back();
        walk.waiting.pop_back();
        if (data.entities.find(walk.at.entity) && walk.seen.insert(index_of(walk.at.entity))) {
            depth = walk.at.depth;
            return walk.at.entity;
        }
    }
    return 0;
}

}  // namespace kith::detail
