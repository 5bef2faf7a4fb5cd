// Texts for people about entities (include/kith/doc.hpp).
#include <kith/doc.hpp>
#include <kith/reflect.hpp>

#include <string>

namespace kith {

// The value is read and written as a text.
void doc::Description::describe(describer<Description>& to) {
    to.opaque(
        [](const Description& text) { return std::string(text.value.c_str(), text.value.size()); },
        [](Description& text, const std::string& from) { text.value = string(text_view(from)); });
}

namespace detail {

void set_doc(world_t* world, entity_t entity, entity_t what, text_view text) {
    kith::entity target(world, entity);
    if (text.size == 0) {
        if (known_type_id<doc::Description>() != 0 && find_doc(world, entity, what)) {
            target.remove<doc::Description>(what);
        }
        return;
    }
    reflect<doc::Description>();
    if (index_of(what) < first_entity && find_type(index_of(what))) {
        ensure_component(world, static_cast<std::uint32_t>(what));
    }
    target.set<doc::Description>(what, {string(text)});
}

const char* find_doc(const world_t* world, entity_t entity, entity_t what) {
    const std::uint32_t type = known_type_id<doc::Description>();
    if (type == 0 || !is_alive(world, type) || !is_alive(world, what)) {
        return nullptr;
    }
    const auto* found = static_cast<const doc::Description*>(
        get_own_value(world, entity, make_pair(type, what), type));
    return found ? found->value.c_str() : nullptr;
}

}  // namespace detail

}  // namespace kith
