#include "mutate/fold.hpp"

#include "base/counters.hpp"
#include "base/hash.hpp"
#include "containers/hash_index.hpp"
#include "containers/id_map.hpp"
#include "mutate/add_remove.hpp"
#include "mutate/constraints.hpp"
#include "mutate/instantiate.hpp"
#include "mutate/naming.hpp"
#include "mutate/referrers.hpp"
#include "mutate/sparse_ops.hpp"
#include "mutate/toggle.hpp"
#include "mutate/validate.hpp"
#include "mutate/values.hpp"
#include "mutate/wide_tables.hpp"

#include <algorithm>
#include <utility>

namespace kith::mutate {

using containers::purpose;
using storage::id_info;
using storage::id_record;
using storage::table;

namespace {

constexpr id_t name_id = make_pair(detail::identifier_type_id, Name);

bool is_symmetric(const id_info& id) noexcept {
    return is_pair(id.id) && id.traits & traits::trait_symmetric;
}

// Folds a chain: first works out what becomes of each id it touches, then makes one move.
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

    // What a command does to the outcome. Throws if the command fails; then it has no effect.
    void apply(command& queued) {
        is_barrier_ = queued.is_barrier;
        if (!pair_is_current(world_, queued)) {
            if (queued.kind == command_kind::remove) {
                return;  // it went with the element
            }
            raise_other_element(queued.kind, queued.id);
        }
        switch (queued.kind) {
            case command_kind::add:
                gain(prepare_id(world_, queued.id));
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
                touch(queued.id).notify = true;
                break;
            case command_kind::clear:
                lose_all();
                break;
            default:
                break;
        }
    }

    // The commands must run one by one: dependents see each step, an implied pair is symmetric, or
    // a refused command has left ids behind.
    bool needs_each_step() const noexcept { return reaches_others_ || is_partial_; }
    // False if a move() that threw has changed nothing; else only a hook has failed.
    bool has_moved() const noexcept { return changed_sparse_ || record_.table != table_before_; }

    // The one move.
    void move() {
        ensure_row(world_, entity_, record_);
        table_before_ = record_.table;
        id_buffer added(world_.data.mem, purpose::commands);
        id_buffer removed(world_.data.mem, purpose::commands);
        containers::small_vec<initial_value, 16> given(world_.data.mem, purpose::commands);
        containers::small_vec<detail::value_source, 16> sources(world_.data.mem, purpose::commands);
        containers::small_vec<move_context, 16> contexts(world_.data.mem, purpose::commands);
        sources.reserve(touched_.size());
        contexts.reserve(touched_.size());
        for (outcome& one : touched_) {
            if (is_sparse(one.id) || one.had == one.has) {
                continue;
            }
            (one.has ? added : removed).push(one.id.id);
            if (one.has && one.value) {
                contexts.push({one.value->type, one.value->value()});
                sources.push(moving_source(contexts.back()));
                given.push({one.id.id, &sources.back(), true});
                one.placed = true;
            }
        }
        for (id_t id : removed) {
            check_removable(world_, entity_, id);
        }
        bool sparse_change = check_sparse();
        if (const outcome* name = find(name_id); name && name->has && name->value) {
            commit_queued_name(world_, coming_parent(), *name->value);
        }
        if (!added.empty() || !removed.empty()) {
            table& to = table_after(world_, world_.data.tables.at(record_.table), added.data(),
                                    added.size(), removed.data(), removed.size());
            for (id_t id : added) {
                warn_of_targets(world_, to, id);
            }
            move_entity(world_, entity_, record_, to, given.data(), given.size(),
                        sparse_change ? this : nullptr);
        } else if (sparse_change) {
            change_sparse(world_, entity_, *this);
        }
    }

