// The components that random programs use, one of each kind that kith treats differently. Every
// value carries one number, so that values of all types can be compared: 0 is the default value.
#pragma once

#include <kith/kith.hpp>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace model {

// Values that are alive; a world that ends leaves as many as it found.
inline std::int64_t live_values = 0;

struct counted {
    counted() noexcept { ++live_values; }
    counted(const counted&) noexcept { ++live_values; }
    counted(counted&&) noexcept { ++live_values; }
    counted& operator=(const counted&) noexcept = default;
    counted& operator=(counted&&) noexcept = default;
    ~counted() { --live_values; }
};

// Too long to be stored inside of a string object.
inline std::string long_text(std::int64_t number) {
    return number == 0 ? std::string()
                       : "the text that stands for number " + std::to_string(number);
}
inline std::int64_t number_of(const std::string& text) {
    const std::size_t space = text.rfind(' ');
    return space == std::string::npos ? 0 : std::strtoll(&text[space], nullptr, 10);
}

struct Trivial {
    std::int32_t number;
    std::int32_t check;
    Trivial() = default;
    explicit Trivial(std::int64_t value)
        : number(static_cast<std::int32_t>(value)), check(~number) {}
    // -1 for a value that was damaged. The default value is all zero.
    std::int64_t get() const {
        return (number == 0 && check == 0) || check == ~number ? number : -1;
    }
};
struct Text : counted {
    std::string text;
    Text() = default;
    explicit Text(std::int64_t value) : text(long_text(value)) {}
    std::int64_t get() const { return number_of(text); }
};
struct MoveOnly : counted {
    std::unique_ptr<std::int64_t> number;
    MoveOnly() = default;
    explicit MoveOnly(std::int64_t value) : number(std::make_unique<std::int64_t>(value)) {}
    MoveOnly(MoveOnly&&) noexcept = default;
    MoveOnly& operator=(MoveOnly&&) noexcept = default;
    std::int64_t get() const { return number ? *number : 0; }
};
// Neither default-constructible nor assignable, and it knows where it lives.
struct NoDefault : counted {
    const std::int64_t number;
    const NoDefault* const self;
    explicit NoDefault(std::int64_t value) noexcept : number(value), self(this) {}
    NoDefault(const NoDefault& other) noexcept : counted(other), number(other.number), self(this) {}
    NoDefault(NoDefault&& other) noexcept : counted(other), number(other.number), self(this) {}
    std::int64_t get() const { return self == this ? number : -1; }
};
struct alignas(64) Aligned {
    std::int64_t number = 0;
    Aligned() = default;
    explicit Aligned(std::int64_t value) : number(value) {}
    std::int64_t get() const {
        return reinterpret_cast<std::uintptr_t>(this) % 64 == 0 ? number : -1;
    }
};
struct PlainTag {};
struct SparseText : counted {
    std::string text;
    SparseText() = default;
    explicit SparseText(std::int64_t value) : text(long_text(value)) {}
    std::int64_t get() const { return number_of(text); }
};
struct SparseTag {};
struct DataRelation {
    std::int64_t number = 0;
    DataRelation() = default;
    explicit DataRelation(std::int64_t value) : number(value) {}
    std::int64_t get() const { return number; }
};
struct TagRelation {};
struct ExclusiveTag {};
struct ExclusiveData : counted {
    std::string text;
    ExclusiveData() = default;
    explicit ExclusiveData(std::int64_t value) : text(long_text(value)) {}
    std::int64_t get() const { return number_of(text); }
};
enum class Color { Red, Green, Blue };

// What a component type is like; `id` is set when it is registered.
struct component {
    const char* name = nullptr;
    kith::entity_t id = 0;
    bool has_value = false;
    bool constructible = true;
    bool copyable = true;
    bool is_enum = false;
};

enum component_number : std::uint8_t {
    trivial,
    text,
    move_only,
    no_default,
    aligned,
    plain_tag,
    sparse_text,
    sparse_tag,
    data_relation,
    tag_relation,
    exclusive_tag,
    exclusive_data,
    color,
    component_count,
};

// Those whose hook refuses some values. A world in which all are validated would have no fast
// paths.
inline constexpr component_number validated_components[] = {sparse_text, data_relation};
inline bool is_validated(std::uint8_t number) {
    return number == sparse_text || number == data_relation;
}
inline bool is_refused_number(std::int64_t number) {
    return number % 40 == 17;
}

template <class T>
struct type_tag {
    using type = T;
};

// Calls func(type_tag<T>{}) for a component with values.
template <class Func>
auto with_type(std::uint8_t number, Func&& func) {
    switch (number) {
        case text:
            return func(type_tag<Text>{});
        case move_only:
            return func(type_tag<MoveOnly>{});
        case no_default:
            return func(type_tag<NoDefault>{});
        case aligned:
            return func(type_tag<Aligned>{});
        case sparse_text:
            return func(type_tag<SparseText>{});
        case data_relation:
            return func(type_tag<DataRelation>{});
        case exclusive_data:
            return func(type_tag<ExclusiveData>{});
        default:
            return func(type_tag<Trivial>{});
    }
}

std::int64_t read_number(std::uint8_t number, const void* value);

// Types have the same numbers in all worlds of a process, given when they are first asked for: in
// an order that depends on the seed, unless something has asked before. What ids mean must not
// depend on which is less.
void number_types(std::uint64_t seed);

// Registers all of them, at the root and by their plain names, and describes them.
std::vector<component> register_components(const kith::world& world);

}  // namespace model
