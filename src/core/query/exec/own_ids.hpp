// Finding the ids that an entity itself has, in its table and beside it, among those that a pattern
// stands for. Reads only.
//
// Covered by the random queries of tests/model/query_test.cpp.
#pragma once

#include "storage/find.hpp"

namespace kith::queries {

// An entity, or the first row of some: where to look.
struct place {
    const storage::table* table = nullptr;
    const storage::entity_record* record = nullptr;  // null: the table alone
    entity_t entity = 0;
    std::uint32_t row = 0;
};

inline place place_of(const storage::store& data, entity_t entity) noexcept {
    const storage::entity_record* record = data.entities.find(entity);
    return record ? place{&data.tables.at(record->table), record, entity, record->row} : place{};
}

// One id that was found, and its value at the place (null for tags).
struct found_id {
    id_t id;
    std::byte* value;
    std::uint32_t size;
};

// How far an enumeration got.
struct own_position {
    std::uint32_t stage = 0;
    std::uint32_t at = 0;
    std::uint32_t link = 0;
};

// Which of the ids count.
enum class offer : std::uint8_t {
    own,          // all
    inheritable,  // those that others may take over
};

bool next_own(const storage::store& data, const place& where, id_t pattern, offer which,
              own_position& position, found_id& found) noexcept;

// True if there is one.
inline bool owns_any(const storage::store& data, const place& where, id_t pattern,
                     offer which) noexcept {
    own_position position;
    found_id found;
    return next_own(data, where, pattern, which, position, found);
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
