#include "observe/monitor.hpp"

#include "mutate/beside.hpp"
#include "mutate/operations.hpp"
#include "mutate/values.hpp"
#include "query/plan/graph_plan.hpp"
#include "traits/inherit.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace kith::observe {

using queries::no_variable;
using queries::only;
using queries::source_kind;
using queries::term_kind;
using queries::this_variable;

namespace {

template <class Visit>
void each_variable(variable_set which, Visit&& visit) {
    for (; which != 0; which &= which - 1) {
        visit(static_cast<std::uint8_t>(std::countr_zero(which)));
    }
}

// Some rows of a result.
detail::result part_of(const detail::result& found, std::uint32_t first, std::uint32_t count,
                       std::vector<detail::field_data>& fields) {
    detail::result part = found;
    if (found.count == 0 || (first == 0 && count == found.count)) {
        return part;
    }
    fields.assign(found.fields, found.fields + found.field_count);
    for (detail::field_data& field : fields) {
        field.value += field.value ? std::size_t{field.stride} * first : 0;
    }
    part.fields = fields.data();
    part.entities += first;
    part.first_row += first;
    part.count = count;
    return part;
}

// Each id that it finds makes a result of its own, and no variable says which.
bool tells_apart(const queries::term& one) {
    // Which of several is the nearest below is a matter of storage.
    const bool nearest_below = one.flags & Down && !(one.flags & TraverseAll);
    if (one.kind != term_kind::ids || one.at_most_one || nearest_below) {
        return false;
    }
    if (!is_pair(one.id)) {
        return is_wildcard(one.id) && one.first_variable == no_variable;
    }
    return (is_wildcard_element(pair_first(one.id)) && one.first_variable == no_variable) ||
           (is_wildcard_element(pair_second(one.id)) && one.second_variable == no_variable);
}

}  // namespace

monitor::binding_group::binding_group(containers::memory& mem, variable_set bound) noexcept
    : which(bound), values(mem, static_cast<std::uint32_t>(std::popcount(bound))) {}

monitor::monitor(monitor_list& all, mutate::stage& owner, detail::query_head* query,
                 std::uint32_t events, const detail::observer_action& action, bool entity_wise)
    : events::listener{hear},
      all_(all),
      owner_(owner),
      query_(query),
      model_(static_cast<queries::compiled_query*>(query)->model),
      events_(events),
      action_(action),
      entity_wise_(entity_wise),
      touches_(static_cast<queries::compiled_query&>(*query), owner.data) {
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& one = model_.terms[i];
        if (tells_apart(one) && touches_.is_required(i)) {
            key_fields_.push_back(one.field);
        }
    }
    width_ = model_.variable_count + static_cast<std::uint32_t>(key_fields_.size());
    query_->owners.increment();
}

monitor::~monitor() {
    action_.free_function(action_.function);
    detail::release_query(query_);
}

// -- listening

void monitor::listen_to(id_t pattern) {
    for (entity_t event : {events::before_add, entity_t{OnRemove}, events::before_toggle}) {
        const std::pair<entity_t, id_t> wanted{event, pattern};
        if (std::find(heard_.begin(), heard_.end(), wanted) == heard_.end()) {
            heard_.push_back(wanted);
            owner_.events.add(*this, event, pattern);
        }
    }
}

