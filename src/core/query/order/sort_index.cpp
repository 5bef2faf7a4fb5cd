// The sorted index of results, declared in sort_index.hpp. update() at the end of the file is the
// entry point; the functions before it compare, split and merge.
#include "query/order/sort_index.hpp"

#include "base/assert.hpp"
#include "query/order/merge_sort.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace kith::queries {

namespace {

// Compares two rows by one key. Rows without a value come first.
int compare_values(const sort_input& input, std::size_t number, row_ref a, row_ref b) {
    const sort_key& key = input.keys[number];
    const std::byte* left = input.value(a, number);
    const std::byte* right = input.value(b, number);
    if (!left || !right) {
        return (left != nullptr) - (right != nullptr);
    }
    if (key.is_number()) {
        return sorting::with_reader(key.by.number, [&](auto read) {
            const std::uint64_t x = read(left + key.by.offset);
            const std::uint64_t y = read(right + key.by.offset);
            return (x > y) - (x < y);
        });
    }
    if (key.by_entity()) {
        return key.compare(input.entity(a), nullptr, input.entity(b), nullptr);
    }
    return key.compare(input.entity(a), left + key.by.offset, input.entity(b),
                       right + key.by.offset);
}

// The order of rows in general: by block, by each key, and at last by place, so that no two rows
// are equal.
struct comes_before {
    const sort_input& input;

    bool operator()(row_ref a, row_ref b) const {
        const std::uint32_t left = input.parts[part_of(a)].block;
        const std::uint32_t right = input.parts[part_of(b)].block;
        if (left != right) {
            return left < right;
        }
        for (std::size_t i = 0; i < input.keys.size(); ++i) {
            if (const int order = compare_values(input, i, a, b); order != 0) {
                return (order < 0) != input.keys[i].by.descending;
            }
        }
        return a < b;
    }
};

// The order by one function, for inputs with one block in which every row has a value.
struct comes_before_by_function {
    const sort_key& key;
    const sort_run* parts;
    const part_values* values;

    const std::byte* value(row_ref place) const noexcept {
        const part_values& column = values[part_of(place)];
        return column.first + std::size_t{column.stride} * row_of(place) + key.by.offset;
    }
    entity_t entity(row_ref place) const noexcept {
        return parts[part_of(place)].entities[row_of(place)];
    }
    bool operator()(row_ref a, row_ref b) const { return (*this)(locate(a), locate(b)); }

    // A row with its entity and value, for sorts that compare each row many times.
    struct located_row {
        row_ref place;
        entity_t entity;
        const std::byte* value;
    };
    located_row locate(row_ref place) const noexcept {
        return {place, entity(place), value(place)};
    }
    bool operator()(const located_row& a, const located_row& b) const {
        const int order = key.compare(a.entity, a.value, b.entity, b.value);
        return order != 0 ? (order < 0) != key.by.descending : a.place < b.place;
    }
};

// Sorts entries that may be almost in order.
template <class Entry, class Less>
void sort_entries(std::vector<Entry>& entries, const Less& less) {
    sorting::sort_nearly(entries, less);
}
void sort_entries(std::vector<row_ref>& places, const comes_before_by_function& less) {
    std::vector<comes_before_by_function::located_row> located;
    located.reserve(places.size());
    for (const row_ref place : places) {
        located.push_back(less.locate(place));
    }
    sorting::sort_nearly(located, less);
    std::transform(located.begin(), located.end(), places.begin(),
                   [](const auto& row) { return row.place; });
}

bool has_lower_number(const numbered_place& a, const numbered_place& b) noexcept {
    return a.number != b.number ? a.number < b.number : a.place < b.place;
}

// Calls visit(row) for each row below `count` whose value differs from its copy.
template <class Differs, class Visit>
void each_changed(const sort_key& key, const part_values& now, const std::byte* before,
                  std::uint32_t count, const Differs& differs, const Visit& visit) {
    const std::byte* value = now.first;
    for (std::uint32_t row = 0; row < count; ++row, value += now.stride, before += key.bytes) {
        if (differs(value, before)) {
            visit(row);
        }
    }
}

// Calls visit(row) as each_changed() does, for values that lie as close as their copies: blocks of
// rows are compared at once, because most rows have not changed.
template <class Visit>
void each_changed_block(const sort_key& key, const std::byte* now, const std::byte* before,
                        std::uint32_t count, const Visit& visit) {
    constexpr std::uint32_t block = 16;
    for (std::uint32_t row = 0; row < count; row += block) {
        const std::uint32_t end = row + block < count ? row + block : count;
        const std::size_t position = std::size_t{key.bytes} * row;
        if (std::memcmp(now + position, before + position, std::size_t{key.bytes} * (end - row)) ==
            0) {
            continue;
        }
        for (std::uint32_t i = row; i < end; ++i) {
            const std::size_t value = std::size_t{key.bytes} * i;
            if (std::memcmp(now + value, before + value, key.bytes) != 0) {
                visit(i);
            }
        }
    }
}

// The entity that has the values, for each part and key; empty if all rows have their own.
std::vector<entity_t> list_sources(const sort_input& input) {
    auto has_source = [](const part_values& values) { return values.source != 0; };
    std::vector<entity_t> sources;
    if (std::any_of(input.values.begin(), input.values.end(), has_source)) {
        sources.reserve(input.values.size());
        for (const part_values& values : input.values) {
            sources.push_back(values.source);
        }
    }
    return sources;
}

// Copies a value in the form in which mark_values() will compare it.
void keep_value(const sort_key& key, const std::byte* value, std::byte* to) noexcept {
    if (key.is_number()) {
        const std::uint64_t number = sorting::with_reader(
            key.by.number, [&](auto read) { return read(value + key.by.offset); });
        std::memcpy(to, &number, sizeof(number));
    } else {
        std::memcpy(to, value, key.bytes);
    }
}

}  // namespace

