// Bound runs, declared in bound_run.hpp.
#include "query/run/bound_run.hpp"

#include "base/assert.hpp"
#include "query/run/whole_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kith::queries {

namespace {

// Results with fewer neighbours than this are extended to batches.
constexpr std::uint32_t few_neighbours = 8;

// 0, 1, 2, …: the rows of a batch, whose entities and values are arrays of their own.
constexpr auto first_numbers = [] {
    std::array<std::uint32_t, 64> numbers{};
    for (std::uint32_t i = 0; i < numbers.size(); ++i) {
        numbers[i] = i;
    }
    return numbers;
}();

}  // namespace

bound_run::bound_run(const compiled_query& query, world_t* stage,
                     const detail::run_options& options)
    : model_(query.model),
      data_(static_cast<const storage::store&>(*stage->store)),
      lock_(stage, &query),
      hidden_(hidden_flags(query.model)),
      share_(share_of(options, 0, true)) {
    KITH_ASSERT(model_.count <= plan::max_simple && model_.variable_count <= plan::max_simple + 1,
                "is_given() limits the terms, each of which has one variable at most");
    variables_[0] = 0;
    if (model_.variable_count > 1) {
        std::copy(options.variables + 1, options.variables + model_.variable_count, variables_ + 1);
    }
    parameter_index* index = query.arguments.index.get();
    index = index && !index->is_outdated() ? index : nullptr;
    // Items that are tables have the pairs of these terms in their types.
    const std::uint64_t in_tables = index && index->lists_tables() ? index->terms() : 0;
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& term = model_.terms[i];
        term_id& id = ids_[i];
        id = {term.id, nullptr, nullptr, 0};
        if (term.kind == term_kind::apart) {
            answered_ |= std::uint64_t{1} << i;
            continue;
        }
        if (is_pair(term.id)) {
            id.target = term.second_variable != no_variable
                            ? index_of(variables_[term.second_variable])
                            : pair_second(term.id);
            id.id = make_pair(pair_first(term.id), id.target);
            if ((in_tables >> i) & 1) {
                continue;
            }
            id.links = storage::find_links(data_, pair_first(term.id));
        }
        id.record = id.links ? nullptr : data_.ids.find(id.id);
        if (id.is_sparse()) {
            sparse_ids_[sparse_count_++] = id.id;
            rows_alike_ &= term.oper != Optional && id.links && !id.links->has_values();
        }
    }
    lock_.sparse_ids = sparse_ids_;
    lock_.sparse_count = sparse_count_;
    std::fill(fields_, fields_ + model_.field_count, detail::field_data{});
    if (index) {
        use_index(*index);
    } else {
        choose_start();
    }
    if (!are_distinct()) {
        limit_ = 0;
    }
    by_entity_ = index_ ? !index_->lists_tables() : ids_[start_].is_sparse();
    if (by_entity_) {
        take_share();
        choose_gathered(options.noncontiguous);
    }
    collect_tests();
}

// Narrows the list of entities to the part of the share.
void bound_run::take_share() noexcept {
    if (!share_.is_all()) {
        std::uint32_t taken = 0;
        share_.take(limit_, at_, taken);
        limit_ = at_ + taken;
    }
}

// Chooses the terms whose values batches have; clears gathers_ if batches cannot have them all.
void bound_run::choose_gathered(bool noncontiguous) noexcept {
    gathers_ = noncontiguous;
    for (std::uint32_t i = 0; gathers_ && i < model_.count; ++i) {
        const term& term = model_.terms[i];
        const term_id& id = ids_[i];
        if (term.kind == term_kind::apart || term.oper == Not ||
            (id.is_sparse() && !id.has_values())) {
            continue;
        }
        gathers_ = value_count_ < max_values && !(id.is_sparse() && term.oper == Optional);
        if (gathers_) {
            value_terms_[value_count_++] = i;
        }
    }
}

// True if the variables of all `apart` terms have different values.
bool bound_run::are_distinct() const noexcept {
    return std::none_of(model_.begin(), model_.end(), [&](const term& term) {
        return term.kind == term_kind::apart &&
               variables_[term.source_variable] == variables_[term.second_variable];
    });
}

// Walks the list that the parameter index has for the values of the variables.
void bound_run::use_index(parameter_index& index) noexcept {
    index_ = &index;
    answered_ |= index.terms();
    list_ = index_->find(variables_);
    limit_ = index_->size(list_);
}

