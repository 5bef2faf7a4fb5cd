// Implements emit.hpp.
#include "mutate/ops/emit.hpp"

#include "base/scope_exit.hpp"
#include "mutate/apply/rows.hpp"
#include "mutate/context/command.hpp"
#include "mutate/context/stage.hpp"
#include "mutate/queue/record.hpp"
#include "storage/graph.hpp"
#include "traits/inherit.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace kith::mutate {

using containers::purpose;

namespace {

// True for events that kith itself dispatches.
bool is_builtin_event(entity_t event) noexcept {
    return event == OnDelete || event == OnDeleteTarget ||
           (event >= OnAdd && event <= OnTableDelete);
}

// True for (E, *) of an enum, which stands for the constant that each entity has.
bool is_any_constant(const storage::store& data, id_t id) noexcept {
    return is_pair(id) && is_wildcard_element(pair_second(id)) &&
           !is_wildcard_element(pair_first(id)) && data.entities.alive_at(pair_first(id)) &&
           traits::is_enum_pair(traits::describe_id(data, id));
}

// The id that an event about `id` is about for this entity: for an enum, the pair with the constant
// of the entity, own or inherited, or the enum itself if it has none.
id_t find_id(const storage::store& data, entity_t entity, id_t id) {
    if (!is_any_constant(data, id) || entity == 0) {
        return id;
    }
    const std::uint32_t type = pair_first(id);
    auto constant_of = [&](entity_t holder) -> id_t {
        const storage::own_targets own(data, *data.entities.find(holder), holder, type);
        return own.count() ? make_pair(type, own.at(0)) : 0;
    };
    id_t constant = constant_of(entity);
    traits::base_walk bases(data, data.tables.at(data.entities.find(entity)->table));
    for (entity_t base = constant ? 0 : bases.next(); base != 0 && !constant; base = bases.next()) {
        constant = constant_of(base);
    }
    return constant ? constant : data.entities.alive_at(type);
}

// Throws if the event, its ids, its entity or its rows do not exist.
void check_emission(const stage& world, const detail::emission& event) {
    get_record(world, event.event);
    if (is_builtin_event(event.event)) {
        raise_id(world, errc::invalid_operation, event.event,
                 "is notified by kith itself; emit an event of your own, or call modified()");
    }
    for (std::uint32_t i = 0; i < event.id_count; ++i) {
        const id_t id = event.ids[i];
        if (is_any_constant(world.data, id)) {
            continue;
        }
        const bool alive = is_pair(id) ? world.data.entities.alive_at(pair_first(id)) &&
                                             world.data.entities.alive_at(pair_second(id))
                                       : world.data.entities.find(id) != nullptr;
        if (is_wildcard(id) || !alive) {
            raise_id(world, errc::invalid_id, id,
                     is_wildcard(id) ? "is a wildcard: an event is about ids"
                                     : "is not alive: no event can be about it");
        }
    }
    if (event.entity != 0) {
        get_record(world, event.entity);
        return;
    }
    if (!event.for_rows) {
        if (event.id_count != 0) {
            raise_id(world, errc::invalid_operation, event.event,
                     "was emitted about ids of no entity: say entity() or table()");
        }
        return;
    }
    // The pointer of the table is compared before it is followed, because the table may be gone.
    const detail::store_head& head = world.data;
    const detail::table_shape* const* shapes = head.shapes;
    const detail::table_shape* const* end = shapes + world.data.tables.number_limit();
    if (!event.table || std::find(shapes, end, event.table) == end) {
        raise_id(world, errc::invalid_operation, event.event,
                 "was emitted for a table that is not there");
    }
    const std::int64_t rows = world.data.tables.rows(event.table->number).count;
    if (event.offset < 0 || event.count < 0 || std::int64_t{event.offset} + event.count > rows) {
        raise_id(world, errc::invalid_operation, event.event,
                 "was emitted for rows that the table does not have");
    }
}

// Calls visit(entity) for each row that the event is for, or visit(0) if it is for no entity.
template <class Visit>
void each_row(const storage::store& data, const detail::emission& event, Visit&& visit) {
    if (event.entity != 0 || !event.for_rows) {
        visit(event.entity);
        return;
    }
    const auto& type = static_cast<const storage::table&>(*event.table);
    const std::uint32_t number = type.number;
    const auto first = static_cast<std::uint32_t>(event.offset);
    const std::uint32_t end = event.count != 0 ? first + static_cast<std::uint32_t>(event.count)
                                               : data.tables.rows(number).count;
    for (std::uint32_t row = first; row < end && row < data.tables.rows(number).count; ++row) {
        visit(storage::entities_of(type, data.tables.rows(number))[row]);
    }
}

// Dispatches the event for one entity and each of its ids, as a step of its own.
void notify_entity(stage& world, const detail::emission& event, entity_t entity) {
    events::event_data data{&world, event.event, 0, entity, nullptr, 0, 0, event.payload};
    if (event.id_count != 0) {
        data.id = find_id(world.data, entity, event.ids[0]);
    }
    if (const storage::entity_record* record = world.data.entities.find(entity)) {
        note_value_written(world.data, *record, 0);  // listeners may write values of the entity
    }
    const inner_step step(world);
    world.operation.begin_step();
    // Listeners of the entity receive the event once, not once for each id.
    world.events.dispatch_emitted(data);
    for (std::uint32_t i = 1; i < event.id_count; ++i) {
        data.id = find_id(world.data, entity, event.ids[i]);
        world.events.dispatch(data);
    }
}

// Dispatches an event while commands of the world are recorded. Changes that listeners make are
// recorded as well.
void emit_at_home(stage& world, const detail::emission& event) {
    check_emission(world, event);
    each_row(world.data, event, [&](entity_t entity) { notify_entity(world, event, entity); });
}

}  // namespace

