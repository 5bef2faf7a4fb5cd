#include "observe/monitor.hpp"

#include "query/plan/term_meaning.hpp"
#include "traits/inherit.hpp"

#include <algorithm>
#include <utility>

namespace kith::observe {

using queries::no_variable;
using queries::only;
using queries::source_kind;
using queries::term_kind;
using queries::this_variable;

namespace {

// Each id that it finds makes a result of its own, and no variable says which.
bool distinguishes(const queries::term& one) {
    if (one.kind != term_kind::ids || one.at_most_one) {
        return false;
    }
    if (!is_pair(one.id)) {
        return is_wildcard(one.id) && one.first_variable == no_variable;
    }
    return (is_wildcard_element(pair_first(one.id)) && one.first_variable == no_variable) ||
           (is_wildcard_element(pair_second(one.id)) && one.second_variable == no_variable);
}

}  // namespace

monitor::monitor(monitor_list& all, mutate::stage& owner, detail::query_head* query,
                 std::uint32_t events, const detail::observer_action& action, bool row_at_a_time)
    : events::listener{receive},
      all_(all),
      world_(owner),
      query_(query),
      model_(static_cast<queries::compiled_query*>(query)->model),
      events_(events),
      action_(action),
      row_at_a_time_(row_at_a_time),
      affected_(static_cast<queries::compiled_query&>(*query), owner.data),
      test_(static_cast<queries::compiled_query&>(*query), owner.data) {
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& one = model_.terms[i];
        const bool is_key =
            distinguishes(one) && (affected_.is_required(i) || affected_.is_alternative(i));
        if (is_key && (key_fields_.empty() || key_fields_.back() != one.field)) {
            key_fields_.push_back(one.field);
        }
    }
    width_ = model_.variable_count + static_cast<std::uint32_t>(key_fields_.size());
    batch_ = std::make_unique<monitor_batch>(owner.data.mem, width_);
    query_->owners.increment();
}

monitor::~monitor() {
    action_.free_function(action_.function);
    detail::release_query(query_);
}

// -- listening

void monitor::listen_to(entity_t event, id_t pattern) {
    auto is_same = [&](const registered& one) {
        return one.event == event && one.pattern == pattern;
    };
    if (std::none_of(registered_.begin(), registered_.end(), is_same)) {
        registered_.push_back({event, pattern, 0});
        registered_.back().number = world_.events.add(*this, event, pattern);
    }
}

void monitor::listen_to_changes(id_t pattern) {
    for (entity_t event : {events::before_add, entity_t{OnRemove}, events::before_toggle}) {
        listen_to(event, pattern);
    }
}

void monitor::listen_to_all() {
    affected_.each_pattern([&](id_t pattern) { listen_to_changes(pattern); });
    affected_.each_element([&](entity_t element) {
        listen_to(events::before_delete, element);
        if (storage::entity_record* record = world_.data.entities.find(element)) {
            record->state |= storage::record_used_as_id;
        }
    });
    listen_to(events::create_rolled_back, Wildcard);
    listen_to(events::before_bulk_removal, 0);
    if (affected_.is_open()) {
        listen_to(events::before_delete, Wildcard);
        listen_to(events::created, Wildcard);
    }
}

void monitor::start() {
    listen_to_all();
    // What is under way is compared with how it is now, or (where it is told) with nothing.
    if (events_ & detail::monitor_existing) {
        batch_->everything = true;
    } else if (world_.defer_depth != 0 || world_.flushing) {
        record_all();
    } else {
        return;
    }
    open_ = true;
    world_.batch_open = true;
}

void monitor::stop() noexcept {
    for (const registered& one : registered_) {
        world_.events.remove(*this, one.event, one.pattern, one.number);
    }
    registered_.clear();
    stopped_ = true;
}

void monitor::leave_world() noexcept {
    stop();
    in_world = false;
    batch_.reset();
    spare_.reset();
}

void monitor::receive(events::listener& me, const events::event_data& what) {
    monitor& one = static_cast<monitor&>(me);
    if (!one.stopped_) {
        one.world_.batch_open = true;
        one.open_ = true;
        one.on_event(what);
    }
}

void monitor::on_event(const events::event_data& what) {
    result_emitter out(*this, OnRemove);
    if (what.event == events::created) {
        record_or_degrade([&] { record_created(what.entity); });
    } else if (what.event == events::create_rolled_back) {
        // Of what it had, nothing is told; and it may be what some results have, others not.
        record_or_degrade([&] { record_all(); });
        emit_end(what.entity, out);
    } else if (what.event == events::before_delete) {
        on_end(what.entity);
        emit_end(what.entity, out);
    } else if (what.event == events::before_bulk_removal) {
        on_bulk_removal(*static_cast<const events::bulk_removal*>(what.value));
    } else {
        const change made{what.entity, what.id};
        record_or_degrade([&] { record_change(made); });
        if (what.event == OnRemove && world_.deleting == made.entity) {
            emit_end(made.entity, out);
        } else {
            emit_change(made, what.event, out);
        }
    }
}

