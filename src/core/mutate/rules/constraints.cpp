// Implements constraints.hpp.
#include "mutate/rules/constraints.hpp"

#include "graph/reach.hpp"
#include "mutate/rules/change_set.hpp"
#include "mutate/rules/prefabs.hpp"
#include "mutate/rules/referrers.hpp"
#include "mutate/rules/sibling_names.hpp"
#include "names/id_text.hpp"
#include "storage/graph.hpp"
#include "traits/implications.hpp"
#include "traits/inherit.hpp"

#include <algorithm>
#include <vector>

namespace kith::mutate {

using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::table;

namespace {

// Appends "A → B → C". A path may have a million steps, so only its ends are shown.
void describe_path(const storage::store& data, const std::vector<entity_t>& path,
                   base::text& message) {
    constexpr std::size_t shown = 3;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (i == shown && path.size() > 2 * shown) {
            message << " → …";
            i = path.size() - shown;
        }
        message << (i == 0 ? "" : " → ");
        names::describe_id(data, path[i], message);
    }
}

// Throws an error with the path that the pair (relation, target) of `source` would close to a
// cycle.
[[noreturn]] void raise_cycle(const stage& world, std::uint32_t relation, std::uint32_t source,
                              std::uint32_t target) {
    const storage::store& data = world.data;
    base::text message;
    message << "a cycle of ";
    names::describe_id(world.data, data.entities.alive_at(relation), message);
    message << ": ";
    names::describe_id(world.data, data.entities.alive_at(source), message);
    message << " → ";
    if (source == target) {
        message << "itself";
    } else {
        describe_path(data,
                      graph::shortest_path(data, relation, data.entities.alive_at(target),
                                           data.entities.alive_at(source)),
                      message);
    }
    base::raise(errc::cycle, message);
}

// Throws if the pair would close a cycle. A source that is no target, and a target that is no
// source, cannot close one, which spares most searches.
void check_no_cycle(const stage& world, entity_t entity, const id_info& pair) {
    const storage::store& data = world.data;
    std::uint32_t relation = pair_first(pair.id);
    std::uint32_t source = index_of(entity);
    std::uint32_t target = pair_second(pair.id);
    if (source == target) {
        raise_cycle(world, relation, source, target);
    }
    if (const storage::link_store* links = storage::find_links(data, relation)) {
        if (!links->is_target(source) || !links->has_any(target)) {
            return;
        }
    } else if (!(data.entities.at(source).state & storage::record_used_as_id)) {
        return;
    }
    if (graph::is_reachable(data, world.data.mem, relation, traits::has_one_target(pair), target,
                            source)) {
        raise_cycle(world, relation, source, target);
    }
}

// True if the entity is a child of the parent, or becomes one in a step that is being made.
bool is_child(const stage& world, entity_t entity, entity_t parent) noexcept {
    return storage::parent_of(world.data, entity) == parent ||
           is_staged_gain(world, entity, make_pair(ChildOf, parent));
}

// Throws if the target of the pair is outside of the scope that OneOf demands.
void check_scope(const stage& world, entity_t entity, const id_info& pair) {
    const storage::store& data = world.data;
    entity_t scope = traits::scope_of_targets(data, pair_first(pair.id));
    entity_t target = data.entities.alive_at(pair_second(pair.id));
    if (scope && !is_child(world, target, scope)) {
        const char* reason = ": the target must be a child of ";
        if (!entity) {
            raise_about(world, errc::constraint, "a new entity cannot get ", pair.id, reason,
                        scope);
        }
        raise_about(world, errc::constraint, "entity ", entity, " cannot get ", pair.id, reason,
                    scope);
    }
}

// Throws if the base of an IsA pair is final, or is a prefab that contains the entity.
void check_base(const stage& world, entity_t entity, const id_info& pair) {
    entity_t base = world.data.entities.alive_at(pair_second(pair.id));
    const id_record* record = world.data.ids.find(base);
    if (record && record->traits & traits::trait_final) {
        if (!entity) {
            raise_id(world, errc::constraint, pair.id,
                     "cannot be had: the target is Final, nothing can inherit from it");
        }
        raise_entity_id(world, errc::constraint, entity, pair.id,
                        "the target is Final: nothing can inherit from it");
    }
    // An instance in its own prefab would get copies without end. An instance that was moved there
    // has its copies, and so has one that is loaded.
    if (is_prefab(world.data, base) && world.operation.complete != entity) {
        for (entity_t position = storage::parent_of(world.data, entity); position;
             position = storage::parent_of(world.data, position)) {
            if (position == base) {
                raise_entity_id(world, errc::cycle, entity, pair.id,
                                "the entity is part of this prefab, so it cannot be an instance "
                                "of it");
            }
        }
    }
}

}  // namespace

