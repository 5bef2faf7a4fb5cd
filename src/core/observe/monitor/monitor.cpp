// Monitors: subscriptions, the recording of results before a change, and ends that are certain. The
// comparison at the end of a batch is in diff.cpp.
#include "observe/monitor/monitor.hpp"

#include "base/assert.hpp"
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

// True if each id that the term finds makes a result of its own and no variable has its value: the
// id is part of the key then.
bool distinguishes(const queries::term& term) {
    if (term.kind != term_kind::ids || term.at_most_one) {
        return false;
    }
    if (!is_pair(term.id)) {
        return is_wildcard(term.id) && term.first_variable == no_variable;
    }
    return (is_wildcard_element(pair_first(term.id)) && term.first_variable == no_variable) ||
           (is_wildcard_element(pair_second(term.id)) && term.second_variable == no_variable);
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
        const term& monitor_term = model_.terms[i];
        const bool is_key = distinguishes(monitor_term) &&
                            (affected_.is_required(i) || affected_.is_alternative(i));
        if (is_key && (key_fields_.empty() || key_fields_.back() != monitor_term.field)) {
            key_fields_.push_back(monitor_term.field);
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

// -- subscriptions

void monitor::listen_to(entity_t event, id_t pattern) {
    auto is_same = [&](const registered& registration) {
        return registration.event == event && registration.pattern == pattern;
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
    // A batch that is open when the monitor starts is compared with the present results, or with no
    // results if existing ones are to be reported.
    if (events_ & detail::monitor_existing) {
        batch_->everything = true;
    } else if (world_.queue.depth != 0 || world_.queue.flushing) {
        record_all();
    } else {
        return;
    }
    open_ = true;
    world_.operation.batch_open = true;
}

void monitor::stop() noexcept {
    for (const registered& registration : registered_) {
        world_.events.remove(*this, registration.event, registration.pattern, registration.number);
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

void monitor::receive(events::listener& me, const events::event_data& event) {
    monitor& receiver = static_cast<monitor&>(me);
    if (!receiver.stopped_) {
        receiver.world_.operation.batch_open = true;
        receiver.open_ = true;
        receiver.on_event(event);
    }
}

void monitor::on_event(const events::event_data& event) {
    result_emitter out(*this, OnRemove);
    if (event.event == events::created) {
        record_or_degrade([&] { record_created(event.entity); });
    } else if (event.event == events::create_rolled_back) {
        // The ids of the entity are removed without events, and each of them may be an id that
        // terms, negated ones included, ask for.
        record_or_degrade([&] { record_all(); });
        emit_end(event.entity, out);
    } else if (event.event == events::before_delete) {
        on_end(event.entity);
        emit_end(event.entity, out);
    } else if (event.event == events::before_bulk_removal) {
        on_bulk_removal(*static_cast<const events::bulk_removal*>(event.value));
    } else {
        const change change{event.entity, event.id};
        record_or_degrade([&] { record_change(change); });
        if (event.event == OnRemove && world_.deletion.entity == change.entity) {
            emit_end(change.entity, out);
        } else {
            emit_change(change, event.event, out);
        }
    }
}

void monitor::on_end(entity_t ending) {
    bool named = false;
    affected_.each_element([&](entity_t element) { named |= element == ending; });
    if (named) {
        record_or_degrade([&] { record_all(); });
    }
}

// Results that end together are reported in the order of their rows, so that neighbours are joined.
void monitor::on_bulk_removal(const events::bulk_removal& all) {
    const storage::entity_index& entities = world_.data.entities;
    std::vector<entity_t> departing = std::exchange(departing_, {});
    departing.assign(all.entities, all.entities + all.count);
    std::sort(departing.begin(), departing.end(), [&](entity_t left, entity_t right) {
        const storage::entity_record& first = entities.at(index_of(left));
        const storage::entity_record& second = entities.at(index_of(right));
        return first.table != second.table ? first.table < second.table : first.row < second.row;
    });
    result_emitter out(*this, OnRemove);
    for (entity_t each : departing) {
        // A callback may have deleted the entity immediately.
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
    departing.clear();
    departing_ = std::move(departing);
}

// -- recording results before a change

template <class Record>
void monitor::record_or_degrade(Record&& record) {
#if defined(__cpp_exceptions)
    try {
        record();
    } catch (...) {
        degrade_to_full_diff();
        throw;
    }
#else
    record();
#endif
}

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
        // Memory is short: the result may be found again, and is reported twice then.
    }
#else
    batch_->before.add(key, was_emitted);
#endif
    return false;
}

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
        // The query cannot be run: ends of these results are lost.
    }
#else
    end_all();
#endif
    batch_->everything = true;
}

void monitor::record_change(const change& change) {
    KITH_ASSERT(world_.data.entities.find(change.entity), "changes are dispatched while alive");
    if (is_pair(change.id) && pair_first(change.id) == IsA) {
        // If a subscription fails, end_batch() subscribes again.
        subscriptions_stale_ = true;
        affected_.each_new_pattern(change, [&](id_t pattern) { listen_to_changes(pattern); });
        subscriptions_stale_ = false;
    }
    if (test_.is_usable() && test_.is_about_one(change)) {
        record_row(change.entity);
    } else {
        affected_.each(change, [&](const binding& binding) { record_binding(binding); });
    }
}

void monitor::record_binding(const binding& binding) {
    if (batch_->everything) {
        return;
    }
    if (binding.which == 0) {
        record_all();
        return;
    }
    if (binding.which == this_variable) {
        record_row(binding.values[0]);
        return;
    }
    monitor_batch::group& group = batch_->ensure_group(binding.which);
    id_t tuple[queries::max_variables];
    project(binding.which, binding.values, tuple);
    if (group.values.find(tuple) == tuple_set::none) {
        record_rows(binding, group, group.values.add(tuple, 0));
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
    binding binding;
    binding.which = this_variable;
    binding.values[0] = affected;
    record_rows(binding, group, number);
}

void monitor::record_rows(const binding& binding, monitor_batch::group& group,
                          std::uint32_t number) {
    id_t key[2 * queries::max_variables];
    evaluate(binding, [&](const detail::result& result) {
        for (std::uint32_t row = 0; row < std::max(result.count, 1u); ++row) {
            read_key(result, row, key);
            if (batch_->before.find(key) == tuple_set::none && !batch_->is_recorded(key)) {
                batch_->add_before(key);
            }
        }
    });
    group.values.mark(number) = 1;
}

// A created entity has no results before the batch, so it is marked as recorded.
void monitor::record_created(entity_t created) {
    tuple_set& recorded = batch_->rows().values;
    if (model_.has_this && recorded.find(&created) == tuple_set::none) {
        recorded.add(&created, 1);
    }
}

void monitor::record_delete(entity_t ending) {
    each_variable(affected_.bound(), [&](std::uint8_t variable) {
        binding which;
        which.which = only(variable);
        which.values[variable] = ending;
        record_binding(which);
    });
}

void monitor::record_all() {
    id_t key[2 * queries::max_variables];
    if (batch_->everything) {
        return;
    }
    evaluate({}, [&](const detail::result& result) {
        for (std::uint32_t row = 0; row < std::max(result.count, 1u); ++row) {
            read_key(result, row, key);
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

void monitor::read_key(const detail::result& result, std::uint32_t row, id_t* key) const {
    key[0] = result.count != 0 ? result.entities[row] : 0;
    for (std::uint32_t i = 1; i < model_.variable_count; ++i) {
        key[i] = result.variables ? result.variables[i] : 0;
    }
    for (std::uint32_t i = 0; i < key_fields_.size(); ++i) {
        key[model_.variable_count + i] = result.fields[key_fields_[i]].id;
    }
}

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
    KITH_ASSERT(event == OnAdd || event == OnRemove, "results enter or leave");
    const std::uint32_t kind = event == OnAdd ? detail::monitor_enter : detail::monitor_leave;
    if (stopped_ || !(events_ & kind)) {
        return;
    }
    const detail::event_info info{event, 0};
    const detail::observed observed{&world_, query_, &rows, &info};
    if (world_.events.tracing) [[unlikely]] {
        const entity_t first = rows.count != 0 ? rows.entities[0] : 0;
        world_.events.tracing->note(Monitor, {&world_, event, 0, first, nullptr});
    }
    ++busy_;
#if defined(__cpp_exceptions)
    try {
        action_.call(action_.function, observed);
    } catch (...) {
        // The change is completed and the other monitors are called; end_batch() throws the error.
        if (!error_) {
            error_ = std::current_exception();
        }
        world_.operation.batch_open = true;
    }
#else
    action_.call(action_.function, observed);
#endif
    --busy_;
}

// -- ends that are certain: results are reported while their values can still be read. A monitor of
// OnAdd alone marks them as ended as well, and reports those that enter again.

void monitor::emit_change(const change& change, entity_t event, result_emitter& out) {
    if (batch_->left == 0) {
        return;
    }
    if (!test_.is_usable() || !test_.is_about_one(change)) {
        emit_certain(change, event, out);
    } else if (event == OnRemove
                   ? test_.ends_by_loss(*world_.data.entities.find(change.entity), change)
                   : event == events::before_add && test_.ends_by_gain(change)) {
        emit_row(change.entity, out);
    }
}

// Reports ends that single terms prove, for queries that table_predicate does not decide.
void monitor::emit_certain(const change& change, entity_t event, result_emitter& out) {
    if (event == events::before_toggle) {
        return;
    }
    binding which;
    for (std::uint32_t i = 0; i < model_.count && batch_->left != 0; ++i) {
        const bool removed = event == OnRemove;
        which.which = 0;
        if (ends_by(i, change, removed, which)) {
            emit_leave(which, removed ? &model_.terms[i] : nullptr, change.id, out);
        }
    }
    if (event == events::before_add && model_.has_this &&
        ((change.id == Prefab && !model_.shows_prefabs) ||
         (change.id == Disabled && !model_.shows_disabled))) {
        which.which = this_variable;
        which.values[0] = change.entity;
        emit_leave(which, nullptr, 0, out);
    }
}

// Reports the end of a result that the entity's type decides. Requires: the entity is alive.
void monitor::emit_row(entity_t leaving, result_emitter& out) {
    KITH_ASSERT(world_.data.entities.find(leaving),
                "the entity is alive until its end is reported");
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

// Reports the ends of all results in which a variable has the deleted entity as its value.
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

bool monitor::ends_by(std::uint32_t number, const change& change, bool removed,
                      binding& which) const {
    const term& monitor_term = model_.terms[number];
    if (!(removed ? affected_.is_required(number) : affected_.is_forbidden(number)) ||
        monitor_term.kind != term_kind::ids || monitor_term.from == source_kind::none ||
        monitor_term.is_from_list() || monitor_term.first_by.flags != 0 ||
        monitor_term.second_by.flags != 0 || !(monitor_term.flags & Self) ||
        !matches_id(monitor_term.id, change.id)) {
        return false;
    }
    const storage::store& data = world_.data;
    if (removed) {
        // The term may still be satisfied by an inherited id, a chain of pairs, or a subtype.
        if (monitor_term.at_most_one || !queries::find_semantics(data, monitor_term).is_plain() ||
            (monitor_term.follows() && !monitor_term.inherits()) ||
            monitor_term.flags & TraverseAll) {
            return false;
        }
        const storage::entity_record& record = *data.entities.find(change.entity);
        if (monitor_term.inherits() &&
            data.tables.at(record.table).flags & detail::shape_has_base &&
            traits::find_base(data, record, change.entity, change.id) != 0) {
            return false;
        }
    }
    bool decided = true;
    auto bind = [&](std::uint8_t variable, entity_t value) {
        if (variable == no_variable) {
            return;
        }
        // A variable that occurs in a negated term alone ranges over all entities.
        const bool is_bound = (affected_.bound() & only(variable)) != 0;
        decided = decided && (is_bound || (!removed && variable != monitor_term.source_variable));
        if (is_bound) {
            which.which |= only(variable);
            which.values[variable] = value;
        }
    };
    if (monitor_term.from == source_kind::fixed) {
        if (monitor_term.source != change.entity) {
            return false;
        }
    } else {
        bind(monitor_term.source_variable, change.entity);
    }
    if (is_pair(change.id)) {
        bind(monitor_term.first_variable, data.entities.alive_at(pair_first(change.id)));
        bind(monitor_term.second_variable, data.entities.alive_at(pair_second(change.id)));
    } else {
        bind(monitor_term.first_variable, change.id);
    }
    return decided;
}

void monitor::emit_leave(const binding& which, const term* lost, id_t id, result_emitter& out) {
    detail::run_options options;
    if (batch_->left == 0 || !find_options(which, options)) {
        return;
    }
    emit_results(options, out, [&](const detail::result& result, const id_t* key) {
        const detail::field_data* field = lost ? &result.fields[lost->field] : nullptr;
        if (field && (field->id != id || (field->source != 0 && lost->from == source_kind::self))) {
            return false;
        }
        return batch_->take(key);
    });
}

}  // namespace kith::observe
