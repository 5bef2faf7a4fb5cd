#include "query/cache/match_cache.hpp"

#include "base/counters.hpp"
#include "traits/inherit.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace kith::queries {

using containers::purpose;
using storage::id_record;

namespace {

constexpr id_t any_base = make_pair(IsA, Wildcard);

// One table, once, whatever its rows.
class only_table final : public candidates {
public:
    explicit only_table(std::uint32_t number) noexcept : number_(number) {}
    bool next(row_range& rows, detail::field_data*) override {
        rows = {number_, 0, 0};
        return !std::exchange(taken_, true);
    }
    void restart() override { taken_ = false; }

private:
    std::uint32_t number_;
    bool taken_ = false;
};

// The id that a table must have to match, and that is in the fewest tables.
id_t rarest_id(const storage::store& data, const query_model& model, const plan& steps) noexcept {
    id_t best = 0;
    std::size_t fewest = ~std::size_t{0};
    for (std::uint32_t i = 0; i < model.count; ++i) {
        const term& term = model.terms[i];
        if (!((steps.cached >> i) & 1) || !term.is_required() || !(term.flags & Self) ||
            is_open(term.id)) {
            continue;
        }
        bool any_target = is_pair(term.id) && is_wildcard_element(pair_second(term.id));
        id_t id = any_target ? make_pair(pair_first(term.id), Wildcard) : term.id;
        const id_record* record = data.ids.find(id);
        std::size_t count = !record ? 0 : any_target ? record->active_pairs : record->active;
        if (count < fewest) {
            best = id;
            fewest = count;
        }
    }
    return best;
}

// Of the steps, those that look at a table's type alone.
plan table_part(const query_model& model, const plan& steps) noexcept {
    plan part;
    part.cached = steps.cached;
    part.dead = steps.dead;
    part.inherits = steps.inherits;
    part.plain = steps.plain;
    part.ops[part.count++] = {op_code::scan, op_level::table, 0, 0, 0};
    for (std::uint32_t i = 0; i < model.count;) {
        std::uint32_t last = i + 1;
        while (model.terms[last - 1].oper == Or) {
            ++last;
        }
        if ((steps.cached >> i) & 1) {
            part.ops[part.count++] = {model.terms[i].in_chain ? op_code::chain : op_code::match,
                                      op_level::table, static_cast<std::uint8_t>(i),
                                      static_cast<std::uint8_t>(last), 0};
        }
        i = last;
    }
    return part;
}

std::uint64_t hash_table(std::uint32_t number) noexcept {
    return number * 0x9E3779B1u;
}

}  // namespace

match_cache::match_cache(storage::store& data, cache_registry& registry,
                         const query_model& model) noexcept
    : data_(data), registry_(registry), model_(model) {}

match_cache::~match_cache() {
    registry_.remove(*this);
    tables_.release(data_.mem, purpose::index);
    inheritor_tables_.release(data_.mem, purpose::index);
    inherited_fields_.release(data_.mem, purpose::index);
    places_.release(data_.mem, purpose::index);
    heir_places_.release(data_.mem, purpose::index);
}

void match_cache::fill(const plan& steps) {
    plan_ = table_part(model_, steps);
    incomplete_ = true;  // until the end is reached
    newest_ = gaps_ = 0;
    rearranged();
    tables_.clear();
    places_.clear();
    registry_.remove(*this);
    id_t id = rarest_id(data_, model_, steps);
    registry_.add(*this, id);
    auto add = [&](std::uint32_t number) {
        const storage::table& type = data_.tables.at(number);
        if (!(type.flags & detail::shape_has_base && plan_.inherits)) {
            add_own(type);
        }
    };
    const id_record* record = id ? data_.ids.find(id) : nullptr;
    if (id == 0) {
        for (std::uint32_t number = storage::root_table; number < data_.tables.number_limit();
             ++number) {
            const storage::table* table = data_.tables.find_number(number);
            if (table && (keeps_all_ || !(table->flags & detail::shape_dormant))) {
                add(number);
            }
        }
    } else if (record && is_wildcard(id)) {
        const std::uint32_t pairs = keeps_all_ ? record->pairs.size() : record->active_pairs;
        for (std::uint32_t p = 0; p < pairs; ++p) {
            const id_record& pair = *record->pairs[p];
            for (std::uint32_t i = 0; i < listed_count(pair); ++i) {
                const storage::table_entry& entry = pair.tables[i];
                if (storage::find_id(data_.tables.at(entry.table), id) ==
                    static_cast<std::int32_t>(entry.position)) {
                    add(entry.table);
                }
            }
        }
    } else if (record) {
        for (std::uint32_t i = 0; i < listed_count(*record); ++i) {
            add(record->tables[i].table);
        }
    }
    fill_inheritors();
    incomplete_ = false;
    if (changed_) {
        changed_(changed_context_);
    }
}

