#include "mutate/destroy.hpp"

#include "ids/builtin.hpp"
#include "mutate/add_remove.hpp"
#include "mutate/constraints.hpp"
#include "mutate/deletion_events.hpp"
#include "mutate/emit.hpp"
#include "mutate/fast_path.hpp"
#include "mutate/naming.hpp"
#include "mutate/rows.hpp"
#include "mutate/sparse_ops.hpp"
#include "mutate/toggle.hpp"
#include "mutate/wide_tables.hpp"
#include "storage/graph.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::link_store;
using storage::table;

namespace {

enum class policy { remove, erase, panic };

policy policy_of(const storage::store& data, entity_t deleted, const id_info& use, bool is_first) {
    if (use.id & Override) {
        return policy::remove;
    }
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
    explicit deletion(stage& world) noexcept : world_(world), data_(world.data), events_(world) {}
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
        push(root);
        while (!steps_.empty()) {
            step& current = steps_.back();
            entity_t entity = current.entity;
            std::uint32_t& state = data_.entities.find(entity)->state;
            if (current.expanded || (!(state & (storage::record_pending_delete | known_states)))) {
                order_.push(data_.mem, entity, purpose::commands);
                state |= storage::record_pending_delete | storage::record_delete_ordered;
                steps_.pop();
            } else if (state & storage::record_pending_delete) {
                // Met on another way meanwhile.
                steps_.pop();
            } else {
                current.expanded = true;
                state |= storage::record_pending_delete;
                collect_sources(entity);
                std::uint32_t first = order_leaves();
                for (std::uint32_t i = sources_.size(); i-- > first;) {
                    push(sources_[i]);
                }
            }
        }
    }

    // Throws if a policy or a lock forbids it.
    void check() {
        if (has_cycles_) {
            cut_cycles();
        }
        for (entity_t entity : order_) {
            check_one(entity);
        }
        if (!(traits::describe_id(data_, ChildOf).traits & traits::trait_delete_sources)) {
            check_orphans();
        }
    }

    void run() {
        callback_scope code(world_);
        {
            const deletion_scope scope(world_);
            events_.notify(order_.data(), order_.size());
            for (entity_t entity : order_) {
                if (!try_erase(entity)) {
                    erase(entity);
                }
            }
            order_.clear();
        }
        code.finish();
        release_ended_types(world_);
    }

private:
    struct step {
        entity_t entity;
        bool expanded;
    };
    // What somebody else may know an entity by.
    static constexpr std::uint32_t known_states =
        storage::record_used_as_id | storage::record_has_children | storage::record_link_target;

