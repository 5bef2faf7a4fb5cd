// Sets transient ids aside and puts them back (transient_ids.hpp).
#include "mutate/state/transient_ids.hpp"

#include "base/assert.hpp"
#include "base/scope_exit.hpp"
#include "ids/builtin.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/rules/destination.hpp"
#include "storage/find.hpp"
#include "storage/link_store_state.hpp"
#include "types/component_type.hpp"

#include <algorithm>
#include <new>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_record;
using storage::link_store;
using storage::sparse_store;
using storage::table;

namespace {

// Constructs a value in raw memory by moving; the moved-from value stays to be destroyed.
void move_kept_value(const type_info& info, void* to, void* from) noexcept {
    move_context context{&info, from};
    make_value(info, moving_source(context), to);
}

// Ticks do not count moves between two tables as long as the object exists: the rows return.
class untracked_tables {
public:
    untracked_tables(storage::store& data, std::uint32_t from, std::uint32_t to) noexcept
        : tables_{&data.tables.at(from), &data.tables.at(to)} {
        for (std::size_t i = 0; i < 2; ++i) {
            // The first write sets flags anew.
            note_rows_written(data, *tables_[i]);
            tracked_[i] = tables_[i]->flags & detail::shape_tracked;
            tables_[i]->flags &= ~std::uint32_t{detail::shape_tracked};
        }
    }
    ~untracked_tables() {
        for (std::size_t i = 0; i < 2; ++i) {
            tables_[i]->flags |= tracked_[i];
        }
    }
    untracked_tables(const untracked_tables&) = delete;
    untracked_tables& operator=(const untracked_tables&) = delete;

private:
    table* tables_[2];
    std::uint32_t tracked_[2];
};

// The component or relationship of an id.
std::uint32_t transient_element(id_t id) noexcept {
    return is_pair(id) ? pair_first(id) : index_of(id & ~id_flags_mask);
}

template <class Store>
void drop_kept_store(containers::memory& mem, Store* owned) noexcept {
    if (owned) {
        owned->~Store();
        mem.release(owned, sizeof(Store), purpose::sparse);
    }
}

}  // namespace

state_vector<entity_t> find_transient(const storage::store& data) {
    state_vector<entity_t> found;
    const id_record* record = data.ids.find(Transient);
    for (std::uint32_t i = 0; record && i < record->active; ++i) {
        const table& type = data.tables.at(record->tables[i].table);
        const detail::table_rows& rows = data.tables.rows(type.number);
        for (std::uint32_t row = 0; row < rows.count; ++row) {
            const entity_t component = storage::entities_of(type, rows)[row];
            if (!ids::is_builtin(index_of(component)) &&
                detail::find_parent(data, component) != Kith) {
                found.push_back(component);
            }
        }
    }
    return found;
}

transient_ids::transient_ids(stage& world, const state_vector<entity_t>& components)
    : world_(world), data_(world.data) {
    for (entity_t component : components) {
        if (data_.entities.find(component)) {
            alive_.push_back(component);
            components_.push_back(index_of(component));
        }
    }
    std::sort(components_.begin(), components_.end());
}

transient_ids::~transient_ids() {
    if (is_aside_) {
        undo();
    }
    release();
}

bool transient_ids::is_transient(id_t id) const noexcept {
    return std::binary_search(components_.begin(), components_.end(), transient_element(id));
}

// Implied traits are left out: a component keeps them when the other entity loses its pair.
std::uint32_t transient_ids::traits_of(id_t id) const noexcept {
    const table& type = data_.tables.at(data_.entities.at(transient_element(id)).table);
    return traits::traits_of(type.ids, type.id_count) & ~std::uint32_t{traits::trait_transient};
}

// -- setting aside

void transient_ids::set_aside() {
    KITH_ASSERT(!is_aside_, "ids are set aside once");
    if (components_.empty()) {
        return;
    }
    base::scope_exit forget([&] {
        remove_tables(made_tables_);
        made_tables_.clear();
    });
    plan_tables();
    plan_stores();
    forget.release();
    leave_tables();
    exchange_stores();
    is_aside_ = true;
}

