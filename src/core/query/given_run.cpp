#include "query/given_run.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// True if $this can be found from a target of links: rows that have them are alike then, for what
// lies beside the tables has no values, and neighbours are one result.
bool starts_with_link(const query_model& model, const storage::store& data) noexcept {
    bool starts = false;
    for (const term& one : model) {
        const storage::link_store* links =
            is_pair(one.id) ? storage::find_links(data, pair_first(one.id)) : nullptr;
        const storage::id_record* record = links ? nullptr : data.ids.find(one.id);
        if ((record && record->sparse) || (links && (one.oper != And || links->has_values()))) {
            return false;
        }
        starts |= links != nullptr;
    }
    return starts;
}

}  // namespace

bool given_run::fits(const compiled_query& query, const storage::store& data,
                     const detail::run_options& options) {
    if (!data.toggled_ids.empty()) {
        return false;
    }
    if (options.variable_set == 0) {
        return query.steps.given && !query.steps.graph && options.is_plain() &&
               (!query.steps.inheritable || data.bases->pairs.empty()) &&
               starts_with_link(query.model, data);
    }
    if (!query.steps.graph || !data.bases->pairs.empty()) {
        return false;
    }
    detail::run_options others = options;
    others.variable_set = 0;
    if (!others.is_plain() ||
        !plan_for(const_cast<compiled_query&>(query), data, options.variable_set).given) {
        return false;
    }
    // Not for one that is gone since it was given, nor for the entity `*`: its pair is a pattern.
    return std::all_of(
        options.variables + 1, options.variables + query.model.variable_count, [&](entity_t value) {
            return data.entities.find(value) && !is_wildcard_element(index_of(value));
        });
}

given_run::given_run(const compiled_query& query, world_t* stage,
                     const detail::run_options& options)
    : model_(query.model),
      data_(static_cast<const storage::store&>(*stage->store)),
      lock_(stage, &query),
      hidden_(hidden_flags(query.model)) {
    variables_[0] = 0;
    if (model_.variable_count > 1) {
        std::copy(options.variables + 1, options.variables + model_.variable_count, variables_ + 1);
    }
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& one = model_.terms[i];
        wanted& made = wanted_[i];
        made = {one.id, nullptr, nullptr, 0};
        if (one.kind == term_kind::apart) {
            answered_ |= std::uint64_t{1} << i;
            continue;
        }
        if (is_pair(one.id)) {
            made.target = one.second_variable != no_variable
                              ? index_of(variables_[one.second_variable])
                              : pair_second(one.id);
            made.id = make_pair(pair_first(one.id), made.target);
            made.links = storage::find_links(data_, pair_first(one.id));
        }
        made.record = made.links ? nullptr : data_.ids.find(made.id);
        if (made.is_beside()) {
            beside_ids_[beside_count_++] = made.id;
            rows_alike_ &= one.oper != Optional && made.links && !made.links->has_values();
        }
    }
    lock_.sparse_ids = beside_ids_;
    lock_.sparse_count = beside_count_;
    std::fill(fields_, fields_ + model_.field_count, detail::field_data{});
    if (query.index && !query.index->is_outdated()) {
        use_index(query);
    } else {
        choose_start();
    }
    if (!is_apart()) {
        limit_ = 0;
    }
    collect_tests();
}

// Of a relationship that is asked for twice, the targets must differ.
bool given_run::is_apart() const noexcept {
    return std::none_of(model_.begin(), model_.end(), [&](const term& one) {
        return one.kind == term_kind::apart &&
               variables_[one.source_variable] == variables_[one.second_variable];
    });
}

void given_run::use_index(const compiled_query& query) noexcept {
    index_ = query.index.get();
    answered_ |= index_->terms();
    list_ = index_->find(variables_);
    limit_ = index_->size(list_);
}

void given_run::choose_start() noexcept {
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

void given_run::collect_tests() noexcept {
    for (std::uint32_t i = 0; beside_count_ != 0 && i < model_.count; ++i) {
        if (!((answered_ >> i) & 1) && model_.terms[i].oper != Optional && wanted_[i].is_beside()) {
            tests_[test_count_++] = i;
        }
    }
}

// The entities or tables in the list that the run would start with.
std::uint32_t given_run::start_size(const wanted& one) noexcept {
    return one.links            ? one.links->sources(one.target).size
           : !one.record        ? 0
           : one.record->sparse ? one.record->sparse->count()
                                : one.record->active;
}

// What a run that starts there has to look at: tables, if nothing else is to be asked, else rows.
// No more is counted than what is the fewest so far.
std::uint32_t given_run::count_candidates(const wanted& one, std::uint32_t fewest) const noexcept {
    if (!one.record || one.is_beside() || beside_count_ == 0) {
        return start_size(one);
    }
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < one.record->active && count < fewest; ++i) {
        count += 1 + data_.tables.rows(one.record->tables[i].table).count;
    }
    return count;
}

bool given_run::fits_beside(std::uint32_t index) const noexcept {
    for (std::uint32_t i = 0; i < test_count_; ++i) {
        const std::uint32_t number = tests_[i];
        if (wanted_[number].has_beside(index) != (model_.terms[number].oper == And)) {
            return false;
        }
    }
    return true;
}

bool given_run::fits_type(const storage::table& type) const noexcept {
    if (type.flags & hidden_) {
        return false;
    }
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const oper_kind_t how = model_.terms[i].oper;
        if (!((answered_ >> i) & 1) && how != Optional && !wanted_[i].is_beside() &&
            (storage::find_id(type, wanted_[i].id) >= 0) != (how == And)) {
            return false;
        }
    }
    return true;
}