    bool is_marked(entity_t entity) const noexcept {
        return (data_.entities.find(entity)->state & storage::record_pending_delete) != 0;
    }
    void unmark(entity_t entity) noexcept {
        if (entity_record* record = data_.entities.find(entity)) {
            record->state &=
                ~std::uint32_t{storage::record_pending_delete | storage::record_delete_ordered};
        }
    }
    void push(entity_t entity) {
        std::uint32_t state = data_.entities.find(entity)->state;
        if (!(state & storage::record_pending_delete)) {
            steps_.push(data_.mem, {entity, false}, purpose::commands);
        } else if (!(state & storage::record_delete_ordered)) {
            has_cycles_ = true;  // it waits for those on the way to it
        }
    }
    // Those sources that come first and that nothing refers to need no further look. Returns the
    // first one that does.
    std::uint32_t order_leaves() {
        order_.reserve_extra(data_.mem, sources_.size(), purpose::commands);
        std::uint32_t i = 0;
        for (; i < sources_.size(); ++i) {
            std::uint32_t& state = data_.entities.find(sources_[i])->state;
            if (state & (known_states | storage::record_pending_delete)) {
                break;
            }
            order_.push_reserved(sources_[i]);
            state |= storage::record_pending_delete | storage::record_delete_ordered;
        }
        return i;
    }
    // The order within a cycle must not depend on where it was entered: begins again at the lowest
    // ids.
    void cut_cycles() {
        containers::vec<entity_t> all;
        std::swap(all, order_);
        struct guard {
            deletion& world;
            containers::vec<entity_t>& all;
            ~guard() {
                for (entity_t entity : all) {
                    world.unmark(entity);
                }
                all.release(world.data_.mem, purpose::commands);
            }
        } release{*this, all};
        std::sort(all.begin(), all.end());
        for (entity_t entity : all) {
            unmark(entity);
        }
        for (entity_t entity : all) {
            add(entity);
        }
        all.clear();
    }
    // Entities that go before this one, the last first.
    void collect_sources(entity_t entity) {
        sources_.clear();
        std::uint32_t state = data_.entities.find(entity)->state;
        auto add = [&](entity_t source) { sources_.push(data_.mem, source, purpose::commands); };
        if (state & storage::record_used_as_id) {
            each_id_naming(data_, entity, [&](const id_record& use, bool is_first) {
                if (policy_of(data_, entity, use, is_first) == policy::erase) {
                    each_entity_with(data_, use, add);
                }
            });
        }
        each_link_relation_to(data_, entity, state, [&](const id_record& relation, bool is_first) {
            if (policy_of(data_, entity, relation, is_first) == policy::erase) {
                each_link_source(data_, relation, entity, is_first,
                                 [&](entity_t source, std::uint32_t) { add(source); });
            }
        });
        if (!std::is_sorted(sources_.begin(), sources_.end())) {
            std::sort(sources_.begin(), sources_.end());
        }
    }
    void check_one(entity_t entity) {
        const entity_record& record = *data_.entities.find(entity);
        if (ids::is_builtin(index_of(entity))) {
            raise_entity_id(world_, errc::in_use, entity, 0,
                            "is part of kith and cannot be deleted");
        }
        if (needs_slow_path(world_)) {
            check_range(world_, entity, 0);
            check_unlocked(world_, entity, 0, record.table, record.table);
            each_sparse_id(data_, record, entity, Wildcard, [&](const id_info& id) {
                check_sparse_unlocked(world_, entity, id.id);
            });
            each_sparse_id(
                data_, record, entity, make_pair(Wildcard, Wildcard),
                [&](const id_info& id) { check_sparse_unlocked(world_, entity, id.id); });
        }
        if (record.state & known_states) {
            check_not_busy(entity, record.state);
            check_uses(entity, record.state);
            check_scope(entity);
        }
        events_.add(entity, record);
    }
    // A change other than a deletion is being notified, and deferring was suspended in that: tables
    // with ids of the entity may be those that the change is about.
    void check_not_busy(entity_t entity, std::uint32_t state) const {
        if (state & storage::record_used_as_id && world_.suspended_depth != 0 &&
            world_.other_view && world_.deleting == 0) {
            raise_entity_id(world_, errc::invalid_operation, entity, 0,
                            "is used as an id: it cannot be deleted by a callback with deferring "
                            "suspended; let the deletion be deferred");
        }
    }
    void check_uses(entity_t entity, std::uint32_t state) const {
        auto check = [&](id_t id, bool panics, entity_t holder, bool sparse) {
            if (is_marked(holder)) {
                return;
            }
            if (panics) {
                raise_in_use(entity, id, holder);
            }
            if (sparse) {
                check_sparse_unlocked(world_, holder, id);
            } else {
                std::uint32_t held = data_.entities.find(holder)->table;
                check_unlocked(world_, holder, id, held, held);
            }
        };
        bool iterating = is_iterating();
        if (state & storage::record_used_as_id) {
            each_id_naming(data_, entity, [&](const id_record& use, bool is_first) {
                bool panics = policy_of(data_, entity, use, is_first) == policy::panic;
                if (panics || iterating) {
                    each_entity_with(data_, use, [&](entity_t holder) {
                        check(use.id, panics, holder, use.sparse != nullptr);
                    });
                }
            });
        }
        each_link_relation_to(data_, entity, state, [&](const id_record& relation, bool is_first) {
            bool panics = policy_of(data_, entity, relation, is_first) == policy::panic;
            if (panics || iterating) {
                each_link_source(
                    data_, relation, entity, is_first, [&](entity_t source, std::uint32_t target) {
                        check(make_pair(pair_first(relation.id), target), panics, source, true);
                    });
            }
        });
    }