void transient_ids::plan_tables() {
    // Tables that are made on the way have no transient ids.
    const std::uint32_t limit = data_.tables.number_limit();
    for (std::uint32_t number = storage::root_table; number < limit; ++number) {
        const table* from = data_.tables.find_number(number);
        if (from && data_.tables.rows(number).count != 0 &&
            std::any_of(from->ids, from->ids + from->id_count,
                        [&](id_t id) { return is_transient(id); })) {
            plan_table(*from);
        }
    }
    // Room for all rows of a destination is made once: rows of several tables may go there.
    for (const kept_table& kept : tables_) {
        std::uint32_t rows = 0;
        for (const kept_table& other : tables_) {
            rows += other.to == kept.to ? static_cast<std::uint32_t>(other.entities.size()) : 0;
        }
        data_.tables.reserve_rows(data_.tables.at(kept.to), rows);
    }
}

void transient_ids::plan_table(const table& from) {
    id_buffer removed(data_.mem, purpose::commands);
    const detail::table_rows& rows = data_.tables.rows(from.number);
    kept_table kept{from.number, 0, {}, {}};
    tables_.push_back(std::move(kept));
    kept_table& planned = tables_.back();
    const entity_t* entities = storage::entities_of(from, rows);
    planned.entities.assign(entities, entities + rows.count);
    for (std::uint32_t i = 0; i < from.id_count; ++i) {
        const id_t id = from.ids[i];
        if (!is_transient(id)) {
            continue;
        }
        removed.push(id);
        const entity_t target =
            is_pair(id) ? data_.entities.alive_at(pair_second(id)) : entity_t{0};
        planned.ids.push_back({id, target, traits_of(id), nullptr, nullptr});
        if (from.slots[i].size != 0) {
            const type_info& info = from.records[i]->value_type->info;
            planned.ids.back().values = static_cast<std::byte*>(
                allocate_state_values(std::size_t{info.size} * rows.count, info.alignment));
            planned.ids.back().type = &info;
        }
    }
    made_tables_.reserve(made_tables_.size() + 1);
    const std::uint32_t count = data_.tables.count();
    const table& to = table_after(world_, from, nullptr, 0, removed.data(), removed.size());
    planned.to = to.number;
    if (data_.tables.count() != count) {
        made_tables_.push_back(to.number);
    }
}

void transient_ids::plan_stores() {
    auto plan = [&](id_record& record, const type_info* info, bool toggles) {
        stores_.push_back({record.id, traits_of(record.id), nullptr, toggles});
        stores_.back().store = ::new (data_.mem.allocate(sizeof(sparse_store), purpose::sparse))
            sparse_store(data_.mem, info);
    };
    for (id_record* record : data_.sparse_ids) {
        if (is_transient(record->id)) {
            plan(*record, record->sparse->info(), false);
        }
    }
    for (id_record* record : data_.toggled_ids) {
        if (is_transient(record->id)) {
            plan(*record, nullptr, true);
        }
    }
    for (id_record* relation : data_.link_ids) {
        if (is_transient(relation->id)) {
            plan_links(*relation);
        }
    }
}

// Links are listed by target, in the order of the sources.
void transient_ids::plan_links(id_record& relation) {
    links_.push_back({relation.id, traits_of(relation.id), nullptr, {}});
    kept_links& planned = links_.back();
    planned.store = ::new (data_.mem.allocate(sizeof(link_store), purpose::sparse))
        link_store(data_.mem, relation.links->is_exclusive());
    data_.entities.each([&](entity_t target) {
        const storage::source_span sources = relation.links->sources(index_of(target));
        for (std::uint32_t i = 0; i < sources.size; ++i) {
            if (sources.items[i] != 0) {
                planned.links.push_back({sources.items[i], target});
            }
        }
    });
}

void transient_ids::leave_tables() noexcept {
    for (kept_table& kept : tables_) {
        leave_table(kept);
    }
}

