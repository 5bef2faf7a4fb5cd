// Captures the storage of a world part by part (capture_state.hpp).
#include "mutate/state/capture_state.hpp"

#include "names/name_index.hpp"
#include "storage/link_store_state.hpp"
#include "storage/value_index.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::mutate {

namespace {

using storage::id_record;

// Identifiers refer to nodes of the world's index of names, so that they are captured as texts.
bool is_name_type(const types::component_type& type) noexcept {
    return type.component == detail::identifier_type_id;
}

// One capture. Parts that were not written since the last state are shared with it; the flags of
// such parts are set by note_state() and cleared by writes.
class state_capture {
public:
    state_capture(stage& world, capture_memory& memory)
        : world_(world), data_(world.data), memory_(memory) {}

    std::shared_ptr<world_state> run(const transient_ids& aside) {
        result_ = make_part<world_state>();
        result_->transient = aside.components();
        result_->made_tables = aside.made_tables();
        last_ = memory_.last.lock();
        result_->structure =
            last_ && has_same_structure(data_, memory_) ? last_->structure : capture_structure();
        capture_tables();
        capture_stores();
        capture_entities();
        return result_;
    }

private:
    std::shared_ptr<const type_copy> copy_type(types::component_type& type);
    std::shared_ptr<const structure_copy> capture_structure();
    record_copy capture_record(const id_record& record) const;
    void capture_entities();
    void capture_tables();
    std::shared_ptr<const rows_copy> find_last_rows(const storage::table& owner) const;
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    void check_unwritten(const storage::table& owner, const rows_copy& known) const;
#endif
    std::shared_ptr<const rows_copy> capture_rows(const storage::table& owner);
    static std::shared_ptr<const state_vector<entity_t>> capture_row_entities(
        const storage::table& owner, const detail::table_rows& rows);
    std::shared_ptr<const column_copy> capture_column(const storage::table& owner,
                                                      std::uint32_t column);
    std::shared_ptr<const column_copy> capture_names(const Identifier* names, std::uint32_t count);
    void capture_stores();
    std::shared_ptr<const links_copy> capture_links(const id_record& relation);
    [[noreturn]] void raise_not_copyable(id_t id, entity_t entity) const;
    void check_links(const id_record& relation) const;

