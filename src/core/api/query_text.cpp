// Writing ids in the syntax of queries.
#include "api/query_text.hpp"

#include <kith/detail/ops.hpp>
#include <kith/syntax/text.hpp>

#include "api/world_impl.hpp"
#include "names/entity_name.hpp"
#include "names/id_text.hpp"

#include <vector>

namespace kith::api {

namespace {

// Separates the elements of a path that is looked up: a control character, which names do not have.
constexpr std::string_view separator = "\x1F";

// A path from below `top`, as it is written (with quotes) and as it is looked up.
struct path_texts {
    std::string written;
    std::string plain;
};
path_texts path_below(const mutate::stage& owner, entity_t entity, entity_t top) {
    std::vector<entity_t> chain;
    for (entity_t position = entity; position != 0 && position != top;
         position = parent_of(owner, position)) {
        chain.push_back(position);
    }
    path_texts path;
    for (std::size_t i = chain.size(); i-- > 0;) {
        if (const names::name_node* name = names::find_name(owner.data, chain[i], Name)) {
            syntax::append_name(name->view(), path.written);
            path.plain += name->view();
        } else {
            const std::string number = "#" + std::to_string(index_of(chain[i]));
            path.written += number;
            path.plain += number;
        }
        path.written += i != 0 ? "." : "";
        path.plain += i != 0 ? separator : "";
    }
    return path;
}

// Writes the shortest path that a lookup resolves to this entity.
void write_entity(const world_t* world, const mutate::stage& owner, entity_t entity,
                  std::string& out) {
    if (!names::find_name(owner.data, entity, Name)) {
        out += "#" + std::to_string(index_of(entity));
        return;
    }
    const path_texts path = path_below(owner, entity, entity == Kith ? 0 : Kith);
    const entity_t resolved =
        detail::lookup_path(world, detail::get_scope(world), path.plain, separator, "", true);
    // A nearer entity may have the name; the path from the root is unique.
    out += resolved == entity ? path.written : "::" + path_below(owner, entity, 0).written;
}

}  // namespace

void write_query_id(const world_t* world, id_t id, std::string& out) {
    if (id == Wildcard || id == Any) {
        out += id == Wildcard ? "*" : "_";
        return;
    }
    if (is_pair(id)) {
        out += "(";
        write_query_id(world, pair_first(id), out);
        out += ",";
        write_query_id(world, pair_second(id), out);
        out += ")";
        return;
    }
    const mutate::stage& owner = mutate::stage_of(world);
    if (entity_t alive = owner.data.entities.alive_at(index_of(id))) {
        write_entity(world, owner, alive, out);
    } else {
        names::append_id(owner.data, id, out);
    }
}

}  // namespace kith::api
