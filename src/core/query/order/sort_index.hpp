// The rows of a query's results in sorted order, kept from run to run.
//
// Results come in parts, rows of one table each. Of each row it is known which values it was sorted
// by, as bytes; so after a change the rows that have other values now are found, sorted by
// themselves, and merged with the rest. Tables are never rearranged. A row is known by its place
// and not by its entity: one that moves leaves other values behind.
//
// Covered by tests/core/query/sort_test.cpp.
#pragma once

#include "query/order/sort_key.hpp"

#include <memory>
#include <vector>

namespace kith::queries {

// Where the values of one key are, in one part; null: there are none.
struct part_values {
    const std::byte* first = nullptr;
    std::uint32_t stride = 0;
    entity_t source = 0;  // whose they are; 0: of the rows themselves
};

// Rows that came as one result.
struct sort_run {
    std::uint32_t table = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t block = 0;    // of the same rank; these come in order already
    std::uint64_t changed = 0;  // when its rows, or the values of its sources, last changed
    const entity_t* entities = nullptr;
};

// Which row of which part.
using row_ref = std::uint64_t;
constexpr row_ref make_place(std::size_t part, std::uint32_t row) noexcept {
    return row_ref{part} << 32 | row;
}
constexpr std::uint32_t part_of(row_ref place) noexcept {
    return static_cast<std::uint32_t>(place >> 32);
}
constexpr std::uint32_t row_of(row_ref place) noexcept {
    return static_cast<std::uint32_t>(place);
}

// With the number that decides, where one does.
struct numbered_place {
    std::uint64_t number = 0;
    row_ref place = 0;
};

struct sorted_rows {
    // One of them is used.
    std::vector<row_ref> places;
    std::vector<numbered_place> numbered;
    std::vector<std::uint32_t> rows;  // the same without their parts, to be handed out as they are

    std::size_t size() const noexcept { return rows.size(); }
    row_ref operator[](std::size_t position) const noexcept {
        return numbered.empty() ? places[position] : numbered[position].place;
    }
};

// What is to be sorted: values[part * keys + key].
struct sort_input {
    const std::vector<sort_key>& keys;
    const std::vector<sort_run>& parts;
    const std::vector<part_values>& values;
    // Of what the parts are, if the next input may be the same, with other values at most: those
    // were last written at `written`.
    std::shared_ptr<const void> origin = nullptr;
    std::uint64_t written = 0;

    const part_values& values_of(std::size_t part, std::size_t key) const noexcept {
        return values[part * keys.size() + key];
    }
    const std::byte* value(row_ref place, std::size_t key) const noexcept {
        const part_values& key_values = values_of(part_of(place), key);
        return key_values.first ? key_values.first + std::size_t{key_values.stride} * row_of(place)
                                : nullptr;
    }
    entity_t entity(row_ref place) const noexcept {
        const entity_t* entities = parts[part_of(place)].entities;
        return entities ? entities[row_of(place)] : 0;
    }
    // The keys that a part has no values for, in a set.
    std::uint32_t missing(std::size_t part) const noexcept;
    // True if one value decides, and every row has it.
    bool has_one_key() const noexcept;
    bool is_numbered() const noexcept { return has_one_key() && keys[0].is_number(); }
};
inline constexpr std::uint32_t max_sort_keys = 32;

class sort_index {
public:
    // The rows in order. `now`: the time of the input. If a function throws, nothing has changed.
    std::shared_ptr<const sorted_rows> update(const sort_input& input, std::uint64_t now);

private:
    struct known_part {
        std::uint32_t table;
        std::uint32_t first;
        std::uint32_t count;
        std::uint32_t block;
        std::uint32_t missing;  // keys without values
        std::size_t start;      // of its rows in the kept values
    };
    static constexpr std::uint32_t none = 0xFFFFFFFF;
    // What is different since the last time.
    struct difference {
        std::vector<std::uint32_t> before;  // for each part, which one it was
        std::vector<std::uint32_t> after;   // for each known part, which one it is
        std::vector<std::size_t> starts;    // of each part among all rows, and the end
        // Rows with other values, and which those are.
        std::vector<std::uint64_t> marked;  // a bit for each row
        std::vector<row_ref> marks;
        std::vector<row_ref> added;  // rows behind those that were there
        std::size_t removed = 0;     // and rows that are gone
        bool in_place = false;       // the known parts are where they were, others behind them
        bool same_parts = false;     // the same parts, and as many rows in each
        bool same_origin = false;    // and the same rows
        bool unsure = false;         // rows may have other values where bytes do not tell
        bool any = false;

        bool is_marked(std::size_t row) const noexcept {
            return (marked[row / 64] >> (row % 64) & 1) != 0;
        }
    };

    void compare_parts(const sort_input& input, difference& difference) const;
    bool match_parts(const sort_input& input, difference& difference) const;
    void find_marks(const sort_input& input, difference& difference) const;
    void find_added(const sort_input& input, difference& difference) const;
    std::uint32_t count_common(const sort_input& input, const difference& difference,
                               std::size_t part) const noexcept;
    void mark_values(const sort_input& input, std::size_t key,
                     const std::vector<std::uint32_t>& touched, difference& difference) const;
    bool is_untouched(const sort_input& input, std::size_t part, std::size_t known) const;
    template <class Entry, class Make, class Less>
    void rearrange(const sort_input& input, const difference& difference,
                   const std::vector<Entry>& old, std::vector<Entry>& sorted, const Make& make,
                   const Less& less) const;
    template <class Entry, class Make>
    void split(const sort_input& input, const difference& difference, const std::vector<Entry>& old,
               std::vector<Entry>& kept, std::vector<Entry>& changed, const Make& make) const;
    void keep(const sort_input& input, const difference& difference);
    void keep_marked(const sort_input& input, const difference& difference);

    std::vector<known_part> parts_;
    std::vector<entity_t> sources_;             // of each part and key; empty: all are 0
    std::vector<std::vector<std::byte>> kept_;  // values, for each key
    std::shared_ptr<const sorted_rows> rows_;
    std::shared_ptr<const void> origin_;  // of the last input
    std::uint64_t seen_ = 0;
};

}  // namespace kith::queries