std::uint32_t sort_input::missing(std::size_t part) const noexcept {
    KITH_ASSERT(keys.size() <= max_sort_keys, "a key is a bit of a 32-bit number");
    std::uint32_t without = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        without |= std::uint32_t{values_of(part, i).first == nullptr} << i;
    }
    return without;
}

bool sort_input::has_one_key() const noexcept {
    if (keys.size() != 1) {
        return false;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].block != 0 || !values[i].first || !parts[i].entities) {
            return false;
        }
    }
    return true;
}

// Finds the known part of each part, by table and first row. False if the known order is of no use:
// parts are in another order, or cannot be told apart.
bool sort_index::match_parts(const sort_input& input, difference& diff) const {
    const std::size_t count = input.parts.size();
    auto is_same = [&](std::size_t part, const known_part& known) {
        return input.parts[part].table == known.table && input.parts[part].first == known.first &&
               input.parts[part].block == known.block && input.missing(part) == known.missing;
    };
    std::size_t same = 0;
    diff.same_parts = count == parts_.size();
    while (same < std::min(count, parts_.size()) && is_same(same, parts_[same])) {
        diff.same_parts &= input.parts[same].count == parts_[same].count;
        diff.before[same] = diff.after[same] = static_cast<std::uint32_t>(same);
        ++same;
    }
    if (same == parts_.size()) {
        diff.same_parts &= same == count;
        diff.in_place = true;
        return true;  // all known parts are there; new ones may follow
    }
    diff.same_parts = false;
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    for (std::size_t i = same; i < parts_.size(); ++i) {
        if (parts_[i].block != 0 ||
            !known.emplace(make_place(parts_[i].table, parts_[i].first), i).second) {
            return false;
        }
    }
    std::uint32_t last = same == 0 ? none : static_cast<std::uint32_t>(same - 1);
    for (std::size_t i = same; i < count; ++i) {
        const auto entry = known.find(make_place(input.parts[i].table, input.parts[i].first));
        if (input.parts[i].block != 0 ||
            (entry != known.end() && diff.after[entry->second] != none)) {
            return false;
        }
        if (entry == known.end() || !is_same(i, parts_[entry->second])) {
            continue;
        }
        if (last != none && entry->second < last) {
            return false;  // equal rows would be in another order
        }
        last = entry->second;
        diff.before[i] = entry->second;
        diff.after[entry->second] = static_cast<std::uint32_t>(i);
    }
    return true;
}