    // Relationships whose targets had to be children of the entity may demand other children.
    void check_scope(entity_t entity) const {
        const id_record* use = data_.ids.find(make_pair(OneOf, entity));
        if (!use) {
            return;
        }
        each_entity_with(data_, *use, [&](entity_t relation) {
            if (!is_marked(relation)) {
                check_new_scope(world_, relation,
                                data_.tables.at(data_.entities.find(relation)->table));
            }
        });
    }

    // Children that stay need a place for their names among the roots.
    void check_orphans() {
        sources_.clear();
        for (entity_t parent : order_) {
            storage::each_source(data_, ChildOf, index_of(parent), [&](entity_t child) {
                if (!is_marked(child) &&
                    data_.entities.find(child)->state & storage::record_named) {
                    sources_.push(data_.mem, child, purpose::commands);
                }
                return true;
            });
        }
        check_names_as_roots(world_, sources_.data(), sources_.size());
    }

    [[noreturn]] void raise_in_use(entity_t entity, id_t id, entity_t holder) const {
        raise_about(world_, errc::in_use, entity, " cannot be deleted: entity ", holder, " has ",
                    id, "; remove it there first, or choose another cleanup policy");
    }

    // An entity that has a parent, and nothing else that needs care. (All was told.)
    bool try_erase(entity_t entity) noexcept {
        entity_record& record = *data_.entities.find(entity);
        constexpr std::uint32_t involved =
            known_states | storage::record_any_sparse | storage::record_has_disabled;
        const table& from = data_.tables.at(record.table);
        constexpr std::uint32_t plain = detail::shape_trivial_destroy | detail::shape_trivial_move;
        if (record.state & involved || record.table == storage::no_table ||
            (from.flags & plain) != plain) {
            return false;
        }
        if (record.state & storage::record_has_parent &&
            !data_.parents_store->try_unlink(index_of(entity))) {
            return false;
        }
        remove_row_bytes(data_, from, record.row);
        data_.entities.free(index_of(entity), record);
        return true;
    }
    // Tables of the ids that the entity is an element of, which are empty by now.
    void notify_tables(entity_t entity) {
        containers::small_vec<std::uint32_t, 32> ending(data_.mem, purpose::commands);
        each_id_naming(data_, entity, [&](const id_record& use, bool) {
            for (const storage::table_entry& entry : use.tables) {
                if (std::find(ending.begin(), ending.end(), entry.table) == ending.end()) {
                    ending.push(entry.table);
                }
            }
        });
        for (std::uint32_t number : ending) {
            notify_table(world_, OnTableDelete, data_.tables.at(number));
        }
    }
    void erase(entity_t entity) {
        entity_record& record = *data_.entities.find(entity);
        world_.deleting = entity;
        world_.deletion_notified = entity;
        if (record.state & storage::record_any_sparse) {
            discard_sparse(world_, entity, record);
        }
        if (record.state & storage::record_has_disabled) {
            clear_toggles(world_, entity);
        }
        if (record.state & known_states) {
            erase_uses(entity, record.state);
            if (world_.events.has_listeners(OnTableDelete)) {
                notify_tables(entity);
            }
        }
        // After what may fail: the entity's name is that of a child.
        drop_parent(world_, entity, record);
        if (record.table != storage::no_table) {
            remove_row(data_, data_.tables.at(record.table), record.row);
        }
        if (record.state & storage::record_used_as_id) {
            drop_id_records(data_, entity);
            data_.on_element_deleted();
        }
        data_.entities.free(index_of(entity), record);
    }

