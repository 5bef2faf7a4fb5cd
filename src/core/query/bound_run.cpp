#include "query/bound_run.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kith::queries {

namespace {

// Shorter runs of neighbours are handed out in batches.
constexpr std::uint32_t few_neighbours = 8;

constexpr auto first_numbers = [] {
    std::array<std::uint32_t, 64> made{};
    for (std::uint32_t i = 0; i < made.size(); ++i) {
        made[i] = i;
    }
    return made;
}();

// True if $this can be found from a target of links. Rows with values beside their table, or with
// optional ids there, differ from each other: unless they are handed out in batches, the machine
// joins more of them.
bool starts_with_link(const query_model& model, const storage::store& data,
                      bool noncontiguous) noexcept {
    bool starts = false;
    for (const term& term : model) {
        const storage::link_store* links =
            is_pair(term.id) ? storage::find_links(data, pair_first(term.id)) : nullptr;
        const storage::id_record* record = links ? nullptr : data.ids.find(term.id);
        const bool sparse = record && record->sparse;
        const bool differs = sparse || (links && links->has_values());
        if ((differs && !noncontiguous) || ((links || sparse) && term.oper == Optional)) {
            return false;
        }
        starts |= links && term.oper == And;
    }
    return starts;
}

}  // namespace

bool bound_run::fits(const compiled_query& query, const storage::store& data,
                     const detail::run_options& options) {
    if (!data.toggled_ids.empty()) {
        return false;
    }
    if (options.variable_set == 0) {
        return query.steps.given && !query.steps.graph && options.is_plain_share() &&
               (!query.steps.inheritable || data.bases->pairs.empty()) &&
               starts_with_link(query.model, data, options.noncontiguous);
    }
    if (!query.steps.graph || !data.bases->pairs.empty()) {
        return false;
    }
    detail::run_options others = options;
    others.variable_set = 0;
    if (!others.is_plain_share() ||
        !plan_for(const_cast<compiled_query&>(query), data, options.variable_set).given) {
        return false;
    }
    // Not for one that is gone since it was given, nor for the entity `*`: its pair is a pattern.
    return std::all_of(
        options.variables + 1, options.variables + query.model.variable_count, [&](entity_t value) {
            return data.entities.find(value) && !is_wildcard_element(index_of(value));
        });
}

bound_run::bound_run(const compiled_query& query, world_t* stage,
                     const detail::run_options& options)
    : model_(query.model),
      data_(static_cast<const storage::store&>(*stage->store)),
      lock_(stage, &query),
      hidden_(hidden_flags(query.model)),
      share_(share_of(options, 0, true)) {
    variables_[0] = 0;
    if (model_.variable_count > 1) {
        std::copy(options.variables + 1, options.variables + model_.variable_count, variables_ + 1);
    }
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& term = model_.terms[i];
        wanted& made = wanted_[i];
        made = {term.id, nullptr, nullptr, 0};
        if (term.kind == term_kind::apart) {
            answered_ |= std::uint64_t{1} << i;
            continue;
        }
        if (is_pair(term.id)) {
            made.target = term.second_variable != no_variable
                              ? index_of(variables_[term.second_variable])
                              : pair_second(term.id);
            made.id = make_pair(pair_first(term.id), made.target);
            made.links = storage::find_links(data_, pair_first(term.id));
        }
        made.record = made.links ? nullptr : data_.ids.find(made.id);
        if (made.is_sparse()) {
            sparse_ids_[sparse_count_++] = made.id;
            rows_alike_ &= term.oper != Optional && made.links && !made.links->has_values();
        }
    }
    lock_.sparse_ids = sparse_ids_;
    lock_.sparse_count = sparse_count_;
    std::fill(fields_, fields_ + model_.field_count, detail::field_data{});
    if (query.index && !query.index->is_outdated()) {
        use_index(query);
    } else {
        choose_start();
    }
    if (!are_distinct()) {
        limit_ = 0;
    }
    by_entity_ = index_ ? !index_->lists_tables() : wanted_[start_].is_sparse();
    if (by_entity_) {
        take_share();
        choose_gathered(options.noncontiguous);
    }
    collect_tests();
}

