// The targets that the pairs of several terms have in common, found by comparing lists. Part of the
// operator `intersect`. Implemented in common_targets.cpp.
//
// Covered by the random queries of tests/model/graph_query_test.cpp.
#pragma once

#include "query/exec/scan.hpp"

#include <vector>

namespace kith::queries {

// Up to this length, comparing is faster than looking up.
inline constexpr std::uint32_t short_list = 16;

// A bit for each target of a short list: lists without a common bit have no common target.
inline std::uint64_t bits_of(const storage::target_span& list) noexcept {
    if (list.count - 1 >= short_list) {
        return list.count == 0 ? 0 : ~std::uint64_t{0};
    }
    std::uint64_t bits = std::uint64_t{1} << (list.first % 64);
    for (std::uint32_t i = 0; i + 1 < list.count; ++i) {
        bits |= std::uint64_t{1} << (list.rest[i] % 64);
    }
    return bits;
}

// The pairs of one term, seen from its source.
struct intersect_input {
    std::uint32_t term = 0;
    const storage::id_record* relation = nullptr;  // of (R,*); null: there are no pairs
    const storage::link_store* links = nullptr;    // null: the pairs are in tables
    bool moves = false;                            // the source differs from row to row
    std::vector<std::uint32_t> listed;             // the targets in the type of a table, sorted
    std::uint32_t first_position = 0;              // in that type, of the first pair
    storage::target_span targets;                  // of the present source
    entity_t source = 0;                           // the present source, of links only
    std::uint64_t bits = 0;                        // of `targets`

    void take_links(entity_t from) noexcept {
        source = from;
        targets = links->targets(index_of(from));
        bits = bits_of(targets);
    }
    void accept_table(const storage::table& type);
    // The position of the pair in the type of the table that was accepted last. Requires: the pair
    // is there.
    std::uint32_t position_of(std::uint32_t target) const noexcept;
    bool has(std::uint32_t target) const noexcept;
};

// Takes the links of a source for the inputs that move. False if the inputs cannot have a common
// target.
bool accept_source(std::vector<intersect_input>& inputs, entity_t source) noexcept;

// Stores the targets that all inputs have, in the order of the shortest list. Requires: at least
// one input.
void find_common(const std::vector<intersect_input>& inputs, std::vector<std::uint32_t>& common);

}  // namespace kith::queries
