// Components: registering C++ types in a world, types that programs define at run time, and hooks.
// The functions are declared in include/kith/detail/ops.hpp under "components", and in
// component_ops.hpp.
//
// A C++ type has the same id in every world of the process (types/type_registry.cpp). Registering
// it in a world makes the entity with this index alive, attaches the type to its id record, and
// names it.
#include <kith/detail/component_ops.hpp>

#include "api/take_place.hpp"
#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "base/scope_exit.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/commit/first_row.hpp"
#include "mutate/commit/property.hpp"
#include "mutate/context/recorder.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/destroy.hpp"
#include "mutate/ops/set_value.hpp"
#include "names/entity_name.hpp"
#include "names/id_text.hpp"
#include "names/path.hpp"
#include "storage/table_layout.hpp"
#include "traits/traits.hpp"

namespace kith::detail {

using api::impl_of;
using api::world_impl;
using mutate::stage_of;
using storage::id_record;

namespace {

// Deletes the entity of a registration that could not be completed.
void forget_component(world_impl& owner, entity_t component) noexcept;

// True if the type is registered in this world.
bool is_known(const mutate::stage& owner, std::uint32_t type) noexcept {
    const id_record* record = owner.data.ids.find(type);
    return record && record->hook_type && record->hook_type->component == type;
}

// Gives the entity the value Component, by which programs recognize components.
void store_component(world_impl& owner, entity_t entity, const type_info& info) {
    Component value{static_cast<std::int32_t>(info.size),
                    static_cast<std::int32_t>(info.alignment)};
    value_source source{&value, nullptr, nullptr};
    mutate::set_value(owner, entity, component_type_id, component_type_id, source);
    if (info.size != 0) {
        // A component is Final: an entity derived from it would share the type, not a value.
        mutate::add_id(owner, entity, Final);
    }
}

// Attaches the type to the entity's id record: ids of the entity have values of the type from now
// on.
void attach_type(world_impl& owner, entity_t entity, const type_info& info) {
    id_record& record = owner.data.ids.ensure(entity);
    types::component_type& type = storage::add_type(owner.data, info, index_of(entity));
    record.hook_type = &type;
    record.value_type = info.size != 0 ? &type : nullptr;
    mutate::redescribe(owner, index_of(entity));
}

// Reverses attach_type(). Requires: no value of the type exists.
void detach_type(world_impl& owner, entity_t entity) noexcept {
    KITH_ASSERT(owner.data.ids.find(entity) && owner.data.ids.find(entity)->hook_type,
                "the type is attached");
    id_record& record = *owner.data.ids.find(entity);
    types::component_type& type = *record.hook_type;
    record.hook_type = record.value_type = nullptr;
    mutate::redescribe(owner, index_of(entity));
    storage::remove_type(owner.data, type);
    mutate::release_ended_types(owner);
}

// The definition of a type has failed: its context belongs to the caller, as before the call.
void return_context(world_impl& owner, entity_t component) noexcept {
    owner.data.ids.find(component)->hook_type->info.free_context = nullptr;
}

std::string_view last_element(std::string_view path) {
    std::string_view element;
    for (names::path_reader reader(path, "::", "::"); reader.next(element);) {
        path = element;
    }
    return path;
}

// True if the entity is a component of this world, or has an index of a C++ type.
bool is_component(const world_impl& owner, entity_t entity) noexcept {
    const id_record* record = owner.data.ids.find(entity);
    return index_of(entity) < first_entity || (record && record->hook_type);
}
// True if a C++ type may take the place of the entity: a plain one, or a component with values that
// was declared at run time.
bool is_replaceable(const world_impl& owner, entity_t entity) noexcept {
    const id_record* record = owner.data.ids.find(entity);
    return index_of(entity) >= first_entity &&
           (!record || !record->hook_type || record->value_type);
}

// Local types may share names: the second `Local` is called `Local#2`.
std::string free_local_name(const world_impl& owner, entity_t parent, std::string_view name) {
    std::string numbered(name);
    for (std::uint32_t number = 2;; ++number) {
        const names::name_node* node = owner.names.find(index_of(parent), numbered);
        if (!node || !is_component(owner, node->entity)) {
            return numbered;
        }
        numbered = std::string(name) + '#' + std::to_string(number);
    }
}

// Places the component below the entities of its namespaces and names it. `queued`: commands waited
// before the registration.
void name_component(world_impl& owner, entity_t component, entity_t scope, std::string_view path,
                    bool queued) {
    entity_t parent = scope;
    std::string_view last = last_element(path);
    if (last.size() < path.size()) {
        std::string_view namespaces = path.substr(0, path.size() - last.size());
        while (!namespaces.empty() && (namespaces.back() == ':' || namespaces.back() == '.')) {
            namespaces.remove_suffix(1);
        }
        parent = ensure_path(&owner, scope, namespaces, "::", "");
    }
    std::string name(last);
    if (is_local_type(index_of(component))) {
        name = free_local_name(owner, parent, last);
    }
    entity_t before = 0;
    if (const names::name_node* node = owner.names.find(index_of(parent), name)) {
        before = node->entity;
        if (!is_replaceable(owner, before)) {
            base::text message;
            message << "the name \"" << path << "\" is taken by another component";
            base::raise(errc::type_conflict, message);
        }
    }
    if (before) {
        api::take_place(owner, before, component, queued);
    }
    if (parent && api::parent_of(owner, component) != parent) {
        mutate::add_id(owner, component, make_pair(ChildOf, parent));
    }
    set_name(&owner, component, name);
}

// The symbol of a type: its qualified name with dots.
std::string symbol_of(std::string_view type_name) {
    std::string symbol;
    for (std::size_t position = 0; position < type_name.size(); ++position) {
        bool scope = type_name.substr(position, 2) == "::";
        symbol += scope ? '.' : type_name[position];
        position += scope;
    }
    return symbol;
}

// Registers the type, all or nothing.
entity_t register_component(world_impl& owner, std::uint32_t type, entity_t scope,
                            std::string_view name) {
    check_types(&owner);
    KITH_ASSERT(find_type(type), "the process has given the type its id");
    const type_info& info = *find_type(type);
    const bool queued = api::may_have_queued_values(owner);
    api::immediate_scope immediate(owner);
    if (const char* fault = types::find_type_fault(info)) {
        base::raise(errc::invalid_type, base::text{} << info.name << ": " << fault);
    }
    if (entity_t other = owner.data.entities.alive_at(type)) {
        mutate::raise_entity_id(owner, errc::type_conflict, other, 0,
                                "has the index that belongs to a C++ type");
    }
    owner.data.tables.reserve_rows(owner.data.tables.at(storage::root_table), 1);
    owner.data.entities.make_alive(type);
    mutate::append_row(owner.data, owner.data.tables.at(storage::root_table), type,
                       owner.data.entities.at(type));
    mutate::notify_created(owner, type);
    // The mark makes a deletion look for uses of the id: forget_component() depends on it.
    owner.data.entities.at(type).state |= storage::record_used_as_id;
    base::scope_exit discard([&] { forget_component(owner, type); });
    attach_type(owner, type, info);
    name_component(owner, type, scope, name, queued);
    set_symbol(&owner, type, symbol_of(info.name));
    store_component(owner, type, info);
    discard.release();
    return type;
}

void forget_component(world_impl& owner, entity_t component) noexcept {
    // The component is unused, so a failure means short memory: it stays, without a name.
    base::attempt([&] { mutate::delete_entity(owner, component); }, [] {});
}

}  // namespace

namespace {

// Types are registered at once, which stage 0 of a read-only world may do.
void check_may_register(const world_t* world) {
    const mutate::stage& owner = stage_of(world);
    if (!(owner.mode & mode_recording) ||
        mutate::recorder_of(owner).use != mutate::recorder_use::first) {
        mutate::check_not_recording(owner, "the first use of a type in a world");
    }
}

}  // namespace

entity_t ensure_component(world_t* world, std::uint32_t type) {
    world_impl& owner = impl_of(world);
    if (is_known(owner, type)) {
        return type;
    }
    check_may_register(world);
    return register_component(owner, type, 0, find_type(type)->name);
}

entity_t declare_component(world_t* world, std::uint32_t type, text_view text) {
    world_impl& owner = impl_of(world);
    const std::string_view name = text;
    const bool named = !name.empty();
    if (!is_known(owner, type)) {
        check_may_register(world);
        std::string_view path = named ? name : find_type(type)->name;
        return register_component(owner, type, owner.creation.scope,
                                  owner.creation.scope && !named ? last_element(path) : path);
    }
    if (named && name_of(world, type, Name) != last_element(name)) {
        base::text message;
        message << "the type " << find_type(type)->name << " is known as \""
                << name_of(world, type, Name).c_str() << "\" already, not as \"" << name << "\"";
        base::raise(errc::type_conflict, message);
    }
    return type;
}

entity_t define_component(world_t* world, entity_t entity, const type_info& info) {
    world_impl& owner = impl_of(world);
    check_may_register(world);
    mutate::get_record(owner, entity);
    if (const char* fault = types::find_type_fault(info)) {
        mutate::raise_about(owner, errc::invalid_type, entity, ": ", fault);
    }
    if (const id_record* record = owner.data.ids.find(entity); record && record->hook_type) {
        const type_info& type = record->hook_type->info;
        if (type.size == info.size && type.alignment == info.alignment) {
            return entity;
        }
        mutate::raise_id(owner, errc::type_conflict, entity,
                         "is a component of another size or alignment already");
    }
    if (traits::is_in_use(owner.data, index_of(entity))) {
        mutate::raise_id(owner, errc::in_use, entity,
                         "is in use as a tag, so it cannot become a component");
    }
    api::immediate_scope immediate(owner);
    mutate::ensure_row(owner, entity, mutate::get_record(owner, entity));
    type_info named = info;
    std::string own_name = name_of(world, entity, Name).c_str();
    named.name = info.name ? info.name : own_name.c_str();
    attach_type(owner, entity, named);
    base::scope_exit detach([&] {
        return_context(owner, entity);
        detach_type(owner, entity);
    });
    store_component(owner, entity, info);
    detach.release();
    owner.data.entities.at(index_of(entity)).state |= storage::record_used_as_id;
    return entity;
}

void redefine_component(world_t* world, entity_t component, const type_info& info) {
    world_impl& owner = impl_of(world);
    mutate::get_record(owner, component);
    const id_record* record = owner.data.ids.find(component);
    if (!record || !record->value_type || record->value_type->info.size != info.size ||
        record->value_type->info.alignment != info.alignment) {
        mutate::raise_id(owner, errc::wrong_type, component,
                         "has no values of this size and alignment");
    }
    if (api::may_have_queued_values(owner) || mutate::is_iterated(owner) ||
        traits::is_in_use(owner.data, index_of(component))) {
        mutate::raise_id(owner, errc::in_use, component,
                         "is in use: the functions of its values are given before there are any");
    }
    type_info& type = record->hook_type->info;
    const type_info before = type;
    type = info;
    type.name = before.name;  // lies behind the type
    mutate::redescribe(owner, index_of(component));
    if (before.free_context) {
        before.free_context(before.context);
    }
}

void change_layout(world_t* world, entity_t entity, const type_info& info) {
    world_impl& owner = impl_of(world);
    const id_record* record = owner.data.ids.find(entity);
    if (!record || !record->hook_type) {
        define_component(world, entity, info);
        return;
    }
    if (index_of(entity) < first_entity) {
        mutate::raise_id(owner, errc::type_conflict, entity,
                         "is a C++ type, whose layout is fixed");
    }
    // An empty table or store still has the layout of the former type.
    if (api::may_have_queued_values(owner) || mutate::is_iterated(owner) ||
        traits::is_in_use(owner.data, index_of(entity)) || !record->tables.empty() ||
        record->sparse) {
        mutate::raise_id(owner, errc::in_use, entity,
                         "has values already, so its type cannot change any more");
    }
    if (const char* fault = types::find_type_fault(info)) {
        mutate::raise_about(owner, errc::invalid_type, entity, ": ", fault);
    }
    api::immediate_scope immediate(owner);
    types::component_type& former = *record->hook_type;
    attach_type(owner, entity, info);
    std::swap(owner.data.ids.find(entity)->hook_type->hooks, former.hooks);
    storage::remove_type(owner.data, former);
    mutate::release_ended_types(owner);
    base::scope_exit failed([&] { return_context(owner, entity); });
    store_component(owner, entity, info);
    failed.release();
}

void check_type_id(std::uint32_t type, id_t id) {
    if (id != 0 && id != type) {
        base::raise(errc::type_conflict, base::text{}
                                             << find_type(type)->name << " has the id " << type
                                             << " in every world of this process, not " << id);
    }
}

const type_info* type_of(const world_t* world, id_t id) {
    const mutate::stage& owner = stage_of(world);
    const types::component_type* type = traits::describe_id(owner.data, id).value_type;
    return type ? &type->info : nullptr;
}

entity_t type_component(const world_t* world, id_t id) {
    const mutate::stage& owner = stage_of(world);
    const types::component_type* type = traits::describe_id(owner.data, id).value_type;
    return type ? owner.data.entities.alive_at(type->component) : 0;
}

namespace {

// Exchanges a hook. The function owns the context of `callback`, also if it throws.
void replace_hook(world_t* world, entity_t component, types::hook_kind kind, hook callback) {
    struct owned_hook {
        hook value;
        ~owned_hook() {
            if (value.free_context) {
                value.free_context(value.context);
            }
        }
    } replaced{callback};
    mutate::stage& owner = stage_of(world);
    mutate::check_not_recording(owner, "setting a hook");
    mutate::get_record(owner, component);
    id_record& record = owner.data.ids.ensure(component);
    if (!record.hook_type) {
        // A tag that is no C++ type gets a type without values, which holds the hooks.
        record.hook_type = &storage::add_type(owner.data, type_info{}, index_of(component));
        owner.data.entities.at(index_of(component)).state |= storage::record_used_as_id;
        mutate::redescribe(owner, index_of(component));
    }
    // While a hook runs, the world is deferred or the queue is being flushed.
    bool running = (owner.mode & mode_deferred) != 0 || owner.queue.flushing;
    if (running) {
        owner.retired_hooks.reserve_extra(owner.data.mem, 1, containers::purpose::commands);
    } else {
        mutate::release_retired_hooks(owner);
    }
    std::swap(record.hook_type->hooks[kind], replaced.value);
    owner.data.has_hooks = true;
    owner.data.has_validators |= kind == types::hook_validate;
    if (running) {
        // The replaced hook may be running: its context is freed later.
        owner.retired_hooks.push_reserved(std::exchange(replaced.value, {}));
    }
    events::update_event_mask(owner.data, Wildcard);
}

}  // namespace

void set_hook(world_t* world, entity_t component, entity_t event, hook callback) {
    replace_hook(world, component,
                 event == OnAdd   ? types::hook_add
                 : event == OnSet ? types::hook_set
                                  : types::hook_remove,
                 callback);
}

void set_validator(world_t* world, entity_t component, hook callback) {
    replace_hook(world, component, types::hook_validate, callback);
}

}  // namespace kith::detail
