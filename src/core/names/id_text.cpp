#include "names/id_text.hpp"

#include "names/entity_name.hpp"
#include "storage/find.hpp"

#include <vector>

namespace kith::names {

namespace {

void append_own_name(const storage::store& data, entity_t entity, std::string& out) {
    if (const name_node* name = find_name(data, entity, Name)) {
        out += name->view();
    } else {
        out += '#';
        out += std::to_string(index_of(entity));
    }
}

void append_element(const storage::store& data, std::uint32_t index, entity_t entity,
                    std::string& out) {
    if (index == Wildcard) {
        out += '*';
    } else if (index == Any) {
        out += '_';
    } else if (entity == 0) {
        const type_info* type = index < first_entity ? detail::find_type(index) : nullptr;
        out += type ? type->name : "#" + std::to_string(index);
    } else {
        append_path(data, entity, entity == Kith ? 0 : Kith, ".", out);
    }
}

}  // namespace

void append_path(const storage::store& data, entity_t entity, entity_t top,
                 std::string_view separator, std::string& out) {
    std::vector<entity_t> chain;
    for (entity_t position = entity; position != 0 && position != top;
         position = storage::parent_of(data, position)) {
        chain.push_back(position);
    }
    for (std::size_t i = chain.size(); i-- > 0;) {
        append_own_name(data, chain[i], out);
        if (i != 0) {
            out += separator;
        }
    }
}

void append_id(const storage::store& data, id_t id, std::string& out) {
    const storage::entity_index& entities = data.entities;
    if (id & Override) {
        out += "OVERRIDE|";
    }
    if (id & Toggle) {
        out += "TOGGLE|";
    }
    if (is_pair(id)) {
        out += '(';
        append_element(data, pair_first(id), entities.alive_at(pair_first(id)), out);
        out += ',';
        append_element(data, pair_second(id), entities.alive_at(pair_second(id)), out);
        out += ')';
        return;
    }
    id_t plain = id & ~id_flags_mask;
    append_element(data, index_of(plain), entities.find(plain) ? plain : 0, out);
}

void describe_id(const storage::store& data, id_t id, base::text& out) {
    std::string text;
    append_id(data, id, text);
    out << std::string_view{text};
}

}  // namespace kith::names
