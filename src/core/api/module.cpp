// Modules: C++ types whose constructor sets up a part of a world, below the entity of the type.
// Declared in include/kith/detail/ops.hpp under "modules".
#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "mutate/context/recorder.hpp"
#include "mutate/ops/add_remove.hpp"
#include "names/path.hpp"

#include <algorithm>
#include <string>

namespace kith::detail {

using api::impl_of;
using api::world_impl;

namespace {

constexpr containers::purpose list_use = containers::purpose::index;

// Gives the entity the tag Module.
void mark_module(world_impl& owner, entity_t module) {
    api::immediate_scope immediate(owner);
    mutate::add_id(owner, module, Module);
}

// Moves an entity to a path from the root, and makes the entities on the way.
void move_to_path(world_impl& owner, entity_t entity, std::string_view path) {
    api::immediate_scope immediate(owner);
    if (path.starts_with("::")) {
        path.remove_prefix(2);
    }
    std::string_view last;
    for (names::path_reader reader(path, "::", ""); reader.next(last);) {}
    if (last.empty()) {
        base::raise(errc::invalid_name,
                    base::text{} << "the path \"" << path << "\" has an empty element");
    }
    std::string_view prefix = path.substr(0, path.size() - last.size());
    while (!prefix.empty() && (prefix.back() == ':' || prefix.back() == '.')) {
        prefix.remove_suffix(1);
    }
    entity_t parent = prefix.empty() ? 0 : ensure_path(&owner, 0, prefix, "::", "");
    const names::name_node* node = owner.names.find(index_of(parent), last);
    if (node && node->entity == entity) {
        return;
    }
    if (node) {
        base::raise(errc::name_taken, base::text{} << "the name of the module, \"" << path
                                                   << "\", is taken by another entity");
    }
    const std::string name(last);  // a copy: the path may point to the old name
    if (parent != api::parent_of(owner, entity)) {
        // The name is removed first, because the new parent may have a child of the old name.
        set_name(&owner, entity, {});
        if (parent != 0) {
            mutate::add_id(owner, entity, make_pair(ChildOf, parent));
        } else {
            mutate::remove_id(owner, entity, make_pair(ChildOf, Wildcard));
        }
    }
    set_name(&owner, entity, name);
}

// The import of a module: the module's entity is the scope, and ids of `with` are suspended. A
// guard that is not finished removes the module from the list of imported modules.
class import_guard {
public:
    import_guard(world_impl& owner, std::uint32_t type) : owner_(owner), type_(type) {
        containers::vec<std::uint32_t>& list = owner.modules.list;
        if (std::find(list.begin(), list.end(), type) == list.end()) {
            list.push(owner.data.mem, type, list_use);
        }
        std::swap(owner_.creation.with, with_);
        scope_ = open_scope(&owner_, type);
    }
    ~import_guard() {
        std::swap(owner_.creation.with, with_);
        with_.release(owner_.data.mem, containers::purpose::commands);
        close_scope(&owner_, scope_);
        if (!finished_) {
            containers::vec<std::uint32_t>& list = owner_.modules.list;
            const std::uint32_t* entry = std::find(list.begin(), list.end(), type_);
            KITH_ASSERT(entry != list.end(), "the constructor has listed the module");
            list.swap_remove(static_cast<std::uint32_t>(entry - list.begin()));
        }
    }
    import_guard(const import_guard&) = delete;
    import_guard& operator=(const import_guard&) = delete;
    void finish() noexcept { finished_ = true; }

private:
    world_impl& owner_;
    std::uint32_t type_;
    entity_t scope_ = 0;
    containers::vec<id_t> with_;
    bool finished_ = false;
};

// True if the module was imported or is being imported: modules may import each other.
bool is_imported(const world_impl& owner, std::uint32_t type) {
    const containers::vec<std::uint32_t>& list = owner.modules.list;
    // A type that was deleted and registered again has lost the tag.
    return std::find(list.begin(), list.end(), type) != list.end() && has_id(&owner, type, Module);
}

}  // namespace

// Called by the constructor of a module, to name it.
entity_t declare_module(world_t* world, std::uint32_t type, text_view name) {
    mutate::check_not_recording(mutate::stage_of(world), "a module");
    world_impl& owner = impl_of(world);
    entity_t module = ensure_component(world, type);
    if (name.size != 0) {
        move_to_path(owner, module, name);
    }
    mark_module(owner, module);
    set_scope(world, module);
    return module;
}

// A module that is imported while it is being constructed is not constructed again.
entity_t import_module(world_t* world, std::uint32_t type, void (*construct)(world_t* world)) {
    mutate::check_not_recording(mutate::stage_of(world), "import");
    world_impl& owner = impl_of(world);
    entity_t module = ensure_component(world, type);
    if (!is_imported(owner, type)) {
        mark_module(owner, module);
        import_guard importing(owner, type);
        construct(world);
        importing.finish();
    }
    return module;
}

}  // namespace kith::detail