// Rows are moved from the end, so that no other row has to fill a hole.
void transient_ids::leave_table(kept_table& kept) noexcept {
    const table& from = data_.tables.at(kept.from);
    const table& to = data_.tables.at(kept.to);
    const untracked_tables untracked(data_, kept.from, kept.to);
    for (std::uint32_t row = data_.tables.rows(kept.from).count; row-- > 0;) {
        const detail::table_rows& rows = data_.tables.rows(kept.from);
        for (const kept_id& id : kept.ids) {
            if (id.type) {
                const std::int32_t position = storage::find_id(from, id.id);
                move_kept_value(*id.type, id.values + std::size_t{id.type->size} * row,
                                storage::value_in(rows, from.slots[position], row));
            }
        }
        entity_record& record = *data_.entities.find(kept.entities[row]);
        move_row(data_, kept.entities[row], record, from, to);
    }
}

// The stores count as written, before the exchange and after it.
void transient_ids::exchange_stores() noexcept {
    for (const kept_store& kept : stores_) {
        const id_record& record = *data_.ids.find(kept.id);
        sparse_store& store = kept.toggles ? *record.disabled : *record.sparse;
        store.swap_values(*kept.store);
        store.set_unwritten(false);
    }
    for (const kept_links& kept : links_) {
        link_store& links = *data_.ids.find(kept.id)->links;
        storage::link_store_state::swap(links, *kept.store);
        links.listeners().set_unwritten(false);
    }
}

// -- undoing

void transient_ids::undo() noexcept {
    exchange_stores();
    for (std::size_t i = tables_.size(); i-- > 0;) {
        return_rows(tables_[i]);
    }
    remove_tables(made_tables_);
    is_aside_ = false;
}

void transient_ids::return_rows(kept_table& kept) noexcept {
    const table& from = data_.tables.at(kept.from);
    const table& to = data_.tables.at(kept.to);
    const untracked_tables untracked(data_, kept.from, kept.to);
    for (std::uint32_t row = 0; row < kept.entities.size(); ++row) {
        const detail::table_rows& rows = data_.tables.rows(kept.from);
        KITH_ASSERT(rows.count == row && row < rows.capacity, "rows return to their places");
        for (const kept_id& id : kept.ids) {
            if (id.type) {
                const std::int32_t position = storage::find_id(from, id.id);
                types::relocate_value(*id.type, storage::value_in(rows, from.slots[position], row),
                                      id.values + std::size_t{id.type->size} * row);
            }
        }
        entity_record& record = *data_.entities.find(kept.entities[row]);
        move_row(data_, kept.entities[row], record, to, from);
    }
}

// Tables that have rows stay.
void transient_ids::remove_tables(const state_vector<std::uint32_t>& numbers) noexcept {
    for (std::size_t i = numbers.size(); i-- > 0;) {
        table* made = data_.tables.find_number(numbers[i]);
        if (made && data_.tables.rows(numbers[i]).count == 0) {
            data_.tables.remove(*made);
        }
    }
}

// The values have been moved out or destroyed.
void transient_ids::release() noexcept {
    for (kept_table& kept : tables_) {
        for (kept_id& id : kept.ids) {
            if (id.type) {
                release_state_values(id.values, std::size_t{id.type->size} * kept.entities.size(),
                                     id.type->alignment);
            }
        }
    }
    for (const kept_store& kept : stores_) {
        drop_kept_store(data_.mem, kept.store);
    }
    for (const kept_links& kept : links_) {
        drop_kept_store(data_.mem, kept.store);
    }
}

// -- putting back

// False if an element of the id is not alive any more or another entity has its index, and if the
// id has other properties or values now: its storage may be another one, and rules may not allow
// it.
bool transient_ids::can_return(const kept_id& kept) const noexcept {
    if (data_.entities.alive_at(transient_element(kept.id)) == 0 ||
        (is_pair(kept.id) && data_.entities.alive_at(pair_second(kept.id)) != kept.target)) {
        return false;
    }
    const storage::id_info now = traits::describe_id(data_, kept.id);
    const type_info* type = now.value_type ? &now.value_type->info : nullptr;
    return type == kept.type && traits_of(kept.id) == kept.traits;
}

