// Following relationships: depth, search for an owner, and traversal (include/kith/traverse.hpp).
// Declared in include/kith/detail/ops.hpp under "relationships". The walks are iterative, visit
// each pair once, and end in graphs with cycles.
#include "api/world_impl.hpp"
#include "base/assert.hpp"
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

// True if the entity itself has the id.
bool owns(const stage& owner, entity_t entity, id_t id) {
    return storage::owns_id(owner.data, mutate::get_record(owner, entity), entity, id);
}

// False for the handle of a deleted relationship, whose index may belong to another entity.
bool is_current_relation(const stage& owner, entity_t relation) noexcept {
    return owner.data.entities.find(relation) != nullptr;
}

[[noreturn]] void raise_cycle(const stage& owner, entity_t entity, entity_t relation) {
    mutate::raise_entity_id(owner, errc::cycle, entity, relation,
                            "leads back to the entity: it has no depth");
}

// Finds the depth of entities: the length of the longest chain of targets. Depths are remembered,
// so an entity that several chains reach is visited once. Throws if the relationship is not known
// to be free of cycles.
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

    // The depth of the entity with this index. Depth first, with the path on a stack of its own.
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
    // States of an entity. An open entity is on the present path; its targets are being visited.
    static constexpr std::uint32_t unseen = 0;
    static constexpr std::uint32_t open = 1;
    static constexpr std::uint32_t finished = 2;  // plus the depth

    template <class Visit>
    void each_target(std::uint32_t index, Visit&& visit) const {
        storage::each_target(owner_.data, owner_.data.entities.alive_at(index), index_of(relation_),
                             visit);
    }
    // Most chains are short and do not fork, and need no memory. The result is -1 for other chains.
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
    // Puts the targets that were not visited on the path. An open target closes a cycle.
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
    // The depth of an entity whose targets are all finished.
    std::uint32_t longest_from(std::uint32_t index) {
        std::uint32_t longest = 0;
        each_target(index, [&](std::uint32_t target) {
            const std::uint32_t state = states_.ensure(target, unseen);
            KITH_ASSERT(state >= finished, "targets are finished before their sources");
            longest = std::max(longest, state - finished + 1);
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

// The depth of a table's rows follows from the pairs of its type, or from one of its entities if
// the relationship is sparse.
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

// Depth first, targets in their order. Each entity is visited once.
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
    std::vector<std::uint32_t> pending{index_of(entity)};
    while (!pending.empty()) {
        std::uint32_t index = pending.back();
        pending.pop_back();
        if (!seen.insert(index)) {
            continue;
        }
        entity_t other = owner.data.entities.alive_at(index);
        if (owns(owner, other, id)) {
            return other;
        }
        std::size_t first = pending.size();
        storage::each_target(owner.data, other, index_of(relation), [&](std::uint32_t target) {
            pending.push_back(target);
            return true;
        });
        std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());
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

// The state of a traversal from targets to sources.
struct graph_walk {
    struct step {
        entity_t entity;
        std::int32_t depth;
    };

    const world_t* world;
    entity_t relation;
    step last;                  // that was handed out
    std::vector<step> pending;  // a stack: the next step is the last
    id_map seen;
};

// The start itself is handed out by the caller, with depth 0.
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

// Depth first. The sources of an entity are read when the walk continues from it, so the world may
// change between two calls.
entity_t next_in_walk(graph_walk& walk, std::int32_t& depth) {
    const storage::store& data = stage_of(walk.world).data;
    // The sources of the last entity follow. The entity or the relationship may have been deleted.
    if (data.entities.find(walk.last.entity) && data.entities.find(walk.relation)) {
        std::size_t first = walk.pending.size();
        storage::each_source(data, index_of(walk.relation), index_of(walk.last.entity),
                             [&](entity_t source) {
                                 walk.pending.push_back({source, walk.last.depth + 1});
                                 return true;
                             });
        std::reverse(walk.pending.begin() + static_cast<std::ptrdiff_t>(first), walk.pending.end());
    }
    while (!walk.pending.empty()) {
        walk.last = walk.pending.back();
        walk.pending.pop_back();
        if (data.entities.find(walk.last.entity) && walk.seen.insert(index_of(walk.last.entity))) {
            depth = walk.last.depth;
            return walk.last.entity;
        }
    }
    return 0;
}

}  // namespace kith::detail