// Walks the list of the required term with the fewest candidates.
void bound_run::choose_start() noexcept {
    std::uint32_t fewest = 0xFFFFFFFF;
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        if (model_.terms[i].oper != And || model_.terms[i].kind != term_kind::ids) {
            continue;
        }
        if (const std::uint32_t count = count_candidates(ids_[i], fewest); count < fewest) {
            fewest = count;
            start_ = i;
        }
    }
    limit_ = start_size(ids_[start_]);
    answered_ |= std::uint64_t{1} << start_;
}

// Lists the terms with sparse ids that candidates may lack.
void bound_run::collect_tests() noexcept {
    for (std::uint32_t i = 0; sparse_count_ != 0 && i < model_.count; ++i) {
        if (!((answered_ >> i) & 1) && model_.terms[i].oper != Optional && ids_[i].is_sparse()) {
            tests_[test_count_++] = i;
        }
    }
}

// The length of the list of a term: its sources, entities or tables.
std::uint32_t bound_run::start_size(const term_id& candidate) noexcept {
    return candidate.links            ? candidate.links->sources(candidate.target).size
           : !candidate.record        ? 0
           : candidate.record->sparse ? candidate.record->sparse->count()
                                      : candidate.record->active;
}

// The number of candidates of a term: tables if the query has no sparse ids, else rows. Counting
// stops at `fewest`.
std::uint32_t bound_run::count_candidates(const term_id& candidate,
                                          std::uint32_t fewest) const noexcept {
    if (!candidate.record || candidate.is_sparse() || sparse_count_ == 0) {
        return start_size(candidate);
    }
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < candidate.record->active && count < fewest; ++i) {
        count += 1 + data_.tables.rows(candidate.record->tables[i].table).count;
    }
    return count;
}

// True if the entity satisfies the terms with sparse ids.
bool bound_run::fits_sparse(std::uint32_t index) const noexcept {
    for (std::uint32_t i = 0; i < test_count_; ++i) {
        const std::uint32_t number = tests_[i];
        if (ids_[number].has_sparse(index) != (model_.terms[number].oper == And)) {
            return false;
        }
    }
    return true;
}

// True if the table is visible and satisfies the terms that are answered by its type.
bool bound_run::fits_type(const storage::table& type) const noexcept {
    if (type.flags & hidden_) {
        return false;
    }
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const oper_kind_t oper = model_.terms[i].oper;
        if (!((answered_ >> i) & 1) && oper != Optional && !ids_[i].is_sparse() &&
            (storage::find_id_inline(type, ids_[i].id) >= 0) != (oper == And)) {
            return false;
        }
    }
    return true;
}

// Fills in the fields of a row. `record` and `entity` are needed for sparse ids only.
void bound_run::fill(const storage::table& type, const storage::entity_record* record,
                     entity_t entity, std::uint32_t row) noexcept {
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& term = model_.terms[i];
        const term_id& id = ids_[i];
        if (term.kind == term_kind::apart) {
            continue;
        }
        detail::field_data& field = fields_[term.field];
        if (term.oper == Not) {
            field = unset_field(term);
        } else if (!id.is_sparse()) {
            const std::int32_t position = storage::find_id_inline(type, id.id);
            field = position < 0 ? unset_field(term)
                                 : column_field(term, type, data_.tables.rows(type.number),
                                                static_cast<std::uint32_t>(position), row);
        } else if (id.has_sparse(index_of(entity))) {
            owned_id owned{id.id, nullptr, 0};
            owned_id_position position;
            if (id.has_values()) {
                next_owned_id(data_, {&type, record, entity, row}, id.id, visibility::own, position,
                              owned);
            }
            field = owned_field(term, owned.id, owned.value, owned.size);
        } else {
            field = unset_field(term);
        }
    }
}

// The entities of the list that is walked, as it is now. Requires: by_entity_.
bound_run::entity_list bound_run::start_list() const noexcept {
    entity_list list;
    if (index_) {
        list = {index_->items(list_), index_->size(list_)};
    } else if (const term_id& candidate = ids_[start_]; candidate.links) {
        const storage::source_span sources = candidate.links->sources(candidate.target);
        list = {sources.items, sources.size};
    } else {
        list = {candidate.record->sparse->entities(), candidate.record->sparse->count()};
    }
    list.size = std::min(limit_, list.size);
    return list;
}

