#include "mutate/add_remove.hpp"

#include "base/log.hpp"
#include "mutate/constraints.hpp"
#include "mutate/fast_path.hpp"
#include "mutate/property.hpp"
#include "mutate/sparse_ops.hpp"
#include "mutate/symmetric.hpp"
#include "mutate/validate.hpp"
#include "mutate/values.hpp"
#include "mutate/wide_tables.hpp"
#include "names/id_text.hpp"
#include "traits/inherit.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_info;
using storage::table;

bool has_id(const stage& world, const entity_record& record, entity_t entity, id_t id) {
    const storage::store& data = world.data;
    if (storage::owns_id(data, record, entity, id)) {
        return true;
    }
    return traits::find_base(data, record, entity, id) != 0;
}

void check_removable(stage& world, entity_t entity, id_t id) {
    if (id == detail::component_type_id) {
        raise_entity_id(world, errc::in_use, entity, id,
                        "makes the entity a component: it cannot be removed");
    }
}

void collect_replaced(const stage& world, entity_t entity, const id_info& added, id_buffer& going) {
    if (is_pair(added.id) && !(added.id & Override) && added.traits & traits::trait_exclusive) {
        each_owned(world.data, entity, make_pair(pair_first(added.id), Wildcard),
                   [&](const id_info& old) {
                       if (old.id != added.id) {
                           going.push(old.id);
                       }
                   });
    }
}

