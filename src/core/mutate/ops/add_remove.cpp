// Implements add_remove.hpp: single ids, ids with all that they imply as one change (`addition`),
// and removals by pattern (`removal`).
#include "mutate/ops/add_remove.hpp"

#include "base/log.hpp"
#include "mutate/apply/fast_path.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/value_ahead.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/commit/archetype_move.hpp"
#include "mutate/commit/first_row.hpp"
#include "mutate/commit/inverses.hpp"
#include "mutate/commit/property.hpp"
#include "mutate/commit/sparse_ops.hpp"
#include "mutate/context/wide_tables.hpp"
#include "mutate/notify/validate.hpp"
#include "mutate/rules/change_set.hpp"
#include "mutate/rules/constraints.hpp"
#include "mutate/rules/destination.hpp"
#include "names/id_text.hpp"
#include "traits/implications.hpp"
#include "traits/inherit.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_info;
using storage::table;

void check_removable(stage& world, entity_t entity, id_t id) {
    if (id == detail::component_type_id) {
        raise_entity_id(world, errc::in_use, entity, id,
                        "makes the entity a component: it cannot be removed");
    }
}

void add_one(stage& world, entity_t entity, const id_info& added,
             const detail::value_source* source) {
    id_buffer replaced(world.data.mem, purpose::commands);
    collect_replaced(world.data, entity, added, replaced);
    check_not_required(world, entity, replaced.data(), replaced.size());
    if (is_sparse(added)) {
        add_sparse(world, entity, added, source);
        return;
    }
    entity_record& record = *world.data.entities.find(entity);
    table& from = world.data.tables.at(record.table);
    initial_value value{added.id, source};
    move_entity(world, entity, record, resolve_add(world, from, added), &value, source ? 1 : 0);
}

namespace {

// Throws early if the id needs a value that can be neither inherited nor constructed by default,
// before tables or records are made.
void check_addable(const stage& world, entity_t entity, const entity_record& record,
                   const id_info& added) {
    if (!added.value_type) {
        return;
    }
    if (!traits::find_base(world.data, record, entity, added.id)) {
        check_default_constructible(world, added);
    } else if (!added.value_type->info.can_copy()) {
        raise_entity_id(world, errc::not_copyable, entity, added.id,
                        "is inherited, and its value cannot be copied; set it instead");
    }
}

#if defined(KITH_ASSERTS) && KITH_ASSERTS
// Warns of a pair that has a value although only its target is a component and no value was given:
// programs rarely mean that. Each pair is warned of once.
void warn_of_value(stage& world, const id_info& added) {
    const types::component_type* type = added.value_type;
    if (!is_pair(added.id) || !type || type->component == pair_first(added.id) ||
        std::find(world.warned.begin(), world.warned.end(), added.id) != world.warned.end()) {
        return;
    }
    world.warned.push(world.data.mem, added.id, purpose::commands);
    base::text message;
    names::describe_id(world.data, added.id, message);
    message << " was added without a value, but carries one of type ";
    names::describe_id(world.data, type->component, message);
    message << ": add kith::Tag to ";
    names::describe_id(world.data, world.data.entities.alive_at(pair_first(added.id)), message);
    message << " if its pairs should have none";
    base::warn(message);
}
#else
void warn_of_value(stage&, const id_info&) noexcept {}
#endif

// The first addition of an id to entities of a table, and every addition that moves more than
// bytes. The new edge often makes the fast path possible.
void add_id_slow(stage& world, entity_t entity, entity_record& record, id_t id,
                 bool expects_value) {
    id_info added = prepare_id(world, id, entity);
    check_range(world, entity, id);
    ensure_row(world, entity, record);
    if (storage::owns_id(world.data, record, entity, id)) {
        return;
    }
    check_addable(world, entity, record, added);
    if (!expects_value) {
        warn_of_value(world, added);
    }
    if (traits::implies_others(added.traits)) {
        add_ids(world, entity, &id, 1);
        return;
    }
    if (!is_sparse(added) && !traits::is_property(id)) {
        // The edge exists after this, and often allows the fast path.
        table& from = world.data.tables.at(record.table);
        table& to = resolve_add(world, from, added);
        world.data.tables.reserve_rows(to, 1);
        if (try_add(world, entity, id)) {
            note_left(world, from);
            if (world.operation.batch_open) {
                callback_scope(world).finish();  // monitors wait to report the new table
            }
            finish_leaving(world);
            return;
        }
    }
    add_one(world, entity, added, nullptr);
}

// The addition of ids with all that they imply, as one change. expand() computes the change, run()
// checks and commits it.
//
// Invariants
// 1. `dense_` and `sparse_` list ids that the entity lacks, each once.
// 2. `replaced_` lists the ids of the entity's table that `dense_` replaces.
class addition {
public:
    addition(stage& world, entity_t entity) : world_(world), entity_(entity) {}

