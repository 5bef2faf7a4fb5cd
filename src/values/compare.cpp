// Equality, order and hash of values by their descriptions (include/kith/description.hpp).
#include <kith/detail/assert.hpp>

#include "life.hpp"
#include "numbers.hpp"
#include "parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

namespace kith {

namespace values {

namespace {

const void* inner_of(const description& type, const void* value) {
    return type.ops->inner(type, const_cast<void*>(value));
}

// The order is lexicographic: by the first entries that differ, then by size.
int compare_containers(const description& type, const void* a, const void* b) {
    const std::vector<container_entry> left = ordered_entries(type, a);
    const std::vector<container_entry> right = ordered_entries(type, b);
    const std::size_t shorter = std::min(left.size(), right.size());
    for (std::size_t i = 0; i < shorter; ++i) {
        int order = type.key ? detail::compare_values(*type.key, left[i].key, right[i].key) : 0;
        order = order ? order
                      : detail::compare_values(*type.element, left[i].element, right[i].element);
        if (order) {
            return order;
        }
    }
    return left.size() < right.size() ? -1 : left.size() > right.size() ? 1 : 0;
}

// The first part that differs decides, in the order of declaration.
int compare_parts(const description& type, const void* a, const void* b) {
    for (std::uint32_t i = 0; i < type.count; ++i) {
        const typed_value left = fixed_part(type, a, i);
        const typed_value right = fixed_part(type, b, i);
        if (const int order = detail::compare_values(*left.type, left.value, right.value)) {
            return order;
        }
    }
    return 0;
}

// An empty optional is less than any value; variants are ordered by the number of the alternative
// first.
int compare_choices(const description& type, const void* a, const void* b) {
    const void* left = inner_of(type, a);
    const void* right = inner_of(type, b);
    if (type.what == kind::variant) {
        const std::int32_t which = type.ops->which(type, a);
        const std::int32_t other = type.ops->which(type, b);
        if (which != other || which < 0) {
            return which < other ? -1 : which > other ? 1 : 0;
        }
        return detail::compare_values(*type.members[which].type, left, right);
    }
    if (!left || !right) {
        return (left != nullptr) - (right != nullptr);
    }
    return detail::compare_values(*type.element, left, right);
}

// The representations exist only inside of the calls, so that one call is nested in the other.
int compare_opaque(const description& type, const void* a, const void* b) {
    int order = 0;
    with_representation(type, a, [&](const description& shown, const void* left) {
        with_representation(type, b, [&](const description&, const void* right) {
            order = detail::compare_values(shown, left, right);
        });
    });
    return order;
}

// The order of calls matters, so that {1, 2} and {2, 1} differ as a rule.
std::uint64_t mix(std::uint64_t hash, std::uint64_t value) noexcept {
    hash ^= value + 0x9E3779B97F4A7C15ull + (hash << 6) + (hash >> 2);
    return hash * 0xFF51AFD7ED558CCDull;
}
std::uint64_t hash_text(text_view text) noexcept {
    return std::hash<std::string_view>{}(std::string_view(text.data, text.size));
}
// Equal numbers have equal bits here: both zeros, and all NaNs, are made the same.
std::uint64_t hash_number(const number& value) noexcept {
    if (value.is != number::form::real) {
        return value.is == number::form::negative ? static_cast<std::uint64_t>(value.negative)
                                                  : value.positive;
    }
    const double real = std::isnan(value.real) ? std::nan("") : value.real == 0 ? 0.0 : value.real;
    std::uint64_t bits;
    std::memcpy(&bits, &real, sizeof bits);
    return bits;
}

// Entries of sets and maps are hashed in sorted order, so that equal containers have equal hashes
// whatever their order in memory.
std::uint64_t hash_composed(const description& type, const void* value) {
    std::uint64_t hash = static_cast<std::uint64_t>(type.what);
    switch (type.what) {
        case kind::structure:
        case kind::tuple:
        case kind::array:
            for (std::uint32_t i = 0; i < type.count; ++i) {
                const typed_value part = fixed_part(type, value, i);
                hash = mix(hash, detail::hash_value(*part.type, part.value));
            }
            return hash;
        case kind::list:
        case kind::set:
        case kind::map:
            for (const container_entry& one : ordered_entries(type, value)) {
                hash = type.key ? mix(hash, detail::hash_value(*type.key, one.key)) : hash;
                hash = mix(hash, detail::hash_value(*type.element, one.element));
            }
            return hash;
        case kind::variant: {
            const std::int32_t which = type.ops->which(type, value);
            hash = mix(hash, static_cast<std::uint64_t>(which));
            return which < 0 ? hash
                             : mix(hash, detail::hash_value(*type.members[which].type,
                                                            inner_of(type, value)));
        }
        default: {
            const void* present = inner_of(type, value);
            return present ? mix(hash, detail::hash_value(*type.element, present)) : hash;
        }
    }
}

}  // namespace

}  // namespace values

namespace detail {

int compare_values(const description& type, const void* a, const void* b) {
    KITH_ASSERT(a && b, "two values are compared");
    switch (type.what) {
        case kind::none:
            return 0;
        case kind::text: {
            const text_view left = type.ops->text(type, a);
            const text_view right = type.ops->text(type, b);
            const int order = std::string_view(left.data, left.size)
                                  .compare(std::string_view(right.data, right.size));
            return order < 0 ? -1 : order > 0 ? 1 : 0;
        }
        case kind::entity: {
            const entity_t left = type.ops->entity(type, a);
            const entity_t right = type.ops->entity(type, b);
            return left < right ? -1 : left > right ? 1 : 0;
        }
        case kind::structure:
        case kind::tuple:
        case kind::array:
            return values::compare_parts(type, a, b);
        case kind::list:
        case kind::set:
        case kind::map:
            return values::compare_containers(type, a, b);
        case kind::optional:
        case kind::variant:
            return values::compare_choices(type, a, b);
        case kind::opaque:
            return values::compare_opaque(type, a, b);
        default: {
            const kind stored = values::stored_kind(type);
            return values::compare_numbers(values::read_number(stored, a),
                                           values::read_number(stored, b));
        }
    }
}

bool equal_values(const description& type, const void* a, const void* b) {
    return compare_values(type, a, b) == 0;
}

std::uint64_t hash_value(const description& type, const void* value) {
    KITH_ASSERT(value, "there is a value to hash");
    switch (type.what) {
        case kind::none:
            return 0;
        case kind::text:
            return values::hash_text(type.ops->text(type, value));
        case kind::entity:
            return type.ops->entity(type, value);
        case kind::opaque: {
            std::uint64_t hash = 0;
            values::with_representation(type, value,
                                        [&](const description& shown, const void* representation) {
                                            hash = hash_value(shown, representation);
                                        });
            return hash;
        }
        default:
            break;
    }
    if (type.what >= kind::structure) {
        return values::hash_composed(type, value);
    }
    return values::hash_number(values::read_number(values::stored_kind(type), value));
}

}  // namespace detail

}  // namespace kith
