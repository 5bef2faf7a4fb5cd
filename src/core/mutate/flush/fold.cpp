// Implements fold.hpp. The class fold computes the outcome of each affected id, command by command,
// and then makes one move with all changes.
#include "mutate/flush/fold.hpp"

#include "base/assert.hpp"
#include "base/counters.hpp"
#include "base/hash.hpp"
#include "base/scope_exit.hpp"
#include "containers/hash_index.hpp"
#include "containers/id_map.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/commit/archetype_move.hpp"
#include "mutate/commit/first_row.hpp"
#include "mutate/commit/inverses.hpp"
#include "mutate/commit/sparse_ops.hpp"
#include "mutate/context/command.hpp"
#include "mutate/context/error_log.hpp"
#include "mutate/context/wide_tables.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/notify/validate.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/toggle.hpp"
#include "mutate/rules/constraints.hpp"
#include "mutate/rules/destination.hpp"
#include "mutate/rules/prefabs.hpp"
#include "mutate/rules/referrers.hpp"
#include "mutate/rules/sibling_names.hpp"
#include "traits/implications.hpp"

#include <algorithm>
#include <utility>

namespace kith::mutate {

using containers::purpose;
using storage::id_info;
using storage::id_record;
using storage::table;

namespace {

// Folds a chain: apply() computes what becomes of each affected id, move() makes one change of the
// row and the sparse ids, write() assigns values of ids that were there before.
//
// Invariants
// 1. `affected_` lists each affected id once.
// 2. With more than `few` entries, `by_id_` finds each of them, and `by_element_` with `earlier_of`
//    links the pairs of each relationship and target.
// 3. Nothing of the world changes before move().
class fold final : sparse_delta {
public:
    fold(stage& world, const command& head, error_log& errors)
        : world_(world),
          head_(head),
          errors_(errors),
          entity_(head.entity),
          record_(get_record(world, head.entity)) {}
    ~fold() { by_id_.release(world_.data.mem, purpose::commands); }
    fold(const fold&) = delete;
    fold& operator=(const fold&) = delete;

    // Adds the effect of a command to the outcomes. Throws if the command fails; it has no effect
    // then.
    void apply(command& queued) {
        is_barrier_ = queued.is_barrier;
        if (!pair_is_current(world_, queued)) {
            if (queued.kind == command_kind::remove) {
                return;  // the pair was removed with its element
            }
            raise_other_element(queued.kind, queued.id);
        }
        switch (queued.kind) {
            case command_kind::add:
                gain(prepare_id(world_, queued.id, queued.entity));
                break;
            case command_kind::remove:
                lose(queued.id);
                break;
            case command_kind::set:
            case command_kind::emplace:
            case command_kind::ensure:
                gain_value(queued);
                break;
            case command_kind::modified:
                if (!has(queued.id)) {
                    raise_entity_id(world_, errc::missing_component, entity_, queued.id,
                                    "is not there, so it was not modified");
                }
                affect(queued.id).notify = true;
                break;
            case command_kind::clear:
                lose_all();
                break;
            default:
                break;
        }
    }

    // True if the commands must run one by one: dependents see each step, an implied pair is
    // symmetric, or a refused command has left ids behind.
    bool needs_each_step() const noexcept { return reaches_others_ || is_partial_; }
    // False if a move() that threw has changed nothing; otherwise only a hook has failed.
    bool has_moved() const noexcept { return changed_sparse_ || record_.table != table_before_; }

