// Values of types without a C++ type (runtime_life.hpp).
#include "runtime_life.hpp"

#include <kith/detail/assert.hpp>
#include <kith/reflect.hpp>

#include "raise.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace kith::values {

namespace {

std::uint32_t round_up(std::uint32_t size, std::uint32_t alignment) noexcept {
    return (size + alignment - 1) / alignment * alignment;
}
// finish_runtime_type() has set the context to the node of the type.
const description& described_by(const type_info& info) noexcept {
    return *static_cast<const description*>(info.context);
}

// -- parts at fixed offsets: members, elements of arrays ------------------------------------------

std::size_t part_count(const description& type) noexcept {
    return type.count;
}
const type_info& part_life(const description& type, std::size_t index) noexcept {
    return type.what == kind::array ? type.element->life : type.members[index].type->life;
}
std::size_t part_offset(const description& type, std::size_t index) noexcept {
    return type.what == kind::array ? index * type.element->life.size : type.members[index].offset;
}

// Destroys the first `count` parts, the last one first, as C++ destroys members.
void destroy_parts(const description& type, void* value, std::size_t count) noexcept {
    KITH_ASSERT(count <= type.count, "no more parts are destroyed than the type has");
    while (count-- > 0) {
        destroy_value(part_life(type, count), part_at(value, part_offset(type, count)));
    }
}
// Calls make(index) for all parts; parts that were made are destroyed if one throws.
template <class Make>
void make_parts(const description& type, void* value, Make&& make) {
    struct guard {
        const description& type;
        void* value;
        std::size_t made = 0;
        bool done = false;
        ~guard() {
            if (!done) {
                destroy_parts(type, value, made);
            }
        }
    } parts{type, value};
    for (; parts.made < part_count(type); ++parts.made) {
        make(parts.made);
    }
    parts.done = true;
}
// A member with a default is a copy of it. Elements of arrays have no defaults of their own.
void make_part(const description& type, void* value, std::size_t index) {
    const member_attributes* attributes =
        type.what == kind::array ? nullptr : type.members[index].attributes;
    void* part = part_at(value, part_offset(type, index));
    if (attributes && attributes->default_value) {
        copy_value(part_life(type, index), part, attributes->default_value);
    } else {
        make_value(part_life(type, index), part);
    }
}

// Functions for structs, tuples and arrays. Padding is zeroed by constructors.
struct parts_life {
    static void construct(void* value, const type_info& info) {
        const description& type = described_by(info);
        std::memset(value, 0, info.size);
        make_parts(type, value, [&](std::size_t i) { make_part(type, value, i); });
    }
    static void destroy(void* value, const type_info& info) noexcept {
        destroy_parts(described_by(info), value, part_count(described_by(info)));
    }
    static void copy_construct(void* value, const void* from, const type_info& info) {
        const description& type = described_by(info);
        std::memset(value, 0, info.size);
        make_parts(type, value, [&](std::size_t i) {
            const std::size_t offset = part_offset(type, i);
            copy_value(part_life(type, i), part_at(value, offset), part_at(from, offset));
        });
    }
    static void copy_assign(void* value, const void* from, const type_info& info) {
        const description& type = described_by(info);
        for (std::size_t i = 0; i < part_count(type); ++i) {
            const std::size_t offset = part_offset(type, i);
            assign_copy(part_life(type, i), part_at(value, offset), part_at(from, offset));
        }
    }
    static void move_construct(void* value, void* from, const type_info& info) noexcept {
        const description& type = described_by(info);
        for (std::size_t i = 0; i < part_count(type); ++i) {
            const std::size_t offset = part_offset(type, i);
            move_value(part_life(type, i), part_at(value, offset), part_at(from, offset));
        }
    }
    static void move_assign(void* value, void* from, const type_info& info) noexcept {
        const description& type = described_by(info);
        for (std::size_t i = 0; i < part_count(type); ++i) {
            const std::size_t offset = part_offset(type, i);
            assign_moved(part_life(type, i), part_at(value, offset), part_at(from, offset));
        }
    }
};

// -- lists ---------------------------------------------------------------------------------------

// The memory of a list: elements one behind the other. All zero is an empty list.
struct raw_list {
    std::byte* data;
    std::size_t size;
    std::size_t capacity;
};
raw_list& list_at(void* value) noexcept {
    return *static_cast<raw_list*>(value);
}
const raw_list& list_at(const void* value) noexcept {
    return *static_cast<const raw_list*>(value);
}
// Leaves an empty list without memory, which may be used again.
void destroy_list(raw_list& list, const type_info& element) noexcept {
    for (std::size_t i = list.size; i-- > 0;) {
        destroy_value(element, list.data + i * element.size);
    }
    if (list.data) {
        release(element, list.data);
    }
    list = {};
}
// The capacity at least doubles. Elements are moved, which cannot fail; if memory is short, the
// list is as before.
void reserve_list(raw_list& list, const type_info& element, std::size_t capacity) {
    if (capacity <= list.capacity) {
        return;
    }
    capacity = std::max(capacity, 2 * list.capacity);
    raw_list larger{static_cast<std::byte*>(allocate(element, capacity)), list.size, capacity};
    for (std::size_t i = 0; i < list.size; ++i) {
        move_value(element, larger.data + i * element.size, list.data + i * element.size);
    }
    destroy_list(list, element);
    list = larger;
}
// The size counts elements that exist at each moment, so that a constructor that throws leaves a
// shorter list.
void resize_list(const description& type, void* value, std::size_t size) {
    raw_list& list = list_at(value);
    const type_info& element = type.element->life;
    reserve_list(list, element, size);
    KITH_ASSERT(list.capacity >= size, "a list has room for its elements");
    for (; list.size > size; --list.size) {
        destroy_value(element, list.data + (list.size - 1) * element.size);
    }
    for (; list.size < size; ++list.size) {
        make_value(element, list.data + list.size * element.size);
    }
}

// There is no `construct`: an empty list is all zero.
struct list_life {
    static void copy_construct(void* value, const void* from, const type_info& info) {
        const type_info& element = described_by(info).element->life;
        struct guard {
            raw_list list{};
            const type_info& element;
            ~guard() { destroy_list(list, element); }
        } copy{{}, element};
        const raw_list& source = list_at(from);
        reserve_list(copy.list, element, source.size);
        for (; copy.list.size < source.size; ++copy.list.size) {
            const std::size_t offset = copy.list.size * element.size;
            copy_value(element, copy.list.data + offset, source.data + offset);
        }
        list_at(value) = std::exchange(copy.list, {});
    }
    static void destroy(void* value, const type_info& info) noexcept {
        destroy_list(list_at(value), described_by(info).element->life);
    }
    static void copy_assign(void* value, const void* from, const type_info& info) {
        // The copy is complete before the old elements end: a copy that throws leaves the value as
        // it was.
        raw_list copy{};
        copy_construct(&copy, from, info);
        destroy(value, info);
        list_at(value) = copy;
    }
    static void move_construct(void* value, void* from, const type_info&) noexcept {
        list_at(value) = std::exchange(list_at(from), {});
    }
    static void move_assign(void* value, void* from, const type_info&) noexcept {
        std::swap(list_at(value), list_at(from));
    }
};

constexpr value_ops list_functions() {
    value_ops ops;
    ops.size = [](const description&, const void* value) { return list_at(value).size; };
    ops.at = [](const description& type, void* value, std::size_t index) -> void* {
        return list_at(value).data + index * type.element->life.size;
    };
    ops.each = [](const description& type, const void* value,
                  void (*visit)(void*, const void*, const void*), void* context) {
        const raw_list& list = list_at(value);
        for (std::size_t i = 0; i < list.size; ++i) {
            visit(context, nullptr, list.data + i * type.element->life.size);
        }
    };
    ops.resize = resize_list;
    ops.clear = [](const description& type, void* value) {
        destroy_list(list_at(value), type.element->life);
    };
    return ops;
}

// -- maps ----------------------------------------------------------------------------------------

// Compares keys by description; lookups take the raw key, without a box.
struct key_order {
    const description* type;
    using is_transparent = void;
    const void* key(const void* raw) const noexcept { return raw; }
    const void* key(const value_box& box) const noexcept { return box.get(); }
    bool operator()(const auto& a, const auto& b) const {
        return detail::compare_values(*type, key(a), key(b)) < 0;
    }
};
using key_map = std::map<value_box, value_box, key_order>;
// Null stands for an empty map.
key_map*& map_at(void* value) noexcept {
    return *static_cast<key_map**>(value);
}
const key_map* map_at(const void* value) noexcept {
    return *static_cast<key_map* const*>(value);
}

// A map is one pointer. It is null before the first entry, so that most empty maps take no memory.
struct map_life {
    static void destroy(void* value, const type_info&) noexcept {
        delete std::exchange(map_at(value), nullptr);
    }
    static void copy_construct(void* value, const void* from, const type_info& info) {
        map_at(value) = nullptr;
        const key_map* source = map_at(from);
        if (!source) {
            return;
        }
        const description& type = described_by(info);
        auto copy = std::make_unique<key_map>(source->key_comp());
        for (const auto& [key, element] : *source) {
            copy->emplace_hint(copy->end(), value_box(type.key->life, key.get()),
                               value_box(type.element->life, element.get()));
        }
        map_at(value) = copy.release();
    }
    static void copy_assign(void* value, const void* from, const type_info& info) {
        // The copy is complete before the old map ends.
        key_map* copy = nullptr;
        copy_construct(&copy, from, info);
        destroy(value, info);
        map_at(value) = copy;
    }
    static void move_construct(void* value, void* from, const type_info&) noexcept {
        map_at(value) = std::exchange(map_at(from), nullptr);
    }
    static void move_assign(void* value, void* from, const type_info&) noexcept {
        std::swap(map_at(value), map_at(from));
    }
};

constexpr value_ops map_functions() {
    value_ops ops;
    ops.is_sorted = true;
    ops.size = [](const description&, const void* value) {
        return map_at(value) ? map_at(value)->size() : 0;
    };
    ops.each = [](const description&, const void* value,
                  void (*visit)(void*, const void*, const void*), void* context) {
        if (const key_map* map = map_at(value)) {
            for (const auto& [key, element] : *map) {
                visit(context, key.get(), element.get());
            }
        }
    };
    ops.find = [](const description&, void* value, const void* key) -> void* {
        key_map* map = map_at(value);
        const auto found = map ? map->find(key) : key_map::iterator();
        return map && found != map->end() ? found->second.get() : nullptr;
    };
    // Returns the value of the key, which is made if the key is new. The key is copied.
    ops.insert = [](const description& type, void* value, void* key) -> void* {
        if (!map_at(value)) {
            map_at(value) = new key_map(key_order{type.key});
        }
        key_map& map = *map_at(value);
        auto found = map.find(static_cast<const void*>(key));
        if (found == map.end()) {
            found =
                map.emplace(value_box(type.key->life, key), value_box(type.element->life)).first;
        }
        return found->second.get();
    };
    ops.erase = [](const description&, void* value, const void* key) {
        key_map* map = map_at(value);
        const auto found = map ? map->find(key) : key_map::iterator();
        if (!map || found == map->end()) {
            return false;
        }
        map->erase(found);
        return true;
    };
    ops.clear = [](const description&, void* value) {
        delete std::exchange(map_at(value), nullptr);
    };
    return ops;
}

// -- optionals and variants: the number of the present alternative, then its value ---------------

// 0: none; else the number of the alternative from 1.
std::uint32_t& tag_at(void* value) noexcept {
    return *static_cast<std::uint32_t*>(value);
}
std::uint32_t tag_at(const void* value) noexcept {
    return *static_cast<const std::uint32_t*>(value);
}
// Requires: tag is not 0.
const type_info& alternative(const description& type, std::uint32_t tag) noexcept {
    return type.what == kind::optional ? type.element->life : type.members[tag - 1].type->life;
}
// The tag has four bytes; the value behind it needs the alignment of the whole.
std::size_t inner_offset(const description& type) noexcept {
    return std::max<std::size_t>(type.life.alignment, sizeof(std::uint32_t));
}
void* inner_at(const description& type, void* value) noexcept {
    return part_at(value, inner_offset(type));
}
void clear_choice(const description& type, void* value) noexcept {
    if (const std::uint32_t tag = std::exchange(tag_at(value), 0)) {
        destroy_value(alternative(type, tag), inner_at(type, value));
    }
}

// A variant starts with its first alternative, an optional without a value.
struct choice_life {
    static void construct(void* value, const type_info& info) {
        std::memset(value, 0, info.size);
        const description& type = described_by(info);
        if (type.what == kind::variant && type.count != 0) {
            make_value(alternative(type, 1), inner_at(type, value));
            tag_at(value) = 1;
        }
    }
    static void destroy(void* value, const type_info& info) noexcept {
        clear_choice(described_by(info), value);
    }
    static void copy_construct(void* value, const void* from, const type_info& info) {
        const description& type = described_by(info);
        std::memset(value, 0, info.size);
        if (const std::uint32_t tag = tag_at(from)) {
            copy_value(alternative(type, tag), inner_at(type, value),
                       part_at(from, inner_offset(type)));
            tag_at(value) = tag;
        }
    }
    static void copy_assign(void* value, const void* from, const type_info& info) {
        const value_box copy(info, from);
        move_assign(value, copy.get(), info);
    }
    static void move_construct(void* value, void* from, const type_info& info) noexcept {
        const description& type = described_by(info);
        tag_at(value) = tag_at(static_cast<const void*>(from));
        if (const std::uint32_t tag = tag_at(value)) {
            move_value(alternative(type, tag), inner_at(type, value), inner_at(type, from));
        }
    }
    static void move_assign(void* value, void* from, const type_info& info) noexcept {
        clear_choice(described_by(info), value);
        move_construct(value, from, info);
    }
};

// emplace() leaves nothing behind if the constructor throws: the tag is written last.
constexpr value_ops choice_functions() {
    value_ops ops;
    ops.which = [](const description&, const void* value) {
        return static_cast<std::int32_t>(tag_at(value)) - 1;
    };
    ops.inner = [](const description& type, void* value) -> void* {
        return tag_at(value) ? inner_at(type, value) : nullptr;
    };
    ops.emplace = [](const description& type, void* value, std::uint32_t which) -> void* {
        clear_choice(type, value);
        make_value(alternative(type, which + 1), inner_at(type, value));
        tag_at(value) = which + 1;
        return inner_at(type, value);
    };
    ops.clear = [](const description& type, void* value) { clear_choice(type, value); };
    return ops;
}

// Lives without `construct` start as zero bytes.
template <class Life>
void use_life(type_info& info) {
    if constexpr (requires { Life::construct; }) {
        info.construct = Life::construct;
    } else {
        info.zero_construct = true;
    }
    info.destroy = Life::destroy;
    info.copy_construct = Life::copy_construct;
    info.copy_assign = Life::copy_assign;
    info.move_construct = Life::move_construct;
    info.move_assign = Life::move_assign;
}

// A list or map without elements is all zero; both can be moved as bytes.
void finish_container(description_node& node) {
    static constexpr value_ops lists = list_functions();
    static constexpr value_ops maps = map_functions();
    if (node.what == kind::list) {
        node.life.size = sizeof(raw_list);
        use_life<list_life>(node.life);
        node.ops = &lists;
    } else {
        node.life.size = sizeof(void*);
        use_life<map_life>(node.life);
        node.ops = &maps;
    }
    node.life.alignment = alignof(void*);
    node.life.trivial_move = true;
}

// The value lies behind the tag, at the strictest alignment of all alternatives.
void finish_choice(description_node& node) {
    KITH_ASSERT(node.element || node.count != 0, "an optional or variant has a type inside");
    static constexpr value_ops functions = choice_functions();
    std::uint32_t size = 0;
    std::uint32_t alignment = alignof(std::uint32_t);
    for (std::uint32_t i = 1; i <= std::max(node.count, 1u); ++i) {
        const type_info& inner = alternative(node, i);
        size = std::max(size, inner.size);
        alignment = std::max(alignment, inner.alignment);
    }
    node.life.alignment = alignment;
    node.life.size = round_up(static_cast<std::uint32_t>(inner_offset(node)) + size, alignment);
    use_life<choice_life>(node.life);
    node.ops = &functions;
}

// Parts that are all plain bytes make the whole plain bytes.
void finish_parts(description_node& node) {
    use_life<parts_life>(node.life);
    bool zero = true;
    bool copy = true;
    bool move = true;
    bool plain = true;
    bool copies = true;
    bool moves = true;
    for (std::size_t i = 0; i < part_count(node); ++i) {
        const type_info& part = part_life(node, i);
        const member_attributes* attributes =
            node.what == kind::array ? nullptr : node.members[i].attributes;
        zero = zero && part.zero_construct && !(attributes && attributes->default_value);
        copy = copy && part.trivial_copy;
        move = move && part.trivial_move;
        plain = plain && part.trivial_destroy;
        copies = copies && part.can_copy();
        moves = moves && part.can_move();
    }
    node.life.zero_construct = zero;
    node.life.trivial_copy = copy;
    node.life.trivial_move = move;
    node.life.trivial_destroy = plain;
    node.life.is_fixed = !moves;
    if (!copies) {
        node.life.copy_construct = nullptr;
        node.life.copy_assign = nullptr;
    }
}

}  // namespace

