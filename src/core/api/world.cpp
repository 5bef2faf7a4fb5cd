// Creating and destroying worlds, the builtin entities, the functions that lower modules call
// through mutate::listeners, deferring, and the functions of kith::world that are not templates.
#include <kith/detail/stage_ops.hpp>
#include <kith/query.hpp>

#include "api/observer_entity.hpp"
#include "api/stage_set.hpp"
#include "api/world_block.hpp"
#include "base/assert.hpp"
#include "base/log.hpp"
#include "base/scope_exit.hpp"
#include "ids/builtin.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/context/recorder.hpp"
#include "mutate/ops/consequences.hpp"
#include "mutate/ops/shrink.hpp"
#include "mutate/ops/teardown.hpp"
#include "mutate/queue/defer.hpp"
#include "names/entity_name.hpp"
#include "query/query_block.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace kith::api {

namespace {

using containers::purpose;
using storage::id_record;

// What the stage asks of the modules above it.
class upper_modules final : public mutate::world_callbacks {
public:
    void adopt_type(mutate::stage& owner, std::uint32_t type, entity_t changed) const override {
        entity_t& held = impl_of(owner).operation.changed;
        const base::scope_exit release([&, before = held] { held = before; });
        held = changed;
        detail::ensure_component(&owner, type);
    }
    void describe_query(const detail::query_head* query, base::text& out) const override {
        out << std::string_view{detail::query_text(query)};
    }
    void end_batch(mutate::stage& owner) const override {
        world_impl& world = impl_of(owner);
        mutate::keep_error(owner, [&] { world.made_tables.end_batch(); });
        world.monitors.end_batch();
    }
    void end_iteration(mutate::stage& owner) const noexcept override {
        api::run_post_iteration(owner);
    }
};
constexpr upper_modules world_callbacks;
constexpr mutate::consequences change_consequences;

// Called by the component index for a new id.
void describe_record(void* context, id_record& record) {
    storage::store& data = *static_cast<storage::store*>(context);
    traits::describe(data, record);
    if (is_pair(record.id) && pair_first(record.id) == IsA) {
        data.base_made();
    }
}

void prepare_table(void* context) {
    static_cast<world_impl*>(context)->made_tables.prepare();
}

// Called by the table set when a table was created, or is about to be deleted.
void on_table_event(void* context, const storage::table& which, bool made) noexcept {
    auto& owner = *static_cast<world_impl*>(context);
    if (made) {
        owner.caches.table_made(which);
        owner.argument_lists.table_made(which);
        owner.made_tables.note_made(which);
    } else {
        owner.caches.table_gone(which);
        owner.argument_lists.table_gone(which);
        owner.made_tables.note_gone(which);
    }
}

constexpr storage::table_set::table_listener listens_to_tables{prepare_table, on_table_event};

// Called by the table set when a table becomes dormant or active: caches list active tables only.
constexpr storage::table_set::activity_listener listens_to_activity{
    [](void* context, const storage::table& which, bool dormant) noexcept {
        auto& owner = *static_cast<world_impl*>(context);
        if (dormant) {
            owner.caches.table_slept(which);
            owner.argument_lists.table_gone(which);
        } else {
            owner.caches.table_woke(which);
            owner.argument_lists.table_made(which);
        }
    },
    [](void* context) noexcept { static_cast<world_impl*>(context)->mode |= detail::mode_untidy; }};

// Gives a builtin entity a row in the table, with its name.
void place_builtin(world_impl& owner, entity_t entity, const char* name,
                   const storage::table& table) {
    storage::store& data = owner.data;
    data.tables.reserve_rows(table, 1);
    names::name_node* node = owner.names.add(entity == Kith ? 0 : index_of(Kith), name, entity);
    storage::entity_record& record = data.entities.at(index_of(entity));
    record.state |= storage::record_named | storage::record_used_as_id;
    std::uint32_t row = mutate::append_row(data, table, entity, record);
    KITH_ASSERT(storage::find_id(table, detail::name_pair) >= 0, "tables of builtins have names");
    detail::column column = table.slots[storage::find_id(table, detail::name_pair)];
    ::new (storage::value_in(data.tables.rows(table.number), column, row))
        Identifier(identifier_access::make(node));
}

// The validator of Component. An entity is made a component by its type, which adds the value; the
// value cannot be changed afterwards.
void check_component(const hook_event& event, void*) {
    const mutate::stage& owner = mutate::stage_of(event.world);
    const id_record* record = owner.data.ids.find(event.entity);
    const types::component_type* type = record ? record->hook_type : nullptr;
    const auto& value = *static_cast<const Component*>(event.value);
    if (!type && value.size == 0) {
        return;  // a tag
    }
    if (!type) {
        mutate::raise_entity_id(owner, errc::invalid_operation, event.entity, event.id,
                                "an entity becomes a component by set<Component>({size, "
                                "alignment}), or by define()");
    }
    if (static_cast<std::uint32_t>(value.size) != type->info.size ||
        static_cast<std::uint32_t>(value.alignment) != type->info.alignment) {
        mutate::raise_entity_id(owner, errc::type_conflict, event.entity, event.id,
                                "is a component of another size or alignment already");
    }
}

// Attaches a builtin C++ type to its id, before any table exists.
void attach_builtin_type(world_impl& owner, std::uint32_t type) {
    id_record& record = owner.data.ids.ensure(type);
    record.hook_type = record.value_type =
        &storage::add_type(owner.data, *detail::find_type(type), type);
    if (type == detail::component_type_id) {
        record.hook_type->hooks[types::hook_validate].call = check_component;
        traits::describe_event_mask(owner.data, record);
    }
}

// Gives the entity of a builtin type its row, with the value Component.
void place_builtin_type(world_impl& owner, std::uint32_t type, const char* name,
                        const storage::table& table) {
    place_builtin(owner, type, name, table);
    detail::column column = table.slots[storage::find_id(table, detail::component_type_id)];
    const type_info& info = *detail::find_type(type);
    ::new (storage::value_in(owner.data.tables.rows(table.number), column,
                             owner.data.entities.at(type).row))
        Component{static_cast<std::int32_t>(info.size), static_cast<std::int32_t>(info.alignment)};
}

// The properties of a builtin entity. `shown` are ids that the entity has; `implied` are traits
// without such an id, which programs cannot change.
struct builtin_properties {
    entity_t entity;
    std::uint32_t implied;
    id_t shown[8];
};
constexpr builtin_properties properties_of_builtins[] = {
    {ChildOf,
     0,
     {Tag, DontInherit, Acyclic, Traversable, Exclusive, Sparse,
      make_pair(OnDeleteTarget, Delete)}},
    {IsA, 0, {Tag, Transitive, Reflexive, Acyclic, Traversable}},
    {DependsOn, 0, {Tag, Acyclic, Traversable}},
    {SlotOf, 0, {Tag, DontInherit, Exclusive}},
    {Prefab, 0, {DontInherit}},
    {Disabled, 0, {DontInherit}},
    {detail::observes, 0, {Tag, DontInherit, Exclusive, Sparse, make_pair(OnDeleteTarget, Delete)}},
    {With, traits::trait_tag | traits::trait_dont_inherit, {}},
    {Acyclic, traits::trait_dont_inherit | traits::trait_required, {}},
    {Traversable, traits::trait_dont_inherit, {make_pair(With, Acyclic)}},
    {AllOf, traits::trait_tag | traits::trait_dont_inherit, {}},
    {AnyOf, traits::trait_tag | traits::trait_dont_inherit, {}},
    {Before, 0, {Tag}},
    {After, 0, {Tag}},
    {InSet, 0, {Tag}},
    {AmbiguousWith, 0, {Tag}},
    {OneOf, traits::trait_tag | traits::trait_single, {}},
    {OnDelete, traits::trait_single, {}},
    {OnDeleteTarget, traits::trait_single, {}},
};

// The table of builtin entities with these ids, and one more unless it is 0.
const storage::table& make_table(world_impl& owner, const id_t* shown, id_t more) {
    id_t ids[11];
    std::uint32_t count = 0;
    for (; shown && count < 8 && shown[count]; ++count) {
        ids[count] = shown[count];
    }
    ids[count++] = detail::name_pair;
    ids[count++] = Kith;  // so that queries can tell builtins from other entities
    if (more) {
        ids[count++] = more;
    }
    KITH_ASSERT(count <= std::size(ids), "a builtin entity has few ids");
    std::sort(ids, ids + count);
    return owner.data.tables.ensure(ids, count);
}

// Makes the entity a child of Kith. The link is written directly: operations need the builtins.
void place_in_kith(world_impl& owner, entity_t entity) {
    storage::store& data = owner.data;
    data.parents_store->prepare(index_of(entity), index_of(Kith), nullptr);
    data.parents_store->commit(entity, Kith);
    data.entities.at(index_of(entity)).state |= storage::record_has_parent;
    data.entities.at(index_of(Kith)).state |= storage::record_has_children;
}

// Sets the traits of builtin ids, and makes the store of parents.
void describe_builtins(world_impl& owner) {
    storage::store& data = owner.data;
    for (entity_t property = Tag; property <= Transient; ++property) {
        data.ids.ensure(property).traits = traits::trait_dont_inherit;
    }
    data.ids.ensure(Relationship).traits = traits::trait_dont_inherit;
    for (const builtin_properties& builtin : properties_of_builtins) {
        std::uint32_t traits = builtin.implied;
        for (id_t id : builtin.shown) {
            traits |= traits::trait_of(id);
        }
        storage::id_record& record = data.ids.ensure(builtin.entity);
        record.traits = traits;
        traits::describe(data, record);
    }
    for (entity_t hidden : {Kith, Module, Query, Observer, EnumType, System, Pipeline}) {
        data.ids.ensure(hidden).traits = traits::trait_dont_inherit;
    }
    data.ids.find(detail::component_type_id)->traits = traits::trait_dont_inherit;
    data.ids.find(detail::identifier_type_id)->traits = traits::trait_dont_inherit;
    storage::id_record& bases = data.ids.ensure(detail::any_base);
    bases.pinned = true;
    data.bases = &bases;
    storage::id_record& parents = data.ids.ensure(make_pair(ChildOf, Wildcard));
    data.link_ids.reserve_extra(data.mem, 1, purpose::sparse);
    void* block = data.mem.allocate(sizeof(storage::link_store), purpose::sparse);
    storage::attach_links(data, parents, *::new (block) storage::link_store(data.mem, true));
}

// Makes the builtin entities. The order matters: types, traits, tables, rows.
void make_builtins(world_impl& owner) {
    storage::store& data = owner.data;
    data.tables.ensure(nullptr, 0);  // limbo
    data.tables.ensure(nullptr, 0);  // root
    data.entities.make_alive(detail::component_type_id);
    data.entities.make_alive(detail::identifier_type_id);
    for (std::uint32_t index = first_builtin; index < detail::named_builtin_end; ++index) {
        data.entities.make_alive(index);
    }
    attach_builtin_type(owner, detail::component_type_id);
    attach_builtin_type(owner, detail::identifier_type_id);
    describe_builtins(owner);

    constexpr id_t inherits_not[] = {DontInherit, 0};
    constexpr id_t module[] = {Module, 0};
    const storage::table& scope_table = make_table(owner, module, 0);
    const storage::table& plain_table = make_table(owner, nullptr, 0);
    const storage::table& type_table = make_table(owner, inherits_not, detail::component_type_id);
    data.tables.reserve_rows(plain_table, detail::named_builtin_end - first_builtin);
    for (std::uint32_t index = first_builtin; index < detail::named_builtin_end; ++index) {
        const storage::table* table = index == Kith ? &scope_table : &plain_table;
        for (const builtin_properties& builtin : properties_of_builtins) {
            if (builtin.entity == index && builtin.shown[0]) {
                table = &make_table(owner, builtin.shown, 0);
            }
        }
        place_builtin(owner, index, ids::builtin_names[index - first_builtin], *table);
        if (index != Kith) {
            place_in_kith(owner, index);
        }
    }
    place_builtin_type(owner, detail::component_type_id, "Component", type_table);
    place_builtin_type(owner, detail::identifier_type_id, "Identifier", type_table);
    place_in_kith(owner, detail::component_type_id);
    place_in_kith(owner, detail::identifier_type_id);
}

// The first inconsistency between names of entities and the index, for world::check(). O(entities).
const char* find_name_fault(const world_impl& owner) {
    const char* fault = nullptr;
    owner.data.entities.each([&](entity_t entity) {
        const names::name_node* name = names::find_name(owner.data, entity, Name);
        if (!name) {
            return;
        }
        if (name->entity != entity || name->parent != index_of(parent_of(owner, entity)) ||
            owner.names.find(name->parent, name->view()) != name) {
            fault = "a name is not indexed under its entity's parent";
        }
    });
    return fault;
}

}  // namespace

