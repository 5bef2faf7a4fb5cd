// Readable forms of entities and ids, for messages, printing and paths.
#pragma once

#include "base/text.hpp"
#include "storage/store.hpp"

#include <string>

namespace kith::names {

// Appends the names from below `top` down to the entity; an unnamed entity is written `#4711`.
// The function is iterative, because hierarchies may be very deep.
void append_path(const storage::store& data, entity_t entity, entity_t top,
                 std::string_view separator, std::string& out);

// Appends `Parent.Child` or `(Relation,Target)`; builtin entities are written without their scope.
void append_id(const storage::store& data, id_t id, std::string& out);

// Appends the same form to a message.
void describe_id(const storage::store& data, id_t id, base::text& out);

}  // namespace kith::names