void match_cache::fill_inheritors() {
    rearranged();
    inheritor_tables_.clear();
    inherited_fields_.clear();
    heir_places_.clear();
    const id_record* bases = data_.bases;
    const std::uint32_t pairs = keeps_all_ ? bases->pairs.size() : bases->active_pairs;
    for (std::uint32_t p = 0; plan_.inherits && p < pairs; ++p) {
        const id_record& pair = *bases->pairs[p];
        for (std::uint32_t i = 0; i < listed_count(pair); ++i) {
            const storage::table_entry& entry = pair.tables[i];
            const storage::table& type = data_.tables.at(entry.table);
            if (storage::find_id(type, any_base) == static_cast<std::int32_t>(entry.position)) {
                add_inheritor(type);
            }
        }
    }
    if (changed_) {
        changed_(changed_context_);
    }
}

void match_cache::fall_behind() noexcept {
    KITH_COUNT(entries);
    behind_ = true;
    if (changed_) {
        changed_(changed_context_);
    }
}

void match_cache::catch_up() {
    if (!behind_) {
        return;
    }
    incomplete_ = true;  // until the end is reached
    newest_ = 0;
    ++edition_;
    registry_.each_missed(*this, [&](std::uint32_t number) {
        const storage::table& table = data_.tables.at(number);
        if (keeps_all_ || !(table.flags & detail::shape_dormant)) {
            add_table(table);
        }
    });
    incomplete_ = false;
}

void match_cache::offer_table(const storage::table& table) noexcept {
    KITH_COUNT(visits);
    if (newest_ == table.number || has_table(table.number)) {
        return;
    }
#if defined(__cpp_exceptions)
    try {
        add_table(table);
    } catch (...) {
        incomplete_ = true;
    }
#else
    add_table(made);
#endif
    newest_ = table.number;
    ++edition_;
    if (changed_) {
        changed_(changed_context_);
    }
}

void match_cache::add_table(const storage::table& table) {
    if (has_table(table.number)) {
        return;
    }
    if (table.flags & detail::shape_has_base && plan_.inherits) {
        add_inheritor(table);
    } else {
        add_own(table);
    }
}

// The short way, for tables where each field is the column of one id.
void match_cache::add_plain(const storage::table& type) {
    std::uint32_t record[1 + 2 * max_terms];
    record[0] = type.number;
    for (std::uint32_t i = 0; i < model_.count; ++i) {
        const term& term = model_.terms[i];
        std::int32_t position = (plan_.dead >> i) & 1 ? -1 : storage::find_id(type, term.id);
        if (term.oper != Optional && (position >= 0) != (term.oper == And)) {
            return;
        }
        bool has_value = position >= 0 && type.slots[position].size != 0;
        record[1 + 2 * i] = has_value ? type.slots[position].offset : no_place;
        record[2 + 2 * i] = static_cast<std::uint32_t>(position);
    }
    places_.reserve_one(data_.mem, purpose::index);
    tables_.reserve_extra(data_.mem, record_size(), purpose::index);
    for (std::uint32_t i = 0; i < record_size(); ++i) {
        tables_.push_reserved(record[i]);
    }
    places_.insert_reserved(hash_table(type.number), count());
}