    // Expands the ids. `is_last` (of a single id): the caller adds the id itself after run(), with
    // its value; it is part of the change.
    void expand(const id_t* ids, std::uint32_t count, bool is_last) {
        for (std::uint32_t i = 0; i < count; ++i) {
            prepare_id(world_, ids[i], entity_);
            step_.set.gain(entity_, ids[i]);
        }
        last_ = is_last ? ids[0] : 0;
        for (const id_change& change : step_.set.gains()) {
            if (change.entity == entity_ && change.cause != change_cause::inverse &&
                change.id.id != last_) {
                expand_one(prepare_id(world_, change.id.id), ids, count);
            }
        }
    }

    // Checks everything that may be refused, then moves the row and adds the sparse ids.
    void run() {
        id_buffer lost(world_.data.mem, purpose::commands);
        step_.set.collect_lost(entity_, lost);
        check_not_required(world_, entity_, lost.data(), lost.size());
        if (last_) {
            check_last(prepare_id(world_, last_));
        }
        for (const id_info& added : sparse_) {
            check_addable_sparse(world_, entity_, added);
        }
        entity_record& record = get_record(world_, entity_);
        table& to = table_after(world_, type(), dense_.data(), dense_.size(), replaced_.data(),
                                replaced_.size());
        if (to.number != record.table) {
            move_entity(world_, entity_, record, to, nullptr, 0);
        }
        for (const id_info& added : sparse_) {
            add_sparse(world_, entity_, added, nullptr);
        }
    }

private:
    table& type() const { return world_.data.tables.at(world_.data.entities.find(entity_)->table); }
    // Files one id of the change by its storage.
    void expand_one(const id_info& added, const id_t* ids, std::uint32_t count) {
        check_addable(world_, entity_, get_record(world_, entity_), added);
        check_one_target(added, ids, count);
        if (is_sparse(added)) {
            sparse_.push(added);
            return;
        }
        dense_.push(added.id);
        if (const id_t replaced = traits::find_replaced(type(), added)) {
            replaced_.push(replaced);
        }
    }
    // Throws if the id that the caller adds after run() would be refused.
    void check_last(const id_info& added) const {
        if (is_sparse(added)) {
            check_addable_sparse(world_, entity_, added);
            return;
        }
        if (!is_pair(added.id)) {
            return;
        }
        check_pair(world_, entity_, added);
        if (traits::has_inverse(added)) {
            prepare_add_inverse(world_, entity_, added);
            id_buffer replaced(world_.data.mem, purpose::commands);
            collect_replaced(world_.data, entity_, added, replaced);
            for (id_t id : replaced) {
                prepare_remove_inverse(world_, entity_, traits::describe_id(world_.data, id));
            }
        }
    }
    // Throws if the request or the change has another target of the same exclusive relationship.
    void check_one_target(const id_info& added, const id_t* ids, std::uint32_t count) const {
        const id_t pattern = traits::replaced_pattern(added);
        if (!pattern) {
            return;
        }
        auto is_other = [&](id_t id) { return id != added.id && matches_id(pattern, id); };
        const change_set::changes& gains = step_.set.gains();
        if (std::any_of(ids, ids + count, is_other) ||
            std::any_of(gains.begin(), gains.end(), [&](const id_change& change) {
                return change.entity == entity_ && is_other(change.id.id);
            })) {
            raise_id(world_, errc::constraint, added.id,
                     "is exclusive: two targets of it cannot be added at once");
        }
    }