void check_pair(const stage& world, entity_t entity, const id_info& pair) {
    // Each rule has a bit in the traits, so that a pair without rules costs three tests.
    if (pair.traits & traits::trait_no_cycles) {
        check_no_cycle(world, entity, pair);
    }
    if (pair.traits & traits::trait_one_of) {
        check_scope(world, entity, pair);
    }
    if (pair_first(pair.id) == IsA) {
        check_base(world, entity, pair);
    }
}

void check_leaves(const stage& world, entity_t entity, entity_t parent) {
    // A relationship demands children of its scope as targets. Pairs that the step removes do not
    // count.
    const storage::store& data = world.data;
    const std::uint32_t state = data.entities.find(entity)->state;
    // Throws if a source of the relation keeps its pair with the entity.
    auto check_sources = [&](std::uint32_t relation) {
        if (!parent || traits::scope_of_targets(data, relation) != parent ||
            is_staged_removal(world, data.entities.alive_at(relation), make_pair(OneOf, parent))) {
            return;
        }
        id_t pair = make_pair(relation, entity);
        storage::each_source(data, relation, index_of(entity), [&](entity_t source) {
            if (!is_staged_removal(world, source, pair)) {
                raise_about(world, errc::constraint, "entity ", entity, " must stay a child of ",
                            parent, ": entity ", source, " has ", pair);
            }
            return true;
        });
    };
    if (state & storage::record_used_as_id) {
        for (const id_record* pair = data.ids.first_with_target(index_of(entity)); pair;
             pair = data.ids.next_with_target(*pair)) {
            if (pair->traits & traits::trait_one_of) {
                check_sources(pair_first(pair->id));
            }
        }
    }
    if (state & storage::record_link_target) {
        for (const id_record* relation : data.link_ids) {
            if (relation->traits & traits::trait_one_of) {
                check_sources(pair_first(relation->id));
            }
        }
    }
}

bool check_parent(stage& world, entity_t entity, const entity_record& record, entity_t before,
                  entity_t after) {
    constexpr std::uint32_t reference_flags =
        storage::record_used_as_id | storage::record_link_target;
    // The constraints that a parent places on its children end with a parent that is being deleted.
    if (before && before != world.deletion.notified && record.state & reference_flags) {
        check_leaves(world, entity, before);
    }
    bool renames = (record.state & storage::record_named) != 0;
    if (renames) {
        check_name_under(world, entity, after);
    }
    return renames;
}

void raise_required(const stage& world, entity_t entity, id_t lost, id_t required_by) {
    raise_about(world, errc::constraint, "entity ", entity, " cannot lose ", lost, " while it has ",
                required_by, ", which must come with it");
}

void check_not_required(const stage& world, entity_t entity, const id_t* removed,
                        std::uint32_t count) {
    const storage::store& data = world.data;
    const entity_record& record = *data.entities.find(entity);
    // The removed ids are sorted on first use; most removals need no lookup.
    id_buffer sorted(world.data.mem, containers::purpose::commands);
    auto is_removed = [&](id_t id) {
        if (sorted.empty()) {
            std::for_each(removed, removed + count,
                          [&](id_t removed_id) { sorted.push(removed_id); });
            std::sort(sorted.begin(), sorted.end());
        }
        return std::binary_search(sorted.begin(), sorted.end(), id);
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        const id_t id = removed[i];
        if (!traits::may_be_required(traits::describe_id(data, id).traits) ||
            is_lost_by_deletion(world, entity, id)) {
            continue;
        }
        const id_t rule = make_pair(With, is_pair(id) ? pair_first(id) : index_of(id));
        each_implying(data, id, [&](id_t required_by) {
            const std::uint32_t requiring =
                is_pair(required_by) ? pair_first(required_by) : index_of(required_by);
            if (storage::owns_id(data, record, entity, required_by) && !is_removed(required_by) &&
                !is_staged_removal(world, entity, required_by) &&
                !is_staged_removal(world, data.entities.alive_at(requiring), rule)) {
                raise_required(world, entity, id, required_by);
            }
        });
    }
}

