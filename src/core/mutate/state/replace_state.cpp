// Replaces the state of a world (replace_state.hpp): first the steps that may fail, then the
// exchange.
#include "mutate/state/replace_state.hpp"

#include "base/scope_exit.hpp"
#include "containers/reserve_one.hpp"
#include "mutate/apply/values.hpp"
#include "names/entity_name.hpp"
#include "names/name_index.hpp"
#include "storage/find.hpp"
#include "storage/link_store_state.hpp"
#include "storage/table_set_state.hpp"
#include "storage/value_index.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace kith::mutate {

using containers::purpose;
using storage::id_record;
using storage::link_store;
using storage::sparse_store;
using storage::table;
using storage::table_set_state;

namespace {

template <class Store>
void release_store(containers::memory& mem, Store* owned) noexcept {
    if (owned) {
        owned->~Store();
        mem.release(owned, sizeof(Store), purpose::sparse);
    }
}

// A store in the world's memory with the contents of a copy. `make` constructs an empty store.
template <class Store, class Make, class Copy>
Store* make_store(containers::memory& mem, Make&& make, Copy&& copy) {
    Store* made = make(mem.allocate(sizeof(Store), purpose::sparse));
    base::scope_exit undo([&] { release_store(mem, made); });
    copy(*made);
    undo.release();
    return made;
}

bool is_name_column(const table& owner, std::uint32_t column) noexcept {
    return owner.records[owner.column_ids[column]]->value_type->component ==
           detail::identifier_type_id;
}

}  // namespace

kept_value::kept_value(const type_info& type, const void* from)
    : type_(&type), value_(::operator new (type.size, std::align_val_t{type.alignment})) {
    base::scope_exit undo([&] { ::operator delete (value_, std::align_val_t{type.alignment}); });
    copy_context source{&type, from};
    make_value(type, copying_source(source), value_);
    undo.release();
}

kept_value::~kept_value() {
    if (value_) {
        types::destroy_values(*type_, value_, 1);
        ::operator delete (value_, std::align_val_t{type_->alignment});
    }
}

state_replacement::state_replacement(stage& world, capture_memory& memory,
                                     std::shared_ptr<const world_state> state)
    : world_(world),
      data_(world.data),
      memory_(memory),
      state_(std::move(state)),
      structure_(*state_->structure) {}

// Releases what was prepared and not committed, or what commit() has replaced. The members hold new
// parts before commit() and replaced parts after it, so that one destructor serves both. Rows go
// before tables, and tables before types, because each needs the next to destroy its values.
state_replacement::~state_replacement() {
    release_rows();
    for (const auto& fresh : sparse_) {
        release_store(data_.mem, fresh.store);
    }
    for (const auto& fresh : toggles_) {
        release_store(data_.mem, fresh.store);
    }
    for (const auto& fresh : links_) {
        release_store(data_.mem, fresh.store);
    }
    for (auto* list : {&sparse_ids_, &link_ids_, &toggled_ids_}) {
        list->release(data_.mem, purpose::sparse);
    }
    tables_.reset();
    ids_.reset();
    if (committed_) {
        release_old_types();
    }
    for (types::component_type* type : added_types_) {
        storage::remove_type(data_, *type);
    }
    release_ended_types(world_);
}

// -- preparing

// The order follows from references: records refer to types, tables to records, rows and stores to
// tables and records. With the same structure the present records and tables stay.
void state_replacement::prepare() {
    last_ = memory_.last.lock();
    same_structure_ =
        last_ && has_same_structure(data_, memory_) && last_->structure == state_->structure;
    entities_unwritten_ = last_ && are_entities_unwritten(data_, memory_, *last_);
    prepare_types();
    if (!same_structure_) {
        prepare_records();
        prepare_tables();
    }
    prepare_rows();
    prepare_stores();
    prepare_lists();
    for (std::uint32_t page = 0; page < state_->pages.size(); ++page) {
        if (state_->pages[page]) {
            storage::entity_index_state::ensure_page(data_.entities, page);
        }
    }
}

