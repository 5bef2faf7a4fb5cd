// Running deferred commands. The changes of one entity are folded into one move; the state
// afterwards is the same as if the commands had run one by one, and hooks run once per net change.
#include "mutate/create.hpp"
#include "mutate/destroy.hpp"
#include "mutate/fast_path.hpp"
#include "mutate/stage.hpp"
#include "mutate/toggle.hpp"
#include "mutate/transition.hpp"
#include "mutate/values.hpp"
#include "traits/traits.hpp"

#include <exception>
#include <utility>

namespace kith::mutate {

using containers::purpose;
using storage::id_record;
using storage::table;

namespace {

// Errors of commands: the first in call order is kept, all are counted, none stops the others.
class error_log {
public:
    template <class Action>
    bool attempt(const command& running, Action&& action) {
#if defined(__cpp_exceptions)
        try {
            action();
            return true;
        } catch (...) {
            if (count_++ == 0 || running.order < first_order_) {
                first_ = std::current_exception();
                first_order_ = running.order;
            }
            return false;
        }
#else
        static_cast<void>(running);
        action();
        return true;
#endif
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
        parent_in(owner.data, owner.data.tables.at(get_record(owner, queued.entity).table));
    owner.listen.check_name(owner, queued.entity, parent, queued.value());
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
        case command_kind::remove_all:
            remove_all(owner, queued.id);
            break;
        case command_kind::delete_with:
            delete_with(owner, queued.id);
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
            if (is_sparse(*one.record) || one.had == one.has) {
                continue;
            }
            (one.has ? added : removed).push(one.record->id);
            if (one.has && one.value) {
                contexts.push({one.value->type, one.value->value()});
                sources.push(moving_source(contexts.back()));
                given.push({one.record, &sources.back()});
                one.placed = true;
            }
        }
        for (id_t id : removed) {
            check_removable(owner_, entity_, id);
        }
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
                    run_hook(owner_, types::hook_set, *one.record, entity_,
                             find_value(owner_, entity_, record_, one.record->id, 0));
                });
            }
        }
    }

