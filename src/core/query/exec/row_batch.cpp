// Batches of rows and the leaves of plans, declared in row_batch.hpp.
#include "query/exec/row_batch.hpp"

#include "query/exec/ancestor_cache.hpp"
#include "query/exec/value_check.hpp"

#include <algorithm>
#include <bit>

namespace kith::queries {

namespace {

// True if the ancestor cache of the op has the whole answer.
bool is_cached(const exec_context& context, const op& leaf) noexcept {
    const term& term = context.model.terms[leaf.first];
    return leaf.memo != 0 && !(term.flags & Self) && term.oper != Not &&
           context.data.toggled_ids.empty();
}

const storage::id_record* find_own_sparse(const exec_context& context, const op& leaf) noexcept {
    const term& term = context.model.terms[leaf.first];
    const bool plain = term.from == source_kind::self && term.flags & Self && term.oper != Not &&
                       !is_wildcard(term.id) && context.data.toggled_ids.empty() &&
                       !context.is_dead(leaf.first);
    const storage::id_record* record = plain ? context.data.ids.find(term.id) : nullptr;
    return record && record->sparse ? record : nullptr;
}

void prepare_details(exec_context& context, const term& term, const row_batch& batch) noexcept {
    if (batch.details) {
        context.clear_field(term);
    }
}

void note_details(const exec_context& context, const term& term, std::uint32_t leaf,
                  row_batch& batch) noexcept {
    if (batch.details) {
        batch.details[leaf * row_batch::capacity + batch.count] = context.fields[term.field];
    }
}

}  // namespace

void leaf_evaluator::open(exec_context& context) noexcept {
    next_row_ = 0;
    passing_ = 0;
    siblings_left_ = 0;
    next_siblings_ = context.proposer.siblings().first;
    context.self.whole = context.self.rows;
}

void leaf_evaluator::begin(const exec_context& context, row_batch& batch) noexcept {
    batch.count = batch.source_count = 0;
    for (last_owner& last : last_owners_) {
        last = {};
    }
    for (std::uint32_t i = 0; i < count_; ++i) {
        own_sparse_[i] = find_own_sparse(context, leaves_[i]);
    }
}

void leaf_evaluator::fill(exec_context& context, row_batch& batch) {
    this_rows& self = context.self;
    const entity_t* entities =
        storage::entities_of(*self.table, context.data.tables.rows(self.whole.table)) +
        self.whole.first;
    if (tests_ != 0) {
        fill_by_value(context, entities, batch);
    } else if (count_ == 1 && is_cached(context, leaves_[0]) &&
               context.caches[leaves_[0].memo - 1]->single_links()) {
        fill_by_target(context, entities, batch);
    } else {
        fill_by_row(context, entities, batch);
    }
    self.rows = self.whole;
    in_range_ = next_row_ < self.whole.count || passing_ != 0;
}

void leaf_evaluator::fill_by_row(exec_context& context, const entity_t* entities,
                                 row_batch& batch) {
    this_rows& self = context.self;
    while (next_row_ < self.whole.count && batch.count < row_batch::capacity &&
           batch.source_count + count_ <= row_batch::capacity) {
        const std::uint32_t row = next_row_++;
        self.rows = {self.whole.table, self.whole.first + row, 1};
        bool holds = true;
        for (std::uint32_t i = 0; holds && i < count_; ++i) {
            holds = eval(context, i, index_of(entities[row]), batch);
        }
        if (holds) {
            batch.rows[batch.count++] = row;
        }
    }
}

// Tests values of 64 rows at a time, then evaluates the leaves for the rows that pass. Invariant:
// rows from `masked_row_` up to `next_row_` are in `passing_`, unless they were taken.
void leaf_evaluator::fill_by_value(exec_context& context, const entity_t* entities,
                                   row_batch& batch) {
    this_rows& self = context.self;
    while (batch.count < row_batch::capacity &&
           batch.source_count + count_ <= row_batch::capacity) {
        if (passing_ == 0) {
            if (next_row_ == self.whole.count) {
                return;
            }
            value_seek* const seek = context.proposer.seek_in(self.whole.table);
            if (seek && !skip_to_candidate(context, *seek)) {
                next_row_ = self.whole.count;
                return;
            }
            const std::uint32_t count = std::min(64u, self.whole.count - next_row_);
            passing_ = seek ? test_candidates(context, *seek, count)
                            : test_rows(context, next_row_, count);
            masked_row_ = next_row_;
            next_row_ += count;
            continue;
        }
        const std::uint32_t row =
            masked_row_ + static_cast<std::uint32_t>(std::countr_zero(passing_));
        passing_ &= passing_ - 1;
        if (count_ == 0 || eval_all(context, row, entities[row], batch)) {
            batch.rows[batch.count++] = row;
        }
    }
}

// The rows [first, first + count) that pass all tests, as bits.
std::uint64_t leaf_evaluator::test_rows(exec_context& context, std::uint32_t first,
                                        std::uint32_t count) {
    std::uint64_t passing = ~std::uint64_t{0};
    for (const op* test = leaves_ - tests_; test != leaves_ && passing != 0; ++test) {
        passing &= find_passing(context, context.model.terms[test->first], first, count);
    }
    return passing;
}

// To the 64 rows that have the next candidate of an index; false if the range has none. The rows
// that are tested together are those of a scan: values that callbacks write meanwhile are seen, or
// not, as by a scan.
bool leaf_evaluator::skip_to_candidate(const exec_context& context, value_seek& seek) {
    const row_range& whole = context.self.whole;
    const std::uint32_t row = seek.next(whole.table, whole.first + next_row_);
    if (row == value_seek::no_row || row - whole.first >= whole.count) {
        return false;
    }
    next_row_ += (row - whole.first - next_row_) / 64 * 64;
    return true;
}

// The candidates among the next rows that pass all tests, as bits.
std::uint64_t leaf_evaluator::test_candidates(exec_context& context, value_seek& seek,
                                              std::uint32_t count) {
    const row_range& whole = context.self.whole;
    const std::uint32_t begin = whole.first + next_row_;
    std::uint64_t passing = 0;
    for (std::uint32_t row = seek.next(whole.table, begin);
         row != value_seek::no_row && row - begin < count; row = seek.next(whole.table, row + 1)) {
        passing |= (test_rows(context, row - whole.first, 1) & 1) << (row - begin);
    }
    return passing;
}

// Evaluates all leaves for one row.
bool leaf_evaluator::eval_all(exec_context& context, std::uint32_t row, entity_t entity,
                              row_batch& batch) {
    this_rows& self = context.self;
    self.rows = {self.whole.table, self.whole.first + row, 1};
    bool holds = true;
    for (std::uint32_t i = 0; holds && i < count_; ++i) {
        holds = eval(context, i, index_of(entity), batch);
    }
    return holds;
}

// The target of the next row, and the number of rows from there to `end` that have the same one.
sibling_run leaf_evaluator::next_siblings(const storage::link_store& links,
                                          const entity_t* entities, std::uint32_t end) noexcept {
    if (next_siblings_) {
        if (siblings_left_ == 0) {
            siblings_left_ = (next_siblings_++)->count;
        }
        const std::uint32_t count = std::min(siblings_left_, end - next_row_);
        siblings_left_ -= count;
        return {next_siblings_[-1].target, count};
    }
    auto target_of = [&](std::uint32_t row) {
        const storage::link_node* node = links.find(index_of(entities[row]));
        return node ? node->target : 0;
    };
    const std::uint32_t target = target_of(next_row_);
    std::uint32_t row = next_row_ + 1;
    while (row < end && target_of(row) == target) {
        ++row;
    }
    return {target, row - next_row_};
}

// Adds the next rows to the batch, all with the same value.
void leaf_evaluator::take_siblings(std::uint32_t count, std::byte* value,
                                   row_batch& batch) noexcept {
    const std::uint32_t first = next_row_;
    std::uint32_t* rows = batch.rows + batch.count;
    std::byte** values = batch.values[0] + batch.count;
    for (std::uint32_t i = 0; i < count; ++i) {
        rows[i] = first + i;
        values[i] = value;
    }
    batch.count += count;
}

// The most frequent case: one search upwards, along links to single targets. Neighbours often have
// the same target, so the cache is asked once for all of them. Runs by depth know the targets of
// their rows, until a callback changes links.
void leaf_evaluator::fill_by_target(exec_context& context, const entity_t* entities,
                                    row_batch& batch) {
    ancestor_cache& cache = *context.caches[leaves_[0].memo - 1];
    const storage::link_store& links = *cache.single_links();
    const term& term = context.model.terms[leaves_[0].first];
    this_rows& self = context.self;
    if (next_siblings_ && !context.proposer.siblings().holds(links)) {
        next_siblings_ = nullptr;
    }
    constexpr std::uint32_t unknown = 0xFFFFFFFF;
    std::uint32_t found_owner = unknown;
    std::byte* value = nullptr;
    bool holds = false;
    while (next_row_ < self.whole.count && batch.count < row_batch::capacity &&
           batch.source_count < row_batch::capacity) {
        const std::uint32_t room = row_batch::capacity - batch.count;
        const std::uint32_t end = std::min(self.whole.count - next_row_, room) + next_row_;
        const sibling_run siblings = next_siblings(links, entities, end);
        const std::uint32_t owner = siblings.target ? cache.find_at(siblings.target) : 0;
        if (owner != found_owner) {
            found_owner = owner;
            value = nullptr;
            self.rows = {self.whole.table, self.whole.first + next_row_, 1};
            prepare_details(context, term, batch);
            holds =
                owner == 0 ? term.oper == Optional : find_value(context, 0, owner, value, batch);
        }
        if (holds) {
            for (std::uint32_t i = 0; batch.details && i < siblings.count; ++i) {
                batch.details[batch.count + i] = context.fields[term.field];
            }
            take_siblings(siblings.count, value, batch);
        }
        next_row_ += siblings.count;
    }
}

// Evaluates one leaf for one row, and stores the value in the batch.
bool leaf_evaluator::eval(exec_context& context, std::uint32_t leaf, std::uint32_t index,
                          row_batch& batch) {
    const op& op = leaves_[leaf];
    const term& term = context.model.terms[op.first];
    std::byte*& value = batch.values[leaf][batch.count];
    if (is_cached(context, op)) {
        const std::uint32_t owner = context.caches[op.memo - 1]->find_above(index);
        value = nullptr;
        prepare_details(context, term, batch);
        const bool holds =
            owner == 0 ? term.oper == Optional : find_value(context, leaf, owner, value, batch);
        note_details(context, term, leaf, batch);
        return holds;
    }
    if (const storage::id_record* own = own_sparse_[leaf]; own && own->sparse->has(index)) {
        const std::uint32_t size =
            own->value_type ? static_cast<std::uint32_t>(own->value_type->info.size) : 0;
        const owned_id owned{own->id, static_cast<std::byte*>(own->sparse->find(index)), size};
        context.set_field(term, {1, true, 0}, owned);
        value = owned.value;
        note_details(context, term, leaf, batch);
        return true;
    }
    if (!search_.open(context, op)) {
        return false;
    }
    const detail::field_data& field = context.fields[term.field];
    value = field.value;
    note_details(context, term, leaf, batch);
    if (field.value && field.source != 0) {
        batch.source_tables[batch.source_count++] = context.data.entities.find(field.source)->table;
    }
    return true;
}

// Stores the value that the owner, an entity above the row, has of the leaf's id.
bool leaf_evaluator::find_value(exec_context& context, std::uint32_t leaf, std::uint32_t owner,
                                std::byte*& value, row_batch& batch) {
    const storage::store& data = context.data;
    last_owner& last = last_owners_[leaf];
    const storage::entity_record& record = data.entities.at(owner);
    const term& term = context.model.terms[leaves_[leaf].first];
    if (last.table != record.table) {
        const storage::table& type = data.tables.at(record.table);
        const std::int32_t position = storage::find_match(type, term.id, 0);
        if (position < 0) {
            // The owner has the id in sparse storage.
            const bool found = search_.open(context, leaves_[leaf]);
            value = context.fields[term.field].value;
            return found;
        }
        last.table = record.table;
        last.slot = type.slots[position];
        last.id = type.ids[position];
        batch.source_tables[batch.source_count++] = record.table;
    }
    value = last.slot.size
                ? storage::value_in(data.tables.rows(record.table), last.slot, record.row)
                : nullptr;
    if (batch.details) {
        context.set_field(term, {data.entities.alive_at(owner), false, 0},
                          {last.id, value, last.slot.size});
    }
    return true;
}

}  // namespace kith::queries
