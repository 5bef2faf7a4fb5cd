// Implements remove_all() of destroy.hpp: the removal of an id from all of its holders.
#include "mutate/context/wide_tables.hpp"
#include "mutate/notify/bulk_removals.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/destroy.hpp"
#include "mutate/ops/holders.hpp"
#include "mutate/rules/constraints.hpp"
#include "mutate/rules/destination.hpp"
#include "mutate/rules/sibling_names.hpp"
#include "storage/graph.hpp"
#include "traits/implications.hpp"

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::table;

namespace {

// The removal of an id or pattern from all of its holders: all of them lose it, or none does.
// check() throws if a holder must keep an id and reserves memory, run() removes.
class mass_removal {
public:
    mass_removal(stage& world, id_t pattern)
        : world_(world), data_(world.data), pattern_(pattern), holders_(world, pattern) {}

    // Throws if the removal is refused, and reserves tables and rows for it.
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
    bool selects(entity_t entity) const noexcept { return is_selected(data_, pattern_, entity); }

private:
    // Calls visit(entity) for the selected holders that are alive: a hook may have ended one.
    template <class Visit>
    void each(Visit&& visit) {
        for (entity_t entity : holders_.entities) {
            if (selects(entity) && data_.entities.find(entity)) {
                visit(entity);
            }
        }
    }
    // True if a rule or a lock may require that a holder keeps an id. Otherwise no holder is
    // checked.
    bool may_be_refused() const {
        if (is_wildcard(pattern_) || needs_slow_path(world_) ||
            pattern_ == detail::component_type_id || takes_parents() ||
            traits::is_property(pattern_)) {
            return true;
        }
        const std::uint32_t rules = traits::describe_id(data_, pattern_).traits;
        return traits::may_be_required(rules) || traits::is_symmetric(rules);
    }
    // True if children lose their parents and keep their names.
    bool takes_parents() const noexcept {
        const bool of_parents =
            is_pair(pattern_) && !(pattern_ & Override) &&
            (pair_first(pattern_) == ChildOf || is_wildcard_element(pair_first(pattern_)));
        return of_parents && !matches_id(pattern_, detail::name_pair);
    }
    // Throws if the table of a holder is locked.
    void check_table(entity_t entity) const {
        const std::uint32_t number = data_.entities.find(entity)->table;
        if (is_iterating() && storage::find_match(data_.tables.at(number), pattern_, 0) >= 0) {
            check_unlocked(world_, entity, pattern_, number, number);
        }
    }
    // Throws if the names of entities that lose their parents are taken among the roots, or equal
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
    // Reserves the tables, edges and rows that the holders move to.
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
        if (record && traits::has_inverse(*record)) {
            make_room_for_target();
        }
    }
    // Reserves the tables that the target of a symmetric pair passes through: it loses one inverse
    // pair for each holder.
    void make_room_for_target() {
        const entity_t target = data_.entities.alive_at(pair_second(pattern_));
        table* from = &data_.tables.at(data_.entities.at(index_of(target)).table);
        each([&](entity_t holder) {
            const id_t inverse = make_pair(pair_first(pattern_), holder);
            if (holder != target && storage::find_id(*from, inverse) >= 0) {
                table& to = table_after(world_, *from, nullptr, 0, &inverse, 1);
                if (!data_.tables.find_edge(*from, inverse)) {
                    data_.tables.connect(to, *from, inverse);
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

void remove_all(stage& world, id_t pattern) {
    // The holders are notified together first, then the ids are removed one by one.
    mass_removal change(world, pattern);
    change.check();
    bulk_removals notifications(world);
    if (is_wildcard(pattern) ||
        traits::describe_id(world.data, pattern).event_mask & storage::event_remove) {
        each_match(world.data, pattern, [&](const id_info& id, entity_t holder) {
            if (change.selects(holder)) {
                notifications.add(id, holder);
            }
        });
    }
    if (notifications.empty()) {
        change.run();
        finish_leaving(world);
        return;
    }
    callback_scope code(world);
    notifications.notify();
    change.run();
    code.finish();
}

}  // namespace kith::mutate