void match_cache::add_own(const storage::table& type) {
    if (type.flags & hidden_flags(model_)) {
        return;
    }
    if (plan_.plain) {
        add_plain(type);
        return;
    }
    only_table source(type.number);
    executor executor(data_, model_, plan_, source);
    bool indexed = false;
    while (executor.advance()) {
        places_.reserve_one(data_.mem, purpose::index);
        tables_.reserve_extra(data_.mem, record_size(), purpose::index);
        if (!indexed) {
            indexed = true;
            places_.insert_reserved(hash_table(type.number), count() + 1);
        }
        tables_.push_reserved(type.number);
        for (std::uint32_t i = 0; i < model_.field_count; ++i) {
            const detail::field_data& field = executor.fields()[i];
            std::int32_t position =
                field.flags & detail::field_set ? storage::find_id(type, field.id) : -1;
            bool has_value = position >= 0 && type.slots[position].size != 0;
            tables_.push_reserved(has_value ? type.slots[position].offset : no_place);
            tables_.push_reserved(static_cast<std::uint32_t>(position));
        }
    }
}

void match_cache::add_inheritor(const storage::table& type) {
    if (type.flags & hidden_flags(model_)) {
        return;
    }
    only_table source(type.number);
    executor executor(data_, model_, plan_, source);
    bool indexed = false;
    while (executor.advance()) {
        heir_places_.reserve_one(data_.mem, purpose::index);
        inheritor_tables_.reserve_extra(data_.mem, 1, purpose::index);
        inherited_fields_.reserve_extra(data_.mem, model_.field_count, purpose::index);
        for (std::uint32_t i = 0; i < model_.field_count; ++i) {
            const detail::field_data& field = executor.fields()[i];
            inherited_field kept{field.id, field.source, no_place, 0, field.flags};
            if (field.flags & detail::field_set && field.source == 0) {
                detail::column slot = type.slots[storage::find_id(type, field.id)];
                kept.offset = slot.size ? slot.offset : no_place;
                kept.size = slot.size;
            }
            inherited_fields_.push_reserved(kept);
        }
        inheritor_tables_.push_reserved(type.number);
        if (!indexed) {
            indexed = true;
            heir_places_.insert_reserved(hash_table(type.number), inheritor_tables_.size());
        }
    }
}

bool match_cache::has_table(std::uint32_t number) const noexcept {
    return find_place(number) != 0 || find_heir(number) != 0;
}

std::uint32_t match_cache::find_place(std::uint32_t number) const noexcept {
    return places_.find(hash_table(number),
                        [&](std::uint32_t place) { return record(place - 1)[0] == number; });
}

std::uint32_t match_cache::find_heir(std::uint32_t number) const noexcept {
    return heir_places_.find(hash_table(number), [&](std::uint32_t place) {
        return inheritor_tables_[place - 1] == number;
    });
}

// The records of a table are neighbours. False if there are none.
bool match_cache::empty_records(std::uint32_t number) noexcept {
    if (const std::uint32_t place = find_place(number)) {
        places_.erase(hash_table(number), place);
        for (std::uint32_t position = place - 1;
             position < count() && record(position)[0] == number; ++position) {
            tables_[position * record_size()] = storage::no_table;
        }
    } else if (const std::uint32_t heir_place = find_heir(number)) {
        heir_places_.erase(hash_table(number), heir_place);
        for (std::uint32_t position = heir_place - 1;
             position < inheritor_count() && inheritor_tables_[position] == number; ++position) {
            inheritor_tables_[position] = storage::no_table;
        }
    } else {
        return false;
    }
    ++gaps_;
    newest_ = 0;
    // Runs pass empty records; those that are under way need the records where they are.
    constexpr std::uint32_t few = 16;
    if (gaps_ > few + (count() + inheritor_count()) / 4 && !detail::open_locks) {
        close_gaps();
    }
    rearranged();
    if (changed_) {
        changed_(changed_context_);
    }
    return true;
}

