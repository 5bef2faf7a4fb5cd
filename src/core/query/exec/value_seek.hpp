// The candidates of a run that starts from an index on a member: of the tables whose rows own the
// component, only the listed rows. Tables come in the order of a scan, so that results are those of
// a scan, in its order. Implemented in value_seek.cpp.
//
// Callbacks may change the world during a run. The list is collected again when values were written
// or rows have moved; a run in which that happens often goes on with all rows.
//
// Covered by tests/features/values/value_index_test.cpp and value_index_random_test.cpp.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/exec/scan.hpp"
#include "storage/value_index.hpp"

#include <limits>

namespace kith::queries {

class value_seek {
public:
    static constexpr std::uint32_t no_row = std::numeric_limits<std::uint32_t>::max();

    // Requires: the test lives longer.
    value_seek(const storage::store& data, std::shared_ptr<storage::value_index> index,
               const detail::value_test& test);

    // To the first candidate.
    void restart() noexcept { at_ = 0; }
    // True if candidates are listed for the table; otherwise all of its rows are.
    bool is_listed(std::uint32_t table) const noexcept;
    // The first candidate at a row of a table or behind it; no_row if there is none.
    std::uint32_t next(std::uint32_t table, std::uint32_t row);

private:
    bool is_outdated() const noexcept {
        return version_ != index_->version() || moves_ != data_.indexes->moves();
    }
    void collect();

    const storage::store& data_;
    std::shared_ptr<storage::value_index> index_;
    const detail::value_test& test_;
    std::vector<storage::row_place> places_;
    std::vector<std::uint32_t> unlisted_tables_;  // all of their rows are candidates
    std::size_t at_ = 0;                          // no place before it is behind the last question
    std::uint32_t version_ = 0;
    std::uint32_t moves_ = 0;
    std::uint32_t collections_ = 0;
    bool gave_up_ = false;  // all rows are candidates
};

// The callback that receives the result may write values of components with an index. Requires: the
// world has indexes.
void note_handed_out(storage::store& data, const detail::result& result) noexcept;

}  // namespace kith::queries