// The part of the list of entities that the share has.
void bound_run::take_share() noexcept {
    if (!share_.is_all()) {
        std::uint32_t taken = 0;
        share_.take(limit_, at_, taken);
        limit_ = at_ + taken;
    }
}

// Which terms batches have values of.
void bound_run::choose_gathered(bool noncontiguous) noexcept {
    gathers_ = noncontiguous;
    for (std::uint32_t i = 0; gathers_ && i < model_.count; ++i) {
        const term& term = model_.terms[i];
        const wanted& asked = wanted_[i];
        if (term.kind == term_kind::apart || term.oper == Not ||
            (asked.is_sparse() && !asked.has_values())) {
            continue;
        }
        gathers_ = value_count_ < max_values && !(asked.is_sparse() && term.oper == Optional);
        if (gathers_) {
            value_terms_[value_count_++] = i;
        }
    }
}

// Of a relationship that is asked for twice, the targets must differ.
bool bound_run::are_distinct() const noexcept {
    return std::none_of(model_.begin(), model_.end(), [&](const term& term) {
        return term.kind == term_kind::apart &&
               variables_[term.source_variable] == variables_[term.second_variable];
    });
}

void bound_run::use_index(const compiled_query& query) noexcept {
    index_ = query.index.get();
    answered_ |= index_->terms();
    list_ = index_->find(variables_);
    limit_ = index_->size(list_);
}

void bound_run::choose_start() noexcept {
    std::uint32_t fewest = 0xFFFFFFFF;
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        if (model_.terms[i].oper != And || model_.terms[i].kind != term_kind::ids) {
            continue;
        }
        if (const std::uint32_t count = count_candidates(wanted_[i], fewest); count < fewest) {
            fewest = count;
            start_ = i;
        }
    }
    limit_ = start_size(wanted_[start_]);
    answered_ |= std::uint64_t{1} << start_;
}

void bound_run::collect_tests() noexcept {
    for (std::uint32_t i = 0; sparse_count_ != 0 && i < model_.count; ++i) {
        if (!((answered_ >> i) & 1) && model_.terms[i].oper != Optional && wanted_[i].is_sparse()) {
            tests_[test_count_++] = i;
        }
    }
}

// The entities or tables in the list that the run would start with.
std::uint32_t bound_run::start_size(const wanted& one) noexcept {
    return one.links            ? one.links->sources(one.target).size
           : !one.record        ? 0
           : one.record->sparse ? one.record->sparse->count()
                                : one.record->active;
}

// What a run that starts there has to look at: tables, if nothing else is to be asked, else rows.
// No more is counted than what is the fewest so far.
std::uint32_t bound_run::count_candidates(const wanted& one, std::uint32_t fewest) const noexcept {
    if (!one.record || one.is_sparse() || sparse_count_ == 0) {
        return start_size(one);
    }
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < one.record->active && count < fewest; ++i) {
        count += 1 + data_.tables.rows(one.record->tables[i].table).count;
    }
    return count;
}

bool bound_run::fits_sparse(std::uint32_t index) const noexcept {
    for (std::uint32_t i = 0; i < test_count_; ++i) {
        const std::uint32_t number = tests_[i];
        if (wanted_[number].has_sparse(index) != (model_.terms[number].oper == And)) {
            return false;
        }
    }
    return true;
}

bool bound_run::fits_type(const storage::table& type) const noexcept {
    if (type.flags & hidden_) {
        return false;
    }
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const oper_kind_t how = model_.terms[i].oper;
        if (!((answered_ >> i) & 1) && how != Optional && !wanted_[i].is_sparse() &&
            (storage::find_id(type, wanted_[i].id) >= 0) != (how == And)) {
            return false;
        }
    }
    return true;
}