    // Takes the ids that the entity is an element of from all that still have them.
    void erase_uses(entity_t entity, std::uint32_t state) {
        if (state & storage::record_used_as_id) {
            each_id_naming(data_, entity, [&](id_record& use, bool) {
                while (use.sparse && use.sparse->count() != 0) {
                    remove_sparse(world_, use.sparse->entity_at(use.sparse->count() - 1), use);
                }
                while (empty_tables(entity, use)) {}
            });
        }
        each_link_relation_to(data_, entity, state, [&](const id_record& relation, bool is_first) {
            erase_links(relation, entity, is_first);
        });
    }
    void erase_links(const id_record& relation, entity_t entity, bool is_first) {
        link_store& links = *relation.links;
        auto end = [&](entity_t source, std::uint32_t target) {
            id_info pair = traits::describe_link(data_, relation, target);
            if (is_marked(source) && pair_first(relation.id) == ChildOf) {
                // In a cycle: a child that goes after its parent needs no place among the roots.
                links.remove(index_of(source), target);
                storage::clear_sparse_flag(*data_.entities.find(source),
                                           storage::source_flag(relation));
            } else {
                remove_sparse(world_, source, pair);
            }
        };
        if (is_first) {
            while (std::uint32_t source = links.next_source(1)) {
                end(data_.entities.alive_at(source), links.target_at(source, 0));
            }
            return;
        }
        for (storage::source_span sources = links.sources(index_of(entity)); sources.size != 0;
             sources = links.sources(index_of(entity))) {
            // The last one: taking it leaves no hole.
            end(sources.items[sources.size - 1], index_of(entity));
        }
    }
    // True if rows may have come to a table that was empty already: the other sides of symmetric
    // pairs move, too.
    bool empty_tables(entity_t element, const id_record& use) {
        bool again = false;
        for (std::uint32_t i = 0; i < use.tables.size(); ++i) {
            const std::uint32_t number = use.tables[i].table;
            if (data_.tables.rows(number).count != 0) {
                again |= (data_.tables.at(number).flags & detail::shape_symmetric) != 0;
                empty_table(element, number);
            }
        }
        return again;
    }
    void empty_table(entity_t element, std::uint32_t number) {
        const table& from = data_.tables.at(number);
        id_buffer removed(data_.mem, purpose::commands);
        for (std::uint32_t i = 0; i < from.id_count; ++i) {
            if (has_element(from.ids[i], element)) {
                removed.push(from.ids[i]);
            }
        }
        table& to = table_after(world_, from, nullptr, 0, removed.data(), removed.size());
        constexpr std::uint32_t plain = detail::shape_trivial_move | detail::shape_trivial_destroy;
        constexpr std::uint32_t involved = detail::shape_on_remove | detail::shape_has_parent |
                                           detail::shape_symmetric | detail::shape_has_properties;
        bool moves_bytes = (from.flags & to.flags & plain) == plain && !(from.flags & involved) &&
                           data_.toggled_ids.empty();
        if (moves_bytes && !is_iterating()) {
            data_.tables.reserve_rows(to, data_.tables.rows(number).count);
            move_all_rows(data_, from, to);
            return;
        }
        while (data_.tables.rows(number).count != 0) {
            const detail::table_rows& rows = data_.tables.rows(number);
            entity_t holder = storage::entities_of(from, rows)[rows.count - 1];
            move_entity(world_, holder, *data_.entities.find(holder), to, nullptr, 0);
        }
    }

    stage& world_;
    storage::store& data_;
    containers::vec<entity_t> order_;
    containers::vec<step> steps_;
    containers::vec<entity_t> sources_;
    bool has_cycles_ = false;
    deletion_events events_;
};

}  // namespace

