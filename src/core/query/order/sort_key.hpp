// One key of order_by: results are sorted by the values of a field, by a number inside of those
// values, or by their entities. The namespace sorting maps numbers of all types to unsigned ones.
//
// make_sort_key() is implemented in sort_key.cpp.
#pragma once

#include "query/model/query_model.hpp"
#include "query/validate/validate.hpp"

#include <cstring>

namespace kith::queries {

struct sort_key {
    order_desc by;            // as the program described it
    std::uint8_t field = 0;   // field of the values
    id_t pattern = 0;         // id or pattern of the field's term
    std::uint32_t type = 0;   // component type of the values; 0: any
    std::uint32_t bytes = 0;  // size of the copy by which changes are found; 0: none is kept
    bool is_enum = false;     // the values are those of an enum's constants

    bool by_entity() const noexcept { return by.component == 0; }
    bool is_number() const noexcept { return by.number != order_number::none; }
    // Calls the comparison of the program. Requires: the key has one, and is no number.
    int compare(entity_t e1, const void* v1, entity_t e2, const void* v2) const {
        return by.callable ? by.callable(e1, v1, e2, v2)
               : by.call   ? by.call(by.func, e1, v1, e2, v2)
                           : by.compare(e1, v1, e2, v2);
    }
};

// Resolves one key of a description. Raises an error if the query has no values of the component,
// or the values have another type.
sort_key make_sort_key(const storage::store& data, const resolver& names, const order_desc& order,
                       const query_model& model);

namespace sorting {

constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;

// Maps numbers to unsigned ones with the same order. NaN comes last.
inline std::uint64_t to_unsigned(double number) noexcept {
    if (number != number) {
        return ~std::uint64_t{0};
    }
    // 0.0 and -0.0 are equal, but differ in their bits.
    const double same = number == 0 ? 0.0 : number;
    std::uint64_t bits = 0;
    std::memcpy(&bits, &same, sizeof bits);
    return bits & top_bit ? ~bits : bits | top_bit;
}
inline std::uint64_t to_unsigned(std::int64_t number) noexcept {
    return static_cast<std::uint64_t>(number) ^ top_bit;
}
inline std::uint64_t to_unsigned(std::uint64_t number) noexcept {
    return number;
}

// Reads a Number from unaligned memory as an unsigned number with the same order.
template <class Number, class Wide>
struct reader {
    static constexpr std::uint32_t size = sizeof(Number);

    std::uint64_t operator()(const std::byte* value) const noexcept {
        Number number;
        std::memcpy(&number, value, sizeof(number));
        return to_unsigned(static_cast<Wide>(number));
    }
};

// Calls use(read) with the reader for numbers of a kind, and returns its result.
template <class Use>
decltype(auto) with_reader(order_number kind, Use&& use) {
    switch (kind) {
        case order_number::u8:
            return use(reader<std::uint8_t, std::uint64_t>{});
        case order_number::u16:
            return use(reader<std::uint16_t, std::uint64_t>{});
        case order_number::u32:
            return use(reader<std::uint32_t, std::uint64_t>{});
        case order_number::i8:
            return use(reader<std::int8_t, std::int64_t>{});
        case order_number::i16:
            return use(reader<std::int16_t, std::int64_t>{});
        case order_number::i32:
            return use(reader<std::int32_t, std::int64_t>{});
        case order_number::i64:
            return use(reader<std::int64_t, std::int64_t>{});
        case order_number::f32:
            return use(reader<float, double>{});
        case order_number::f64:
            return use(reader<double, double>{});
        default:
            return use(reader<std::uint64_t, std::uint64_t>{});
    }
}

}  // namespace sorting
}  // namespace kith::queries
