// The chapter "relationships" of kith.h.
#include "ids.hpp"

#include <memory>

using namespace kith::capi;
namespace detail = kith::detail;

// The entity that a traversal starts with comes before what core's walk gives.
struct kith_traversal_t {
    detail::graph_walk* walk;
    kith_entity_t first;

    ~kith_traversal_t() { detail::end_walk(walk); }
};

namespace {

kith::relation_desc describe(const kith_relation_desc_t& given) {
    kith::relation_desc desc;
    desc.exclusive = flag(given.exclusive);
    desc.tag = flag(given.tag);
    desc.symmetric = flag(given.symmetric);
    desc.transitive = flag(given.transitive);
    desc.reflexive = flag(given.reflexive);
    desc.acyclic = flag(given.acyclic);
    desc.traversable = flag(given.traversable);
    desc.final = flag(given.final);
    desc.dont_inherit = flag(given.dont_inherit);
    desc.transient = flag(given.transient);
    desc.storage = flag(given.sparse) ? kith::storage::sparse : kith::storage::dense;
    desc.on_delete = given.on_delete;
    desc.on_delete_target = given.on_delete_target;
    desc.with = given.with;
    desc.one_of = given.one_of;
    return desc;
}

}  // namespace

extern "C" {

kith_entity_t kith_relation_init_w_size(kith_world_t* world, const kith_relation_desc_t* desc,
                                        size_t size) {
    return guard_value<kith_entity_t>(0, [&]() -> kith_entity_t {
        const read_desc<kith_relation_desc_t> given("kith_relation_init", desc, size);
        check_world(world);
        const kith::relation_desc properties = describe(*given);
        const kith::world of = world_at(world);
        if (given->entity != 0) {
            return of.relation(given->entity, properties);
        }
        return given->name && *given->name ? of.relation(text_of(given->name), properties)
                                           : of.relation(properties);
    });
}
kith_entity_t kith_get_target(const kith_world_t* world, kith_entity_t entity,
                              kith_entity_t relation, int32_t index) {
    return guard_value<kith_entity_t>(
        0, [&] { return kith::entity_view(at(world), entity).target(relation, index).id(); });
}
kith_entity_t kith_get_target_for_id(const kith_world_t* world, kith_entity_t entity,
                                     kith_entity_t relation, kith_id_t id) {
    return guard_value<kith_entity_t>(
        0, [&] { return detail::find_owner(at(world), entity, relation, id); });
}
int32_t kith_targets(const kith_world_t* world, kith_entity_t entity, kith_entity_t relation,
                     kith_entity_t* targets, int32_t capacity) {
    return guard_value<int32_t>(0, [&] {
        check_count(capacity, targets, "kith_targets");
        int32_t count = 0;
        while (const kith_entity_t target = detail::target_of(at(world), entity, relation, count)) {
            if (count < capacity) {
                targets[count] = target;
            }
            ++count;
        }
        return count;
    });
}
kith_entity_t kith_get_parent(const kith_world_t* world, kith_entity_t entity) {
    return guard_value<kith_entity_t>(
        0, [&] { return kith::entity_view(at(world), entity).parent().id(); });
}
int32_t kith_get_depth(const kith_world_t* world, kith_entity_t entity, kith_entity_t relation) {
    return guard_value<int32_t>(-1, [&] { return detail::depth_of(at(world), entity, relation); });
}
kith_status_t kith_walk_up(const kith_world_t* world, kith_entity_t entity, kith_entity_t relation,
                           bool (*f)(kith_entity_t entity, int32_t depth, void* ctx), void* ctx,
                           int32_t max_depth) {
    return guard([&] {
        if (!f) {
            raise_argument("kith_walk_up", "f is NULL");
        }
        if (max_depth < 0) {
            raise_argument("kith_walk_up", "max_depth is negative");
        }
        kith::entity_view(at(world), entity)
            .walk_up(
                relation,
                [&](kith::entity found, std::int32_t depth) {
                    return call_back(f, found.id(), depth, ctx);
                },
                max_depth == 0 ? 100 : max_depth);
    });
}
kith_traversal_t* kith_traverse(const kith_world_t* world, kith_entity_t entity,
                                kith_entity_t relation) {
    return guard_value<kith_traversal_t*>(nullptr, [&] {
        auto made = std::make_unique<kith_traversal_t>(kith_traversal_t{nullptr, entity});
        made->walk = detail::begin_walk(at(world), entity, relation);
        return made.release();
    });
}
kith_entity_t kith_traversal_next(kith_traversal_t* traversal, int32_t* depth) {
    return guard_value<kith_entity_t>(0, [&]() -> kith_entity_t {
        check_pointer(traversal, "kith_traversal_next", "the traversal is NULL");
        int32_t found = 0;
        kith_entity_t next = detail::exchange(traversal->first, 0);
        if (next == 0 && traversal->walk) {
            next = detail::next_in_walk(*traversal->walk, found);
            if (next == 0) {
                detail::end_walk(detail::exchange(traversal->walk, nullptr));
            }
        }
        if (depth) {
            *depth = found;
        }
        return next;
    });
}
void kith_traversal_fini(kith_traversal_t* traversal) {
    delete traversal;
}
}
