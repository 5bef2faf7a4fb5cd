#include "api/id_text.hpp"

#include <kith/string.hpp>

#include "base/hash.hpp"
#include "mutate/values.hpp"
#include "storage/find.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace kith {

string::string(text_view first, text_view second) : size_(first.size + second.size) {
    text_ = static_cast<char*>(std::malloc(size_ + 1));
    if (!text_) {
        base::raise_out_of_memory();
    }
    char* end = std::copy_n(first.data, first.size, text_);
    *std::copy_n(second.data, second.size, end) = 0;
}
string::~string() {
    std::free(text_);
}

std::size_t detail::hash_text(text_view text) noexcept {
    return base::hash_text(text);
}

}  // namespace kith

namespace kith::api {

namespace {

void append_own_name(const mutate::stage& owner, entity_t entity, std::string& out) {
    if (const names::name_node* name = find_name(owner, entity, Name)) {
        out += name->view();
    } else {
        out += '#';
        out += std::to_string(index_of(entity));
    }
}

// Names from below `top` down to the entity. Iterative: hierarchies may be very deep.
void append_path(const mutate::stage& owner, entity_t entity, entity_t top,
                 std::string_view separator, std::string& out) {
    std::vector<entity_t> chain;
    for (entity_t position = entity; position != 0 && position != top;
         position = parent_of(owner, position)) {
        chain.push_back(position);
    }
    for (std::size_t i = chain.size(); i-- > 0;) {
        append_own_name(owner, chain[i], out);
        if (i != 0) {
            out += separator;
        }
    }
}

void append_element(const mutate::stage& owner, std::uint32_t index, entity_t entity,
                    std::string& out) {
    if (index == Wildcard) {
        out += '*';
    } else if (index == Any) {
        out += '_';
    } else if (entity == 0) {
        const type_info* type = index < first_entity ? detail::find_type(index) : nullptr;
        out += type ? type->name : "#" + std::to_string(index);
    } else {
        append_path(owner, entity, entity == Kith ? 0 : Kith, ".", out);
    }
}

}  // namespace

const names::name_node* find_name(const mutate::stage& owner, entity_t entity, entity_t kind) {
    const storage::entity_record* record = owner.data.entities.find(entity);
    if (!record) {
        return nullptr;
    }
    id_t id = make_pair(detail::identifier_type_id, kind);
    const void* value = mutate::find_own_value(owner, entity, *record, id, 0);
    return value ? identifier_access::node(*static_cast<const Identifier*>(value)) : nullptr;
}

void move_pending_name(mutate::stage& owner, entity_t entity, std::uint32_t parent) noexcept {
    names::name_index& names = impl_of(owner).names;
    if (names::name_node* pending = names.find_pending(entity)) {
        names.move(*pending, parent);
    }
}

entity_t parent_of(const mutate::stage& owner, entity_t entity) noexcept {
    return storage::parent_of(owner.data, entity);
}

void append_id(const mutate::stage& owner, id_t id, std::string& out) {
    const storage::entity_index& entities = owner.data.entities;
    if (id & Override) {
        out += "OVERRIDE|";
    }
    if (id & Toggle) {
        out += "TOGGLE|";
    }
    if (is_pair(id)) {
        out += '(';
        append_element(owner, pair_first(id), entities.alive_at(pair_first(id)), out);
        out += ',';
        append_element(owner, pair_second(id), entities.alive_at(pair_second(id)), out);
        out += ')';
        return;
    }
    id_t plain = id & ~id_flags_mask;
    append_element(owner, index_of(plain), entities.find(plain) ? plain : 0, out);
}

}  // namespace kith::api

namespace kith::detail {

using api::append_id;
using mutate::stage_of;

string id_text(const world_t* world, id_t id) {
    std::string out;
    if (is_world(world)) {
        append_id(stage_of(world), id, out);
    } else {
        out = is_pair(id) ? "(#" + std::to_string(pair_first(id)) + ",#" +
                                std::to_string(pair_second(id)) + ")"
                          : "#" + std::to_string(index_of(id));
    }
    return string(std::string_view{out});
}

string type_text(const world_t* world, const id_t* ids, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        if (i != 0) {
            out += ", ";
        }
        append_id(stage_of(world), ids[i], out);
    }
    return string(std::string_view{out});
}

string_view name_of(const world_t* world, entity_t entity, entity_t kind) {
    if (!is_world(world) || entity == 0) {
        return {};
    }
    const names::name_node* node = api::find_name(stage_of(world), entity, kind);
    return node ? string_view(node->text(), node->length) : string_view();
}

string path_of(const world_t* world, entity_t from, entity_t entity, text_view separator,
               text_view root_separator) {
    const mutate::stage& owner = stage_of(world);
    if (!api::find_name(owner, entity, Name)) {
        return {};
    }
    std::string out;
    if (from == 0) {
        out += std::string_view(root_separator);
    }
    api::append_path(owner, entity, from, separator, out);
    return string(std::string_view{out});
}

}  // namespace kith::detail