void match_cache::close_gaps() noexcept {
    std::uint32_t* const words = tables_.data();
    std::uint32_t* end = words;
    for (std::uint32_t i = 0; i < tables_.size(); i += record_size()) {
        if (words[i] != storage::no_table) {
            end = std::copy(words + i, words + i + record_size(), end);
        }
    }
    tables_.truncate(static_cast<std::uint32_t>(end - words));
    std::uint32_t inheritors = 0;
    for (std::uint32_t i = 0; i < inheritor_tables_.size(); ++i) {
        if (inheritor_tables_[i] != storage::no_table) {
            const inherited_field* fields = inheritor(i);
            std::copy(fields, fields + model_.field_count,
                      inherited_fields_.data() + std::size_t{inheritors} * model_.field_count);
            inheritor_tables_[inheritors++] = inheritor_tables_[i];
        }
    }
    inheritor_tables_.truncate(inheritors);
    inherited_fields_.truncate(inheritors * model_.field_count);
    gaps_ = 0;
    index_records();
}

void match_cache::index_records() noexcept {
    places_.clear();
    heir_places_.clear();
    for (std::uint32_t i = 0; i < count(); ++i) {
        if (i == 0 || record(i)[0] != record(i - 1)[0]) {
            places_.insert_reserved(hash_table(record(i)[0]), i + 1);
        }
    }
    for (std::uint32_t i = 0; i < inheritor_count(); ++i) {
        if (i == 0 || inheritor_tables_[i] != inheritor_tables_[i - 1]) {
            heir_places_.insert_reserved(hash_table(inheritor_tables_[i]), i + 1);
        }
    }
}

void match_cache::drop_table(std::uint32_t number) noexcept {
    if (!keeps_all_) {
        empty_records(number);
    }
}

void match_cache::forget_table(std::uint32_t number) noexcept {
    newest_ = 0;  // the number may be that of another table soon
    if (empty_records(number) && forgot_) {
        forgot_(forgot_context_, number);
    }
}

cache_registry::~cache_registry() {
    for (list* one : lists_) {
        one->caches.release(data_.mem, purpose::index);
        one->made.release(data_.mem, purpose::index);
        data_.mem.release(one, sizeof(list), purpose::index);
    }
    lists_.release(data_.mem, purpose::index);
}

cache_registry::list& cache_registry::list_of(const match_cache& cache) noexcept {
    return *lists_[cache.filed_under_ != 0 ? data_.ids.watchers_of(cache.filed_under_) : 0];
}

void cache_registry::place(list& in, std::uint32_t position, match_cache& cache) noexcept {
    in.caches[position] = &cache;
    cache.place_ = position;
}

void cache_registry::swap(list& in, std::uint32_t left, std::uint32_t right) noexcept {
    match_cache& other = *in.caches[left];
    place(in, left, *in.caches[right]);
    place(in, right, other);
}

// List 0 is that of caches which look at every table.
void cache_registry::add(match_cache& cache, id_t id) {
    std::uint32_t number = 0;
    auto make_list = [&] {
        lists_.reserve_extra(data_.mem, 1, purpose::index);
        lists_.push_reserved(::new (data_.mem.allocate(sizeof(list), purpose::index)) list);
        return lists_.size() - 1;
    };
    if (lists_.empty()) {
        make_list();
    }
    if (id != 0) {
        number = data_.ids.watchers_of(id);
        if (number == 0) {
            number = make_list();
            data_.ids.set_watchers(id, number);
        }
    }
    list& to = *lists_[number];
    to.caches.push(data_.mem, &cache, purpose::index);
    cache.place_ = to.caches.size() - 1;
    swap(to, cache.place_, to.current++);
    cache.filed_under_ = id;
    cache.filed_ = true;
    cache.behind_ = false;
    ++count_;
    wildcards_ += id != 0 && is_wildcard(id);
}

void cache_registry::remove(match_cache& cache) noexcept {
    if (!cache.filed_) {
        return;
    }
    list& from = list_of(cache);
    if (!cache.behind_) {
        swap(from, cache.place_, --from.current);
    }
    swap(from, cache.place_, from.caches.size() - 1);
    from.caches.pop();
    drop_made(from);
    --count_;
    wildcards_ -= cache.filed_under_ != 0 && is_wildcard(cache.filed_under_);
    cache.filed_ = false;
    cache.behind_ = false;
}

