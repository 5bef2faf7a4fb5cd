// Implements migrate.hpp.
#include "mutate/commit/migrate.hpp"

#include "base/assert.hpp"
#include "base/scope_exit.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/rules/change_set.hpp"
#include "mutate/rules/destination.hpp"
#include "storage/find.hpp"
#include "traits/implications.hpp"

#include <algorithm>
#include <new>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_info;
using storage::id_record;

namespace {

// Destroys a store that was not attached.
template <class Store>
void drop(containers::memory& mem, Store*& owned) noexcept {
    if (owned) {
        owned->~Store();
        mem.release(owned, sizeof(Store), purpose::sparse);
        owned = nullptr;
    }
}

// Constructs a value in raw memory by moving; the moved-from value stays to be destroyed.
void move_value(const type_info& info, void* to, void* from) noexcept {
    move_context context{&info, from};
    make_value(info, moving_source(context), to);
}

}  // namespace

migration::migration(stage& world, entity_t element, std::uint32_t traits,
                     const storage::table& element_table)
    : world_(world),
      data_(world.data),
      element_(element),
      element_table_(element_table),
      to_sparse_((traits & traits::trait_sparse) != 0) {
    if (is_iterated(world)) {
        raise_id(world, errc::locked, element,
                 "cannot change its storage while something is being iterated; defer the change "
                 "(world.defer)");
    }
    base::scope_exit undo([&] { release(); });
    data_.ids.ensure(element);
    data_.ids.ensure(make_pair(element, Wildcard));
    data_.link_ids.reserve_extra(data_.mem, 1, purpose::sparse);
    data_.sparse_ids.reserve_extra(data_.mem, 1, purpose::sparse);
    // The stores are built completely, with raw values that commit() fills.
    if (to_sparse_) {
        for (id_t id : {id_t{element}, make_pair(element, Wildcard)}) {
            if (data_.ids.find(id)->event_mask & storage::event_track) {
                data_.ticks.ensure_sparse_marks(data_, id);
            }
        }
        links_ = ::new (data_.mem.allocate(sizeof(storage::link_store), purpose::sparse))
            storage::link_store(data_.mem, traits::is_exclusive(traits));
        plan_links();
    } else {
        plan_rows();
    }
    reserve();
    undo.release();
}

migration::~migration() {
    release();
}

void migration::release() noexcept {
    if (links_) {
        // The values of the links are still in the tables.
        for (std::uint32_t source = links_->next_source(1); source != 0;
             source = links_->next_source(source)) {
            links_->remove(source, links_->target_at(source, 0), false);
            if (!links_->has_any(source)) {
                ++source;
            }
        }
    }
    drop(data_.mem, links_);
    if (values_) {
        values_->forget_all();
    }
    drop(data_.mem, values_);
    moves_.release(data_.mem, purpose::commands);
}

bool migration::concerns(id_t id) const noexcept {
    return is_pair(id) ? pair_first(id) == index_of(element_) && !(id & Override) : id == element_;
}

void migration::add(const destination& planned) {
    moves_.push(data_.mem, planned, purpose::commands);
}

// -- from tables to sparse storage

// Plans the tables with the element as a component, and those with its pairs.
void migration::plan_links() {
    const id_record& plain = *data_.ids.find(element_);
    const id_record& any = *data_.ids.find(make_pair(element_, Wildcard));
    // A table with several of the ids is planned for the first of them only.
    auto plan = [&](const id_record& record) {
        for (std::uint32_t i = 0; i < record.tables.size(); ++i) {
            storage::table& from = data_.tables.at(record.tables[i].table);
            const id_t* first = std::find_if(from.ids, from.ids + from.id_count,
                                             [&](id_t id) { return concerns(id); });
            if (*first == record.id) {
                plan_table(from);
            }
        }
    };
    plan(plain);
    for (std::uint32_t i = 0; i < any.pairs.size(); ++i) {
        plan(*any.pairs[i]);
    }
    // Ids of the element itself that it gets together with the property.
    copy_row_links(element_table_, element_,
                   &data_.tables.at(data_.entities.find(element_)->table));
}