types::component_type* state_replacement::type_of(std::uint32_t component) const noexcept {
    auto found = std::find_if(types_.begin(), types_.end(), [&](const types::component_type* type) {
        return type->component == component;
    });
    return found != types_.end() ? *found : nullptr;
}

bool state_replacement::is_of_state(const types::component_type& type) const noexcept {
    return std::find(types_.begin(), types_.end(), &type) != types_.end();
}

// The types of the state that the world has lost come back. Another component may have the index of
// a lost one.
void state_replacement::prepare_types() {
    for (const std::shared_ptr<const type_copy>& copy : structure_.types) {
        const std::uint32_t component = index_of(copy->component);
        auto* known = std::find_if(
            data_.types.begin(), data_.types.end(),
            [&](const types::component_type* type) { return type->component == component; });
        containers::reserve_one(types_);
        if (known != data_.types.end() && data_.entities.find(copy->component)) {
            if (!is_same_type((*known)->info, copy->info)) {
                raise_about(world_, errc::type_conflict,
                            "the snapshot cannot be restored: ", copy->component,
                            " is a component of another type now");
            }
            types_.push_back(*known);
            continue;
        }
        containers::reserve_one(added_types_);
        if (std::find(memory_.types.begin(), memory_.types.end(), copy) == memory_.types.end()) {
            memory_.types.push_back(copy);
        }
        added_types_.push_back(&storage::add_type(data_, copy->info, component));
        types_.push_back(added_types_.back());
    }
    keep_types();
}

// C++ types that the world knows and the state does not are registered again.
void state_replacement::keep_types() {
    for (const types::component_type* type : data_.types) {
        if (!is_of_state(*type) && detail::find_type(type->component)) {
            const entity_t component = data_.entities.alive_at(type->component);
            const entity_t scope = detail::find_parent(data_, component);
            const names::name_node* own = names::find_name(data_, component, Name);
            kept_.push_back({type->component,
                             scope,
                             own ? std::string(own->view()) : std::string(),
                             scope == Kith ? own_value(component) : kept_value(),
                             {}});
        }
    }
}

// The value that a component of the library has of itself. Descriptions of C++ types are no state.
kept_value state_replacement::own_value(entity_t component) const {
    const type_info& info = *detail::find_type(index_of(component));
    const void* own =
        info.size != 0 && info.can_copy() ? find_own_value(world_, component, component) : nullptr;
    return own ? kept_value(info, own) : kept_value();
}

// Hooks are moved out of types that end with the replacement, so that their contexts are not freed
// with them.
void state_replacement::keep_hooks() noexcept {
    for (types::component_type* type : data_.types) {
        for (kept_type& kept : kept_) {
            if (!is_of_state(*type) && kept.component == type->component) {
                std::copy(std::begin(type->hooks), std::end(type->hooks), kept.hooks);
                std::fill(std::begin(type->hooks), std::end(type->hooks), detail::hook{});
            }
        }
    }
}

// Lists of pairs are filled in a second pass, since they may refer to records with higher numbers.
void state_replacement::prepare_records() {
    ids_.emplace(data_.mem);
    for (const record_copy& copy : structure_.records) {
        id_record* record = ids_->append_restored(copy.id);
        if (!record) {
            continue;
        }
        record->value_type = type_of(copy.value_type);
        record->hook_type = type_of(copy.hook_type);
        record->traits = copy.traits;
        record->shape_flags = copy.shape_flags;
        record->effects = copy.effects;
        record->pinned = copy.pinned;
        record->active = copy.active;
        record->active_pairs = copy.active_pairs;
        record->relation_position = copy.relation_position;
        record->same_target = copy.same_target;
        record->sparse_number = copy.sparse_number;
        record->dormant_tick = data_.ticks.now();
        const auto count = static_cast<std::uint32_t>(copy.tables.size());
        record->tables.reserve_extra(data_.mem, count, purpose::index);
        for (const storage::table_entry& entry : copy.tables) {
            record->tables.push_reserved(entry);
        }
        traits::describe_event_mask(data_, *record);
    }
    for (std::uint32_t number = 0; number < structure_.records.size(); ++number) {
        const state_vector<std::uint32_t>& pairs = structure_.records[number].pairs;
        containers::vec<id_record*>* listed =
            pairs.empty() ? nullptr : &ids_->by_number(number)->pairs;
        for (std::uint32_t pair : pairs) {
            listed->push(data_.mem, ids_->by_number(pair), purpose::index);
        }
    }
    ids_->index_restored(structure_.free_records.data(),
                         static_cast<std::uint32_t>(structure_.free_records.size()), data_.ids);
}