world_impl::world_impl(const world_memory* memory)
    : world_parts(memory),
      mutate::stage(world_parts::data, event_registry, world_parts::names, world_callbacks,
                    change_consequences) {
    data.ids.set_describe(describe_record, &data);
    data.mem.use_reserve_while(mode, detail::mode_deferred);
    make_builtins(*this);
    data.tables.set_listener(&listens_to_tables, this);
    data.tables.set_activity_listener(&listens_to_activity);
    link = make_link();
    link->world = this;
}

detail::weak_world* make_link() {
    auto* link = new detail::weak_world;
    link->owners.store(1);
    link->world = nullptr;
    return link;
}

void world_impl::end_queries() noexcept {
    for (queries::compiled_query* listed = listed_queries; listed; listed = listed->next) {
        listed->prepared.drop_cache();
        listed->matches = nullptr;
        listed->match_count = 0;
        listed->listed = detail::listing::none;
        listed->groups = nullptr;
    }
    data.tables.set_activity_listener(nullptr);
    data.tables.set_listener(nullptr, nullptr);
    if (link) {
        link->world = nullptr;
        queries::release_link(link);
    }
}

void world_impl::end_groups() noexcept {
    for (queries::compiled_query* listed = listed_queries; listed; listed = listed->next) {
        if (listed->order) {
            listed->order->groups.end(this);
        }
    }
}

