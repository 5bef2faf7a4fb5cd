// Running deferred commands. The changes of one entity are folded into one move; the state
// afterwards is the same as if the commands had run one by one, and hooks run once per net change.
#include "mutate/beside.hpp"
#include "mutate/chain.hpp"
#include "mutate/constraints.hpp"
#include "mutate/copy.hpp"
#include "mutate/destroy.hpp"
#include "mutate/emit.hpp"
#include "mutate/fast_path.hpp"
#include "mutate/instantiate.hpp"
#include "mutate/operations.hpp"
#include "mutate/toggle.hpp"
#include "mutate/values.hpp"

#include <exception>
#include <utility>

namespace kith::mutate {

using containers::purpose;
using storage::id_info;
using storage::id_record;
using storage::table;

namespace {

// Errors of commands: the first in call order is kept, all are counted, none stops the others.
class error_log {
public:
    template <class Action>
    bool attempt(const command& running, Action&& action) {
        return attempt_at(running.order, action);
    }
    // What follows from commands.
    template <class Action>
    bool attempt(Action&& action) {
        return attempt_at(0xFFFFFFFF, action);
    }
    void merge(error_log& other) noexcept {
        if (other.count_ != 0 && (count_ == 0 || other.first_order_ < first_order_)) {
            first_ = std::move(other.first_);
            first_order_ = other.first_order_;
        }
        count_ += std::exchange(other.count_, 0);
    }
    void raise_first() const {
#if defined(__cpp_exceptions)
        if (count_ == 0) {
            return;
        }
        if (count_ > 1) {
            try {
                std::rethrow_exception(first_);
            } catch (const error& failed) {
                base::raise(failed.code(), base::text{} << failed.what() << " (the first of "
                                                        << count_
                                                        << " deferred commands that failed)");
            }
        }
        std::rethrow_exception(first_);
#endif
    }

private:
    template <class Action>
    bool attempt_at(std::uint32_t order, Action& action) {
#if defined(__cpp_exceptions)
        try {
            action();
            return true;
        } catch (...) {
            if (count_++ == 0 || order < first_order_) {
                first_ = std::current_exception();
                first_order_ = order;
            }
            return false;
        }
#else
        static_cast<void>(order);
        action();
        return true;
#endif
    }

