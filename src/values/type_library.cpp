// The descriptions of one world (type_library.hpp), and finding the description of a component.
#include "type_library.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/type_text.hpp>

#include "raise.hpp"
#include "registry.hpp"
#include "value_digest.hpp"

#include <new>

namespace kith {

namespace values {

type_library::~type_library() {
    // Default values are destroyed while all descriptions exist.
    for (auto& [index, node] : types_) {
        node->defaults.clear();
    }
    for (auto& node : former_) {
        if (node) {
            node->defaults.clear();
        }
    }
    for (const owned_context& owned : contexts_) {
        owned.free(owned.context);
    }
}

description_node& type_library::add(entity_t component, std::unique_ptr<description_node> node) {
    KITH_ASSERT(node && component, "a description belongs to a component");
    install_value_digest();
    remove(component);
    forget_ruled();
    node->component = component;
    return *(types_[index_of(component)] = std::move(node));
}

// The node is kept: members of other types and values of snapshots may refer to it.
void type_library::remove(entity_t component) {
    const auto entry = types_.find(index_of(component));
    if (entry != types_.end()) {
        former_.push_back(std::move(entry->second));
        types_.erase(entry);
    }
}

description_node& type_library::add_inner(std::unique_ptr<description_node> node) {
    former_.push_back(std::move(node));
    return *former_.back();
}

type_library* find_library(const world_t* world) noexcept {
    const std::uint32_t type = detail::known_type_id<world_types>();
    if (type == 0 || !detail::is_alive(world, type)) {
        return nullptr;
    }
    const auto* held = static_cast<const world_types*>(detail::get_value(world, type, type, type));
    return held ? held->get() : nullptr;
}

// The library is a singleton component, so that it ends with the world; Transient keeps it out of
// saved worlds.
type_library& ensure_library(world_t* world) {
    if (type_library* known = find_library(world)) {
        return *known;
    }
    const world_types held(new type_library);
    share_library(world, *held.get());
    return *held.get();
}

void share_library(world_t* world, type_library& library) {
    const kith::world owner(world);
    if (owner.is_deferred()) {
        raise(errc::invalid_operation, "types cannot be described while the world is deferred");
    }
    const bool is_known = detail::known_type_id<world_types>() != 0 &&
                          detail::is_alive(world, detail::known_type_id<world_types>());
    // A library that cannot be made leaves neither scope nor component behind. If memory is short
    // also for the deletion, the component stays without a value, and the next call uses it.
    struct guard {
        const kith::world& owner;
        entity_t scope;
        bool forgets = true;
        void forget() const {
            const entity_t made = detail::known_type_id<world_types>();
            if (forgets && made && owner.is_alive(made)) {
                owner.entity(made).destruct();
            }
        }
        ~guard() {
            owner.set_scope(scope);
#if defined(__cpp_exceptions)
            try {
                forget();
            } catch (const std::bad_alloc&) {}
#else
            forget();
#endif
        }
    } change{owner, owner.set_scope(is_known ? owner.get_scope().id() : entity_t{Kith}), !is_known};
    if (!is_known || !owner.entity(detail::known_type_id<world_types>()).has(Transient)) {
        owner.component<world_types>("TypeLibrary").add(Transient);
    }
    owner.set(world_types(&library));
    change.forgets = false;
}

}  // namespace values

namespace detail {

const description* find_description(const world_t* world, entity_t component) {
    if (values::type_library* library = values::find_library(world)) {
        if (const description* own = library->find(component); own && own->what != kind::none) {
            return own;
        }
    }
    return values::find_process_description(index_of(component));
}

// Descriptions of the process refer to each other and not to those of a world, so that each step
// into a value asks here.
const description& in_world(const world_t* world, const description& type) {
    if (!world || !type.type_id || *type.type_id == 0) {
        return type;
    }
    const values::type_library* library = values::find_library(world);
    const description* own = library ? library->find(*type.type_id) : nullptr;
    return own && own->what != kind::none ? *own : type;
}

entity_t component_of_type(const world_t* world, const description& type) {
    const entity_t own = static_cast<const values::description_node&>(type).component;
    const values::type_library* library = values::find_library(world);
    if (own) {
        return library && library->find(own) == &type && is_alive(world, own) ? own : 0;
    }
    return type.type_id && *type.type_id != 0 && is_alive(world, *type.type_id)
               ? entity_t{*type.type_id}
               : 0;
}

const description& require_description(const world_t* world, id_t id) {
    const entity_t component = type_component(world, id);
    // A C++ type need not be a component of the world yet.
    if (!component && !is_pair(id) && !is_alive(world, id)) {
        const description* plain = values::find_process_description(index_of(id));
        if (plain && plain->what != kind::none) {
            return *plain;
        }
    }
    const std::string name(id_text(world, id).c_str());
    if (!component) {
        values::raise(errc::wrong_type, name + " is a tag, which has no value");
    }
    const description* found = find_description(world, component);
    if (!found) {
        values::raise(errc::invalid_type,
                      name +
                          " has no description: call kith::reflect<T>(), or describe it by "
                          "component<T>().member(name, &T::m)");
    }
    if (found->what == kind::none) {
        values::raise(errc::invalid_type,
                      name + " cannot be described: " +
                          (found->obstacle ? found->obstacle : "it has no members"));
    }
    return *found;
}

}  // namespace detail

}  // namespace kith
