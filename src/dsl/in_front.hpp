// Putting some of a list in front of the others.
#pragma once

#include <vector>

namespace kith::dsl {

// Those for which `comes_first` holds, then the others, each in their order. As
// std::stable_partition, for which libstdc++ uses what is deprecated.
template <class T, class Predicate>
std::vector<T> in_front(const std::vector<T>& list, Predicate comes_first) {
    std::vector<T> ordered;
    ordered.reserve(list.size());
    for (bool wanted : {true, false}) {
        for (const T& value : list) {
            if (bool{comes_first(value)} == wanted) {
                ordered.push_back(value);
            }
        }
    }
    return ordered;
}

}  // namespace kith::dsl