// Fills in `before` and `after`: which parts of the last input are there again.
void sort_index::compare_parts(const sort_input& input, difference& diff) const {
    if (diff.same_origin) {
        diff.before.resize(input.parts.size());
        std::iota(diff.before.begin(), diff.before.end(), 0u);
        diff.after = diff.before;
        diff.in_place = diff.same_parts = true;
        return;
    }
    diff.before.assign(input.parts.size(), none);
    diff.after.assign(parts_.size(), none);
    const bool numbered = input.is_numbered();
    const bool usable = rows_ && (numbered ? rows_->places.empty() : rows_->numbered.empty());
    if (!usable || !match_parts(input, diff)) {
        diff.before.assign(input.parts.size(), none);
        diff.after.assign(parts_.size(), none);
        diff.same_parts = false;
    }
    diff.any = !diff.same_parts;
}

// Marks the rows of the candidate parts whose value of a key differs from its copy.
void sort_index::mark_values(const sort_input& input, std::size_t number,
                             const std::vector<std::uint32_t>& candidates, difference& diff) const {
    const sort_key& key = input.keys[number];
    const std::size_t keys = input.keys.size();
    auto compare = [&](auto&& find) {
        for (const std::uint32_t part : candidates) {
            const part_values& now = input.values[part * keys + number];
            if (!now.first) {
                continue;
            }
            const known_part& known = parts_[diff.before[part]];
            const std::byte* kept = kept_[number].data() + known.start * key.bytes;
            const std::size_t start = diff.starts[part];
            find(now, kept, std::min(known.count, input.parts[part].count), [&](std::uint32_t row) {
                const std::size_t position = start + row;
                if (!diff.is_marked(position)) {
                    diff.marked[position / 64] |= std::uint64_t{1} << (position % 64);
                    diff.marks.push_back(make_place(part, row));
                }
            });
        }
    };
    auto compare_each = [&](const auto& differs) {
        compare([&](const part_values& now, const std::byte* kept, std::uint32_t count,
                    const auto& mark) { each_changed(key, now, kept, count, differs, mark); });
    };
    if (key.bytes == 0) {
        diff.unsure |= std::any_of(candidates.begin(), candidates.end(), [&](std::uint32_t part) {
            return input.values_of(part, number).first != nullptr;
        });
    } else if (key.is_number()) {
        sorting::with_reader(key.by.number, [&](auto read) {
            compare_each([&](const std::byte* value, const std::byte* kept) {
                std::uint64_t before;
                std::memcpy(&before, kept, sizeof(before));
                return read(value + key.by.offset) != before;
            });
        });
    } else {
        compare([&](const part_values& now, const std::byte* kept, std::uint32_t count,
                    const auto& mark) {
            if (now.stride == key.bytes) {
                each_changed_block(key, now.first, kept, count, mark);
                return;
            }
            each_changed(
                key, now, kept, count,
                [&](const std::byte* value, const std::byte* before) {
                    return std::memcmp(value, before, key.bytes) != 0;
                },
                mark);
        });
    }
}

// True if no value of the part can have changed: same rows, no later tick, and the same sources.
// A new source may have different values although no value was written.
bool sort_index::is_unchanged(const sort_input& input, std::size_t part, std::size_t known) const {
    if (parts_[known].count != input.parts[part].count || input.parts[part].changed > seen_) {
        return false;
    }
    const std::size_t keys = input.keys.size();
    for (std::size_t i = 0; i < keys; ++i) {
        const entity_t before = sources_.empty() ? 0 : sources_[known * keys + i];
        if (input.values_of(part, i).source != before) {
            return false;
        }
    }
    return true;
}

// Fills in `starts`, and marks rows with changed values.
void sort_index::find_marks(const sort_input& input, difference& diff) const {
    std::size_t total = 0;
    diff.starts.reserve(input.parts.size() + 1);
    for (const sort_run& part : input.parts) {
        diff.starts.push_back(total);
        total += part.count;
    }
    diff.starts.push_back(total);
    std::vector<std::uint32_t> changed;
    for (std::size_t i = 0; !diff.same_origin && i < input.parts.size(); ++i) {
        const std::uint32_t before = diff.before[i];
        if (before != none && !is_unchanged(input, i, before)) {
            changed.push_back(static_cast<std::uint32_t>(i));
        }
    }
    // For the same origin one tick covers all parts, so each of them may have changed.
    const std::vector<std::uint32_t>& candidates = diff.same_origin ? diff.before : changed;
    if (!candidates.empty()) {
        diff.marked.resize(total / 64 + 1);
    }
    for (std::size_t k = 0; k < input.keys.size() && !candidates.empty(); ++k) {
        mark_values(input, k, candidates, diff);
    }
    diff.any |= diff.unsure || !diff.marks.empty();
}

