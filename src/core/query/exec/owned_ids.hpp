// Finding the ids that an entity itself has, in its table and beside it, among those that a pattern
// stands for. Reads only.
//
// Covered by the random queries of tests/model/query_test.cpp.
#pragma once

#include "storage/find.hpp"

namespace kith::queries {

// An entity, or the first row of some: where to look.
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

// One id that was found, and its value at the place (null for tags).
struct owned_id {
    id_t id;
    std::byte* value;
    std::uint32_t size;
};

// How far an enumeration got.
struct owned_id_position {
    std::uint32_t stage = 0;
    std::uint32_t at = 0;
    std::uint32_t link = 0;
};

// Which of the ids count.
enum class visibility : std::uint8_t {
    own,          // all
    inheritable,  // those that others may take over
};

bool next_owned_id(const storage::store& data, const location& where, id_t pattern,
                   visibility which, owned_id_position& position, owned_id& owned) noexcept;

// True if there is one.
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
