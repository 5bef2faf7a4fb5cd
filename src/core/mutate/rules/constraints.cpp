// Implements constraints.hpp. Searches along relationships run from both ends, so that their cost
// follows the smaller side.
#include "mutate/rules/constraints.hpp"

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "mutate/rules/change_set.hpp"
#include "mutate/rules/prefabs.hpp"
#include "mutate/rules/referrers.hpp"
#include "mutate/rules/sibling_names.hpp"
#include "names/id_text.hpp"
#include "storage/graph.hpp"
#include "traits/implications.hpp"
#include "traits/inherit.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::table;

namespace {

// The visited entities of a breadth-first search, and the queue of those to expand. `once`:
// entities may be reached on several paths, so a hash of the visited ones is kept; an exclusive
// relationship has one path between two entities, and needs no hash.
class frontier {
public:
    frontier(const stage& world, std::uint32_t start, bool once) : frontier(world.data.mem, once) {
        // The object is complete after delegation: if there is no memory for the start, the
        // destructor runs.
        add(start);
    }
    ~frontier() {
        queue_.release(mem_, purpose::commands);
        seen_.release(mem_, purpose::commands);
    }
    frontier(const frontier&) = delete;
    frontier& operator=(const frontier&) = delete;

    bool empty() const noexcept { return next_ == queue_.size(); }
    std::uint32_t take() noexcept {
        KITH_ASSERT(!empty(), "an entity is left to expand");
        return queue_[next_++];
    }
    // Appends an entity to the queue, unless it was visited.
    void add(std::uint32_t index) {
        if (once_) {
            std::uint64_t hash = base::mix(index);
            if (seen_.find(hash, [&](std::uint32_t visited) { return visited == index; })) {
                return;
            }
            seen_.reserve_one(mem_, purpose::commands);
            queue_.reserve_extra(mem_, 1, purpose::commands);
            seen_.insert_reserved(hash, index);
        }
        queue_.push(mem_, index, purpose::commands);
    }

private:
    frontier(containers::memory& mem, bool once) noexcept : mem_(mem), once_(once) {}

    containers::memory& mem_;
    bool once_;
    std::uint32_t next_ = 0;
    containers::vec<std::uint32_t> queue_;
    containers::hash_index seen_;
};

// Iterates the neighbours of an entity along a relation: its targets (up) or its sources (down).
class neighbours {
public:
    neighbours(const storage::store& data, std::uint32_t relation, bool up) noexcept
        : data_(data), links_(storage::find_links(data, relation)), relation_(relation), up_(up) {}

    void start(std::uint32_t index) noexcept {
        index_ = index;
        position_ = row_ = 0;
    }
    // The next neighbour, 0 at the end.
    std::uint32_t next() noexcept {
        if (index_ == 0) {
            return 0;
        }
        std::uint32_t neighbour = links_ ? next_link() : up_ ? next_target() : next_source();
        index_ = neighbour ? index_ : 0;
        return neighbour;
    }

private:
    std::uint32_t next_link() noexcept {
        if (up_) {
            return position_ < links_->target_count(index_) ? links_->target_at(index_, position_++)
                                                            : 0;
        }
        storage::source_span sources = links_->sources(index_);
        while (position_ < sources.size && sources.items[position_] == 0) {
            ++position_;
        }
        return position_ < sources.size ? index_of(sources.items[position_++]) : 0;
    }
    std::uint32_t next_target() noexcept {
        const table& type = data_.tables.at(data_.entities.at(index_).table);
        std::int32_t position = storage::find_match(type, make_pair(relation_, Wildcard),
                                                    static_cast<std::int32_t>(position_));
        position_ = static_cast<std::uint32_t>(position + 1);
        return position < 0 ? 0 : pair_second(type.ids[position]);
    }
    std::uint32_t next_source() noexcept {
        const id_record* pair = data_.ids.find(make_pair(relation_, index_));
        for (; pair && position_ < pair->tables.size(); ++position_, row_ = 0) {
            const detail::table_rows& rows = data_.tables.rows(pair->tables[position_].table);
            if (row_ < rows.count) {
                const table& type = data_.tables.at(pair->tables[position_].table);
                return index_of(storage::entities_of(type, rows)[row_++]);
            }
        }
        return 0;
    }

    const storage::store& data_;
    const storage::link_store* links_;
    std::uint32_t relation_;
    bool up_;
    std::uint32_t index_ = 0;
    std::uint32_t position_ = 0;
    std::uint32_t row_ = 0;
};

// One side of a search: step() goes along one edge at a time.
class search_side {
public:
    search_side(const stage& world, std::uint32_t relation, bool once, bool up, std::uint32_t from)
        : visited_(world, from, once), edges_(world.data, relation, up) {}