    // Values of what was there before, then the notifications.
    void write() {
        for (outcome& one : touched_) {
            attempt(one, [&] { write_one(one); });
        }
        for (outcome& effect : touched_) {
            if (effect.notify && effect.has) {
                attempt(effect, [&] {
                    dispatch_set(world_, entity_, effect.id,
                                 find_own_value(world_, entity_, record_, effect.id.id, 0));
                });
            }
        }
    }

private:
    struct outcome {
        id_info id;
        command* value;  // the last value given, null if there is none
        bool had;
        bool has;
        bool reset;  // was lost on the way: a default value replaces the old one
        bool notify;
        bool placed;    // the value was used when the entity moved
        bool stepwise;  // a barrier has changed it
        // Of pairs, those touched before with the same relationship and target, by position plus
        // one.
        std::uint32_t earlier_of[2] = {};
    };

    template <class Action>
    bool attempt(const outcome& effect, Action&& action) {
        return errors_.attempt(effect.value ? *effect.value : head_, action);
    }
    // -- what changes beside the table
    template <class Visit>
    void each_sparse_change(bool added, Visit&& visit) {
        for (outcome& effect : touched_) {
            if (is_sparse(effect.id) && effect.had != effect.has && effect.has == added) {
                visit(effect);
            }
        }
    }
    bool changes(id_t id) const noexcept override {
        const outcome* effect = find(id);
        return effect && is_sparse(effect->id) && effect->had != effect->has;
    }
    void notify_before_remove() override {
        each_sparse_change(
            false, [&](outcome& effect) { notify_before_erase(world_, entity_, effect.id); });
        each_sparse_change(
            true, [&](outcome& effect) { notify_before_insert(world_, entity_, effect.id); });
    }
    void change() override {
        changed_sparse_ = true;
        each_sparse_change(false,
                           [&](outcome& effect) { erase_sparse(world_, entity_, effect.id); });
        each_sparse_change(
            true, [&](outcome& effect) { effect.has = attempt(effect, [&] { put(effect); }); });
    }
    void put(outcome& effect) {
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
            false, [&](outcome& effect) { notify_after_erase(world_, entity_, effect.id); });
    }
    void notify_added() override {
        each_sparse_change(
            true, [&](outcome& effect) { notify_after_insert(world_, entity_, effect.id); });
    }

