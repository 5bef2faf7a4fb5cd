// Where the pairs of several terms meet in one variable: the targets that are common to all of
// their sources, found by comparing lists.
//
// Covered by the random queries of tests/model/graph_query_test.cpp.
#pragma once

#include "query/exec/scan.hpp"

#include <vector>

namespace kith::queries {

// Up to here, comparing is faster than looking up.
inline constexpr std::uint32_t short_list = 16;

// A bit for each target of a short list: if the bits differ, lists have nothing in common.
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
    const storage::link_store* links = nullptr;    // null: they are in tables
    bool moves = false;                            // one source after the other is asked
    std::vector<std::uint32_t> listed;             // the targets in the type of a table
    storage::target_span targets;                  // of the source in question,
    entity_t source = 0;                           // which is this; only of links
    std::uint64_t bits = 0;

    void take_links(entity_t from) noexcept {
        source = from;
        targets = links->targets(index_of(from));
        bits = bits_of(targets);
    }
    void accept_table(const storage::table& type);
    bool has(std::uint32_t target) const noexcept;
};

// Where a step with such terms stands.
struct intersection {
    enum class way : std::uint8_t {
        once,   // all sources are known
        rows,   // $this is each of some rows
        links,  // the source is each that has a link of the first edge,
        scan,   // or each that has a pair of it
        steps,  // the steps inside are taken
    } how = way::once;
    std::vector<intersect_input> edges;
    std::uint32_t schema = 0;  // that the edges were made for
    bool inheritors = false;   // of `steps`: only sources with bases are asked for
    bool by_table = false;     // all rows of a table have the same targets
    row_range rows;            // the sources that are asked now,
    std::uint32_t row = 0;     // the next of them
    std::uint32_t link = 0;    // or the next index
    entity_t source = 0;       // the last one
    std::vector<std::uint32_t> common;
    std::size_t at = 0;  // in common
};

// Takes the links of a source for the edges that move. False if they cannot have a common target.
bool accept_source(std::vector<intersect_input>& edges, entity_t source) noexcept;

// The targets that all edges have, in the order of the shortest list.
void find_common(const std::vector<intersect_input>& edges, std::vector<std::uint32_t>& common);

}  // namespace kith::queries