private:
    struct outcome {
        id_record* record;
        command* value;  // the last value given, null if there is none
        bool had;
        bool has;
        bool reset;  // was lost on the way: a default value replaces the old one
        bool notify;
        bool placed;  // the value was used when the entity moved
    };

    bool had(const id_record& record) const noexcept {
        return is_sparse(record)
                   ? record.sparse && record.sparse->has(index_of(entity_))
                   : storage::find_id(owner_.data.tables.at(record_.table), record.id) >= 0;
    }
    outcome* find(id_t id) noexcept {
        for (outcome& one : touched_) {
            if (one.record->id == id) {
                return &one;
            }
        }
        return nullptr;
    }
    bool has(id_t id) {
        if (const outcome* one = find(id)) {
            return one->has;
        }
        return has_id(owner_, record_, entity_, id);
    }
    // The parent after the commands that were applied so far.
    entity_t coming_parent() const noexcept {
        bool touched = false;
        for (const outcome& one : touched_) {
            if (is_pair(one.record->id) && pair_first(one.record->id) == ChildOf) {
                if (one.has) {
                    return owner_.data.entities.alive_at(pair_second(one.record->id));
                }
                touched |= one.had;
            }
        }
        return touched ? 0 : parent_in(owner_.data, owner_.data.tables.at(record_.table));
    }
    outcome& touch(id_t id) {
        if (outcome* one = find(id)) {
            return *one;
        }
        id_record& record = owner_.data.ids.ensure(id);
        bool there = had(record);
        touched_.push({&record, nullptr, there, there, false, false, false});
        return touched_.back();
    }
    void drop(outcome& one) noexcept {
        one.has = false;
        one.reset = true;
        one.notify = false;
        one.value = nullptr;
    }
    void gain(id_record& record) {
        if (!has(record.id)) {
            check_default_constructible(owner_, record);
        }
        gain_any(record);
    }
    outcome& gain_any(id_record& record) {
        if (record.traits & traits::trait_exclusive && is_pair(record.id) && !has(record.id)) {
            lose(make_pair(pair_first(record.id), Wildcard));
        }
        outcome& one = touch(record.id);
        one.has = true;
        return one;
    }
    void gain_value(command& queued) {
        id_record& record = prepare_id(owner_, queued.id);
        if (queued.kind == command_kind::emplace && has(queued.id)) {
            raise_entity_id(owner_, errc::already_exists, entity_, queued.id,
                            "is there already; use set");
        }
        if (queued.id == name_id) {
            owner_.listen.check_name(owner_, entity_, coming_parent(), queued.value());
        }
        outcome& one = gain_any(record);
        one.value = &queued;
        one.notify |= queued.kind != command_kind::ensure;
    }
    void lose(id_t pattern) {
        for (outcome& one : touched_) {
            if (matches_id(pattern, one.record->id) && one.has) {
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
        for (id_record* sparse : owner_.data.sparse_ids) {
            if (sparse && matches_id(pattern, sparse->id) && !find(sparse->id) &&
                sparse->sparse->has(index_of(entity_))) {
                drop(touch(sparse->id));
            }
        }
    }
    void lose_all() {
        lose(make_pair(Wildcard, Wildcard));
        lose(Wildcard);
    }
    void write_one(outcome& one) {
        if (!one.has) {
            if (one.had && is_sparse(*one.record)) {
                remove_sparse(owner_, entity_, *one.record);
            }
            return;
        }
        if (one.had && one.reset && record_.state & storage::record_has_disabled) {
            // It was gone for a moment, and what comes new is switched on.
            enable_id(owner_, entity_, one.record->id, true);
        }
        if (one.placed || (!one.value && !is_sparse(*one.record) && !(one.had && one.reset))) {
            return;
        }
        if (!one.value) {
            if (!one.had) {
                add_sparse(owner_, entity_, record_, *one.record, nullptr);
            } else if (one.record->value_type && one.reset) {
                reset_value(*one.record);
            }
            return;
        }
        move_context context{one.value->type, one.value->value()};
        detail::value_source source = moving_source(context);
        if (void* value = find_value(owner_, entity_, record_, one.record->id, 0)) {
            assign_value(*one.value->type, value, source);
        } else {
            add_sparse(owner_, entity_, record_, *one.record, &source);
        }
    }
    // A new default value, made aside so that a constructor that fails leaves the old one.
    void reset_value(const id_record& record) {
        const type_info& info = record.value_type->info;
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
        void* value = find_value(owner_, entity_, record_, record.id, 0);
        types::destroy_values(info, value, 1);
        types::relocate_value(info, value, fresh);
    }

    stage& owner_;
    entity_t entity_;
    storage::entity_record& record_;
    std::uint32_t table_before_ = 0;
    containers::small_vec<outcome, 16> touched_{owner_.data.mem, purpose::commands};
};

// Commands that are not folded: they have effects beyond the entity's ids.
bool can_fold(const command& queued) noexcept {
    switch (queued.kind) {
        case command_kind::place:
        case command_kind::add:
        case command_kind::remove:
        case command_kind::set:
        case command_kind::emplace:
        case command_kind::ensure:
        case command_kind::modified:
        case command_kind::clear:
            return !traits::is_property(queued.id);
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
        code.finish();
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
        foldable &= can_fold(*at) && !(has_traits && may_end_traits);
        bool is_parent = (at->kind == command_kind::add || at->kind == command_kind::remove) &&
                         is_pair(at->id) && pair_first(at->id) == ChildOf;
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

void flush(stage& owner) {
    error_log errors;
    owner.flushing = true;
    while (!owner.commands.empty()) {
        bool in_order = owner.commands.is_in_order();
        for (command* at = owner.commands.take(); at; at = at->following) {
            if (in_order) {
                run_alone(owner, *at, errors);
            } else if (at->entity == 0) {
                errors.attempt(*at, [&] { run_one(owner, *at); });
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
