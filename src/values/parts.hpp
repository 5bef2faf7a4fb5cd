// The parts of composed values, in the order in which texts and JSON write them. Writers and checks
// of values share these steps.
#pragma once

#include <kith/description.hpp>

#include <vector>

namespace kith::values {

// A value with its type. A null value: there is none.
struct typed_value {
    const description* type = nullptr;
    const void* value = nullptr;
};

// A member of a struct or tuple, or an element of an array. Requires: index < type.count.
typed_value fixed_part(const description& type, const void* value, std::uint32_t index) noexcept;

// An element of a list or set, or an entry of a map, whose key is not null.
struct container_entry {
    const void* key;
    const void* element;
};
// Containers without an order of their own are sorted by key, so that equal values have equal
// lists.
std::vector<container_entry> ordered_entries(const description& type, const void* value);

// The value of an optional; a null value if it has none.
typed_value inner_value(const description& type, const void* value);

// The present alternative of a variant. An alternative without members, such as std::monostate, has
// no value.
struct present_alternative {
    std::int32_t which = -1;
    typed_value inner;
};
present_alternative alternative_of(const description& type, const void* value);

// Calls use(type, representation) with the representation of an opaque value.
template <class Func>
void with_representation(const description& type, const void* value, Func&& use) {
    struct call {
        const description& type;
        Func& use;
    } context{*type.element, use};
    type.ops->represent(
        type, value,
        [](void* to, const void* representation) {
            auto& target = *static_cast<call*>(to);
            target.use(target.type, representation);
        },
        &context);
}

}  // namespace kith::values