    // Makes the change: one move of the row, with queued values and sparse ids.
    void move() {
        ensure_row(world_, entity_, record_);
        table_before_ = record_.table;
        id_buffer added(world_.data.mem, purpose::commands);
        id_buffer removed(world_.data.mem, purpose::commands);
        containers::small_vec<initial_value, 16> initial(world_.data.mem, purpose::commands);
        containers::small_vec<detail::value_source, 16> sources(world_.data.mem, purpose::commands);
        containers::small_vec<move_context, 16> contexts(world_.data.mem, purpose::commands);
        sources.reserve(affected_.size());
        contexts.reserve(affected_.size());
        for (id_effect& effect : affected_) {
            if (is_sparse(effect.id) || effect.had == effect.has) {
                continue;
            }
            (effect.has ? added : removed).push(effect.id.id);
            if (effect.has && effect.value) {
                contexts.push({effect.value->type, effect.value->value()});
                sources.push(moving_source(contexts.back()));
                initial.push({effect.id.id, &sources.back(), true});
                effect.placed = true;
            }
        }
        for (id_t id : removed) {
            check_removable(world_, entity_, id);
        }
        bool sparse_change = check_sparse();
        if (const id_effect* name = find(detail::name_pair); name && name->has && name->value) {
            commit_queued_name(world_, parent_after(), *name->value);
        }
        if (!added.empty() || !removed.empty()) {
            table& to = table_after(world_, world_.data.tables.at(record_.table), added.data(),
                                    added.size(), removed.data(), removed.size());
            for (id_t id : added) {
                warn_of_targets(world_, to, id);
            }
            move_entity(world_, entity_, record_, to, initial.data(), initial.size(),
                        sparse_change ? this : nullptr);
        } else if (sparse_change) {
            change_sparse(world_, entity_, *this);
        }
    }

    // Assigns values to ids that were there before the chain, then notifies of set values.
    void write() {
        for (id_effect& effect : affected_) {
            attempt(effect, [&] { write_one(effect); });
        }
        for (id_effect& effect : affected_) {
            if (effect.notify && effect.has) {
                attempt(effect, [&] {
                    dispatch_set(world_, entity_, effect.id,
                                 find_own_value(world_, entity_, record_, effect.id.id, 0));
                });
            }
        }
    }

private:
    // What becomes of one id.
    struct id_effect {
        id_info id;
        command* value;  // command with the last value, null: none
        bool had;        // before the chain
        bool has;        // after the commands applied so far
        bool reset;      // was removed in between: a default value replaces the old one
        bool notify;     // OnSet is to be dispatched
        bool placed;     // the value was moved to its place by move()
        bool stepwise;   // changed by a barrier
        // Of pairs: the previous entries with the same relationship and target, by position plus
        // one.
        std::uint32_t earlier_of[2] = {};
    };

    // Runs an action whose error belongs to the command of the value.
    template <class Action>
    bool attempt(const id_effect& effect, Action&& action) {
        return errors_.attempt(effect.value ? *effect.value : head_, action);
    }
    // -- sparse_delta: the sparse ids that change with the move
    template <class Visit>
    void each_sparse_change(bool added, Visit&& visit) {
        for (id_effect& effect : affected_) {
            if (is_sparse(effect.id) && effect.had != effect.has && effect.has == added) {
                visit(effect);
            }
        }
    }
    bool changes(id_t id) const noexcept override {
        const id_effect* effect = find(id);
        return effect && is_sparse(effect->id) && effect->had != effect->has;
    }
    void notify_before_remove() override {
        each_sparse_change(
            false, [&](id_effect& effect) { notify_before_erase(world_, entity_, effect.id); });
        each_sparse_change(
            true, [&](id_effect& effect) { notify_before_insert(world_, entity_, effect.id); });
    }
    void change() override {
        changed_sparse_ = true;
        each_sparse_change(false,
                           [&](id_effect& effect) { erase_sparse(world_, entity_, effect.id); });
        each_sparse_change(
            true, [&](id_effect& effect) { effect.has = attempt(effect, [&] { put(effect); }); });
    }
    // Inserts a sparse id with its queued value.
    void put(id_effect& effect) {
        if (effect.value) {
            move_context context{effect.value->type, effect.value->value()};
            detail::value_source source = moving_source(context);
            insert_sparse(world_, entity_, effect.id, &source);
        } else {
            insert_sparse(world_, entity_, effect.id, nullptr);
        }
        effect.placed = true;
    }
    void notify_removed() override {
        each_sparse_change(
            false, [&](id_effect& effect) { notify_after_erase(world_, entity_, effect.id); });
    }
    void notify_added() override {
        each_sparse_change(
            true, [&](id_effect& effect) { notify_after_insert(world_, entity_, effect.id); });
    }

