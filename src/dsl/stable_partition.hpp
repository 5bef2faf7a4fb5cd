// Reordering a list: members with a property come first.
#pragma once

#include <vector>

namespace kith::dsl {

// The values for which comes_first(value) is true, then the rest, both in their order. The list
// itself stays: std::stable_partition is not used, because libstdc++ calls a deprecated function.
template <class T, class Predicate>
std::vector<T> stable_partitioned(const std::vector<T>& list, Predicate comes_first) {
    std::vector<T> ordered;
    ordered.reserve(list.size());
    for (bool is_first : {true, false}) {
        for (const T& value : list) {
            if (bool{comes_first(value)} == is_first) {
                ordered.push_back(value);
            }
        }
    }
    return ordered;
}

}  // namespace kith::dsl