    bool had(id_t id) const noexcept { return storage::owns_id(world_.data, record_, entity_, id); }
    const outcome* find(id_t id) const noexcept {
        if (touched_.size() > few) {
            const std::uint32_t number = by_id_.find(base::mix(id), [&](std::uint32_t found) {
                KITH_COUNT(folded);
                return touched_[found - 1].id.id == id;
            });
            return number ? &touched_[number - 1] : nullptr;
        }
        const outcome* found =
            std::find_if(touched_.begin(), touched_.end(), [&](const outcome& effect) {
                KITH_COUNT(folded);
                return effect.id.id == id;
            });
        return found != touched_.end() ? found : nullptr;
    }
    outcome* find(id_t id) noexcept {
        return const_cast<outcome*>(static_cast<const fold&>(*this).find(id));
    }
    // Many ids are found through hashes.
    void note_touched() {
        while (touched_.size() > few && by_id_.count() < touched_.size()) {
            const std::uint32_t number = by_id_.count() + 1;
            outcome& effect = touched_[number - 1];
            by_id_.reserve_one(world_.data.mem, purpose::commands);
            if (is_pair(effect.id.id) && !(effect.id.id & Override)) {
                link_touched(effect, number, 0, pair_first(effect.id.id));
                link_touched(effect, number, 1, pair_second(effect.id.id));
            }
            by_id_.insert_reserved(base::mix(effect.id.id), number);
        }
    }
    void link_touched(outcome& effect, std::uint32_t number, std::uint32_t side,
                      std::uint32_t element) {
        std::uint32_t& latest = by_element_[side].ensure(element, 0);
        if (latest != number) {
            effect.earlier_of[side] = std::exchange(latest, number);
        }
    }
    // Calls visit(outcome) for those touched so far whose id the pattern stands for.
    template <class Visit>
    void each_touched(id_t pattern, Visit&& visit) {
        auto look = [&](outcome& effect) {
            KITH_COUNT(folded);
            if (matches_id(pattern, effect.id.id)) {
                visit(effect);
            }
        };
        const bool any_of[2] = {!is_pair(pattern) || is_wildcard_element(pair_first(pattern)),
                                !is_pair(pattern) || is_wildcard_element(pair_second(pattern))};
        if (touched_.size() <= few || any_of[0] == any_of[1]) {
            std::for_each(touched_.begin(), touched_.end(), look);
            return;
        }
        const std::uint32_t side = any_of[0] ? 1 : 0;
        const std::uint32_t element = side ? pair_second(pattern) : pair_first(pattern);
        for (std::uint32_t position = by_element_[side].ensure(element, 0); position != 0;
             position = touched_[position - 1].earlier_of[side]) {
            look(touched_[position - 1]);
        }
    }
    bool has(id_t id) {
        if (const outcome* effect = find(id)) {
            return effect->has;
        }
        return had(id);
    }
    // The parent after the commands that were applied so far.
    entity_t coming_parent() {
        entity_t parent = 0;
        bool touched = false;
        each_touched(make_pair(ChildOf, Wildcard), [&](const outcome& effect) {
            if (effect.has) {
                parent = world_.data.entities.alive_at(pair_second(effect.id.id));
            }
            touched |= effect.had;
        });
        return parent || touched ? parent : storage::parent_of(world_.data, record_, entity_);
    }
    outcome& touch(id_t id) {
        if (outcome* effect = find(id)) {
            effect->stepwise |= is_barrier_;
            reaches_others_ |= effect->stepwise;
            return *effect;
        }
        bool there = had(id);
        touched_.push({traits::describe_id(world_.data, id), nullptr, there, there, false, false,
                       false, is_barrier_});
        note_touched();
        return touched_.back();
    }
    void drop(outcome& effect) noexcept {
        effect.has = false;
        effect.reset = true;
        effect.notify = false;
        effect.value = nullptr;
    }
    void gain(const id_info& id) {
        if (!has(id.id)) {
            check_default_constructible(world_, id);
        }
        gain_any(id);
    }
    outcome& gain_any(const id_info& id) {
        if (!(id.traits & traits::trait_with) || has(id.id)) {
            return gain_alone(id);
        }
        // If something is refused, a part of it is done.
        const bool before = std::exchange(is_partial_, true);
        gain_along(id);
        outcome& effect = gain_alone(id);
        is_partial_ = before;
        return effect;
    }
    void gain_along(const id_info& id) {
        // First, because what must come with the old target may go then.
        make_room(id);
        id_buffer others(world_.data.mem, purpose::commands);
        traits::collect_implied(world_.data, id, others);
        for (id_t other : others) {
            if (!has(other)) {
                check_default_constructible(world_, prepare_id(world_, other));
            }
        }
        for (id_t other : others) {
            if (!has(other)) {
                const id_info implied = prepare_id(world_, other);
                reaches_others_ |= is_symmetric(implied) || is_validated(implied);
                gain_alone(implied);
            }
        }
    }
    // Without what comes along.
    outcome& gain_alone(const id_info& id) {
        make_room(id);
        outcome& effect = touch(id.id);
        effect.has = true;
        return effect;
    }
    void make_room(const id_info& id) {
        if (!(id.traits & traits::trait_exclusive) || !is_pair(id.id) || has(id.id)) {
            return;
        }
        // Once the entity has lost what it had of the relationship, only the target that it gained
        // last is there.
        constexpr std::uint32_t none = 0;
        std::uint32_t& last = last_targets_.ensure(pair_first(id.id), none);
        if (last == none) {
            lose(make_pair(pair_first(id.id), Wildcard));
        } else if (const id_t former = make_pair(pair_first(id.id), last); has(former)) {
            lose(former);
        }
        last = pair_second(id.id);
    }
    // What the pattern stands for and the entity has.
    void collect_going(id_t pattern, id_buffer& going) {
        if (!is_wildcard(pattern)) {
            if (has(pattern)) {
                going.push(pattern);
            }
            return;
        }
        each_touched(pattern, [&](const outcome& effect) {
            if (effect.has) {
                going.push(effect.id.id);
            }
        });
        each_owned(world_.data, entity_, pattern, [&](const id_info& id) {
            if (!find(id.id)) {
                going.push(id.id);
            }
        });
    }
    // Throws if an id that the entity keeps implies (With) an id of the removed pattern.
    void check_lost(id_t pattern, const id_buffer& going) {
        for (id_t lost : going) {
            if (!(traits::describe_id(world_.data, lost).traits & traits::trait_required)) {
                continue;
            }
            each_bringer(world_.data, lost, [&](id_t kept) {
                if (!matches_id(pattern, kept) && has(kept)) {
                    raise_required(world_, entity_, lost, kept);
                }
            });
        }
    }
    void gain_value(command& queued) {
        id_info id = prepare_id(world_, queued.id);
        check_queued_type(world_, id, queued);
        if (queued.kind == command_kind::emplace && has(queued.id)) {
            raise_entity_id(world_, errc::already_exists, entity_, queued.id,
                            "is there already; use set");
        }
        if (queued.id == name_id) {
            check_queued_name(world_, entity_, coming_parent(), queued);
        }
        outcome& effect = gain_any(id);
        reaches_others_ |= effect.had && is_symmetric(id);
        effect.value = &queued;
        effect.notify |= queued.kind != command_kind::ensure;
    }
    void lose(id_t pattern) {
        id_buffer going(world_.data.mem, purpose::commands);
        collect_going(pattern, going);
        check_lost(pattern, going);
        for (id_t id : going) {
            drop(touch(id));
        }
    }
    void drop_all(id_t pattern) {
        id_buffer going(world_.data.mem, purpose::commands);
        collect_going(pattern, going);
        for (id_t id : going) {
            drop(touch(id));
        }
    }
    void lose_all() {
        drop_all(make_pair(Wildcard, Wildcard));
        drop_all(Wildcard);
        const table& type = world_.data.tables.at(record_.table);
        for (std::uint32_t i = 0; i < type.id_count; ++i) {
            if (type.ids[i] & Override) {
                drop_all(type.ids[i]);
            }
        }
    }
    // What lies beside the table changes after the row has moved, which cannot be undone then. True
    // if something does.
    bool check_sparse() {
        bool changes = false;
        for (const outcome& one : touched_) {
            if (is_sparse(one.id) && one.had != one.has) {
                check_sparse_unlocked(world_, entity_, one.id.id);
                changes = true;
            }
            if (is_sparse(one.id) && one.has && !one.had && is_pair(one.id.id)) {
                check_pair(world_, entity_, one.id);
            }
        }
        if (world_.data.parents_store) {
            entity_t before = storage::parent_of(world_.data, record_, entity_);
            entity_t after = coming_parent();
            const outcome* name = find(name_id);
            if (before != after && !(name && !name->has)) {
                check_parent(world_, entity_, record_, before, after);
            }
        }
        return changes;
    }
    void write_one(outcome& effect) {
        if (!effect.has || effect.placed) {
            return;
        }
        if (effect.had && effect.reset && record_.state & storage::record_has_disabled) {
            // It was gone for a moment, and what comes new is switched on.
            enable_id(world_, entity_, effect.id.id, true);
        }
        if (effect.had && effect.reset && is_sparse(effect.id) && is_pair(effect.id.id)) {
            storage::find_links(world_.data, pair_first(effect.id.id))
                ->renew(entity_, pair_second(effect.id.id));
        }
        if (!effect.value) {
            if (effect.had && effect.reset && effect.id.value_type) {
                reset_value(effect.id);
            }
            return;
        }
        if (effect.id.id == name_id) {
            notify_renaming(world_, entity_);
        }
        move_context context{effect.value->type, effect.value->value()};
        assign_value(*effect.value->type, find_own_value(world_, entity_, record_, effect.id.id, 0),
                     moving_source(context));
    }
    // A new default value, made aside so that a constructor that fails leaves the old one.
    void reset_value(const id_info& id) {
        const type_info& info = id.value_type->info;
        std::size_t alignment = info.alignment > 16 ? info.alignment : 16;
        void* fresh = world_.data.mem.allocate(info.size, purpose::commands, alignment);
        struct guard {
            containers::memory& mem;
            void* fresh;
            std::size_t size;
            std::size_t alignment;
            ~guard() { mem.release(fresh, size, purpose::commands, alignment); }
        } release{world_.data.mem, fresh, info.size, alignment};
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
    std::uint32_t table_before_ = 0;
    bool changed_sparse_ = false;
    bool reaches_others_ = false;
    bool is_barrier_ = false;  // the command that is being applied
    bool is_partial_ = false;  // a command that failed has an effect
    static constexpr std::uint32_t few = 16;
    containers::small_vec<outcome, few> touched_{world_.data.mem, purpose::commands};
    containers::hash_index by_id_;     // of touched_, by position plus one
    containers::id_map last_targets_;  // of exclusive relationships
    // Of touched_, the last ones of a relationship and to a target, by position plus one.
    containers::id_map by_element_[2];
};

// The entity would begin with a copy of what it inherits.
bool inherits_value(const stage& world, const command& queued, const storage::entity_record& record,
                    const id_info& id) {
    return id.value_type && queued.kind != command_kind::set &&
           queued.kind != command_kind::emplace &&
           find_inherited_value(world, queued.entity, record, queued.id, 0);
}

// Both sides of a pair that lies in tables change in one move. Former partners, and what comes
// along, need each step.
bool changes_in_steps(const id_info& id, command_kind kind) noexcept {
    constexpr std::uint32_t involved =
        traits::trait_sparse | traits::trait_exclusive | traits::trait_with;
    return is_symmetric(id) && (id.traits & involved || kind == command_kind::modified);
}

// Adding or removing the id has effects on other entities, or takes its value from one.
bool reaches_others(const stage& world, const command& queued) {
    const storage::store& data = world.data;
    if (queued.id < low_id_limit && queued.kind == command_kind::set) {
        return false;
    }
    const storage::entity_record* record = data.entities.find(queued.entity);
    bool inherits = record && data.tables.at(record->table).flags & detail::shape_has_base;
    if (is_pair(queued.id) && is_wildcard_element(pair_first(queued.id))) {
        constexpr std::uint32_t target = storage::record_used_as_id | storage::record_link_target;
        return inherits || (record && record->state & target);
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

// A hook validates the value first.
bool may_be_refused(const stage& world, const command& queued) {
    return world.data.has_validators && queued.kind != command_kind::remove &&
           is_validated(traits::describe_id(world.data, queued.id));
}

// Commands that are not folded: they have effects beyond the entity's ids.
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
            constexpr std::uint32_t target =
                storage::record_used_as_id | storage::record_link_target;
            return !(get_record(world, queued.entity).state & target);
        }
        default:
            return false;
    }
}

