// Indexes on members, declared in value_index.hpp: building and settling them, and questions.
#include "storage/value_index.hpp"

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "base/scope_exit.hpp"
#include "storage/find.hpp"
#include "storage/store.hpp"
#include "storage/table_layout.hpp"

#include <algorithm>
#include <array>

namespace kith::storage {

namespace {

using detail::key_interval;

// Values whose keys are read in one call.
constexpr std::uint32_t most_values = 64;

// Notes below this number do not make an index lost, however small it is.
constexpr std::size_t few_notes = 16;

bool has_bit(const std::vector<std::uint64_t>& bits, std::uint32_t entity) noexcept {
    return entity / 64 < bits.size() && (bits[entity / 64] >> entity % 64 & 1) != 0;
}
// Adds an entity to a list whose members have bits, unless it is there. If it throws, nothing has
// changed.
void add_once(std::vector<std::uint32_t>& list, std::vector<std::uint64_t>& bits,
              std::uint32_t entity) {
    if (has_bit(bits, entity)) {
        return;
    }
    const std::size_t word = entity / 64;
    if (word >= bits.size()) {
        bits.resize(word + 1 + word / 2);
    }
    list.push_back(entity);
    bits[word] |= std::uint64_t{1} << entity % 64;
}
void clear_members(std::vector<std::uint32_t>& list, std::vector<std::uint64_t>& bits) noexcept {
    for (const std::uint32_t entity : list) {
        bits[entity / 64] = 0;
    }
    list.clear();
}

bool is_plain_id_of(id_t id, entity_t component) noexcept {
    return !is_pair(id) && (id & id_flags_mask) == 0 && index_of(id) == index_of(component);
}

// Sorts entries by key: for each digit of 11 bits, from the lowest on, a stable distribution.
// Digits that all keys share are skipped.
template <class Entry>
void sort_by_key(std::vector<Entry>& entries) {
    constexpr std::size_t few = 2048;
    if (entries.size() < few) {
        std::sort(entries.begin(), entries.end(),
                  [](const Entry& a, const Entry& b) { return a.key < b.key; });
        return;
    }
    constexpr unsigned bits = 11;
    constexpr std::size_t digits = 6;
    constexpr std::uint64_t mask = (1u << bits) - 1;
    std::vector<std::array<std::size_t, mask + 1>> counts(digits);
    for (const Entry& one : entries) {
        for (std::size_t d = 0; d < digits; ++d) {
            ++counts[d][one.key >> (bits * d) & mask];
        }
    }
    std::vector<Entry> other(entries.size());
    for (std::size_t d = 0; d < digits; ++d) {
        const auto digit = [&](const Entry& one) { return one.key >> (bits * d) & mask; };
        if (counts[d][digit(entries.front())] == entries.size()) {
            continue;
        }
        std::size_t position = 0;
        for (std::size_t& count : counts[d]) {
            position += std::exchange(count, position);
        }
        for (const Entry& one : entries) {
            other[counts[d][digit(one)]++] = one;
        }
        entries.swap(other);
    }
}

template <class T>
void sort_unique(std::vector<T>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

value_index::value_index(const store& data, detail::value_key& key) : data_(data), key_(key) {
    KITH_ASSERT((key.read || key.each) && key.end, "a key has its functions");
}
value_index::~value_index() {
    key_.end(&key_);
}

bool value_index::is_alive() const noexcept {
    return data_.entities.find(key_.component) != nullptr;
}

// -- changes -------------------------------------------------------------------------------------

std::size_t value_index::noted_limit() const noexcept {
    return std::max<std::size_t>(few_notes, static_cast<std::size_t>(built_count_ / 16));
}

void value_index::note(std::uint32_t entity) noexcept {
    if (lost_) {
        ++written_;
        return;
    }
    if (has_bit(is_noted_, entity)) {
        return;
    }
    if (noted_.size() >= noted_limit()) {
        lose();
        written_ = noted_limit() + 1;
        return;
    }
    base::attempt(
        [&] {
            add_once(noted_, is_noted_, entity);
            version_.store(version_.load() + 1);
        },
        [&] { lose(); });
}

void value_index::note_table(std::uint32_t table) noexcept {
    const detail::lock_guard<detail::mutex> lock(guard_);
    mark_table(table);
}

void value_index::mark_table(std::uint32_t table) noexcept {
    if (lost_) {
        written_ += data_.tables.rows(table).count;
        return;
    }
    if (is_noted_table(table)) {
        return;
    }
    base::attempt(
        [&] {
            if (table >= is_noted_table_.size()) {
                is_noted_table_.resize(data_.tables.number_limit());
            }
            noted_tables_.push_back(table);
            is_noted_table_[table] = 1;
            version_.store(version_.load() + 1);
        },
        [&] { lose(); });
}

void value_index::note_rows(std::uint32_t table, const entity_t* entities,
                            std::uint32_t count) noexcept {
    const detail::lock_guard<detail::mutex> lock(guard_);
    // Many rows of a table are noted as all of them: each would cost a bit and an entry.
    if (count > few_notes && count >= data_.tables.rows(table).count / 8) {
        mark_table(table);
        return;
    }
    for (std::uint32_t i = 0; i < count && !is_noted_table(table); ++i) {
        note(index_of(entities[i]));
    }
}

bool value_index::note_reference(std::uint32_t entity) noexcept {
    const detail::lock_guard<detail::mutex> lock(guard_);
    note_references();
    base::attempt([&] { add_once(referenced_, is_referenced_, entity); },
                  [&] { misses_references_ = true; });
    note(entity);
    return misses_references_ || referenced_.size() > noted_limit();
}

// References of an earlier epoch have written for the last time.
void value_index::note_references() noexcept {
    if (reference_epoch_ == data_.table_epoch) {
        return;
    }
    for (const std::uint32_t entity : referenced_) {
        note(entity);
    }
    clear_members(referenced_, is_referenced_);
    if (std::exchange(misses_references_, false)) {
        lose();
    }
    reference_epoch_ = data_.table_epoch;
}

void value_index::clear_notes() noexcept {
    clear_members(noted_, is_noted_);
    for (const std::uint32_t table : noted_tables_) {
        is_noted_table_[table] = 0;
    }
    noted_tables_.clear();
}

void value_index::lose() noexcept {
    lost_ = true;
    clear_notes();
    runs_ = {};
    entry_count_ = 0;
    scanned_ = written_ = 0;
    version_.store(version_.load() + 1);
}

void value_index::follow(entity_t component) noexcept {
    key_.component = component;
    lose();
}

// -- reading values ------------------------------------------------------------------------------

// Calls visit(table, rows, column) for the tables with the component that have rows.
template <class Visit>
void value_index::each_table(Visit&& visit) const {
    const id_record* record = is_alive() ? data_.ids.find(key_.component) : nullptr;
    for (std::uint32_t i = 0; record && i < record->tables.size(); ++i) {
        const table_entry place = record->tables[i];
        const table& owner = data_.tables.at(place.table);
        const detail::table_rows& rows = data_.tables.rows(place.table);
        const detail::column column = owner.slots[place.position];
        if (rows.count != 0 && column.size != 0) {
            visit(owner, rows, column);
        }
    }
}

std::uint64_t value_index::count_rows() const noexcept {
    std::uint64_t count = 0;
    each_table([&](const table&, const detail::table_rows& rows, const detail::column&) {
        count += rows.count;
    });
    return count;
}

std::uint64_t value_index::count_noted_rows() const noexcept {
    std::uint64_t count = 0;
    for (const std::uint32_t table : noted_tables_) {
        count += data_.tables.find_number(table) ? data_.tables.rows(table).count : 0;
    }
    return count;
}

// Adds the entries of values, of at most `most_values` entities.
void value_index::read_values(const entity_t* entities, const detail::value_rows& values,
                              std::uint32_t count, std::vector<entry>& into) const {
    KITH_ASSERT(count <= most_values, "keys of so many values are read at once");
    if (!key_.each) {
        std::uint64_t keys[most_values];
        const std::uint64_t found = key_.read(key_, values, count, keys);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (found >> i & 1) {
                into.push_back({keys[i], index_of(entities[i])});
            }
        }
        return;
    }
    struct target {
        std::vector<entry>& entries;
        std::uint32_t entity;
    } to{into, 0};
    for (std::uint32_t i = 0; i < count; ++i) {
        to.entity = index_of(entities[i]);
        key_.each(
            key_, values.first + values.stride * i,
            [](void* context, std::uint64_t key) {
                const target& known = *static_cast<target*>(context);
                known.entries.push_back({key, known.entity});
            },
            &to);
    }
}

// Reads all values.
void value_index::build() {
    const auto each_part = [&](auto&& visit) {
        each_table(
            [&](const table& owner, const detail::table_rows& rows, const detail::column& column) {
                for (std::uint32_t row = 0; row < rows.count; row += most_values) {
                    visit(entities_of(owner, rows) + row,
                          detail::value_rows{value_in(rows, column, row), column.size},
                          std::min(most_values, rows.count - row));
                }
            });
    };
    const std::uint64_t count_of_values = count_rows();
    std::vector<entry> entries;
    entries.reserve(static_cast<std::size_t>(count_of_values));
    if (key_.survey) {
        bool first = true;
        each_part([&](const entity_t*, const detail::value_rows& values, std::uint32_t count) {
            key_.survey(key_, values, count, std::exchange(first, false));
        });
    }
    each_part([&](const entity_t* entities, const detail::value_rows& values, std::uint32_t count) {
        read_values(entities, values, count, entries);
    });
    lose();
    add_run(entries);
    built_count_ = std::max(entry_count_, count_of_values);
    lost_ = false;
    was_built_ = true;
}

void value_index::add_noted_tables() {
    for (const std::uint32_t number : noted_tables_) {
        const table* owner = data_.tables.find_number(number);
        const detail::table_rows& rows = data_.tables.rows(number);
        for (std::uint32_t row = 0; owner && row < rows.count; ++row) {
            const std::uint32_t entity = index_of(entities_of(*owner, rows)[row]);
            add_once(noted_, is_noted_, entity);
        }
    }
}

// Reads the values of the noted entities that have the component in a table.
void value_index::read_noted(std::vector<entry>& into) const {
    const table* last = nullptr;
    detail::column column{0, 0};
    for (const std::uint32_t entity : noted_) {
        const entity_t owner_id = data_.entities.alive_at(entity);
        if (owner_id == 0) {
            continue;
        }
        const entity_record& record = data_.entities.at(entity);
        const table& owner = data_.tables.at(record.table);
        if (&owner != last) {
            const std::int32_t position = find_id(owner, key_.component);
            column = position < 0 ? detail::column{0, 0} : owner.slots[position];
            last = &owner;
        }
        if (column.size == 0) {
            continue;
        }
        const std::byte* value = value_in(data_.tables.rows(record.table), column, record.row);
        read_values(&owner_id, {value, 0}, 1, into);
    }
}

// Sorts entries into a run of their own. Runs whose sizes are alike are merged, so that there are
// few, and each entry is merged few times.
void value_index::add_run(std::vector<entry>& entries) {
    if (entries.empty()) {
        return;
    }
    sort_by_key(entries);
    run added;
    added.keys.reserve(entries.size());
    added.entities.reserve(entries.size());
    for (const entry& one : entries) {
        added.keys.push_back(one.key);
        added.entities.push_back(one.entity);
    }
    runs_.reserve(runs_.size() + 1);
    while (!runs_.empty() && runs_.back().keys.size() <= 4 * added.keys.size()) {
        const run& older = runs_.back();
        run merged;
        merged.keys.reserve(older.keys.size() + added.keys.size());
        merged.entities.reserve(older.keys.size() + added.keys.size());
        std::size_t a = 0;
        std::size_t b = 0;
        while (a < older.keys.size() || b < added.keys.size()) {
            const bool takes_older =
                b == added.keys.size() || (a < older.keys.size() && older.keys[a] <= added.keys[b]);
            const run& from = takes_older ? older : added;
            const std::size_t at = takes_older ? a++ : b++;
            merged.keys.push_back(from.keys[at]);
            merged.entities.push_back(from.entities[at]);
        }
        runs_.pop_back();
        added = std::move(merged);
    }
    runs_.push_back(std::move(added));
    entry_count_ += entries.size();
}

void value_index::settle() {
    add_noted_tables();
    if (entry_count_ + noted_.size() > 2 * built_count_ + 1024) {
        build();  // most entries are outdated
        return;
    }
    std::vector<entry> entries;
    entries.reserve(noted_.size());
    read_noted(entries);
    add_run(entries);
    clear_notes();
    version_.store(version_.load() + 1);
}

// -- questions -----------------------------------------------------------------------------------

bool value_index::was_written_much() const noexcept {
    return noted_.size() + count_noted_rows() > noted_limit();
}

// The first build is worth while if the question would read a good part of all values. A lost index
// is built once questions have read as many rows as building costs, with few writes between them.
bool value_index::is_worth_building(std::uint64_t scanned) noexcept {
    const std::uint64_t total = count_rows();
    if (was_built_ && std::exchange(written_, 0) > std::max<std::uint64_t>(few_notes, total / 16)) {
        scanned_ = 0;
    }
    scanned_ += scanned;
    return scanned_ >= (was_built_ ? total * 8 : total / 4);
}

value_index::range value_index::find(const run& sorted, const key_interval& wanted) const noexcept {
    const auto begin = sorted.keys.begin();
    const auto first = std::lower_bound(begin, sorted.keys.end(), wanted.first);
    // Most intervals have few entries: the end is searched from the beginning on.
    auto last = first;
    for (std::ptrdiff_t step = 8; last != sorted.keys.end() && *last <= wanted.last; step *= 2) {
        const auto next = sorted.keys.end() - last <= step ? sorted.keys.end() : last + step;
        if (next == sorted.keys.end() || *next > wanted.last) {
            last = std::upper_bound(last, next, wanted.last);
            break;
        }
        last = next;
    }
    return {static_cast<std::size_t>(first - begin), static_cast<std::size_t>(last - begin)};
}

// The keys of texts depend on the last survey, so that each question finds them anew.
bool value_index::find_keys(const detail::value_test& test) {
    wanted_.clear();
    return test.find_keys && test.find_keys(test, key_, wanted_);
}

bool value_index::serves(const detail::value_test& test) {
    const detail::lock_guard<detail::mutex> lock(guard_);
    return find_keys(test);
}

// Brings the index up to date, if values may be read now and that is worth while for a question
// that would read `scanned` rows instead.
value_index::state value_index::refresh(std::uint64_t scanned, bool may_settle) noexcept {
    note_references();
    if (!lost_ && was_written_much()) {
        lose();
        written_ = noted_limit() + 1;
    }
    if (misses_references_ || (lost_ && !may_settle)) {
        return state::iterated;
    }
    if (lost_ ? is_worth_building(scanned)
              : may_settle && !(noted_.empty() && noted_tables_.empty())) {
        base::attempt([&] { lost_ ? build() : settle(); }, [&] { lose(); });
    }
    return lost_ ? state::lost : state::usable;
}

value_index::answer value_index::ask(const detail::value_test& test, std::uint64_t scanned,
                                     bool may_settle) noexcept {
    const detail::lock_guard<detail::mutex> lock(guard_);
    const state present = refresh(scanned, may_settle);
    if (present == state::iterated) {
        return {present, 0, 0};
    }
    base::attempt([&] { find_keys(test); }, [&] { lose(); });
    if (lost_) {
        return {};
    }
    answer found{state::usable, noted_.size() + referenced_.size() + count_noted_rows(),
                 entry_count_};
    for (const run& sorted : runs_) {
        for (const key_interval& one : wanted_) {
            const range keys = find(sorted, one);
            found.expected += keys.last - keys.first;
        }
    }
    return found;
}

bool value_index::collect(const detail::value_test& test, std::vector<row_place>& into,
                          std::vector<std::uint32_t>& noted_tables) {
    const detail::lock_guard<detail::mutex> lock(guard_);
    note_references();
    into.clear();
    noted_tables = noted_tables_;
    if (lost_ || misses_references_ || !find_keys(test)) {
        return false;
    }
    each_candidate([&](entity_t entity) {
        const entity_record& record = data_.entities.at(index_of(entity));
        into.push_back(place_of_row(record.table, record.row));
    });
    sort_unique(into);
    return true;
}

// Calls visit(entity) for the living entities with a wanted key, and for those that were noted one
// by one; some of them several times.
template <class Visit>
void value_index::each_candidate(Visit&& visit) const {
    const auto add = [&](std::uint32_t index) {
        if (const entity_t entity = data_.entities.alive_at(index)) {
            visit(entity);
        }
    };
    for (const run& sorted : runs_) {
        for (const key_interval& one : wanted_) {
            const range keys = find(sorted, one);
            for (std::size_t i = keys.first; i < keys.last; ++i) {
                add(sorted.entities[i]);
            }
        }
    }
    std::for_each(noted_.begin(), noted_.end(), add);
    std::for_each(referenced_.begin(), referenced_.end(), add);
}

bool value_index::find_entities(std::uint64_t key, bool may_settle, std::vector<entity_t>& into) {
    const detail::lock_guard<detail::mutex> lock(guard_);
    into.clear();
    if (refresh(count_rows(), may_settle) != state::usable) {
        return false;
    }
    wanted_.assign(1, {key, key});
    each_candidate([&](entity_t entity) { into.push_back(entity); });
    for (const std::uint32_t number : noted_tables_) {
        if (const table* owner = data_.tables.find_number(number)) {
            const detail::table_rows& rows = data_.tables.rows(number);
            const entity_t* first = rows.count ? entities_of(*owner, rows) : nullptr;
            into.insert(into.end(), first, first + rows.count);
        }
    }
    sort_unique(into);
    return true;
}

// -- the indexes of a world ----------------------------------------------------------------------

// Calls visit(index) for the indexes of a component; id 0: for all.
template <class Visit>
void value_indexes::each_of(id_t id, Visit&& visit) noexcept {
    for (const std::shared_ptr<value_index>& one : all_) {
        if (id == 0 || is_plain_id_of(id, one->key().component)) {
            visit(*one);
        }
    }
}

bool value_indexes::covers(id_t id) const noexcept {
    return std::any_of(all_.begin(), all_.end(), [&](const std::shared_ptr<value_index>& one) {
        return is_plain_id_of(id, one->key().component);
    });
}

value_index* value_indexes::find_of_handles(entity_t component) const noexcept {
    const auto found =
        std::find_if(all_.begin(), all_.end(), [&](const std::shared_ptr<value_index>& one) {
            return one->key().each && one->key().component == component;
        });
    return found == all_.end() ? nullptr : found->get();
}
void value_indexes::lose_handles() noexcept {
    for (const std::shared_ptr<value_index>& one : all_) {
        if (one->key().each) {
            one->lose();
        }
    }
}

// Gives the tables of a component the flags of an index, or takes them.
void value_indexes::refresh(entity_t component) noexcept {
    id_record* record = data_.entities.find(component) ? data_.ids.find(component) : nullptr;
    if (!record) {
        return;
    }
    record->shape_flags &= ~indexed_shape_flags;
    record->shape_flags |= covers(record->id) ? indexed_shape_flags : 0u;
    for (const table_entry& place : record->tables) {
        refresh_flags(data_.tables.at(place.table));
    }
}

void value_indexes::add(detail::value_key* key) {
    base::scope_exit end([&] { key->end(key); });
    const std::shared_ptr<value_index> added = std::make_shared<value_index>(data_, *key);
    end.release();
    const bool is_known =
        std::any_of(all_.begin(), all_.end(), [&](const std::shared_ptr<value_index>& one) {
            const detail::value_key& known = one->key();
            return known.component == key->component && known.offset == key->offset &&
                   known.stored == key->stored && known.is_hash == key->is_hash;
        });
    if (!is_known) {
        all_.push_back(added);
        refresh(key->component);
        // References find their values again, and are noted. Queries learn that they write values
        // with an index; plans and caches stay, and so does the order of results.
        ++data_.table_epoch;
        ++data_.version;
    }
}

void value_indexes::drop(const detail::value_key& like) noexcept {
    const auto gone = [&](const std::shared_ptr<value_index>& one) {
        const detail::value_key& known = one->key();
        const bool drops = known.component == like.component && known.offset == like.offset &&
                           known.stored == like.stored;
        if (drops) {
            one->lose();  // runs that use the index go on without it
        }
        return drops;
    };
    all_.erase(std::remove_if(all_.begin(), all_.end(), gone), all_.end());
    refresh(like.component);
    ++data_.version;
}

void value_indexes::move_component(entity_t from, entity_t to) noexcept {
    for (const std::shared_ptr<value_index>& one : all_) {
        if (one->key().component == from) {
            one->follow(to);
        }
    }
    refresh(from);
    refresh(to);
    ++data_.table_epoch;
    ++data_.version;
}

void value_indexes::forget_component(entity_t component) noexcept {
    drop_component(component);
    refresh(component);
    ++data_.version;
}

void value_indexes::drop_component(entity_t component) noexcept {
    const auto gone = [&](const std::shared_ptr<value_index>& one) {
        const bool drops = one->key().component == component;
        if (drops) {
            one->lose();
        }
        return drops;
    };
    all_.erase(std::remove_if(all_.begin(), all_.end(), gone), all_.end());
}

void value_indexes::reset() noexcept {
    const auto gone = [](const std::shared_ptr<value_index>& one) {
        one->lose();
        return !one->is_alive() && index_of(one->key().component) >= first_entity;
    };
    all_.erase(std::remove_if(all_.begin(), all_.end(), gone), all_.end());
    for (const std::shared_ptr<value_index>& one : all_) {
        refresh(one->key().component);
    }
}

void value_indexes::renew_references() noexcept {
    if (is_crowded_.load() != 0) [[unlikely]] {
        is_crowded_.store(0);
        ++data_.table_epoch;
    }
}

void value_indexes::note_arrival(const table& to, std::uint32_t entity) noexcept {
    renew_references();
    each_of(0, [&](value_index& one) {
        if (find_id(to, one.key().component) >= 0) {
            one.note(entity);
        }
    });
}
void value_indexes::note(id_t id, std::uint32_t entity) noexcept {
    renew_references();
    each_of(id, [&](value_index& one) { one.note(entity); });
}
void value_indexes::note_table(id_t id, const table& written) noexcept {
    each_of(id, [&](value_index& one) {
        if (find_id(written, one.key().component) >= 0) {
            one.note_table(written.number);
        }
    });
}
void value_indexes::note_rows(id_t id, std::uint32_t table, const entity_t* entities,
                              std::uint32_t count) noexcept {
    each_of(id, [&](value_index& one) { one.note_rows(table, entities, count); });
}
void value_indexes::note_reference(id_t id, std::uint32_t entity) noexcept {
    bool is_full = false;
    each_of(id, [&](value_index& one) { is_full |= one.note_reference(entity); });
    if (is_full) {
        is_crowded_.store(1);
    }
}

}  // namespace kith::storage