void monitor::start() {
    touches_.each_pattern([&](id_t pattern) { listen_to(pattern); });
    auto listen_to_end = [&](entity_t element) {
        const std::pair<entity_t, id_t> wanted{events::before_end, element};
        if (std::find(heard_.begin(), heard_.end(), wanted) == heard_.end()) {
            heard_.push_back(wanted);
            owner_.events.add(*this, events::before_end, element);
            if (storage::entity_record* record = owner_.data.entities.find(element)) {
                record->state |= storage::record_used_as_id;
            }
        }
    };
    touches_.each_element(listen_to_end);
    auto listen_to_all = [&](entity_t event) {
        heard_.push_back({event, Wildcard});
        owner_.events.add(*this, event, Wildcard);
    };
    listen_to_all(events::discarded);
    if (touches_.is_open()) {
        listen_to_all(events::before_end);
        listen_to_all(events::created);
    }
    // What is under way is compared with how it is now, or (where it is told) with nothing.
    if (events_ & detail::monitor_existing) {
        ensure_group(0).values.add(nullptr, 1);
        owner_.unsettled = true;
    } else if (owner_.defer_depth != 0 || owner_.flushing) {
        note_everything();
        owner_.unsettled = true;
    }
}

void monitor::stop() noexcept {
    for (const auto& [event, pattern] : heard_) {
        owner_.events.remove(*this, event, pattern);
    }
    heard_.clear();
    stopped_ = true;
}

void monitor::hear(events::listener& me, const events::occurrence& what) {
    monitor& one = static_cast<monitor&>(me);
    if (!one.stopped_) {
        one.on_event(what);
    }
}

void monitor::on_event(const events::occurrence& what) {
    owner_.unsettled = true;
    if (what.event == events::created) {
        note_new(what.entity);
    } else if (what.event == events::before_end || what.event == events::discarded) {
        // What the query names ends, or somebody who may be a result though nothing is known of it.
        bool named = false;
        touches_.each_element([&](entity_t element) { named |= element == what.entity; });
        if (named) {
            note_everything();
        }
        tell_ending(what.entity);
    } else {
        on_change(what);
    }
}

void monitor::on_change(const events::occurrence& what) {
    const change made{what.entity, what.id};
    touches_.each_new_pattern(made, [&](id_t pattern) { listen_to(pattern); });
    touches_.each(made, [&](const binding& one) { note(one); });
    if (events_ & detail::monitor_leave) {
        tell_certain(made, what.event);
    }
}

// -- what held before

monitor::batch& monitor::open_batch() {
    if (!batch_) {
        batch_ = std::make_unique<batch>(owner_.data.mem, width_);
    }
    return *batch_;
}

monitor::binding_group& monitor::ensure_group(variable_set which) {
    batch& now = open_batch();
    for (const auto& group : now.groups) {
        if (group->which == which) {
            return *group;
        }
    }
    now.groups.push_back(std::make_unique<binding_group>(owner_.data.mem, which));
    return *now.groups.back();
}

namespace {

void project(variable_set which, const entity_t* values, id_t* tuple) {
    std::uint32_t count = 0;
    each_variable(which, [&](std::uint8_t variable) { tuple[count++] = values[variable]; });
}

}  // namespace

bool monitor::is_noted(const id_t* key) const {
    return std::any_of(batch_->groups.begin(), batch_->groups.end(), [&](const auto& group) {
        id_t tuple[queries::max_variables];
        project(group->which, key, tuple);
        const std::uint32_t number = group->values.find(tuple);
        return number != tuple_set::none && group->values.mark(number) != 0;
    });
}

void monitor::note(const binding& one) {
    batch& now = open_batch();
    if (one.which != 0 && !now.groups.empty() && now.groups[0]->which == 0) {
        return;  // all of them are noted
    }
    binding_group& group = ensure_group(one.which);
    if (one.which == 0) {
        std::swap(*std::find_if(now.groups.begin(), now.groups.end(),
                                [&](const auto& each) { return each.get() == &group; }),
                  now.groups[0]);
    }
    id_t tuple[queries::max_variables];
    project(one.which, one.values, tuple);
    if (group.values.find(tuple) != tuple_set::none) {
        return;
    }
    const std::uint32_t number = group.values.add(tuple, 0);
    id_t key[2 * queries::max_variables];
    run(one, false, [&](const detail::result& found) {
        for (std::uint32_t row = 0; row < std::max(found.count, 1u); ++row) {
            read_key(found, row, key);
            if (now.before.find(key) == tuple_set::none && !is_noted(key)) {
                now.before.add(key, was_there);
                ++now.left;
            }
        }
    });
    group.values.mark(number) = 1;
}