// The next result of a run over entities.
bool bound_run::next_entity(detail::result& result) noexcept {
    const entity_list list = start_list();
    while (at_ < list.size) {
        KITH_COUNT(steps);
        const entity_t entity = list.items[at_++];
        if (entity == 0 || !fits_sparse(index_of(entity))) {
            continue;
        }
        const storage::entity_record& record = data_.entities.at(index_of(entity));
        const storage::table& type = data_.tables.at(record.table);
        if (fits_type(type)) {
            accept_row(record.table, record.row, entity, result);
            if (rows_alike_) {
                add_neighbours(list, result);
            }
            if (gathers_ && result.count < few_neighbours) {
                gather(list, result);
            }
            return true;
        }
    }
    return false;
}

// Extends a result by the next entities of the list, as long as they are the next rows of the
// table.
void bound_run::add_neighbours(const entity_list& list, detail::result& result) noexcept {
    const entity_t* const entities = result.entities;
    const std::uint32_t in_table = data_.tables.rows(result.table).count - result.first_row;
    const std::uint32_t most = std::min(in_table, list.size - at_ + 1);
    const entity_t* const items = list.items + at_ - 1;
    std::uint32_t count = 1;
    while (count < most && items[count] == entities[count] &&
           (test_count_ == 0 || fits_sparse(index_of(items[count])))) {
        KITH_COUNT(visits);
        ++count;
    }
    at_ += count - 1;
    result.count = count;
}

// Extends a result by rows of later entities, which need not be adjacent in their tables.
void bound_run::gather(const entity_list& list, detail::result& result) noexcept {
    const std::uint32_t count = collect(list, result);
    if (count == result.count) {
        return;
    }
    result.entities = batch_.entities;
    result.count = count;
    result.rows = first_numbers.data();
    result.first_row = 0;
    for (std::uint32_t i = 0; i < value_count_; ++i) {
        find_values(i, count);
        fields_[model_.terms[value_terms_[i]].field].values = batch_.values[i];
    }
    lock_.more_tables = batch_.locked;
    lock_.more_count = batch_.lock_count;
}

// Fills the batch with the rows of the result and of later entities of the list. Returns the number
// of rows.
std::uint32_t bound_run::collect(const entity_list& list, const detail::result& result) noexcept {
    batch& into = batch_;
    into.table_count = into.lock_count = 0;
    add_table(result.table);
    // Local copies stay in registers.
    std::uint32_t count = 0;
    std::uint32_t tables = into.table_count;
    std::uint32_t position = at_;
    const bool tested = test_count_ != 0;
    auto add = [&](entity_t entity, std::uint32_t row, std::uint32_t table) {
        into.entities[count] = entity;
        into.rows[count] = row;
        into.table_of[count++] = static_cast<std::uint8_t>(table);
    };
    while (count < result.count) {
        add(result.entities[count], result.first_row + count, 0);
    }
    for (; position < list.size && count < batch_size; ++position) {
        KITH_COUNT(visits);
        const entity_t entity = list.items[position];
        const std::uint32_t index = index_of(entity);
        if (entity == 0 || (tested && !fits_sparse(index))) {
            continue;
        }
        const storage::entity_record& record = data_.entities.at(index);
        std::uint32_t table = 0;
        while (table < tables && into.tables[table] != record.table) {
            ++table;
        }
        if (table == tables) {
            if (table == batch_tables) {
                break;
            }
            add_table(record.table);
            ++tables;
        }
        if (into.fits[table]) {
            add(entity, record.row, table);
        }
    }
    at_ = position;
    return count;
}

// Adds a table to the batch. Requires: the batch has room.
void bound_run::add_table(std::uint32_t number) noexcept {
    KITH_ASSERT(batch_.table_count < batch_tables, "the batch has room for a table");
    const std::uint32_t index = batch_.table_count++;
    const storage::table& type = data_.tables.at(number);
    batch_.tables[index] = number;
    batch_.fits[index] = fits_type(type);
    if (!batch_.fits[index]) {
        return;
    }
    batch_.locked[batch_.lock_count++] = number;
    for (std::uint32_t i = 0; i < value_count_; ++i) {
        const term_id& id = ids_[value_terms_[i]];
        const std::int32_t position = id.is_sparse() ? -1 : storage::find_id(type, id.id);
        const detail::column column = position < 0 ? detail::column{} : type.slots[position];
        batch_.columns[index][i] = {
            column.size != 0 ? storage::column_data(data_.tables.rows(number), column) : nullptr,
            column.size};
    }
}

