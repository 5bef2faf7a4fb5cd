// Values with their descriptions: reading and writing any part of a component by its path, and
// values as text. Not part of <kith/kith.hpp>. See docs/manual/values-as-text.md.
//
//   kith::value_of<Cargo>(ship).at("slots[2].name").str();
//   kith::edit<Cargo>(ship).set("tons", 64).set("slots[2].name", "ore");   // one OnSet
//
// Covered by tests/features/values/.
#pragma once

#include <kith/iter.hpp>
#include <kith/reflect.hpp>
#include <kith/world.hpp>

#include <string>
#include <string_view>

namespace kith {

class path;
class value_view;

namespace values {
struct shared_path;
}

namespace detail {

// A number, truth, text, entity or value that is written somewhere.
struct value_argument {
    enum class form : std::uint8_t { truth, positive, negative, real, text, entity, view };
    form is = form::positive;
    std::uint64_t positive = 0;
    std::int64_t negative = 0;
    double real = 0;
    std::string_view text;
    const value_view* view = nullptr;

    template <class V>
    static value_argument of(const V& value) {
        value_argument made;
        if constexpr (std::is_same_v<V, value_view>) {
            made.is = form::view;
            made.view = &value;
        } else if constexpr (std::is_same_v<V, bool>) {
            made.is = form::truth;
            made.positive = value;
        } else if constexpr (std::is_floating_point_v<V>) {
            made.is = form::real;
            made.real = static_cast<double>(value);
        } else if constexpr (std::is_enum_v<V>) {
            return of(static_cast<std::underlying_type_t<V>>(value));
        } else if constexpr (std::is_integral_v<V>) {
            made.is = value < V{0} ? form::negative : form::positive;
            made.positive = static_cast<std::uint64_t>(value);
            made.negative = static_cast<std::int64_t>(value);
        } else if constexpr (std::is_base_of_v<kith::id, V> || std::is_same_v<V, handle>) {
            made.is = form::entity;
            made.positive = static_cast<entity_t>(value);
        } else {
            made.is = form::text;
            made.text = std::string_view(value);
        }
        return made;
    }
};

// True for structs and containers, whose parts a description names.
template <class V>
inline constexpr bool has_parts =
    std::is_class_v<V> && !std::is_convertible_v<V, std::string_view> &&
    !std::is_base_of_v<kith::id, V> && !std::is_same_v<V, handle> && !std::is_same_v<V, value_view>;

// A part of a value: description, memory, and the member, if the part is a member.
struct value_part {
    const description* type = nullptr;
    void* value = nullptr;
    const member_info* member = nullptr;
};
// The part at the end of a path. `missing`: null for parts that the value does not have. `make`:
// makes missing keys of maps and values of optionals.
enum class missing_part : std::uint8_t { refuse, null, make };
value_part follow_path(world_t* world, const value_part& from, std::string_view path,
                       missing_part missing);
value_part follow_path(world_t* world, const value_part& from, const path& steps,
                       missing_part missing);
// Writes a number as a value of kind `wanted`. False if the part is none, or something would be
// lost.
bool get_number(const value_part& from, kind wanted, void* into);
std::size_t size_of_value(const value_part& of);
value_part element_of_value(world_t* world, const value_part& of, std::size_t index);
void write_part(world_t* world, const value_part& whole, std::string_view path,
                const value_argument& from);
void parse_part(world_t* world, const value_part& whole, std::string_view path,
                std::string_view text);
enum class container_change : std::uint8_t { append, insert, erase, resize, clear, emplace, reset };
void change_part(world_t* world, const value_part& whole, std::string_view path,
                 container_change change, std::size_t index, std::string_view text);
std::string text_of_value(const world_t* world, const description& type, const void* value);
// Reads a text into a copy, and assigns it if all of it fits. Throws with line and column.
void read_value(world_t* world, const description& type, void* value, std::string_view text);
[[noreturn]] void raise_wrong_type(const value_part& part, const char* wanted);

}  // namespace detail

// A path that was parsed once, for all values of a type: `slots[2].name`. Copies share the steps. A
// path ends with the world whose type it was made for.
class path {
public:
    // Throws for a mistake, and for members and alternatives that the type does not have.
    path(const world& world, entity_t type, std::string_view text);
    path(world_t* world, const description& type, std::string_view text);
    path(const path& other) noexcept;
    path& operator=(path other) noexcept;
    ~path();

    // The types of the whole and of the part.
    const description& type() const noexcept;
    const description& part_type() const noexcept;
    std::string_view str() const noexcept;

private:
    friend detail::value_part detail::follow_path(world_t*, const detail::value_part&, const path&,
                                                  detail::missing_part);
    values::shared_path* shared_;
};

// A value that can be read. Ends like a pointer that get() gives.
class value_view {
public:
    value_view() noexcept = default;
    value_view(world_t* world, const description& type, const void* value) noexcept
        : world_(world), part_{&type, const_cast<void*>(value), nullptr} {}

