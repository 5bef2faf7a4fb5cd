// Texts of ids and paths for programs (names/id_text.cpp makes them), and the functions of
// kith::string that allocate.
#include "names/id_text.hpp"

#include <kith/string.hpp>

#include "api/world_impl.hpp"
#include "base/hash.hpp"
#include "names/entity_name.hpp"
#include "storage/find.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

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

entity_t parent_of(const mutate::stage& owner, entity_t entity) noexcept {
    return storage::parent_of(owner.data, entity);
}

}  // namespace kith::api

namespace kith::detail {

using mutate::stage_of;
using names::append_id;

// Ids of handles without a world are written as numbers.
string id_text(const world_t* world, id_t id) {
    std::string out;
    if (is_world(world)) {
        append_id(stage_of(world).data, id, out);
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
        append_id(stage_of(world).data, ids[i], out);
    }
    return string(std::string_view{out});
}

string_view name_of(const world_t* world, entity_t entity, entity_t kind) {
    if (!is_world(world) || entity == 0) {
        return {};
    }
    const names::name_node* node = names::find_name(stage_of(world).data, entity, kind);
    return node ? string_view(node->text(), node->length) : string_view();
}

// An entity without a name has no path.
string path_of(const world_t* world, entity_t from, entity_t entity, text_view separator,
               text_view root_separator) {
    const storage::store& data = stage_of(world).data;
    if (!names::find_name(data, entity, Name)) {
        return {};
    }
    std::string out;
    if (from == 0) {
        out += std::string_view(root_separator);
    }
    names::append_path(data, entity, from, separator, out);
    return string(std::string_view{out});
}

}  // namespace kith::detail