// There was nothing with it before.
void monitor::note_new(entity_t made) {
    if (model_.has_this) {
        binding_group& group = ensure_group(this_variable);
        if (group.values.find(&made) == tuple_set::none) {
            group.values.add(&made, 1);
        }
    }
}

void monitor::note_everything() {
    binding all;
    note(all);
}

// -- running the query

template <class Visit>
void monitor::run_options(detail::run_options& options, Visit&& visit) {
    detail::query_run under_way(query_, &owner_, options);
    detail::result found;
    while (under_way.next(found)) {
        visit(found);
    }
}

template <class Visit>
void monitor::run(const binding& with, bool entity_wise, Visit&& visit) {
    bool alive = true;
    each_variable(with.which, [&](std::uint8_t variable) {
        alive = alive && owner_.data.entities.find(with.values[variable]);
    });
    detail::run_options options;
    if (!alive || (with.which & this_variable &&
                   !detail::find_entity_range(&owner_, with.values[0], options))) {
        return;
    }
    options.variables = with.values;
    options.variable_set = with.which & ~this_variable;
    options.entity_wise = entity_wise;
    run_options(options, visit);
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

void monitor::call(const detail::result& rows, entity_t event) {
    const detail::event_info info{event, 0};
    const detail::observed what{&owner_, query_, &rows, &info};
    if (owner_.events.tracing) [[unlikely]] {
        const entity_t first = rows.count != 0 ? rows.entities[0] : 0;
        owner_.events.tracing->note(Monitor, {&owner_, event, 0, first, nullptr});
    }
#if defined(__cpp_exceptions)
    try {
        action_.call(action_.function, what);
    } catch (...) {
        // The change goes on, and the others are told; the caller gets to know when that is done.
        if (!error_) {
            error_ = std::current_exception();
        }
        owner_.unsettled = true;
    }
#else
    action_.call(action_.function, what);
#endif
}

template <class Wants>
void monitor::tell_rows(const detail::result& found, entity_t event, Wants&& wants) {
    id_t key[2 * queries::max_variables];
    std::vector<detail::field_data> fields;
    const std::uint32_t count = std::max(found.count, 1u);
    std::uint32_t first = 0;
    for (std::uint32_t row = 0; row <= count; ++row) {
        if (row < count) {
            read_key(found, row, key);
            if (wants(key)) {
                continue;
            }
        }
        if (first < row && !stopped_) {
            call(part_of(found, first, row - first, fields), event);
        }
        first = row + 1;
    }
}

// -- ends that are certain: they are told while everything can still be read

void monitor::tell_certain(const change& made, entity_t event) {
    if (event == OnRemove && owner_.ending == made.entity) {
        tell_ending(made.entity);
        return;
    }
    if (event == events::before_toggle || !batch_) {
        return;
    }
    binding which;
    for (std::uint32_t i = 0; i < model_.count && batch_ && batch_->left != 0; ++i) {
        const bool removed = event == OnRemove;
        which.which = 0;
        if (ends_by(i, made, removed, which)) {
            tell_leaving(which, removed ? &model_.terms[i] : nullptr, made.id);
        }
    }
    if (event == events::before_add && model_.has_this &&
        ((made.id == Prefab && !model_.shows_prefabs) ||
         (made.id == Disabled && !model_.shows_disabled))) {
        which.which = this_variable;
        which.values[0] = made.entity;
        tell_leaving(which, nullptr, 0);
    }
}

// All results in which the entity is bound.
void monitor::tell_ending(entity_t ending) {
    if (ended_ == ending) {
        return;
    }
    ended_ = ending;
    each_variable(touches_.bound(), [&](std::uint8_t variable) {
        binding which;
        which.which = only(variable);
        which.values[variable] = ending;
        note(which);
        if (events_ & detail::monitor_leave) {
            tell_leaving(which, nullptr, 0);
        }
    });
}

// True if no result stays in which the term (which must or must not hold) is about this id.
bool monitor::ends_by(std::uint32_t number, const change& made, bool removed,
                      binding& which) const {
    const term& one = model_.terms[number];
    if (!(removed ? touches_.is_required(number) : touches_.is_forbidden(number)) ||
        one.kind != term_kind::ids || one.from == source_kind::none || one.is_from_list() ||
        one.first_by.flags != 0 || one.second_by.flags != 0 || !(one.flags & Self) ||
        !matches_id(one.id, made.id)) {
        return false;
    }
    const storage::store& data = owner_.data;
    if (removed) {
        // It may still be found elsewhere.
        if (one.at_most_one || !queries::find_meaning(data, one).is_plain() ||
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
        const bool is_bound = (touches_.bound() & only(variable)) != 0;
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
void monitor::tell_leaving(const binding& which, const term* lost, id_t id) {
    if (!batch_ || batch_->left == 0) {
        return;
    }
    ++busy_;
    run(which, entity_wise_, [&](const detail::result& found) {
        if (lost && (found.fields[lost->field].id != id ||
                     (found.fields[lost->field].source != 0 && lost->from == source_kind::self))) {
            return;
        }
        tell_rows(found, OnRemove, [&](const id_t* key) {
            const std::uint32_t number = batch_->before.find(key);
            if (number == tuple_set::none || batch_->before.mark(number) != was_there) {
                return false;
            }
            batch_->before.mark(number) = was_told;
            --batch_->left;
            return true;
        });
    });
    --busy_;
}

// -- at the end of a batch

void monitor::settle() {
    ++busy_;
    struct guard {
        monitor& one;
        ~guard() { --one.busy_; }
    } release{*this};
    ended_ = 0;
    if (batch_) {
        const std::unique_ptr<batch> done = std::move(batch_);
        tuple_set entering(owner_.data.mem, width_);
        std::vector<place> places;
        compare(*done, entering, places);
        if (events_ & detail::monitor_leave) {
            tell_left(*done);
        }
        if (events_ & detail::monitor_enter) {
            tell_entered(entering, places);
        }
    }
    if (error_) {
        std::rethrow_exception(std::exchange(error_, nullptr));
    }
}

void monitor::compare(batch& done, tuple_set& entering, std::vector<place>& places) {
    id_t key[2 * queries::max_variables];
    binding with;
    auto look_at = [&](const detail::result& found) {
        for (std::uint32_t row = 0; row < std::max(found.count, 1u); ++row) {
            read_key(found, row, key);
            const std::uint32_t before = done.before.find(key);
            if (before != tuple_set::none && done.before.mark(before) != was_told) {
                done.before.mark(before) = still_there;
            } else if (entering.find(key) == tuple_set::none) {
                places.push_back({entering.add(key, 0), found.table, found.first_row + row});
            }
        }
    };
    for (const auto& group : done.groups) {
        with.which = group->which;
        for (std::uint32_t i = 0; i < group->values.size(); ++i) {
            const id_t* values = group->values.at(i);
            each_variable(group->which,
                          [&](std::uint8_t variable) { with.values[variable] = *values++; });
            run(with, false, look_at);
        }
    }
}

void monitor::tell_left(batch& done) {
    for (std::uint32_t i = 0; i < done.before.size() && !stopped_; ++i) {
        if (done.before.mark(i) == was_there) {
            tell_left(done.before.at(i));
        }
    }
}

// What is left of it can be read.
void monitor::tell_left(const id_t* key) {
    std::vector<detail::field_data> fields(model_.field_count);
    detail::result gone{};
    gone.fields = fields.data();
    gone.field_count = model_.field_count;
    gone.variables = key;
    if (model_.has_this) {
        gone.entities = key;
        gone.count = 1;
        if (const storage::entity_record* record = owner_.data.entities.find(key[0])) {
            gone.table = record->table;
            gone.first_row = record->row;
        }
    }
    fill_left(key, fields);
    call(gone, OnRemove);
}

void monitor::fill_left(const id_t* key, std::vector<detail::field_data>& fields) {
    std::uint32_t next_id = 0;
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& one = model_.terms[i];
        if (one.kind != term_kind::ids) {
            continue;
        }
        detail::field_data& field = fields[one.field];
        auto element = [&](std::uint8_t variable, std::uint32_t otherwise) {
            return variable == no_variable ? otherwise : index_of(key[variable]);
        };
        id_t id = one.id;
        if (next_id < key_fields_.size() && key_fields_[next_id] == one.field &&
            touches_.is_required(i)) {
            id = key[model_.variable_count + next_id++];
        } else if (is_pair(id)) {
            id = make_pair(element(one.first_variable, pair_first(id)),
                           element(one.second_variable, pair_second(id)));
        } else if (one.first_variable != no_variable) {
            id = key[one.first_variable];
        }
        field.id = id;
        const entity_t source = one.from == source_kind::fixed  ? one.source
                                : one.from == source_kind::none ? 0
                                                                : key[one.source_variable];
        field.source = one.from == source_kind::self ? 0 : source;
        const storage::entity_record* record = owner_.data.entities.find(source);
        if (one.oper == Not || !record || is_wildcard(id) || (field.flags & detail::field_set) ||
            !storage::owns_id(owner_.data, *record, source, id)) {
            continue;
        }
        field.flags =
            detail::field_set | (queries::is_readonly(one, true) ? detail::field_readonly : 0u);
        const storage::id_info known = traits::describe_id(owner_.data, id);
        if (known.value_type) {
            field.value =
                static_cast<std::byte*>(mutate::find_own_value(owner_, source, *record, id, 0));
            field.stride = static_cast<std::uint32_t>(known.value_type->info.size);
        }
    }
}

void monitor::tell_entered(tuple_set& entering, std::vector<place>& places) {
    // Rows next to each other are told at once, if all else is the same.
    auto compare_rest = [&](const place& left, const place& right) {
        const id_t* one = entering.at(left.number);
        const id_t* other = entering.at(right.number);
        return std::lexicographical_compare_three_way(one + 1, one + width_, other + 1,
                                                      other + width_);
    };
    std::sort(places.begin(), places.end(), [&](const place& left, const place& right) {
        if (auto order = compare_rest(left, right); order != 0) {
            return order < 0;
        }
        return left.table != right.table ? left.table < right.table : left.row < right.row;
    });
    for (std::size_t i = 0; i < places.size() && !stopped_;) {
        std::size_t end = i + 1;
        while (end < places.size() && model_.has_this && places[end].table == places[i].table &&
               places[end].row == places[end - 1].row + 1 &&
               compare_rest(places[i], places[end]) == 0) {
            ++end;
        }
        tell_range(entering, places[i], static_cast<std::uint32_t>(end - i));
        i = end;
    }
}

void monitor::tell_range(tuple_set& entering, const place& first, std::uint32_t count) {
    detail::run_options options;
    if (model_.has_this) {
        options.given = true;
        options.table = first.table;
        options.first_row = first.row;
        options.row_count = count;
    }
    options.variables = entering.at(first.number);
    options.variable_set = touches_.bound() & ~this_variable;
    options.entity_wise = entity_wise_;
    run_options(options, [&](const detail::result& found) {
        tell_rows(found, OnAdd, [&](const id_t* key) {
            const std::uint32_t number = entering.find(key);
            return number != tuple_set::none && !std::exchange(entering.mark(number), 1);
        });
    });
}

}  // namespace kith::observe