    explicit operator bool() const noexcept { return part_.value != nullptr; }
    const description& type() const noexcept { return *part_.type; }
    kith::kind kind() const noexcept { return part_.type->what; }
    const char* name() const noexcept { return part_.type->life.name; }
    const void* ptr() const noexcept { return part_.value; }
    // The number of members or elements; 0 or 1 for optionals, 0 for single values.
    std::size_t size() const { return detail::size_of_value(part_); }

    // Parts. at() throws for parts that are not there; find() gives an empty view then.
    value_view operator[](std::string_view member) const { return at(member); }
    value_view operator[](std::size_t index) const {
        return value_view(world_, detail::element_of_value(world_, part_, index));
    }
    value_view at(std::string_view path) const {
        return value_view(world_,
                          detail::follow_path(world_, part_, path, detail::missing_part::refuse));
    }
    value_view find(std::string_view path) const {
        return value_view(world_,
                          detail::follow_path(world_, part_, path, detail::missing_part::null));
    }
    // By a path that was parsed before. Throws [wrong_type] if it was made for another type.
    value_view at(const path& steps) const {
        return value_view(world_,
                          detail::follow_path(world_, part_, steps, detail::missing_part::refuse));
    }
    value_view find(const path& steps) const {
        return value_view(world_,
                          detail::follow_path(world_, part_, steps, detail::missing_part::null));
    }
    // Calls func(const char* name, value_view) for members, func("", view) for elements.
    template <class Func>
    void each(Func&& func) const {
        for (std::size_t i = 0; i < size(); ++i) {
            func(part_.type->what == kind::structure ? part_.type->members[i].name : "",
                 (*this)[i]);
        }
    }

    // Numbers convert if nothing is lost; a text as std::string_view; or the value's own type.
    template <class V>
    bool try_get(V& into) const {
        if (!part_.value) {
            return false;
        }
        if constexpr (std::is_arithmetic_v<V>) {
            return detail::get_number(part_, detail::kind_of_number<V>(), &into);
        } else if constexpr (std::is_enum_v<V>) {
            return detail::get_number(part_, detail::kind_of_number<std::underlying_type_t<V>>(),
                                      &into);
        } else if constexpr (std::is_same_v<V, std::string_view>) {
            if (part_.type->what == kind::text) {
                into = part_.type->ops->text(*part_.type, part_.value);
                return true;
            }
            return false;
        } else if constexpr (std::is_same_v<V, kith::entity>) {
            if (part_.type->what == kind::entity) {
                into = kith::entity(world_, part_.type->ops->entity(*part_.type, part_.value));
                return true;
            }
            return false;
        } else {
            if (part_.type == &describe<V>()) {
                into = *static_cast<const V*>(part_.value);
                return true;
            }
            return false;
        }
    }
    template <class V>
    V get() const {
        V value{};
        if (!try_get(value)) {
            detail::raise_wrong_type(part_, describe<V>().life.name);
        }
        return value;
    }

    std::string str() const {
        return part_.value ? detail::text_of_value(world_, *part_.type, part_.value) : "";
    }
    std::uint64_t hash() const { return detail::hash_value(*part_.type, part_.value); }
    friend bool operator==(const value_view& a, const value_view& b) {
        return a.part_.type == b.part_.type
                   ? detail::equal_values(*a.part_.type, a.part_.value, b.part_.value)
                   : a.str() == b.str();
    }

private:
    friend class value_edit;
    value_view(world_t* world, const detail::value_part& part) noexcept
        : world_(world), part_(part) {}

    world_t* world_ = nullptr;
    detail::value_part part_;
};

// Changes of one value. Writes go to a copy, which commit() checks and sets: one OnSet for all
// writes. The destructor commits, unless an exception is under way.
class value_edit {
public:
    // Throws if the entity has no such component, or if its values cannot be copied.
    value_edit(world_t* world, entity_t entity, id_t id);
    value_edit(value_edit&& other) noexcept;
    value_edit& operator=(value_edit&&) = delete;
    ~value_edit() noexcept(false);

