// Implements index_keys.hpp, and make_value_key() of include/kith/detail/value_index.hpp.
#include "index_keys.hpp"

#include <kith/detail/assert.hpp>
#include <kith/detail/value_test.hpp>
#include <kith/detail/value_text.hpp>

#include "numbers.hpp"
#include "raise.hpp"
#include "value_steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

namespace kith {

namespace values {

namespace {

using detail::value_rows;

index_keys& of(detail::value_key& key) noexcept {
    return static_cast<index_keys&>(key);
}
const index_keys& of(const detail::value_key& key) noexcept {
    return static_cast<const index_keys&>(key);
}

// Truth values and characters are compared as the bytes that they are.
constexpr kind stored_as(kind part) noexcept {
    return part == kind::boolean || part == kind::character ? kind::u8 : part;
}

// -- reading keys --------------------------------------------------------------------------------

template <class T, bool Hashed>
std::uint64_t read_numbers(const detail::value_key& key, const value_rows& values,
                           std::uint32_t count, std::uint64_t* keys) {
    KITH_ASSERT(count <= 64, "a mask has 64 bits");
    std::uint64_t mask = 0;
    const std::byte* from = values.first + key.offset;
    for (std::uint32_t i = 0; i < count; ++i, from += values.stride) {
        T value;
        std::memcpy(&value, from, sizeof(T));
        bool has_order = true;
        if constexpr (std::is_floating_point_v<T>) {
            has_order = !std::isnan(value);
        }
        const std::uint64_t ordered = key_of_number(value);
        keys[i] = Hashed ? hash_of_key(ordered) : ordered;
        mask |= std::uint64_t{has_order} << i;
    }
    return mask;
}

std::uint64_t all_of_them(std::uint32_t count) noexcept {
    return count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

std::uint64_t read_entities(const detail::value_key& key, const value_rows& values,
                            std::uint32_t count, std::uint64_t* keys) {
    const description& type = *of(key).type;
    for (std::uint32_t i = 0; i < count; ++i) {
        const entity_t found =
            type.ops->entity(type, values.first + values.stride * i + key.offset);
        keys[i] = key.is_hash ? hash_of_key(found) : found;
    }
    return all_of_them(count);
}

std::string_view text_at(const index_keys& key, const value_rows& values, std::uint32_t row) {
    const text_view text =
        key.type->ops->text(*key.type, values.first + values.stride * row + key.offset);
    return {text.data, text.size};
}

std::uint64_t read_texts(const detail::value_key& key, const value_rows& values,
                         std::uint32_t count, std::uint64_t* keys) {
    for (std::uint32_t i = 0; i < count; ++i) {
        keys[i] = of(key).key_of_text(text_at(of(key), values, i));
    }
    return all_of_them(count);
}

// Finds the beginning that all texts share.
void survey_texts(detail::value_key& key, const value_rows& values, std::uint32_t count,
                  bool first) {
    std::string& shared = of(key).beginning;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string_view text = text_at(of(key), values, i);
        if (first && i == 0) {
            shared = text;
        }
        const std::size_t most = std::min(shared.size(), text.size());
        shared.resize(static_cast<std::size_t>(
            std::mismatch(shared.begin(), shared.begin() + static_cast<std::ptrdiff_t>(most),
                          text.begin())
                .first -
            shared.begin()));
    }
}

// -- making keys ---------------------------------------------------------------------------------

template <class T>
auto number_reader(bool is_hash) noexcept {
    return is_hash ? read_numbers<T, true> : read_numbers<T, false>;
}

auto reader_of(kind stored, bool is_hash) noexcept -> decltype(detail::value_key::read) {
    switch (stored) {
        case kind::u8:
            return number_reader<std::uint8_t>(is_hash);
        case kind::u16:
            return number_reader<std::uint16_t>(is_hash);
        case kind::u32:
            return number_reader<std::uint32_t>(is_hash);
        case kind::u64:
            return number_reader<std::uint64_t>(is_hash);
        case kind::i8:
            return number_reader<std::int8_t>(is_hash);
        case kind::i16:
            return number_reader<std::int16_t>(is_hash);
        case kind::i32:
            return number_reader<std::int32_t>(is_hash);
        case kind::i64:
            return number_reader<std::int64_t>(is_hash);
        case kind::f32:
            return number_reader<float>(is_hash);
        case kind::f64:
            return number_reader<double>(is_hash);
        case kind::entity:
            return read_entities;
        case kind::text:
            return read_texts;
        default:
            return nullptr;
    }
}

// The path of the member at an offset; empty if a description knows none.
std::string find_path(const world_t* world, const description* type, std::uint32_t offset) {
    std::string path;
    while (type && (path.empty() || offset != 0) &&
           detail::in_world(world, *type).what == kind::structure) {
        const description& whole = detail::in_world(world, *type);
        const member_info* found =
            std::find_if(whole.begin(), whole.end(), [&](const member_info& member) {
                return offset >= member.offset && offset < member.offset + member.type->life.size;
            });
        if (found == whole.end()) {
            return {};
        }
        path += (path.empty() ? "" : ".") + std::string(found->name);
        offset -= found->offset;
        type = found->type;
    }
    return offset == 0 ? path : std::string();
}

[[noreturn]] void raise_no_index(const std::string& subject, const char* why) {
    raise(errc::wrong_type, subject + " " + why +
                                ", so it cannot have an index; numbers, enums, texts and entities "
                                "in a fixed place can");
}

std::unique_ptr<index_keys> make_by_path(world_t* world, entity_t component,
                                         const std::string& path) {
    const description* described = detail::find_description(world, component);
    if (!described || described->what == kind::none) {
        raise(errc::invalid_type,
              "an index needs the description of its component: "
              "world.component<T>().reflect() or member() gives it one; a tag has no values");
    }
    value_steps steps;
    if (const step_fault fault =
            find_steps(world, detail::in_world(world, *described), path, steps)) {
        raise(errc::invalid_value, fault.message);
    }
    const std::string subject = path.empty() ? std::string(described->life.name) : "'" + path + "'";
    if (!steps.is_plain()) {
        raise_no_index(subject, "has no fixed place in values of its component");
    }
    auto made = std::make_unique<index_keys>();
    made->offset = static_cast<std::uint32_t>(steps.offset());
    made->type = steps.type;
    made->stored = stored_as(stored_kind(*steps.type));
    if (!reader_of(made->stored, false)) {
        raise_no_index(subject, (std::string("is a ") + to_string(steps.type->what)).c_str());
    }
    return made;
}

}  // namespace

bool index_keys::is_about(std::size_t part_offset, kind part) const noexcept {
    return part_offset == offset && stored_as(part) == stored;
}

bool index_keys::append(std::uint64_t first, std::uint64_t last,
                        std::vector<detail::key_interval>& into) const {
    if (is_hash && first != last) {
        return false;
    }
    const std::uint64_t from = is_hash ? hash_of_key(first) : first;
    into.push_back({from, is_hash ? from : last});
    return true;
}

bool index_keys::append_between(std::string_view first, std::string_view last,
                                std::vector<detail::key_interval>& into) const {
    if (is_hash) {
        return false;
    }
    if (first <= last) {
        into.push_back({key_of_text(first), key_of_text(last)});
    }
    return true;
}

bool index_keys::append(comparison how, std::string_view constant,
                        std::vector<detail::key_interval>& into) const {
    const std::uint64_t key = key_of_text(constant);
    constexpr std::uint64_t last = ~std::uint64_t{0};
    switch (how) {
        case equal:
            into.push_back({key, key});
            return true;
        case less:
        case less_equal:
            into.push_back({0, key});
            return !is_hash;
        case greater:
        case greater_equal:
            into.push_back({key, last});
            return !is_hash;
        default:
            return false;
    }
}

std::uint64_t index_keys::key_of_text(std::string_view text) const noexcept {
    if (is_hash) {
        std::uint64_t hash = 0xCBF29CE484222325ull;
        for (const char character : text) {
            hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001B3ull;
        }
        return hash_of_key(hash);
    }
    const int side = text.substr(0, beginning.size()).compare(beginning);
    if (side != 0) {
        return side < 0 ? 0 : ~std::uint64_t{0};
    }
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t at = beginning.size() + i;
        key = key << 8 | (at < text.size() ? static_cast<unsigned char>(text[at]) : 0u);
    }
    return key;
}

}  // namespace values

namespace detail {

value_key* make_value_key(world_t* world, entity_t component, const indexed_member& member,
                          index_kind how) {
    std::unique_ptr<values::index_keys> made;
    const std::string path =
        member.has_path
            ? std::string(member.path.data, member.path.size)
            : values::find_path(world, find_description(world, component), member.offset);
    if (!member.has_path && member.number != order_number::none) {
        made = std::make_unique<values::index_keys>();
        made->offset = member.offset;
        made->stored = values::kind_of(member.number);
    } else {
        made = values::make_by_path(world, component, path);
    }
    made->component = component;
    made->is_hash = how == hash_index;
    made->path_text = path;
    made->path = made->path_text.c_str();
    made->read = values::reader_of(made->stored, made->is_hash);
    made->survey = made->stored == kind::text && !made->is_hash ? values::survey_texts : nullptr;
    made->end = [](value_key* key) noexcept { delete &values::of(*key); };
    return made.release();
}

}  // namespace detail

}  // namespace kith
