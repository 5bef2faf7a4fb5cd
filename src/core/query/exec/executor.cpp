#include "query/exec/executor.hpp"

#include "traits/traits.hpp"

#include <algorithm>
#include <new>

namespace kith::queries {

namespace {

// Lists may contain each other.
constexpr std::uint32_t max_nesting = 32;

}  // namespace

executor::executor(const storage::store& data, const query_model& model, const plan& steps,
                   candidates& source, const name_reader& names)
    : data_(data),
      model_(model),
      steps_(steps.graph),
      names_(names),
      hidden_(hidden_flags(model)),
      source_(source) {
    plan_.count = steps.count;
    plan_.rows_at = steps.rows_at;
    plan_.dead = steps_ ? steps_->dead : steps.dead;
    std::copy(steps.ops, steps.ops + steps.count, plan_.ops);
    std::copy(steps.memos, steps.memos + plan::max_ancestor_caches, plan_.memos);
    const std::uint32_t count =
        steps_ ? static_cast<std::uint32_t>(steps_->ops.size()) : steps.count;
    make_frames(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        const op& step = steps_ ? steps_->ops[i] : steps.ops[i];
        for (std::uint32_t t = step.first; t < step.last; ++t) {
            // The steps inside of `intersect` say it for each of its terms.
            bool by_row = step.level == op_level::row && step.code != op_code::intersect;
            row_fields_ |= std::uint64_t{by_row} << model.terms[t].field;
        }
    }
    if (steps_) {
        start_graph(count);
    }
}

void executor::make_frames(std::uint32_t count) {
    frames_ = reinterpret_cast<frame*>(few_frames_);
    fields_ = few_fields_;
    if (count > few || model_.field_count > few) {
        std::size_t frame_bytes = sizeof(frame) * count;
        more_.reset(new std::byte[frame_bytes + sizeof(detail::field_data) * model_.field_count]);
        frames_ = reinterpret_cast<frame*>(more_.get());
        fields_ = reinterpret_cast<detail::field_data*>(more_.get() + frame_bytes);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        ::new (frames_ + i) frame;
        frames_[i].owners_end = 0;
        frames_[i].is_listed = false;
    }
    for (std::uint32_t i = 0; i < model_.field_count; ++i) {
        fields_[i] = {nullptr, nullptr, 0, 0, 0, 0};
    }
}

bool executor::advance(std::uint32_t steps) {
    std::uint32_t at = 0;
    bool again = started_;
    started_ = true;
    if (again) {
        if (steps == 0) {
            return false;
        }
        at = steps - 1;
    }
    while (at < steps) {
        if (take(at, again)) {
            ++at;
            again = false;
        } else if (at == 0) {
            return false;
        } else {
            --at;
            again = true;
        }
    }
    return true;
}

void executor::begin_batch(row_batch& batch) {
    batch.count = batch.source_count = 0;
    for (last_owner& last : last_owners_) {
        last = {};
    }
    for (std::uint32_t i = 0; i < leaf_count(); ++i) {
        own_sparse_[i] = find_own_sparse(plan_.ops[plan_.rows_at + 1 + i]);
    }
}

// Takes rows of the current range until the batch is full.
void executor::eval_batch(row_batch& batch) {
    const std::uint32_t leaves = leaf_count();
    const op& first_leaf = plan_.ops[plan_.rows_at + 1];
    const entity_t* entities =
        storage::entities_of(*table_, data_.tables.rows(whole_.table)) + whole_.first;
    if (leaves == 1 && is_remembered(first_leaf) &&
        plan_.memos[first_leaf.memo - 1]->single_links()) {
        take_remembered(first_leaf, entities, batch);
    } else {
        eval_leaves(leaves, entities, batch);
    }
    range_ = whole_;
    in_leaf_ = leaf_row_ < whole_.count;
}

bool executor::advance(row_batch& batch) {
    begin_batch(batch);
    do {
        if (!in_leaf_) {
            range_ = whole_;
            if (!advance(plan_.rows_at)) {
                return false;
            }
            leaf_row_ = 0;
            whole_ = range_;
        }
        eval_batch(batch);
    } while (batch.count == 0);
    return true;
}

bool executor::advance_in_range(row_batch& batch) {
    begin_batch(batch);
    while (in_leaf_ && batch.count == 0) {
        eval_batch(batch);
    }
    return batch.count != 0;
}

void executor::eval_leaves(std::uint32_t leaves, const entity_t* entities, row_batch& batch) {
    while (leaf_row_ < whole_.count && batch.count < row_batch::capacity &&
           batch.source_count + leaves <= row_batch::capacity) {
        std::uint32_t row = leaf_row_++;
        range_ = {whole_.table, whole_.first + row, 1};
        bool holds = true;
        for (std::uint32_t i = 0; holds && i < leaves; ++i) {
            holds = eval_leaf(plan_.ops[plan_.rows_at + 1 + i], i, index_of(entities[row]), batch);
        }
        if (holds) {
            batch.rows[batch.count++] = row;
        }
    }
}

// The most frequent case by itself: one search upwards, along links to single targets. Neighbours
// often have the same target.
void executor::take_remembered(const op& step, const entity_t* entities, row_batch& batch) {
    ancestor_cache& memo = *plan_.memos[step.memo - 1];
    const storage::link_store& links = *memo.single_links();
    const term& one = model_.terms[step.first];
    const bool optional = one.oper == Optional;
    prepare_details(one, batch);
    std::uint32_t last_target = 0;
    std::byte* value = nullptr;
    bool holds = optional;
    for (; leaf_row_ < whole_.count && batch.count < row_batch::capacity &&
           batch.source_count < row_batch::capacity;
         ++leaf_row_) {
        const storage::link_node* node = links.find(index_of(entities[leaf_row_]));
        const std::uint32_t target = node ? node->target : 0;
        if (target != last_target) {
            last_target = target;
            range_ = {whole_.table, whole_.first + leaf_row_, 1};
            value = nullptr;
            prepare_details(one, batch);
            std::uint32_t owner = target ? memo.find_at(target) : 0;
            holds = owner == 0 ? optional : find_value(step, 0, owner, value, batch);
        }
        batch.rows[batch.count] = leaf_row_;
        batch.values[0][batch.count] = value;
        note_details(one, 0, batch);
        batch.count += holds;
    }
}

bool executor::is_remembered(const op& step) const noexcept {
    const term& one = model_.terms[step.first];
    return step.memo != 0 && !(one.flags & Self) && one.oper != Not && data_.toggled_ids.empty();
}

// Null if the step is to be taken as any other.
const storage::id_record* executor::find_own_sparse(const op& step) const noexcept {
    const term& one = model_.terms[step.first];
    const bool plain = one.from == source_kind::self && one.flags & Self && one.oper != Not &&
                       !is_wildcard(one.id) && data_.toggled_ids.empty() &&
                       !((plan_.dead >> step.first) & 1);
    const storage::id_record* record = plain ? data_.ids.find(one.id) : nullptr;
    return record && record->sparse ? record : nullptr;
}

// One step for one row; puts the value into the batch.
bool executor::eval_leaf(const op& step, std::uint32_t number, std::uint32_t index,
                         row_batch& batch) {
    const term& one = model_.terms[step.first];
    if (is_remembered(step)) {
        std::uint32_t owner = plan_.memos[step.memo - 1]->find_above(index);
        std::byte*& value = batch.values[number][batch.count];
        value = nullptr;
        prepare_details(one, batch);
        const bool holds =
            owner == 0 ? one.oper == Optional : find_value(step, number, owner, value, batch);
        note_details(one, number, batch);
        return holds;
    }
    if (const storage::id_record* own = own_sparse_[number]; own && own->sparse->has(index)) {
        const std::uint32_t size =
            own->value_type ? static_cast<std::uint32_t>(own->value_type->info.size) : 0;
        const owned_id found{own->id, static_cast<std::byte*>(own->sparse->find(index)), size};
        set_field(one, {1, true, 0}, found);
        batch.values[number][batch.count] = found.value;
        note_details(one, number, batch);
        return true;
    }
    frame& at = frames_[&step - plan_.ops];
    if (!eval_match(step, at, false)) {
        return false;
    }
    const detail::field_data& field = fields_[one.field];
    batch.values[number][batch.count] = field.value;
    note_details(one, number, batch);
    if (field.value && field.source != 0) {
        batch.source_tables[batch.source_count++] = data_.entities.find(field.source)->table;
    }
    return true;
}

// The value of what a search upwards led to.
bool executor::find_value(const op& step, std::uint32_t number, std::uint32_t owner,
                          std::byte*& value, row_batch& batch) {
    last_owner& last = last_owners_[number];
    const storage::entity_record& record = data_.entities.at(owner);
    const term& one = model_.terms[step.first];
    if (last.table != record.table) {
        const storage::table& type = data_.tables.at(record.table);
        std::int32_t position = storage::find_match(type, one.id, 0);
        if (position < 0) {
            // Beside the table.
            bool found = eval_match(step, frames_[&step - plan_.ops], false);
            value = fields_[one.field].value;
            return found;
        }
        last.table = record.table;
        last.slot = type.slots[position];
        last.id = type.ids[position];
        batch.source_tables[batch.source_count++] = record.table;
    }
    value = last.slot.size
                ? storage::value_in(data_.tables.rows(record.table), last.slot, record.row)
                : nullptr;
    if (batch.details) {
        set_field(one, {data_.entities.alive_at(owner), false, 0},
                  {last.id, value, last.slot.size});
    }
    return true;
}

bool executor::eval_plain(const op& step, frame& at, bool again) {
    KITH_COUNT(steps);
    switch (step.code) {
        case op_code::scan:
            return next_candidate(again);
        case op_code::each_row:
            return accept_row(again);
        case op_code::id_in_table:
            return eval_id_in_table(step, at, again);
        case op_code::wildcard:
            return eval_wildcard(step, at, again);
        case op_code::match:
            return eval_match(step, at, again);
        case op_code::chain:
            return eval_chain(step, at, again);
        case op_code::list: {
            const term& one = model_.terms[step.first];
            if (again) {
                return false;
            }
            location source = (plan_.dead >> step.first) & 1 ? location{} : source_of(one);
            return source.table ? holds_list(source, one, one.id, one.oper, 0)
                                : one.oper == NotFrom;
        }
        default:
            return false;
    }
}

bool executor::next_candidate(bool again) {
    if (!again) {
        source_.restart();
    }
    if (!source_.next(range_, fields_)) {
        return false;
    }
    table_ = &data_.tables.at(range_.table);
    bare_.table = range_.table;
    whole_ = range_;
    return true;
}

bool executor::accept_row(bool again) {
    if (!again) {
        range_ = {whole_.table, whole_.first, 1};
        return true;
    }
    if (range_.first + 1 == whole_.first + whole_.count) {
        shift_fields(static_cast<std::ptrdiff_t>(whole_.first) - range_.first);
        range_ = whole_;
        return false;
    }
    shift_fields(1);
    ++range_.first;
    return true;
}

// What was found for the table is seen from another row.
void executor::shift_fields(std::ptrdiff_t rows) noexcept {
    for (std::uint32_t i = 0; i < model_.field_count; ++i) {
        if (fields_[i].value && !((row_fields_ >> i) & 1)) {
            fields_[i].value += rows * static_cast<std::ptrdiff_t>(fields_[i].stride);
        }
    }
}

// True if what the table's type lacks may still be found.
bool executor::is_searched_further(const term& one) const noexcept {
    return one.follows() && (one.trav != IsA || table_->flags & detail::shape_has_base);
}

void executor::set_column(const term& one, std::uint32_t position) noexcept {
    const detail::column slot = table_->slots[position];
    detail::field_data& field = fields_[one.field];
    field.value = slot.size ? storage::value_in(data_.tables.rows(range_.table), slot, range_.first)
                            : nullptr;
    field.id = table_->ids[position];
    field.source = 0;
    field.stride = slot.size;
    field.flags = detail::field_set | (is_readonly(one, true) ? detail::field_readonly : 0u);
}

bool executor::eval_id_in_table(const op& step, frame& at, bool again) {
    const term& one = model_.terms[step.first];
    if (again) {
        return at.elsewhere && eval_match(step, at, true);
    }
    std::int32_t position = storage::find_id(*table_, one.id);
    at.elsewhere = position < 0 && is_searched_further(one);
    if (at.elsewhere) {
        return eval_match(step, at, false);
    }
    if (position >= 0 && one.oper != Not) {
        set_column(one, static_cast<std::uint32_t>(position));
        return true;
    }
    clear_field(one);
    return position < 0 && one.oper != And;
}

bool executor::eval_wildcard(const op& step, frame& at, bool again) {
    const term& one = model_.terms[step.first];
    if (again && at.elsewhere) {
        return eval_match(step, at, true);
    }
    if (again && (one.at_most_one || one.oper == Not || (one.oper == Optional && !at.matched))) {
        return false;
    }
    if (!again) {
        // Bases have others of the ids that the wildcard stands for.
        at.elsewhere = is_searched_further(one);
        if (at.elsewhere) {
            return eval_match(step, at, false);
        }
    }
    const std::int32_t position =
        again ? storage::next_match(*table_, one.id, static_cast<std::int32_t>(at.position.at))
              : storage::find_match(*table_, one.id, 0);
    if (position >= 0) {
        at.position.at = static_cast<std::uint32_t>(position);
        at.matched = true;
        if (one.oper == Not) {
            return false;
        }
        set_column(one, static_cast<std::uint32_t>(position));
        return true;
    }
    if (again) {
        return false;
    }
    at.matched = false;
    clear_field(one);
    return one.oper != And;
}

bool executor::eval_match(const op& step, frame& at, bool again) {
    const term& one = model_.terms[step.first];
    if (one.oper == Not) {
        if (again) {
            return false;
        }
        begin(step, one, at);
        bool found = find_next(one, at);
        clear_field(one);
        return !found;
    }
    if (!again) {
        begin(step, one, at);
    } else if (one.oper == Optional && !at.matched) {
        return false;
    } else if (one.at_most_one) {
        return false;
    }
    bool found = find_next(one, at);
    if (found || again || one.oper != Optional) {
        at.matched = true;
        return found;
    }
    at.matched = false;
    clear_field(one);
    return true;
}

bool executor::eval_chain(const op& step, frame& at, bool again) {
    const bool every = model_.terms[step.first].every_of_chain;
    if (!again) {
        at.alternative = step.first;
    } else if (!model_.terms[at.alternative].at_most_one && next_of_chain(step, at, every)) {
        return true;
    } else if (every) {
        ++at.alternative;
    } else {
        return false;
    }
    for (; at.alternative < step.last; ++at.alternative) {
        begin(step, model_.terms[at.alternative], at);
        if (next_of_chain(step, at, every)) {
            return true;
        }
    }
    return false;
}

bool executor::next_of_chain(const op& step, frame& at, bool every) {
    while (find_next(model_.terms[at.alternative], at)) {
        if (!every || !is_given_before(step, at)) {
            return true;
        }
    }
    return false;
}

// True if an alternative before the current one finds the same id on the same entity.
bool executor::is_given_before(const op& step, const frame& at) const {
    const detail::field_data& found = fields_[model_.terms[at.alternative].field];
    for (std::uint32_t i = step.first; i < at.alternative; ++i) {
        const term& earlier = model_.terms[i];
        const location source = (plan_.dead >> i) & 1 ? location{} : source_of(earlier);
        if (!source.table || !matches_id(earlier.id, found.id)) {
            continue;
        }
        term exact = earlier;
        exact.id = found.id;
        std::vector<owner_ref> owners;
        if (earlier.flags & TraverseAll) {
            collect_owners(data_, source, exact, owners);
        } else {
            owners.push_back(find_owner(data_, source, exact));
        }
        for (const owner_ref& one : owners) {
            const bool mine = earlier.from == source_kind::self && one.is_source;
            if (one.owner != 0 && (mine ? 0 : one.owner) == found.source) {
                return true;
            }
        }
    }
    return false;
}

location executor::source_of(const term& one) const {
    if (one.from == source_kind::fixed) {
        return locate(data_, one.source);
    }
    if (one.from == source_kind::variable) {
        return locate(data_, value_of(one.source_variable));
    }
    if (range_.count == 0) {
        return {table_, &bare_, This, 0};
    }
    entity_t entity = this_entity();
    return {table_, &data_.entities.at(index_of(entity)), entity, range_.first};
}

entity_t executor::this_entity() const noexcept {
    return range_.count == 0
               ? This
               : storage::entities_of(*table_, data_.tables.rows(range_.table))[range_.first];
}

void executor::begin(const op& step, const term& one, frame& at) {
    at.position = {};
    at.owner = {};
    at.owners_at = at.owners_end = 0;
    at.is_listed = false;
    bool dead = (plan_.dead >> (&one - model_.terms)) & 1;
    location source = dead ? location{} : source_of(one);
    if (!source.table) {
        return;
    }
    if (is_wildcard(one.id) && is_looked_for_further(one, source)) {
        list_matches(one, source, at);
    } else if (one.flags & TraverseAll) {
        const std::uint32_t used = stack_end(at, false);
        owners_.resize(used);
        at.owners_at = used;
        collect_owners(data_, source, one, owners_);
        at.owners_end = static_cast<std::uint32_t>(owners_.size());
        next_owner(one, at);
    } else if (step.memo == 0) {
        at.owner = find_owner(data_, source, one);
    } else if (owner_ref near = find_owner_on_source(data_, source, one); near.owner != 0) {
        at.owner = near;
    } else {
        std::uint32_t above = plan_.memos[step.memo - 1]->find_above(index_of(source.entity));
        at.owner = {above ? data_.entities.alive_at(above) : 0, false, 0};
    }
}

// How much of a stack the steps before have in use. What later steps, or this one before, had on it
// is no longer needed.
std::uint32_t executor::stack_end(const frame& before, bool listed) const noexcept {
    std::uint32_t used = 0;
    for (const frame* earlier = frames_; earlier != &before; ++earlier) {
        used = std::max(used, earlier->is_listed == listed ? earlier->owners_end : 0);
    }
    return used;
}

// True if others than the source may have what the term asks for.
bool executor::is_looked_for_further(const term& one, const location& source) const noexcept {
    return one.follows() && (one.trav != IsA || one.flags & Down || one.is_limited() ||
                             source.table->flags & detail::shape_has_base);
}

// Each id that a wildcard stands for is looked for by itself.
void executor::list_matches(const term& one, const location& source, frame& at) {
    const bool pair = is_pair(one.id);
    at.is_listed = true;
    at.owners_at = stack_end(at, true);
    listed_.erase(listed_.begin() + at.owners_at, listed_.end());
    collect_matches(
        data_, source,
        {one, nullptr, nullptr, false, false, (pair ? pair_first(one.id) : one.id) == Any,
         pair && pair_second(one.id) == Any},
        listed_);
    at.owners_end = static_cast<std::uint32_t>(listed_.size());
}

bool executor::next_listed(const term& one, frame& at) {
    const location source = source_of(one);
    while (at.owners_at < at.owners_end) {
        const match& next = listed_[at.owners_at++];
        owned_id found{next.id, nullptr, 0};
        // It may have gone while a callback had the last match.
        if (find_stored(source, next, found)) {
            set_field(one, next.owner, found);
            return true;
        }
    }
    return false;
}

bool executor::next_owner(const term& one, frame& at) {
    if (!(one.flags & TraverseAll)) {
        return false;
    }
    at.position = {};
    if (at.owners_at < at.owners_end) {
        at.owner = owners_[at.owners_at++];
        return true;
    }
    return false;
}

bool executor::find_next(const term& one, frame& at) {
    if (at.is_listed) {
        return next_listed(one, at);
    }
    if (at.owner.owner == 0) {
        return false;
    }
    location source = source_of(one);
    do {
        bool own = at.owner.is_source;
        location where = own ? source : locate(data_, at.owner.owner);
        if (!where.table) {
            continue;  // it went while a callback had the last match
        }
        owned_id found;
        while (next_owned_id(data_, where, one.id, own ? visibility::own : visibility::inheritable,
                             at.position, found)) {
            if (!is_off(data_, where.entity, found.id) &&
                (own || is_passed_on(data_, at.owner, source, found.id))) {
                set_field(one, at.owner, found);
                return true;
            }
        }
    } while (next_owner(one, at));
    return false;
}

void executor::set_field(const term& one, const owner_ref& owner, const owned_id& found) {
    detail::field_data& field = fields_[one.field];
    bool mine = one.from == source_kind::self && owner.is_source;
    field.value = found.value;
    field.id = found.id;
    field.source = mine ? 0 : owner.owner;
    field.stride = mine ? found.size : 0;
    field.flags = detail::field_set;
    if (is_readonly(one, mine)) {
        field.flags |= detail::field_readonly;
    }
}

void executor::clear_field(const term& one) noexcept {
    fields_[one.field] = {nullptr, nullptr, one.id, one.source, 0, 0};
}

// True if the source has the id, as if that were a term which looks for ids as `like` does.
bool executor::holds_id(const location& source, const term& like, id_t id) const {
    term asked = like;
    asked.oper = And;
    asked.id = !is_pair(id) && traits::is_relationship(data_, id) ? make_pair(id, Wildcard) : id;
    asked.first = is_pair(id) ? data_.entities.alive_at(pair_first(id)) : id;
    asked.second = is_pair(id) ? data_.entities.alive_at(pair_second(id)) : 0;
    const term_semantics meaning = find_semantics(data_, asked);
    if (!meaning.is_plain() || is_wildcard(asked.id)) {
        return is_implied(data_, source, asked, meaning);
    }
    if (asked.flags & TraverseAll) {
        std::vector<owner_ref> owners;
        collect_owners(data_, source, asked, owners);
        return std::any_of(owners.begin(), owners.end(),
                           [&](const owner_ref& one) { return !is_off(data_, one.owner, id); });
    }
    owner_ref owner = find_owner(data_, source, asked);
    return owner.owner != 0 && !is_off(data_, owner.owner, id);
}

bool executor::holds_list(const location& source, const term& one, entity_t list, oper_kind_t how,
                          std::uint32_t depth) const {
    const location holder = locate(data_, list);
    if (!holder.table || depth == max_nesting) {
        return how != OrFrom;
    }
    bool one_of = false;
    auto check = [&](id_t id, std::uint32_t traits) {
        bool nested = is_pair(id) && (pair_first(id) == AllOf || pair_first(id) == AnyOf);
        if ((traits & traits::trait_dont_inherit && !nested) || id & Override) {
            return true;
        }
        bool held = nested ? holds_list(source, one, data_.entities.alive_at(pair_second(id)),
                                        pair_first(id) == AllOf ? AndFrom : OrFrom, depth + 1)
                           : holds_id(source, one, id);
        one_of |= held;
        return how == AndFrom ? held : !held;
    };
    bool through = true;
    const storage::table& type = *holder.table;
    for (std::uint32_t i = 0; through && i < type.id_count; ++i) {
        through = check(type.ids[i], type.records[i]->traits);
    }
    if (through) {
        through = storage::each_sparse(
            data_, *holder.record, index_of(list), Wildcard,
            [&](const storage::id_record& record) { return check(record.id, record.traits); });
    }
    if (through) {
        through = storage::each_link(
            data_, *holder.record, index_of(list), make_pair(Wildcard, Wildcard),
            [&](const storage::id_record& relation, std::uint32_t target) {
                return check(make_pair(pair_first(relation.id), target), relation.traits);
            });
    }
    return how == OrFrom ? one_of : through;
}

}  // namespace kith::queries
