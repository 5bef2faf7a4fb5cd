#include "query/order/sort_index.hpp"

#include "query/order/merge_sort.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace kith::queries {

namespace {

// Rows without a value come first.
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

// Rows that are equal in all keys stay in the order of their places.
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

// The same for one function, in one block, where every row has a value.
struct comes_before_by_function {
    const sort_key& key;
    const sort_run* parts;
    const part_values* values;

    const std::byte* value(row_ref place) const noexcept {
        const part_values& of = values[part_of(place)];
        return of.first + std::size_t{of.stride} * row_of(place) + key.by.offset;
    }
    entity_t entity(row_ref place) const noexcept {
        return parts[part_of(place)].entities[row_of(place)];
    }
    bool operator()(row_ref a, row_ref b) const {
        const int order = key.compare(entity(a), value(a), entity(b), value(b));
        return order != 0 ? (order < 0) != key.by.descending : a < b;
    }
};

bool has_lower_number(const numbered_place& a, const numbered_place& b) noexcept {
    return a.number != b.number ? a.number < b.number : a.place < b.place;
}

// Calls visit(row) for each row of `count` whose value is not the one that was kept.
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

// The same for values without gaps. Most rows are as they were: they are compared many at a time.
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

// Whose values each part and key has; empty if all rows have their own.
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

// As each_changed() will compare it.
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
    std::uint32_t found = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        found |= std::uint32_t{values_of(part, i).first == nullptr} << i;
    }
    return found;
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

// Fills in which part was which. False if what is known is of no use.
bool sort_index::match_parts(const sort_input& input, difference& delta) const {
    const std::size_t count = input.parts.size();
    auto is_same = [&](std::size_t part, const known_part& known) {
        return input.parts[part].table == known.table && input.parts[part].first == known.first &&
               input.parts[part].block == known.block && input.missing(part) == known.missing;
    };
    std::size_t same = 0;
    delta.same_parts = count == parts_.size();
    while (same < std::min(count, parts_.size()) && is_same(same, parts_[same])) {
        delta.same_parts &= input.parts[same].count == parts_[same].count;
        delta.before[same] = delta.after[same] = static_cast<std::uint32_t>(same);
        ++same;
    }
    if (same == parts_.size()) {
        delta.same_parts &= same == count;
        delta.in_place = true;
        return true;  // more have come, at most
    }
    delta.same_parts = false;
    std::unordered_map<std::uint64_t, std::uint32_t> known;
    for (std::size_t i = same; i < parts_.size(); ++i) {
        if (parts_[i].block != 0 ||
            !known.emplace(make_place(parts_[i].table, parts_[i].first), i).second) {
            return false;
        }
    }
    std::uint32_t last = same == 0 ? none : static_cast<std::uint32_t>(same - 1);
    for (std::size_t i = same; i < count; ++i) {
        const auto at = known.find(make_place(input.parts[i].table, input.parts[i].first));
        if (input.parts[i].block != 0 || (at != known.end() && delta.after[at->second] != none)) {
            return false;
        }
        if (at == known.end() || !is_same(i, parts_[at->second])) {
            continue;
        }
        if (last != none && at->second < last) {
            return false;  // what was equal is in another order now
        }
        last = at->second;
        delta.before[i] = at->second;
        delta.after[at->second] = static_cast<std::uint32_t>(i);
    }
    return true;
}

void sort_index::compare_parts(const sort_input& input, difference& delta) const {
    if (delta.same_origin) {
        delta.before.resize(input.parts.size());
        std::iota(delta.before.begin(), delta.before.end(), 0u);
        delta.after = delta.before;
        delta.in_place = delta.same_parts = true;
        return;
    }
    delta.before.assign(input.parts.size(), none);
    delta.after.assign(parts_.size(), none);
    const bool numbered = input.is_numbered();
    const bool usable = rows_ && (numbered ? rows_->places.empty() : rows_->numbered.empty());
    if (!usable || !match_parts(input, delta)) {
        delta.before.assign(input.parts.size(), none);
        delta.after.assign(parts_.size(), none);
        delta.same_parts = false;
    }
    delta.any = !delta.same_parts;
}