// The number of rows of a part that the last input had as well.
std::uint32_t sort_index::count_common(const sort_input& input, const difference& diff,
                                       std::size_t part) const noexcept {
    const std::uint32_t before = diff.before[part];
    return before == none ? 0 : std::min(parts_[before].count, input.parts[part].count);
}

// Fills in the rows that the last input did not have, and the number of rows that are gone.
void sort_index::find_added(const sort_input& input, difference& diff) const {
    if (diff.same_parts) {
        return;
    }
    std::size_t common = 0;
    for (std::size_t i = 0; i < input.parts.size(); ++i) {
        const std::uint32_t known = count_common(input, diff, i);
        common += known;
        for (std::uint32_t row = known; row < input.parts[i].count; ++row) {
            diff.added.push_back(make_place(i, row));
        }
    }
    diff.removed = (rows_ ? rows_->size() : 0) - common;
}

// Splits the old order: `kept` gets the rows without changes in their old order and with their new
// places, `changed` the marked rows. Rows that are gone are left out.
template <class Entry, class Make>
void sort_index::split(const sort_input& input, const difference& diff,
                       const std::vector<Entry>& old, std::vector<Entry>& kept,
                       std::vector<Entry>& changed, const Make& make) const {
    if (diff.same_parts && diff.marks.empty()) {
        kept = old;
        return;
    }
    kept.resize(old.size());
    Entry* to = kept.data();
    if (diff.same_parts) {
        const std::size_t* starts = diff.starts.data();
        for (const Entry& value : old) {
            const row_ref place = make.place(value);
            if (diff.is_marked(starts[part_of(place)] + row_of(place))) {
                changed.push_back(make(place));
            } else {
                *to++ = value;
            }
        }
    }
    for (std::size_t i = 0; !diff.same_parts && i < old.size(); ++i) {
        const row_ref was = make.place(old[i]);
        const std::uint32_t part = diff.after[part_of(was)];
        if (part == none || row_of(was) >= input.parts[part].count) {
            continue;
        }
        const row_ref place = make_place(part, row_of(was));
        if (diff.is_marked(diff.starts[part] + row_of(was))) {
            changed.push_back(make(place));
        } else {
            *to++ = make.moved(old[i], place);
        }
    }
    kept.resize(static_cast<std::size_t>(to - kept.data()));
}

// Makes a new sorted list of the old one and the differences.
template <class Entry, class Make, class Less>
void sort_index::rearrange(const sort_input& input, const difference& diff,
                           const std::vector<Entry>& old, std::vector<Entry>& sorted,
                           const Make& make, const Less& less) const {
    std::vector<Entry> kept;
    std::vector<Entry> changed;
    split(input, diff, old, kept, changed, make);
    if (diff.unsure) {
        sort_entries(kept, less);
    }
    for (const row_ref place : diff.added) {
        changed.push_back(make(place));
    }
    sort_entries(changed, less);
    sorted = kept.empty()                    ? std::move(changed)
             : changed.size() <= kept.size() ? sorting::merge_lists(kept, changed, less)
                                             : sorting::merge_lists(changed, kept, less);
}

// Copies the values of the marked rows.
void sort_index::keep_marked(const sort_input& input, const difference& diff) {
    for (const row_ref place : diff.marks) {
        const std::size_t position = diff.starts[part_of(place)] + row_of(place);
        for (std::size_t k = 0; k < kept_.size(); ++k) {
            const std::byte* value = input.value(place, k);
            if (value && input.keys[k].bytes != 0) {
                keep_value(input.keys[k], value, kept_[k].data() + position * input.keys[k].bytes);
            }
        }
    }
}