void drop_id_records(storage::store& data, entity_t entity) noexcept {
    types::component_type* own_type = nullptr;
    auto forget = [&](id_record& record) {
        if (id_record* mark = data.ids.find(Override | record.id); mark && mark != &record) {
            while (!mark->tables.empty()) {
                data.tables.remove(data.tables.at(mark->tables.back().table));
            }
            storage::release_sparse(data, *mark);
            data.ids.remove(*mark);
        }
        while (!record.tables.empty()) {
            data.tables.remove(data.tables.at(record.tables.back().table));
        }
        storage::release_sparse(data, record);
        data.ids.remove(record);
    };
    while (id_record* pair = data.ids.first_with_target(index_of(entity))) {
        forget(*pair);
    }
    if (id_record* relation = data.ids.find(make_pair(entity, Wildcard))) {
        storage::release_values(data, *relation);
        bool listed = !relation->pairs.empty();
        // The record goes with its last pair.
        for (std::uint32_t left = relation->pairs.size(); left != 0; --left) {
            forget(*relation->pairs[left - 1]);
        }
        if (!listed) {
            forget(*relation);
        }
    }
    if (id_record* plain = data.ids.find(entity)) {
        own_type = plain->hook_type;
        forget(*plain);
    }
    if (own_type && own_type->component == index_of(entity)) {
        storage::remove_type(data, *own_type);
    }
}

void delete_entity(stage& world, entity_t entity) {
    if (try_delete(world, entity)) {
        return;
    }
    get_record(world, entity);
    deletion all(world);
    all.add(entity);
    all.check();
    all.run();
    finish_leaving(world);
}