// What the query names ends, or somebody who may be a result though nothing is known of it.
void monitor::on_end(entity_t ending) {
    bool named = false;
    affected_.each_element([&](entity_t element) { named |= element == ending; });
    if (named) {
        record_or_degrade([&] { record_all(); });
    }
}

// Results that end together are told in the order of their rows, so that neighbours come at once.
void monitor::on_bulk_removal(const events::bulk_removal& all) {
    const storage::entity_index& entities = world_.data.entities;
    std::vector<entity_t> going = std::exchange(departing_, {});
    going.assign(all.entities, all.entities + all.count);
    std::sort(going.begin(), going.end(), [&](entity_t left, entity_t right) {
        const storage::entity_record& one = entities.at(index_of(left));
        const storage::entity_record& other = entities.at(index_of(right));
        return one.table != other.table ? one.table < other.table : one.row < other.row;
    });
    result_emitter out(*this, OnRemove);
    for (entity_t each : going) {
        // A callback may have ended it at once.
        if (!entities.find(each)) {
            continue;
        }
        if (all.id == 0) {
            emit_end(each, out);
        } else {
            record_or_degrade([&] { record_change({each, all.id}); });
            emit_change({each, all.id}, OnRemove, out);
        }
    }
    going.clear();
    departing_ = std::move(going);
}

// -- what held before

template <class Note>
void monitor::record_or_degrade(Note&& note) {
#if defined(__cpp_exceptions)
    try {
        note();
    } catch (...) {
        degrade_to_full_diff();
        throw;
    }
#else
    note();
#endif
}

// The result was noted, or told to end.
bool monitor::is_known(const id_t* key) noexcept {
    if (batch_->before.find(key) != tuple_set::none) {
        return !batch_->take(key);
    }
    if (batch_->is_recorded(key)) {
        return true;
    }
#if defined(__cpp_exceptions)
    try {
        batch_->before.add(key, was_emitted);
    } catch (...) {
        // It may come twice, and is told twice then.
    }
#else
    batch_->before.add(key, was_emitted);
#endif
    return false;
}

// How things are before the change cannot be noted: so nothing is taken to hold any more, and what
// does at the end of the batch begins.
void monitor::degrade_to_full_diff() noexcept {
    if (batch_->everything) {
        return;
    }
    auto end_all = [&] {
        result_emitter out(*this, OnRemove);
        emit_results({}, out,
                     [&](const detail::result&, const id_t* key) { return !is_known(key); });
    };
#if defined(__cpp_exceptions)
    try {
        end_all();
    } catch (...) {
        // The query cannot even be run.
    }
#else
    end_all();
#endif
    batch_->everything = true;
}

void monitor::record_change(const change& made) {
    if (is_pair(made.id) && pair_first(made.id) == IsA) {
        subscriptions_stale_ = true;
        affected_.each_new_pattern(made, [&](id_t pattern) { listen_to_changes(pattern); });
        subscriptions_stale_ = false;
    }
    if (test_.is_usable() && test_.is_about_one(made)) {
        record_row(made.entity);
    } else {
        affected_.each(made, [&](const binding& one) { note(one); });
    }
}

void monitor::note(const binding& one) {
    if (batch_->everything) {
        return;
    }
    if (one.which == 0) {
        record_all();
        return;
    }
    if (one.which == this_variable) {
        record_row(one.values[0]);
        return;
    }
    monitor_batch::group& group = batch_->ensure_group(one.which);
    id_t tuple[queries::max_variables];
    project(one.which, one.values, tuple);
    if (group.values.find(tuple) == tuple_set::none) {
        record_rows(one, group, group.values.add(tuple, 0));
    }
}

void monitor::record_row(entity_t affected) {
    monitor_batch::group& group = batch_->rows();
    if (batch_->everything || group.values.find(&affected) != tuple_set::none) {
        return;
    }
    const std::uint32_t number = group.values.add(&affected, 0);
    const storage::entity_record* record = world_.data.entities.find(affected);
    if (record && test_.is_usable() && test_.can_decide(*record)) {
        if (test_.holds(*record, affected)) {
            batch_->add_before(&affected);
        }
        group.values.mark(number) = 1;
        return;
    }
    binding one;
    one.which = this_variable;
    one.values[0] = affected;
    record_rows(one, group, number);
}