    stage& world_;
    storage::store& data_;
    capture_memory& memory_;
    std::shared_ptr<world_state> result_;
    std::shared_ptr<const world_state> last_;  // null: nothing can be shared
};

void state_capture::raise_not_copyable(id_t id, entity_t entity) const {
    raise_about(world_, errc::not_copyable, "a snapshot cannot be taken: values of ", id,
                " cannot be copied, and ", entity,
                " has one; give the type a copy constructor, add kith::Transient to the component, "
                "or remove the values before");
}

// The first copy of a type takes over the duty to free its context: values of states may outlive
// the component.
std::shared_ptr<const type_copy> state_capture::copy_type(types::component_type& type) {
    const entity_t component = data_.entities.alive_at(type.component);
    for (const std::shared_ptr<const type_copy>& known : memory_.types) {
        if (known->component == component && is_same_type(known->info, type.info)) {
            return known;
        }
    }
    auto copy = std::make_shared<type_copy>(type.info, component);
    memory_.types.push_back(copy);
    copy->free_context = std::exchange(type.info.free_context, nullptr);
    return copy;
}

record_copy state_capture::capture_record(const id_record& record) const {
    record_copy copy;
    copy.id = record.id;
    copy.value_type = record.value_type ? record.value_type->component : 0;
    copy.hook_type = record.hook_type ? record.hook_type->component : 0;
    copy.traits = record.traits;
    copy.shape_flags = record.shape_flags & ~storage::indexed_shape_flags;
    copy.effects = record.effects;
    copy.pinned = record.pinned;
    copy.active = record.active;
    copy.active_pairs = record.active_pairs;
    copy.relation_position = record.relation_position;
    copy.same_target = record.same_target;
    copy.sparse_number = record.sparse_number;
    copy.tables.assign(record.tables.begin(), record.tables.end());
    for (const id_record* pair : record.pairs) {
        copy.pairs.push_back(pair->number);
    }
    return copy;
}

// Records and tables refer to each other by number, and free numbers are captured as well: new
// tables and ids get the same numbers after a restore as after the capture.
std::shared_ptr<const structure_copy> state_capture::capture_structure() {
    auto copy = make_part<structure_copy>();
    for (std::uint32_t number = 0; number < data_.ids.number_limit(); ++number) {
        const id_record* record = data_.ids.by_number(number);
        copy->records.push_back(record ? capture_record(*record) : record_copy{});
    }
    copy->free_records.assign(data_.ids.free_numbers().begin(), data_.ids.free_numbers().end());
    for (std::uint32_t number = 0; number < data_.tables.number_limit(); ++number) {
        table_copy type;
        if (const storage::table* owner = data_.tables.find_number(number)) {
            type.exists = true;
            type.dormant = (owner->flags & detail::shape_dormant) != 0;
            type.age = data_.tables.age(number);
            type.ids.assign(owner->ids, owner->ids + owner->id_count);
            type.column_ids.assign(owner->column_ids, owner->column_ids + owner->column_count);
        }
        copy->tables.push_back(std::move(type));
    }
    copy->free_tables.assign(storage::table_set_state::free_numbers(data_.tables).begin(),
                             storage::table_set_state::free_numbers(data_.tables).end());
    auto list = [](state_vector<std::uint32_t>& to, const containers::vec<id_record*>& from) {
        std::transform(from.begin(), from.end(), std::back_inserter(to),
                       [](const id_record* record) { return record->number; });
    };
    list(copy->sparse_ids, data_.sparse_ids);
    list(copy->link_ids, data_.link_ids);
    list(copy->toggled_ids, data_.toggled_ids);
    copy->sparse_count = data_.sparse_count;
    for (types::component_type* type : data_.types) {
        copy->types.push_back(copy_type(*type));
    }
    return copy;
}

// Pages are compared byte by byte, and a page that is equal to the captured one is shared. If no
// record was written, the comparison is spared.
void state_capture::capture_entities() {
    result_->counters = storage::entity_index_state::save_counters(data_.entities);
    const world_state* last = last_.get();
    if (last && are_entities_unwritten(data_, memory_, *last)) {
        result_->pages = last->pages;
        return;
    }
    result_->pages.reserve(data_.page_count);
    for (std::uint32_t page = 0; page < data_.page_count; ++page) {
        const storage::entity_record* records =
            storage::entity_index_state::issued_page(data_.entities, page);
        if (!records) {
            result_->pages.push_back(nullptr);
            continue;
        }
        const bool known = last && page < last->pages.size() && last->pages[page] &&
                           std::memcmp(last->pages[page]->data(), records,
                                       detail::record_page_size * sizeof(*records)) == 0;
        result_->pages.push_back(
            known ? last->pages[page]
                  : make_part<record_page>(records, records + detail::record_page_size));
    }
}

void state_capture::capture_tables() {
    result_->rows.reserve(data_.tables.number_limit());
    for (std::uint32_t number = 0; number < data_.tables.number_limit(); ++number) {
        const storage::table* owner = data_.tables.find_number(number);
        result_->rows.push_back(owner ? capture_rows(*owner) : nullptr);
    }
    const containers::vec<std::uint32_t>& idle = data_.tables.idle().numbers();
    result_->idle.assign(idle.begin(), idle.end());
    result_->history = storage::table_set_state::save_history(data_.tables);
    result_->untidy = (world_.mode & detail::mode_untidy) != 0;
}

// The rows of the last state, if the table has the same entities in the same order; else null.
std::shared_ptr<const rows_copy> state_capture::find_last_rows(const storage::table& owner) const {
    const std::uint32_t number = owner.number;
    if (!last_ || !has_same_rows(owner) || number >= last_->rows.size()) {
        return nullptr;
    }
    const std::shared_ptr<const rows_copy>& known = last_->rows[number];
    // Entities without ids are created without notice.
    return known->entities->size() == data_.tables.rows(number).count ? known : nullptr;
}

#if defined(KITH_ASSERTS) && KITH_ASSERTS
// Throws if values were written through a pointer that the program has kept over a capture.
void state_capture::check_unwritten(const storage::table& owner, const rows_copy& known) const {
    const detail::table_rows& current = data_.tables.rows(owner.number);
    for (std::uint32_t i = 0; i < owner.column_count && current.count != 0; ++i) {
        const type_info& info = owner.column_type(i);
        if (info.trivial_copy &&
            std::memcmp(storage::column_data(current, owner.columns[i]), known.columns[i]->at(0),
                        std::size_t{info.size} * current.count) != 0) {
            raise_id(world_, errc::invalid_operation, owner.ids[owner.column_ids[i]],
                     "was written through a pointer from before the last snapshot; get the pointer "
                     "anew, or call modified()");
        }
    }
}
#endif

// Columns with the values of the last state are shared with it. The capacity is captured, so that a
// restored table grows at the same number of rows.
std::shared_ptr<const rows_copy> state_capture::capture_rows(const storage::table& owner) {
    const std::shared_ptr<const rows_copy> known = find_last_rows(owner);
    if (known && is_unwritten(owner)) {
#if defined(KITH_ASSERTS) && KITH_ASSERTS
        check_unwritten(owner, *known);
#endif
        return known;
    }
    const detail::table_rows& current = data_.tables.rows(owner.number);
    auto copy = make_part<rows_copy>();
    copy->capacity = current.capacity;
    copy->columns.reserve(owner.column_count);
    bool shares_all = known != nullptr;
    for (std::uint32_t i = 0; i < owner.column_count; ++i) {
        const bool shared = known && has_same_values(data_, owner, i, *known->columns[i]);
        copy->columns.push_back(shared ? known->columns[i] : capture_column(owner, i));
        shares_all = shares_all && shared;
    }
    if (shares_all) {
        return known;
    }
    copy->entities = known ? known->entities : capture_row_entities(owner, current);
    return copy;
}

std::shared_ptr<const state_vector<entity_t>> state_capture::capture_row_entities(
    const storage::table& owner, const detail::table_rows& rows) {
    auto entities = make_part<state_vector<entity_t>>();
    if (rows.count != 0) {
        const entity_t* first = storage::entities_of(owner, rows);
        entities->assign(first, first + rows.count);
    }
    return entities;
}

std::shared_ptr<const column_copy> state_capture::capture_column(const storage::table& owner,
                                                                 std::uint32_t column) {
    const detail::table_rows& current = data_.tables.rows(owner.number);
    types::component_type& type = *owner.records[owner.column_ids[column]]->value_type;
    const std::byte* values =
        current.count != 0 ? storage::column_data(current, owner.columns[column]) : nullptr;
    if (is_name_type(type)) {
        return capture_names(reinterpret_cast<const Identifier*>(values), current.count);
    }
    if (current.count != 0 && !type.info.can_copy()) {
        raise_not_copyable(owner.ids[owner.column_ids[column]],
                           *storage::entities_of(owner, current));
    }
    return make_part<column_copy>(copy_type(type), values, current.count);
}

std::shared_ptr<const column_copy> state_capture::capture_names(const Identifier* names,
                                                                std::uint32_t count) {
    state_vector<name_copy> copies(count);
    for (std::uint32_t row = 0; row < count; ++row) {
        if (const names::name_node* node = identifier_access::node(names[row])) {
            copies[row] = {std::string(node->view()), node->parent, true, node->number != 0};
        }
    }
    return make_part<column_copy>(std::move(copies));
}

// The types of values are known per store and not per link, so that links are searched for the
// message only if a type cannot be copied.
void state_capture::check_links(const id_record& relation) const {
    const storage::link_store& links = *relation.links;
    bool copyable = true;
    storage::link_store_state::each_type(links, [&](const type_info& info, std::uint32_t used) {
        copyable = copyable && (used == 0 || info.can_copy());
    });
    for (std::uint32_t source = links.next_source(1); !copyable && source != 0;
         source = links.next_source(source + 1)) {
        for (std::uint32_t i = 0; i < links.target_count(source); ++i) {
            const storage::id_info link =
                traits::describe_link(data_, relation, links.target_at(source, i));
            if (link.value_type && !link.value_type->info.can_copy()) {
                raise_not_copyable(link.id, data_.entities.alive_at(source));
            }
        }
    }
}

std::shared_ptr<const links_copy> state_capture::capture_links(const id_record& relation) {
    check_links(relation);
    state_vector<links_copy::value_type> types;
    storage::link_store_state::each_type(*relation.links,
                                         [&](const type_info& info, std::uint32_t used) {
                                             for (types::component_type* type : data_.types) {
                                                 if (&type->info == &info && used != 0) {
                                                     types.push_back({&info, copy_type(*type)});
                                                 }
                                             }
                                         });
    return make_part<links_copy>(*relation.links, std::move(types));
}

// Stores are found by the lists of the world; the numbers of their records are the positions in the
// state.
void state_capture::capture_stores() {
    const std::uint32_t limit = data_.ids.number_limit();
    result_->sparse.resize(limit);
    result_->toggles.resize(limit);
    result_->links.resize(limit);
    for (const id_record* record : data_.sparse_ids) {
        const storage::sparse_store& store = *record->sparse;
        if (last_ && is_unwritten(store)) {
            result_->sparse[record->number] = last_->sparse[record->number];
            continue;
        }
        if (store.info() && store.count() != 0 && !store.info()->can_copy()) {
            raise_not_copyable(record->id, store.entity_at(0));
        }
        result_->sparse[record->number] =
            make_part<sparse_copy>(store, store.info() ? copy_type(*record->value_type) : nullptr);
    }
    for (const id_record* record : data_.toggled_ids) {
        result_->toggles[record->number] = last_ && is_unwritten(*record->disabled)
                                               ? last_->toggles[record->number]
                                               : make_part<sparse_copy>(*record->disabled, nullptr);
    }
    for (const id_record* relation : data_.link_ids) {
        result_->links[relation->number] = last_ && is_unwritten(*relation->links)
                                               ? last_->links[relation->number]
                                               : capture_links(*relation);
    }
}

}  // namespace