// The last tables were set aside last, so that rows return in the same way as by undo(). Values of
// entities that are gone are destroyed.
void transient_ids::put_back(const state_vector<std::uint32_t>& made_tables) {
    KITH_ASSERT(is_aside_ || components_.empty(), "ids that are put back were set aside");
    is_aside_ = false;
    base::scope_exit destroy([&] {
        for (const kept_table& kept : tables_) {
            for (const kept_id& id : kept.ids) {
                if (id.type) {
                    types::destroy_values(*id.type, id.values, kept.entities.size());
                }
            }
        }
    });
    for (std::size_t i = tables_.size(); i-- > 0;) {
        put_back_rows(tables_[i]);
    }
    for (const kept_links& kept : links_) {
        put_back_links(kept);
    }
    // The switched-off ids come last, behind the ids themselves.
    for (const kept_store& kept : stores_) {
        put_back_store(kept);
    }
    remove_tables(made_tables);
}

void transient_ids::put_back_rows(const kept_table& kept) {
    for (std::uint32_t row = 0; row < kept.entities.size(); ++row) {
        if (data_.entities.find(kept.entities[row])) {
            put_back_row(kept, row);
        }
    }
}

// The kept value stays as a moved-from one, to be destroyed with the others.
void transient_ids::put_back_row(const kept_table& kept, std::uint32_t row) {
    entity_record& record = *data_.entities.find(kept.entities[row]);
    const table& from = data_.tables.at(record.table);
    id_buffer added(data_.mem, purpose::commands);
    for (const kept_id& id : kept.ids) {
        if (can_return(id) && storage::find_id(from, id.id) < 0) {
            data_.ids.ensure(id.id);
            mark_elements_used(data_, id.id);
            added.push(id.id);
        }
    }
    if (added.empty()) {
        return;
    }
    const table& to = table_after(world_, from, added.data(), added.size(), nullptr, 0);
    data_.tables.reserve_rows(to, 1);
    const detail::table_rows& rows = data_.tables.rows(to.number);
    for (const kept_id& id : kept.ids) {
        const bool returns = std::find(added.begin(), added.end(), id.id) != added.end();
        if (returns && id.type) {
            const std::int32_t position = storage::find_id(to, id.id);
            move_kept_value(*id.type, storage::value_in(rows, to.slots[position], rows.count),
                            id.values + std::size_t{id.type->size} * row);
        }
    }
    move_row(data_, kept.entities[row], record, from, to);
}

void transient_ids::put_back_store(const kept_store& kept) {
    if (!kept.toggles && !can_return({kept.id, 0, kept.traits, kept.store->info(), nullptr})) {
        return;
    }
    for (std::uint32_t i = 0; i < kept.store->count(); ++i) {
        const entity_t entity = kept.store->entity_at(i);
        entity_record* record = data_.entities.find(entity);
        if (!record || (kept.toggles && !storage::owns_id(data_, *record, entity, kept.id))) {
            continue;
        }
        id_record& owner = data_.ids.ensure(kept.id);
        sparse_store& to = kept.toggles ? storage::ensure_toggles(data_, owner)
                                        : storage::ensure_sparse(data_, owner);
        void* place = to.prepare(index_of(entity));
        if (place) {
            move_kept_value(*to.info(), place, kept.store->find(index_of(entity)));
        }
        to.commit(entity);
        record->state |= kept.toggles ? std::uint32_t{storage::record_has_disabled}
                                      : storage::sparse_flag(owner.sparse_number);
    }
}

void transient_ids::put_back_links(const kept_links& kept) {
    const id_record* relation = data_.ids.find(kept.id);
    link_store* to = relation ? relation->links : nullptr;
    for (const kept_link& link : kept.links) {
        const std::uint32_t from = index_of(link.source);
        const std::uint32_t target = index_of(link.target);
        const type_info* type = storage::link_store_state::value_type(*kept.store, target);
        const kept_id id{make_pair(pair_first(kept.id), target), link.target, kept.traits, type,
                         nullptr};
        if (!to || !data_.entities.find(link.source) || !can_return(id)) {
            continue;
        }
        void* place = to->prepare(from, target, type);
        if (type) {
            move_kept_value(*type, place, kept.store->value(from, target));
        }
        to->commit(link.source, link.target);
        data_.entities.at(from).state |= storage::source_flag(*relation);
        data_.entities.at(target).state |= storage::target_flag(*relation);
    }
}

}  // namespace kith::mutate
