// Sorting with comparison functions of programs, which may throw, and need not define an order: no
// such function makes these algorithms read out of bounds or loop forever.
//
// Covered by tests/unit/query/merge_sort_test.cpp.
#pragma once

#include <cstddef>
#include <vector>

namespace kith::queries::sorting {

// A stable merge sort. If `less` is no order, the result is some permutation of the items. If
// `less` throws, `items` is some permutation of them as well.
template <class T, class Less>
void merge_sort(std::vector<T>& items, const Less& less) {
    constexpr std::size_t short_run = 8;
    const std::size_t count = items.size();
    for (std::size_t start = 0; start < count; start += short_run) {
        const std::size_t end = start + short_run < count ? start + short_run : count;
        for (std::size_t i = start + 1; i < end; ++i) {
            // Each step leaves a permutation behind, in case the next comparison throws.
            const T value = items[i];
            std::size_t position = i;
            while (position > start && less(value, items[position - 1])) {
                items[position] = items[position - 1];
                --position;
                items[position] = value;
            }
        }
    }
    std::vector<T> other(count);
    for (std::size_t width = short_run; width < count; width *= 2) {
        for (std::size_t start = 0; start < count; start += 2 * width) {
            std::size_t left = start;
            const std::size_t middle = start + width < count ? start + width : count;
            std::size_t right = middle;
            const std::size_t end = start + 2 * width < count ? start + 2 * width : count;
            for (std::size_t to = start; to < end; ++to) {
                const bool take_right =
                    right < end && (left == middle || less(items[right], items[left]));
                other[to] = take_right ? items[right++] : items[left++];
            }
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

// Sorts a list that is almost in order: of each two neighbours that are out of order both are taken
// out, sorted by themselves, and merged with the rest.
template <class T, class Less>
void sort_nearly(std::vector<T>& items, const Less& less) {
    std::vector<T> kept;
    std::vector<T> out;
    kept.reserve(items.size());
    for (const T& value : items) {
        if (!kept.empty() && less(value, kept.back())) {
            out.push_back(kept.back());
            out.push_back(value);
            kept.pop_back();
        } else {
            kept.push_back(value);
        }
    }
    merge_sort(out, less);
    items = kept.size() > out.size() ? merge_lists(kept, out, less) : merge_lists(out, kept, less);
}

}  // namespace kith::queries::sorting
