// reserve_one() makes room for one more element in a std::vector, so that the push_back() which
// follows cannot fail. Changes reserve first and write then: writing must not throw.
//
// Covered by tests/unit/containers/reserve_one_test.cpp.
#pragma once

namespace kith::containers {

// The capacity grows by a factor: std::vector::reserve(size() + 1) would move all elements for each
// new one.
template <class List>
void reserve_one(List& list) {
    if (list.size() == list.capacity()) {
        list.reserve(2 * list.size() + 1);
    }
}

}  // namespace kith::containers
