#include "observe/observer.hpp"

#include "base/hash.hpp"
#include "events/calls.hpp"
#include "query/cursor.hpp"
#include "query/exec/machine.hpp"
#include "query/plan/graph_plan.hpp"
#include "storage/graph.hpp"
#include "traits/inherit.hpp"

#include <algorithm>
#include <utility>

namespace kith::observe {

using containers::purpose;
using events::occurrence;
using queries::compiled_query;
using queries::source_kind;
using queries::term;
using storage::entity_record;
using storage::table;

namespace {

const compiled_query& compiled(const detail::query_head* head) noexcept {
    return static_cast<const compiled_query&>(*head);
}

// What kith tells of by itself; else a program does.
bool is_change(entity_t event) noexcept {
    return event == OnAdd || event == OnRemove || event == OnSet || event == UnSet ||
           event == OnDelete || event == OnDeleteTarget;
}

// A result by what it is about: the first row, what was matched, variables.
std::uint64_t hash_of(const detail::result& found, std::uint32_t variable_count) noexcept {
    std::uint64_t hash = found.count;
    hash = base::combine(hash, found.count ? found.entities[0] : 0);
    for (std::uint32_t i = 0; i < found.field_count; ++i) {
        hash = base::combine(hash, found.fields[i].id);
    }
    for (std::uint32_t i = 1; found.variables && i < variable_count; ++i) {
        hash = base::combine(hash, found.variables[i]);
    }
    return base::mix(hash);
}

trigger& trigger_of(events::listener& me) noexcept {
    return static_cast<trigger&>(me);
}

}  // namespace

// While a callback runs, its observer stays.
class observer::running {
public:
    explicit running(observer& one) noexcept : one_(one) { ++one_.running_; }
    ~running() {
        if (--one_.running_ == 0 && one_.ended_) [[unlikely]] {
            one_.end();
        }
    }
    running(const running&) = delete;
    running& operator=(const running&) = delete;

private:
    observer& one_;
};

observer::observer(mutate::stage& owner, entity_t entity, detail::query_head* query,
                   const detail::observer_action& action, const observer_setup& setup)
    : events::ended{[](events::ended& me) noexcept {
          auto& one = static_cast<observer&>(me);
          containers::memory& mem = one.data_.mem;
          one.~observer();
          mem.release(&one, sizeof(observer), purpose::index);
      }},
      owner_(owner),
      data_(owner.data),
      entity_(entity),
      query_(query),
      action_(action),
      context_(setup.context),
      deaths_(owner.data.deaths),
      entity_wise_(setup.entity_wise) {
    if (query_) {
        hidden_ = queries::hidden_flags(model());
        field_flags_ = detail::field_set;
        if (queries::is_readonly(*model().begin(), true)) {
            field_flags_ |= detail::field_readonly;
        }
    }
}

observer::~observer() {
    stop();
    triggers_.release(data_.mem, purpose::index);
    told_.hashes.release(data_.mem, purpose::index);
    told_.index.release(data_.mem, purpose::index);
    awaited_.release(data_.mem, purpose::index);
    detail::release_query(query_);
    if (action_.free_function) {
        action_.free_function(action_.function);
    }
}

void observer::set_enabled(bool enabled) noexcept {
    enabled_ = enabled;
    refresh_calls();
}

// Which triggers may call the callback without asking. As hear_plain().
void observer::refresh_calls() noexcept {
    std::uint32_t unless = hidden_ | detail::shape_has_base | events::row_entangled;
    if (action_.wants_value) {
        unless |= events::row_without_value;
    }
    for (trigger& one : triggers_) {
        const bool at_once = enabled_ && !ended_ && one.hear == hear_plain && action_.call_row;
        one.at_once = at_once
                          ? events::row_call{action_.call_row, action_.function, unless, deaths_}
                          : events::row_call{};
    }
}

void observer::start() {
    started_ = true;
    refresh_calls();
    for (trigger& one : triggers_) {
        if (one.waits == waits_for::nothing) {
            owner_.events.add(one, one.heard, one.pattern);
        }
    }
    add_waiting(waits_for::pairs, [&](const trigger& one) {
        return !storage::each_pair(data_, term_of(one).trav,
                                   [](entity_t, std::uint32_t) { return false; });
    });
}

// What the picked ones waited for has come.
template <class Picks>
void observer::add_waiting(waits_for awaited, Picks&& picks) {
    for (trigger& one : triggers_) {
        if (one.waits == awaited && picks(one)) {
            owner_.events.add(one, one.heard, one.pattern);
            one.waits = waits_for::nothing;
        }
    }
}

void observer::stop() noexcept {
    // Also after a start that failed on its way: what was not added is not found.
    for (trigger& one : triggers_) {
        if (started_ && one.waits == waits_for::nothing) {
            owner_.events.remove(one, one.heard, one.pattern);
        }
    }
    started_ = false;
    if (monitor_) {
        monitor_list::release(*std::exchange(monitor_, nullptr));
    }
}

void observer::watch(monitor_list& monitors, bool existing) {
    const std::uint32_t events =
        detail::monitor_enter | detail::monitor_leave | (existing ? detail::monitor_existing : 0u);
    monitor_ =
        &monitors.add(query_, events, {hear_monitor, this, [](void*) noexcept {}}, entity_wise_);
}

void observer::hear_monitor(void* me, const detail::observed& what) {
    observer& one = *static_cast<observer*>(me);
    if (one.enabled_ && !one.ended_) {
        running guard(one);
        if (events::trace* last = one.owner_.events.tracing) [[unlikely]] {
            // The monitor has noted the call, and does not know by whom it is held.
            last->calls[(last->count - 1) % last->most].listener = one.entity_;
        }
        detail::event_info event = *what.event;
        event.context = one.context_;
        one.action_.call(one.action_.function, {what.world, what.query, what.found, &event});
    }
}

void observer::end() noexcept {
    stop();
    ended_ = true;
    refresh_calls();
    if (running_ == 0) {
        owner_.events.release(*this);
    }
}

const queries::query_model& observer::model() const noexcept {
    return compiled(query_).model;
}

// What is gone for good may have left its index to another entity.
bool observer::is_alive() noexcept {
    deaths_ = data_.deaths;
    refresh_calls();
    if (!query_) {
        return true;
    }
    for (const term& one : model()) {
        for (entity_t element : {one.first, one.second}) {
            if (one.oper == And && element != 0 && !data_.entities.find(element)) {
                stop();
                set_enabled(false);
                return false;
            }
        }
    }
    return true;
}

// The callback gets the entity's own value.
inline void observer::call_row(const trigger& by, const occurrence& what,
                               const entity_record& record) {
    const detail::field_data field{
        static_cast<std::byte*>(what.value), nullptr, what.id, 0, what.value_size, field_flags_};
    detail::result found{};
    found.entities = &what.entity;
    found.count = 1;
    found.table = record.table;
    found.first_row = record.row;
    found.fields = &field;
    found.field_count = query_ ? 1 : 0;
    call(by, what, what.id, found);
}

void observer::hear_plain(events::listener& me, const occurrence& what) {
    trigger& by = trigger_of(me);
    observer& one = *by.owner;
    if (!one.is_awake()) {
        return;
    }
    running guard(one);
    const entity_record& record = one.data_.entities.at(index_of(what.entity));
    if (!one.data_.toggled_ids.empty()) [[unlikely]] {
        one.run_term(by, what);
        return;
    }
    const table& type = one.data_.tables.at(record.table);
    const mutate::change_side* side = one.owner_.other_side;
    const std::uint32_t flags = type.flags | (side && side->type ? side->type->flags : 0);
    if (flags & detail::shape_has_base || record.state & storage::record_referred) [[unlikely]] {
        sight other(one.owner_, what);
        if (!(type.flags & one.hidden_) && one.is_news(by, other, what.entity, what.id)) {
            one.call_row(by, what, record);
        }
        one.run_reached(by, what, other);
        return;
    }
    if (!(type.flags & one.hidden_)) [[likely]] {
        const detail::observer_action& action = one.action_;
        if (action.call_row && (what.value || !action.wants_value)) [[likely]] {
            action.call_row(action.function, what.world, what.entity, what.value);
        } else {
            one.call_row(by, what, record);
        }
    }
}

void observer::hear_anything(events::listener& me, const occurrence& what) {
    trigger& by = trigger_of(me);
    observer& one = *by.owner;
    if (one.is_awake()) {
        running guard(one);
        one.call_row(by, what, one.data_.entities.at(index_of(what.entity)));
    }
}

void observer::hear_term(events::listener& me, const occurrence& what) {
    trigger& by = trigger_of(me);
    observer& one = *by.owner;
    if (one.is_awake()) {
        running guard(one);
        one.run_term(by, what);
    }
}

// Something is derived from an element of a term, for the first time.
void observer::hear_first_derived(events::listener& me, const occurrence&) {
    const trigger& by = trigger_of(me);
    by.owner->add_waiting(waits_for::derived,
                          [&](const trigger& one) { return one.term == by.term; });
}

// Of ids that count anyway, another trigger hears.
void observer::hear_derived(events::listener& me, const occurrence& what) {
    const trigger& by = trigger_of(me);
    const auto& all = by.owner->triggers_;
    const bool heard = std::any_of(all.begin(), all.end(), [&](const trigger& one) {
        return one.hear != hear_derived && one.event == by.event && one.heard == by.heard &&
               one.term == by.term && matches_id(one.pattern, what.id);
    });
    if (!heard) {
        hear_term(me, what);
    }
}

// Calls the callback for the results of the query that are wanted.
template <class Wanted>
void observer::run(const trigger& by, const occurrence& what, detail::run_options options,
                   Wanted&& wanted) {
    options.entity_wise = entity_wise_;
    const compiled_query& query = compiled(query_);
    queries::ensure_fresh(query, data_);
    queries::cursor results(query, what.world, options);
    for (detail::result found; !ended_ && results.next(found);) {
        const id_t id = wanted(found);
        if (id != 0 && is_told_once(by, found)) {
            call(by, what, id, found);
        }
    }
}

// The same for those that are picked, from the one at `first` on; neighbours in a table are asked
// for together.
template <class Picks, class Wanted>
void observer::run_entities(const trigger& by, const occurrence& what, const reach& entities,
                            std::uint32_t first, Picks&& picks, Wanted&& wanted) {
    for (std::uint32_t at = first; at < entities.size();) {
        const entity_record& begin = data_.entities.at(index_of(entities[at]));
        if (!picks(entities[at++])) {
            continue;
        }
        detail::run_options options;
        options.given = true;
        options.table = begin.table;
        options.first_row = begin.row;
        options.row_count = 1;
        for (; at < entities.size(); ++at, ++options.row_count) {
            const entity_record& beside = data_.entities.at(index_of(entities[at]));
            if (beside.table != begin.table || beside.row != begin.row + options.row_count ||
                !picks(entities[at])) {
                break;
            }
        }
        if (options.table != storage::limbo_table) {
            run(by, what, options, wanted);
        }
    }
}

// -- what is seen

static std::uint64_t hash_of_copy(const trigger& by, entity_t subject, id_t id) noexcept {
    return base::mix(base::combine(base::combine(by.term, subject), id));
}

void observer::await_copy(const trigger& by, entity_t subject, id_t id) {
    awaited_.push(data_.mem, hash_of_copy(by, subject, id), purpose::index);
}

bool observer::takes_awaited(const trigger& by, entity_t subject, id_t id) noexcept {
    const std::uint64_t hash = hash_of_copy(by, subject, id);
    for (std::uint32_t i = 0; i < awaited_.size(); ++i) {
        if (awaited_[i] == hash) {
            awaited_.swap_remove(i);
            return true;
        }
    }
    return false;
}

// False if the subject sees the id on both sides of what happened: it neither comes nor goes.
bool observer::is_news(const trigger& by, sight& other, entity_t subject, id_t id) {
    const term& one = term_of(by);
    const bool comes = by.event == OnAdd;
    if ((!comes && by.event != OnRemove && by.event != UnSet) || !one.follows() ||
        one.oper == Not || one.in_chain || one.flags & TraverseAll) {
        return true;
    }
    return (comes && !awaited_.empty() && takes_awaited(by, subject, id)) ||
           other.find_owner(subject, one, id) == 0;
}

template <class Wanted>
void observer::run_row(const trigger& by, const occurrence& what, entity_t entity,
                       Wanted&& wanted) {
    const entity_record& record = data_.entities.at(index_of(entity));
    if (record.table != storage::limbo_table) {
        detail::run_options options;
        options.given = true;
        options.table = record.table;
        options.first_row = record.row;
        options.row_count = 1;
        run(by, what, options, wanted);
    }
}

void observer::run_term(const trigger& by, const occurrence& what) {
    const term& one = term_of(by);
    sight other(owner_, what);
    auto wanted = [&](const detail::result& found) {
        return concerns(by, what, found) ? what.id : id_t{0};
    };
    const entity_record& record = data_.entities.at(index_of(what.entity));
    switch (one.from) {
        case source_kind::fixed:
            if ((one.source == what.entity || record.state & storage::record_referred) &&
                is_news(by, other, one.source, what.id)) {
                run(by, what, {}, wanted);
            }
            break;
        case source_kind::variable:
            run_variable(by, what, other);
            break;
        default:
            if (is_news(by, other, what.entity, what.id)) {
                run_row(by, what, what.entity, wanted);
            }
            run_reached(by, what, other);
            break;
    }
}

void observer::run_variable(const trigger& by, const occurrence& what, sight& other) {
    const term& one = term_of(by);
    reach entities(data_);
    if (one.follows()) {
        entities.collect(
            what.entity, one.trav,
            one.flags & Down ? reach::direction::to_targets : reach::direction::to_sources);
    } else {
        entities.add(what.entity);
    }
    entity_t values[queries::max_variables] = {};
    for (entity_t value : entities) {
        if (!is_news(by, other, value, what.id)) {
            continue;
        }
        values[one.source_variable] = value;
        detail::run_options options;
        options.variables = values;
        options.variable_set = std::uint64_t{1} << one.source_variable;
        run(by, what, options, [&](const detail::result& found) {
            return concerns(by, what, found) ? what.id : id_t{0};
        });
    }
}

// Those that see what the entity has.
void observer::run_reached(const trigger& by, const occurrence& what, sight& other) {
    const term& one = term_of(by);
    const entity_record& record = data_.entities.at(index_of(what.entity));
    const bool down = one.flags & Down;
    if (!one.follows() || one.oper == Not ||
        (!down && !(record.state & storage::record_referred))) {
        return;
    }
    reach entities(data_);
    entities.collect(what.entity, one.trav,
                     down ? reach::direction::to_targets : reach::direction::to_sources);
    run_entities(
        by, what, entities, 1,
        [&](entity_t subject) { return is_news(by, other, subject, what.id); },
        [&](const detail::result& found) { return concerns(by, what, found) ? what.id : id_t{0}; });
}

// An id is gone, or has come, that hides others: those who see another value by that are told.
void observer::hear_cover(events::listener& me, const occurrence& what) {
    trigger& by = trigger_of(me);
    observer& one = *by.owner;
    const entity_record& record = one.data_.entities.at(index_of(what.entity));
    const bool gone = by.heard == events::after_remove;
    const term& asked = one.term_of(by);
    const bool down = asked.flags & Down;
    if (!one.is_awake() || (!gone && !down && !(record.state & storage::record_referred))) {
        return;
    }
    running guard(one);
    sight before(one.owner_, what);
    reach entities(one.data_);
    entities.collect(what.entity, asked.trav,
                     down ? reach::direction::to_targets : reach::direction::to_sources);
    // What comes begins with the value that was seen before.
    const entity_t same = gone ? what.entity : before.find_owner(what.entity, asked, what.id);
    auto changes = [&](entity_t subject) {
        const entity_t owner = before.find_owner(subject, asked, what.id);
        return gone ? owner == same : owner != 0 && owner != same;
    };
    auto wanted = [&](const detail::result& found) {
        const detail::field_data& field = found.fields[asked.field];
        const bool other = gone ? field.source != 0 : field.source == what.entity;
        return field.value && other && field.id == what.id ? field.id : id_t{0};
    };
    if (asked.from != source_kind::fixed) {
        one.run_entities(by, what, entities, gone ? 0 : 1, changes, wanted);
    } else if (entities.has(asked.source) && changes(asked.source)) {
        one.run(by, what, {}, wanted);
    }
}

// A pair was added, is about to go, or is gone, through which a term searches.
void observer::hear_edge(events::listener& me, const occurrence& what) {
    trigger& by = trigger_of(me);
    observer& one = *by.owner;
    if (one.is_awake()) {
        running guard(one);
        one.run_edge(by, what);
    }
}

void observer::run_edge(const trigger& by, const occurrence& what) {
    const term& followed = term_of(by);
    const entity_t target = data_.entities.alive_at(pair_second(what.id));
    if (by.heard == OnAdd) {
        add_waiting(waits_for::pairs,
                    [&](const trigger& one) { return term_of(one).trav == followed.trav; });
        if (awaited_step_ != owner_.step) {
            awaited_step_ = owner_.step;
            awaited_.clear();
        }
    } else if (by.heard == OnRemove && target == owner_.leaving) {
        return;  // what is seen through it was told to go already
    }
    reach below(data_);
    below.collect(what.entity, followed.trav, reach::direction::to_sources);
    reach above(data_);
    above.collect(target, followed.trav, reach::direction::to_targets);
    const bool down = followed.flags & Down;
    const reach& seeing = down ? above : below;
    const reach& seen = down ? below : above;
    // An instance gets copies of what is marked so: it is told of those.
    auto is_copied = [&](id_t id) {
        return by.heard == OnAdd && followed.trav == IsA &&
               std::any_of(seen.begin(), seen.end(), [&](entity_t base) {
                   const table& type = data_.tables.at(data_.entities.at(index_of(base)).table);
                   return type.flags & detail::shape_has_marks &&
                          storage::find_id(type, Override | id) >= 0;
               });
    };
    sight other(owner_, what);
    // Another value is seen than on the other side, and the pair is the reason.
    auto is_new_value = [&](entity_t subject, const detail::field_data& field) {
        const bool all = followed.flags & TraverseAll;
        const entity_t before = all ? 0 : other.find_owner(subject, followed, field.id);
        return field.value && before != field.source &&
               seen.has(by.heard == OnAdd ? field.source : before);
    };
    auto wanted = [&](const detail::result& found) -> id_t {
        const detail::field_data& field = found.fields[followed.field];
        const entity_t subject =
            followed.from == source_kind::fixed ? followed.source : found.entities[0];
        if (field.source == 0 || (followed.from == source_kind::fixed && field.source == subject)) {
            return 0;
        }
        const bool counts = by.event == OnSet
                                ? is_new_value(subject, field)
                                : seen.has(field.source) && (by.event != UnSet || field.value) &&
                                      is_news(by, other, subject, field.id);
        if (counts && is_copied(field.id)) {
            if (by.event == OnAdd) {
                await_copy(by, subject, field.id);
            }
            return 0;
        }
        return counts ? field.id : 0;
    };
    if (followed.from == source_kind::fixed) {
        if (seeing.has(followed.source)) {
            run(by, what, {}, wanted);
        }
        return;
    }
    // One by one: each has its own view.
    for (entity_t subject : seeing) {
        run_row(by, what, subject, wanted);
    }
}

// True if the id may make the term hold though it is not the one that is asked for: as a part of a
// closure, or by being derived.
bool observer::counts_for(const term& one, id_t id) const {
    const queries::term_meaning meaning = queries::find_meaning(data_, one);
    auto is_kind_of = [&](std::uint32_t element, std::uint32_t asked) {
        const entity_t entity = data_.entities.alive_at(element);
        traits::base_walk bases(data_, data_.tables.at(data_.entities.at(element).table));
        for (entity_t at = entity; at != 0; at = bases.next()) {
            if (index_of(at) == asked) {
                return true;
            }
        }
        return false;
    };
    if (meaning.transitive || meaning.reflexive) {
        return true;
    }
    return is_pair(one.id) == is_pair(id) &&
           (is_pair(id) ? is_kind_of(pair_first(id), pair_first(one.id)) &&
                              is_kind_of(pair_second(id), pair_second(one.id))
                        : is_kind_of(index_of(id), index_of(one.id)));
}

// True if the result holds, or ends, because of what happened.
bool observer::concerns(const trigger& by, const occurrence& what,
                        const detail::result& found) const {
    const term& one = term_of(by);
    if (one.oper == Not || one.in_chain) {
        return true;
    }
    const detail::field_data& field = found.fields[one.field];
    const bool of_row = found.count == 1 && found.entities[0] == what.entity;
    const bool own =
        field.source == what.entity || (of_row && (field.source == 0 || !is_change(by.event)));
    return own && (field.id == what.id || one.id == what.id || one.at_most_one ||
                   one.first_by.flags != 0 || one.second_by.flags != 0 ||
                   (!is_wildcard(one.id) && counts_for(one, what.id)));
}

// False if the callback was called for the result in this step already. A value that is set is told
// of each time.
bool observer::is_told_once(const trigger& by, const detail::result& found) {
    const bool by_edge = by.hear == hear_edge && !(term_of(by).flags & TraverseAll);
    if (!by_edge && (!several_ || by.event == OnSet)) {
        return true;
    }
    if (told_.step != owner_.step) {
        told_.step = owner_.step;
        told_.hashes.clear();
        told_.index.clear();
    }
    const std::uint64_t hash =
        base::combine(hash_of(found, model().variable_count), base::mix(by.event));
    if (told_.index.find(
            hash, [&](std::uint32_t number) { return told_.hashes[number - 1] == hash; }) != 0) {
        return false;
    }
    told_.index.reserve_one(data_.mem, purpose::index);
    told_.hashes.push(data_.mem, hash, purpose::index);
    told_.index.insert_reserved(hash, told_.hashes.size());
    return true;
}

// Of a table with several ids that wake the observer, it is told once.
void observer::hear_table(events::listener& me, const occurrence& what) {
    trigger& by = trigger_of(me);
    observer& one = *by.owner;
    if (!one.is_awake()) {
        return;
    }
    running guard(one);
    const table& type = one.data_.tables.at(what.table);
    if (type.flags & one.hidden_ || !one.fits_type(by, what, type)) {
        return;
    }
    detail::result found{};
    found.table = what.table;
    containers::small_vec<detail::field_data, 16> fields(one.data_.mem, purpose::commands);
    for (std::uint32_t i = 0; i < one.model().field_count; ++i) {
        fields.push({});
    }
    for (const term& asked : one.model()) {
        fields[asked.field].id = asked.id;
    }
    fields[one.term_of(by).field].id = what.id;
    found.fields = fields.data();
    found.field_count = fields.size();
    one.call(by, what, what.id, found);
}

// The type has what the terms ask of $this's table, and the event is about the first id of it.
bool observer::fits_type(const trigger& by, const occurrence& what, const table& type) const {
    bool is_first = true;
    for (std::uint32_t i = 0; i < model().count; ++i) {
        const term& one = model().terms[i];
        if (one.from != source_kind::self || one.kind != queries::term_kind::ids ||
            one.is_from_list() || one.oper == Optional) {
            continue;
        }
        const std::int32_t at = storage::find_match(type, one.id, 0);
        if (!one.in_chain && (at >= 0) == (one.oper == Not)) {
            return false;
        }
        if (at >= 0 && one.oper != Not && is_first) {
            is_first = false;
            if (i != by.term || type.ids[at] != what.id) {
                return false;
            }
        }
    }
    return true;
}

void observer::yield_existing(entity_t event) {
    running guard(*this);
    const trigger* first = nullptr;
    for (const trigger& by : triggers_) {
        if (!first && by.event == event) {
            first = &by;
        }
    }
    if (!first) {
        return;
    }
    const occurrence what{&owner_, event, 0, 0, nullptr};
    // The callback may make another observer like this one.
    const events::registry::nesting nested(owner_.events, what, first);
    run(*first, what, {}, [&](const detail::result& found) -> id_t {
        if (event != OnSet) {
            return found.field_count ? found.fields[term_of(*first).field].id : 0;
        }
        // Only values are set.
        for (const trigger& by : triggers_) {
            const detail::field_data& field = found.fields[term_of(by).field];
            if (by.event == OnSet && field.value) {
                return field.id;
            }
        }
        return 0;
    });
}

}  // namespace kith::observe
