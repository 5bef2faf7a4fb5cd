// Match caches and their registry, declared in match_cache.hpp.
#include "query/cache/match_cache.hpp"

#include "base/attempt.hpp"
#include "base/counters.hpp"
#include "query/exec/table_match.hpp"
#include "query/exec/table_walk.hpp"
#include "traits/inherit.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace kith::queries {

using containers::purpose;
using storage::id_record;

namespace {

// Candidates of an executor that matches a single table: one empty range, whatever rows there are.
class only_table final : public candidates {
public:
    explicit only_table(std::uint32_t number) noexcept : number_(number) {}
    bool next(row_range& rows, detail::field_data*) override {
        rows = {number_, 0, 0};
        return !std::exchange(proposed_, true);
    }
    void restart() override { proposed_ = false; }

private:
    std::uint32_t number_;
    bool proposed_ = false;
};

// The id that is in the fewest tables, of the ids that each match has; 0: there is no such id. For
// a pair with any target it is (R,*).
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

// A plan of the cached terms alone, for the executor that matches tables.
plan table_part(const query_model& model, const plan& steps) noexcept {
    plan part;
    part.cached = steps.cached;
    part.dead = steps.dead;
    part.signature = steps.signature;
    part.typed = steps.typed;
    part.inherits = steps.inherits;
    part.by_column = steps.by_column;
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

// Spreads table numbers over the hash index.
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
    inheritor_places_.release(data_.mem, purpose::index);
}

// True if the plan lists matches through bases apart from others, and the table has bases.
bool match_cache::is_inheritor(const storage::table& table) const noexcept {
    return plan_.inherits && table.flags & detail::shape_has_base;
}

void match_cache::fill(const plan& steps) {
    plan_ = table_part(model_, steps);
    incomplete_ = true;  // in case memory runs out before the end
    newest_ = gaps_ = 0;
    rearranged();
    tables_.clear();
    places_.clear();
    indexed_ = 0;
    registry_.remove(*this);
    const id_t id = rarest_id(data_, model_, steps);
    registry_.add(*this, id);
    const id_record* record = id ? data_.ids.find(id) : nullptr;
    if (record && !is_wildcard(id) && plan_.by_column && model_.count <= plan::max_simple) {
        add_plain_tables(*record);
    } else if (record || id == 0) {
        table_list candidates(data_.mem, purpose::index);
        find_candidates(record, candidates);
        for (const std::uint32_t number : candidates) {
            if (const storage::table& table = data_.tables.at(number); !is_inheritor(table)) {
                add_own(table);
            }
        }
    }
    fill_inheritors();
    incomplete_ = false;
    if (changed_) {
        changed_(changed_context_);
    }
}

// Lists the tables of the record, in the order of the cache; null: all tables of the world.
void match_cache::find_candidates(const id_record* record, table_list& found) const {
    if (!record) {
        for (std::uint32_t number = storage::root_table; number < data_.tables.number_limit();
             ++number) {
            if (data_.tables.find_number(number) && is_listed(number)) {
                found.push(number);
            }
        }
    } else if (is_wildcard(record->id)) {
        collect_tables(*record, record->id, found);
    } else {
        const std::uint32_t listed = listed_count(*record);
        found.reserve(listed);
        for (std::uint32_t i = 0; i < listed; ++i) {
            found.push(record->tables[i].table);
        }
    }
    sort_by_age(found);
}

// Appends the tables with pairs that `any`, the id (R,*) of the record, matches.
void match_cache::collect_tables(const id_record& record, id_t any, table_list& to) const {
    const std::uint32_t pairs = keeps_all_ ? record.pairs.size() : record.active_pairs;
    for (std::uint32_t p = 0; p < pairs; ++p) {
        const id_record& pair = *record.pairs[p];
        for (std::uint32_t i = 0; i < listed_count(pair); ++i) {
            const storage::table_entry& entry = pair.tables[i];
            // A table with several targets is taken for its first pair only.
            if (storage::find_id(data_.tables.at(entry.table), any) ==
                static_cast<std::int32_t>(entry.position)) {
                to.push(entry.table);
            }
        }
    }
}

void match_cache::sort_by_age(table_list& tables) const {
    auto is_older = [&](std::uint32_t left, std::uint32_t right) {
        const storage::table_age& a = data_.tables.age(left);
        const storage::table_age& b = data_.tables.age(right);
        return keeps_all_ ? a.made < b.made : a.activated < b.activated;
    };
    if (!std::is_sorted(tables.begin(), tables.end(), is_older)) {
        std::sort(tables.begin(), tables.end(), is_older);
    }
}

void match_cache::fill_inheritors() {
    rearranged();
    inheritor_tables_.clear();
    inherited_fields_.clear();
    inheritor_places_.clear();
    if (plan_.inherits) {
        table_list inheritors(data_.mem, purpose::index);
        collect_tables(*data_.bases, detail::any_base, inheritors);
        sort_by_age(inheritors);
        for (const std::uint32_t number : inheritors) {
            add_inheritor(data_.tables.at(number));
        }
    }
    if (changed_) {
        changed_(changed_context_);
    }
}

void match_cache::fall_behind() noexcept {
    KITH_ASSERT(filed_ && !behind_, "an up-to-date cache of the registry falls behind");
    KITH_COUNT(entries);
    behind_ = true;
    if (changed_) {
        changed_(changed_context_);
    }
}

// A missed table may have been dormant meanwhile, so that its age has changed since it was noted.
void match_cache::catch_up() {
    if (!behind_) {
        return;
    }
    incomplete_ = true;  // in case memory runs out before the end
    newest_ = 0;
    ++edition_;
    table_list missed(data_.mem, purpose::index);
    registry_.each_missed(*this, [&](std::uint32_t number) { missed.push(number); });
    sort_by_age(missed);
    for (const std::uint32_t number : missed) {
        if (is_listed(number)) {
            add_table(data_.tables.at(number));
        }
    }
    incomplete_ = false;
}

// Called while the world changes, so that errors cannot be raised: a lack of memory is only noted.
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
    add_table(table);
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
    if (is_inheritor(table)) {
        add_inheritor(table);
    } else {
        add_own(table);
    }
}

