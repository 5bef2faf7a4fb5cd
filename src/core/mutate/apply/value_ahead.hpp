// Values constructed ahead of a change, so that the change cannot invalidate the source. The source
// of a value may lie in a table that the change moves or deletes: `a.set(*b.get<T>())` makes the
// table of `b` grow.
//
// Covered by tests/features/deferring/value_sources_test.cpp.
#pragma once

#include "base/assert.hpp"
#include "mutate/apply/values.hpp"

namespace kith::mutate {

// A list of constructed values. The destructor destroys each value, moved from or not, and releases
// its memory.
class values_ahead {
public:
    explicit values_ahead(containers::memory& mem) noexcept : mem_(mem) {}
    ~values_ahead();
    values_ahead(const values_ahead&) = delete;
    values_ahead& operator=(const values_ahead&) = delete;

    // Constructs a value from the source. Returns a source that moves the value to its place; it is
    // valid as long as this object.
    const detail::value_source& make(const type_info& info, const detail::value_source& source);
    // The value that make() constructed last. Requires: make() was called.
    void* last() const noexcept {
        KITH_ASSERT(first_, "a value was made");
        return first_->context.value;
    }

private:
    // One value: its node is followed by the value, at the alignment of its type.
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