    std::uint32_t count_ = 0;
    std::uint32_t first_order_ = 0;
    std::exception_ptr first_;
};

void drop_value(command& queued) noexcept {
    if (queued.has_value && !queued.type->trivial_destroy) {
        types::destroy_values(*queued.type, queued.value(), 1);
    }
    queued.has_value = false;
}

constexpr id_t name_id = make_pair(detail::identifier_type_id, Name);

void run_name(stage& owner, command& queued) {
    entity_t parent =
        storage::parent_of(owner.data, get_record(owner, queued.entity), queued.entity);
    owner.listen.check_name(owner, queued.entity, parent, queued.value());
    tell_renaming(owner, queued.entity);
    move_context context{queued.type, queued.value()};
    set_value(owner, queued.entity, queued.id, 0, moving_source(context));
    owner.listen.name_stored(owner, queued.entity);
}

void run_one(stage& owner, command& queued) {
    if (queued.id == name_id && queued.kind == command_kind::set) {
        run_name(owner, queued);
        return;
    }
    switch (queued.kind) {
        case command_kind::place:
            place_entity(owner, queued.entity, get_record(owner, queued.entity));
            break;
        case command_kind::add:
            add_id(owner, queued.entity, queued.id);
            break;
        case command_kind::remove:
            remove_id(owner, queued.entity, queued.id);
            break;
        case command_kind::set:
            if (queued.type->trivial_move && queued.type->trivial_destroy) {
                set_value(owner, queued.entity, queued.id, 0, {queued.value(), nullptr, nullptr});
                break;
            }
            [[fallthrough]];
        case command_kind::emplace: {
            move_context context{queued.type, queued.value()};
            detail::value_source source = moving_source(context);
            (queued.kind == command_kind::set ? set_value : emplace_value)(owner, queued.entity,
                                                                           queued.id, 0, source);
            break;
        }
        case command_kind::ensure: {
            move_context context{queued.type, queued.value()};
            assign_value(*queued.type, ensure_value(owner, queued.entity, queued.id, 0),
                         moving_source(context));
            break;
        }
        case command_kind::modified:
            notify_set(owner, queued.entity, queued.id);
            break;
        case command_kind::clear:
            clear_entity(owner, queued.entity);
            break;
        case command_kind::destruct:
            delete_entity(owner, queued.entity);
            break;
        case command_kind::clone:
        case command_kind::clone_types:
            clone_into(owner, queued.id, queued.entity, queued.kind == command_kind::clone);
            break;
        case command_kind::enable:
        case command_kind::disable:
            enable_id(owner, queued.entity, queued.id, queued.kind == command_kind::enable);
            break;
        case command_kind::add_list: {
            const auto& list = *static_cast<const queued_ids*>(queued.value());
            add_ids(owner, queued.entity, list.ids, list.count);
            break;
        }
        case command_kind::remove_all:
            remove_all(owner, queued.id);
            break;
        case command_kind::delete_with:
            delete_with(owner, queued.id);
            break;
        case command_kind::emit:
            static_cast<const queued_emission*>(queued.value())->run(owner);
            break;
    }
}

void run_alone(stage& owner, command& queued, error_log& errors) {
    // Commands on entities that died meanwhile are dropped.
    if (queued.entity == 0 || owner.data.entities.find(queued.entity)) {
        errors.attempt(queued, [&] { run_one(owner, queued); });
    }
    drop_value(queued);
}

// Runs the commands of a chain one after the other.
void run_chain(stage& owner, command* head, error_log& errors) {
    for (command* at = head; at; at = at->next) {
        run_alone(owner, *at, errors);
    }
}

// Folds a chain: first works out what becomes of each id it touches, then makes one move.
class fold {
public:
    fold(stage& owner, entity_t entity)
        : owner_(owner), entity_(entity), record_(get_record(owner, entity)) {}