world_impl::~world_impl() {
    if (detail::world_extension* known = extension) {
        known->stop();
    }
    stages.reset();
    // The world is deferred from here on: callbacks cannot change it any more.
    mutate::begin_defer(*this);
    monitors.stop_all();
    end_groups();
    if (!is_spent) {
        mutate::end_all_entities(*this);
    }
    delete extension.exchange(nullptr);
    observers.clear();
    mutate::end_post_iteration(*this);
    mutate::drop_commands(*this, queue.commands);
    mutate::drop_commands(*this, queue.suspended_commands);
    data.destroy_values();
    end_queries();
    for (enum_entry& entry : enums) {
        data.mem.release(entry.constants, entry.count * sizeof(entity_t), purpose::index);
    }
    enums.release(data.mem, purpose::index);
    bulk_entities.release(data.mem, purpose::entities);
    contexts.program.release();
    contexts.binding.release();
}

}  // namespace kith::api

namespace kith::detail {

using api::impl_of;
using api::world_impl;

namespace {

// Gives back the block of a world that was destroyed, or whose constructor threw.
void end_block(const world_memory* source, world_impl* block) noexcept {
    if (source) {
        source->deallocate(source->context, block, sizeof(world_impl), alignof(world_impl));
    } else {
        api::retire_world_block(block, block);
    }
}

}  // namespace

world_t* create_world(const world_memory* memory) {
    void* block = memory
                      ? memory->allocate(memory->context, sizeof(world_impl), alignof(world_impl))
                      : api::take_world_block(sizeof(world_impl), alignof(world_impl));
    if (!block) {
        base::raise_out_of_memory();
    }
    base::scope_exit release([&] { end_block(memory, static_cast<world_impl*>(block)); });
    world_t* created = ::new (block) world_impl(memory);
    release.release();
    return created;
}

namespace {

// True while a frame runs code of the program, deferred or not.
bool runs_frame(const world_impl& owner) noexcept {
    const world_extension* known = owner.extension;
    return known && known->is_running();
}

}  // namespace

void destroy_world(world_t* world) noexcept {
    if (home_of(world) != world) {
        api::end_async_stage(world);
        return;
    }
    world_impl& owner = impl_of(world);
    if (runs_frame(owner)) {
        base::warn(base::text{} << "a world ends inside of its own frame: its systems still run");
        std::terminate();
    }
    const bool is_given = owner.data.mem.is_given();
    const world_memory source = owner.data.mem.upstream();
    owner.~world_impl();
    end_block(is_given ? &source : nullptr, &owner);
}

// -- the extension of a world

namespace {

// The world behind a handle, for threads other than that of the world: nothing is read that frames
// change. Throws for handles without a world.
world_impl& home_impl(const world_t* world) {
    if (world->store == &empty_store) {
        mutate::raise_no_world();
    }
    return static_cast<world_impl&>(*static_cast<const mutate::stage*>(world)->home);
}

}  // namespace

world_extension* find_extension(const world_t* world) {
    return home_impl(world).extension;
}

world_extension* set_extension(world_t* world, world_extension* added) {
    world_extension* known = nullptr;
    if (home_impl(world).extension.compare_exchange_strong(known, added)) {
        return added;
    }
    delete added;
    return known;
}

world_t* home_of(world_t* world) noexcept {
    return is_world(world) ? static_cast<mutate::stage*>(world)->home : world;
}

// -- deferring

bool is_deferred(const world_t* world) noexcept {
    return is_world(world) && (mutate::stage_of(world).mode & mode_deferred) != 0;
}

bool defer_begin(world_t* world) {
    mutate::stage& owner = mutate::stage_of(world);
    mutate::begin_defer(owner);
    return owner.queue.depth == 1;
}

bool defer_end(world_t* world) {
    mutate::stage& owner = mutate::stage_of(world);
    if (owner.queue.depth == (mutate::is_recorded(owner) ? 1u : 0u)) {
        base::raise(errc::invalid_operation, "defer_end without defer_begin");
    }
    return mutate::end_defer(owner);
}

void defer_abandon(world_t* world) noexcept {
    mutate::abandon_defer(mutate::stage_of(world));
}

// The queue is put aside, and operations are immediate until defer_resume().
void defer_suspend(world_t* world) {
    mutate::stage& owner = mutate::stage_of(world);
    mutate::check_not_recording(owner, "defer_suspend");
    if (owner.queue.depth == 0) {
        base::raise(errc::invalid_operation, "defer_suspend while the world is not deferred");
    }
    if (owner.queue.suspended_depth != 0) {
        base::raise(errc::invalid_operation, "defer_suspend while deferring is suspended already");
    }
    if (owner.queue.no_suspend) {
        base::raise(errc::invalid_operation,
                    "defer_suspend in a system; make the system immediate()");
    }
    owner.queue.suspended_depth = std::exchange(owner.queue.depth, 0);
    owner.queue.suspended_flush = std::exchange(owner.queue.flushing, false);
    owner.queue.commands.swap(owner.queue.suspended_commands);
    mutate::update_mode(owner);
}

void defer_resume(world_t* world) {
    mutate::stage& owner = mutate::stage_of(world);
    if (owner.queue.suspended_depth == 0) {
        base::raise(errc::invalid_operation, "defer_resume without defer_suspend");
    }
    if (owner.queue.depth != 0) {
        base::raise(errc::invalid_operation,
                    "defer_resume inside of a deferred part of the suspended one");
    }
    owner.queue.depth = std::exchange(owner.queue.suspended_depth, 0);
    owner.queue.flushing = std::exchange(owner.queue.suspended_flush, false);
    owner.queue.commands.swap(owner.queue.suspended_commands);
    owner.queue.commands.require_sequential();
    mutate::update_mode(owner);
}

namespace {

// True if a caller of the program's code continues to use the world afterwards.
bool is_in_use(const mutate::stage& owner) noexcept {
    return owner.queue.depth != 0 || owner.queue.suspended_depth != 0 || owner.queue.flushing ||
           !owner.creation.with.empty() || owner.creation.open_scopes != 0 ||
           mutate::is_iterated(owner);
}

}  // namespace

void check_idle(const world_t* world, const char* call) {
    if (is_in_use(mutate::stage_of(world)) || runs_frame(impl_of(world))) {
        base::raise(errc::invalid_operation,
                    base::text{} << call
                                 << " of a world inside of a callback, of an iteration, of a scope "
                                    "or of a deferred part of it; do it when that is over");
    }
}

// The new world is created first: if that fails, the old one stays.
world_t* reset_world(world_t* world) {
    check_idle(world, "reset");
    const world_memory memory = impl_of(world).data.mem.upstream();
    world_t* fresh = create_world(&memory);
    destroy_world(world);
    return fresh;
}

}  // namespace kith::detail