    // Writes a number, truth, text, entity or another value. Missing keys of maps and values of
    // optionals are made.
    template <class V>
    value_edit& set(std::string_view path, const V& value) {
        if constexpr (detail::has_parts<V>) {
            return set(path, value_view(world_, describe<V>(), &value));
        } else {
            detail::write_part(world_, part_, path, detail::value_argument::of(value));
            return *this;
        }
    }
    // Writes the whole value.
    template <class V>
    value_edit& set(const V& value) {
        return set(std::string_view(), value);
    }
    value_edit& parse(std::string_view text) { return parse({}, text); }
    // Reads a text into the part.
    value_edit& parse(std::string_view path, std::string_view text) {
        detail::parse_part(world_, part_, path, text);
        return *this;
    }
    // Lists and sets: a new last element; an element in front of the one with this index.
    value_edit& append(std::string_view path, std::string_view text) {
        return change(path, detail::container_change::append, 0, text);
    }
    value_edit& insert(std::string_view path, std::size_t index, std::string_view text) {
        return change(path, detail::container_change::insert, index, text);
    }
    value_edit& erase(std::string_view path, std::size_t index) {
        return change(path, detail::container_change::erase, index, {});
    }
    // The entry of a map, or the element of a set, whose key the text says.
    value_edit& erase(std::string_view path, std::string_view key) {
        return change(path, detail::container_change::erase, 0, key);
    }
    value_edit& resize(std::string_view path, std::size_t size) {
        return change(path, detail::container_change::resize, size, {});
    }
    value_edit& clear(std::string_view path) {
        return change(path, detail::container_change::clear, 0, {});
    }
    // The value of an optional, or the alternative of a variant with this name, by default.
    value_edit& emplace(std::string_view path, std::string_view alternative = {}) {
        return change(path, detail::container_change::emplace, 0, alternative);
    }
    template <class Alternative>
    value_edit& emplace(std::string_view path = {}) {
        return emplace(path, describe<Alternative>().life.name);
    }
    // The default value.
    value_edit& reset(std::string_view path = {}) {
        return change(path, detail::container_change::reset, 0, {});
    }
    value_view view() const noexcept { return value_view(world_, part_); }

    // Throws kith::error for a value that is refused, and for an owner that is gone.
    void commit();
    void discard() noexcept;

private:
    value_edit& change(std::string_view path, detail::container_change how, std::size_t index,
                       std::string_view text) {
        detail::change_part(world_, part_, path, how, index, text);
        return *this;
    }

    world_t* world_;
    entity_t entity_;
    id_t id_;
    detail::value_part part_;  // the copy; its memory is owned. Null value: committed or discarded
    int exceptions_;
};

// The value of a component with its description; empty if the entity has none.
value_view value_of(const entity_view& entity, id_t id);
template <class T>
value_view value_of(const entity_view& entity) {
    reflect<T>();
    return value_of(entity, detail::id_of<T>());
}
inline value_edit edit(const entity_view& entity, id_t id) {
    return value_edit(entity.c_world(), entity, id);
}
template <class T>
value_edit edit(const entity_view& entity) {
    reflect<T>();
    return value_edit(entity.c_world(), entity, detail::id_of<T>());
}
// Writes one part: set_path(ship, "Cargo.tons", 64).
template <class V>
void set_path(const entity_view& entity, std::string_view path, const V& value);

// The canonical text of a value, and a value from text; members that are left out stay.
template <class T>
std::string to_text(const world& world, const T& value) {
    return detail::text_of_value(world, describe<T>(), &value);
}
template <class T>
void from_text(const world& world, T& value, std::string_view text) {
    detail::read_value(world, describe<T>(), &value, text);
}

namespace detail {
// Sets the default of the member that calls have selected.
void set_member_default(world_t* world, entity_t component, const value_argument& from);

template <class Self>
template <class V>
Self& description_calls<Self>::default_value(const V& value) {
    return describe_by(*this, [&](world_t* world, entity_t component) {
        if constexpr (has_parts<V>) {
            const value_view view(world, describe<V>(), &value);
            set_member_default(world, component, value_argument::of(view));
        } else {
            set_member_default(world, component, value_argument::of(value));
        }
    });
}
// Splits `Cargo.tons` into the component and the path behind it.
id_t split_path(const entity_view& entity, std::string_view& path);
}  // namespace detail

template <class T>
value_view entity_view::value() const {
    return value_of<T>(*this);
}
inline value_view entity_view::value(id_t id) const {
    return value_of(*this, id);
}
template <class T>
value_edit entity::edit() const {
    return kith::edit<T>(*this);
}
inline value_edit entity::edit(id_t id) const {
    return kith::edit(*this, id);
}
template <class V>
const entity& entity::set_path(text_view path, const V& value) const {
    kith::set_path(*this, path, value);
    return *this;
}
inline value_view world::value(entity_t type, const void* value) const {
    return value_view(world_, detail::require_description(world_, type), value);
}
template <class... Types>
void world::reflect() const {
    kith::reflect<Types...>();
}
inline value_view iter::value(std::int32_t index, std::size_t row) const {
    if (!is_set(index) || size(index) == 0) {
        return {};
    }
    return value_view(world_, detail::require_description(world_, id(index)), field(index)[row]);
}

inline string world::to_expr(entity_t type, const void* value) const {
    return string(
        text_view(detail::text_of_value(world_, detail::require_description(world_, type), value)));
}
template <class T>
string world::to_expr(const T* value) const {
    return string(
        text_view(detail::text_of_value(world_, detail::in_world(world_, describe<T>()), value)));
}

template <class V>
void set_path(const entity_view& entity, std::string_view path, const V& value) {
    const id_t id = detail::split_path(entity, path);
    edit(entity, id).set(path, value);
}

}  // namespace kith