// Marks rows of parts that have another value of a key than the one that was kept.
void sort_index::mark_values(const sort_input& input, std::size_t number,
                             const std::vector<std::uint32_t>& touched, difference& delta) const {
    const sort_key& key = input.keys[number];
    const std::size_t keys = input.keys.size();
    auto compare = [&](auto&& find) {
        for (const std::uint32_t part : touched) {
            const part_values& now = input.values[part * keys + number];
            if (!now.first) {
                continue;
            }
            const known_part& known = parts_[delta.before[part]];
            const std::byte* kept = kept_[number].data() + known.start * key.bytes;
            const std::size_t start = delta.starts[part];
            find(now, kept, std::min(known.count, input.parts[part].count), [&](std::uint32_t row) {
                const std::size_t position = start + row;
                if (!delta.is_marked(position)) {
                    delta.marked[position / 64] |= std::uint64_t{1} << (position % 64);
                    delta.marks.push_back(make_place(part, row));
                }
            });
        }
    };
    auto compare_each = [&](const auto& differs) {
        compare([&](const part_values& now, const std::byte* kept, std::uint32_t count,
                    const auto& mark) { each_changed(key, now, kept, count, differs, mark); });
    };
    if (key.bytes == 0) {
        delta.unsure |= std::any_of(touched.begin(), touched.end(), [&](std::uint32_t part) {
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

// Another source may have other values, although nobody has written any.
bool sort_index::is_untouched(const sort_input& input, std::size_t part, std::size_t known) const {
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

void sort_index::find_marks(const sort_input& input, difference& delta) const {
    std::size_t total = 0;
    delta.starts.reserve(input.parts.size() + 1);
    for (const sort_run& part : input.parts) {
        delta.starts.push_back(total);
        total += part.count;
    }
    delta.starts.push_back(total);
    std::vector<std::uint32_t> some;
    for (std::size_t i = 0; !delta.same_origin && i < input.parts.size(); ++i) {
        const std::uint32_t before = delta.before[i];
        if (before != none && !is_untouched(input, i, before)) {
            some.push_back(static_cast<std::uint32_t>(i));
        }
    }
    // Of the same results it is known that values were written, though not whose.
    const std::vector<std::uint32_t>& touched = delta.same_origin ? delta.before : some;
    if (!touched.empty()) {
        delta.marked.resize(total / 64 + 1);
    }
    for (std::size_t k = 0; k < input.keys.size() && !touched.empty(); ++k) {
        mark_values(input, k, touched, delta);
    }
    delta.any |= delta.unsure || !delta.marks.empty();
}

// Rows of a part that were there before.
std::uint32_t sort_index::count_common(const sort_input& input, const difference& delta,
                                       std::size_t part) const noexcept {
    const std::uint32_t before = delta.before[part];
    return before == none ? 0 : std::min(parts_[before].count, input.parts[part].count);
}

void sort_index::find_added(const sort_input& input, difference& delta) const {
    if (delta.same_parts) {
        return;
    }
    std::size_t common = 0;
    for (std::size_t i = 0; i < input.parts.size(); ++i) {
        const std::uint32_t known = count_common(input, delta, i);
        common += known;
        for (std::uint32_t row = known; row < input.parts[i].count; ++row) {
            delta.added.push_back(make_place(i, row));
        }
    }
    delta.removed = (rows_ ? rows_->size() : 0) - common;
}

// What is still where it was, in order, and what has other values.
template <class Entry, class Make>
void sort_index::split(const sort_input& input, const difference& delta,
                       const std::vector<Entry>& old, std::vector<Entry>& kept,
                       std::vector<Entry>& changed, const Make& make) const {
    if (delta.same_parts && delta.marks.empty()) {
        kept = old;
        return;
    }
    kept.resize(old.size());
    Entry* to = kept.data();
    if (delta.same_parts) {
        const std::size_t* starts = delta.starts.data();
        for (const Entry& value : old) {
            const row_ref place = make.place(value);
            if (delta.is_marked(starts[part_of(place)] + row_of(place))) {
                changed.push_back(make(place));
            } else {
                *to++ = value;
            }
        }
    }
    for (std::size_t i = 0; !delta.same_parts && i < old.size(); ++i) {
        const row_ref was = make.place(old[i]);
        const std::uint32_t part = delta.after[part_of(was)];
        if (part == none || row_of(was) >= input.parts[part].count) {
            continue;
        }
        const row_ref place = make_place(part, row_of(was));
        if (delta.is_marked(delta.starts[part] + row_of(was))) {
            changed.push_back(make(place));
        } else {
            *to++ = make.moved(old[i], place);
        }
    }
    kept.resize(static_cast<std::size_t>(to - kept.data()));
}

template <class Entry, class Make, class Less>
void sort_index::rearrange(const sort_input& input, const difference& delta,
                           const std::vector<Entry>& old, std::vector<Entry>& sorted,
                           const Make& make, const Less& less) const {
    std::vector<Entry> kept;
    std::vector<Entry> changed;
    split(input, delta, old, kept, changed, make);
    if (delta.unsure) {
        sorting::sort_nearly(kept, less);
    }
    for (const row_ref place : delta.added) {
        changed.push_back(make(place));
    }
    sorting::sort_nearly(changed, less);
    sorted = kept.empty()                    ? std::move(changed)
             : changed.size() <= kept.size() ? sorting::merge_lists(kept, changed, less)
                                             : sorting::merge_lists(changed, kept, less);
}

void sort_index::keep_marked(const sort_input& input, const difference& delta) {
    for (const row_ref place : delta.marks) {
        const std::size_t position = delta.starts[part_of(place)] + row_of(place);
        for (std::size_t k = 0; k < kept_.size(); ++k) {
            const std::byte* value = input.value(place, k);
            if (value && input.keys[k].bytes != 0) {
                keep_value(input.keys[k], value, kept_[k].data() + position * input.keys[k].bytes);
            }
        }
    }
}

// The values that the rows were sorted by. Most are known, and only in another place.
void sort_index::keep(const sort_input& input, const difference& delta) {
    if (delta.same_parts) {
        keep_marked(input, delta);
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
            const std::uint32_t known = count_common(input, delta, i);
            if (known != 0) {
                std::memcpy(kept[k].data() + parts[i].start * bytes,
                            kept_[k].data() + parts_[delta.before[i]].start * bytes, known * bytes);
            }
            for (std::uint32_t row = known; row < parts[i].count; ++row) {
                keep_value(input.keys[k], values.first + std::size_t{values.stride} * row,
                           kept[k].data() + (parts[i].start + row) * bytes);
            }
        }
    }
    parts_.swap(parts);
    kept_.swap(kept);
    keep_marked(input, delta);
}

namespace {

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
    static numbered_place moved(const numbered_place& one, row_ref place) noexcept {
        return {one.number, place};
    }
};

}  // namespace

namespace {

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

// Takes out of a sorted list what is gone, and puts in, where it belongs, what is sorted, too. If
// `less` throws, the list is lost.
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
        // Most are about as far from each other: the place is looked for there first.
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

// The rows, if nobody else has them any more.
std::shared_ptr<const sorted_rows> take_alone(std::shared_ptr<const sorted_rows>& rows) noexcept {
    if (rows.use_count() != 1) {
        return nullptr;
    }
    // Counting up sees what the last one did before it counted down.
    std::shared_ptr<const sorted_rows> taken = rows;
    rows.reset();
    return taken;
}

}  // namespace

std::shared_ptr<const sorted_rows> sort_index::update(const sort_input& input, std::uint64_t now) {
    difference delta;
    delta.same_origin = rows_ && input.origin && input.origin == origin_;
    if (delta.same_origin && input.written <= seen_) {
        seen_ = now;
        return rows_;
    }
    compare_parts(input, delta);
    find_marks(input, delta);
    std::vector<entity_t> sources = delta.same_origin ? sources_ : list_sources(input);
    if (rows_ && !delta.any) {
        // Other sources may have the same values: from now on it counts when theirs change.
        sources_.swap(sources);
        origin_ = input.origin;
        seen_ = now;
        return rows_;
    }
    find_added(input, delta);
    delta.marked.resize(delta.starts.back() / 64 + 1);
    // A few changed rows are exchanged where the list is, unless a run goes by it.
    constexpr std::size_t few = 8;
    const bool is_small =
        rows_ && delta.in_place && !delta.unsure &&
        delta.marks.size() + delta.added.size() + delta.removed < rows_->size() / few;
    std::shared_ptr<sorted_rows> made;
    auto arrange = [&](auto entries, const auto& make, const auto& less) {
        static const sorted_rows nothing;
        if (is_small) {
            std::remove_cvref_t<decltype((*rows_).*entries)> changed;
            for (const std::vector<row_ref>* places : {&delta.marks, &delta.added}) {
                for (const row_ref place : *places) {
                    changed.push_back(make(place));
                }
            }
            sorting::sort_nearly(changed, less);
            // Made here, and not as something constant. It is lost if a function throws: then all
            // is sorted the next time.
            if (made = std::const_pointer_cast<sorted_rows>(take_alone(rows_)); made) {
                const std::uint64_t* marked = delta.marked.data();
                const std::size_t* starts = delta.starts.data();
                auto is_gone = [&make, marked, starts](const auto& one) {
                    const row_ref place = make.place(one);
                    const std::size_t* start = starts + part_of(place);
                    const std::size_t row = start[0] + row_of(place);
                    return row >= start[1] || (marked[row / 64] >> (row % 64) & 1) != 0;
                };
                replace_some((*made).*entries, changed, is_gone, less);
                return;
            }
        }
        const sorted_rows& old = rows_ ? *rows_ : nothing;
        made = std::make_shared<sorted_rows>();
        rearrange(input, delta, old.*entries, (*made).*entries, make, less);
    };
    if (delta.same_origin ? !rows_->numbered.empty() : input.is_numbered()) {
        arrange(&sorted_rows::numbered, make_numbered{input}, has_lower_number);
    } else if (input.has_one_key() && !input.keys[0].by_entity()) {
        arrange(&sorted_rows::places, make_plain{},
                comes_before_by_function{input.keys[0], input.parts.data(), input.values.data()});
    } else {
        arrange(&sorted_rows::places, make_plain{}, comes_before{input});
    }
    list_rows(*made);
    keep(input, delta);
    sources_.swap(sources);
    rows_ = std::move(made);
    origin_ = input.origin;
    seen_ = now;
    return rows_;
}

}  // namespace kith::queries
