#include "observe/sight.hpp"

#include "base/hash.hpp"
#include "mutate/transition.hpp"
#include "query/exec/search.hpp"
#include "storage/graph.hpp"
#include "traits/inherit.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::observe {

using containers::purpose;
using queries::term;
using storage::table;

sight::sight(const mutate::stage& owner, const events::occurrence& what) noexcept
    : data_(owner.data),
      mem_(const_cast<containers::memory&>(owner.data.mem)),
      what_(what),
      has_id_(what.event == events::after_remove) {
    if (const mutate::change_side* side = owner.other_side; side && side->entity == what.entity) {
        type_ = side->type;
        instead_ = side->instead;
        beside_ = side->beside;
    }
    if (what.event == OnRemove || what.event == UnSet) {
        gone_ = owner.leaving;
    }
}

bool sight::differs(id_t id) const noexcept {
    return id == what_.id || id == instead_ || (beside_ && beside_->changes(id));
}

bool sight::owns_changed(id_t pattern) const {
    if (matches_id(pattern, what_.id) && has_id_) {
        return true;
    }
    if (instead_ != 0 && matches_id(pattern, instead_) && !has_id_) {
        return true;
    }
    if (type_ && storage::find_match(*type_, pattern, 0) >= 0) {
        return true;
    }
    if (type_ && type_->number == storage::limbo_table) {
        return false;
    }
    // Beside the table, and in it if that stays.
    const queries::place where = queries::place_of(data_, what_.entity);
    queries::own_position position;
    queries::found_id found;
    while (queries::next_own(data_, where, pattern, queries::offer::own, position, found)) {
        const bool in_table = storage::find_id(*where.table, found.id) >= 0;
        if (!differs(found.id) && !(type_ && in_table)) {
            return true;
        }
    }
    return false;
}

bool sight::owns(entity_t entity, id_t pattern) const {
    if (is_changed(entity)) {
        return owns_changed(pattern);
    }
    return entity != gone_ &&
           queries::owns_any(data_, queries::place_of(data_, entity), pattern, queries::offer::own);
}

template <class Visit>
void sight::each_changed_target(std::uint32_t relation, Visit&& visit) const {
    auto visit_index = [&](std::uint32_t target) {
        if (entity_t alive = data_.entities.alive_at(target)) {
            visit(alive);
        }
    };
    const bool beside = storage::find_links(data_, relation) != nullptr;
    if (type_ && type_->number == storage::limbo_table) {
        return;
    }
    if (type_ && !beside) {
        const id_t any = make_pair(relation, Wildcard);
        for (std::int32_t at = storage::find_match(*type_, any, 0); at >= 0;
             at = storage::find_match(*type_, any, at + 1)) {
            visit_index(pair_second(type_->ids[at]));
        }
        return;
    }
    auto is_of_relation = [&](id_t id) { return is_pair(id) && pair_first(id) == relation; };
    if (const id_t there = has_id_ ? what_.id : instead_; is_of_relation(there)) {
        visit_index(pair_second(there));
    }
    storage::each_target(data_, what_.entity, relation, [&](std::uint32_t target) {
        if (!differs(make_pair(relation, target))) {
            visit_index(target);
        }
        return true;
    });
}

template <class Visit>
void sight::each_target(entity_t entity, std::uint32_t relation, Visit&& visit) const {
    if (is_changed(entity)) {
        each_changed_target(relation, visit);
    } else if (entity != gone_) {
        storage::each_target(data_, entity, relation, [&](std::uint32_t target) {
            visit(data_.entities.alive_at(target));
            return true;
        });
    }
}

template <class Visit>
void sight::each_source(entity_t entity, std::uint32_t relation, Visit&& visit) const {
    storage::each_source(data_, relation, index_of(entity), [&](entity_t source) {
        if (!is_changed(source) && source != gone_) {
            visit(source);
        }
        return true;
    });
    each_changed_target(relation, [&](entity_t target) {
        if (target == entity) {
            visit(what_.entity);
        }
    });
}

// Entities that are still to be looked at, and those that were.
struct sight::search {
    struct visit {
        entity_t entity;
        std::uint32_t level;
    };

    explicit search(containers::memory& memory) noexcept
        : mem(memory), pending(memory, purpose::commands) {}
    ~search() {
        seen.release(mem, purpose::commands);
        index.release(mem, purpose::commands);
    }
    search(const search&) = delete;
    search& operator=(const search&) = delete;