// Plans that all rows of a table move to the table without the ids, and reserves their sparse
// places.
void migration::plan_table(storage::table& from) {
    id_buffer removed(data_.mem, purpose::commands);
    for (std::uint32_t i = 0; i < from.id_count; ++i) {
        if (concerns(from.ids[i])) {
            removed.push(from.ids[i]);
        }
    }
    storage::table& to = table_after(world_, from, nullptr, 0, removed.data(), removed.size());
    add({0, from.number, to.number});
    for (std::uint32_t row = 0; row < data_.tables.rows(from.number).count; ++row) {
        copy_row_links(from, storage::entities_of(from, data_.tables.rows(from.number))[row],
                       nullptr);
    }
}

void migration::copy_row_links(const storage::table& from, entity_t entity,
                               const storage::table* excluded) {
    for (std::uint32_t i = 0; i < from.id_count; ++i) {
        if (!concerns(from.ids[i]) || (excluded && storage::find_id(*excluded, from.ids[i]) >= 0)) {
            continue;
        }
        const id_record& record = *from.records[i];
        const type_info* info = record.value_type ? &record.value_type->info : nullptr;
        if (is_pair(record.id)) {
            links_->prepare(index_of(entity), pair_second(record.id), info);
            links_->commit(entity, data_.entities.alive_at(pair_second(record.id)));
            continue;
        }
        if (!values_) {
            values_ = ::new (data_.mem.allocate(sizeof(storage::sparse_store), purpose::sparse))
                storage::sparse_store(data_.mem, info);
        }
        values_->prepare(index_of(entity));
        values_->commit(entity);
    }
}

// Rows are moved from the end, so that no other row has to fill a hole.
void migration::leave_tables() noexcept {
    for (const destination& move : moves_) {
        const storage::table& from = data_.tables.at(move.from);
        while (data_.tables.rows(move.from).count != 0) {
            const detail::table_rows& rows = data_.tables.rows(move.from);
            move_row_to_sparse(storage::entities_of(from, rows)[rows.count - 1], from,
                               data_.tables.at(move.to));
        }
    }
}

// Moves the values of a row to their sparse places, then the row to the table without them.
void migration::move_row_to_sparse(entity_t entity, const storage::table& from,
                                   const storage::table& to) noexcept {
    entity_record& record = *data_.entities.find(entity);
    const id_record& any = *data_.ids.find(make_pair(element_, Wildcard));
    for (std::uint32_t i = 0; i < from.id_count; ++i) {
        if (!concerns(from.ids[i])) {
            continue;
        }
        bool pair = is_pair(from.ids[i]);
        std::uint32_t target = pair_second(from.ids[i]);
        if (from.slots[i].size) {
            void* place =
                pair ? links_->value(index_of(entity), target) : values_->find(index_of(entity));
            move_value(
                from.records[i]->value_type->info, place,
                storage::value_in(data_.tables.rows(from.number), from.slots[i], record.row));
        }
        if (pair) {
            record.state |= storage::source_flag(any);
            data_.entities.at(target).state |= storage::target_flag(any);
        } else {
            record.state |= storage::sparse_flag(data_.ids.find(element_)->sparse_number);
        }
    }
    move_row(data_, entity, record, from, to);
}

// Removes the tables and records that are not in use any more.
void migration::forget_pairs() noexcept {
    for (const destination& move : moves_) {
        data_.tables.remove(data_.tables.at(move.from));
    }
    const id_record& any = *data_.ids.find(make_pair(element_, Wildcard));
    for (std::uint32_t i = any.pairs.size(); i-- > 0;) {
        id_record& pair = *any.pairs[i];
        if (!pair.disabled && !data_.ids.find(Override | pair.id)) {
            data_.ids.remove(pair);
        }
    }
}

// -- from sparse storage to tables

// Plans the sources of links, then the holders of the component that have no links.
void migration::plan_rows() {
    if (const storage::link_store* links = storage::find_links(data_, index_of(element_))) {
        for (std::uint32_t source = links->next_source(1); source != 0;
             source = links->next_source(source + 1)) {
            plan_row(data_.entities.alive_at(source));
        }
    }
    const storage::sparse_store* values = data_.ids.find(element_)->sparse;
    for (std::uint32_t i = 0; values && i < values->count(); ++i) {
        entity_t entity = values->entity_at(i);
        const storage::link_store* links = storage::find_links(data_, index_of(element_));
        if (!links || !links->has_any(index_of(entity))) {
            plan_row(entity);
        }
    }
}

