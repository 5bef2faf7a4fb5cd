// Recording and reversing the changes of loading a text.
#include "undo_log.hpp"

#include "diagnostics.hpp"
#include "entity_ids.hpp"
#include "implies.hpp"
#include "stable_partition.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

namespace kith::dsl {

namespace {

// Values of step::id that are no ids of facts.
constexpr id_t was_made = 0;
constexpr id_t has_change = 1;  // the id of Component, which no fact can add

bool contains(const std::vector<id_t>& sorted, id_t id) {
    return std::binary_search(sorted.begin(), sorted.end(), id);
}

std::vector<entity_t> children_of(const entity& parent) {
    std::vector<entity_t> children;
    parent.children([&](entity child) { children.push_back(child); });
    return children;
}

std::vector<entity_t> sources_of(const entity& target, entity_t relation) {
    std::vector<entity_t> sources;
    target.each_source(relation, [&](entity source) { sources.push_back(source); });
    return sources;
}

// Constraints that are removed for a while, because they would refuse the removal of an id.
class suspended_constraints {
public:
    // Removes the id from its owner and remembers it.
    void suspend(entity owner, id_t id) {
        if (owner.owns(id)) {
            constraints_.emplace_back(owner, id);
            owner.remove(id);
        }
    }
    // Removes the pairs (With, *) of an element, so that implied ids can be removed.
    void suspend_implications(const entity& element) {
        std::vector<id_t> implications;
        element.match(make_pair(With, Wildcard), [&](kith::id id) { implications.push_back(id); });
        for (const id_t id : implications) {
            suspend(element, id);
        }
    }
    // Removes the constraints (OneOf) that targets must be children of this parent.
    void suspend_scope(const entity& parent) {
        suspend(parent, OneOf);
        for (const entity_t relation : sources_of(parent, OneOf)) {
            suspend(entity(parent.c_world(), relation), make_pair(OneOf, parent));
        }
    }
    // Adds the constraints again.
    void restore() {
        for (auto& [owner, id] : constraints_) {
            owner.add(id);
        }
    }

private:
    std::vector<std::pair<entity, id_t>> constraints_;
};

}  // namespace

// -- values

void saved_value::release::operator()(void* value) const noexcept {
    if (info->destroy) {
        info->destroy(value, *info);
    }
    ::operator delete (value, std::align_val_t{info->alignment});
}

// The memory is released if the copy constructor throws.
saved_value::saved_value(const entity& owner, id_t id)
    : owner_(owner), id_(id), enabled_(owner.enabled(id)) {
    const type_info* info = detail::type_of(owner.c_world(), id);
    if (!info || info->size == 0) {
        return;
    }
    if (!info->can_copy()) {
        raise(errc::not_copyable, "the value of " +
                                      std::string(kith::id(owner.c_world(), id).str()) +
                                      " would be lost, and cannot be copied to keep it");
    }
    void* memory = ::operator new (info->size, std::align_val_t{info->alignment});
    const void* value = owner.get(id);
    struct guard {
        void* memory;
        const type_info* info;
        ~guard() {
            if (memory) {
                ::operator delete (memory, std::align_val_t{info->alignment});
            }
        }
    } failed{memory, info};
    if (info->trivial_copy) {
        std::memcpy(memory, value, info->size);
    } else {
        info->copy_construct(memory, value, *info);
    }
    failed.memory = nullptr;
    value_ = std::unique_ptr<void, release>(memory, release{info});
}

void saved_value::restore(const world& world) const {
    entity owner = world.entity(owner_);
    if (!owner.is_alive() || !owner.owns(id_)) {
        return;
    }
    if (value_) {
        owner.set_ptr(id_, value_.get_deleter().info->size, value_.get());
    }
    if (!enabled_) {
        owner.disable(id_);
    }
}

// -- recording

std::size_t undo_log::entities_made() const noexcept {
    return static_cast<std::size_t>(
        std::count_if(steps_.begin(), steps_.end(),
                      [](const step& undo_step) { return undo_step.id == was_made; }));
}

// Plain additions are logged as a step alone; others with the state of all entities they may
// change.
void undo_log::will_add(const entity& entity, id_t id) {
    if (!detail::has_effects(world_.c_ptr(), entity, id)) {
        steps_.push_back({entity, id});
        return;
    }
    change next;
    collect(next, entity, id);
    changes_.push_back(std::move(next));
    steps_.push_back({entity, has_change});
}

void undo_log::will_set(const entity& entity, id_t id) {
    change next;
    next.values.emplace_back(entity, id);
    changes_.push_back(std::move(next));
    steps_.push_back({entity, has_change});
}

void undo_log::remember(change& into, const entity& entity) const {
    if (into.known.insert(entity).second) {
        into.entities.push_back({entity, ids_of(entity)});
    }
}

// Records the entities that change when the entity gets the id, and the values that are lost.
void undo_log::collect(change& into, const entity& entity, id_t id) {
    remember(into, entity);
    std::vector<id_t> ids{id};  // bases that mark ids append these
    for (std::size_t i = 0; i < ids.size(); ++i) {
        std::vector<detail::id_effect> effects;
        detail::each_effect(
            world_.c_ptr(), entity, ids[i],
            [](const detail::id_effect& effect, void* list) {
                static_cast<std::vector<detail::id_effect>*>(list)->push_back(effect);
            },
            &effects);
        for (const detail::id_effect& effect : effects) {
            collect_effect(into, effect, ids);
        }
    }
}

void undo_log::collect_effect(change& into, const detail::id_effect& effect,
                              std::vector<id_t>& ids) {
    const entity holder = alive(effect.entity);
    remember(into, holder);
    if (!effect.gained) {
        into.values.emplace_back(holder, effect.id);
        if (effect.sparse && is_pair(effect.id)) {
            remember_order(effect.id);
        }
        return;
    }
    const entity target = is_pair(effect.id) ? alive(pair_second(effect.id)) : entity();
    const entity_t relation = target ? pair_first(effect.id) : 0;
    if (relation == IsA) {
        collect_instance(into, holder, target, ids);
    }
    if (relation == ChildOf && target.owns(Prefab)) {
        // A child of a prefab becomes a prefab, together with its own descendants.
        for (const auto [depth, part] : holder.traverse(ChildOf)) {
            remember(into, part);
        }
    }
}

// An instance gets copies of the base's children, pairs of slots, and the ids that its bases mark
// with Override.
void undo_log::collect_instance(change& into, const entity& entity, const kith::entity& base,
                                std::vector<id_t>& ids) {
    into.instance = true;
    into.children = children_of(entity);
    std::vector<entity_t> bases{base};
    for (std::size_t i = 0; i < bases.size(); ++i) {
        alive(bases[i]).each([&](kith::id marked) {
            const id_t id = marked & ~Override;
            if ((marked & Override) != 0 && std::find(ids.begin(), ids.end(), id) == ids.end()) {
                ids.push_back(id);
            }
        });
        alive(bases[i]).each(entity_view(IsA), [&](kith::entity next) {
            if (std::find(bases.begin(), bases.end(), next.id()) == bases.end()) {
                bases.push_back(next);
            }
        });
    }
    if (base.owns(Prefab)) {
        for (const auto [depth, part] : base.traverse(ChildOf)) {
            collect_part(into, part);
        }
    }
}

// A slot may become exclusive. Copies get the inverse pairs of the symmetric pairs that their
// originals have.
void undo_log::collect_part(change& into, const entity& part) {
    if (part.owns(SlotOf, Wildcard)) {
        remember(into, part);
    }
    part.each([&](kith::id id) {
        if (!id.is_pair()) {
            return;
        }
        const entity relation = id.first();
        if (relation.owns(SlotOf, Wildcard)) {
            remember(into, relation);
        }
        if (relation.owns(Symmetric)) {
            const entity target = id.second();
            remember(into, target);
            target.match(make_pair(relation, Wildcard), [&](kith::id pair) {
                into.values.emplace_back(target, pair);
                if (relation.owns(Sparse)) {
                    remember_order(pair);
                }
            });
        }
    });
}

// Records the sources of a sparse pair, whose order is visible to programs.
void undo_log::remember_order(id_t pair) {
    if (ordered_.insert(pair).second) {
        orders_.push_back({pair, sources_of(alive(pair_second(pair)), alive(pair_first(pair)))});
    }
}

// -- rolling back

// Steps are reversed from the last to the first; the order of sources is restored at the end.
void undo_log::roll_back() {
    while (!steps_.empty()) {
        const step last = steps_.back();
        entity subject = world_.entity(last.entity);
        if (last.id == has_change) {
            undo(changes_.back(), last.entity);
            changes_.pop_back();
        } else if (!subject.is_alive()) {
            // A cleanup policy has deleted the entity already.
        } else if (last.id == was_made) {
            subject.destruct();
        } else {
            subject.remove(last.id);
        }
        steps_.pop_back();
    }
    for (const order& before : orders_) {
        restore_order(before);
    }
    orders_.clear();
    ordered_.clear();
    detail::restore_next_ids(world_, next_ids_);
}

// Restores the ids of the recorded entities in three passes: adding a lost pair of an exclusive
// relationship removes its replacement, which requires that ids which need the replacement are
// removed before.
void undo_log::undo(const change& done, entity_t subject) {
    for (const ids_before& before : done.entities) {
        remove_free(before);
    }
    for (const ids_before& before : done.entities) {
        add_lost(before);
    }
    for (const ids_before& before : done.entities) {
        remove_gained(before);
    }
    for (const saved_value& value : done.values) {
        value.restore(world_);
    }
    if (done.instance && world_.is_alive(subject)) {
        delete_copies(world_.entity(subject), done.children);
    }
}

// The ids that the entity has now and did not have before.
std::vector<id_t> undo_log::gained_by(const ids_before& before) const {
    std::vector<id_t> gained;
    if (world_.is_alive(before.entity)) {
        world_.entity(before.entity).each([&](kith::id id) {
            if (!contains(before.ids, id)) {
                gained.push_back(id);
            }
        });
    }
    return gained;
}

// Removes the gained ids, except for pairs that replaced another pair.
void undo_log::remove_free(const ids_before& before) const {
    std::vector<id_t> gained = gained_by(before);
    if (gained.empty()) {
        return;
    }
    entity subject = world_.entity(before.entity);
    std::erase_if(gained, [&](id_t id) {
        return is_pair(id) && std::any_of(before.ids.begin(), before.ids.end(), [&](id_t old) {
                   return is_pair(old) && pair_first(old) == pair_first(id) && !subject.owns(old);
               });
    });
    remove_in_order(subject, gained);
}

// Adds the lost ids, holders before their implied ids: a holder and its implied ids replace the
// later pairs in one step.
void undo_log::add_lost(const ids_before& before) const {
    entity subject = world_.entity(before.entity);
    if (!subject.is_alive()) {
        return;
    }
    std::vector<id_t> lost;
    std::copy_if(before.ids.begin(), before.ids.end(), std::back_inserter(lost),
                 [&](id_t id) { return !subject.owns(id); });
    const auto is_not_implied = [&](id_t id) {
        return std::none_of(before.ids.begin(), before.ids.end(),
                            [&](id_t holder) { return implies(world_, holder, id); });
    };
    for (const id_t id : stable_partitioned(lost, is_not_implied)) {
        if (!subject.owns(id)) {
            subject.add(id);
        }
    }
}

// Removes the gained ids that are left.
void undo_log::remove_gained(const ids_before& before) const {
    std::vector<id_t> gained = gained_by(before);
    if (gained.empty()) {
        return;
    }
    entity subject = world_.entity(before.entity);
    remove_in_order(subject, gained);
    // The remaining ids imply each other: the constraints are removed meanwhile.
    suspended_constraints suspended;
    for (const id_t id : gained) {
        suspended.suspend_implications(alive(is_pair(id) ? pair_first(id) : id));
    }
    for (const id_t id : gained) {
        subject.remove(id);
    }
    suspended.restore();
}

// Removes ids in an order that With permits: holders before the ids that they imply. Ids that
// cannot be removed stay in the list.
void undo_log::remove_in_order(entity subject, std::vector<id_t>& ids) const {
    const auto is_needed = [&](id_t id) {
        const std::vector<id_t> all = ids_of(subject);
        return std::any_of(all.begin(), all.end(),
                           [&](id_t holder) { return implies(world_, holder, id); });
    };
    for (bool removed = true; removed;) {
        removed = false;
        for (std::size_t i = 0; i < ids.size();) {
            if (is_needed(ids[i])) {
                ++i;
                continue;
            }
            subject.remove(ids[i]);
            ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(i));
            removed = true;
        }
    }
}