// The new set refers to the new records. Ticks have room for all columns before the exchange, which
// must not allocate.
void state_replacement::prepare_tables() {
    tables_.emplace(data_.mem, head_, *ids_, data_.ticks);
    static constexpr id_t no_ids = 0;
    for (const table_copy& copy : structure_.tables) {
        const id_t* ids = !copy.exists ? nullptr : copy.ids.empty() ? &no_ids : copy.ids.data();
        table* added = table_set_state::append(
            *tables_, ids, static_cast<std::uint32_t>(copy.ids.size()), copy.age);
        if (added && copy.dormant) {
            added->flags |= detail::shape_dormant;
        }
        if (added && added->flags & detail::shape_tracked) {
            data_.ticks.reserve_table(added->number, added->column_count);
        }
    }
    table_set_state::finish(*tables_, structure_.free_tables.data(),
                            static_cast<std::uint32_t>(structure_.free_tables.size()),
                            state_->idle.data(), static_cast<std::uint32_t>(state_->idle.size()),
                            state_->history);
}

// True if the rows of a table are those of the state already.
bool state_replacement::has_rows_of(const table* now, std::uint32_t number) const noexcept {
    return now && is_unwritten(*now) && last_ && now->number < last_->rows.size() &&
           last_->rows[now->number] == state_->rows[number] &&
           // Entities without ids are created without notice.
           data_.tables.rows(now->number).count == state_->rows[number]->entities->size();
}

// Rows that are those of the state already stay; under another structure, their blocks move to the
// table with the same ids.
void state_replacement::prepare_rows() {
    const storage::table_set& set = same_structure_ ? data_.tables : *tables_;
    for (std::uint32_t number = 0; number < set.number_limit(); ++number) {
        table* owner = set.find_number(number);
        if (!owner) {
            continue;
        }
        const table* now = same_structure_ ? owner : data_.tables.find(owner->ids, owner->id_count);
        if (has_rows_of(number == storage::no_table ? nullptr : now, number)) {
            if (!same_structure_) {
                kept_rows_.push_back({now->number, number});
            }
            continue;
        }
        const rows_copy& from = *state_->rows[number];
        if (same_structure_ && can_write_rows(*owner, from)) {
            written_rows_.push_back({owner, &from});
        } else {
            prepare_new_rows(*owner, from);
        }
    }
}

// True if all values are plain bytes, and names are those of the state already. Names are compared
// row by row, so that the table must have the entities of the state.
bool state_replacement::can_write_rows(const table& owner, const rows_copy& from) const noexcept {
    const detail::table_rows& rows = data_.tables.rows(owner.number);
    const bool same_rows = last_ && has_same_rows(owner) &&
                           last_->rows[owner.number]->entities == from.entities &&
                           rows.count == from.entities->size();
    for (std::uint32_t i = 0; i < owner.column_count; ++i) {
        const bool named = is_name_column(owner, i);
        if (named ? !same_rows || !has_same_values(data_, owner, i, *from.columns[i])
                  : !owner.column_type(i).trivial_copy) {
            return false;
        }
    }
    return rows.capacity == from.capacity && owner.number != storage::no_table;
}

