// Readable forms of ids and entities, made without allocating or through a sink.
#pragma once

#include "api/world_impl.hpp"

#include <string>

namespace kith::api {

// `Parent.Child`, `(Relation,Target)`; unnamed entities as `#4711`; builtins without their scope.
void append_id(const mutate::stage& owner, id_t id, std::string& out);

// The own name of an entity; null if it has none (or is not alive).
const names::name_node* find_name(const mutate::stage& owner, entity_t entity, entity_t kind);

}  // namespace kith::api
