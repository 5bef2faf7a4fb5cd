// The rows of a query's results in sorted order, kept from run to run. Tables are never rearranged.
//
// Results come in parts, each a range of rows of one table. The index keeps a copy of the values
// that each row was sorted by; after a change it compares, takes out the rows with other values,
// sorts these by themselves and merges them with the rest. A row is identified by its place in the
// part and not by its entity: an entity that moves to another row changes the values at both
// places.
//
// Invariants
// 1. `rows_` is null, or lists each row of the last input once: either in `places` or in
// `numbered`,
//    and in both cases in `rows` in the same order.
// 2. `parts_[i].start` is the sum of the counts of the parts before i.
// 3. `kept_[k]` has keys[k].bytes for each row, at its part's start plus its row; entries of parts
//    without values of the key are undefined.
// 4. `sources_` is empty, or has one entry for each part and key, in the order of
// sort_input::values.
// 5. Changes with a tick up to `seen_` are part of `rows_`.
// `rows_` may be shared with runs: it is changed in place only while the index is its only owner.
//
// Covered by tests/features/ordering/sort_test.cpp.
#pragma once

#include "query/order/sort_key.hpp"

#include <memory>
#include <vector>

namespace kith::queries {

// The values of a sort key in a part.
struct part_values {
    const std::byte* first = nullptr;  // of the first row; null: the part has no values
    std::uint32_t stride = 0;          // 0: all rows share one value
    entity_t source = 0;               // the entity that has the values; 0: the rows themselves
};

// A part: neighbouring rows of a table that arrived as a single result.
struct sort_run {
    std::uint32_t table = 0;
    std::uint32_t first = 0;             // row of the table
    std::uint32_t count = 0;             // of rows
    std::uint32_t block = 0;             // group and depth; parts arrive in the order of blocks
    std::uint64_t changed = 0;           // tick of the last change of the rows or their values
    const entity_t* entities = nullptr;  // of the rows; null: the part has no rows
};

// A row of a part: the number of the part in the upper half, the row in the lower.
using row_ref = std::uint64_t;
static_assert(sizeof(row_ref) == 2 * sizeof(std::uint32_t));
constexpr row_ref make_place(std::size_t part, std::uint32_t row) noexcept {
    return row_ref{part} << 32 | row;
}
constexpr std::uint32_t part_of(row_ref place) noexcept {
    return static_cast<std::uint32_t>(place >> 32);
}
constexpr std::uint32_t row_of(row_ref place) noexcept {
    return static_cast<std::uint32_t>(place);
}

// A row with its sort number, for queries that are sorted by one number that every row has.
struct numbered_place {
    std::uint64_t number = 0;
    row_ref place = 0;
};

// Rows in sorted order.
struct sorted_rows {
    // Either `places` or `numbered` lists the rows; the unused list is empty.
    std::vector<row_ref> places;
    std::vector<numbered_place> numbered;
    std::vector<std::uint32_t> rows;  // the rows without their parts, as runs hand them out

    std::size_t size() const noexcept { return rows.size(); }
    row_ref operator[](std::size_t position) const noexcept {
        return numbered.empty() ? places[position] : numbered[position].place;
    }
};

// The rows to be sorted, and the values to sort them by.
struct sort_input {
    const std::vector<sort_key>& keys;
    const std::vector<sort_run>& parts;
    const std::vector<part_values>& values;  // of key k in part p: values[p * keys.size() + k]
    // Identifies the parts. Two inputs with the same origin (not null) have the same parts, and
    // differ in values at most, which were last written at the tick `written`.
    std::shared_ptr<const void> origin = nullptr;
    std::uint64_t written = 0;

