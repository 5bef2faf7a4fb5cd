// The operations behind entity handles, declared in include/kith/detail/ops.hpp. Each function
// checks its arguments, tries a fast path where there is one, and then runs the operation
// immediately or queues a command while the world is deferred.
#include "api/world_impl.hpp"
#include "mutate/apply/fast_path.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/commit/sparse_ops.hpp"
#include "mutate/context/declared_access.hpp"
#include "mutate/context/recorder.hpp"
#include "mutate/notify/notify.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/create.hpp"
#include "mutate/ops/destroy.hpp"
#include "mutate/ops/set_value.hpp"
#include "mutate/ops/toggle.hpp"
#include "mutate/queue/defer.hpp"
#include "mutate/queue/queued_place.hpp"
#include "mutate/rules/destination.hpp"
#include "storage/graph.hpp"
#include "storage/value_index.hpp"
#include "traits/implications.hpp"
#include "traits/inherit.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <utility>
#include <vector>

namespace kith::detail {

using access_kind = access_guard::kind;
using mutate::command_kind;
using mutate::stage;
using mutate::stage_of;
using storage::id_info;
using storage::id_record;

namespace {

// True if structural changes are queued instead of made.
bool is_deferred(const stage& owner) noexcept {
    return (owner.mode & mode_deferred) != 0;
}

// Throws for the null entity; `call` is the name of the public function.
void check_given(entity_t entity, const char* call) {
    if (entity == 0) [[unlikely]] {
        raise_null_entity(call);
    }
}
// The stage of the world, for a call with this entity as an argument.
stage& stage_for(const world_t* world, entity_t entity, const char* call) {
    stage& owner = stage_of(const_cast<world_t*>(world), call);
    check_given(entity, call);
    return owner;
}

// Operations that write refuse the null id; reads accept it.
void check_given_id(id_t id, const char* call) {
    checked_id(id, call, "the id");
    if (is_pair(id)) {
        checked_id(pair_first(id), call, "the relationship");
        checked_id(pair_second(id), call, "the target");
    }
}

// Reports why the entity cannot be an element of a pair.
[[noreturn]] void raise_element(const stage& owner, entity_t element, const char* place,
                                const char* call) {
    if (element == 0) {
        raise_null_id(call, place);
    }
    mutate::raise_id(owner, errc::invalid_id, element,
                     is_pair(element) ? "is a pair: it cannot be an element of another"
                                      : "is not alive: it cannot be an element of a pair");
}

}  // namespace

void raise_null_entity(const char* call, const char* argument) {
    mutate::raise_null(call, argument, errc::invalid_entity);
}
void raise_null_id(const char* call, const char* argument) {
    mutate::raise_null(call, argument, errc::invalid_id);
}

// Several threads may use a list of types for the first time.
std::uint32_t next_bundle_slot() noexcept {
    static std::uint32_t next = 0;
    return __atomic_fetch_add(&next, 1, __ATOMIC_RELAXED);
}

// -- creating, deleting and copying entities

entity_t new_entity(world_t* world) {
    stage& owner = stage_of(world);
    entity_t entity = mutate::try_new(owner);
    return entity ? entity : mutate::new_entity(owner);
}
// Scope and `with` are set aside for the call.
entity_t new_id(world_t* world) {
    stage& owner = stage_of(world);
    if (!(owner.mode & mode_in_scope)) {
        return new_entity(world);
    }
    struct guard {
        stage& owner;
        entity_t scope = std::exchange(owner.creation.scope, entity_t{0});
        containers::vec<id_t> with{};
        explicit guard(stage& changed) : owner(changed) { swap(); }
        ~guard() {
            owner.creation.scope = scope;
            swap();
        }
        void swap() noexcept {
            std::swap(owner.creation.with, with);
            mutate::update_mode(owner);
        }
    } restore(owner);
    return mutate::new_entity(owner);
}
entity_t new_with_values(world_t* world, const bundle& ids, const value_source* values) {
    return mutate::new_with_values(stage_of(world), ids, values);
}
const entity_t* new_bulk(world_t* world, std::size_t count, const id_t* ids, std::size_t id_count,
                         const void* const* columns) {
    for (std::size_t i = 0; i < id_count; ++i) {
        check_given_id(ids[i], "bulk");
    }
    return mutate::new_bulk(stage_of(world), count, ids, static_cast<std::uint32_t>(id_count),
                            columns);
}
void delete_entity(world_t* world, entity_t entity) {
    stage& owner = stage_of(world, "destruct");
    if (mutate::try_delete(owner, entity)) [[likely]] {
        return;
    }
    check_given(entity, "destruct");
    if (is_deferred(owner)) {
        mutate::defer_entity(owner, command_kind::destruct, entity);
    } else {
        mutate::delete_entity(owner, entity);
    }
}
void clear_entity(world_t* world, entity_t entity) {
    stage& owner = stage_for(world, entity, "clear");
    if (is_deferred(owner)) {
        mutate::defer_entity(owner, command_kind::clear, entity);
    } else {
        mutate::clear_entity(owner, entity);
    }
}
entity_t clone_entity(world_t* world, entity_t entity, bool copy_values, entity_t into) {
    return mutate::clone_entity(stage_for(world, entity, "clone"), entity, copy_values, into);
}

bool is_valid(const world_t* world, entity_t entity) noexcept {
    if (!is_world(world) || entity == 0 || entity & id_flags_mask || entity >> 48) {
        return false;
    }
    // An id that was never issued can still be made alive, in its first generation.
    return is_alive(world, entity) || (generation_of(entity) == 0 &&
                                       !stage_of(world).data.entities.was_issued(index_of(entity)));
}
bool exists(const world_t* world, entity_t entity) noexcept {
    return is_world(world) && stage_of(world).data.entities.was_issued(index_of(entity));
}
entity_t get_alive(const world_t* world, entity_t entity) noexcept {
    if (!is_world(world)) {
        return index_of(entity);
    }
    if (is_alive(world, entity)) {
        return entity;
    }
    return generation_of(entity) == 0 ? stage_of(world).data.entities.alive_at(index_of(entity))
                                      : 0;
}
void make_alive(world_t* world, entity_t entity) {
    mutate::make_alive(stage_for(world, entity, "make_alive"), entity);
}
void set_id_range(world_t* world, std::uint32_t first, std::uint32_t last) {
    mutate::check_not_recording(stage_of(world), "set_entity_range");
    stage_of(world).data.entities.set_range(first, last);
}
void check_id_range(world_t* world, bool enabled) {
    stage& owner = stage_of(world);
    owner.data.entities.check_range(enabled);
    owner.mode = enabled ? owner.mode | mode_ranged : owner.mode & ~std::uint32_t{mode_ranged};
}

// -- ids

// The fast path comes first; arguments are checked only where it does not apply, because it accepts
// no invalid ones.
void add_id(world_t* world, entity_t entity, id_t id) {
    stage& owner = stage_of(world, "add");
    if (mutate::try_add(owner, entity, id)) [[likely]] {
        return;
    }
    check_given(entity, "add");
    checked_id(id, "add", "the id");
    if (is_deferred(owner)) {
        mutate::defer_id(owner, command_kind::add, entity, id);
        if (is_pair(id) && pair_first(id) == ChildOf) {
            mutate::move_pending_name(owner, entity, pair_second(id));
        }
    } else {
        mutate::add_id(owner, entity, id);
    }
}
void remove_id(world_t* world, entity_t entity, id_t id) {
    stage& owner = stage_of(world, "remove");
    if (mutate::try_remove(owner, entity, id)) [[likely]] {
        return;
    }
    check_given(entity, "remove");
    if (is_deferred(owner)) {
        mutate::defer_id(owner, command_kind::remove, entity, id);
        mutate::follow_removed_parent(owner, entity, id);
    } else {
        mutate::remove_id(owner, entity, id);
    }
}
bool has_id(const world_t* world, entity_t entity, id_t id) {
    const stage& owner = stage_for(world, entity, "has");
    mutate::check_access(owner, entity, id, access_kind::test);
    return mutate::has_id(owner, mutate::get_record(owner, entity), entity, id);
}
bool owns_id(const world_t* world, entity_t entity, id_t id) {
    const stage& owner = stage_for(world, entity, "owns");
    mutate::check_access(owner, entity, id, access_kind::test);
    return storage::owns_id(owner.data, mutate::get_record(owner, entity), entity, id);
}
namespace {

// The target with this number among the base's targets that no nearer entity has. If the base has
// fewer, `number` is reduced by them and the result is 0. The cost is the number of targets of the
// nearer entities.
entity_t visible_target(const storage::store& data, const storage::own_targets& base,
                        const std::vector<storage::own_targets>& nearer, std::uint32_t& number) {
    std::vector<std::uint32_t> hidden;
    for (const storage::own_targets& targets : nearer) {
        for (std::uint32_t i = 0; i < targets.count(); ++i) {
            if (std::int32_t position = base.number_of(targets.at(i)); position >= 0) {
                hidden.push_back(static_cast<std::uint32_t>(position));
            }
        }
    }
    std::sort(hidden.begin(), hidden.end());
    hidden.erase(std::unique(hidden.begin(), hidden.end()), hidden.end());
    const std::uint32_t visible = base.count() - static_cast<std::uint32_t>(hidden.size());
    if (number >= visible) {
        number -= visible;
        return 0;
    }
    for (std::uint32_t position : hidden) {
        number += position <= number;
    }
    return data.entities.alive_at(base.at(number));
}

// The target with this number among inherited targets. Bases are visited nearest first; a target
// that a nearer entity has counts once.
entity_t inherited_target(const stage& owner, const entity_record& record,
                          const storage::own_targets& own, entity_t relation,
                          std::uint32_t number) {
    const storage::store& data = owner.data;
    const storage::table& type = data.tables.at(record.table);
    if (!(type.flags & shape_has_base)) {
        return 0;
    }
    id_info any = traits::describe_id(data, make_pair(relation, Wildcard));
    const id_record* relation_record = data.ids.find(relation);
    const std::uint32_t traits = relation_record ? relation_record->traits : any.traits;
    const bool exclusive = traits::is_exclusive(traits);
    if (traits & traits::trait_dont_inherit || (exclusive && own.count() != 0)) {
        return 0;
    }
    // Targets of nearer entities hide equal targets of bases.
    std::vector<storage::own_targets> nearer{own};
    traits::base_walk bases(data, type);
    while (entity_t base = bases.next()) {
        const storage::own_targets targets(data, *data.entities.find(base), base,
                                           index_of(relation));
        if (entity_t entity = visible_target(data, targets, nearer, number)) {
            return entity;
        }
        if (exclusive && targets.count() != 0) {
            return 0;
        }
        nearer.push_back(targets);
    }
    return 0;
}

}  // namespace

entity_t target_of(const world_t* world, entity_t entity, entity_t relation, std::int32_t index) {
    const stage& owner = stage_for(world, entity, "target");
    mutate::check_access(owner, entity, make_pair(relation, Wildcard), access_kind::test);
    const storage::entity_record& record = mutate::get_record(owner, entity);
    if (index < 0 || !get_alive(world, relation) || get_alive(world, relation) != relation) {
        return 0;
    }
    const storage::own_targets own(owner.data, record, entity, index_of(relation));
    const auto number = static_cast<std::uint32_t>(index);
    if (number < own.count()) {
        return owner.data.entities.alive_at(own.at(number));
    }
    return inherited_target(owner, record, own, relation, number - own.count());
}
void enable_id(world_t* world, entity_t entity, id_t id, bool enabled) {
    stage& owner = stage_for(world, entity, enabled ? "enable" : "disable");
    check_given_id(id, enabled ? "enable" : "disable");
    if (is_deferred(owner)) {
        mutate::defer_id(owner, enabled ? command_kind::enable : command_kind::disable, entity, id);
    } else {
        mutate::enable_id(owner, entity, id, enabled);
    }
}
bool is_enabled(const world_t* world, entity_t entity, id_t id) {
    return mutate::is_enabled(stage_for(world, entity, "enabled"), entity, id);
}

// Types of the process that this world does not know yet are accepted: they are registered when the
// pair is added.
id_t checked_pair_slow(const world_t* world, entity_t relation, entity_t target, const char* call) {
    const stage& owner = stage_of(world, call);
    auto check = [&](entity_t element, const char* place) {
        bool known_type = element < first_entity && find_type(static_cast<std::uint32_t>(element));
        if (!find_record(owner.data, element) && !known_type) [[unlikely]] {
            raise_element(owner, element, place, call);
        }
    };
    check(relation, "the relationship");
    check(target, "the target");
    if (index_of(relation) > max_relation_index) [[unlikely]] {
        mutate::raise_id(owner, errc::limit, relation,
                         "has an index that is too large for a relationship");
    }
    return make_pair(relation, target);
}

namespace {

// Reads the value of a C++ type that the entity, or the nearest of a chain of single bases, keeps
// in its table. Null does not mean absence: other cases are left to mutate::find_value().
const void* find_in_chain(const storage::store& data, const entity_record& record,
                          std::uint32_t type) noexcept {
    const table_shape* shape = data.shapes[record.table];
    constexpr std::uint32_t flags = shape_has_base | shape_wide;
    if (record.state & record_any_sparse || type >= low_id_limit) {
        return nullptr;
    }
    if (const std::int32_t own = find_low(*shape, type); own >= 0 && shape->slots[own].size != 0) {
        return value_at(data, record, shape->slots[own]);
    }
    while ((shape->flags & flags) == shape_has_base) {
        std::int32_t index = find_first_pair(*shape, IsA);
        if (index + 1 < shape->id_count && shape->ids[index + 1] >> 32 == detail::any_base >> 32) {
            return nullptr;
        }
        const entity_record& base = data.entities.at(pair_second(shape->ids[index]));
        shape = data.shapes[base.table];
        std::int32_t position = find_low(*shape, type);
        if (position >= 0 && shape->slots[position].size != 0) {
            const id_record* type_record = data.ids.find(type);
            return type_record->traits & traits::trait_dont_inherit
                       ? nullptr
                       : value_at(data, base, shape->slots[position]);
        }
        if (base.state & record_any_sparse) {
            return nullptr;
        }
    }
    return nullptr;
}

}  // namespace

// -- values

const void* get_value(const world_t* world, entity_t entity, id_t id, std::uint32_t type) {
    const stage& owner = stage_for(world, entity, "get");
    mutate::check_access(owner, entity, id, access_kind::read);
    if (id == type) {
        const entity_record* record = owner.data.entities.find(entity);
        const void* value = record ? find_in_chain(owner.data, *record, type) : nullptr;
        if (value) {
            return value;
        }
    }
    return mutate::find_value(owner, entity, mutate::get_record(owner, entity), id, type);
}
const void* get_own_value(const world_t* world, entity_t entity, id_t id, std::uint32_t type) {
    const stage& owner = stage_for(world, entity, "try_get_mut");
    mutate::check_access(owner, entity, id, access_kind::write);
    const entity_record& record = mutate::get_record(owner, entity);
    const void* value = mutate::find_own_value(owner, entity, record, id, type);
    if (value) {
        mutate::note_value_handed_out(owner.data, entity, record, id);
    }
    return value;
}
// The row's entity may own the id as a sparse component or as a link with a value.
void* sparse_value(const world_t* world, const table_shape& shape, std::uint32_t row, id_t id) {
    const storage::store& data = stage_of(world).data;
    const auto& type = static_cast<const storage::table&>(shape);
    const entity_t entity = storage::entities_of(type, data.tables.rows(type.number))[row];
    const std::uint32_t index = index_of(entity);
    if (is_pair(id)) {
        const storage::link_store* links = storage::find_links(data, pair_first(id));
        return links && links->has(index, pair_second(id)) && links->has_values()
                   ? links->value(index, pair_second(id))
                   : nullptr;
    }
    const storage::id_record* record = data.ids.find(id);
    return record && record->sparse && record->sparse->has(index) ? record->sparse->find(index)
                                                                  : nullptr;
}
void* ensure_value(world_t* world, entity_t entity, id_t id, std::uint32_t type) {
    stage& owner = stage_for(world, entity, "get_mut");
    checked_id(id, "get_mut", "the id");
    // A value that is missing is queued, which needs no declaration.
    if (is_checked(&owner) && mutate::find_own_value(owner, entity, id)) [[unlikely]] {
        mutate::check_access(owner, entity, id, access_kind::write);
    }
    return is_deferred(owner) ? mutate::defer_ensure(owner, entity, id, type)
                              : mutate::ensure_value(owner, entity, id, type);
}
namespace {

// set<Component>({size, alignment}) makes the entity a component whose values are plain bytes.
void define_by_value(world_t* world, entity_t entity, const value_source& source) {
    Component component;
    if (source.make) {
        source.make(&component, source.context);
    } else {
        component = *static_cast<const Component*>(source.context);
    }
    if (component.size < 0 || component.alignment < 0) {
        mutate::raise_entity_id(stage_of(world), errc::invalid_type, entity, component_type_id,
                                "a size or an alignment is negative");
    }
    type_info info{};
    info.size = static_cast<std::uint32_t>(component.size);
    info.alignment = static_cast<std::uint32_t>(component.alignment);
    info.zero_construct = info.trivial_copy = info.trivial_move = info.trivial_destroy = true;
    define_component(world, entity, info);
}

}  // namespace

// Component is set immediately even while the world is deferred: it defines the type.
void set_value(world_t* world, entity_t entity, id_t id, std::uint32_t type,
               const value_source& source) {
    stage& owner = stage_of(world, "set");
    if (is_deferred(owner) && id != component_type_id) {
        if (id == type && !source.make &&
            mutate::try_defer_bytes(owner, entity, id, source.context)) [[likely]] {
            return;
        }
        check_given(entity, "set");
        mutate::defer_value(owner, command_kind::set, entity, id, type, source);
        return;
    }
    if (id == type && !source.make) {
        entity_record* record = owner.data.entities.find(entity);
        if (record && mutate::try_set_bytes(owner, entity, *record, id, source.context))
            [[likely]] {
            return;
        }
    }
    check_given(entity, "set");
    if (id == component_type_id) [[unlikely]] {
        define_by_value(world, entity, source);
        return;
    }
    mutate::set_value(owner, entity, id, type, source);
}
void emplace_value(world_t* world, entity_t entity, id_t id, std::uint32_t type,
                   const value_source& source) {
    stage& owner = stage_for(world, entity, "emplace");
    if (id == component_type_id && !mutate::find_own_value(owner, entity, id)) {
        define_by_value(world, entity, source);
        return;
    }
    if (is_deferred(owner)) {
        mutate::defer_value(owner, command_kind::emplace, entity, id, type, source);
    } else {
        mutate::emplace_value(owner, entity, id, type, source);
    }
}

namespace {

// Copies the value of a component over the one in the entity's table, if values of the component
// are bytes and nobody is notified. False: the other path has to do it.
bool try_copy_bytes(stage& owner, entity_t entity, id_t id, std::size_t size, const void* value) {
    if (is_deferred(owner) || id >= low_id_limit) {
        return false;
    }
    const storage::entity_record* record = owner.data.entities.find(entity);
    const id_record* component = owner.data.ids.find(id);
    if (!record || !component || !component->value_type) {
        return false;
    }
    const type_info& info = component->value_type->info;
    return info.trivial_copy && info.size == size && id != component_type_id &&
           mutate::try_assign_bytes(owner, *record, id, value);
}

}  // namespace

void copy_value(world_t* world, entity_t entity, id_t id, std::size_t size, const void* value) {
    stage& owner = stage_of(world, "set");
    if (try_copy_bytes(owner, entity, id, size, value)) [[likely]] {
        return;
    }
    const id_info id_info = mutate::is_recorded(owner) ? traits::describe_id(owner.data, id)
                                                       : mutate::prepare_id(owner, id, entity);
    mutate::check_value_type(owner, id_info, 0);
    const type_info& info = id_info.value_type->info;
    if (size != info.size) {
        mutate::raise_id(owner, errc::wrong_type, id, "has values of another size");
    }
    if (!info.can_copy()) {
        mutate::raise_id(owner, errc::not_copyable, id, "has values that cannot be copied");
    }
    mutate::copy_context context{&info, value};
    set_value(world, entity, id, 0, mutate::copying_source(context));
}
void notify_set(world_t* world, entity_t entity, id_t id) {
    stage& owner = stage_for(world, entity, "modified");
    check_given_id(id, "modified");
    if (is_deferred(owner)) {
        mutate::defer_id(owner, command_kind::modified, entity, id);
    } else {
        mutate::notify_set(owner, entity, id);
    }
}

namespace {

// Runs a part of an operation and the commands that its callbacks queue. Returns the error of a
// callback.
template <class Part>
std::exception_ptr run_part(stage& owner, Part&& part) {
    mutate::callback_scope code(owner);
    part();
    mutate::keep_error(owner, [&] { code.finish(); });
    return std::exchange(owner.operation.failed, nullptr);
}

void rethrow(const std::exception_ptr& failed) {
    if (failed) {
        std::rethrow_exception(failed);
    }
}

// Writes the addresses of the values. Returns the first id without a value, or 0.
id_t find_values(const stage& owner, entity_t entity, const written_values& written) {
    const entity_record& record = mutate::get_record(owner, entity);
    for (std::uint32_t i = 0; i < written.count; ++i) {
        written.values[i] =
            mutate::find_own_value(owner, entity, record, written.ids[i], written.types[i]);
        if (!written.values[i]) {
            return written.ids[i];
        }
    }
    return 0;
}

// Adds the ids without a value in one change: if one id is refused, none is added.
void add_missing(stage& owner, entity_t entity, const written_values& written) {
    const entity_record& record = mutate::get_record(owner, entity);
    traits::id_buffer missing(owner.data.mem, containers::purpose::commands);
    for (std::uint32_t i = 0; i < written.count; ++i) {
        const id_t id = written.ids[i];
        mutate::check_value_type(owner, mutate::prepare_id(owner, id, entity), written.types[i]);
        if (!mutate::find_own_value(owner, entity, record, id, written.types[i])) {
            missing.push(id);
        }
    }
    if (!missing.empty()) {
        mutate::add_ids(owner, entity, missing.data(), missing.size());
    }
}

// Lets the program write the values. The lock keeps the rows in place meanwhile.
void write_found(stage& owner, entity_t entity, const written_values& written) {
    for (std::uint32_t i = 0; i < written.count; ++i) {
        mutate::note_value_written(owner.data, mutate::get_record(owner, entity), written.ids[i]);
    }
    table_lock lock(&owner, mutate::get_record(owner, entity).table, true);
    written.write(written.values, written.context);
}

// Lets the program write queued values, which are moved to the entity when the queue is run.
void queue_values(stage& owner, entity_t entity, const written_values& written) {
    for (std::uint32_t i = 0; i < written.count; ++i) {
        written.values[i] = mutate::defer_ensure(owner, entity, written.ids[i], written.types[i]);
    }
    write_found(owner, entity, written);
    for (std::uint32_t i = 0; i < written.count; ++i) {
        mutate::defer_id(owner, command_kind::modified, entity, written.ids[i]);
    }
}

}  // namespace

// Missing values are added, the program writes all values, and then OnSet is notified for each.
void write_values(world_t* world, entity_t entity, const written_values& written) {
    stage& owner = stage_for(world, entity, "set");
    if (is_deferred(owner)) {
        queue_values(owner, entity, written);
        return;
    }
    // An error of a callback is thrown after all values are written.
    const std::exception_ptr of_adding =
        run_part(owner, [&] { add_missing(owner, entity, written); });
    // The addresses are valid after the last addition only, because additions move values.
    if (const id_t missing = find_values(owner, entity, written)) {
        rethrow(of_adding);
        mutate::raise_entity_id(owner, errc::missing_component, entity, missing,
                                "was removed again by a hook");
    }
    write_found(owner, entity, written);
    const std::exception_ptr of_setting = run_part(owner, [&] {
        for (std::uint32_t i = 0; i < written.count; ++i) {
            mutate::notify_set(owner, entity, written.ids[i]);
        }
    });
    rethrow(of_adding);
    rethrow(of_setting);
}

namespace {

[[gnu::noinline]] void note_written_and_notify(world_t* world, entity_t entity,
                                               const entity_record& record,
                                               const storage::table& table, std::uint32_t position,
                                               void* value) {
    stage& owner = static_cast<stage&>(*world);
    mutate::note_value_written(owner.data, record, table.ids[position]);
    mutate::notify_assigned(owner, entity, record, table, *table.records[position], value);
}

}  // namespace

// The mark of a first write is out of line, so that the other writes save no registers.
void notify_assigned(world_t* world, entity_t entity, const entity_record& record,
                     const table_shape& shape, std::uint32_t position, void* value) {
    const auto& table = static_cast<const storage::table&>(shape);
    if (table.flags & (detail::shape_unwritten | detail::shape_indexed)) [[unlikely]] {
        note_written_and_notify(world, entity, record, table, position, value);
        return;
    }
    mutate::notify_assigned(static_cast<stage&>(*world), entity, record, table,
                            *table.records[position], value);
}

// -- operations on all entities with an id

void delete_with(world_t* world, id_t id) {
    stage& owner = stage_of(world, "delete_with");
    check_given_id(id, "delete_with");
    if (is_deferred(owner)) {
        mutate::defer_world(owner, command_kind::delete_with, id);
    } else {
        mutate::delete_with(owner, id);
    }
}
void remove_all(world_t* world, id_t id) {
    stage& owner = stage_of(world, "remove_all");
    check_given_id(id, "remove_all");
    if (is_deferred(owner)) {
        mutate::defer_world(owner, command_kind::remove_all, id);
    } else {
        mutate::remove_all(owner, id);
    }
}

// The ids of the table are returned in place; an entity with sparse ids gets a sorted copy.
id_list ids_of(const world_t* world, entity_t entity, const char* call) {
    const stage& owner = stage_for(world, entity, call);
    const storage::entity_record& record = mutate::get_record(owner, entity);
    const table_shape& type = *owner.data.shapes[record.table];
    id_list dense{type.ids, type.id_count, false};
    constexpr std::uint32_t any_sparse = storage::record_any_sparse | storage::record_has_parent;
    if (!(record.state & any_sparse)) {
        return dense;
    }
    // Sparse ids are counted first, for one allocation.
    std::size_t limit = dense.count;
    auto count_one = [&](const id_info&) { ++limit; };
    mutate::each_sparse_id(owner.data, record, entity, Wildcard, count_one);
    mutate::each_sparse_id(owner.data, record, entity, make_pair(Wildcard, Wildcard), count_one);
    if (limit == dense.count) {
        return dense;
    }
    auto* ids = static_cast<id_t*>(std::malloc((limit + 1) * sizeof(id_t)));
    if (!ids) {
        base::raise_out_of_memory();
    }
    std::size_t count = static_cast<std::size_t>(std::copy_n(dense.ids, dense.count, ids) - ids);
    auto add = [&](const id_info& id) { ids[count++] = id.id; };
    mutate::each_sparse_id(owner.data, record, entity, Wildcard, add);
    mutate::each_sparse_id(owner.data, record, entity, make_pair(Wildcard, Wildcard), add);
    std::sort(ids, ids + count);
    return {ids, count, true};
}

// Lists in tables need no copy.
id_list copy_ids(const id_list& list) {
    if (!list.owned) {
        return list;
    }
    auto* ids = static_cast<id_t*>(std::malloc((list.count + 1) * sizeof(id_t)));
    if (!ids) {
        base::raise_out_of_memory();
    }
    std::copy_n(list.ids, list.count, ids);
    return {ids, list.count, true};
}

void free_ids(const id_list& list) noexcept {
    if (list.owned) {
        std::free(const_cast<id_t*>(list.ids));
    }
}

table_shape* shape_of(const world_t* world, entity_t entity, const char* call) {
    const stage& owner = stage_for(world, entity, call);
    return owner.data.shapes[mutate::get_record(owner, entity).table];
}
std::int32_t find_in_shape(const table_shape& shape, id_t id, std::int32_t from) {
    return storage::find_match(shape, id, from);
}

void note_written(world_t* world, const table_shape& shape, id_t id) noexcept {
    storage::store& data = static_cast<stage&>(*world).data;
    const auto& table = static_cast<const storage::table&>(shape);
    data.value_handed_out(table);
    if (data.indexes) {
        data.indexes->note_table(id, table);
    }
}

void note_values_written(world_t* world, entity_t entity) noexcept {
    storage::store& data = static_cast<stage&>(*world).data;
    const entity_record* record = data.entities.find(entity);
    if (!record) {
        return;
    }
    mutate::note_value_handed_out(data, entity, *record, 0);
    const storage::table& type = data.tables.at(record->table);
    if (load_flags(type) & shape_has_base) {
        traits::base_walk bases(data, type);
        while (entity_t base = bases.next()) {
            mutate::note_value_handed_out(data, base, *data.entities.find(base), 0);
        }
    }
}

void note_reference(world_t* world, entity_t entity, id_t id) noexcept {
    note_values_written(world, entity);
    storage::store& data = static_cast<stage&>(*world).data;
    const entity_record* record = data.entities.find(entity);
    if (!data.indexes || !record) {
        return;
    }
    data.indexes->note_reference(id, index_of(entity));
    traits::base_walk bases(data, data.tables.at(record->table));
    while (const entity_t base = bases.next()) {
        data.indexes->note_reference(id, index_of(base));
    }
}

// Finds the value again after the entity or its table has changed. The place is remembered if the
// value lies in a table.
void* ref_base::find_slow(std::uint32_t type) {
    record_ = &nowhere;
    generation_ = record_free;
    if (!is_world(world_)) {
        return nullptr;
    }
    const stage& owner = stage_of(world_);
    const entity_record* record = owner.data.entities.find(entity_);
    if (!record) {
        return nullptr;
    }
    void* value = mutate::find_value(owner, entity_, *record, id_, type);
    note_reference(world_, entity_, id_);
    const table_shape& shape = *owner.data.shapes[record->table];
    std::int32_t position = storage::find_id(shape, id_);
    if (value && position >= 0) {
        record_ = record;
        generation_ = static_cast<std::uint32_t>(entity_ >> 32);
        table_ = record->table;
        epoch_ = owner.data.table_epoch;
        offset_ = shape.slots[position].offset;
    }
    return value;
}

// -- errors that inlined code reports

void raise_no_pair_value(const world_t* world, entity_t entity, id_t pair) {
    mutate::raise_entity_id(stage_of(world), errc::wrong_type, entity, pair,
                            "has no value, and the callback takes a reference: take a pointer");
}

void raise_ref(const world_t* world, entity_t entity, id_t id) {
    if (!is_world(world)) {
        base::raise(errc::missing_component, "an empty reference was used");
    }
    const stage& owner = stage_of(world);
    mutate::get_record(owner, entity);
    mutate::raise_entity_id(owner, errc::missing_component, entity, id,
                            "is not there: the reference has nothing to refer to");
}
void raise_no_index(std::int32_t index, std::size_t count) {
    base::raise(errc::invalid_operation, base::text{} << "there is no index " << std::int64_t{index}
                                                      << " in a list of " << std::uint64_t{count});
}
void check_foreign(const world_t* from, const world_t* used_in, id_t id) {
    if (is_world(from) && from->store != used_in->store) {
        base::raise(errc::invalid_id,
                    base::text{} << "the handle #" << index_of(id) << " belongs to another world");
    }
}
void raise_not_a_pair(const world_t* world, id_t id) {
    string text = id_text(world, id);
    base::raise(errc::invalid_id, base::text{} << text.c_str() << " is not a pair");
}

}  // namespace kith::detail

namespace kith {

// A false condition removes the pair; without a target, or for an exclusive relationship, it
// removes the pair with any target.
entity& entity::add_if(bool condition, entity_t first, entity_t second) {
    if (condition) {
        return add(first, second);
    }
    bool exclusive = detail::is_alive(world_, first) && detail::has_id(world_, first, Exclusive);
    return remove(first, second == 0 || exclusive ? Wildcard : second);
}

}  // namespace kith
