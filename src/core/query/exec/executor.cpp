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
    std::uint32_t position = 0;
    bool again = started_;
    started_ = true;
    if (again) {
        if (steps == 0) {
            return false;
        }
        position = steps - 1;
    }
    while (position < steps) {
        if (take(position, again)) {
            ++position;
            again = false;
        } else if (position == 0) {
            return false;
        } else {
            --position;
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
    const term& term = model_.terms[step.first];
    const bool optional = term.oper == Optional;
    prepare_details(term, batch);
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
            prepare_details(term, batch);
            std::uint32_t owner = target ? memo.find_at(target) : 0;
            holds = owner == 0 ? optional : find_value(step, 0, owner, value, batch);
        }
        batch.rows[batch.count] = leaf_row_;
        batch.values[0][batch.count] = value;
        note_details(term, 0, batch);
        batch.count += holds;
    }
}

bool executor::is_remembered(const op& step) const noexcept {
    const term& term = model_.terms[step.first];
    return step.memo != 0 && !(term.flags & Self) && term.oper != Not && data_.toggled_ids.empty();
}

// Null if the step is to be taken as any other.
const storage::id_record* executor::find_own_sparse(const op& step) const noexcept {
    const term& term = model_.terms[step.first];
    const bool plain = term.from == source_kind::self && term.flags & Self && term.oper != Not &&
                       !is_wildcard(term.id) && data_.toggled_ids.empty() &&
                       !((plan_.dead >> step.first) & 1);
    const storage::id_record* record = plain ? data_.ids.find(term.id) : nullptr;
    return record && record->sparse ? record : nullptr;
}

