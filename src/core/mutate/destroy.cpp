#include "mutate/destroy.hpp"

#include "mutate/fast_path.hpp"
#include "mutate/rows.hpp"
#include "mutate/toggle.hpp"
#include "mutate/transition.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_record;
using storage::table;

namespace {

template <class Visit>
void each_holder(const storage::store& data, const id_record& record, Visit&& visit) {
    for (const storage::table_entry& entry : record.tables) {
        const detail::table_rows& rows = data.tables.rows(entry.table);
        const entity_t* entities =
            rows.count ? storage::entities_of(data.tables.at(entry.table), rows) : nullptr;
        for (std::uint32_t row = 0; row < rows.count; ++row) {
            visit(entities[row]);
        }
    }
    for (std::uint32_t i = 0; record.sparse && i < record.sparse->count(); ++i) {
        visit(record.sparse->entity_at(i));
    }
}

// Records of the ids that have the entity as an element: itself, its pairs, pairs to it.
template <class Visit>
void each_use(const storage::store& data, entity_t entity, Visit&& visit) {
    if (id_record* plain = data.ids.find(entity)) {
        visit(*plain, true);
    }
    if (const id_record* relation = data.ids.find(make_pair(entity, Wildcard))) {
        for (id_record* pair : relation->pairs) {
            visit(*pair, true);
        }
    }
    for (id_record* pair = data.ids.first_with_target(index_of(entity)); pair;
         pair = data.ids.next_with_target(*pair)) {
        visit(*pair, false);
    }
}

bool has_element(id_t id, entity_t element) noexcept {
    return is_pair(id) ? pair_first(id) == index_of(element) || pair_second(id) == index_of(element)
                       : id == element;
}

enum class policy { remove, erase, panic };

policy policy_of(const storage::store& data, entity_t deleted, const id_record& use,
                 bool is_first) {
    if (!is_first) {
        return use.traits & traits::trait_panic_sources    ? policy::panic
               : use.traits & traits::trait_delete_sources ? policy::erase
                                                           : policy::remove;
    }
    // Policies of the entity cover its pairs.
    const id_record* own = data.ids.find(deleted);
    std::uint32_t bits = own ? own->traits : use.traits;
    if (bits & traits::trait_panic_holders) {
        return policy::panic;
    }
    if (bits & traits::trait_delete_holders) {
        return policy::erase;
    }
    bool has_values = own && own->value_type;
    return has_values && !(bits & traits::trait_remove_holders) ? policy::panic : policy::remove;
}

// One deletion with everything that it takes along.
class deletion {
public:
    explicit deletion(stage& owner) noexcept : owner_(owner), data_(owner.data) {}
    ~deletion() {
        // Whoever was not deleted lives on.
        for (entity_t entity : order_) {
            unmark(entity);
        }
        for (const step& open : steps_) {
            unmark(open.entity);
        }
        order_.release(data_.mem, purpose::commands);
        steps_.release(data_.mem, purpose::commands);
        sources_.release(data_.mem, purpose::commands);
    }
    deletion(const deletion&) = delete;
    deletion& operator=(const deletion&) = delete;

    // Adds an entity and what its policies delete. Changes nothing but marks.
    void add(entity_t root) {
        open(root);
        while (!steps_.empty()) {
            step& current = steps_.back();
            entity_t entity = current.entity;
            if (current.expanded) {
                order_.push(data_.mem, entity, purpose::commands);
                steps_.pop();
                continue;
            }
            current.expanded = true;
            collect_sources(entity);
            for (std::uint32_t i = sources_.size(); i-- > 0;) {
                open(sources_[i]);
            }
        }
    }

    // Throws if a policy or a lock forbids it.
    void check() const {
        for (entity_t entity : order_) {
            check_one(entity);
        }
    }

    void run() {
        user_code code(owner_);
        for (entity_t entity : order_) {
            erase(entity);
        }
        order_.clear();
        code.finish();
    }

private:
    struct step {
        entity_t entity;
        bool expanded;
    };

