// Numbers over the results of a query: count, sum, minimum, maximum, average, of all results or by
// group. Not part of <kith/kith.hpp>. See docs/manual/values-as-text.md.
//
//   kith::aggregate(ships, "Cargo.tons").sum().str();
//   for (const auto& port : kith::aggregate(ships, "Cargo.tons", "$port")) { … }
//
// Covered by tests/features/values/aggregate_test.cpp.
#pragma once

#include <kith/query_columns.hpp>
#include <kith/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kith {

namespace values {
class column_sums;
}

// An integer of up to 128 bits, or a float.
class aggregate_number {
public:
    enum class form : std::uint8_t { none, integer, real };

    aggregate_number() noexcept = default;
    static aggregate_number of_real(double value) noexcept;
    // `high` and `low` are the halves of a two's complement.
    static aggregate_number of_integer(std::uint64_t high, std::uint64_t low) noexcept;

    // False: there was nothing to count.
    explicit operator bool() const noexcept { return is_ != form::none; }
    bool is_integer() const noexcept { return is_ == form::integer; }
    // The nearest double; NaN for nothing.
    double real() const noexcept;
    // Throws kith::error (limit) beyond 64 bits, (wrong_type) for floats and for nothing.
    std::int64_t integer() const;
    // The shortest text that reads back to the number, in the width of its member; "" for nothing.
    // Throws kith::error (limit) beyond 64 bits.
    std::string str() const;

private:
    friend class aggregates;
    friend class values::column_sums;
    form is_ = form::none;
    std::uint64_t high_ = 0;
    std::uint64_t low_ = 0;
    double real_ = 0;
    bool is_single_ = false;  // a value of an f32
};

// What was found about one member. Integers are summed in 128 bits. Floats are summed by pairs, so
// that errors of rounding do not grow with the number of results.
class aggregates {
public:
    void add(double value);
    // A value of an f32: the least and the largest one are shown as such.
    void add_single(float value);
    void add(std::uint64_t magnitude, bool negative);

    // The results that have the value.
    std::uint64_t count() const noexcept { return count_; }
    aggregate_number sum() const;
    // The function returns nothing if no result has the value. NaN is not compared.
    aggregate_number min() const noexcept { return min_; }
    aggregate_number max() const noexcept { return max_; }
    // A float; NaN if no result has the value.
    double avg() const;

private:
    friend class values::column_sums;
    // The sum of 2^level floats. Requires: the count is a multiple of that.
    void add_real(double sum, std::uint32_t level = 0);
    void compare(const aggregate_number& value);

    std::uint64_t count_ = 0;
    std::uint64_t high_ = 0;
    std::uint64_t low_ = 0;
    bool is_real_ = false;
    // The n-th is the sum of 2^n floats, if bit n of the count is set.
    double partial_[64] = {};
    aggregate_number min_;
    aggregate_number max_;
};

struct aggregate_group {
    std::string key;      // the path of the entity, or the text of the value; "" without one
    entity_t entity = 0;  // of a variable or target
    aggregates of;
};

// `member` is a component of the query with a path behind it: "Cargo.tons", "Level"; "" only counts
// results. Throws kith::error (invalid_query) if no field of the query has such a value, or if the
// value is no number.
aggregates aggregate(const filter<>& query, std::string_view member);
// One for each value of a variable ("$port", "$this"), of the target of a pair with a wildcard
// ("(DockedTo, *)") or of a member ("Cargo.grade"), in the order of these values.
std::vector<aggregate_group> aggregate(const filter<>& query, std::string_view member,
                                       std::string_view by);

}  // namespace kith