    // Where ways have not parted, they do not meet again.
    bool is_new(const visit& one, bool by_level) {
        if (!parted) {
            return true;
        }
        const std::uint64_t hash = base::mix(base::combine(one.entity, by_level ? one.level : 0));
        const std::uint32_t known = index.find(hash, [&](std::uint32_t number) {
            const visit& other = seen[number - 1];
            return other.entity == one.entity && (!by_level || other.level == one.level);
        });
        if (known == 0) {
            index.reserve_one(mem, purpose::commands);
            seen.push(mem, one, purpose::commands);
            index.insert_reserved(hash, seen.size());
        }
        return known == 0;
    }

    containers::memory& mem;
    containers::small_vec<visit, 16> pending;
    containers::vec<visit> seen;
    containers::flat_index index;
    bool parted = false;
};

sight::~sight() {
    known_.release(mem_, purpose::commands);
    known_index_.release(mem_, purpose::commands);
}

const sight::answer* sight::find_answer(entity_t entity, id_t id) const noexcept {
    const std::uint32_t number = known_index_.find(base::mix(entity), [&](std::uint32_t at) {
        return known_[at - 1].entity == entity && known_[at - 1].id == id;
    });
    return number != 0 ? &known_[number - 1] : nullptr;
}

void sight::remember(const answer& found) {
    if (!find_answer(found.entity, found.id)) {
        known_index_.reserve_one(mem_, purpose::commands);
        known_.push(mem_, found, purpose::commands);
        known_index_.insert_reserved(base::mix(found.entity), known_.size());
    }
}

entity_t sight::find_owner(entity_t from, const term& asked, id_t id) {
    // The nearest one that has a match decides; also for exclusive pairs, which hide others.
    const bool exclusive = is_pair(id) && asked.inherits() &&
                           traits::describe_id(data_, id).traits & traits::trait_exclusive;
    const bool open = is_wildcard(asked.id) && matches_id(asked.id, id);
    const id_t pattern = exclusive ? make_pair(pair_first(id), Wildcard) : open ? asked.id : id;
    const bool self = owns(from, pattern);
    if (self && (asked.flags & Self || exclusive)) {
        return asked.flags & Self && owns(from, id) ? from : 0;
    }
    if (!asked.follows() || !queries::is_inheritable(data_, id)) {
        return 0;
    }
    const bool plain = pattern == id && asked.follows_up() && !asked.is_limited();
    const entity_t found = find_further(from, asked, id, pattern, plain);
    if (plain) {
        remember({from, id, self ? from : found});
    }
    return found;
}

// Upward depth first, as queries do; downward level by level.
entity_t sight::find_further(entity_t from, const term& asked, id_t id, id_t pattern, bool plain) {
    search ways(mem_);
    const bool up = asked.follows_up();
    auto open = [&](const search::visit& at) {
        const std::uint32_t first = ways.pending.size();
        auto add = [&](entity_t next) { ways.pending.push({next, at.level + 1}); };
        if (at.level >= asked.max_depth) {
            return;
        }
        if (up) {
            each_target(at.entity, asked.trav, add);
            std::reverse(ways.pending.begin() + first, ways.pending.end());
        } else {
            each_source(at.entity, asked.trav, add);
        }
        ways.parted |= ways.pending.size() > 1;
    };
    open({from, 0});
    for (std::uint32_t next = 0; up ? !ways.pending.empty() : next < ways.pending.size();) {
        const search::visit at = up ? ways.pending.back() : ways.pending[next++];
        if (up) {
            ways.pending.pop();
        }
        if (!ways.is_new(at, asked.is_limited())) {
            continue;
        }
        if (const answer* known = plain ? find_answer(at.entity, id) : nullptr) {
            if (known->owner != 0) {
                return known->owner;
            }
            continue;
        }
        if (at.level >= asked.min_depth && owns(at.entity, pattern)) {
            return owns(at.entity, id) ? at.entity : 0;
        }
        if (at.level >= asked.min_depth && asked.trav != IsA) {
            const storage::entity_record& record = *data_.entities.find(at.entity);
            if (entity_t base = traits::find_base(data_, record, at.entity, id)) {
                return base;
            }
        }
        open(at);
    }
    return 0;
}

}  // namespace kith::observe
