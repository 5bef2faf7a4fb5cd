// Room for one more element in a std::vector, so that a push_back() which follows cannot fail.
//
// Covered by tests/core/containers/reserve_one_test.cpp.
#pragma once

namespace kith::containers {

// Grows by a factor: reserve(size() + 1) would copy the whole list for each element.
template <class List>
void reserve_one(List& list) {
    if (list.size() == list.capacity()) {
        list.reserve(2 * list.size() + 1);
    }
}

}  // namespace kith::containers