// One step for one row; puts the value into the batch.
bool executor::eval_leaf(const op& step, std::uint32_t number, std::uint32_t index,
                         row_batch& batch) {
    const term& term = model_.terms[step.first];
    if (is_remembered(step)) {
        std::uint32_t owner = plan_.memos[step.memo - 1]->find_above(index);
        std::byte*& value = batch.values[number][batch.count];
        value = nullptr;
        prepare_details(term, batch);
        const bool holds =
            owner == 0 ? term.oper == Optional : find_value(step, number, owner, value, batch);
        note_details(term, number, batch);
        return holds;
    }
    if (const storage::id_record* own = own_sparse_[number]; own && own->sparse->has(index)) {
        const std::uint32_t size =
            own->value_type ? static_cast<std::uint32_t>(own->value_type->info.size) : 0;
        const owned_id owned{own->id, static_cast<std::byte*>(own->sparse->find(index)), size};
        set_field(term, {1, true, 0}, owned);
        batch.values[number][batch.count] = owned.value;
        note_details(term, number, batch);
        return true;
    }
    frame& current = frames_[&step - plan_.ops];
    if (!eval_match(step, current, false)) {
        return false;
    }
    const detail::field_data& field = fields_[term.field];
    batch.values[number][batch.count] = field.value;
    note_details(term, number, batch);
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
    const term& term = model_.terms[step.first];
    if (last.table != record.table) {
        const storage::table& type = data_.tables.at(record.table);
        std::int32_t position = storage::find_match(type, term.id, 0);
        if (position < 0) {
            // Beside the table.
            bool found = eval_match(step, frames_[&step - plan_.ops], false);
            value = fields_[term.field].value;
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
        set_field(term, {data_.entities.alive_at(owner), false, 0},
                  {last.id, value, last.slot.size});
    }
    return true;
}

bool executor::eval_plain(const op& step, frame& current, bool again) {
    KITH_COUNT(steps);
    switch (step.code) {
        case op_code::scan:
            return next_candidate(again);
        case op_code::each_row:
            return accept_row(again);
        case op_code::id_in_table:
            return eval_id_in_table(step, current, again);
        case op_code::wildcard:
            return eval_wildcard(step, current, again);
        case op_code::match:
            return eval_match(step, current, again);
        case op_code::chain:
            return eval_chain(step, current, again);
        case op_code::list: {
            const term& term = model_.terms[step.first];
            if (again) {
                return false;
            }
            location source = (plan_.dead >> step.first) & 1 ? location{} : source_of(term);
            return source.table ? holds_list(source, term, term.id, term.oper, 0)
                                : term.oper == NotFrom;
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
bool executor::is_searched_further(const term& term) const noexcept {
    return term.follows() && (term.trav != IsA || table_->flags & detail::shape_has_base);
}

void executor::set_column(const term& term, std::uint32_t position) noexcept {
    const detail::column slot = table_->slots[position];
    detail::field_data& field = fields_[term.field];
    field.value = slot.size ? storage::value_in(data_.tables.rows(range_.table), slot, range_.first)
                            : nullptr;
    field.id = table_->ids[position];
    field.source = 0;
    field.stride = slot.size;
    field.flags = detail::field_set | (is_readonly(term, true) ? detail::field_readonly : 0u);
}

bool executor::eval_id_in_table(const op& step, frame& current, bool again) {
    const term& term = model_.terms[step.first];
    if (again) {
        return current.elsewhere && eval_match(step, current, true);
    }
    std::int32_t position = storage::find_id(*table_, term.id);
    current.elsewhere = position < 0 && is_searched_further(term);
    if (current.elsewhere) {
        return eval_match(step, current, false);
    }
    if (position >= 0 && term.oper != Not) {
        set_column(term, static_cast<std::uint32_t>(position));
        return true;
    }
    clear_field(term);
    return position < 0 && term.oper != And;
}

bool executor::eval_wildcard(const op& step, frame& current, bool again) {
    const term& term = model_.terms[step.first];
    if (again && current.elsewhere) {
        return eval_match(step, current, true);
    }
    if (again &&
        (term.at_most_one || term.oper == Not || (term.oper == Optional && !current.matched))) {
        return false;
    }
    if (!again) {
        // Bases have others of the ids that the wildcard stands for.
        current.elsewhere = is_searched_further(term);
        if (current.elsewhere) {
            return eval_match(step, current, false);
        }
    }
    const std::int32_t position =
        again
            ? storage::next_match(*table_, term.id, static_cast<std::int32_t>(current.position.at))
            : storage::find_match(*table_, term.id, 0);
    if (position >= 0) {
        current.position.at = static_cast<std::uint32_t>(position);
        current.matched = true;
        if (term.oper == Not) {
            return false;
        }
        set_column(term, static_cast<std::uint32_t>(position));
        return true;
    }
    if (again) {
        return false;
    }
    current.matched = false;
    clear_field(term);
    return term.oper != And;
}

bool executor::eval_match(const op& step, frame& current, bool again) {
    const term& term = model_.terms[step.first];
    if (term.oper == Not) {
        if (again) {
            return false;
        }
        begin(step, term, current);
        bool found = find_next(term, current);
        clear_field(term);
        return !found;
    }
    if (!again) {
        begin(step, term, current);
    } else if (term.oper == Optional && !current.matched) {
        return false;
    } else if (term.at_most_one) {
        return false;
    }
    bool found = find_next(term, current);
    if (found || again || term.oper != Optional) {
        current.matched = true;
        return found;
    }
    current.matched = false;
    clear_field(term);
    return true;
}

bool executor::eval_chain(const op& step, frame& current, bool again) {
    const bool every = model_.terms[step.first].every_of_chain;
    if (!again) {
        current.alternative = step.first;
    } else if (!model_.terms[current.alternative].at_most_one &&
               next_of_chain(step, current, every)) {
        return true;
    } else if (every) {
        ++current.alternative;
    } else {
        return false;
    }
    for (; current.alternative < step.last; ++current.alternative) {
        begin(step, model_.terms[current.alternative], current);
        if (next_of_chain(step, current, every)) {
            return true;
        }
    }
    return false;
}

bool executor::next_of_chain(const op& step, frame& current, bool every) {
    while (find_next(model_.terms[current.alternative], current)) {
        if (!every || !is_given_before(step, current)) {
            return true;
        }
    }
    return false;
}

// True if an alternative before the current one finds the same id on the same entity.
bool executor::is_given_before(const op& step, const frame& current) const {
    const detail::field_data& field = fields_[model_.terms[current.alternative].field];
    for (std::uint32_t i = step.first; i < current.alternative; ++i) {
        const term& earlier = model_.terms[i];
        const location source = (plan_.dead >> i) & 1 ? location{} : source_of(earlier);
        if (!source.table || !matches_id(earlier.id, field.id)) {
            continue;
        }
        term exact = earlier;
        exact.id = field.id;
        std::vector<owner_ref> owners;
        if (earlier.flags & TraverseAll) {
            collect_owners(data_, source, exact, owners);
        } else {
            owners.push_back(find_owner(data_, source, exact));
        }
        for (const owner_ref& owner : owners) {
            const bool mine = earlier.from == source_kind::self && owner.is_source;
            if (owner.owner != 0 && (mine ? 0 : owner.owner) == field.source) {
                return true;
            }
        }
    }
    return false;
}

location executor::source_of(const term& term) const {
    if (term.from == source_kind::fixed) {
        return locate(data_, term.source);
    }
    if (term.from == source_kind::variable) {
        return locate(data_, value_of(term.source_variable));
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

void executor::begin(const op& step, const term& term, frame& current) {
    current.position = {};
    current.owner = {};
    current.owners_at = current.owners_end = 0;
    current.is_listed = false;
    bool dead = (plan_.dead >> (&term - model_.terms)) & 1;
    location source = dead ? location{} : source_of(term);
    if (!source.table) {
        return;
    }
    if (is_wildcard(term.id) && is_looked_for_further(term, source)) {
        list_matches(term, source, current);
    } else if (term.flags & TraverseAll) {
        const std::uint32_t used = stack_end(current, false);
        owners_.resize(used);
        current.owners_at = used;
        collect_owners(data_, source, term, owners_);
        current.owners_end = static_cast<std::uint32_t>(owners_.size());
        next_owner(term, current);
    } else if (step.memo == 0) {
        current.owner = find_owner(data_, source, term);
    } else if (owner_ref near = find_owner_on_source(data_, source, term); near.owner != 0) {
        current.owner = near;
    } else {
        std::uint32_t above = plan_.memos[step.memo - 1]->find_above(index_of(source.entity));
        current.owner = {above ? data_.entities.alive_at(above) : 0, false, 0};
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
bool executor::is_looked_for_further(const term& term, const location& source) const noexcept {
    return term.follows() && (term.trav != IsA || term.flags & Down || term.is_limited() ||
                              source.table->flags & detail::shape_has_base);
}

// Each id that a wildcard stands for is looked for by itself.
void executor::list_matches(const term& term, const location& source, frame& current) {
    const bool pair = is_pair(term.id);
    current.is_listed = true;
    current.owners_at = stack_end(current, true);
    listed_.erase(listed_.begin() + current.owners_at, listed_.end());
    collect_matches(
        data_, source,
        {term, nullptr, nullptr, false, false, (pair ? pair_first(term.id) : term.id) == Any,
         pair && pair_second(term.id) == Any},
        listed_);
    current.owners_end = static_cast<std::uint32_t>(listed_.size());
}

bool executor::next_listed(const term& term, frame& current) {
    const location source = source_of(term);
    while (current.owners_at < current.owners_end) {
        const match& next = listed_[current.owners_at++];
        owned_id owned{next.id, nullptr, 0};
        // It may have gone while a callback had the last match.
        if (find_stored(source, next, owned)) {
            set_field(term, next.owner, owned);
            return true;
        }
    }
    return false;
}

bool executor::next_owner(const term& term, frame& current) {
    if (!(term.flags & TraverseAll)) {
        return false;
    }
    current.position = {};
    if (current.owners_at < current.owners_end) {
        current.owner = owners_[current.owners_at++];
        return true;
    }
    return false;
}

bool executor::find_next(const term& term, frame& current) {
    if (current.is_listed) {
        return next_listed(term, current);
    }
    if (current.owner.owner == 0) {
        return false;
    }
    location source = source_of(term);
    do {
        bool own = current.owner.is_source;
        location where = own ? source : locate(data_, current.owner.owner);
        if (!where.table) {
            continue;  // it went while a callback had the last match
        }
        owned_id owned;
        while (next_owned_id(data_, where, term.id, own ? visibility::own : visibility::inheritable,
                             current.position, owned)) {
            if (!is_off(data_, where.entity, owned.id) &&
                (own || is_passed_on(data_, current.owner, source, owned.id))) {
                set_field(term, current.owner, owned);
                return true;
            }
        }
    } while (next_owner(term, current));
    return false;
}

void executor::set_field(const term& term, const owner_ref& owner, const owned_id& owned) {
    detail::field_data& field = fields_[term.field];
    bool mine = term.from == source_kind::self && owner.is_source;
    field.value = owned.value;
    field.id = owned.id;
    field.source = mine ? 0 : owner.owner;
    field.stride = mine ? owned.size : 0;
    field.flags = detail::field_set;
    if (is_readonly(term, mine)) {
        field.flags |= detail::field_readonly;
    }
}

void executor::clear_field(const term& term) noexcept {
    fields_[term.field] = {nullptr, nullptr, term.id, term.source, 0, 0};
}

// True if the source has the id, as if that were a term which looks for ids as `like` does.
bool executor::holds_id(const location& source, const term& like, id_t id) const {
    term term = like;
    term.oper = And;
    term.id = !is_pair(id) && traits::is_relationship(data_, id) ? make_pair(id, Wildcard) : id;
    term.first = is_pair(id) ? data_.entities.alive_at(pair_first(id)) : id;
    term.second = is_pair(id) ? data_.entities.alive_at(pair_second(id)) : 0;
    const term_semantics meaning = find_semantics(data_, term);
    if (!meaning.is_plain() || is_wildcard(term.id)) {
        return is_implied(data_, source, term, meaning);
    }
    if (term.flags & TraverseAll) {
        std::vector<owner_ref> owners;
        collect_owners(data_, source, term, owners);
        return std::any_of(owners.begin(), owners.end(),
                           [&](const owner_ref& owner) { return !is_off(data_, owner.owner, id); });
    }
    owner_ref owner = find_owner(data_, source, term);
    return owner.owner != 0 && !is_off(data_, owner.owner, id);
}

bool executor::holds_list(const location& source, const term& term, entity_t list, oper_kind_t how,
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
        bool held = nested ? holds_list(source, term, data_.entities.alive_at(pair_second(id)),
                                        pair_first(id) == AllOf ? AndFrom : OrFrom, depth + 1)
                           : holds_id(source, term, id);
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