    // What a command does to the outcome. Throws if the command fails; then it has no effect.
    void apply(command& queued) {
        switch (queued.kind) {
            case command_kind::add:
                gain(prepare_id(owner_, queued.id));
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
                    raise_entity_id(owner_, errc::missing_component, entity_, queued.id,
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

    // False if a move() that threw has changed nothing; else only a hook has failed.
    bool has_moved() const noexcept { return record_.table != table_before_; }

    // The one move.
    void move() {
        place_entity(owner_, entity_, record_);
        table_before_ = record_.table;
        id_buffer added(owner_.data.mem, purpose::commands);
        id_buffer removed(owner_.data.mem, purpose::commands);
        containers::small_vec<given_value, 16> given(owner_.data.mem, purpose::commands);
        containers::small_vec<detail::value_source, 16> sources(owner_.data.mem, purpose::commands);
        containers::small_vec<move_context, 16> contexts(owner_.data.mem, purpose::commands);
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
                given.push({one.id.id, &sources.back()});
                one.placed = true;
            }
        }
        for (id_t id : removed) {
            check_removable(owner_, entity_, id);
        }
        check_sparse();
        if (!added.empty() || !removed.empty()) {
            table& to = table_after(owner_, owner_.data.tables.at(record_.table), added.data(),
                                    added.size(), removed.data(), removed.size());
            move_entity(owner_, entity_, record_, to, given.data(), given.size());
        }
    }

    // Values of what was there before, sparse ids, then the notifications.
    void write(const command& head, error_log& errors) {
        for (outcome& one : touched_) {
            errors.attempt(one.value ? *one.value : head, [&] { write_one(one); });
        }
        if (const outcome* name = find(name_id); name && name->has) {
            owner_.listen.name_stored(owner_, entity_);
        }
        for (outcome& one : touched_) {
            if (one.notify && one.has) {
                errors.attempt(one.value ? *one.value : head, [&] {
                    tell(owner_, storage::heard_set, one.id, entity_,
                         find_own_value(owner_, entity_, record_, one.id.id, 0));
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
        bool placed;  // the value was used when the entity moved
    };

    bool had(id_t id) const noexcept { return storage::owns_id(owner_.data, record_, entity_, id); }
    outcome* find(id_t id) noexcept {
        for (outcome& one : touched_) {
            if (one.id.id == id) {
                return &one;
            }
        }
        return nullptr;
    }
    bool has(id_t id) {
        if (const outcome* one = find(id)) {
            return one->has;
        }
        return had(id);
    }
    // The parent after the commands that were applied so far.
    entity_t coming_parent() const noexcept {
        bool touched = false;
        for (const outcome& one : touched_) {
            if (is_pair(one.id.id) && pair_first(one.id.id) == ChildOf) {
                if (one.has) {
                    return owner_.data.entities.alive_at(pair_second(one.id.id));
                }
                touched |= one.had;
            }
        }
        return touched ? 0 : storage::parent_of(owner_.data, record_, entity_);
    }
    outcome& touch(id_t id) {
        if (outcome* one = find(id)) {
            return *one;
        }
        bool there = had(id);
        touched_.push(
            {traits::describe_id(owner_.data, id), nullptr, there, there, false, false, false});
        return touched_.back();
    }
    void drop(outcome& one) noexcept {
        one.has = false;
        one.reset = true;
        one.notify = false;
        one.value = nullptr;
    }
    void gain(const id_info& id) {
        if (!has(id.id)) {
            check_default_constructible(owner_, id);
        }
        gain_any(id);
    }
    outcome& gain_any(const id_info& id) {
        if (id.traits & traits::trait_with && !has(id.id)) {
            // First, because what must come with the old target may go then.
            make_room(id);
            id_buffer others(owner_.data.mem, purpose::commands);
            traits::collect_with(owner_.data, id, others);
            for (id_t other : others) {
                if (!has(other)) {
                    check_default_constructible(owner_, prepare_id(owner_, other));
                }
            }
            for (id_t other : others) {
                if (!has(other)) {
                    gain_alone(prepare_id(owner_, other));
                }
            }
        }
        return gain_alone(id);
    }
    // Without what comes along.
    outcome& gain_alone(const id_info& id) {
        make_room(id);
        outcome& one = touch(id.id);
        one.has = true;
        return one;
    }
    void make_room(const id_info& id) {
        if (id.traits & traits::trait_exclusive && is_pair(id.id) && !has(id.id)) {
            lose(make_pair(pair_first(id.id), Wildcard));
        }
    }
    // Throws if something that stays needs one of the ids that the pattern stands for.
    void check_lost(id_t pattern) {
        auto check = [&](id_t kept, std::uint32_t bits) {
            if (!(bits & traits::trait_with) || matches_id(pattern, kept) || !has(kept)) {
                return;
            }
            traits::each_brought(owner_.data, kept, [&](id_t needed) {
                if (matches_id(pattern, needed) && has(needed)) {
                    raise_required(owner_, entity_, needed, kept);
                }
            });
        };
        auto check_id = [&](const id_info& id) { check(id.id, id.traits); };
        each_owned(owner_.data, entity_, Wildcard, check_id);
        each_owned(owner_.data, entity_, make_pair(Wildcard, Wildcard), check_id);
        for (std::uint32_t i = 0; i < touched_.size(); ++i) {
            check(touched_[i].id.id, touched_[i].id.traits);
        }
    }
    void gain_value(command& queued) {
        id_info id = prepare_id(owner_, queued.id);
        if (queued.kind == command_kind::emplace && has(queued.id)) {
            raise_entity_id(owner_, errc::already_exists, entity_, queued.id,
                            "is there already; use set");
        }
        if (queued.id == name_id) {
            owner_.listen.check_name(owner_, entity_, coming_parent(), queued.value());
        }
        outcome& one = gain_any(id);
        one.value = &queued;
        one.notify |= queued.kind != command_kind::ensure;
    }
    void lose(id_t pattern) {
        check_lost(pattern);
        drop_all(pattern);
    }
    void drop_all(id_t pattern) {
        for (outcome& one : touched_) {
            if (matches_id(pattern, one.id.id) && one.has) {
                drop(one);
            }
        }
        const table& type = owner_.data.tables.at(record_.table);
        for (std::int32_t at = storage::find_match(type, pattern, 0); at >= 0;
             at = storage::find_match(type, pattern, at + 1)) {
            if (!find(type.ids[at])) {
                drop(touch(type.ids[at]));
            }
        }
        id_buffer beside(owner_.data.mem, purpose::commands);
        each_beside(owner_.data, record_, entity_, pattern,
                    [&](const id_info& id) { beside.push(id.id); });
        for (id_t id : beside) {
            if (!find(id)) {
                drop(touch(id));
            }
        }
    }
    void lose_all() {
        drop_all(make_pair(Wildcard, Wildcard));
        drop_all(Wildcard);
        const table& type = owner_.data.tables.at(record_.table);
        for (std::uint32_t i = 0; i < type.id_count; ++i) {
            if (type.ids[i] & Override) {
                drop_all(type.ids[i]);
            }
        }
    }
    // What lies beside the table changes after the move, which cannot be undone then.
    void check_sparse() {
        for (const outcome& one : touched_) {
            if (is_sparse(one.id) && one.had != one.has) {
                check_sparse_unlocked(owner_, entity_, one.id.id);
            }
            if (is_sparse(one.id) && one.has && !one.had && is_pair(one.id.id)) {
                check_pair(owner_, entity_, one.id);
            }
        }
        if (owner_.data.parents_store) {
            entity_t before = storage::parent_of(owner_.data, record_, entity_);
            entity_t after = coming_parent();
            const outcome* name = find(name_id);
            if (before != after && !(name && !name->has)) {
                check_parent(owner_, entity_, record_, before, after);
            }
        }
    }
    void write_one(outcome& one) {
        if (!one.has) {
            if (one.had && is_sparse(one.id) && has_beside(owner_.data, entity_, one.id)) {
                remove_beside(owner_, entity_, one.id);
            }
            return;
        }
        if (one.had && one.reset && record_.state & storage::record_has_disabled) {
            // It was gone for a moment, and what comes new is switched on.
            enable_id(owner_, entity_, one.id.id, true);
        }
        if (one.had && one.reset && is_sparse(one.id) && is_pair(one.id.id)) {
            storage::find_links(owner_.data, pair_first(one.id.id))
                ->renew(entity_, pair_second(one.id.id));
        }
        if (one.placed || (!one.value && !is_sparse(one.id) && !(one.had && one.reset))) {
            return;
        }
        if (!one.value) {
            if (!one.had) {
                add_beside(owner_, entity_, one.id, nullptr);
            } else if (one.id.value_type && one.reset) {
                reset_value(one.id);
            }
            return;
        }
        move_context context{one.value->type, one.value->value()};
        detail::value_source source = moving_source(context);
        if (void* value = find_own_value(owner_, entity_, record_, one.id.id, 0)) {
            if (one.id.id == name_id) {
                tell_renaming(owner_, entity_);
            }
            assign_value(*one.value->type, value, source);
        } else {
            add_beside(owner_, entity_, one.id, &source);
        }
    }
    // A new default value, made aside so that a constructor that fails leaves the old one.
    void reset_value(const id_info& id) {
        const type_info& info = id.value_type->info;
        std::size_t alignment = info.alignment > 16 ? info.alignment : 16;
        void* fresh = owner_.data.mem.allocate(info.size, purpose::commands, alignment);
        struct guard {
            containers::memory& mem;
            void* fresh;
            std::size_t size;
            std::size_t alignment;
            ~guard() { mem.release(fresh, size, purpose::commands, alignment); }
        } release{owner_.data.mem, fresh, info.size, alignment};
        types::construct_values(info, fresh, 1);
        void* value = find_own_value(owner_, entity_, record_, id.id, 0);
        types::destroy_values(info, value, 1);
        types::relocate_value(info, value, fresh);
        if (id.heard & storage::heard_track) {
            owner_.data.ticks.id_changed(owner_.data, index_of(entity_), id.id);
        }
    }

    stage& owner_;
    entity_t entity_;
    storage::entity_record& record_;
    std::uint32_t table_before_ = 0;
    containers::small_vec<outcome, 16> touched_{owner_.data.mem, purpose::commands};
};

// Adding or removing the id has effects on other entities, or takes its value from one.
bool reaches_others(const stage& owner, const command& queued) {
    const storage::store& data = owner.data;
    if (queued.id < low_id_limit && queued.kind == command_kind::set) {
        return false;
    }
    const storage::entity_record* record = data.entities.find(queued.entity);
    bool inherits = record && data.tables.at(record->table).flags & detail::shape_has_base &&
                    queued.kind != command_kind::set && queued.kind != command_kind::emplace;
    if (!is_pair(queued.id)) {
        return inherits && traits::describe_id(data, queued.id).value_type;
    }
    if (is_wildcard_element(pair_first(queued.id))) {
        constexpr std::uint32_t target = storage::record_used_as_id | storage::record_link_target;
        return inherits || (record && record->state & target);
    }
    id_info id = traits::describe_id(data, queued.id);
    bool prefab = pair_first(queued.id) == ChildOf && queued.kind == command_kind::add &&
                  is_prefab(data, data.entities.alive_at(pair_second(queued.id)));
    return id.traits & traits::trait_symmetric || pair_first(queued.id) == IsA || prefab ||
           (inherits && id.value_type);
}

// Commands that are not folded: they have effects beyond the entity's ids.
bool can_fold(const stage& owner, const command& queued) {
    switch (queued.kind) {
        case command_kind::place:
            return true;
        case command_kind::add:
        case command_kind::remove:
        case command_kind::set:
        case command_kind::emplace:
        case command_kind::ensure:
        case command_kind::modified:
            return !traits::is_property(queued.id) && !reaches_others(owner, queued);
        case command_kind::clear: {
            constexpr std::uint32_t target =
                storage::record_used_as_id | storage::record_link_target;
            return !(get_record(owner, queued.entity).state & target);
        }
        default:
            return false;
    }
}

void run_folded(stage& owner, command* head, error_log& errors) {
    error_log own;
    bool undone = false;
    auto run = [&] {
        fold changes(owner, head->entity);
        for (command* at = head; at; at = at->next) {
            own.attempt(*at, [&] { changes.apply(*at); });
        }
        user_code code(owner);
        undone = !own.attempt(*head, [&] { changes.move(); }) && !changes.has_moved();
        if (!undone) {
            changes.write(*head, own);
        }
        own.attempt(*head, [&] { code.finish(); });
    };
    undone |= !own.attempt(*head, run);
    if (undone) {
        // The move failed, and nothing was used up: one by one, all others still succeed.
        run_chain(owner, head, errors);
        return;
    }
    errors.merge(own);
    for (command* at = head; at; at = at->next) {
        drop_value(*at);
    }
}

void run_entity(stage& owner, command* head, error_log& errors) {
    if (!head->next) {
        run_chain(owner, head, errors);
        return;
    }
    const id_record* own = owner.data.ids.find(head->entity);
    bool has_traits = own && own->traits != 0;
    bool has_parent = false;
    bool foldable = owner.data.entities.find(head->entity) != nullptr;
    command* ending = nullptr;
    for (command* at = head; at; at = at->next) {
        bool may_end_traits = at->kind == command_kind::clear || is_wildcard(at->id);
        foldable = foldable && can_fold(owner, *at) && !(has_traits && may_end_traits);
        bool is_parent = (at->kind == command_kind::add || at->kind == command_kind::remove) &&
                         is_pair(at->id) &&
                         (pair_first(at->id) == ChildOf || is_wildcard_element(pair_first(at->id)));
        foldable &= !(is_parent && has_parent);  // each may fail by itself
        has_parent |= is_parent;
        if (at->kind == command_kind::destruct) {
            ending = at;
            break;
        }
    }
    if (ending && owner.data.entities.find(head->entity)) {
        // Whatever came before has no effect that lasts, unless the deletion is refused.
        bool deleted = errors.attempt(*ending, [&] { run_one(owner, *ending); });
        if (!deleted) {
            ending->kind = command_kind::place;
            run_chain(owner, head, errors);
        }
        for (command* at = head; at; at = at->next) {
            drop_value(*at);
        }
    } else if (foldable) {
        run_folded(owner, head, errors);
    } else {
        run_chain(owner, head, errors);
    }
}

// A single command that moves nothing but bytes. False if it must take the long way.
bool run_plain(stage& owner, command& queued) {
    storage::entity_record* record = owner.data.entities.find(queued.entity);
    if (!record) {
        return false;
    }
    switch (queued.kind) {
        case command_kind::add:
            return try_add(owner, queued.entity, queued.id);
        case command_kind::remove:
            return try_remove(owner, queued.entity, queued.id);
        case command_kind::set: {
            if (!queued.type->trivial_move || !queued.type->trivial_destroy || is_pair(queued.id)) {
                return false;
            }
            const void* bytes = queued.value();
            return try_assign_bytes(owner, *record, queued.id, bytes) ||
                   try_set_bytes(owner, queued.entity, *record, queued.id, bytes);
        }
        default:
            return false;
    }
}

}  // namespace

namespace {

// Counts how often changes led to further changes, and ends that when it never stops.
class round_limit {
public:
    explicit round_limit(stage& owner) noexcept : owner_(owner), outer_(owner.events.tracing) {}
    ~round_limit() { owner_.events.tracing = outer_; }
    round_limit(const round_limit&) = delete;
    round_limit& operator=(const round_limit&) = delete;

    // Another round begins; false if it must not.
    bool begin(error_log& errors) {
        ++count_;
        if (count_ + last_.most > most_rounds) [[unlikely]] {
            owner_.events.tracing = &last_;
        }
        if (count_ > most_rounds) [[unlikely]] {
            if (count_ == most_rounds + 1) {
                errors.attempt([&] { raise_endless(owner_, last_); });
            }
            drop_changes(errors);
            return false;
        }
        return true;
    }

private:
    // Entities that were created while deferred get their rows all the same.
    void drop_changes(error_log& errors) {
        for (command* at = owner_.commands.take(); at; at = at->following) {
            if (at->kind == command_kind::place) {
                run_alone(owner_, *at, errors);
            }
            drop_value(*at);
        }
        owner_.commands.recycle(owner_.data.mem);
    }

    stage& owner_;
    events::trace* outer_;
    events::trace last_;
    std::uint32_t count_ = 0;
};

void run_queue(stage& owner, round_limit& rounds, error_log& errors) {
    while (!owner.commands.empty() && rounds.begin(errors)) {
        bool in_order = owner.commands.is_in_order();
        for (command* at = owner.commands.take(); at; at = at->following) {
            if (in_order) {
                run_alone(owner, *at, errors);
            } else if (at->entity == 0) {
                run_alone(owner, *at, errors);
            } else if (at->is_head) {
                bool done = false;
                if (!at->next) {
                    errors.attempt(*at, [&] { done = run_plain(owner, *at); });
                }
                if (done) {
                    continue;
                }
                run_entity(owner, at, errors);
            }
        }
        owner.commands.recycle(owner.data.mem);
    }
}

}  // namespace

void flush(stage& owner) {
    error_log errors;
    round_limit rounds(owner);
    owner.flushing = true;
    do {
        run_queue(owner, rounds, errors);
        if (std::exchange(owner.unsettled, false)) {
            errors.attempt([&] { owner.listen.settle(owner); });
        }
    } while (!owner.commands.empty() || owner.unsettled);
    if (owner.failed) {
        errors.attempt([&] { std::rethrow_exception(std::exchange(owner.failed, nullptr)); });
    }
    owner.flushing = false;
    errors.raise_first();
}

void drop_commands(stage& owner) noexcept {
    for (command* at = owner.commands.take(); at; at = at->following) {
        drop_value(*at);
    }
    owner.commands.recycle(owner.data.mem);
}

}  // namespace kith::mutate