    // True if the entity had the id before the chain.
    bool had(id_t id) const noexcept { return storage::owns_id(world_.data, record_, entity_, id); }
    // The outcome of the id, null if no command has affected it.
    const id_effect* find(id_t id) const noexcept {
        if (affected_.size() > few) {
            const std::uint32_t number = by_id_.find(base::mix(id), [&](std::uint32_t position) {
                KITH_COUNT(folded);
                return affected_[position - 1].id.id == id;
            });
            return number ? &affected_[number - 1] : nullptr;
        }
        const id_effect* match =
            std::find_if(affected_.begin(), affected_.end(), [&](const id_effect& effect) {
                KITH_COUNT(folded);
                return effect.id.id == id;
            });
        return match != affected_.end() ? match : nullptr;
    }
    id_effect* find(id_t id) noexcept {
        return const_cast<id_effect*>(static_cast<const fold&>(*this).find(id));
    }
    // Indexes the entries by hash, once there are too many for a linear search.
    void index_affected() {
        while (affected_.size() > few && by_id_.count() < affected_.size()) {
            const std::uint32_t number = by_id_.count() + 1;
            id_effect& effect = affected_[number - 1];
            by_id_.reserve_one(world_.data.mem, purpose::commands);
            if (is_pair(effect.id.id) && !(effect.id.id & Override)) {
                link_affected(effect, number, 0, pair_first(effect.id.id));
                link_affected(effect, number, 1, pair_second(effect.id.id));
            }
            by_id_.insert_reserved(base::mix(effect.id.id), number);
        }
    }
    // Links a pair with the previous pair of the same relationship (side 0) or target (side 1).
    void link_affected(id_effect& effect, std::uint32_t number, std::uint32_t side,
                       std::uint32_t element) {
        std::uint32_t& latest = by_element_[side].ensure(element, 0);
        if (latest != number) {
            effect.earlier_of[side] = std::exchange(latest, number);
        }
    }
    // Calls visit(id_effect) for the affected ids that match the pattern. A pattern with one
    // wildcard visits only the pairs of its other element.
    template <class Visit>
    void each_affected(id_t pattern, Visit&& visit) {
        auto look = [&](id_effect& effect) {
            KITH_COUNT(folded);
            if (matches_id(pattern, effect.id.id)) {
                visit(effect);
            }
        };
        const bool any_of[2] = {!is_pair(pattern) || is_wildcard_element(pair_first(pattern)),
                                !is_pair(pattern) || is_wildcard_element(pair_second(pattern))};
        if (affected_.size() <= few || any_of[0] == any_of[1]) {
            std::for_each(affected_.begin(), affected_.end(), look);
            return;
        }
        const std::uint32_t side = any_of[0] ? 1 : 0;
        const std::uint32_t element = side ? pair_second(pattern) : pair_first(pattern);
        for (std::uint32_t position = by_element_[side].ensure(element, 0); position != 0;
             position = affected_[position - 1].earlier_of[side]) {
            look(affected_[position - 1]);
        }
    }
    // True if the entity has the id after the commands applied so far.
    bool has(id_t id) {
        if (const id_effect* effect = find(id)) {
            return effect->has;
        }
        return had(id);
    }
    // The parent after the commands applied so far.
    entity_t parent_after() {
        entity_t parent = 0;
        bool has_changed = false;
        each_affected(make_pair(ChildOf, Wildcard), [&](const id_effect& effect) {
            if (effect.has) {
                parent = world_.data.entities.alive_at(pair_second(effect.id.id));
            }
            has_changed |= effect.had;
        });
        return parent || has_changed ? parent : storage::parent_of(world_.data, record_, entity_);
    }
    // The outcome of an id that the current command affects.
    id_effect& affect(id_t id) {
        if (id_effect* effect = find(id)) {
            effect->stepwise |= is_barrier_;
            reaches_others_ |= effect->stepwise;
            return *effect;
        }
        bool owned = had(id);
        affected_.push({traits::describe_id(world_.data, id), nullptr, owned, owned, false, false,
                        false, is_barrier_});
        index_affected();
        return affected_.back();
    }
    // The entity loses the id.
    void drop(id_effect& effect) noexcept {
        effect.has = false;
        effect.reset = true;
        effect.notify = false;
        effect.value = nullptr;
    }
    // The entity gains an id without a value, with the ids that it implies.
    void gain(const id_info& id) {
        if (!has(id.id)) {
            check_default_constructible(world_, id);
        }
        gain_any(id);
    }
    // The entity gains an id, with the ids that it implies if it is new.
    id_effect& gain_any(const id_info& id) {
        if (!traits::implies_others(id.traits) || has(id.id)) {
            return gain_alone(id);
        }
        // If an implied id is refused, a part of the command has been applied.
        const bool before = std::exchange(is_partial_, true);
        gain_implied(id);
        id_effect& effect = gain_alone(id);
        is_partial_ = before;
        return effect;
    }
    // The entity gains the ids that `id` implies.
    void gain_implied(const id_info& id) {
        // The former target is lost first, because the ids that it required can be lost then.
        drop_former_target(id);
        id_buffer implied_ids(world_.data.mem, purpose::commands);
        traits::collect_implied(world_.data, id, implied_ids);
        for (id_t other : implied_ids) {
            if (!has(other)) {
                check_default_constructible(world_, prepare_id(world_, other));
            }
        }
        for (id_t other : implied_ids) {
            if (!has(other)) {
                const id_info implied = prepare_id(world_, other);
                reaches_others_ |= traits::has_inverse(implied) || is_validated(implied);
                gain_alone(implied);
            }
        }
    }
    // The entity gains the id without the ids that it implies.
    id_effect& gain_alone(const id_info& id) {
        drop_former_target(id);
        id_effect& effect = affect(id.id);
        effect.has = true;
        return effect;
    }
    // The entity loses the former target of an exclusive relationship.
    void drop_former_target(const id_info& id) {
        const id_t pattern = traits::replaced_pattern(id);
        if (!pattern || has(id.id)) {
            return;
        }
        // After the first target of the chain, only the target that was gained last can be there.
        constexpr std::uint32_t none = 0;
        std::uint32_t& last = last_targets_.ensure(pair_first(id.id), none);
        if (last == none) {
            lose(pattern);
        } else if (const id_t former = make_pair(pair_first(id.id), last); has(former)) {
            lose(former);
        }
        last = pair_second(id.id);
    }
    // Collects the ids that the entity has and that match the pattern.
    void collect_lost(id_t pattern, id_buffer& lost_ids) {
        if (!is_wildcard(pattern)) {
            if (has(pattern)) {
                lost_ids.push(pattern);
            }
            return;
        }
        each_affected(pattern, [&](const id_effect& effect) {
            if (effect.has) {
                lost_ids.push(effect.id.id);
            }
        });
        each_owned(world_.data, entity_, pattern, [&](const id_info& id) {
            if (!find(id.id)) {
                lost_ids.push(id.id);
            }
        });
    }
    // Throws if an id that the entity keeps implies (With) an id of the removed pattern.
    void check_lost(id_t pattern, const id_buffer& lost_ids) {
        for (id_t lost : lost_ids) {
            if (!traits::may_be_required(traits::describe_id(world_.data, lost).traits)) {
                continue;
            }
            each_implying(world_.data, lost, [&](id_t required_by) {
                if (!matches_id(pattern, required_by) && has(required_by)) {
                    raise_required(world_, entity_, lost, required_by);
                }
            });
        }
    }
    // The entity gains an id with a queued value.
    void gain_value(command& queued) {
        id_info id = prepare_id(world_, queued.id, queued.entity);
        check_queued_type(world_, id, queued);
        if (queued.kind == command_kind::emplace && has(queued.id)) {
            raise_entity_id(world_, errc::already_exists, entity_, queued.id,
                            "is there already; use set");
        }
        if (queued.id == detail::name_pair) {
            check_queued_name(world_, entity_, parent_after(), queued);
        }
        id_effect& effect = gain_any(id);
        reaches_others_ |= effect.had && traits::has_inverse(id);
        effect.value = &queued;
        effect.notify |= queued.kind != command_kind::ensure;
    }
    // The entity loses the ids that match the pattern. Throws if a remaining id requires a lost
    // one.
    void lose(id_t pattern) {
        id_buffer lost_ids(world_.data.mem, purpose::commands);
        collect_lost(pattern, lost_ids);
        check_lost(pattern, lost_ids);
        for (id_t id : lost_ids) {
            drop(affect(id));
        }
    }
    // The entity loses the ids that match the pattern, required or not.
    void drop_all(id_t pattern) {
        id_buffer lost_ids(world_.data.mem, purpose::commands);
        collect_lost(pattern, lost_ids);
        for (id_t id : lost_ids) {
            drop(affect(id));
        }
    }
    // The entity loses all ids, marks of overrides included.
    void lose_all() {
        drop_all(make_pair(Wildcard, Wildcard));
        drop_all(Wildcard);
        const table& type = world_.data.tables.at(record_.table);
        for (std::uint32_t i = 0; i < type.id_count; ++i) {
            if (type.ids[i] & Override) {
                drop_all(type.ids[i]);
            }
        }
        // Marks of earlier commands of the chain are not in the table yet.
        for (std::uint32_t i = 0; i < affected_.size(); ++i) {
            if (affected_[i].id.id & Override && affected_[i].has) {
                drop(affect(affected_[i].id.id));
            }
        }
    }
    // Checks the sparse changes before the row moves, since the move cannot be undone afterwards.
    // Returns true if a sparse id changes.
    bool check_sparse() {
        bool changes = false;
        for (const id_effect& effect : affected_) {
            if (is_sparse(effect.id) && effect.had != effect.has) {
                check_sparse_unlocked(world_, entity_, effect.id.id);
                changes = true;
            }
            if (is_sparse(effect.id) && effect.has && !effect.had && is_pair(effect.id.id)) {
                check_pair(world_, entity_, effect.id);
            }
        }
        if (world_.data.parents_store) {
            entity_t before = storage::parent_of(world_.data, record_, entity_);
            entity_t after = parent_after();
            const id_effect* name = find(detail::name_pair);
            if (before != after && !(name && !name->has)) {
                check_parent(world_, entity_, record_, before, after);
            }
        }
        return changes;
    }
    // Assigns the value of an id that was there before the chain, or resets it if the id was
    // removed in between.
    void write_one(id_effect& effect) {
        if (!effect.has || effect.placed) {
            return;
        }
        if (effect.had && effect.reset && record_.state & storage::record_has_disabled) {
            // The id was removed in between, and added ids are enabled.
            enable_id(world_, entity_, effect.id.id, true);
        }
        if (effect.had && effect.reset && is_sparse(effect.id) && is_pair(effect.id.id)) {
            storage::find_links(world_.data, pair_first(effect.id.id))
                ->renew(entity_, pair_second(effect.id.id));
        }
        note_value_written(world_.data, record_, effect.id.id);
        if (!effect.value) {
            if (effect.had && effect.reset && effect.id.value_type) {
                reset_value(effect.id);
            }
            return;
        }
        if (effect.id.id == detail::name_pair) {
            notify_renaming(world_, entity_);
        }
        move_context context{effect.value->type, effect.value->value()};
        assign_value(*effect.value->type, find_own_value(world_, entity_, record_, effect.id.id, 0),
                     moving_source(context));
    }
    // Replaces the value by a default value. That is constructed aside, so that a failing
    // constructor leaves the old value.
    void reset_value(const id_info& id) {
        const type_info& info = id.value_type->info;
        std::size_t alignment = info.alignment > 16 ? info.alignment : 16;
        void* fresh = world_.data.mem.allocate(info.size, purpose::commands, alignment);
        const base::scope_exit release(
            [&] { world_.data.mem.release(fresh, info.size, purpose::commands, alignment); });
        types::construct_values(info, fresh, 1);
        void* value = find_own_value(world_, entity_, record_, id.id, 0);
        types::destroy_values(info, value, 1);
        types::relocate_value(info, value, fresh);
        if (id.event_mask & storage::event_track) {
            world_.data.ticks.id_changed(world_.data, index_of(entity_), id.id);
        }
    }