bool are_entities_unwritten(const storage::store& data, const capture_memory& memory,
                            const world_state& last) noexcept {
    auto unwritten = [](const auto& list, auto store_of) {
        return std::all_of(list.begin(), list.end(), [&](const id_record* record) {
            return store_of(record).is_unwritten();
        });
    };
    return data.snapshots.rows_unwritten && has_same_structure(data, memory) &&
           storage::entity_index_state::save_counters(data.entities) == last.counters &&
           unwritten(
               data.sparse_ids, [](const id_record* record) -> auto& { return *record->sparse; }) &&
           unwritten(
               data.toggled_ids,
               [](const id_record* record) -> auto& { return *record->disabled; }) &&
           unwritten(
               data.link_ids,
               [](const id_record* record) -> auto& { return record->links->listeners(); });
}

// Names are compared as texts, and values of plain types as bytes.
bool has_same_values(const storage::store& data, const storage::table& owner, std::uint32_t column,
                     const column_copy& copy) noexcept {
    const detail::table_rows& rows = data.tables.rows(owner.number);
    const types::component_type& type = *owner.records[owner.column_ids[column]]->value_type;
    const std::byte* values =
        rows.count != 0 ? storage::column_data(rows, owner.columns[column]) : nullptr;
    if (copy.type()) {
        return is_same_type(copy.type()->info, type.info) && type.info.trivial_copy &&
               (rows.count == 0 ||
                std::memcmp(values, copy.at(0), std::size_t{type.info.size} * rows.count) == 0);
    }
    KITH_ASSERT(is_name_type(type), "a column without a type has names");
    const auto* names = reinterpret_cast<const Identifier*>(values);
    for (std::uint32_t row = 0; row < rows.count; ++row) {
        const names::name_node* node = identifier_access::node(names[row]);
        const name_copy& known = copy.names()[row];
        if ((node != nullptr) != known.exists ||
            (node && (node->view() != std::string_view(known.text) ||
                      node->parent != known.parent || (node->number != 0) != known.indexed))) {
            return false;
        }
    }
    return true;
}