// Matches a table without an executor. Requires: the plan is plain, so that term i is field i.
void match_cache::add_plain(const storage::table& table) {
    KITH_ASSERT(plan_.by_column && model_.count == model_.field_count, "each term is one column");
    tables_.reserve_extra(data_.mem, record_size(), purpose::index);
    if (match_columns(model_, plan_.dead, table, tables_.end())) {
        tables_.extend_reserved(record_size());
    }
}

// True unless the table is dormant, and those are left out.
bool match_cache::is_listed(std::uint32_t number) const noexcept {
    return keeps_all_ || data_.tables.rows(number).count != 0 ||
           !(data_.tables.at(number).flags & detail::shape_dormant);
}

// Signatures tell how many tables can match, so that memory is reserved once. The walk reads them
// in the order of memory, and finds few tables that are not in the order of the cache.
void match_cache::add_plain_tables(const id_record& record) {
    const std::uint32_t hidden = hidden_flags(model_);
    const std::uint32_t left_out = hidden | (plan_.inherits ? detail::shape_has_base : 0u);
    table_matcher matcher(data_, model_, plan_, left_out);
    const table_walk walk(data_, &record, listed_count(record));
    table_list candidates(data_.mem, purpose::index);
    for (std::uint32_t i = 0; i < walk.limit(); ++i) {
        const std::uint32_t number = walk.table_at(i);
        if (matcher.may_match(number) && (!walk.by_number() || is_listed(number))) {
            candidates.push(number);
        }
    }
    sort_by_age(candidates);
    tables_.reserve_extra(data_.mem, candidates.size() * record_size(), purpose::index);
    for (const std::uint32_t number : candidates) {
        if (matcher.match(number)) {
            matcher.copy_record(tables_.end());
            tables_.extend_reserved(record_size());
        }
    }
}

