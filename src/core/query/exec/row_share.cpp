// Shares of rows, declared in kith/detail/row_share.hpp.
#include "query/exec/row_share.hpp"

#include <algorithm>

namespace kith::detail {

bool row_share::take_piece(std::uint32_t count, std::uint32_t& first,
                           std::uint32_t& taken) noexcept {
    const std::uint32_t each = count / shares_;
    const std::uint32_t more = count % shares_;
    // The share whose turn it is to take rows that are left over has the first piece.
    const std::uint32_t location = share_ >= turn_ ? share_ - turn_ : share_ + (shares_ - turn_);
    first = location * each + std::min(location, more);
    taken = each + (location < more ? 1 : 0);
    pass_turn(more);
    return taken != 0;
}

void row_share::pass_turn(std::uint32_t times) noexcept {
    if (is_even_) {
        turn_ = times < shares_ - turn_ ? turn_ + times : times - (shares_ - turn_);
    } else {
        phase_ += times * golden;
        turn_ = static_cast<std::uint32_t>((std::uint64_t{phase_} * shares_) >> 32);
    }
}

}  // namespace kith::detail