namespace kith {

using api::impl_of;
using containers::purpose;

void world::reset() {
    if (!owned_) {
        base::raise(errc::invalid_operation, "reset of a world that this object does not own");
    }
    world_ = detail::reset_world(world_);
}

void world::set_ctx(void* context, ctx_free_t free_context) const {
    impl_of(world_).contexts.program.set(context, free_context);
}
void* world::get_ctx() const {
    return impl_of(world_).contexts.program.context;
}
void world::set_binding_ctx(void* context, ctx_free_t free_context) const {
    impl_of(world_).contexts.binding.set(context, free_context);
}
void* world::get_binding_ctx() const {
    return impl_of(world_).contexts.binding.context;
}

// While the world is deferred, shrinking is queued.
void world::shrink() const {
    mutate::stage& owner = mutate::stage_of(world_);
    if (owner.queue.suspended_depth != 0) {
        // The operation or the deferred part around this one needs the tables as they are.
        owner.queue.commands.swap(owner.queue.suspended_commands);
        mutate::defer_world(owner, mutate::command_kind::shrink, 0);
        owner.queue.commands.swap(owner.queue.suspended_commands);
    } else if (owner.queue.depth != 0) {
        mutate::defer_world(owner, mutate::command_kind::shrink, 0);
    } else {
        mutate::shrink(owner);
    }
}

void world::check() const {
    const api::world_impl& owner = impl_of(world_);
    const char* fault = storage::check_invariants(owner.data);
    if (!fault && owner.queue.commands.empty() && owner.queue.suspended_commands.empty() &&
        owner.after_iteration.commands.empty()) {
        fault = api::find_name_fault(owner);
    }
    if (fault) {
        base::raise(errc::invalid_operation,
                    base::text{} << "the world is inconsistent: " << fault);
    }
}

world_stats world::stats() const {
    const storage::store& data = impl_of(world_).data;
    world_stats stats{};
    stats.entities = data.entities.count();
    for (std::uint32_t number = storage::root_table; number < data.tables.number_limit();
         ++number) {
        if (data.tables.find_number(number)) {
            ++stats.tables;
            stats.empty_tables += data.tables.rows(number).count == 0;
        }
    }
    stats.ids = data.ids.count();
    stats.bytes_entities = data.mem.bytes(purpose::entities);
    stats.bytes_tables = data.mem.bytes(purpose::tables);
    stats.bytes_rows = data.mem.bytes(purpose::rows);
    stats.bytes_index = data.mem.bytes(purpose::index);
    stats.bytes_sparse = data.mem.bytes(purpose::sparse);
    stats.bytes_names = data.mem.bytes(purpose::names);
    stats.bytes_commands = data.mem.bytes(purpose::commands);
    stats.bytes_total = data.mem.bytes_total();
    return stats;
}

}  // namespace kith