namespace {

struct holder_list {
    explicit holder_list(stage& world, id_t pattern) : data(world.data) {
        guard undo{*this};
        collect_holders(world, pattern, entities);
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

// Wildcards mean what the program made: builtins and types are named or not meant, nor are the
// constants of an enum, which are parts of its type.
bool is_meant(const storage::store& data, id_t pattern, entity_t holder) noexcept {
    if (!is_wildcard(pattern)) {
        return true;
    }
    const entity_t parent = storage::parent_of(data, holder);
    const bool constant =
        parent != 0 && index_of(parent) < first_entity &&
        storage::owns_id(data, data.entities.at(index_of(parent)), parent, EnumType);
    return index_of(holder) >= first_entity && !constant;
}

// The holders that remove_all() removes an id from: all of them lose it, or none does.
class mass_removal {
public:
    mass_removal(stage& world, id_t pattern)
        : world_(world), data_(world.data), pattern_(pattern), holders_(world, pattern) {}

    // Throws if a holder must keep the id.
    void check() {
        if (may_be_refused()) {
            each([&](entity_t entity) {
                check_removal(world_, entity, pattern_);
                check_table(entity);
            });
        }
        if (takes_parents()) {
            check_orphans();
        }
        make_room();
    }
    void run() {
        each([&](entity_t entity) { remove_id(world_, entity, pattern_); });
    }
    bool means(entity_t entity) const noexcept { return is_meant(data_, pattern_, entity); }

private:
    // A hook may have ended an entity that is still in the list.
    template <class Visit>
    void each(Visit&& visit) {
        for (entity_t entity : holders_.entities) {
            if (means(entity) && data_.entities.find(entity)) {
                visit(entity);
            }
        }
    }
    // Constraints may require that a holder keeps the id.
    bool may_be_refused() const {
        constexpr std::uint32_t involved = traits::trait_required | traits::trait_symmetric;
        return is_wildcard(pattern_) || needs_slow_path(world_) ||
               pattern_ == detail::component_type_id || takes_parents() ||
               traits::is_property(pattern_) ||
               traits::describe_id(data_, pattern_).traits & involved;
    }
    bool takes_parents() const noexcept {
        constexpr id_t name = make_pair(detail::identifier_type_id, Name);
        const bool of_parents =
            is_pair(pattern_) && !(pattern_ & Override) &&
            (pair_first(pattern_) == ChildOf || is_wildcard_element(pair_first(pattern_)));
        return of_parents && !matches_id(pattern_, name);
    }
    void check_table(entity_t entity) const {
        const std::uint32_t number = data_.entities.find(entity)->table;
        if (is_iterating() && storage::find_match(data_.tables.at(number), pattern_, 0) >= 0) {
            check_unlocked(world_, entity, pattern_, number, number);
        }
    }
    // Entities that lose their parents need free names among the roots. They also conflict with
    // each other.
    void check_orphans() {
        containers::small_vec<entity_t, 16> orphans(data_.mem, purpose::commands);
        each([&](entity_t entity) {
            const entity_record& record = *data_.entities.find(entity);
            const entity_t parent = storage::parent_of(data_, record, entity);
            if (parent && record.state & storage::record_named &&
                matches_id(pattern_, make_pair(ChildOf, parent))) {
                orphans.push(entity);
            }
        });
        check_names_as_roots(world_, orphans.data(), orphans.size());
    }
    // Tables and rows for those that lose an id of their table.
    void make_room() {
        const id_record* record = is_wildcard(pattern_) ? nullptr : data_.ids.find(pattern_);
        for (std::uint32_t i = 0; record && i < record->tables.size(); ++i) {
            table& from = data_.tables.at(record->tables[i].table);
            const detail::table_rows rows = data_.tables.rows(from.number);
            const std::uint32_t count = rows.count;
            if (count != 0) {
                table& to = table_after(world_, from, nullptr, 0, &pattern_, 1);
                if (is_iterating()) {
                    check_unlocked(world_, storage::entities_of(from, rows)[0], pattern_,
                                   from.number, to.number);
                }
                if (!data_.tables.find_edge(from, pattern_)) {
                    data_.tables.connect(to, from, pattern_);
                }
                data_.tables.reserve_rows(to, count);
            }
        }
        if (record && is_pair(pattern_) && record->traits & traits::trait_symmetric) {
            make_room_for_target();
        }
    }
    // The target of a symmetric pair loses one pair with each of the holders.
    void make_room_for_target() {
        const entity_t target = data_.entities.alive_at(pair_second(pattern_));
        table* from = &data_.tables.at(data_.entities.at(index_of(target)).table);
        each([&](entity_t holder) {
            const id_t other_view = make_pair(pair_first(pattern_), holder);
            if (holder != target && storage::find_id(*from, other_view) >= 0) {
                table& to = table_after(world_, *from, nullptr, 0, &other_view, 1);
                if (!data_.tables.find_edge(*from, other_view)) {
                    data_.tables.connect(to, *from, other_view);
                }
                data_.tables.reserve_rows(to, 1);
                from = &to;
            }
        });
    }

    stage& world_;
    storage::store& data_;
    const id_t pattern_;
    holder_list holders_;
};

}  // namespace

void delete_with(stage& world, id_t pattern) {
    holder_list holders(world, pattern);
    deletion all(world);
    for (entity_t entity : holders.entities) {
        if (is_meant(world.data, pattern, entity)) {
            all.add(entity);
        }
    }
    all.check();
    all.run();
    finish_leaving(world);
}

void remove_all(stage& world, id_t pattern) {
    mass_removal removal(world, pattern);
    removal.check();
    bulk_removals all(world);
    if (is_wildcard(pattern) ||
        traits::describe_id(world.data, pattern).event_mask & storage::event_remove) {
        each_match(world.data, pattern, [&](const id_info& id, entity_t holder) {
            if (removal.means(holder)) {
                all.add(id, holder);
            }
        });
    }
    if (all.empty()) {
        removal.run();
        finish_leaving(world);
        return;
    }
    callback_scope code(world);
    all.notify();
    removal.run();
    code.finish();
}

}  // namespace kith::mutate