void state_replacement::prepare_new_rows(table& owner, const rows_copy& from) {
    containers::reserve_one(rows_);
    detail::table_rows made = table_set_state::make_block(data_.tables, owner, 0, from.capacity);
    base::scope_exit undo([&] { table_set_state::release_block(data_.tables, owner, made); });
    fill_rows(owner, from, made);
    undo.release();
    made.count = static_cast<std::uint32_t>(from.entities->size());
    rows_.push_back({&owner, made});
}

// Columns that were filled are destroyed if a later one throws; the caller releases the block.
void state_replacement::fill_rows(const table& owner, const rows_copy& from,
                                  detail::table_rows& to) {
    const auto count = static_cast<std::uint32_t>(from.entities->size());
    if (count == 0) {
        return;
    }
    std::uint32_t filled = 0;
    base::scope_exit undo([&] {
        while (filled-- > 0) {
            types::destroy_values(owner.column_type(filled),
                                  storage::column_data(to, owner.columns[filled]), count);
        }
    });
    std::copy(from.entities->begin(), from.entities->end(), storage::entities_of(owner, to));
    for (; filled < owner.column_count; ++filled) {
        fill_column(owner, filled, from, to);
    }
    undo.release();
}

void state_replacement::fill_column(const table& owner, std::uint32_t column, const rows_copy& from,
                                    const detail::table_rows& to) {
    const auto count = static_cast<std::uint32_t>(from.entities->size());
    std::byte* values = storage::column_data(to, owner.columns[column]);
    const column_copy& copy = *from.columns[column];
    if (!is_name_column(owner, column)) {
        types::copy_values(owner.column_type(column), values, copy.at(0), count);
        return;
    }
    // The old names stay in the index until commit(), so a name may be there twice meanwhile.
    auto* names = reinterpret_cast<Identifier*>(values);
    std::uint32_t made = 0;
    base::scope_exit undo([&] { std::destroy_n(names, made); });
    for (; made < count; ++made) {
        const name_copy& name = copy.names()[made];
        const entity_t entity = (*from.entities)[made];
        names::name_node* node = !name.exists   ? nullptr
                                 : name.indexed ? world_.names.add(name.parent, name.text, entity)
                                                : world_.names.add_unindexed(name.text, entity);
        ::new (static_cast<void*>(names + made)) Identifier(identifier_access::make(node));
    }
    undo.release();
}

void state_replacement::prepare_stores() {
    // Stores that are as they were stay, unless their records are replaced.
    auto copy_sparse = [&](const auto& copies, auto& to, bool has_values, auto&& is_known) {
        for (std::uint32_t number = 0; number < copies.size(); ++number) {
            if (!copies[number] || is_known(number)) {
                continue;
            }
            containers::reserve_one(to);
            const types::component_type* type =
                has_values ? type_of(structure_.records[number].value_type) : nullptr;
            to.push_back(
                {number, make_store<sparse_store>(
                             data_.mem,
                             [&](void* block) {
                                 return ::new (block)
                                     sparse_store(data_.mem, type ? &type->info : nullptr);
                             },
                             [&](sparse_store& made) { made.copy_from(copies[number]->store); })});
        }
    };
    copy_sparse(state_->sparse, sparse_, true, [&](std::uint32_t number) {
        if (same_structure_ && can_write_values(number)) {
            written_sparse_.push_back({number, state_->sparse[number].get()});
            return true;
        }
        return same_structure_ && is_unwritten(*record_at(number).sparse) &&
               last_->sparse[number] == state_->sparse[number];
    });
    copy_sparse(state_->toggles, toggles_, false, [&](std::uint32_t number) {
        return same_structure_ && is_unwritten(*record_at(number).disabled) &&
               last_->toggles[number] == state_->toggles[number];
    });
    auto find_type = [](void* context, const type_info& type) -> const type_info* {
        // The types of copied values are members of type copies.
        const auto& me = *static_cast<const state_replacement*>(context);
        for (const std::shared_ptr<const type_copy>& copy : me.structure_.types) {
            if (&copy->info == &type) {
                return &me.type_of(index_of(copy->component))->info;
            }
        }
        return nullptr;
    };
    for (std::uint32_t number = 0; number < state_->links.size(); ++number) {
        const bool is_known = same_structure_ && state_->links[number] &&
                              is_unwritten(*record_at(number).links) &&
                              last_->links[number] == state_->links[number];
        if (const links_copy* copy = is_known ? nullptr : state_->links[number].get()) {
            containers::reserve_one(links_);
            links_.push_back({number, make_store<link_store>(
                                          data_.mem,
                                          [&](void* block) {
                                              return ::new (block)
                                                  link_store(data_.mem, copy->store.is_exclusive());
                                          },
                                          [&](link_store& made) {
                                              storage::link_store_state::copy(made, copy->store,
                                                                              find_type, this);
                                          })});
        }
    }
}