    stage& world_;
    const command& head_;
    error_log& errors_;
    entity_t entity_;
    storage::entity_record& record_;
    std::uint32_t table_before_ = 0;  // the table of the entity before move()
    bool changed_sparse_ = false;     // change() has run
    bool reaches_others_ = false;     // see needs_each_step()
    bool is_barrier_ = false;         // the command that is being applied is a barrier
    bool is_partial_ = false;         // a failed command was applied in part
    static constexpr std::uint32_t few = 16;
    containers::small_vec<id_effect, few> affected_{world_.data.mem, purpose::commands};
    containers::hash_index by_id_;     // positions in affected_, plus one
    containers::id_map last_targets_;  // last gained target of each exclusive relationship, 0: none
    // The last entry of each relationship and of each target, by position plus one.
    containers::id_map by_element_[2];
};

// True if the entity would begin with a copy of an inherited value.
bool inherits_value(const stage& world, const command& queued, const storage::entity_record& record,
                    const id_info& id) {
    return id.value_type && queued.kind != command_kind::set &&
           queued.kind != command_kind::emplace &&
           find_inherited_value(world, queued.entity, record, queued.id, 0);
}

// True if the change of a symmetric pair must be made step by step. Both sides of a pair in tables
// change in one move; former partners, implied ids and links need each step.
bool changes_in_steps(const id_info& id, command_kind kind) noexcept {
    return traits::has_inverse(id) &&
           (is_sparse(id) || traits::has_one_target(id) || traits::implies_others(id.traits) ||
            kind == command_kind::modified);
}

// True if the command affects other entities, or copies a value of another entity.
bool reaches_others(const stage& world, const command& queued) {
    const storage::store& data = world.data;
    if (queued.id < low_id_limit && queued.kind == command_kind::set) {
        return false;
    }
    const storage::entity_record* record = data.entities.find(queued.entity);
    bool inherits = record && data.tables.at(record->table).flags & detail::shape_has_base;
    if (is_pair(queued.id) && is_wildcard_element(pair_first(queued.id))) {
        constexpr std::uint32_t reference_flags =
            storage::record_used_as_id | storage::record_link_target;
        return inherits || (record && record->state & reference_flags);
    }
    const id_info id = traits::describe_id(data, queued.id);
    inherits = inherits && inherits_value(world, queued, *record, id);
    if (!is_pair(queued.id)) {
        return inherits;
    }
    bool prefab = pair_first(queued.id) == ChildOf && queued.kind == command_kind::add &&
                  is_prefab(data, data.entities.alive_at(pair_second(queued.id)));
    return changes_in_steps(id, queued.kind) || pair_first(queued.id) == IsA || prefab || inherits;
}

// True if a validating hook may refuse the command.
bool may_be_refused(const stage& world, const command& queued) {
    return world.data.has_validators && queued.kind != command_kind::remove &&
           is_validated(traits::describe_id(world.data, queued.id));
}

// True if the command affects only the ids of its entity.
bool can_fold(const stage& world, const command& queued) {
    switch (queued.kind) {
        case command_kind::place:
            return true;
        case command_kind::add:
        case command_kind::remove:
        case command_kind::set:
        case command_kind::emplace:
        case command_kind::ensure:
        case command_kind::modified:
            return !traits::is_property(queued.id) && !reaches_others(world, queued) &&
                   !may_be_refused(world, queued);
        case command_kind::clear: {
            constexpr std::uint32_t reference_flags =
                storage::record_used_as_id | storage::record_link_target;
            return !(get_record(world, queued.entity).state & reference_flags);
        }
        default:
            return false;
    }
}

// True if the command may change the parent.
bool may_set_parent(const command& queued) noexcept {
    return (queued.kind == command_kind::add || queued.kind == command_kind::remove) &&
           is_pair(queued.id) &&
           (pair_first(queued.id) == ChildOf || is_wildcard_element(pair_first(queued.id)));
}

}  // namespace

bool pair_is_current(const stage& world, const command& queued) noexcept {
    // A dead index is no mismatch here: the operation itself handles it.
    auto is_same = [&](std::uint32_t index, std::uint16_t generation) {
        const entity_t alive = world.data.entities.alive_at(index);
        return !alive || generation_of(alive) == generation;
    };
    return !is_pair(queued.id) || (is_same(pair_first(queued.id), queued.generations[0]) &&
                                   is_same(pair_second(queued.id), queued.generations[1]));
}

void raise_other_element(command_kind kind, id_t id) {
    const bool changes_value = kind == command_kind::modified || kind == command_kind::enable ||
                               kind == command_kind::disable;
    // The message contains numbers, because other entities may have the indices now.
    base::raise(changes_value ? errc::missing_component : errc::invalid_id,
                base::text{} << "a pair that was queued with relationship " << pair_first(id)
                             << " and target " << pair_second(id)
                             << " has an element that is not alive any more");
}

void check_queued_type(const stage& world, const id_info& id, const command& queued) {
    check_value_type(world, id, 0);
    const type_info& current_type = id.value_type->info;
    const type_info& queued_type = *queued.type;
    // A component that was deleted and made known again has an equal type.
    const bool same =
        &current_type == &queued_type ||
        (current_type.size == queued_type.size && current_type.alignment == queued_type.alignment &&
         current_type.context == queued_type.context &&
         current_type.destroy == queued_type.destroy &&
         current_type.move_construct == queued_type.move_construct &&
         current_type.move_assign == queued_type.move_assign);
    if (!same) {
        raise_id(world, errc::wrong_type, id.id,
                 "has values of another type than when the command was queued");
    }
}

bool can_fold_chain(const stage& world, const command* head) {
    KITH_ASSERT(head, "a chain has a command");
    if (!world.data.entities.find(head->entity)) {
        return false;
    }
    const id_record* own = world.data.ids.find(head->entity);
    const bool has_traits = own && own->traits != 0;
    bool has_parent = false;
    for (const command* command = head; command; command = command->next) {
        const bool may_end_traits =
            command->kind == command_kind::clear || is_wildcard(command->id);
        const bool is_parent = may_set_parent(*command);
        // Several changes of the parent may fail one by one.
        if (!can_fold(world, *command) || (has_traits && may_end_traits) ||
            (is_parent && has_parent)) {
            return false;
        }
        has_parent |= is_parent;
    }
    return true;
}

bool run_folded(stage& world, command* head, error_log& errors) {
    // Errors are logged apart: if the fold is undone, the commands run again and fail again.
    error_log own;
    bool undone = false;
    auto run = [&] {
        fold changes(world, *head, own);
        for (command* command = head; command; command = command->next) {
            own.attempt(*command, [&] { changes.apply(*command); });
        }
        undone = changes.needs_each_step();
        if (undone) {
            return;
        }
        callback_scope code(world);
        undone = !own.attempt(*head, [&] { changes.move(); }) && !changes.has_moved();
        if (!undone) {
            changes.write();
        }
        own.attempt(*head, [&] { code.finish(); });
    };
    undone |= !own.attempt(*head, run);
    if (!undone) {
        errors.merge(own);
    }
    return !undone;
}

}  // namespace kith::mutate