void bound_run::fill(const storage::table& type, const storage::entity_record* record,
                     entity_t entity, std::uint32_t row) noexcept {
    const location where{&type, record, entity, row};
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& term = model_.terms[i];
        const wanted& asked = wanted_[i];
        if (term.kind == term_kind::apart) {
            continue;
        }
        owned_id owned{asked.id, nullptr, 0};
        bool has = term.oper != Not;
        if (has && asked.is_sparse()) {
            has = asked.has_sparse(index_of(entity));
            owned_id_position position;
            if (has && (!asked.links || asked.links->has_values())) {
                next_owned_id(data_, where, asked.id, visibility::own, position, owned);
            }
        } else if (has) {
            const std::int32_t position = storage::find_id(type, asked.id);
            has = position >= 0;
            if (const detail::column slot = has ? type.slots[position] : detail::column{};
                slot.size != 0) {
                owned.value = storage::value_in(data_.tables.rows(type.number), slot, row);
                owned.size = slot.size;
            }
        }
        fields_[term.field] =
            has ? detail::
                      field_data{owned.value,
                                 nullptr,
                                 owned.id,
                                 0,
                                 owned.size,
                                 detail::field_set | (is_readonly(term, true) ? detail::field_readonly : 0u)}
                : detail::field_data{nullptr, nullptr, term.id, 0, 0, 0};
    }
}

bound_run::entity_list bound_run::start_list() const noexcept {
    entity_list list;
    if (index_) {
        list = {index_->items(list_), index_->size(list_)};
    } else if (const wanted& one = wanted_[start_]; one.links) {
        const storage::source_span sources = one.links->sources(one.target);
        list = {sources.items, sources.size};
    } else {
        list = {one.record->sparse->entities(), one.record->sparse->count()};
    }
    list.size = std::min(limit_, list.size);
    return list;
}

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

// Entities of the list that follow in the table, too.
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

// Puts rows into the batch, and returns how many there are.
std::uint32_t bound_run::collect(const entity_list& list, const detail::result& result) noexcept {
    batch& into = batch_;
    into.table_count = into.lock_count = 0;
    add_table(result.table);
    // Copies, which stay in registers.
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

void bound_run::add_table(std::uint32_t number) noexcept {
    const std::uint32_t index = batch_.table_count++;
    const storage::table& type = data_.tables.at(number);
    batch_.tables[index] = number;
    batch_.fits[index] = fits_type(type);
    if (!batch_.fits[index]) {
        return;
    }
    batch_.locked[batch_.lock_count++] = number;
    for (std::uint32_t i = 0; i < value_count_; ++i) {
        const wanted& asked = wanted_[value_terms_[i]];
        const std::int32_t position = asked.is_sparse() ? -1 : storage::find_id(type, asked.id);
        const detail::column slot = position < 0 ? detail::column{} : type.slots[position];
        batch_.columns[index][i] = {
            slot.size != 0 ? storage::column_data(data_.tables.rows(number), slot) : nullptr,
            slot.size};
    }
}

// The values of one field for all rows of the batch.
void bound_run::find_values(std::uint32_t field, std::uint32_t count) noexcept {
    const wanted& asked = wanted_[value_terms_[field]];
    std::byte** values = batch_.values[field];
    if (asked.is_sparse()) {
        for (std::uint32_t i = 0; i < count; ++i) {
            values[i] = static_cast<std::byte*>(asked.value_sparse(index_of(batch_.entities[i])));
        }
        return;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        const value_column& column = batch_.columns[batch_.table_of[i]][field];
        values[i] =
            column.values ? column.values + std::size_t{column.size} * batch_.rows[i] : nullptr;
    }
}

void bound_run::accept_row(std::uint32_t number, std::uint32_t row, entity_t entity,
                           detail::result& result) noexcept {
    const storage::table& type = data_.tables.at(number);
    fill(type, &data_.entities.at(index_of(entity)), entity, row);
    hand_out(number, row, 1, result);
}

void bound_run::hand_out(std::uint32_t number, std::uint32_t first, std::uint32_t count,
                         detail::result& result) noexcept {
    const storage::table& type = data_.tables.at(number);
    result = {storage::entities_of(type, data_.tables.rows(number)) + first,
              count,
              number,
              first,
              nullptr,
              false,
              false,
              fields_,
              model_.field_count,
              model_.variable_count > 1 ? variables_ : nullptr,
              0};
    lock_.table = number;
}

// The next table that fits; 0: none.
std::uint32_t bound_run::next_table() noexcept {
    const storage::id_record* record = index_ ? nullptr : wanted_[start_].record;
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

// Of the rows that are looked at, the next that have what lies beside.
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