// Deletes the children that the entity got as an instance, with their descendants.
void undo_log::delete_copies(const entity& instance, const std::vector<entity_t>& children) const {
    const std::unordered_set<entity_t> former(children.begin(), children.end());
    std::vector<entity_t> copies;
    instance.children([&](entity child) {
        if (!former.contains(child)) {
            copies.push_back(child);
        }
    });
    for (std::size_t i = 0; i < copies.size(); ++i) {
        world_.entity(copies[i]).children([&](entity child) { copies.push_back(child); });
    }
    for (std::size_t i = copies.size(); i-- > 0;) {
        if (world_.is_alive(copies[i])) {
            world_.entity(copies[i]).destruct();
        }
    }
}

// A source whose pair was removed and added again is the last one now. The sources behind the first
// difference are removed and added again, in the former order.
void undo_log::restore_order(const order& before) const {
    const entity relation = alive(pair_first(before.pair));
    const entity target = alive(pair_second(before.pair));
    if (!relation || !target) {
        return;
    }
    std::vector<entity_t> former;
    for (const entity_t source : before.sources) {
        if (world_.is_alive(source) && world_.entity(source).owns(before.pair)) {
            former.push_back(source);
        }
    }
    const std::vector<entity_t> present = sources_of(target, relation);
    const auto differs =
        std::mismatch(former.begin(), former.end(), present.begin(), present.end());
    if (differs.first == former.end()) {
        return;
    }
    link_again({differs.first, former.end()}, before.pair);
}

// Removes the pair from the sources and adds it again, in their order, with its values.
void undo_log::link_again(const std::vector<entity_t>& sources, id_t pair) const {
    const bool children = pair_first(pair) == ChildOf;
    suspended_constraints suspended;
    if (children) {
        suspended.suspend_scope(alive(pair_second(pair)));
    }
    for (const entity_t source : sources) {
        for (const id_t holder : ids_of(world_.entity(source))) {
            if (implies(world_, holder, pair)) {
                suspended.suspend_implications(alive(pair_first(holder)));
            }
        }
    }
    // Children are moved through a temporary parent, below which their names are free.
    entity temporary = children ? world_.entity() : entity();
    for (const entity_t id : sources) {
        entity source = world_.entity(id);
        const saved_value value(source, pair);
        if (children) {
            source.child_of(temporary);
        } else {
            source.remove(pair);
        }
        source.add(pair);
        value.restore(world_);
    }
    if (children) {
        temporary.destruct();
    }
    suspended.restore();
}

}  // namespace kith::dsl