    stage& world_;
    entity_t entity_;
    id_t last_ = 0;  // the id that the caller adds after run(), 0: none
    staged_change step_{world_};
    id_buffer dense_{world_.data.mem, purpose::commands};
    id_buffer replaced_{world_.data.mem, purpose::commands};
    containers::small_vec<id_info, 8> sparse_{world_.data.mem, purpose::commands};
};

// Removes a single id, if the entity has the id.
void remove_one(stage& world, entity_t entity, entity_record& record, id_t id) {
    storage::store& data = world.data;
    if (!storage::owns_id(data, record, entity, id)) {
        return;
    }
    check_range(world, entity, id);
    check_removable(world, entity, id);
    check_not_required(world, entity, &id, 1);
    id_info removed = traits::describe_id(data, id);
    if (is_sparse(removed)) {
        remove_sparse(world, entity, removed);
        return;
    }
    table& from = data.tables.at(record.table);
    table& to = table_after(world, from, nullptr, 0, &id, 1);
    if (!data.tables.find_edge(from, id)) {
        data.tables.connect(to, from, id);
    }
    move_entity(world, entity, record, to, nullptr, 0);
}

// Several ids that an entity loses in one step. A constraint may refuse one of them, so that all
// are checked before the first is removed.
//
// Invariants
// 1. `all_` lists the ids of `dense_` and `sparse_`, except marks of overrides.
// 2. The base class notifies of the sparse ids together with the move of the row.
class removal final : sparse_delta {
public:
    removal(stage& world, entity_t entity)
        : world_(world), data_(world.data), entity_(entity), record_(get_record(world, entity)) {}

    // Collects the ids of the entity that match the pattern.
    void collect(id_t pattern) {
        const table& from = type();
        for (std::int32_t position = storage::find_match(from, pattern, 0); position >= 0;
             position = storage::next_match(from, pattern, position)) {
            dense_.push(from.ids[position]);
            all_.push(from.ids[position]);
        }
        each_sparse_id(data_, record_, entity_, pattern, [&](const id_info& info) {
            sparse_.push(info);
            all_.push(info.id);
        });
    }
    // Collects the marks of overrides (Override | id), which no pattern matches.
    void collect_marks() {
        const table& from = type();
        for (std::uint32_t i = 0; i < from.id_count && from.flags & detail::shape_has_marks; ++i) {
            if (from.ids[i] & Override) {
                dense_.push(from.ids[i]);
            }
        }
    }
    bool empty() const noexcept { return all_.empty(); }

    // Throws if run() would be refused. Changes nothing.
    void check() {
        staged_change step(world_);
        check(step);
        check_move();
    }
    // Checks everything that may be refused, then removes the ids of the table and the sparse ids
    // in one step.
    void run() {
        staged_change step(world_);
        check(step);
        if (!dense_.empty()) {
            move_entity(world_, entity_, record_,
                        table_after(world_, type(), nullptr, 0, dense_.data(), dense_.size()),
                        nullptr, 0, sparse_.empty() ? nullptr : this);
        } else if (!sparse_.empty()) {
            change_sparse(world_, entity_, *this);
        }
    }

private:
    const table& type() const { return data_.tables.at(record_.table); }
    bool changes(id_t id) const noexcept override {
        return std::any_of(sparse_.begin(), sparse_.end(),
                           [&](const id_info& info) { return info.id == id; });
    }
    void notify_before_remove() override {
        each_present([&](const id_info& info) { notify_before_erase(world_, entity_, info); });
    }
    void change() override {
        each_present([&](const id_info& info) { erase_sparse(world_, entity_, info); });
    }
    // Calls visit(id_info) for the sparse ids that are still there: the removal of properties in
    // the same step has already removed the sparse ids of the element itself.
    template <class Visit>
    void each_present(Visit&& visit) {
        for (const id_info& info : sparse_) {
            if (has_sparse(data_, entity_, info)) {
                visit(info);
            }
        }
    }
    void notify_removed() override {
        for (const id_info& info : sparse_) {
            notify_after_erase(world_, entity_, info);
        }
    }
    void notify_added() override {}
    // Throws if the entity cannot move to the table without the ids: pairs that stay may require
    // the parent (OneOf), the inverse of a symmetric pair, or a property.
    void check_move() {
        for (id_t id : dense_) {
            if (!is_pair(id) || id & Override) {
                continue;
            }
            if (pair_first(id) == ChildOf) {
                check_leaves(world_, entity_, data_.entities.alive_at(pair_second(id)));
            }
            if (const id_info pair = traits::describe_id(data_, id); traits::has_inverse(pair)) {
                check_remove_inverse(world_, entity_, pair);
            }
        }
        if (std::any_of(dense_.begin(), dense_.end(), traits::is_property)) {
            const table& to = table_after(world_, type(), nullptr, 0, dense_.data(), dense_.size());
            property_change(world_, entity_, type(), to);
        }
    }
    // Checks the rules of the ids as one step: an id that is lost together with another may require
    // it.
    void check(staged_change& step) {
        for (id_t id : all_) {
            step.set.lose(entity_, traits::describe_id(data_, id));
        }
        check_not_required(world_, entity_, all_.data(), all_.size());
        for (id_t id : dense_) {
            check_removable(world_, entity_, id);
        }
        bool keeps_name =
            std::find(dense_.begin(), dense_.end(), detail::name_pair) == dense_.end();
        for (const id_info& info : sparse_) {
            check_removable_sparse(world_, entity_, info, keeps_name);
        }
    }