void emit(stage& world, const detail::emission& event) {
    if (is_recorded(world)) [[unlikely]] {
        if (recorder_of(world).use != recorder_use::first) {
            raise_id(world, errc::invalid_operation, event.event,
                     "cannot be emitted in a parallel or split part, or in a stage: observers run "
                     "at merges only; use enqueue()");
        }
        emit_at_home(*world.home, event);
        return;
    }
    check_emission(world, event);
    callback_scope code(world);
    each_row(world.data, event, [&](entity_t entity) { notify_entity(world, event, entity); });
    code.finish();
}

queued_emission::queued_emission(containers::memory& mem, const storage::store& data,
                                 const detail::emission& event)
    : mem_(mem), event_(event) {
    base::scope_exit undo([&] { release_lists(); });
    take_lists(data, event);
    take_payload(event);
    undo.release();
}

// Copies the ids and lists the entities of the rows.
void queued_emission::take_lists(const storage::store& data, const detail::emission& event) {
    ids_.reserve_extra(mem_, event.id_count, purpose::commands);
    for (std::uint32_t i = 0; i < event.id_count; ++i) {
        ids_.push_reserved(event.ids[i]);
    }
    each_row(data, event,
             [&](entity_t entity) { entities_.push(mem_, entity, purpose::commands); });
}

void queued_emission::release_lists() noexcept {
    ids_.release(mem_, purpose::commands);
    entities_.release(mem_, purpose::commands);
}

// Takes over the payload, if its type is known; a pointer of an unknown type stays that of the
// program.
void queued_emission::take_payload(const detail::emission& event) {
    const type_info* type = event.payload.type ? detail::find_type(event.payload.type) : nullptr;
    if (!event.payload.value || !type || type->size == 0) {
        // An empty payload, or a pointer that the program owns.
        event_.payload = event.payload;
        return;
    }
    const std::size_t alignment = type->alignment > 16 ? type->alignment : 16;
    void* place = mem_.allocate(type->size, purpose::commands, alignment);
    base::scope_exit undo([&] { mem_.release(place, type->size, purpose::commands, alignment); });
    if (event.may_move || !type->can_copy()) {
        type->move_construct(place, event.payload.value, *type);
    } else {
        types::copy_values(*type, place, event.payload.value, 1);
    }
    undo.release();
    event_.payload = {place, event.payload.type};
    payload_type_ = type;
}

queued_emission::queued_emission(queued_emission&& other) noexcept
    : mem_(other.mem_),
      event_(other.event_),
      ids_(std::exchange(other.ids_, {})),
      entities_(std::exchange(other.entities_, {})),
      payload_type_(std::exchange(other.payload_type_, nullptr)) {}

queued_emission::~queued_emission() {
    if (payload_type_) {
        types::destroy_values(*payload_type_, event_.payload.value, 1);
        const std::size_t alignment = payload_type_->alignment > 16 ? payload_type_->alignment : 16;
        mem_.release(event_.payload.value, payload_type_->size, purpose::commands, alignment);
    }
    release_lists();
}

void queued_emission::run(stage& world) const {
    // The event and its entities may have been deleted since the emission was queued.
    if (!world.data.entities.find(event_.event)) {
        return;
    }
    detail::emission event = event_;
    event.ids = ids_.data();
    callback_scope code(world);
    for (entity_t entity : entities_) {
        if (entity == 0 || world.data.entities.find(entity)) {
            notify_entity(world, event, entity);
        }
    }
    code.finish();
}

namespace {

// Records an emission, which gets a segment of its own when it is linked.
void record_emission(recorder& used, const detail::emission& event, const type_info& info) {
    record_locked(used, [&] {
        if (used.use != recorder_use::async) {
            check_emission(used, event);
        }
        command* made = used.make(command_kind::emit, 0, 0, &info);
        ::new (made->value()) queued_emission(used.own, used.data, event);
        used.append(made);
    });
}

}  // namespace

void defer_emission(stage& world, const detail::emission& event) {
    static constexpr type_info info = detail::make_type_info<queued_emission>();
    if (is_recorded(world)) [[unlikely]] {
        record_emission(recorder_of(world), event, info);
        return;
    }
    check_emission(world, event);
    // An emission gets a segment of its own, so that no command of another segment overtakes it.
    world.queue.commands.start_segment();
    command* queued = world.queue.commands.prepare(world.data.mem, command_kind::emit, 0, 0, &info);
    ::new (queued->value()) queued_emission(world.data.mem, world.data, event);
    world.queue.commands.commit(queued);
    world.queue.commands.start_segment();
}

}  // namespace kith::mutate