    bool is_marked(entity_t entity) const noexcept {
        return (data_.entities.find(entity)->state & storage::record_dying) != 0;
    }
    void unmark(entity_t entity) noexcept {
        if (entity_record* record = data_.entities.find(entity)) {
            record->state &= ~std::uint32_t{storage::record_dying};
        }
    }
    void open(entity_t entity) {
        if (is_marked(entity)) {
            return;
        }
        steps_.push(data_.mem, {entity, false}, purpose::commands);
        data_.entities.find(entity)->state |= storage::record_dying;
    }
    void collect_sources(entity_t entity) {
        sources_.clear();
        if (!(data_.entities.find(entity)->state & storage::record_used_as_id)) {
            return;
        }
        each_use(data_, entity, [&](const id_record& use, bool is_first) {
            if (policy_of(data_, entity, use, is_first) == policy::erase) {
                each_holder(data_, use, [&](entity_t source) {
                    sources_.push(data_.mem, source, purpose::commands);
                });
            }
        });
        std::sort(sources_.begin(), sources_.end());
    }
    void check_one(entity_t entity) const {
        const entity_record& record = *data_.entities.find(entity);
        if (index_of(entity) < detail::first_type ||
            (index_of(entity) >= first_builtin && index_of(entity) < detail::builtin_end)) {
            raise_entity_id(owner_, errc::in_use, entity, 0,
                            "is part of kith and cannot be deleted");
        }
        if (owner_.mode & detail::mode_careful) {
            check_range(owner_, entity, 0);
            check_unlocked(owner_, entity, 0, record.table, record.table);
            for (const id_record* sparse : data_.sparse_ids) {
                if (sparse && sparse->sparse->has(index_of(entity))) {
                    check_sparse_unlocked(owner_, entity, sparse->id);
                }
            }
        }
        if (!(record.state & storage::record_used_as_id)) {
            return;
        }
        each_use(data_, entity, [&](const id_record& use, bool is_first) {
            bool panics = policy_of(data_, entity, use, is_first) == policy::panic;
            if (!panics && !(owner_.mode & detail::mode_iterating)) {
                return;
            }
            each_holder(data_, use, [&](entity_t holder) {
                if (is_marked(holder)) {
                    return;
                }
                if (panics) {
                    raise_in_use(entity, use.id, holder);
                }
                if (owner_.mode & detail::mode_iterating) {
                    std::uint32_t held = data_.entities.find(holder)->table;
                    check_unlocked(owner_, holder, use.id, held, held);
                }
            });
        });
    }

    [[noreturn]] void raise_in_use(entity_t entity, id_t id, entity_t holder) const {
        base::text message;
        owner_.listen.describe_id(owner_, entity, message);
        message << " cannot be deleted: entity ";
        owner_.listen.describe_id(owner_, holder, message);
        message << " has ";
        owner_.listen.describe_id(owner_, id, message);
        message << "; remove it there first, or choose another cleanup policy";
        base::raise(errc::in_use, message);
    }

    void erase(entity_t entity) {
        entity_record& record = *data_.entities.find(entity);
        const table& from = data_.tables.at(record.table);
        run_remove_hooks(entity, record, from);
        if (record.state & storage::record_any_sparse) {
            for (id_record* sparse : data_.sparse_ids) {
                if (sparse && sparse->sparse->has(index_of(entity))) {
                    sparse->sparse->remove(index_of(entity));
                }
            }
        }
        if (record.state & storage::record_has_disabled) {
            clear_toggles(owner_, entity);
        }
        if (record.state & storage::record_used_as_id) {
            erase_uses(entity);
        }
        if (record.table != storage::limbo_table) {
            remove_row(data_, data_.tables.at(record.table), record.row);
        }
        if (record.state & storage::record_used_as_id) {
            forget_records(data_, entity);
        }
        data_.entities.free(index_of(entity));
    }

    void run_remove_hooks(entity_t entity, const entity_record& record, const table& from) {
        if (from.flags & detail::shape_on_remove) {
            const detail::table_rows& rows = data_.tables.rows(from.number);
            for (std::uint32_t i = 0; i < from.id_count; ++i) {
                if (has_element(from.ids[i], entity)) {
                    continue;  // about itself: erase_uses() takes it like everybody else's
                }
                void* value = from.slots[i].size
                                  ? storage::value_in(rows, from.slots[i], record.row)
                                  : nullptr;
                run_hook(owner_, types::hook_remove, *from.records[i], entity, value);
            }
        }
        if (record.state & storage::record_any_sparse) {
            for (const id_record* sparse : data_.sparse_ids) {
                if (sparse && sparse->sparse->has(index_of(entity))) {
                    run_hook(owner_, types::hook_remove, *sparse, entity,
                             sparse->sparse->find(index_of(entity)));
                }
            }
        }
    }