    stage& world_;
    storage::store& data_;
    entity_t entity_;
    entity_record& record_;
    id_buffer all_{world_.data.mem, purpose::commands};
    id_buffer dense_{world_.data.mem, purpose::commands};
    containers::small_vec<id_info, 8> sparse_{world_.data.mem, purpose::commands};
};

// Removes the ids that match a wildcard, in one step.
void remove_matching(stage& world, entity_t entity, id_t pattern) {
    removal change(world, entity);
    change.collect(pattern);
    if (change.empty()) {
        return;
    }
    check_range(world, entity, pattern);
    callback_scope code(world);
    change.run();
    code.finish();
}

}  // namespace

void add_id(stage& world, entity_t entity, id_t id, bool expects_value) {
    if (!try_add(world, entity, id)) {
        add_id_slow(world, entity, get_record(world, entity), id, expects_value);
    }
}

void add_ids(stage& world, entity_t entity, const id_t* ids, std::uint32_t count) {
    check_range(world, entity, 0);
    ensure_row(world, entity, get_record(world, entity));
    callback_scope code(world);
    {
        addition change(world, entity);
        change.expand(ids, count, false);
        change.run();
    }
    code.finish();
}

void add_with_others(stage& world, entity_t entity, const id_info& added,
                     const detail::value_source* source) {
    if (!traits::implies_others(added.traits)) {
        add_one(world, entity, added, source);
        return;
    }
    // The row of the entity moves when the implied ids are added, and the source may lie in it.
    values_ahead values(world.data.mem);
    if (is_validated(added)) {
        source = validate_added(world, entity, added, source, values);
    } else if (source) {
        source = &values.make(added.value_type->info, *source);
    }
    addition change(world, entity);
    change.expand(&added.id, 1, true);
    change.run();
    if (!storage::owns_id(world.data, get_record(world, entity), entity, added.id)) {
        add_one(world, entity, added, source);
    } else if (source) {
        // The inverse of an implied symmetric pair may have implied the id itself.
        note_value_written(world.data, get_record(world, entity), added.id);
        assign_value(added.value_type->info, find_own_value(world, entity, added.id), *source);
    }
}

void remove_id(stage& world, entity_t entity, id_t id) {
    if (try_remove(world, entity, id)) {
        return;
    }
    if (is_wildcard(id)) {
        remove_matching(world, entity, id);
    } else {
        remove_one(world, entity, get_record(world, entity), id);
    }
}

void check_removal(stage& world, entity_t entity, id_t id) {
    removal change(world, entity);
    change.collect(id);
    check_range(world, entity, id);
    change.check();
}

void clear_entity(stage& world, entity_t entity) {
    check_range(world, entity, 0);
    ensure_row(world, entity, get_record(world, entity));
    removal change(world, entity);
    change.collect(Wildcard);
    change.collect(make_pair(Wildcard, Wildcard));
    change.collect_marks();
    callback_scope code(world);
    change.run();
    code.finish();
}

}  // namespace kith::mutate
