// The share of a run that one of several workers visits. Rows of a table are divided into pieces of
// neighbours; the remaining rows are given to the shares in turn, so that shares are equal where
// tables are small. If there are many tables, small tables are assigned as a whole, because a table
// costs more than its rows. All shares see the same ranges in the same order.
#pragma once

#include <cstdint>

namespace kith::detail {

class row_share {
public:
    row_share() noexcept = default;
    // `tables`: how many there are, 0: nobody knows. `sifted`: terms are still to be asked whether
    // rows match. The turns follow no rhythm then, or if every second table matched, one of two
    // shares would get them all.
    row_share(std::uint32_t share, std::uint32_t shares, std::uint32_t tables, bool sifted) noexcept
        : share_(share), shares_(shares), is_even_(!sifted) {
        if (shares != 1) {
            auto begin_of = [&](std::uint64_t number) {
                return ((number << 32) + shares - 1) / shares;
            };
            begin_ = static_cast<std::uint32_t>(begin_of(share));
            width_ =
                static_cast<std::uint32_t>(begin_of(share + std::uint64_t{1}) - begin_of(share));
            dealt_below_ = tables / many_tables >= shares ? small_table : 0;
        }
    }

    bool is_all() const noexcept { return shares_ == 1; }
    bool deals_tables() const noexcept { return dealt_below_ != 0; }
    // The piece of a range of `count` rows; false if it has none.
    bool take(std::uint32_t count, std::uint32_t& first, std::uint32_t& taken) noexcept {
        if (count < dealt_below_) {
            first = 0;
            taken = count;
            return draw() && count != 0;
        }
        return count != 0 && take_piece(count, first, taken);
    }
    // Whether the share gets the next item of a sequence that is dealt out item by item.
    bool takes_one() noexcept {
        if (!is_even_) {
            return draw();
        }
        const bool taken = share_ == turn_;
        pass_turn(1);
        return taken;
    }

private:
    // From so many tables for each share on, those with fewer rows than this are dealt out.
    static constexpr std::uint32_t many_tables = 32;
    static constexpr std::uint32_t small_table = 64;
    // Multiples of the golden ratio are spread evenly, and so is every second, every third of them.
    static constexpr std::uint32_t golden = 0x9E3779B9;

    bool take_piece(std::uint32_t count, std::uint32_t& first, std::uint32_t& taken) noexcept;
    bool draw() noexcept {
        phase_ += golden;
        return phase_ - begin_ < width_;
    }
    void pass_turn(std::uint32_t times) noexcept;

    std::uint32_t share_ = 0;
    std::uint32_t shares_ = 1;
    std::uint32_t dealt_below_ = 0;
    std::uint32_t turn_ = 0;   // even sharing: the share that gets the next row left over
    std::uint32_t phase_ = 0;  // dealing: position of the next item in [0, 2^32)
    std::uint32_t begin_ = 0;  // dealing: the share owns the positions [begin_, begin_ + width_)
    std::uint32_t width_ = 0;
    bool is_even_ = true;
};

}  // namespace kith::detail
