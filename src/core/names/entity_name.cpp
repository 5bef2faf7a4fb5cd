#include "names/entity_name.hpp"

#include "storage/find.hpp"

namespace kith::names {

const name_node* find_name(const storage::store& data, entity_t entity, entity_t kind) {
    const storage::entity_record* record = data.entities.find(entity);
    if (!record) {
        return nullptr;
    }
    // Identifiers are builtin and cannot become sparse: a table has the value, or nothing has.
    const storage::table& table = data.tables.at(record->table);
    const std::int32_t position =
        storage::find_id(table, make_pair(detail::identifier_type_id, kind));
    if (position < 0) {
        return nullptr;
    }
    const void* value =
        storage::value_in(data.tables.rows(record->table), table.slots[position], record->row);
    return identifier_access::node(*static_cast<const Identifier*>(value));
}

}  // namespace kith::names