// Adds a record for each result that the executor finds in the table.
void match_cache::add_own(const storage::table& table) {
    if (table.flags & hidden_flags(model_)) {
        return;
    }
    if (plan_.by_column) {
        add_plain(table);
        return;
    }
    only_table source(table.number);
    executor executor(data_, model_, plan_, source);
    while (executor.advance()) {
        tables_.reserve_extra(data_.mem, record_size(), purpose::index);
        tables_.push_reserved(table.number);
        for (std::uint32_t i = 0; i < model_.field_count; ++i) {
            const detail::field_data& field = executor.fields()[i];
            std::int32_t position =
                field.flags & detail::field_set ? storage::find_id(table, field.id) : -1;
            bool has_value = position >= 0 && table.slots[position].size != 0;
            tables_.push_reserved(has_value ? table.slots[position].offset : no_place);
            tables_.push_reserved(static_cast<std::uint32_t>(position));
        }
    }
}

// Adds a match for each result, with the bases that the executor found.
void match_cache::add_inheritor(const storage::table& table) {
    if (table.flags & hidden_flags(model_)) {
        return;
    }
    only_table source(table.number);
    executor executor(data_, model_, plan_, source);
    bool indexed = false;
    while (executor.advance()) {
        inheritor_places_.reserve_one(data_.mem, purpose::index);
        inheritor_tables_.reserve_extra(data_.mem, 1, purpose::index);
        inherited_fields_.reserve_extra(data_.mem, model_.field_count, purpose::index);
        for (std::uint32_t i = 0; i < model_.field_count; ++i) {
            const detail::field_data& field = executor.fields()[i];
            inherited_field inherited{field.id, field.source, no_place, 0, field.flags};
            if (field.flags & detail::field_set && field.source == 0) {
                detail::column column = table.slots[storage::find_id(table, field.id)];
                inherited.offset = column.size ? column.offset : no_place;
                inherited.size = column.size;
            }
            inherited_fields_.push_reserved(inherited);
        }
        inheritor_tables_.push_reserved(table.number);
        if (!indexed) {
            indexed = true;
            inheritor_places_.insert_reserved(hash_table(table.number), inheritor_tables_.size());
        }
    }
}

bool match_cache::has_table(std::uint32_t number) noexcept {
    return find_place(number) != 0 || find_inheritor(number) != 0;
}

std::uint32_t match_cache::find_place(std::uint32_t number) noexcept {
    if (index_new_records()) {
        return places_.find(hash_table(number),
                            [&](std::uint32_t place) { return record(place - 1)[0] == number; });
    }
    for (std::uint32_t position = 0; position < count(); ++position) {
        if (record(position)[0] == number) {
            return position + 1;
        }
    }
    return 0;
}

std::uint32_t match_cache::find_inheritor(std::uint32_t number) const noexcept {
    return inheritor_places_.find(hash_table(number), [&](std::uint32_t place) {
        return inheritor_tables_[place - 1] == number;
    });
}