void lay_out_member(const description_node& node, member_info& member) {
    KITH_ASSERT(member.type, "a member has a type");
    std::uint32_t end = 0;
    if (!node.member_list.empty()) {
        const member_info& last = node.member_list.back();
        end = last.offset + last.type->life.size;
    }
    member.offset = round_up(end, std::max(member.type->life.alignment, 1u));
}

void finish_runtime_type(description_node& node) {
    KITH_ASSERT(node.what != kind::none, "a run-time type has a kind");
    // The node must not move any more: functions of values find their description by this pointer.
    node.life.context = &node;
    switch (node.what) {
        case kind::list:
        case kind::map:
            finish_container(node);
            return;
        case kind::optional:
        case kind::variant:
            finish_choice(node);
            return;
        case kind::array:
            node.life.size = node.element->life.size * node.count;
            node.life.alignment = node.element->life.alignment;
            break;
        default: {
            std::uint32_t size = 0;
            std::uint32_t alignment = 1;
            for (const member_info& member : node.member_list) {
                size = std::max(size, member.offset + member.type->life.size);
                alignment = std::max(alignment, member.type->life.alignment);
            }
            node.life.alignment = alignment;
            node.life.size = round_up(size, alignment);
            break;
        }
    }
    finish_parts(node);
}

void make_fixed_text(description_node& node) {
    KITH_ASSERT(node.what == kind::array, "a text of fixed size is an array of characters");
    static constexpr value_ops functions = [] {
        value_ops ops;
        // The text ends at the first zero, or at the end of the array, which needs no zero.
        ops.text = [](const description& type, const void* value) {
            const auto* text = static_cast<const char*>(value);
            const void* end = std::memchr(text, 0, type.life.size);
            return text_view(text,
                             end ? static_cast<std::size_t>(static_cast<const char*>(end) - text)
                                 : type.life.size);
        };
        // Refuses texts that are too long, or that have a zero inside: reading would cut them off.
        ops.assign_text = [](const description& type, void* value, text_view text) {
            if (text.size > type.life.size || std::memchr(text.data, 0, text.size)) {
                return false;
            }
            std::memset(value, 0, type.life.size);
            std::memcpy(value, text.data, text.size);
            return true;
        };
        return ops;
    }();
    node.what = kind::text;
    node.ops = &functions;
    node.element = nullptr;
    node.count = 0;
}

}  // namespace kith::values

namespace kith::detail {

const description* owned_text() {
    return description_of<std::string>();
}

void use_text(text_view text, void (*use)(void*, const void*), void* context) {
    const std::string copy(text.data, text.size);
    use(context, &copy);
}

text_view used_text(const void* representation) {
    return *static_cast<const std::string*>(representation);
}

void refuse_text(text_view text, const char* expected) {
    values::raise(errc::invalid_value,
                  "\"" + std::string(text.data, text.size) + "\": expected " + expected);
}

}  // namespace kith::detail