bool may_set_parent(const command& queued) noexcept {
    return (queued.kind == command_kind::add || queued.kind == command_kind::remove) &&
           is_pair(queued.id) &&
           (pair_first(queued.id) == ChildOf || is_wildcard_element(pair_first(queued.id)));
}

}  // namespace

bool pair_is_current(const stage& world, const command& queued) noexcept {
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
    // Not by name: what has its index now is something else.
    base::raise(changes_value ? errc::missing_component : errc::invalid_id,
                base::text{} << "a pair that was queued with relationship " << pair_first(id)
                             << " and target " << pair_second(id)
                             << " has an element that is not alive any more");
}

void check_queued_type(const stage& world, const id_info& id, const command& queued) {
    check_value_type(world, id, 0);
    const type_info& now = id.value_type->info;
    const type_info& then = *queued.type;
    // A component that was deleted meanwhile may be known again.
    const bool same =
        &now == &then ||
        (now.size == then.size && now.alignment == then.alignment && now.destroy == then.destroy &&
         now.move_construct == then.move_construct && now.move_assign == then.move_assign);
    if (!same) {
        raise_id(world, errc::wrong_type, id.id,
                 "has values of another type than when the command was queued");
    }
}

bool can_fold_chain(const stage& world, const command* head) {
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
        // Of several parents, each may fail by itself.
        if (!can_fold(world, *command) || (has_traits && may_end_traits) ||
            (is_parent && has_parent)) {
            return false;
        }
        has_parent |= is_parent;
    }
    return true;
}

bool run_folded(stage& world, command* head, error_log& errors) {
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