// Empties the matches of a table; false if there are none.
bool match_cache::empty_records(std::uint32_t number) noexcept {
    if (const std::uint32_t place = find_place(number)) {
        if (place <= indexed_) {
            places_.erase(hash_table(number), place);
        }
        for (std::uint32_t position = place - 1;
             position < count() && record(position)[0] == number; ++position) {
            tables_[position * record_size()] = storage::no_table;
        }
    } else if (const std::uint32_t inheritor_place = find_inheritor(number)) {
        inheritor_places_.erase(hash_table(number), inheritor_place);
        for (std::uint32_t position = inheritor_place - 1;
             position < inheritor_count() && inheritor_tables_[position] == number; ++position) {
            inheritor_tables_[position] = storage::no_table;
        }
    } else {
        return false;
    }
    ++gaps_;
    newest_ = 0;
    // Runs skip empty records. Gaps are closed once they are many, and only while no run is under
    // way, because runs remember positions.
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

// Moves records and matches together, keeping their order. Requires: no run is under way.
void match_cache::close_gaps() noexcept {
    KITH_ASSERT(!detail::open_locks, "no run remembers positions");
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

// Enters the records of new tables into the index, which most queries never need. False if memory
// is short: then records are searched for one by one.
bool match_cache::index_new_records() noexcept {
    if (indexed_ == count()) {
        return true;
    }
    bool has_room = true;
    base::attempt(
        [&] { places_.reserve(data_.mem, places_.count() + (count() - indexed_), purpose::index); },
        [&] { has_room = false; });
    if (!has_room) {
        return false;
    }
    for (; indexed_ < count(); ++indexed_) {
        const std::uint32_t number = record(indexed_)[0];
        if (number != storage::no_table && (indexed_ == 0 || number != record(indexed_ - 1)[0])) {
            places_.insert_reserved(hash_table(number), indexed_ + 1);
        }
    }
    return true;
}

// Builds both indexes again. Cleared indexes keep their capacity: records that were indexed have
// room.
void match_cache::index_records() noexcept {
    places_.clear();
    inheritor_places_.clear();
    indexed_ = 0;
    index_new_records();
    for (std::uint32_t i = 0; i < inheritor_count(); ++i) {
        if (i == 0 || inheritor_tables_[i] != inheritor_tables_[i - 1]) {
            inheritor_places_.insert_reserved(hash_table(inheritor_tables_[i]), i + 1);
        }
    }
}

// Groups keep their dormant tables; see keep_all().
void match_cache::drop_table(std::uint32_t number) noexcept {
    if (!keeps_all_) {
        empty_records(number);
    }
}

void match_cache::forget_table(std::uint32_t number) noexcept {
    newest_ = 0;  // another table may get the number
    if (empty_records(number) && forgot_) {
        forgot_(forgot_context_, number);
    }
}

cache_registry::~cache_registry() {
    for (cache_list* list : lists_) {
        list->caches.release(data_.mem, purpose::index);
        list->made.release(data_.mem, purpose::index);
        data_.mem.release(list, sizeof(cache_list), purpose::index);
    }
    lists_.release(data_.mem, purpose::index);
}

cache_registry::cache_list& cache_registry::list_of(const match_cache& cache) noexcept {
    return *lists_[cache.filed_under_ != 0 ? data_.ids.watchers_of(cache.filed_under_) : 0];
}

// Stores a cache at a position of a list.
void cache_registry::place(cache_list& list, std::uint32_t position, match_cache& cache) noexcept {
    list.caches[position] = &cache;
    cache.place_ = position;
}

// Exchanges two caches of a list.
void cache_registry::swap(cache_list& list, std::uint32_t left, std::uint32_t right) noexcept {
    match_cache& other = *list.caches[left];
    place(list, left, *list.caches[right]);
    place(list, right, other);
}

void cache_registry::add(match_cache& cache, id_t id) {
    KITH_ASSERT(!cache.filed_, "a cache is filed once");
    std::uint32_t number = 0;
    auto make_list = [&] {
        lists_.reserve_extra(data_.mem, 1, purpose::index);
        lists_.push_reserved(::new (data_.mem.allocate(sizeof(cache_list), purpose::index))
                                 cache_list);
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
    cache_list& list = *lists_[number];
    list.caches.push(data_.mem, &cache, purpose::index);
    cache.place_ = list.caches.size() - 1;
    // The new cache takes the place of the first one that is behind.
    swap(list, cache.place_, list.current++);
    cache.filed_under_ = id;
    cache.filed_ = true;
    cache.behind_ = false;
    ++count_;
    wildcards_ += id != 0 && is_wildcard(id);
}

// Keeps the order of the list: the cache moves behind the up-to-date ones, then to the end.
void cache_registry::remove(match_cache& cache) noexcept {
    if (!cache.filed_) {
        return;
    }
    cache_list& list = list_of(cache);
    if (!cache.behind_) {
        swap(list, cache.place_, --list.current);
    }
    swap(list, cache.place_, list.caches.size() - 1);
    list.caches.pop();
    drop_made(list);
    --count_;
    wildcards_ -= cache.filed_under_ != 0 && is_wildcard(cache.filed_under_);
    cache.filed_ = false;
    cache.behind_ = false;
}

template <class Visit>
void cache_registry::each_missed(match_cache& cache, Visit&& visit) {
    KITH_ASSERT(cache.filed_ && cache.behind_, "the cache has missed tables");
    cache_list& list = list_of(cache);
    for (; cache.missed_ < list.made.size(); ++cache.missed_) {
        if (const std::uint32_t table = list.made[cache.missed_]) {
            visit(table);
        }
    }
    cache.behind_ = false;
    swap(list, cache.place_, list.current++);
    drop_made(list);
}

// Forgets the missed tables of a list once all its caches are up to date.
void cache_registry::drop_made(cache_list& list) noexcept {
    if (list.current == list.caches.size()) {
        list.made.clear();
    }
}

// Marks all caches of the list as incomplete: they will be filled anew.
void cache_registry::give_up(cache_list& list) noexcept {
    for (match_cache* cache : list.caches) {
        cache->incomplete_ = true;
        cache->missed_ = 0;
    }
    list.made.clear();
}

// Lets the caches of a list fall behind, and notes the table that they miss.
void cache_registry::note_made(cache_list& list, std::uint32_t table) noexcept {
    if (list.caches.empty() || (!list.made.empty() && list.made.back() == table)) {
        return;
    }
    for (std::uint32_t i = 0; i < list.current; ++i) {
        list.caches[i]->missed_ = list.made.size();
        list.caches[i]->fall_behind();
    }
    list.current = 0;
    // Tables that are made and deleted in turns would let the list grow without limit.
    if (list.made.size() / 2 > data_.tables.number_limit()) {
        give_up(list);
        return;
    }
#if defined(__cpp_exceptions)
    try {
        list.made.push(data_.mem, table, purpose::index);
    } catch (...) {
        give_up(list);
    }
#else
    list.made.push(data_.mem, table, purpose::index);
#endif
}

template <class Visit>
void cache_registry::each_list(const storage::table& table, Visit&& visit) noexcept {
    for (std::uint32_t i = 0; i < table.id_count; ++i) {
        id_t id = table.ids[i];
        if (std::uint32_t number = table.records[i]->watchers) {
            visit(number, false);
        }
        bool first_of_relation = is_pair(id) && (i == 0 || (id >> 32) != (table.ids[i - 1] >> 32));
        if (wildcards_ != 0 && first_of_relation) {
            const id_record* any = data_.ids.find(make_pair(pair_first(id), Wildcard));
            if (any && any->watchers) {
                visit(any->watchers, true);
            }
        }
    }
}

template <class Visit>
void cache_registry::each_list_with(const storage::table& table, Visit&& visit) noexcept {
    if (table.flags & detail::shape_has_base) {
        // The table may have matched by an id of a base that it no longer has.
        for (cache_list* list : lists_) {
            visit(*list);
        }
        return;
    }
    visit(*lists_[0]);
    each_list(table, [&](std::uint32_t number, bool) { visit(*lists_[number]); });
}

// A table with bases may match by the ids of its bases as well, so their lists are offered it too.
void cache_registry::table_made(const storage::table& table) noexcept {
    if (count_ == 0) {
        return;
    }
    auto offer = [&](std::uint32_t number, bool of_wildcard) {
        if (of_wildcard) {
            note_made(*lists_[number], table.number);
        } else {
            for (match_cache* cache : lists_[number]->caches) {
                cache->offer_table(table);
            }
        }
    };
    offer(0, true);
    each_list(table, offer);
    if (table.flags & detail::shape_has_base) {
        traits::base_walk bases(data_, table);
        while (entity_t base = bases.next()) {
            each_list(data_.tables.at(data_.entities.find(base)->table), offer);
        }
    }
}

void cache_registry::table_gone(const storage::table& table) noexcept {
    if (count_ == 0) {
        return;
    }
    each_list_with(table, [&](cache_list& list) {
        std::replace(list.made.begin(), list.made.end(), table.number, std::uint32_t{0});
        for (match_cache* cache : list.caches) {
            cache->forget_table(table.number);
        }
    });
}

void cache_registry::table_slept(const storage::table& table) noexcept {
    if (count_ == 0) {
        return;
    }
    each_list_with(table, [&](cache_list& list) {
        for (match_cache* cache : list.caches) {
            cache->drop_table(table.number);
        }
    });
}

}  // namespace kith::queries