    // The entity at the end of the next edge, 0 if no edge is left.
    std::uint32_t step() {
        std::uint32_t neighbour = edges_.next();
        while (neighbour == 0 && !visited_.empty()) {
            edges_.start(visited_.take());
            neighbour = edges_.next();
        }
        if (neighbour != 0) {
            visited_.add(neighbour);
        }
        return neighbour;
    }

private:
    frontier visited_;
    neighbours edges_;
};

// True if `to` can be reached from `from` along the relation. The search alternates between both
// ends, edge by edge, so that the work is proportional to the smaller side.
bool is_reachable(const stage& world, std::uint32_t relation, bool exclusive, std::uint32_t from,
                  std::uint32_t to) {
    search_side up(world, relation, !exclusive, true, from);
    search_side down(world, relation, !exclusive, false, to);
    for (;;) {
        std::uint32_t above = up.step();
        if (above == 0 || above == to) {
            return above == to;
        }
        std::uint32_t below = down.step();
        if (below == 0 || below == from) {
            return below == from;
        }
    }
}

// The steps of a walk along a relation, for error messages: each visited entity, and the step that
// it was reached from.
class trail {
public:
    explicit trail(const stage& world) : world_(world) {}
    ~trail() {
        steps_.release(world_.data.mem, purpose::commands);
        seen_.release(world_.data.mem, purpose::commands);
    }
    trail(const trail&) = delete;
    trail& operator=(const trail&) = delete;

    // Walks from `from` until `to` is visited. Returns the step of `to`. Requires: `to` is
    // reachable.
    std::uint32_t find(std::uint32_t relation, std::uint32_t from, std::uint32_t to) {
        add(from, no_step);
        std::uint32_t last = no_step;
        for (std::uint32_t position = 0; last == no_step; ++position) {
            storage::each_target(world_.data, world_.data.entities.alive_at(steps_[position].index),
                                 relation, [&](std::uint32_t target) {
                                     add(target, position);
                                     if (target == to) {
                                         last = steps_.size() - 1;
                                     }
                                     return last == no_step;
                                 });
        }
        return last;
    }
    // Appends "A → B → C". A path may have a million steps, so only its ends are shown.
    void describe(std::uint32_t last, base::text& message) {
        containers::vec<std::uint32_t> path;
        struct guard {
            containers::vec<std::uint32_t>& path;
            containers::memory& mem;
            ~guard() { path.release(mem, purpose::commands); }
        } release{path, world_.data.mem};
        for (std::uint32_t position = last; position != no_step; position = steps_[position].from) {
            path.push(world_.data.mem, steps_[position].index, purpose::commands);
        }
        constexpr std::uint32_t shown = 3;
        for (std::uint32_t i = path.size(); i-- > 0;) {
            if (path.size() - 1 - i >= shown && i >= shown) {
                message << "… → ";
                i = shown;
                continue;
            }
            names::describe_id(world_.data, world_.data.entities.alive_at(path[i]), message);
            message << (i == 0 ? "" : " → ");
        }
    }

private:
    static constexpr std::uint32_t no_step = 0xFFFFFFFFu;
    struct step {
        std::uint32_t index;
        std::uint32_t from;
    };

    void add(std::uint32_t index, std::uint32_t from) {
        std::uint64_t hash = base::mix(index);
        if (seen_.find(hash, [&](std::uint32_t visited) { return visited == index; })) {
            return;
        }
        seen_.reserve_one(world_.data.mem, purpose::commands);
        steps_.push(world_.data.mem, {index, from}, purpose::commands);
        seen_.insert_reserved(hash, index);
    }

    const stage& world_;
    containers::vec<step> steps_;
    containers::hash_index seen_;
};

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
        trail path(world);
        path.describe(path.find(relation, target, source), message);
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
    if (is_reachable(world, relation, traits::has_one_target(pair), target, source)) {
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
    // A prefab that contains an instance of itself would have no end.
    if (is_prefab(world.data, base)) {
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

// Throws if the relation has a cycle: it is about to become acyclic. A depth-first search over all
// sources: an entity that is reached while it is open closes a cycle. Work and memory are linear in
// the number of pairs.
void check_whole_graph(const stage& world, entity_t relation) {
    storage::store& data = world.data;
    struct mark {
        std::uint32_t index;
        bool open;
    };
    containers::vec<mark> marks;
    containers::vec<std::uint32_t> pending;
    containers::hash_index seen;
    struct guard {
        containers::memory& mem;
        containers::vec<mark>& marks;
        containers::vec<std::uint32_t>& pending;
        containers::hash_index& seen;
        ~guard() {
            marks.release(mem, purpose::commands);
            pending.release(mem, purpose::commands);
            seen.release(mem, purpose::commands);
        }
    } release{data.mem, marks, pending, seen};
    // The number of the entity's mark, plus one.
    auto find = [&](std::uint32_t index) {
        return seen.find(base::mix(index),
                         [&](std::uint32_t number) { return marks[number - 1].index == index; });
    };
    storage::each_pair(data, index_of(relation), [&](entity_t root, std::uint32_t) {
        pending.push(data.mem, index_of(root), purpose::commands);
        while (!pending.empty()) {
            std::uint32_t index = pending.back();
            if (std::uint32_t number = find(index)) {
                marks[number - 1].open = false;
                pending.pop();
                continue;
            }
            seen.reserve_one(data.mem, purpose::commands);
            marks.push(data.mem, {index, true}, purpose::commands);
            seen.insert_reserved(base::mix(index), marks.size());
            storage::each_target(data, data.entities.alive_at(index), index_of(relation),
                                 [&](std::uint32_t target) {
                                     std::uint32_t number = find(target);
                                     if (number && marks[number - 1].open) {
                                         raise_cycle(world, index_of(relation), index, target);
                                     }
                                     if (!number) {
                                         pending.push(data.mem, target, purpose::commands);
                                     }
                                     return true;
                                 });
        }
        return true;
    });
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
