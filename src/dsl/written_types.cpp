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

const description* written_types::declared_at(entity_t component) const {
    const description* type = detail::find_description(world_, component);
    const auto place = type ? places_.find(type) : places_.end();
    return place != places_.end() && place->second != 0 ? type : nullptr;
}

// Types that name others stand behind them in the order, so that a pass from the end is enough but
// for circles.
bool written_types::move_named_up() {
    struct pass {
        written_types& types;
        const description* owner;
        bool has_moved;
    };
    bool has_moved = false;
    for (std::size_t i = order_.size(); i-- > 0;) {
        pass state{*this, order_[i], false};
        detail::each_named_type(
            world_, *order_[i],
            [](void* context, const description& described) {
                auto& [types, owner, has_moved_one] = *static_cast<pass*>(context);
                const description* named = &detail::in_world(types.world_, described);
                std::size_t& place = types.places_[named];
                const std::size_t own = types.places_[owner];
                if (named != owner && place != 0 && (own == 0 || place > own)) {
                    place = 0;
                    has_moved_one = true;
                }
            },
            &state);
        has_moved |= state.has_moved;
    }
    return has_moved;
}

// Names of C++ types have colons between their elements. A path begins at the root if another
// entity could be meant otherwise.
void written_types::append_type_path(std::string& out, const description& type,
                                     bool in_block) const {
    if (const entity_t component = detail::component_of_type(world_, type)) {
        std::vector<std::string_view> elements;
        for (entity at(world_, component); at; at = at.parent()) {
            elements.push_back(at.name());
        }
        const bool is_shadowed =
            detail::lookup_path(world_, Kith, elements.back(), {}, {}, false) != 0;
        out += in_block || is_shadowed || detail::find_primitive(elements.back()) ? "::" : "";
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

void written_types::append(std::string& out, const description& type, bool in_block) const {
    KITH_ASSERT(detail::can_declare(type), "types without a declaration are not in the order");
    struct target {
        const written_types& types;
        const description& own;
        bool in_block;
    } state{*this, type, in_block};
    detail::append_declaration(
        out, world_, type,
        [](void* context, const description& named, std::string& into) {
            const auto& [types, own, inside] = *static_cast<const target*>(context);
            const description& shown = detail::in_world(types.world_, named);
            if (inside && &shown == &own) {
                const entity_t component = detail::component_of_type(types.world_, own);
                append_name(entity(types.world_, component).name(), into);
            } else {
                types.append_type_path(into, shown, inside);
            }
        },
        &state);
}

void written_types::write(std::string& out) const {
    const std::size_t before = out.size();
    for (const description* type : order_) {
        if (const auto place = places_.find(type); place == places_.end() || place->second == 0) {
            append(out, *type);
            out += '\n';
        }
    }
    out += out.size() == before ? "" : "\n";
}

}  // namespace kith::dsl
