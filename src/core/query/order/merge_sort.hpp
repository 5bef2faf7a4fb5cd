// Sorting with comparison functions of programs, which may throw, and need not define an order: no
// such function makes these algorithms read out of bounds or loop forever.
//
// Covered by tests/unit/query/merge_sort_test.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace kith::queries::sorting {

// A choice without a jump, which would be mispredicted half of the time between random items.
template <class T>
const T* select(bool first, const T* a, const T* b) noexcept {
    const T* choices[] = {b, a};
    return choices[first];
}

// Sorts four neighbouring items by five comparisons. Nothing is written before the last of them.
template <class T, class Less>
void sort_four(T* items, const Less& less) {
    const bool first = less(items[1], items[0]);
    const bool second = less(items[3], items[2]);
    const T* a = items + first;
    const T* b = items + !first;
    const T* c = items + 2 + second;
    const T* d = items + 2 + !second;
    const bool lowest = less(*c, *a);
    const bool highest = less(*d, *b);
    const T* left = select(lowest, a, select(highest, c, b));
    const T* right = select(highest, d, select(lowest, b, c));
    const bool between = less(*right, *left);
    const T sorted[] = {*select(lowest, c, a), *select(between, right, left),
                        *select(between, left, right), *select(highest, b, d)};
    std::copy_n(sorted, 4, items);
}

// Merges [left, middle) and [middle, end) into `to`. Of equal items, those of the left come first.
template <class T, class Less>
void merge_ranges(const T* left, const T* middle, const T* end, T* to, const Less& less) {
    const T* right = middle;
    while (left != middle && right != end) {
        const bool take_right = less(*right, *left);
        *to++ = *select(take_right, right, left);
        right += take_right;
        left += !take_right;
    }
    std::copy(right, end, std::copy(left, middle, to));
}

// Sorts fewer than four items. Each step leaves a permutation, in case the next comparison throws.
template <class T, class Less>
void sort_few(T* items, std::size_t count, const Less& less) {
    for (std::size_t i = 1; i < count; ++i) {
        for (std::size_t j = i; j > 0 && less(items[j], items[j - 1]); --j) {
            std::swap(items[j], items[j - 1]);
        }
    }
}

// A stable merge sort. If `less` is no order, the result is some permutation of the items. If
// `less` throws, `items` is some permutation of them as well.
template <class T, class Less>
void merge_sort(std::vector<T>& items, const Less& less) {
    constexpr std::size_t short_run = 4;
    const std::size_t count = items.size();
    const std::size_t whole = count - count % short_run;
    for (std::size_t start = 0; start < whole; start += short_run) {
        sort_four(items.data() + start, less);
    }
    sort_few(items.data() + whole, count - whole, less);
    std::vector<T> other(count);
    for (std::size_t width = short_run; width < count; width *= 2) {
        const T* from = items.data();
        for (std::size_t start = 0; start < count; start += 2 * width) {
            const std::size_t middle = std::min(start + width, count);
            const std::size_t end = std::min(start + 2 * width, count);
            merge_ranges(from + start, from + middle, from + end, other.data() + start, less);
        }
        items.swap(other);
    }
}

// Merges two sorted lists. If `few` is much shorter than `many`, the places of its items are found
// by binary search, and the ranges between them are copied. Of equal items, those of `many` come
// first.
template <class T, class Less>
std::vector<T> merge_lists(const std::vector<T>& many, const std::vector<T>& few,
                           const Less& less) {
    std::vector<T> merged;
    merged.reserve(many.size() + few.size());
    std::size_t position = 0;
    const bool by_search = few.size() < many.size() / 8;
    for (const T& value : few) {
        std::size_t end = position;
        if (by_search) {
            std::size_t left = position;
            std::size_t right = many.size();
            while (left < right) {
                const std::size_t middle = left + (right - left) / 2;
                if (less(value, many[middle])) {
                    right = middle;
                } else {
                    left = middle + 1;
                }
            }
            end = left;
        } else {
            while (end < many.size() && !less(value, many[end])) {
                ++end;
            }
        }
        merged.insert(merged.end(), many.begin() + static_cast<std::ptrdiff_t>(position),
                      many.begin() + static_cast<std::ptrdiff_t>(end));
        merged.push_back(value);
        position = end;
    }
    merged.insert(merged.end(), many.begin() + static_cast<std::ptrdiff_t>(position), many.end());
    return merged;
}

// Sorts a list. If it is almost in order, of each two neighbours that are out of order both are
// taken out, sorted by themselves, and merged with the rest.
template <class T, class Less>
void sort_nearly(std::vector<T>& items, const Less& less) {
    const std::size_t most_out = 32 + items.size() / 4;
    std::vector<T> kept;
    std::vector<T> out;
    kept.reserve(items.size());
    for (const T& value : items) {
        if (kept.empty() || !less(value, kept.back())) {
            kept.push_back(value);
            continue;
        }
        out.push_back(kept.back());
        out.push_back(value);
        kept.pop_back();
        if (out.size() > most_out) {
            return merge_sort(items, less);
        }
    }
    merge_sort(out, less);
    items = kept.size() > out.size() ? merge_lists(kept, out, less) : merge_lists(out, kept, less);
}

}  // namespace kith::queries::sorting