// Copies the values that the rows were sorted by, and the parts. Copies of known rows are moved
// instead of being read again.
void sort_index::keep(const sort_input& input, const difference& diff) {
    if (diff.same_parts) {
        keep_marked(input, diff);
        return;
    }
    std::vector<known_part> parts;
    std::vector<std::vector<std::byte>> kept(input.keys.size());
    std::size_t total = 0;
    for (std::size_t i = 0; i < input.parts.size(); ++i) {
        const sort_run& part = input.parts[i];
        parts.push_back({part.table, part.first, part.count, part.block, input.missing(i), total});
        total += part.count;
    }
    for (std::size_t k = 0; k < kept.size(); ++k) {
        const std::size_t bytes = input.keys[k].bytes;
        kept[k].resize(bytes * total);
        for (std::size_t i = 0; bytes != 0 && i < parts.size(); ++i) {
            const part_values& values = input.values_of(i, k);
            if (!values.first) {
                continue;
            }
            const std::uint32_t known = count_common(input, diff, i);
            if (known != 0) {
                std::memcpy(kept[k].data() + parts[i].start * bytes,
                            kept_[k].data() + parts_[diff.before[i]].start * bytes, known * bytes);
            }
            for (std::uint32_t row = known; row < parts[i].count; ++row) {
                keep_value(input.keys[k], values.first + std::size_t{values.stride} * row,
                           kept[k].data() + (parts[i].start + row) * bytes);
            }
        }
    }
    parts_.swap(parts);
    kept_.swap(kept);
    keep_marked(input, diff);
}

namespace {

// The two kinds of entries: a plain place, and a place with its number.
struct make_plain {
    row_ref operator()(row_ref place) const noexcept { return place; }
    static row_ref place(row_ref row) noexcept { return row; }
    static row_ref moved(row_ref, row_ref place) noexcept { return place; }
};

struct make_numbered {
    const sort_input& input;

    numbered_place operator()(row_ref place) const {
        const sort_key& key = input.keys[0];
        const std::uint64_t number = sorting::with_reader(
            key.by.number, [&](auto read) { return read(input.value(place, 0) + key.by.offset); });
        return {key.by.descending ? ~number : number, place};
    }
    static row_ref place(const numbered_place& place) noexcept { return place.place; }
    static numbered_place moved(const numbered_place& old, row_ref place) noexcept {
        return {old.number, place};
    }
};

// Fills in `rows` from the list that is used.
void list_rows(sorted_rows& rows) {
    rows.rows.resize(rows.places.size() + rows.numbered.size());
    std::uint32_t* to = rows.rows.data();
    for (const row_ref place : rows.places) {
        *to++ = row_of(place);
    }
    for (const numbered_place& place : rows.numbered) {
        *to++ = row_of(place.place);
    }
}

// Removes entries from a sorted list, and inserts the sorted entries `added`, in place. If `less`
// throws, the contents of the list are undefined.
template <class Entry, class Gone, class Less>
void replace_some(std::vector<Entry>& sorted, const std::vector<Entry>& added, const Gone& is_gone,
                  const Less& less) {
    Entry* to = sorted.data();
    for (const Entry& value : sorted) {
        const bool stays = !is_gone(value);
        *to = value;
        to += stays;
    }
    const std::size_t kept = static_cast<std::size_t>(to - sorted.data());
    std::vector<std::size_t> places;
    places.reserve(added.size());
    std::size_t left = 0;
    for (const Entry& value : added) {
        // Added entries tend to be evenly spread: the search starts at the average distance.
        std::size_t right = kept;
        std::size_t step = (kept - left) / (added.size() - places.size()) + 1;
        for (; left + step < kept; step *= 2) {
            if (less(value, sorted[left + step])) {
                right = left + step;
                break;
            }
            left += step + 1;
        }
        while (left < right) {
            const std::size_t middle = left + (right - left) / 2;
            if (less(value, sorted[middle])) {
                right = middle;
            } else {
                left = middle + 1;
            }
        }
        places.push_back(left);
    }
    sorted.resize(kept + added.size());
    auto end = static_cast<std::ptrdiff_t>(kept);
    for (auto i = static_cast<std::ptrdiff_t>(added.size()) - 1; i >= 0; --i) {
        const auto begin = static_cast<std::ptrdiff_t>(places[static_cast<std::size_t>(i)]);
        std::move_backward(sorted.begin() + begin, sorted.begin() + end,
                           sorted.begin() + end + i + 1);
        sorted[static_cast<std::size_t>(begin + i)] = added[static_cast<std::size_t>(i)];
        end = begin;
    }
}

// Takes the rows out of `rows` if no run shares them; null otherwise.
std::shared_ptr<const sorted_rows> take_alone(std::shared_ptr<const sorted_rows>& rows) noexcept {
    if (rows.use_count() != 1) {
        return nullptr;
    }
    // Copying the pointer changes its counter, and so comes after the decrement by the last run in
    // another thread; a move would leave the counter alone.
    std::shared_ptr<const sorted_rows> owned = rows;
    rows.reset();
    return owned;
}

}  // namespace

