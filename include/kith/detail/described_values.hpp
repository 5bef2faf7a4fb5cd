// Values of captured states by their descriptions: functions that src/values implements for
// differences between states. The core alone knows no descriptions: values are compared as bytes
// then, and shown by their ids only.
#pragma once

#include <kith/type_info.hpp>

#include <string>
#include <string_view>

namespace kith::detail {

// A value whose world may have ended: `world` is null then, and the descriptions of the process
// count.
struct described_value {
    const world_t* world;
    entity_t component;
    const type_info* type;
    const void* value;
};

// 1: equal, 0: different, -1: the type has no description.
int compare_described(const described_value& left, const void* right);
enum class value_form : std::uint8_t { text, json };
// The canonical text, or JSON. False if the type has no description. `append` writes the name of an
// entity.
using append_entity_name = bool (*)(void* context, entity_t entity, std::string& out);
bool append_described(std::string& out, value_form form, const described_value& shown,
                      append_entity_name append, void* context);
// Calls visit(path, before, after) for each part that differs, with texts: members of nested
// structs, and values that are no structs as a whole. False if the type has no description.
using visit_changed_part = void (*)(void* context, const std::string& path,
                                    const std::string& before, const std::string& after);
bool each_changed_part(const described_value& before, const void* after, value_form form,
                       append_entity_name append, void* names, visit_changed_part visit,
                       void* context);
// Appends a text in quotes, with the escapes of JSON.
void append_json_string(std::string& out, std::string_view text);

}  // namespace kith::detail