// Plans the move of one entity to the table with its sparse ids.
void migration::plan_row(entity_t entity) {
    const storage::table& from =
        entity == element_ ? element_table_ : data_.tables.at(data_.entities.find(entity)->table);
    id_buffer entered(data_.mem, purpose::commands);
    // Adds an id to the type of the new table.
    auto enter = [&](id_t id) {
        // Ids that the element loses together with the property are not moved.
        if (!is_staged_removal(world_, entity, id)) {
            // The table stays if the change is refused, and must be deleted with the target.
            mark_elements_used(data_, id);
            entered.push(id);
        }
    };
    if (const storage::link_store* links = storage::find_links(data_, index_of(element_))) {
        for (std::uint32_t i = 0; i < links->target_count(index_of(entity)); ++i) {
            enter(make_pair(element_, links->target_at(index_of(entity), i)));
        }
    }
    const storage::sparse_store* values = data_.ids.find(element_)->sparse;
    if (values && values->has(index_of(entity))) {
        enter(element_);
    }
    if (entered.empty()) {
        return;
    }
    storage::table& to = table_after(world_, from, entered.data(), entered.size(), nullptr, 0);
    add({entity, from.number, to.number});
}

void migration::enter_tables() noexcept {
    for (const destination& move : moves_) {
        move_row_to_table(move.entity, data_.tables.at(move.to));
    }
}

// Moves the sparse values of an entity into its new row, and removes them from the stores.
void migration::move_row_to_table(entity_t entity, const storage::table& to) noexcept {
    entity_record& record = *data_.entities.find(entity);
    const id_record& plain = *data_.ids.find(element_);
    id_record* any = data_.ids.find(make_pair(element_, Wildcard));
    const detail::table_rows rows = data_.tables.rows(to.number);
    for (std::uint32_t i = 0; i < to.id_count; ++i) {
        if (concerns(to.ids[i]) && to.slots[i].size) {
            void* value = is_pair(to.ids[i])
                              ? any->links->value(index_of(entity), pair_second(to.ids[i]))
                              : plain.sparse->find(index_of(entity));
            move_value(to.records[i]->value_type->info,
                       storage::value_in(rows, to.slots[i], rows.count), value);
        }
    }
    move_row(data_, entity, record, data_.tables.at(record.table), to);
    for (std::uint32_t i = 0; i < to.id_count; ++i) {
        if (!concerns(to.ids[i])) {
            continue;
        }
        if (is_pair(to.ids[i])) {
            any->links->remove(index_of(entity), pair_second(to.ids[i]));
            storage::clear_sparse_flag(record, storage::source_flag(*any));
        } else {
            plain.sparse->remove(index_of(entity));
            storage::clear_sparse_flag(record, storage::sparse_flag(plain.sparse_number));
        }
    }
}

// -- both directions

// Reserves rows for all moves, once for each destination.
void migration::reserve() {
    std::sort(moves_.begin(), moves_.end(), [](const destination& a, const destination& b) {
        return a.to != b.to ? a.to < b.to
                            : (a.from != b.from ? a.from < b.from : a.entity < b.entity);
    });
    for (std::uint32_t i = 0; i < moves_.size();) {
        const storage::table& to = data_.tables.at(moves_[i].to);
        // One more row: the element itself may move between two of the tables.
        std::uint32_t rows = 1;
        for (; i < moves_.size() && moves_[i].to == to.number; ++i) {
            rows += moves_[i].entity ? 1 : data_.tables.rows(moves_[i].from).count;
        }
        data_.tables.reserve_rows(to, rows);
    }
}

void migration::commit() noexcept {
    KITH_ASSERT(to_sparse_ == (links_ != nullptr), "a migration is committed once");
    id_record& plain = *data_.ids.find(element_);
    id_record& any = *data_.ids.find(make_pair(element_, Wildcard));
    if (to_sparse_) {
        storage::attach_links(data_, any, *std::exchange(links_, nullptr));
        if (values_) {
            storage::attach_sparse(data_, plain, *std::exchange(values_, nullptr));
        }
        links_ = any.links;
        values_ = plain.sparse;
        leave_tables();
        links_ = nullptr;
        values_ = nullptr;
        forget_pairs();
    } else {
        enter_tables();
        storage::release_values(data_, any);
        storage::release_values(data_, plain);
        data_.entities.at(index_of(element_)).state |= storage::record_used_as_id;
        if (any.pairs.empty()) {
            data_.ids.remove(any);
        }
    }
    moves_.clear();
}

}  // namespace kith::mutate
