// Values that are made before the change that needs them. The source of a value may lie in a table
// that the change moves or deletes: `a.set(*b.get<T>())` makes the table of `b` grow.
//
// Covered by tests/core/mutate/value_sources_test.cpp.
#pragma once

#include "mutate/values.hpp"

namespace kith::mutate {

class values_ahead {
public:
    explicit values_ahead(containers::memory& mem) noexcept : mem_(mem) {}
    ~values_ahead();
    values_ahead(const values_ahead&) = delete;
    values_ahead& operator=(const values_ahead&) = delete;

    // Makes a value. Returns the source that moves it to its place; it is valid as long as this.
    const detail::value_source& make(const type_info& info, const detail::value_source& source);
    // The value that was made last.
    void* last() const noexcept { return first_->context.value; }

private:
    struct node {
        node* next;
        move_context context;
        detail::value_source source;
    };
    static std::size_t alignment_of(const type_info& info) noexcept;
    static std::size_t value_offset(const type_info& info) noexcept;

    containers::memory& mem_;
    node* first_ = nullptr;
};

}  // namespace kith::mutate
