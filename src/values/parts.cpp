// The parts of composed values (parts.hpp).
#include "parts.hpp"

#include <kith/detail/assert.hpp>

#include "life.hpp"

#include <algorithm>

namespace kith::values {

typed_value fixed_part(const description& type, const void* value, std::uint32_t index) noexcept {
    KITH_ASSERT(index < type.count, "the value has the part");
    if (type.what == kind::array) {
        return {type.element, part_at(value, index * type.element->life.size)};
    }
    return {type.members[index].type, part_at(value, type.members[index].offset)};
}

// The entries point into the container and are valid until it changes.
std::vector<container_entry> ordered_entries(const description& type, const void* value) {
    std::vector<container_entry> entries;
    entries.reserve(type.ops->size(type, value));
    type.ops->each(
        type, value,
        [](void* list, const void* key, const void* element) {
            static_cast<std::vector<container_entry>*>(list)->push_back({key, element});
        },
        &entries);
    if (type.what != kind::list && !type.ops->is_sorted) {
        const description& sorted_by = type.key ? *type.key : *type.element;
        std::sort(entries.begin(), entries.end(),
                  [&](const container_entry& a, const container_entry& b) {
                      return detail::compare_values(sorted_by, type.key ? a.key : a.element,
                                                    type.key ? b.key : b.element) < 0;
                  });
    }
    return entries;
}

typed_value inner_value(const description& type, const void* value) {
    KITH_ASSERT(type.what == kind::optional && value, "an optional may have a value inside");
    return {type.element, type.ops->inner(type, const_cast<void*>(value))};
}

present_alternative alternative_of(const description& type, const void* value) {
    KITH_ASSERT(type.ops && type.ops->which, "a variant knows its alternative");
    const std::int32_t which = type.ops->which(type, value);
    const description* of = which < 0 ? nullptr : type.members[which].type;
    if (!of || (of->what == kind::structure && of->count == 0)) {
        return {which, {of, nullptr}};
    }
    return {which, {of, type.ops->inner(type, const_cast<void*>(value))}};
}

}  // namespace kith::values