// True if the values of a sparse id are plain bytes, and its entities are those of the state in the
// same order.
bool state_replacement::can_write_values(std::uint32_t record) const noexcept {
    const sparse_store& now = *record_at(record).sparse;
    const sparse_store& then = state_->sparse[record]->store;
    return now.info() && now.info()->trivial_copy && now.count() == then.count() &&
           std::equal(now.entities(), now.entities() + now.count(), then.entities());
}

void state_replacement::prepare_lists() {
    if (same_structure_) {
        return;
    }
    auto fill = [&](containers::vec<id_record*>& to, const state_vector<std::uint32_t>& from) {
        for (std::uint32_t number : from) {
            to.push(data_.mem, ids_->by_number(number), purpose::sparse);
        }
    };
    fill(sparse_ids_, structure_.sparse_ids);
    fill(link_ids_, structure_.link_ids);
    fill(toggled_ids_, structure_.toggled_ids);
}

// -- exchanging

// Structure, rows, stores and entities are exchanged before names move, because the parent of an
// entity is read from the restored links. The state is noted last, because the steps before are
// writes.
void state_replacement::commit() noexcept {
    committed_ = true;
    added_types_.clear();
    keep_hooks();
    if (same_structure_) {
        table_set_state::replace_idle(data_.tables, state_->idle.data(),
                                      static_cast<std::uint32_t>(state_->idle.size()),
                                      state_->history);
    } else {
        exchange_structure();
    }
    exchange_rows();
    exchange_stores();
    exchange_entities();
    move_names();
    note_changes();
    if (data_.indexes) {
        data_.indexes->reset();
    }
    if (!same_structure_) {
        release_old_structure();
    }
    note_state(data_, memory_, state_);
}

// The store of parents is withdrawn before its record is replaced; attach_lists() publishes the new
// one.
void state_replacement::exchange_structure() noexcept {
    if (data_.parents_store) {
        data_.parents_store->publish(nullptr);
    }
    data_.ids.swap_records(*ids_);
    table_set_state::swap(data_.tables, *tables_);
    for (const kept_rows& kept : kept_rows_) {
        std::swap(data_.tables.rows(kept.to), tables_->rows(kept.from));
    }
    std::swap(data_.sparse_ids, sparse_ids_);
    std::swap(data_.link_ids, link_ids_);
    std::swap(data_.toggled_ids, toggled_ids_);
    data_.sparse_count = structure_.sparse_count;
    data_.bases = data_.ids.find(make_pair(IsA, Wildcard));
    data_.parents_store = nullptr;
    data_.parents_relation = nullptr;
    world_.left_tables.clear();
}

// The replaced rows take the place of the new ones, and are destroyed with this object. Rows of a
// replaced structure stay with their table.
void state_replacement::exchange_rows() noexcept {
    for (new_rows& fresh : rows_) {
        std::swap(data_.tables.rows(fresh.owner->number), fresh.rows);
    }
    for (const written_rows& written : written_rows_) {
        write_rows(*written.owner, *written.from);
    }
}

