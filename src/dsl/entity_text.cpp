// One entity as a line of a world as text (include/kith/world_text.hpp).
#include <kith/detail/type_text.hpp>
#include <kith/world_text.hpp>

#include "identifier.hpp"

#include <vector>

namespace kith {

namespace dsl {

namespace {

// The path from the root on; builtin entities have their last name, and entities without a name
// their number.
void append_full_name(const world_t* world, entity_t named, std::string& out) {
    std::vector<std::string_view> elements;
    for (entity at(const_cast<world_t*>(world), named); at && at != Kith; at = at.parent()) {
        if (at.name().empty()) {
            out += "#" + std::to_string(index_of(named));
            return;
        }
        elements.push_back(at.name());
    }
    for (std::size_t i = elements.size(); i-- > 0;) {
        append_name(elements[i], out);
        out += i > 0 ? "." : "";
    }
}

void append_full_id(const world_t* world, id_t id, std::string& out) {
    if (!is_pair(id)) {
        append_full_name(world, id, out);
        return;
    }
    out += '(';
    append_full_name(world, detail::get_alive(world, pair_first(id)), out);
    out += ", ";
    append_full_name(world, detail::get_alive(world, pair_second(id)), out);
    out += ')';
}

// A value without description is shown as `?`.
void append_own_value(const entity& holder, id_t id, std::string& out) {
    const world_t* world = holder.c_world();
    const entity_t component = detail::type_component(world, id);
    const void* value = component ? holder.get(id) : nullptr;
    if (!value) {
        return;
    }
    const description* type = detail::find_description(world, component);
    out += " = ";
    if (!type || type->what == kind::none) {
        out += '?';
        return;
    }
    detail::append_value_text(
        out, world, *type, value,
        [](void* context, entity_t named, std::string& into) {
            const auto* owner = static_cast<const world_t*>(context);
            if (!detail::is_alive(owner, named)) {
                return false;
            }
            append_full_name(owner, named, into);
            return true;
        },
        const_cast<world_t*>(world));
}

}  // namespace

}  // namespace dsl

std::string to_text(const entity_view& entity) {
    const kith::entity holder(entity.c_world(), entity);
    std::string out;
    dsl::append_full_name(entity.c_world(), entity, out);
    const char* before = ": ";
    holder.each([&](kith::id id) {
        const bool names_it = id.is_pair() && (pair_first(id) == detail::identifier_type_id ||
                                               pair_first(id) == ChildOf);
        if (!names_it) {
            out += before;
            before = ", ";
            dsl::append_full_id(holder.c_world(), id, out);
            dsl::append_own_value(holder, id, out);
        }
    });
    return out;
}

}  // namespace kith