// Sorts the rows of the input, by the lists of entries that `entries` names. A few changed rows are
// replaced inside of the known list, unless a run shares it.
template <class Entries, class Make, class Less>
std::shared_ptr<sorted_rows> sort_index::arrange(const sort_input& input, difference& diff,
                                                 Entries sorted_rows::*entries, const Make& make,
                                                 const Less& less) {
    constexpr std::size_t few = 8;
    const bool is_small =
        rows_ && diff.in_place && !diff.unsure &&
        diff.marks.size() + diff.added.size() + diff.removed < rows_->size() / few;
    if (is_small) {
        Entries changed;
        for (const std::vector<row_ref>* places : {&diff.marks, &diff.added}) {
            for (const row_ref place : *places) {
                changed.push_back(make(place));
            }
        }
        sort_entries(changed, less);
        // The object was made below as a non-constant one, so the cast is sound. If a comparison
        // throws, the list is lost and the next call sorts all rows.
        if (auto sorted = std::const_pointer_cast<sorted_rows>(take_alone(rows_)); sorted) {
            const std::uint64_t* marked = diff.marked.data();
            const std::size_t* starts = diff.starts.data();
            auto is_gone = [&make, marked, starts](const auto& entry) {
                const row_ref place = make.place(entry);
                const std::size_t* start = starts + part_of(place);
                const std::size_t row = start[0] + row_of(place);
                return row >= start[1] || (marked[row / 64] >> (row % 64) & 1) != 0;
            };
            replace_some((*sorted).*entries, changed, is_gone, less);
            return sorted;
        }
    }
    static const sorted_rows nothing;
    const sorted_rows& old = rows_ ? *rows_ : nothing;
    auto sorted = std::make_shared<sorted_rows>();
    rearrange(input, diff, old.*entries, (*sorted).*entries, make, less);
    return sorted;
}

// Sorts the rows of the input by the comparison that its keys need.
std::shared_ptr<sorted_rows> sort_index::sort(const sort_input& input, difference& diff) {
    if (diff.same_origin ? !rows_->numbered.empty() : input.is_numbered()) {
        return arrange(input, diff, &sorted_rows::numbered, make_numbered{input}, has_lower_number);
    }
    if (input.has_one_key() && !input.keys[0].by_entity()) {
        return arrange(
            input, diff, &sorted_rows::places, make_plain{},
            comes_before_by_function{input.keys[0], input.parts.data(), input.values.data()});
    }
    return arrange(input, diff, &sorted_rows::places, make_plain{}, comes_before{input});
}

std::shared_ptr<const sorted_rows> sort_index::update(const sort_input& input, std::uint64_t now) {
    KITH_ASSERT(input.values.size() == input.parts.size() * input.keys.size(),
                "each part has an entry for each key");
    difference diff;
    diff.same_origin = rows_ && input.origin && input.origin == origin_;
    if (diff.same_origin && input.written <= seen_) {
        seen_ = now;
        return rows_;
    }
    compare_parts(input, diff);
    find_marks(input, diff);
    std::vector<entity_t> sources = diff.same_origin ? sources_ : list_sources(input);
    if (!rows_ || diff.any) {
        find_added(input, diff);
        diff.marked.resize(diff.starts.back() / 64 + 1);
        std::shared_ptr<sorted_rows> sorted = sort(input, diff);
        list_rows(*sorted);
        KITH_ASSERT(sorted->size() == diff.starts.back(), "each row of the input is listed once");
        keep(input, diff);
        rows_ = std::move(sorted);
    }
    // Other sources may have the same values: later changes are those of the new sources.
    sources_.swap(sources);
    origin_ = input.origin;
    seen_ = now;
    return rows_;
}

}  // namespace kith::queries