void monitor::record_rows(const binding& one, monitor_batch::group& group, std::uint32_t number) {
    id_t key[2 * queries::max_variables];
    evaluate(one, [&](const detail::result& found) {
        for (std::uint32_t row = 0; row < std::max(found.count, 1u); ++row) {
            read_key(found, row, key);
            if (batch_->before.find(key) == tuple_set::none && !batch_->is_recorded(key)) {
                batch_->add_before(key);
            }
        }
    });
    group.values.mark(number) = 1;
}

// There was nothing with it before.
void monitor::record_created(entity_t made) {
    tuple_set& noted = batch_->rows().values;
    if (model_.has_this && noted.find(&made) == tuple_set::none) {
        noted.add(&made, 1);
    }
}

void monitor::record_delete(entity_t ending) {
    each_variable(affected_.bound(), [&](std::uint8_t variable) {
        binding which;
        which.which = only(variable);
        which.values[variable] = ending;
        note(which);
    });
}

void monitor::record_all() {
    id_t key[2 * queries::max_variables];
    if (batch_->everything) {
        return;
    }
    evaluate({}, [&](const detail::result& found) {
        for (std::uint32_t row = 0; row < std::max(found.count, 1u); ++row) {
            read_key(found, row, key);
            if (batch_->before.find(key) == tuple_set::none && !batch_->is_recorded(key)) {
                batch_->add_before(key);
            }
        }
    });
    batch_->everything = true;
}

// -- running the query

bool monitor::find_options(const binding& with, detail::run_options& options) const {
    bool alive = true;
    each_variable(with.which, [&](std::uint8_t variable) {
        alive = alive && world_.data.entities.find(with.values[variable]);
    });
    if (!alive || (with.which & this_variable &&
                   !detail::find_entity_range(&world_, with.values[0], options))) {
        return false;
    }
    options.variables = with.values;
    options.variable_set = with.which & ~this_variable;
    return true;
}

void monitor::read_key(const detail::result& found, std::uint32_t row, id_t* key) const {
    key[0] = found.count != 0 ? found.entities[row] : 0;
    for (std::uint32_t i = 1; i < model_.variable_count; ++i) {
        key[i] = found.variables ? found.variables[i] : 0;
    }
    for (std::uint32_t i = 0; i < key_fields_.size(); ++i) {
        key[model_.variable_count + i] = found.fields[key_fields_[i]].id;
    }
}

// Rows that the type of their table makes results.
detail::result monitor::rows_of(std::uint32_t table, std::uint32_t first, std::uint32_t count,
                                const detail::field_data* fields) const noexcept {
    const storage::table_set& tables = world_.data.tables;
    detail::result rows{};
    rows.entities = storage::entities_of(tables.at(table), tables.rows(table)) + first;
    rows.count = count;
    rows.table = table;
    rows.first_row = first;
    rows.fields = fields;
    rows.field_count = model_.field_count;
    return rows;
}

void monitor::call(const detail::result& rows, entity_t event) noexcept {
    const std::uint32_t side = event == OnAdd ? detail::monitor_enter : detail::monitor_leave;
    if (stopped_ || !(events_ & side)) {
        return;
    }
    const detail::event_info info{event, 0};
    const detail::observed what{&world_, query_, &rows, &info};
    if (world_.events.tracing) [[unlikely]] {
        const entity_t first = rows.count != 0 ? rows.entities[0] : 0;
        world_.events.tracing->note(Monitor, {&world_, event, 0, first, nullptr});
    }
    ++busy_;
#if defined(__cpp_exceptions)
    try {
        action_.call(action_.function, what);
    } catch (...) {
        // The change goes on, and the others are told; the caller gets to know when that is done.
        if (!error_) {
            error_ = std::current_exception();
        }
        world_.batch_open = true;
    }
#else
    action_.call(action_.function, what);
#endif
    --busy_;
}

// -- ends that are certain: they are told while everything can still be read. Who does not want to
// hear of them takes them for ended as well, and hears of those that begin again.

void monitor::emit_change(const change& made, entity_t event, result_emitter& out) {
    if (batch_->left == 0) {
        return;
    }
    if (!test_.is_usable() || !test_.is_about_one(made)) {
        emit_certain(made, event, out);
    } else if (event == OnRemove ? test_.ends_by_loss(*world_.data.entities.find(made.entity), made)
                                 : event == events::before_add && test_.ends_by_gain(made)) {
        emit_row(made.entity, out);
    }
}