template <class Visit>
void cache_registry::each_missed(match_cache& cache, Visit&& visit) {
    list& in = list_of(cache);
    for (; cache.missed_ < in.made.size(); ++cache.missed_) {
        if (const std::uint32_t table = in.made[cache.missed_]) {
            visit(table);
        }
    }
    cache.behind_ = false;
    swap(in, cache.place_, in.current++);
    drop_made(in);
}

// Nobody misses them any more.
void cache_registry::drop_made(list& in) noexcept {
    if (in.current == in.caches.size()) {
        in.made.clear();
    }
}

// The caches of the list, some of which may be behind, have to be filled anew.
void cache_registry::give_up(list& in) noexcept {
    for (match_cache* cache : in.caches) {
        cache->incomplete_ = true;
        cache->missed_ = 0;
    }
    in.made.clear();
}

void cache_registry::note_made(list& in, std::uint32_t table) noexcept {
    if (in.caches.empty() || (!in.made.empty() && in.made.back() == table)) {
        return;
    }
    for (std::uint32_t i = 0; i < in.current; ++i) {
        in.caches[i]->missed_ = in.made.size();
        in.caches[i]->fall_behind();
    }
    in.current = 0;
    // Of tables that come and go, more may be listed than there are.
    if (in.made.size() / 2 > data_.tables.number_limit()) {
        give_up(in);
        return;
    }
#if defined(__cpp_exceptions)
    try {
        in.made.push(data_.mem, table, purpose::index);
    } catch (...) {
        give_up(in);
    }
#else
    in.made.push(data_.mem, table, purpose::index);
#endif
}

template <class Visit>
void cache_registry::each_in(std::uint32_t number, Visit&& visit) noexcept {
    for (match_cache* cache : lists_[number]->caches) {
        visit(*cache);
    }
}

template <class Visit>
void cache_registry::each_list(const storage::table& with_ids, Visit&& visit) noexcept {
    for (std::uint32_t i = 0; i < with_ids.id_count; ++i) {
        id_t id = with_ids.ids[i];
        if (std::uint32_t number = with_ids.records[i]->watchers) {
            visit(number, false);
        }
        bool first_of_relation =
            is_pair(id) && (i == 0 || (id >> 32) != (with_ids.ids[i - 1] >> 32));
        if (wildcards_ != 0 && first_of_relation) {
            const id_record* any = data_.ids.find(make_pair(pair_first(id), Wildcard));
            if (any && any->watchers) {
                visit(any->watchers, true);
            }
        }
    }
}

template <class Visit>
void cache_registry::each_entity_with(const storage::table& held, Visit&& visit) noexcept {
    if (held.flags & detail::shape_has_base) {
        // A base may have had what the table was matched by, and is not known any more.
        for (list* bucket : lists_) {
            visit(*bucket);
        }
        return;
    }
    visit(*lists_[0]);
    each_list(held, [&](std::uint32_t number, bool) { visit(*lists_[number]); });
}

void cache_registry::table_made(const storage::table& table) noexcept {
    if (count_ == 0) {
        return;
    }
    auto visibility = [&](std::uint32_t number, bool any) {
        if (any) {
            note_made(*lists_[number], table.number);
        } else {
            each_in(number, [&](match_cache& cache) { cache.offer_table(table); });
        }
    };
    visibility(0, true);
    each_list(table, visibility);
    if (table.flags & detail::shape_has_base) {
        traits::base_walk bases(data_, table);
        while (entity_t base = bases.next()) {
            each_list(data_.tables.at(data_.entities.find(base)->table), visibility);
        }
    }
}

void cache_registry::table_gone(const storage::table& gone) noexcept {
    if (count_ == 0) {
        return;
    }
    each_entity_with(gone, [&](list& in) {
        std::replace(in.made.begin(), in.made.end(), gone.number, std::uint32_t{0});
        for (match_cache* cache : in.caches) {
            cache->forget_table(gone.number);
        }
    });
}

void cache_registry::table_slept(const storage::table& dormant) noexcept {
    if (count_ == 0) {
        return;
    }
    each_entity_with(dormant, [&](list& in) {
        for (match_cache* cache : in.caches) {
            cache->drop_table(dormant.number);
        }
    });
}

}  // namespace kith::queries