void add_one(stage& world, entity_t entity, const id_info& added,
             const detail::value_source* source) {
    id_buffer going(world.data.mem, purpose::commands);
    collect_replaced(world, entity, added, going);
    check_not_required(world, entity, going.data(), going.size());
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

constexpr id_t name_pair = make_pair(detail::identifier_type_id, Name);

// Values without being given one: checked early, so that nothing is made for nothing.
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
// A tag as relationship, a component as target, and nothing said about a value: the pair has one
// all the same, which is hardly meant.
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

// The first time that an id is added to a table, and whenever more than bytes is to be moved.
void add_id_slow(stage& world, entity_t entity, entity_record& record, id_t id, bool meant) {
    id_info added = prepare_id(world, id);
    check_range(world, entity, id);
    ensure_row(world, entity, record);
    if (storage::owns_id(world.data, record, entity, id)) {
        return;
    }
    check_addable(world, entity, record, added);
    if (!meant) {
        warn_of_value(world, added);
    }
    if (added.traits & traits::trait_with) {
        add_ids(world, entity, &id, 1);
        return;
    }
    if (!is_sparse(added) && !traits::is_property(id)) {
        // The way is known after this, and often short.
        table& from = world.data.tables.at(record.table);
        table& to = resolve_add(world, from, added);
        world.data.tables.reserve_rows(to, 1);
        if (try_add(world, entity, id)) {
            note_left(world, from);
            if (world.batch_open) {
                callback_scope(world).finish();  // somebody waits to be told of the table
            }
            finish_leaving(world);
            return;
        }
    }
    add_one(world, entity, added, nullptr);
}

// What is to be added to an entity at once. It must end before queued changes run.
class addition {
public:
    addition(stage& world, entity_t entity) : world_(world), entity_(entity) {}

    // `staged_gain`: an id that is added by itself after that, though the others may bring it
    // along.
    void collect(const id_t* ids, std::uint32_t count, id_t staged_gain) {
        id_buffer all(world_.data.mem, purpose::commands);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (std::find(all.begin(), all.end(), ids[i]) == all.end()) {
                all.push(ids[i]);
            }
            traits::collect_implied(world_.data, prepare_id(world_, ids[i]), all);
        }
        const entity_record& record = get_record(world_, entity_);
        if (staged_gain && std::find(all.begin(), all.end(), staged_gain) == all.end()) {
            collect_replaced(world_, entity_, prepare_id(world_, staged_gain), going_);
            step_.gain(entity_, staged_gain);
        }
        staged_gains_ = staged_gain;
        for (id_t id : all) {
            id_info added = prepare_id(world_, id);
            if (storage::owns_id(world_.data, record, entity_, id)) {
                continue;
            }
            collect_replaced(world_, entity_, added, going_);
            step_.gain(entity_, id);
            if (id == staged_gain) {
                continue;
            }
            check_addable(world_, entity_, record, added);
            check_one_target(added, all);
            if (is_sparse(added)) {
                sparse_.push(added);
            } else {
                dense_.push(id);
                id_t replaced = traits::replaced_by(type(), id, added.traits);
                if (replaced) {
                    replaced_.push(replaced);
                }
            }
        }
    }

    // First whatever may be refused.
    void run() {
        check_not_required(world_, entity_, going_.data(), going_.size());
        if (staged_gains_) {
            check_staged(prepare_id(world_, staged_gains_));
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
    void check_staged(const id_info& added) const {
        if (is_sparse(added)) {
            check_addable_sparse(world_, entity_, added);
        } else if (is_pair(added.id)) {
            check_pair(world_, entity_, added);
            check_staged_inverse(added);
        }
    }
    void check_staged_inverse(const id_info& added) const {
        if (!(added.traits & traits::trait_symmetric)) {
            return;
        }
        prepare_add_inverse(world_, entity_, added);
        id_buffer replaced(world_.data.mem, purpose::commands);
        collect_replaced(world_, entity_, added, replaced);
        for (id_t id : replaced) {
            prepare_remove_inverse(world_, entity_, traits::describe_id(world_.data, id));
        }
    }
    void check_one_target(const id_info& added, const id_buffer& all) const {
        if (!(added.traits & traits::trait_exclusive) || !is_pair(added.id)) {
            return;
        }
        for (id_t other : all) {
            if (other != added.id && is_pair(other) && !(other & Override) &&
                pair_first(other) == pair_first(added.id)) {
                raise_id(world_, errc::constraint, added.id,
                         "is exclusive: two targets of it cannot be added at once");
            }
        }
    }

    stage& world_;
    entity_t entity_;
    id_buffer dense_{world_.data.mem, purpose::commands};
    id_buffer replaced_{world_.data.mem, purpose::commands};  // of the table
    id_buffer going_{world_.data.mem,
                     purpose::commands};  // with links, and what `staged_gain` ends
    id_t staged_gains_ = 0;
    staged_change step_{world_};
    containers::small_vec<id_info, 8> sparse_{world_.data.mem, purpose::commands};
};

void add_together(stage& world, entity_t entity, const id_t* ids, std::uint32_t count) {
    addition all(world, entity);
    all.collect(ids, count, 0);
    all.run();
}

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

// Removes several ids in one step: it may turn out that one of them cannot be removed.
class removal final : sparse_delta {
public:
    removal(stage& world, entity_t entity)
        : world_(world), data_(world.data), entity_(entity), record_(get_record(world, entity)) {}

    // Adds what the entity has of the pattern.
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
    void collect_marks() {
        const table& from = type();
        for (std::uint32_t i = 0; i < from.id_count && from.flags & detail::shape_has_marks; ++i) {
            if (from.ids[i] & Override) {
                dense_.push(from.ids[i]);
            }
        }
    }
    bool empty() const noexcept { return all_.empty(); }

    // Throws if run() would be refused.
    void check() {
        staged_change step(world_);
        check(step);
        check_move();
    }
    // First whatever may be refused.
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
        each_left([&](const id_info& info) { notify_before_erase(world_, entity_, info); });
    }
    void change() override {
        each_left([&](const id_info& info) { erase_sparse(world_, entity_, info); });
    }
    // Properties that go take some of them along.
    template <class Visit>
    void each_left(Visit&& visit) {
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
    // Throws if the entity cannot move to the table without these ids: pairs that stay need a
    // property which goes, the parent, or the other side of a symmetric pair.
    void check_move() {
        for (id_t id : dense_) {
            if (!is_pair(id) || id & Override) {
                continue;
            }
            if (pair_first(id) == ChildOf) {
                check_leaves(world_, entity_, data_.entities.alive_at(pair_second(id)));
            }
            const id_info pair = traits::describe_id(data_, id);
            if (pair.traits & traits::trait_symmetric) {
                check_unmirror(world_, entity_, pair);
            }
        }
        if (std::any_of(dense_.begin(), dense_.end(), traits::is_property)) {
            const table& to = table_after(world_, type(), nullptr, 0, dense_.data(), dense_.size());
            property_change(world_, entity_, type(), to);
        }
    }
    void check(staged_change& step) {
        for (id_t id : all_) {
            step.lose(entity_, id);
        }
        check_not_required(world_, entity_, all_.data(), all_.size());
        for (id_t id : dense_) {
            check_removable(world_, entity_, id);
        }
        bool keeps_name = std::find(dense_.begin(), dense_.end(), name_pair) == dense_.end();
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

void remove_matching(stage& world, entity_t entity, id_t pattern) {
    removal all(world, entity);
    all.collect(pattern);
    if (all.empty()) {
        return;
    }
    check_range(world, entity, pattern);
    callback_scope code(world);
    all.run();
    code.finish();
}

}  // namespace

void add_id(stage& world, entity_t entity, id_t id, bool meant) {
    if (!try_add(world, entity, id)) {
        add_id_slow(world, entity, get_record(world, entity), id, meant);
    }
}

void add_ids(stage& world, entity_t entity, const id_t* ids, std::uint32_t count) {
    check_range(world, entity, 0);
    ensure_row(world, entity, get_record(world, entity));
    callback_scope code(world);
    add_together(world, entity, ids, count);
    code.finish();
}

void add_with_others(stage& world, entity_t entity, const id_info& added,
                     const detail::value_source* source) {
    if (!(added.traits & traits::trait_with)) {
        add_one(world, entity, added, source);
        return;
    }
    // The row of the entity moves when the others come: a source may lie in it.
    values_ahead values(world.data.mem);
    if (is_validated(added)) {
        source = validate_added(world, entity, added, source, values);
    } else if (source) {
        source = &values.make(added.value_type->info, *source);
    }
    id_buffer others(world.data.mem, purpose::commands);
    traits::collect_implied(world.data, added, others);
    addition all(world, entity);
    all.collect(others.data(), others.size(), added.id);
    all.run();
    if (!storage::owns_id(world.data, get_record(world, entity), entity, added.id)) {
        add_one(world, entity, added, source);
    } else if (source) {
        // It came along with the other side of something symmetric.
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
    removal all(world, entity);
    all.collect(id);
    check_range(world, entity, id);
    all.check();
}

void clear_entity(stage& world, entity_t entity) {
    check_range(world, entity, 0);
    ensure_row(world, entity, get_record(world, entity));
    removal all(world, entity);
    all.collect(Wildcard);
    all.collect(make_pair(Wildcard, Wildcard));
    all.collect_marks();
    callback_scope code(world);
    all.run();
    code.finish();
}

}  // namespace kith::mutate
