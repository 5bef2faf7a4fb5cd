// The paths of entities as JSON has them (json_path.hpp).
#include "json_path.hpp"

#include <kith/json.hpp>

#include "identifier.hpp"
#include "world_contents.hpp"

#include <vector>

namespace kith::dsl {

std::string json_path(const entity& named) {
    std::string path;
    if (is_builtin(named) && named.parent() == Kith) {
        append_name(named.name(), path);
        return path;
    }
    std::vector<std::string_view> elements;
    for (entity at = named; at; at = at.parent()) {
        if (at.name().empty()) {
            return "#" + std::to_string(index_of(named));
        }
        elements.push_back(at.name());
    }
    const world owner = named.world();
    path += detail::lookup_path(owner, Kith, elements.back(), {}, {}, false) ? "::" : "";
    for (std::size_t i = elements.size(); i-- > 0;) {
        append_name(elements[i], path);
        path += i > 0 ? "." : "";
    }
    return path;
}

bool is_json_fact(id_t id) {
    const std::uint32_t element = element_of(id);
    return id != detail::component_type_id && element != detail::identifier_type_id &&
           !(is_pair(id) && element == ChildOf);
}

bool is_kept_json(id_t id) {
    return is_pair(id) && pair_first(id) == detail::ensure_type_id<kept_json>();
}

}  // namespace kith::dsl
