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
    note_change();
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

void type_library::forget(entity_t component) noexcept {
    const auto entry = types_.find(index_of(component));
    if (entry != types_.end()) {
        defined_.erase(entry->second.get());
        types_.erase(entry);
    }
}

void type_library::end_planned(void (*end)(description_node& node) noexcept) noexcept {
    for (const std::uint32_t index : planned_) {
        const auto entry = types_.find(index);
        end(*entry->second);
        former_.push_back(std::move(entry->second));
        types_.erase(entry);
    }
    planned_.clear();
}

void type_library::release_calls(const detail::code_range& range) noexcept {
    for (auto& [component, drift] : drift_) {
        std::erase_if(drift.upgrades,
                      [&](const auto& entry) { return entry.second.is_of_library(range); });
    }
    std::erase_if(contexts_, [&](const owned_context& owned) {
        const bool ends = range.contains(owned.free);
        if (ends) {
            owned.free(owned.context);
        }
        return ends;
    });
}

void type_library::return_to(description_node& former) {
    const auto place = std::find_if(former_.begin(), former_.end(),
                                    [&](const auto& kept) { return kept.get() == &former; });
    if (place != former_.end()) {
        std::swap(types_[index_of(former.component)], *place);
        note_change();
    }
}

description_node* find_node(const world_t* world, const type_library& library, entity_t component) {
    description_node* last = library.find(component);
    if (index_of(component) < first_entity || (last && !last->at_run_time)) {
        return last;
    }
    const type_info* type = detail::type_of(world, component);
    return type                               ? library.find_definition(*type)
           : last && last->what == kind::none ? last
                                              : nullptr;
}

description_node& type_library::add_inner(std::unique_ptr<description_node> node) {
    former_.push_back(std::move(node));
    return *former_.back();
}

type_library* find_library(const world_t* world) noexcept {
    const std::uint32_t type = detail::known_type_id<world_types>();
    detail::plain_place place;
    if (type == 0) {
        return nullptr;
    }
    if (const auto* plain = detail::find_plain_value<world_types>(world, type, type, place)) {
        return plain->get();
    }
    if (!detail::is_alive(world, type)) {
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
    const entity_t current = detail::get_scope(world);
    const entity_t wanted = !is_known                          ? entity_t{Kith}
                            : detail::is_alive(world, current) ? current
                                                               : 0;
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
            detail::close_scope(owner, scope);
#if defined(__cpp_exceptions)
            try {
                forget();
            } catch (const std::bad_alloc&) {}
#else
            forget();
#endif
        }
    } change{owner, detail::open_scope(world, wanted), !is_known};
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
        const description* own = values::find_node(world, *library, component);
        if (own && own->what != kind::none) {
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
    if (!own && type.at_run_time) {
        own = values::find_process_description(*type.type_id);  // the successor of the type
    }
    return own && own->what != kind::none ? *own : type;
}

entity_t component_of_type(const world_t* world, const description& type) {
    const entity_t own = static_cast<const values::description_node&>(type).component;
    const values::type_library* library = values::find_library(world);
    if (own && library && is_alive(world, own) &&
        values::find_node(world, *library, own) == &type) {
        return own;
    }
    if (own && !type.at_run_time) {
        return 0;
    }
    return type.type_id && *type.type_id != 0 && is_alive(world, *type.type_id)
               ? entity_t{*type.type_id}
               : 0;
}

namespace {

[[noreturn]] void refuse_component(const world_t* world, id_t id, entity_t component,
                                   const description* found) {
    const std::string name(id_text(world, id).c_str());
    if (!component) {
        values::raise(errc::wrong_type, name + " is a tag, which has no value");
    }
    if (!found) {
        values::raise(errc::invalid_type,
                      name +
                          " has no description: call kith::reflect<T>(), or describe it by "
                          "component<T>().member(name, &T::m)");
    }
    values::raise(errc::invalid_type,
                  name + " cannot be described: " +
                      (found->obstacle ? found->obstacle : "it has no members"));
}

}  // namespace

const description& require_description(const world_t* world, id_t id) {
    const entity_t component = type_component(world, id);
    // A C++ type need not be a component of the world yet.
    if (!component && !is_pair(id) && !is_alive(world, id)) {
        const description* plain = values::find_process_description(index_of(id));
        if (plain && plain->what != kind::none) {
            return *plain;
        }
    }
    const description* found = component ? find_description(world, component) : nullptr;
    if (!found || found->what == kind::none) {
        refuse_component(world, id, component, found);
    }
    return *found;
}

}  // namespace detail

}  // namespace kith