void monitor::emit_certain(const change& made, entity_t event, result_emitter& out) {
    if (event == events::before_toggle) {
        return;
    }
    binding which;
    for (std::uint32_t i = 0; i < model_.count && batch_->left != 0; ++i) {
        const bool removed = event == OnRemove;
        which.which = 0;
        if (ends_by(i, made, removed, which)) {
            emit_leave(which, removed ? &model_.terms[i] : nullptr, made.id, out);
        }
    }
    if (event == events::before_add && model_.has_this &&
        ((made.id == Prefab && !model_.shows_prefabs) ||
         (made.id == Disabled && !model_.shows_disabled))) {
        which.which = this_variable;
        which.values[0] = made.entity;
        emit_leave(which, nullptr, 0, out);
    }
}

// A result that is decided by the entity's type.
void monitor::emit_row(entity_t leaving, result_emitter& out) {
    const storage::entity_record& record = *world_.data.entities.find(leaving);
    detail::field_data fields[queries::max_terms];
    if (test_.fill(world_.data.tables.at(record.table), record.row, fields)) {
        if (batch_->take(&leaving)) {
            out.add(rows_of(record.table, record.row, 1, fields), 0, 1);
        }
        return;
    }
    binding which;
    which.which = this_variable;
    which.values[0] = leaving;
    emit_leave(which, nullptr, 0, out);
}

// All results in which the entity is bound.
void monitor::emit_end(entity_t ending, result_emitter& out) {
    if (batch_->ended.find(&ending) != tuple_set::none) {
        return;
    }
    record_or_degrade([&] {
        record_delete(ending);
        batch_->ended.add(&ending, 0);
    });
    if (batch_->left == 0) {
        return;
    }
    if (test_.is_usable() && test_.can_decide(*world_.data.entities.find(ending))) {
        emit_row(ending, out);
        return;
    }
    each_variable(affected_.bound(), [&](std::uint8_t variable) {
        binding which;
        which.which = only(variable);
        which.values[variable] = ending;
        emit_leave(which, nullptr, 0, out);
    });
}

// True if no result stays in which the term (which must or must not hold) is about this id.
bool monitor::ends_by(std::uint32_t number, const change& made, bool removed,
                      binding& which) const {
    const term& one = model_.terms[number];
    if (!(removed ? affected_.is_required(number) : affected_.is_forbidden(number)) ||
        one.kind != term_kind::ids || one.from == source_kind::none || one.is_from_list() ||
        one.first_by.flags != 0 || one.second_by.flags != 0 || !(one.flags & Self) ||
        !matches_id(one.id, made.id)) {
        return false;
    }
    const storage::store& data = world_.data;
    if (removed) {
        // It may still be found elsewhere.
        if (one.at_most_one || !queries::find_semantics(data, one).is_plain() ||
            (one.follows() && !one.inherits()) || one.flags & TraverseAll) {
            return false;
        }
        const storage::entity_record& record = *data.entities.find(made.entity);
        if (one.inherits() && data.tables.at(record.table).flags & detail::shape_has_base &&
            traits::find_base(data, record, made.entity, made.id) != 0) {
            return false;
        }
    }
    bool known = true;
    auto bind = [&](std::uint8_t variable, entity_t value) {
        if (variable == no_variable) {
            return;
        }
        // One that only a negated term has may be anything.
        const bool is_bound = (affected_.bound() & only(variable)) != 0;
        known = known && (is_bound || (!removed && variable != one.source_variable));
        if (is_bound) {
            which.which |= only(variable);
            which.values[variable] = value;
        }
    };
    if (one.from == source_kind::fixed) {
        if (one.source != made.entity) {
            return false;
        }
    } else {
        bind(one.source_variable, made.entity);
    }
    if (is_pair(made.id)) {
        bind(one.first_variable, data.entities.alive_at(pair_first(made.id)));
        bind(one.second_variable, data.entities.alive_at(pair_second(made.id)));
    } else {
        bind(one.first_variable, made.id);
    }
    return known;
}

// `lost`: only where this term is about the id.
void monitor::emit_leave(const binding& which, const term* lost, id_t id, result_emitter& out) {
    detail::run_options options;
    if (batch_->left == 0 || !find_options(which, options)) {
        return;
    }
    emit_results(options, out, [&](const detail::result& found, const id_t* key) {
        const detail::field_data* field = lost ? &found.fields[lost->field] : nullptr;
        if (field && (field->id != id || (field->source != 0 && lost->from == source_kind::self))) {
            return false;
        }
        return batch_->take(key);
    });
}

}  // namespace kith::observe
