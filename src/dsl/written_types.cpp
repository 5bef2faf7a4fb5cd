// The declarations in front of a world as text (written_types.hpp).
#include "written_types.hpp"

#include <kith/detail/assert.hpp>

#include "identifier.hpp"

#include <string_view>

namespace kith::dsl {

// A type that contains itself through a list is added once: it is marked before its parts.
void written_types::add(const description& described) {
    const description& type = detail::in_world(world_, described);
    if (!seen_.insert(&type).second) {
        return;
    }
    detail::each_named_type(
        world_, type,
        [](void* context, const description& inner) {
            static_cast<written_types*>(context)->add(inner);
        },
        this);
    if (detail::can_declare(type)) {
        order_.push_back(&type);
        components_.insert(detail::component_of_type(world_, type));
    }
    components_.erase(0);
}

// Names of C++ types have colons between their elements.
void written_types::append_type_path(std::string& out, const description& type) const {
    if (const entity_t component = detail::component_of_type(world_, type)) {
        std::vector<std::string_view> elements;
        for (entity at(world_, component); at; at = at.parent()) {
            elements.push_back(at.name());
        }
        for (std::size_t i = elements.size(); i-- > 0;) {
            append_name(elements[i], out);
            out += i > 0 ? "." : "";
        }
        return;
    }
    std::string_view rest = type.life.name;
    for (std::size_t at = rest.find("::"); at != std::string_view::npos && at < rest.find('<');
         at = rest.find("::")) {
        append_name(rest.substr(0, at), out);
        out += '.';
        rest.remove_prefix(at + 2);
    }
    append_name(rest, out);
}

void written_types::append(std::string& out, const description& type) const {
    KITH_ASSERT(detail::can_declare(type), "types without a declaration are not in the order");
    detail::append_declaration(
        out, world_, type,
        [](void* context, const description& named, std::string& into) {
            static_cast<const written_types*>(context)->append_type_path(
                into, detail::in_world(static_cast<const written_types*>(context)->world_, named));
        },
        const_cast<written_types*>(this));
}

void written_types::write(std::string& out) const {
    for (const description* type : order_) {
        append(out, *type);
        out += '\n';
    }
    out += order_.empty() ? "" : "\n";
}

}  // namespace kith::dsl
