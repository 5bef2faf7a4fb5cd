#include "nearest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kith_app {

namespace {

// Letters to add, drop or change to make one word of the other.
std::size_t distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= from.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t changed = diagonal + (from[i - 1] != to[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
        }
    }
    return row[to.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& words) {
    // Longer words are no slips of the finger, and would take long.
    constexpr std::size_t longest = 64;
    if (word.empty() || word.size() > longest) {
        return {};
    }
    // Two slips, as swapped letters are, in all but the shortest words; more in long ones.
    std::size_t least = (word.size() <= 3 ? 1 : std::max<std::size_t>(2, word.size() / 3)) + 1;
    const std::string* best = nullptr;
    for (const std::string& other : words) {
        if (other.size() > longest) {
            continue;
        }
        if (const std::size_t far = distance(word, other); far < least) {
            least = far;
            best = &other;
        }
    }
    return best ? "; did you mean '" + *best + "'?" : std::string();
}

}  // namespace kith_app