    const part_values& values_of(std::size_t part, std::size_t key) const noexcept {
        return values[part * keys.size() + key];
    }
    // The value of a row; null: it has none.
    const std::byte* value(row_ref place, std::size_t key) const noexcept {
        const part_values& key_values = values_of(part_of(place), key);
        return key_values.first ? key_values.first + std::size_t{key_values.stride} * row_of(place)
                                : nullptr;
    }
    entity_t entity(row_ref place) const noexcept {
        const entity_t* entities = parts[part_of(place)].entities;
        return entities ? entities[row_of(place)] : 0;
    }
    // The keys without values in a part, as bits.
    std::uint32_t missing(std::size_t part) const noexcept;
    // True if there is one key, every row has a value of it, and all rows are in one block.
    bool has_one_key() const noexcept;
    bool is_numbered() const noexcept { return has_one_key() && keys[0].is_number(); }
};
inline constexpr std::uint32_t max_sort_keys = 32;

class sort_index {
public:
    // Sorts the input, and returns its rows in order. `now` is the tick at which the input was
    // made. If a comparison throws, the index forgets its order at most: the next call sorts all
    // rows. Costs a comparison of the copies for tables that changed, and a sort of the rows with
    // changes.
    std::shared_ptr<const sorted_rows> update(const sort_input& input, std::uint64_t now);

private:
    // A part of the last input.
    struct known_part {
        std::uint32_t table;
        std::uint32_t first;
        std::uint32_t count;
        std::uint32_t block;
        std::uint32_t missing;  // keys without values, as bits
        std::size_t start;      // position of its first row in the kept values
    };
    static constexpr std::uint32_t none = 0xFFFFFFFF;
    // The differences between an input and the last one.
    struct difference {
        std::vector<std::uint32_t> before;  // for each part: its number in parts_; none: new
        std::vector<std::uint32_t> after;   // for each known part: its number now; none: gone
        std::vector<std::size_t> starts;    // position of each part among all rows, and the end
        std::vector<std::uint64_t> marked;  // a bit for each row with a changed value
        std::vector<row_ref> marks;         // the rows with changed values
        std::vector<row_ref> added;         // rows of new parts, and at the ends of known ones
        std::size_t removed = 0;            // number of rows that are gone
        bool in_place = false;     // known parts have their old numbers; new ones come after them
        bool same_parts = false;   // the parts and their numbers of rows are the same
        bool same_origin = false;  // the parts are the same objects: see sort_input::origin
        bool unsure = false;       // values changed of which no copy is kept
        bool any = false;          // the order may have changed

        bool is_marked(std::size_t row) const noexcept {
            return (marked[row / 64] >> (row % 64) & 1) != 0;
        }
    };

    // The steps of update(), in the order of their calls. Each fills in a part of the difference.
    void compare_parts(const sort_input& input, difference& diff) const;
    bool match_parts(const sort_input& input, difference& diff) const;
    void find_marks(const sort_input& input, difference& diff) const;
    void find_added(const sort_input& input, difference& diff) const;
    std::uint32_t count_common(const sort_input& input, const difference& diff,
                               std::size_t part) const noexcept;
    void mark_values(const sort_input& input, std::size_t key,
                     const std::vector<std::uint32_t>& candidates, difference& diff) const;
    bool is_unchanged(const sort_input& input, std::size_t part, std::size_t known) const;
    std::shared_ptr<sorted_rows> sort(const sort_input& input, difference& diff);
    // Entries is a list of Entry, which is row_ref or numbered_place; Make turns a place into an
    // entry.
    template <class Entries, class Make, class Less>
    std::shared_ptr<sorted_rows> arrange(const sort_input& input, difference& diff,
                                         Entries sorted_rows::*entries, const Make& make,
                                         const Less& less);
    template <class Entry, class Make, class Less>
    void rearrange(const sort_input& input, const difference& diff, const std::vector<Entry>& old,
                   std::vector<Entry>& sorted, const Make& make, const Less& less) const;
    template <class Entry, class Make>
    void split(const sort_input& input, const difference& diff, const std::vector<Entry>& old,
               std::vector<Entry>& kept, std::vector<Entry>& changed, const Make& make) const;
    void keep(const sort_input& input, const difference& diff);
    void keep_marked(const sort_input& input, const difference& diff);

    std::vector<known_part> parts_;             // of the last input
    std::vector<entity_t> sources_;             // of each part and key; empty: all are 0
    std::vector<std::vector<std::byte>> kept_;  // copies of values, for each key
    std::shared_ptr<const sorted_rows> rows_;   // null: nothing is known
    std::shared_ptr<const void> origin_;        // of the last input
    std::uint64_t seen_ = 0;                    // tick of the last input
};

}  // namespace kith::queries