// -- checks of existing pairs when properties change

namespace {

// False for a pair of the relationship itself that is removed in the same step.
bool stays(const stage& world, entity_t source, entity_t relation, std::uint32_t target,
           const table& type_after) {
    id_t pair = make_pair(relation, target);
    if (storage::find_links(world.data, index_of(relation))) {
        return !is_staged_removal(world, source, pair);
    }
    return source != relation || storage::find_id(type_after, pair) >= 0;
}

// Throws if a source has two targets that stay: the relation is about to become exclusive.
void check_one_target(const stage& world, entity_t relation, const table& type_after) {
    const storage::store& data = world.data;
    storage::each_pair(data, index_of(relation), [&](entity_t source, std::uint32_t) {
        std::uint32_t count = 0;
        storage::each_target(data, source, index_of(relation), [&](std::uint32_t target) {
            count += stays(world, source, relation, target, type_after);
            return true;
        });
        if (count > 1) {
            raise_entity_id(world, errc::constraint, source, relation,
                            "the entity has two targets of it, so it cannot become exclusive");
        }
        return true;
    });
}

// Throws if a pair lacks its inverse: the relation is about to become symmetric.
void check_inverse(const stage& world, entity_t relation) {
    const storage::store& data = world.data;
    storage::each_pair(data, index_of(relation), [&](entity_t source, std::uint32_t target) {
        bool back =
            !storage::each_target(data, data.entities.alive_at(target), index_of(relation),
                                  [&](std::uint32_t other) { return other != index_of(source); });
        if (!back) {
            raise_entity_id(world, errc::constraint, source, make_pair(relation, target),
                            "the target lacks the pair back, so the relationship cannot become "
                            "symmetric");
        }
        return true;
    });
}

// Throws if the relation has a cycle: it is about to become acyclic.
void check_whole_graph(const stage& world, entity_t relation) {
    const graph::cycle_edge cycle = graph::find_cycle(world.data, index_of(relation));
    if (cycle.source != 0) {
        raise_cycle(world, index_of(relation), index_of(cycle.source), index_of(cycle.target));
    }
}

// Throws if an entity inherits from the base, which is about to become final.
void check_no_instances(const stage& world, entity_t base) {
    storage::each_source(world.data, IsA, index_of(base), [&](entity_t source) -> bool {
        raise_entity_id(world, errc::constraint, source, make_pair(IsA, base),
                        "inherits from it, so it cannot become Final");
    });
}

// Throws if a pair of the relation has a value, which it would lose when the relation becomes a
// tag.
void check_no_values(const stage& world, entity_t relation) {
    const storage::store& data = world.data;
    storage::each_pair(data, index_of(relation), [&](entity_t source, std::uint32_t target) {
        id_t pair = make_pair(relation, target);
        if (traits::describe_id(data, pair).value_type) {
            raise_entity_id(world, errc::constraint, source, pair,
                            "has a value, so the relationship cannot become a tag");
        }
        return true;
    });
}

// Throws if a pair of the relation would need a value when the relation is no tag any more.
void check_no_typed_pairs(const stage& world, entity_t relation, const table& type_after) {
    const storage::store& data = world.data;
    const id_record* own = data.ids.find(relation);
    storage::each_pair(data, index_of(relation), [&](entity_t source, std::uint32_t target) {
        const id_record* other = data.ids.find(data.entities.alive_at(target));
        bool typed = (own && own->value_type) || (other && other->value_type);
        if (typed && stays(world, source, relation, target, type_after)) {
            raise_entity_id(world, errc::constraint, source, make_pair(relation, target),
                            "has no value, but would need one if the relationship were no tag");
        }
        return true;
    });
}

}  // namespace