bool has_same_structure(const storage::store& data, const capture_memory& memory) noexcept {
    return memory.ids_edition == data.ids.edition() &&
           memory.tables_edition == data.tables.edition() && memory.schema == data.schema;
}

// The flag shape_notify_set is set together with shape_unwritten, because the fast path of writes
// tests only the first.
void note_state(storage::store& data, capture_memory& memory,
                const std::shared_ptr<const world_state>& state) noexcept {
    for (std::uint32_t number = storage::root_table; number < data.tables.number_limit();
         ++number) {
        if (storage::table* owner = data.tables.find_number(number)) {
            owner->flags |=
                detail::shape_unwritten | detail::shape_rows_unwritten | detail::shape_notify_set;
        }
    }
    for (const id_record* record : data.sparse_ids) {
        record->sparse->set_unwritten(true);
    }
    for (const id_record* record : data.toggled_ids) {
        record->disabled->set_unwritten(true);
    }
    for (const id_record* relation : data.link_ids) {
        relation->links->listeners().set_unwritten(true);
    }
    data.snapshots = {true, true};
    // Queries and references note the tables that they write when they are used next.
    ++data.version;
    ++data.table_epoch;
    memory.last = state;
    memory.ids_edition = data.ids.edition();
    memory.tables_edition = data.tables.edition();
    memory.schema = data.schema;
}

std::shared_ptr<world_state> capture_state(stage& world, capture_memory& memory,
                                           const transient_ids& aside) {
    return state_capture(world, memory).run(aside);
}

}  // namespace kith::mutate