void given_run::fill(const storage::table& type, const storage::entity_record* record,
                     entity_t entity, std::uint32_t row) noexcept {
    const place where{&type, record, entity, row};
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& one = model_.terms[i];
        const wanted& asked = wanted_[i];
        if (one.kind == term_kind::apart) {
            continue;
        }
        found_id found{asked.id, nullptr, 0};
        bool has = one.oper != Not;
        if (has && asked.is_beside()) {
            has = asked.has_beside(index_of(entity));
            own_position position;
            if (has && (!asked.links || asked.links->has_values())) {
                next_own(data_, where, asked.id, offer::own, position, found);
            }
        } else if (has) {
            const std::int32_t position = storage::find_id(type, asked.id);
            has = position >= 0;
            if (const detail::column slot = has ? type.slots[position] : detail::column{};
                slot.size != 0) {
                found.value = storage::value_in(data_.tables.rows(type.number), slot, row);
                found.size = slot.size;
            }
        }
        fields_[one.field] =
            has ? detail::
                      field_data{found.value,
                                 nullptr,
                                 found.id,
                                 0,
                                 found.size,
                                 detail::field_set | (is_readonly(one, true) ? detail::field_readonly : 0u)}
                : detail::field_data{nullptr, nullptr, one.id, 0, 0, 0};
    }
}

std::uint64_t given_run::next_listed() noexcept {
    const std::uint32_t count = std::min(limit_, index_->size(list_));
    while (at_ < count) {
        if (std::uint64_t item = index_->item(list_, at_++)) {
            return item;
        }
    }
    return 0;
}

// The next entity of the list that the run starts with; 0: none.
entity_t given_run::next_start() noexcept {
    if (index_) {
        return next_listed();
    }
    const wanted& one = wanted_[start_];
    if (one.links) {
        const storage::source_span sources = one.links->sources(one.target);
        const std::uint32_t count = std::min(limit_, sources.size);
        while (at_ < count) {
            if (entity_t entity = sources.items[at_++]) {
                return entity;
            }
        }
        return 0;
    }
    const storage::sparse_store& values = *one.record->sparse;
    return at_ < std::min(limit_, values.count()) ? values.entities()[at_++] : 0;
}

bool given_run::next_entity(detail::result& found) noexcept {
    while (entity_t entity = next_start()) {
        KITH_COUNT(steps);
        if (!fits_beside(index_of(entity))) {
            continue;
        }
        const storage::entity_record& record = data_.entities.at(index_of(entity));
        const storage::table& type = data_.tables.at(record.table);
        if (fits_type(type)) {
            take_row(record.table, record.row, entity, found);
            add_neighbours(found);
            return true;
        }
    }
    return false;
}

// Entities of one list were often made one after the other: rows that follow are one result.
void given_run::add_neighbours(detail::result& found) noexcept {
    while (rows_alike_) {
        const std::uint32_t before = at_;
        const entity_t entity = next_start();
        const storage::entity_record* record =
            entity ? &data_.entities.at(index_of(entity)) : nullptr;
        if (!record || record->table != found.table ||
            record->row != found.first_row + found.count || !fits_beside(index_of(entity))) {
            at_ = before;
            return;
        }
        ++found.count;
    }
}

void given_run::take_row(std::uint32_t number, std::uint32_t row, entity_t entity,
                         detail::result& found) noexcept {
    const storage::table& type = data_.tables.at(number);
    fill(type, &data_.entities.at(index_of(entity)), entity, row);
    hand_out(number, row, 1, found);
}

void given_run::hand_out(std::uint32_t number, std::uint32_t first, std::uint32_t count,
                         detail::result& found) noexcept {
    const storage::table& type = data_.tables.at(number);
    found = {storage::entities_of(type, data_.tables.rows(number)) + first,
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

// Whole tables, or the rows of them that have what lies beside.
bool given_run::next_row(detail::result& found) noexcept {
    const storage::id_record* record = index_ ? nullptr : wanted_[start_].record;
    for (;;) {
        if (table_ != 0) {
            const storage::table& type = data_.tables.at(table_);
            const detail::table_rows& rows = data_.tables.rows(table_);
            while (row_ < rows.count) {
                const std::uint32_t row = row_++;
                const entity_t entity = storage::entities_of(type, rows)[row];
                if (fits_beside(index_of(entity))) {
                    take_row(table_, row, entity, found);
                    return true;
                }
            }
            table_ = 0;
        }
        const bool more = record && at_ < std::min(limit_, record->active);
        const std::uint32_t number = index_ ? static_cast<std::uint32_t>(next_listed())
                                     : more ? record->tables[at_++].table
                                            : 0;
        if (number == 0) {
            return false;
        }
        KITH_COUNT(steps);
        const detail::table_rows& rows = data_.tables.rows(number);
        const storage::table& type = data_.tables.at(number);
        if (rows.count == 0 || !fits_type(type)) {
            continue;
        }
        if (beside_count_ != 0) {
            table_ = number;
            row_ = 0;
            continue;
        }
        fill(type, nullptr, 0, 0);
        hand_out(number, 0, rows.count, found);
        return true;
    }
}

bool given_run::next(detail::result& found) noexcept {
    const bool by_entity = index_ ? !index_->lists_tables() : wanted_[start_].is_beside();
    const bool any = by_entity ? next_entity(found) : next_row(found);
    if (!any) {
        lock_.table = 0;
    }
    return any;
}

}  // namespace kith::queries