void check_new_traits(const stage& world, entity_t element, std::uint32_t before,
                      std::uint32_t after, const table& type_after) {
    // Existing pairs can contradict only traits that are gained; the loss of Tag demands values.
    std::uint32_t gained = after & ~before;
    std::uint32_t lost = before & ~after;
    if (traits::is_symmetric(after) && after & traits::trait_no_cycles &&
        (traits::is_symmetric(gained) || gained & traits::trait_no_cycles)) {
        raise_id(world, errc::constraint, element,
                 "cannot be Symmetric and without cycles (Acyclic, Traversable, Transitive) at "
                 "once");
    }
    if (traits::is_exclusive(gained)) {
        check_one_target(world, element, type_after);
    }
    if (traits::is_symmetric(gained)) {
        check_inverse(world, element);
    }
    if (gained & traits::trait_no_cycles && !(before & traits::trait_no_cycles)) {
        check_whole_graph(world, element);
    }
    if (gained & traits::trait_final) {
        check_no_instances(world, element);
    }
    if (gained & traits::trait_tag) {
        check_no_values(world, element);
    }
    if (lost & traits::trait_tag) {
        check_no_typed_pairs(world, element, type_after);
    }
}

void check_new_with(const stage& world, entity_t element, entity_t implied) {
    const storage::store& data = world.data;
    // An enum is added with a constant, which the rule cannot name.
    const id_record* type = data.ids.find(implied);
    if (type && type->value_type && type->value_type->info.is_enum) {
        raise_about(world, errc::constraint, element, " cannot bring ", implied,
                    " along (With): an enum is there with a constant, and With names none");
    }
    auto check = [&](entity_t holder, id_t id, id_t needed) {
        if (!storage::owns_id(data, *data.entities.find(holder), holder, needed)) {
            raise_about(world, errc::constraint, "entity ", holder, " has ", id, " without ",
                        needed, ", so the two cannot be made to come together now");
        }
    };
    if (const id_record* plain = data.ids.find(element)) {
        for (const storage::table_entry& entry : plain->tables) {
            const detail::table_rows& rows = data.tables.rows(entry.table);
            for (std::uint32_t row = 0; row < rows.count; ++row) {
                check(storage::entities_of(data.tables.at(entry.table), rows)[row], element,
                      implied);
            }
        }
        for (std::uint32_t i = 0; plain->sparse && i < plain->sparse->count(); ++i) {
            check(plain->sparse->entity_at(i), element, implied);
        }
    }
    storage::each_pair(data, index_of(element), [&](entity_t source, std::uint32_t target) {
        check(source, make_pair(element, target), make_pair(implied, target));
        return true;
    });
}

namespace {

// The scope that OneOf will demand of targets, 0 if none: traits::scope_of_targets() for the table
// that the relation is about to have. A scope that is being deleted is left out.
entity_t scope_after(const storage::store& data, entity_t relation, const table& type_after) {
    const std::int32_t position = storage::find_id(type_after, make_pair(OneOf, Wildcard));
    if (position >= 0 && !is_pending_delete(data, pair_second(type_after.ids[position]))) {
        return data.entities.alive_at(pair_second(type_after.ids[position]));
    }
    return storage::find_id(type_after, OneOf) >= 0 ? relation : 0;
}

}  // namespace

void check_new_scope(const stage& world, entity_t relation, const table& type_after) {
    const storage::store& data = world.data;
    const entity_t scope =
        is_pending_delete(data, index_of(relation)) ? 0 : scope_after(data, relation, type_after);
    if (!scope || scope == traits::scope_of_targets(data, index_of(relation))) {
        return;
    }
    storage::each_pair(data, index_of(relation), [&](entity_t source, std::uint32_t target) {
        const bool counts = !is_pending_delete(data, index_of(source)) &&
                            !is_pending_delete(data, target) &&
                            stays(world, source, relation, target, type_after);
        if (counts && storage::parent_of(data, data.entities.alive_at(target)) != scope) {
            raise_entity_id(world, errc::constraint, source, make_pair(relation, target),
                            "the target is no child of the scope that OneOf is to demand");
        }
        return true;
    });
}

}  // namespace kith::mutate
