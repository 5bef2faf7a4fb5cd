// Readers of captured states (state_reader.hpp).
#include "mutate/state/state_reader.hpp"

#include <kith/detail/described_values.hpp>

#include "base/assert.hpp"
#include "storage/link_store_state.hpp"

#include <algorithm>
#include <cstring>

namespace kith::mutate {

bool are_equal(const captured_value& left, const captured_value& right, const world_t* world) {
    if (left.name && right.name) {
        return left.name->exists == right.name->exists && left.name->text == right.name->text;
    }
    // The same object: states share values that were not written between them.
    if (left.value == right.value) {
        return left.name == right.name;
    }
    if (!left.value || !right.value || !is_same_type(left.type->info, right.type->info)) {
        return false;
    }
    const type_info& info = left.type->info;
    // Equal bytes are equal values. Different bytes may still be equal: padding, and both zeros.
    if (info.trivial_copy && std::memcmp(left.value, right.value, info.size) == 0) {
        return true;
    }
    return detail::compare_described({world, left.type->component, &info, left.value},
                                     right.value) == 1;
}

// Collects the components with the property Transient. A table has it or not, so that rows are not
// searched.
state_reader::state_reader(const world_state& state) : state_(state) {
    for (std::uint32_t number = 0; number < state.rows.size(); ++number) {
        const state_vector<id_t>& ids = state.structure->tables[number].ids;
        if (std::find(ids.begin(), ids.end(), Transient) != ids.end() && state.rows[number]) {
            for (entity_t component : *state.rows[number]->entities) {
                transient_.push_back(index_of(component));
            }
        }
    }
    std::sort(transient_.begin(), transient_.end());
}

bool state_reader::is_transient(id_t id) const noexcept {
    const std::uint32_t element = is_pair(id) ? pair_first(id) : index_of(id & ~id_flags_mask);
    return std::binary_search(transient_.begin(), transient_.end(), element);
}

const storage::entity_record* state_reader::find(std::uint32_t index) const noexcept {
    const std::uint32_t page = index >> detail::record_page_bits;
    if (page >= state_.pages.size() || !state_.pages[page]) {
        return nullptr;
    }
    const storage::entity_record& record =
        (*state_.pages[page])[index & (detail::record_page_size - 1)];
    return record.state & detail::record_free ? nullptr : &record;
}

entity_t state_reader::alive_at(std::uint32_t index) const noexcept {
    const storage::entity_record* record = find(index);
    return record ? make_entity_id(index, static_cast<std::uint16_t>(record->state)) : 0;
}

// The flags of the record spare the search through all stores, of which most entities have none.
bool state_reader::has_sparse(std::uint32_t index) const noexcept {
    constexpr std::uint32_t flags =
        storage::record_any_sparse | storage::record_has_parent | storage::record_has_disabled;
    return (find(index)->state & flags) != 0;
}

std::vector<captured_id> state_reader::ids_of(std::uint32_t index) const {
    KITH_ASSERT(find(index), "a live entity has ids");
    std::vector<captured_id> ids;
    const storage::entity_record& record = *find(index);
    const table_copy& type = state_.structure->tables[record.table];
    const rows_copy& rows = *state_.rows[record.table];
    for (id_t id : type.ids) {
        ids.push_back({id, {}, false});
    }
    for (std::uint32_t i = 0; i < rows.columns.size(); ++i) {
        const column_copy& column = *rows.columns[i];
        captured_value& value = ids[type.column_ids[i]].value;
        if (column.type()) {
            value.value = column.at(record.row);
            value.type = column.type();
        } else {
            value.name = &column.names()[record.row];
        }
    }
    if (has_sparse(index)) {
        add_stores(index, ids);
        add_links(index, ids);
        note_disabled(index, ids);
    }
    std::erase_if(ids, [&](const captured_id& one) { return is_transient(one.id); });
    std::sort(ids.begin(), ids.end(),
              [](const captured_id& left, const captured_id& right) { return left.id < right.id; });
    return ids;
}

void state_reader::add_stores(std::uint32_t index, std::vector<captured_id>& ids) const {
    for (std::uint32_t number : state_.structure->sparse_ids) {
        const sparse_copy& copy = *state_.sparse[number];
        if (copy.store.has(index)) {
            ids.push_back({state_.structure->records[number].id,
                           {copy.store.find(index), copy.type.get(), nullptr},
                           false});
        }
    }
}

void state_reader::add_links(std::uint32_t index, std::vector<captured_id>& ids) const {
    for (std::uint32_t number : state_.structure->link_ids) {
        const links_copy& copy = *state_.links[number];
        const id_t relation = pair_first(state_.structure->records[number].id);
        for (std::uint32_t i = 0; i < copy.store.target_count(index); ++i) {
            const std::uint32_t target = copy.store.target_at(index, i);
            // The copied store refers to the type_info of its own copies of types, so that a type
            // is found by its address.
            const type_info* info = storage::link_store_state::value_type(copy.store, target);
            auto type = std::find_if(copy.types.begin(), copy.types.end(),
                                     [&](const auto& known) { return &known.copy->info == info; });
            captured_value value;
            if (type != copy.types.end()) {
                value = {copy.store.value(index, target), type->copy.get(), nullptr};
            }
            ids.push_back({make_pair(relation, target), value, false});
        }
    }
}

void state_reader::note_disabled(std::uint32_t index, std::vector<captured_id>& ids) const {
    for (std::uint32_t number : state_.structure->toggled_ids) {
        if (state_.toggles[number]->store.has(index)) {
            for (captured_id& owned : ids) {
                owned.disabled |= owned.id == state_.structure->records[number].id;
            }
        }
    }
}

captured_id state_reader::find_id(std::uint32_t index, id_t id) const {
    for (const captured_id& owned : ids_of(index)) {
        if (owned.id == id) {
            return owned;
        }
    }
    return {0, {}, false};
}

const name_copy* state_reader::name_of(std::uint32_t index) const noexcept {
    const storage::entity_record* record = find(index);
    if (!record) {
        return nullptr;
    }
    const table_copy& type = state_.structure->tables[record->table];
    const rows_copy& rows = *state_.rows[record->table];
    for (std::uint32_t i = 0; i < rows.columns.size(); ++i) {
        if (!rows.columns[i]->type() &&
            type.ids[type.column_ids[i]] == make_pair(detail::identifier_type_id, Name)) {
            const name_copy& name = rows.columns[i]->names()[record->row];
            return name.exists ? &name : nullptr;
        }
    }
    return nullptr;
}

// Parents are links as a rule.
std::uint32_t state_reader::parent_of(std::uint32_t index) const noexcept {
    for (std::uint32_t number : state_.structure->link_ids) {
        if (pair_first(state_.structure->records[number].id) == ChildOf) {
            const storage::target_span parents = state_.links[number]->store.targets(index);
            return parents.count != 0 ? parents.first : 0;
        }
    }
    const storage::entity_record& record = *find(index);
    for (id_t id : state_.structure->tables[record.table].ids) {
        if (is_pair(id) && !(id & Override) && pair_first(id) == ChildOf) {
            return pair_second(id);
        }
    }
    return 0;
}

// Entities may be listed twice: scopes of several types. Callers search the list only.
std::vector<std::uint32_t> state_reader::scopes_of_types() const {
    std::vector<std::uint32_t> scopes;
    for (std::uint32_t index = 1; index < first_entity; ++index) {
        if (!find(index) || !detail::find_type(index)) {
            continue;
        }
        for (std::uint32_t at = parent_of(index); at != 0 && find(at); at = parent_of(at)) {
            scopes.push_back(at);
        }
    }
    std::sort(scopes.begin(), scopes.end());
    return scopes;
}

// The path ends in front of Kith, the root of builtin names, and at an entity without a name.
std::string state_reader::path_of(std::uint32_t index) const {
    std::string path;
    for (std::uint32_t at = index; at != 0 && at != index_of(Kith);) {
        const name_copy* name = name_of(at);
        const std::string element = name ? name->text : "#" + std::to_string(at);
        path = path.empty() ? element : element + "." + path;
        at = name ? parent_of(at) : 0;
    }
    return path;
}

std::string state_reader::fact_of(id_t id, std::uint32_t index) const {
    const std::string owner = path_of(index);
    if (!is_pair(id)) {
        return path_of(index_of(id & ~id_flags_mask)) + "(" + owner + ")";
    }
    return path_of(pair_first(id)) + "(" + owner + ", " + path_of(pair_second(id)) + ")";
}

}  // namespace kith::mutate
