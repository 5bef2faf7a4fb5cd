// Following relationships: depth, search for an owner, and traversal (include/kith/traverse.hpp).
// Declared in include/kith/detail/ops.hpp under "relationships". The walks are iterative, visit
// each pair once, and end in graphs with cycles.
#include "api/world_impl.hpp"
#include "graph/depth.hpp"
#include "graph/walk.hpp"
#include "mutate/context/declared_access.hpp"
#include "names/id_text.hpp"

#include <algorithm>

namespace kith::detail {

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

// Finds the depth of entities. Throws if the relationship is not known to be free of cycles, or has
// one.
class depth_reader {
public:
    depth_reader(const stage& owner, entity_t relation)
        : owner_(owner), relation_(relation), finder_(owner.data, index_of(relation)) {
        const entity_t properties[] = {Exclusive, Union, Acyclic, Traversable, Transitive};
        bool ordered = is_current_relation(owner, relation) &&
                       std::any_of(std::begin(properties), std::end(properties),
                                   [&](entity_t id) { return owns(owner, relation, id); });
        if (!ordered) {
            mutate::raise_id(owner, errc::constraint, relation,
                             "is neither exclusive nor acyclic: nothing has a depth in it");
        }
    }

    // The depth of the entity with this index.
    std::int32_t find(std::uint32_t index) {
        const std::uint32_t depth = finder_.find(index);
        if (depth == graph::depth_finder::no_depth) {
            mutate::raise_entity_id(owner_, errc::cycle, finder_.cycle(), relation_,
                                    "leads back to the entity: it has no depth");
        }
        return static_cast<std::int32_t>(depth);
    }

private:
    const stage& owner_;
    entity_t relation_;
    graph::depth_finder finder_;
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
    mutate::check_access(owner, entity, make_pair(relation, Wildcard), access_guard::kind::test);
    return depth_reader(owner, relation).find(index_of(entity));
}

// The depth of a table's rows follows from the pairs of its type, or from one of its entities if
// the relationship is sparse.
std::int32_t table_depth(const world_t* world, const table_shape& shape, entity_t entity,
                         entity_t relation) {
    const stage& owner = stage_of(world);
    check_followed(world, relation, "depth");
    depth_reader finder(owner, relation);
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
    mutate::check_access(owner, entity, id, access_guard::kind::test);
    mutate::check_access(owner, entity, make_pair(relation, Wildcard), access_guard::kind::test);
    if (owns(owner, entity, id)) {
        return entity;
    }
    if (!is_current_relation(owner, relation)) {
        return 0;
    }
    graph::up_walk walk(owner.data, index_of(relation), entity, graph::repeat::never,
                        graph::cycles::possible);
    graph::visit visit{entity, 0};
    while (walk.next(visit)) {
        if (owns(owner, visit.entity, id)) {
            return visit.entity;
        }
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
    const world_t* world;
    entity_t relation;
    graph::visit last;  // that was handed out
    graph::depth_first steps{graph::repeat::never, graph::cycles::possible};
};

// The start itself is handed out by the caller, with depth 0.
graph_walk* begin_walk(const world_t* world, entity_t start, entity_t relation) {
    mutate::get_record(stage_of(world, "traverse"), checked_entity(start, "traverse"));
    check_followed(world, relation, "traverse");
    mutate::check_access(stage_of(world), start, make_pair(relation, Wildcard),
                         access_guard::kind::test);
    graph_walk walk{world, relation, {start, 0}};
    walk.steps.begin(start);
    return new graph_walk(walk);
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
        walk.steps.open(walk.last, [&](auto&& add) {
            storage::each_source(data, index_of(walk.relation), index_of(walk.last.entity),
                                 [&](entity_t source) {
                                     add(source);
                                     return true;
                                 });
        });
    }
    while (walk.steps.next(walk.last)) {
        if (data.entities.find(walk.last.entity)) {
            depth = static_cast<std::int32_t>(walk.last.level);
            return walk.last.entity;
        }
    }
    return 0;
}

}  // namespace kith::detail