void state_replacement::write_rows(const table& owner, const rows_copy& from) noexcept {
    detail::table_rows& rows = data_.tables.rows(owner.number);
    KITH_ASSERT(from.entities->size() <= rows.capacity, "the table has room for the rows");
    rows.count = static_cast<std::uint32_t>(from.entities->size());
    if (rows.count == 0) {
        return;
    }
    std::copy(from.entities->begin(), from.entities->end(), storage::entities_of(owner, rows));
    for (std::uint32_t i = 0; i < owner.column_count; ++i) {
        if (!is_name_column(owner, i)) {
            std::memcpy(storage::column_data(rows, owner.columns[i]), from.columns[i]->at(0),
                        std::size_t{owner.column_type(i).size} * rows.count);
        }
    }
}

void state_replacement::write_values(const sparse_store& to, const sparse_store& from) noexcept {
    for (std::uint32_t i = 0; i < to.count(); ++i) {
        const std::uint32_t index = index_of(to.entity_at(i));
        std::memcpy(to.find(index), from.find(index), to.info()->size);
    }
}

void state_replacement::exchange_stores() noexcept {
    if (same_structure_) {
        for (const auto& fresh : sparse_) {
            record_at(fresh.record).sparse->swap_values(*fresh.store);
        }
        for (const written_store& written : written_sparse_) {
            write_values(*record_at(written.record).sparse, written.from->store);
        }
        for (const auto& fresh : toggles_) {
            record_at(fresh.record).disabled->swap_values(*fresh.store);
        }
        for (const auto& fresh : links_) {
            storage::link_store_state::swap(*record_at(fresh.record).links, *fresh.store);
        }
        return;
    }
    attach_lists();
}

// The new records take the new stores over; the lists are emptied, so that the destructor does not
// release them.
void state_replacement::attach_lists() noexcept {
    auto counter = [&](const id_record& record) {
        return record.event_mask & storage::event_track ? data_.ticks.watch_for(data_, record.id)
                                                        : nullptr;
    };
    for (const auto& fresh : sparse_) {
        id_record& record = record_at(fresh.record);
        record.sparse = fresh.store;
        record.sparse->set_change_counter(counter(record));
    }
    for (const auto& fresh : toggles_) {
        id_record& record = record_at(fresh.record);
        record.disabled = fresh.store;
        record.disabled->set_change_counter(counter(record));
    }
    for (const auto& fresh : links_) {
        id_record& record = record_at(fresh.record);
        record.links = fresh.store;
        record.links->listeners().set(storage::change_listeners::counter, counter(record));
        if (pair_first(record.id) == ChildOf) {
            data_.parents_store = record.links;
            data_.parents_relation = &record;
            record.links->publish(&data_);
        }
    }
    sparse_.clear();
    toggles_.clear();
    links_.clear();
}

// Pages that the state does not have become pages without live entities.
void state_replacement::exchange_entities() noexcept {
    for (std::uint32_t page = 0; page < data_.page_count; ++page) {
        const bool known = page < state_->pages.size() && state_->pages[page];
        const bool same = entities_unwritten_ && known && page < last_->pages.size() &&
                          last_->pages[page] == state_->pages[page];
        if (storage::entity_index_state::issued_page(data_.entities, page) && !same) {
            storage::entity_index_state::write_page(data_.entities, page,
                                                    known ? state_->pages[page]->data() : nullptr);
        }
    }
    storage::entity_index_state::load_counters(data_.entities, state_->counters);
    world_.mode = (world_.mode & ~std::uint32_t{detail::mode_untidy}) |
                  (state_->untidy ? std::uint32_t{detail::mode_untidy} : 0u);
}

// Parents are links, so that a name may have another parent than when its row was captured. A state
// in which they were ids of tables may replace one with links.
void state_replacement::move_names() noexcept {
    if (same_structure_ && !is_replaced(make_pair(ChildOf, Wildcard))) {
        for (const new_rows& fresh : rows_) {
            move_names_of(*fresh.owner);
        }
        return;
    }
    for (std::uint32_t number = 0; number < data_.tables.number_limit(); ++number) {
        if (const table* owner = data_.tables.find_number(number)) {
            move_names_of(*owner);
        }
    }
}