    // Takes the ids that the entity is an element of from all that still have them.
    void erase_uses(entity_t entity) {
        each_use(data_, entity, [&](id_record& use, bool) {
            while (use.sparse && use.sparse->count() != 0) {
                remove_sparse(owner_, use.sparse->entity_at(use.sparse->count() - 1), use);
            }
            for (std::uint32_t i = 0; i < use.tables.size(); ++i) {
                empty_table(entity, use.tables[i].table);
            }
        });
    }
    void empty_table(entity_t element, std::uint32_t number) {
        const table& from = data_.tables.at(number);
        if (data_.tables.rows(number).count == 0) {
            return;
        }
        id_buffer removed(data_.mem, purpose::commands);
        for (std::uint32_t i = 0; i < from.id_count; ++i) {
            if (has_element(from.ids[i], element)) {
                removed.push(from.ids[i]);
            }
        }
        table& to = table_after(owner_, from, nullptr, 0, removed.data(), removed.size());
        constexpr std::uint32_t plain = detail::shape_trivial_move | detail::shape_trivial_destroy;
        bool moves_bytes = (from.flags & to.flags & plain) == plain &&
                           !(from.flags & detail::shape_on_remove) && data_.toggled_ids.empty() &&
                           !(from.flags & detail::shape_has_parent);
        if (moves_bytes && !(owner_.mode & detail::mode_iterating)) {
            data_.tables.reserve_rows(to, data_.tables.rows(number).count);
            move_all_rows(data_, from, to);
            return;
        }
        while (data_.tables.rows(number).count != 0) {
            const detail::table_rows& rows = data_.tables.rows(number);
            entity_t holder = storage::entities_of(from, rows)[rows.count - 1];
            move_entity(owner_, holder, *data_.entities.find(holder), to, nullptr, 0);
        }
    }

    stage& owner_;
    storage::store& data_;
    containers::vec<entity_t> order_;
    containers::vec<step> steps_;
    containers::vec<entity_t> sources_;
};

}  // namespace

void forget_records(storage::store& data, entity_t entity) noexcept {
    types::component_type* own_type = nullptr;
    auto forget = [&](id_record& record) {
        while (!record.tables.empty()) {
            data.tables.remove(data.tables.at(record.tables.back().table));
        }
        storage::release_sparse(data, record);
        data.ids.remove(record);
    };
    while (id_record* pair = data.ids.first_with_target(index_of(entity))) {
        forget(*pair);
    }
    // The record of (R,*) goes with its last pair.
    while (id_record* relation = data.ids.find(make_pair(entity, Wildcard))) {
        forget(*relation->pairs.back());
    }
    if (id_record* plain = data.ids.find(entity)) {
        own_type = plain->hook_type;
        forget(*plain);
    }
    if (own_type && own_type->component == index_of(entity)) {
        storage::remove_type(data, *own_type);
    }
}

void delete_entity(stage& owner, entity_t entity) {
    if (try_delete(owner, entity)) {
        return;
    }
    get_record(owner, entity);
    deletion all(owner);
    all.add(entity);
    all.check();
    all.run();
}

void collect_holders(const stage& owner, id_t pattern, containers::vec<entity_t>& found) {
    storage::store& data = owner.data;
    auto collect = [&](const id_record& record) {
        each_holder(data, record,
                    [&](entity_t entity) { found.push(data.mem, entity, purpose::commands); });
    };
    if (!is_wildcard(pattern)) {
        if (const id_record* record = data.ids.find(pattern)) {
            collect(*record);
        }
    } else {
        for (std::uint32_t number = 0; number < data.ids.number_limit(); ++number) {
            const id_record* record = data.ids.by_number(number);
            if (record && !is_wildcard(record->id) && matches_id(pattern, record->id)) {
                collect(*record);
            }
        }
    }
    std::sort(found.begin(), found.end());
    found.truncate(
        static_cast<std::uint32_t>(std::unique(found.begin(), found.end()) - found.begin()));
}

namespace {

struct holder_list {
    explicit holder_list(stage& owner, id_t pattern) : data(owner.data) {
        guard undo{*this};
        collect_holders(owner, pattern, entities);
        undo.armed = false;
    }
    ~holder_list() { entities.release(data.mem, purpose::commands); }
    holder_list(const holder_list&) = delete;
    holder_list& operator=(const holder_list&) = delete;

    storage::store& data;
    containers::vec<entity_t> entities;

private:
    struct guard {
        holder_list& list;
        bool armed = true;
        ~guard() {
            if (armed) {
                list.entities.release(list.data.mem, purpose::commands);
            }
        }
    };
};

bool is_builtin(entity_t entity) noexcept {
    return index_of(entity) < first_entity;
}

}  // namespace

void delete_with(stage& owner, id_t pattern) {
    holder_list holders(owner, pattern);
    deletion all(owner);
    for (entity_t entity : holders.entities) {
        // Wildcards mean what the program made; builtins and types are named or not meant.
        if (!(is_wildcard(pattern) && is_builtin(entity))) {
            all.add(entity);
        }
    }
    all.check();
    all.run();
}

void remove_all(stage& owner, id_t pattern) {
    holder_list holders(owner, pattern);
    for (entity_t entity : holders.entities) {
        // A hook may have ended an entity that is still in the list.
        if (!(is_wildcard(pattern) && is_builtin(entity)) && owner.data.entities.find(entity)) {
            remove_id(owner, entity, pattern);
        }
    }
}

}  // namespace kith::mutate
