// One of several shares of what a run goes through. Rows of a table are shared out in pieces of
// neighbours; the rows that are left over go to the shares in turn, so that shares are alike where
// tables are small. All shares see the same ranges in the same order.
#pragma once

#include <kith/detail/query_ops.hpp>

#include <algorithm>

namespace kith::queries {

class row_share {
public:
    row_share() noexcept = default;
    explicit row_share(const detail::run_options& options) noexcept
        : share_(options.share), shares_(options.shares) {}

    bool is_all() const noexcept { return shares_ == 1; }
    // The piece of a range of `count` rows; false if it has none.
    bool take(std::uint32_t count, std::uint32_t& first, std::uint32_t& taken) noexcept {
        const std::uint32_t each = count / shares_;
        const std::uint32_t more = count % shares_;
        // Whose turn it is for rows that are left over has the first piece.
        const std::uint32_t place = share_ >= turn_ ? share_ - turn_ : share_ + (shares_ - turn_);
        first = place * each + std::min(place, more);
        taken = each + (place < more ? 1 : 0);
        turn_ = more < shares_ - turn_ ? turn_ + more : more - (shares_ - turn_);
        return taken != 0;
    }
    // The same for something that is one piece.
    bool takes_one() noexcept {
        std::uint32_t first, taken;
        return take(1, first, taken);
    }

private:
    std::uint32_t share_ = 0;
    std::uint32_t shares_ = 1;
    std::uint32_t turn_ = 0;  // the share that gets the next row that is left over
};

// Narrows a result, whose fields are `fields`, to some of its rows.
inline void narrow_rows(detail::result& found, detail::field_data* fields, std::uint32_t first,
                        std::uint32_t taken) noexcept {
    for (std::uint32_t i = 0; i < found.field_count; ++i) {
        if (fields[i].value) {
            fields[i].value += std::size_t{fields[i].stride} * first;
        }
    }
    found.entities += first;
    found.first_row += first;
    found.count = taken;
}

}  // namespace kith::queries