void state_replacement::move_names_of(const table& owner) noexcept {
    const std::int32_t name = storage::find_id(owner, make_pair(detail::identifier_type_id, Name));
    const detail::table_rows& rows = data_.tables.rows(owner.number);
    for (std::uint32_t row = 0; name >= 0 && row < rows.count; ++row) {
        names::name_node* node = identifier_access::node(
            *reinterpret_cast<const Identifier*>(storage::value_in(rows, owner.slots[name], row)));
        const entity_t parent = storage::parent_of(data_, storage::entities_of(owner, rows)[row]);
        if (node && node->parent != index_of(parent)) {
            world_.names.move(*node, index_of(parent));
        }
    }
}

// True if the store or the links of an id were exchanged. Requires: the structure is the same.
bool state_replacement::is_replaced(id_t id) const noexcept {
    auto concerns = [&](const auto& exchanged) {
        return std::any_of(exchanged.begin(), exchanged.end(),
                           [&](const auto& fresh) { return record_at(fresh.record).id == id; });
    };
    return concerns(sparse_) || concerns(written_sparse_) || concerns(toggles_) || concerns(links_);
}

// All live entities count as changed for a sparse id whose store was exchanged.
void state_replacement::note_sparse_changes(storage::sparse_change_marks& marks) noexcept {
    data_.entities.each([&](entity_t entity) {
        data_.ticks.sparse_changed(marks, data_.entities.find(entity)->table, index_of(entity));
    });
}

// Caches and plans of queries depend on versions, and change detection on ticks: both count every
// exchanged part as changed.
void state_replacement::note_changes() noexcept {
    data_.base_made();
    data_.on_element_deleted();
    ++data_.table_epoch;
    if (!same_structure_) {
        data_.schema_changed();
    }
    for (const new_rows& fresh : rows_) {
        note_replaced(*fresh.owner);
    }
    for (const written_rows& written : written_rows_) {
        note_replaced(*written.owner);
    }
    for (storage::sparse_change_marks* marks : data_.ticks.all_sparse()) {
        if (!same_structure_ || is_replaced(marks->id)) {
            note_sparse_changes(*marks);
        }
    }
}

void state_replacement::note_replaced(const table& owner) noexcept {
    const detail::table_rows& now = data_.tables.rows(owner.number);
    if (owner.flags & detail::shape_tracked) {
        data_.ticks.table_replaced(owner, now.count ? storage::entities_of(owner, now) : nullptr,
                                   now.count);
    }
}

void state_replacement::destroy_rows(const table& owner, detail::table_rows& rows) const noexcept {
    for (std::uint32_t i = 0; i < owner.column_count && rows.count != 0; ++i) {
        types::destroy_values(owner.column_type(i), storage::column_data(rows, owner.columns[i]),
                              rows.count);
    }
    rows.count = 0;
}

void state_replacement::release_rows() noexcept {
    for (new_rows& fresh : rows_) {
        destroy_rows(*fresh.owner, fresh.rows);
        table_set_state::release_block(data_.tables, *fresh.owner, fresh.rows);
    }
    rows_.clear();
}

// The replaced records own their stores, and the replaced tables their rows.
void state_replacement::release_old_structure() noexcept {
    for (std::uint32_t number = 0; number < tables_->number_limit(); ++number) {
        if (const table* owner = tables_->find_number(number)) {
            destroy_rows(*owner, tables_->rows(number));
        }
    }
    for (std::uint32_t number = 0; number < ids_->number_limit(); ++number) {
        if (id_record* record = ids_->by_number(number)) {
            release_store(data_.mem, std::exchange(record->sparse, nullptr));
            release_store(data_.mem, std::exchange(record->disabled, nullptr));
            release_store(data_.mem, std::exchange(record->links, nullptr));
        }
    }
}

// Removes the types that the state does not have.
void state_replacement::release_old_types() noexcept {
    for (std::uint32_t i = data_.types.size(); i-- > 0;) {
        if (!is_of_state(*data_.types[i])) {
            storage::remove_type(data_, *data_.types[i]);
        }
    }
}

}  // namespace kith::mutate
