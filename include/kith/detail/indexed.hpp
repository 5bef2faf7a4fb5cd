// Iterators over elements that have an index: rows, values of a field, entities. They satisfy the
// iterator concepts of the standard library without a header of it.
//
// Covered by tests/features/idioms/ranges_test.cpp.
#pragma once

#include <kith/type_info.hpp>

namespace kith::detail {

// A random access iterator. `From` has value_type and at(index); copies of it are the same.
template <class From>
class index_iterator {
public:
    using value_type = typename From::value_type;
    using difference_type = std::ptrdiff_t;

    index_iterator() noexcept = default;
    index_iterator(const From& from, std::size_t index) noexcept
        : from_(from), index_(static_cast<difference_type>(index)) {}

    decltype(auto) operator*() const { return from_.at(static_cast<std::size_t>(index_)); }
    auto operator->() const
        requires(std::is_lvalue_reference_v<decltype(std::declval<const From&>().at(0))>) {
        return address_of(**this);
    }
    decltype(auto) operator[](difference_type offset) const {
        return from_.at(static_cast<std::size_t>(index_ + offset));
    }

    index_iterator& operator++() noexcept { return *this += 1; }
    index_iterator& operator--() noexcept { return *this -= 1; }
    index_iterator operator++(int) noexcept {
        index_iterator before = *this;
        ++*this;
        return before;
    }
    index_iterator operator--(int) noexcept {
        index_iterator before = *this;
        --*this;
        return before;
    }
    index_iterator& operator+=(difference_type offset) noexcept {
        index_ += offset;
        return *this;
    }
    index_iterator& operator-=(difference_type offset) noexcept { return *this += -offset; }
    friend index_iterator operator+(index_iterator at, difference_type offset) noexcept {
        return at += offset;
    }
    friend index_iterator operator+(difference_type offset, index_iterator at) noexcept {
        return at += offset;
    }
    friend index_iterator operator-(index_iterator at, difference_type offset) noexcept {
        return at -= offset;
    }
    friend difference_type operator-(const index_iterator& a, const index_iterator& b) noexcept {
        return a.index_ - b.index_;
    }
    friend bool operator==(const index_iterator& a, const index_iterator& b) noexcept {
        return a.index_ == b.index_;
    }
    friend bool operator<(const index_iterator& a, const index_iterator& b) noexcept {
        return a.index_ < b.index_;
    }
    friend bool operator>(const index_iterator& a, const index_iterator& b) noexcept {
        return b < a;
    }
    friend bool operator<=(const index_iterator& a, const index_iterator& b) noexcept {
        return !(b < a);
    }
    friend bool operator>=(const index_iterator& a, const index_iterator& b) noexcept {
        return !(a < b);
    }

private:
    From from_{};
    difference_type index_ = 0;
};

// The sentinel of ranges whose iterators know their end.
struct range_end {};

}  // namespace kith::detail
