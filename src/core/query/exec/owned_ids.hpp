// The ids that an entity owns, in its table and in sparse storage, limited to the ids that match a
// pattern. Lookups read the store and never write it. Implemented in owned_ids.cpp.
//
// Covered by the random queries of tests/model/query_test.cpp.
#pragma once

#include "storage/find.hpp"

namespace kith::queries {

// The place of an entity, or of the first of several rows.
struct location {
    const storage::table* table = nullptr;
    const storage::entity_record* record = nullptr;  // null: the table alone
    entity_t entity = 0;
    std::uint32_t row = 0;
};

inline location locate(const storage::store& data, entity_t entity) noexcept {
    const storage::entity_record* record = data.entities.find(entity);
    return record ? location{&data.tables.at(record->table), record, entity, record->row}
                  : location{};
}

// An id of an entity, and its value (null for tags).
struct owned_id {
    id_t id;
    std::byte* value;
    std::uint32_t size;
};

// The position of an enumeration of owned ids.
struct owned_id_position {
    std::uint32_t stage = 0;
    std::uint32_t at = 0;
    std::uint32_t link = 0;
};

// The ids that an enumeration visits.
enum class visibility : std::uint8_t {
    own,          // all
    inheritable,  // ids that inheritors see
};

bool next_owned_id(const storage::store& data, const location& where, id_t pattern,
                   visibility which, owned_id_position& position, owned_id& owned) noexcept;

// True if the entity owns an id that matches the pattern.
inline bool owns_any(const storage::store& data, const location& where, id_t pattern,
                     visibility which) noexcept {
    owned_id_position position;
    owned_id owned;
    return next_owned_id(data, where, pattern, which, position, owned);
}

// True if the id is switched off for the entity.
inline bool is_off(const storage::store& data, entity_t entity, id_t id) noexcept {
    if (data.toggled_ids.empty()) {
        return false;
    }
    const storage::id_record* record = data.ids.find(id);
    return record && record->disabled && record->disabled->has(index_of(entity));
}

}  // namespace kith::queries