// Fills in the addresses of one field's values for all rows of the batch.
void bound_run::find_values(std::uint32_t field, std::uint32_t count) noexcept {
    const term_id& id = ids_[value_terms_[field]];
    std::byte** values = batch_.values[field];
    if (id.is_sparse()) {
        for (std::uint32_t i = 0; i < count; ++i) {
            values[i] = static_cast<std::byte*>(id.value_sparse(index_of(batch_.entities[i])));
        }
        return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        const value_column& column = batch_.columns[batch_.table_of[i]][field];
        values[i] =
            column.values ? column.values + std::size_t{column.size} * batch_.rows[i] : nullptr;
    }
}

// Makes a result of one row.
void bound_run::accept_row(std::uint32_t number, std::uint32_t row, entity_t entity,
                           detail::result& result) noexcept {
    const storage::table& type = data_.tables.at(number);
    fill(type, &data_.entities.at(index_of(entity)), entity, row);
    hand_out(number, row, 1, result);
}

// Makes a result of neighbouring rows, whose fields are filled in, and locks their table.
void bound_run::hand_out(std::uint32_t number, std::uint32_t first, std::uint32_t count,
                         detail::result& result) noexcept {
    result = rows_of_table(data_, {number, first, count}, fields_, model_.field_count);
    result.variables = model_.variable_count > 1 ? variables_ : nullptr;
    lock_.table = number;
}

// The next table of the list that fits; 0 at the end. Sets row_ and row_end_ to the rows of the
// share.
std::uint32_t bound_run::next_table() noexcept {
    const storage::id_record* record = index_ ? nullptr : ids_[start_].record;
    const std::uint32_t size = index_ ? index_->size(list_) : record ? record->active : 0;
    const std::uint32_t count = std::min(limit_, size);
    while (at_ < count) {
        KITH_COUNT(steps);
        const std::uint32_t position = at_++;
        const auto number = index_ ? static_cast<std::uint32_t>(index_->item(list_, position))
                                   : record->tables[position].table;
        const std::uint32_t rows = number != 0 ? data_.tables.rows(number).count : 0;
        row_ = 0;
        std::uint32_t taken = rows;
        if (rows != 0 && (share_.is_all() || share_.take(rows, row_, taken)) &&
            fits_type(data_.tables.at(number))) {
            row_end_ = row_ + taken;
            return number;
        }
    }
    return 0;
}

// The next rows of the table that have the sparse ids of the query.
bool bound_run::next_fitting_row(detail::result& result) noexcept {
    const detail::table_rows& rows = data_.tables.rows(table_);
    const std::uint32_t end = std::min(row_end_, rows.count);
    const entity_t* const entities = storage::entities_of(data_.tables.at(table_), rows);
    while (row_ < end) {
        const std::uint32_t row = row_++;
        if (!fits_sparse(index_of(entities[row]))) {
            continue;
        }
        accept_row(table_, row, entities[row], result);
        while (rows_alike_ && row_ < end && fits_sparse(index_of(entities[row_]))) {
            ++row_;
            ++result.count;
        }
        return true;
    }
    return false;
}

// The next whole table, or the next row that has the sparse ids of the query.
bool bound_run::next_row(detail::result& result) noexcept {
    for (;;) {
        if (table_ != 0 && next_fitting_row(result)) {
            return true;
        }
        table_ = next_table();
        if (table_ == 0) {
            return false;
        }
        if (sparse_count_ == 0) {
            const std::uint32_t number = std::exchange(table_, 0);
            fill(data_.tables.at(number), nullptr, 0, row_);
            hand_out(number, row_, row_end_ - row_, result);
            return true;
        }
    }
}

bool bound_run::next(detail::result& result) noexcept {
    lock_.more_count = 0;
    const bool any = by_entity_ ? next_entity(result) : next_row(result);
    if (!any) {
        lock_.table = 0;
    }
    return any;
}

}  // namespace kith::queries
