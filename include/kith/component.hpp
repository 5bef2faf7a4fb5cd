// Components: the entities that stand for types, with their hooks.
//
// Covered by tests/features/components/component_test.cpp and tests/features/hooks/hooks_test.cpp.
#pragma once

#include <kith/detail/order.hpp>
#include <kith/entity.hpp>
#include <kith/iter.hpp>

namespace kith {

// The value that marks an entity as a component. size 0: an empty type.
struct Component {
    std::int32_t size = 0;
    std::int32_t alignment = 0;
};

// The value of (Identifier, Name), (Identifier, Symbol) and (Identifier, Alias): made and owned by
// the world; set it with entity::set_name and its kin.
class Identifier {
public:
    Identifier(Identifier&& other) noexcept : node_(detail::exchange(other.node_, nullptr)) {}
    Identifier& operator=(Identifier&& other) noexcept {
        std::swap(node_, other.node_);
        return *this;
    }
    ~Identifier();

    const char* value() const noexcept;
    std::size_t length() const noexcept;

private:
    friend struct identifier_access;
    explicit Identifier(void* node) noexcept : node_(node) {}
    void* node_;
};

namespace detail {
template <>
struct type_slot<Component> {
    static inline std::uint32_t id = component_type_id;
};
template <>
struct type_slot<Identifier> {
    static inline std::uint32_t id = identifier_type_id;
};
}  // namespace detail

namespace detail {

// The member that an index is about: a path, or a member that C++ names. The number is none for
// members that are no numbers.
struct indexed_member {
    text_view path;
    bool has_path = false;
    order_number number = order_number::none;
    std::uint32_t offset = 0;
};
template <class T, class M, class C>
indexed_member place_of_indexed(M C::*member) noexcept {
    alignas(T) const std::byte room[sizeof(T)]{};
    const T* value = reinterpret_cast<const T*>(room);
    return {{},
            false,
            number_kind<M>(),
            static_cast<std::uint32_t>(
                reinterpret_cast<const std::byte*>(address_of(value->*member)) - room)};
}
void add_value_index(world_t* world, entity_t component, const indexed_member& member,
                     index_kind how);
void drop_value_index(world_t* world, entity_t component, const indexed_member& member);

// A function that gives a member of a value, or a member function of its type.
template <class T, class Get>
concept member_getter = std::is_member_function_pointer_v<Get> ||
    requires(Get& get, const T& whole) {
    get(whole);
};

// The calls by which a program describes a component in a world. Attributes are about the member
// that was added last. The bodies are in <kith/reflect.hpp>; see docs/manual/reflection.md.
template <class Self>
class description_calls {
public:
    Self& member(entity_t type, const char* name, std::int32_t count = 0, std::size_t offset = 0);
    template <class M>
    Self& member(const char* name, std::int32_t count = 0, std::size_t offset = 0);
    // The same with a unit.
    Self& member(entity_t type, entity_t unit, const char* name, std::int32_t count = 0,
                 std::size_t offset = 0);
    template <class M>
    Self& member(entity_t unit, const char* name, std::int32_t count = 0, std::size_t offset = 0);
    template <class M, class U>
    Self& member(const char* name, std::int32_t count = 0, std::size_t offset = 0);
    Self& constant(const char* name, std::int64_t value);
    Self& bit(const char* name, std::uint64_t value);
    Self& range(double min, double max);
    Self& warning_range(double min, double max);
    Self& error_range(double min, double max);
    Self& step(double width);
    Self& unit(const char* symbol);
    Self& unit(entity_t unit);
    // Needs <kith/value.hpp>.
    template <class V>
    Self& default_value(const V& value);
    // A handle, or a member with handles inside: Clear, Remove (the component), Delete (its owner).
    Self& on_delete_target(entity_t policy);
    Self& doc(const char* text);
    Self& was(const char* former_name);
    Self& hidden();
    Self& read_only();
    // Further attributes are about this member.
    Self& on(const char* member);
    // A child of the component with Member, MemberRanges and doc texts; made at the first call.
    entity member_entity(const char* member);
};

}  // namespace detail

// A component whose C++ type is not known here.
class untyped_component : public entity, public detail::description_calls<untyped_component> {
public:
    // range(min, max) is of the last member, range() the rows of the entity's table.
    using detail::description_calls<untyped_component>::range;
    using entity::range;
    // unit(of) is that of the last member.
    using detail::description_calls<untyped_component>::unit;

    untyped_component() noexcept = default;
    explicit untyped_component(world_t* world, entity_t value) noexcept : entity(world, value) {}

    // Makes this entity a component with a type defined at run time. An error if it has another.
    untyped_component& define(const type_info& info) {
        detail::define_component(world_, id_, info);
        return *this;
    }
    // Hooks that take the raw event.
    untyped_component& on_add(kith::hook callback) { return set_hook(OnAdd, callback); }
    untyped_component& on_set(kith::hook callback) { return set_hook(OnSet, callback); }
    untyped_component& on_remove(kith::hook callback) { return set_hook(OnRemove, callback); }
    untyped_component& on_validate(kith::hook callback) {
        detail::set_validator(world_, id_, callback);
        return *this;
    }

    // An index on a member that is a number, an enum, a text or an entity: queries that compare it
    // with constants start from the index where that is cheaper than reading all values. Their
    // results are the same. A second index of the same kind on a member changes nothing.
    untyped_component& index(text_view path, index_kind how = ordered_index) {
        detail::add_value_index(world_, id_, {path, true}, how);
        return *this;
    }
    // Ends the indexes on a member.
    untyped_component& drop_index(text_view path) {
        detail::drop_value_index(world_, id_, {path, true});
        return *this;
    }
    // Save files have values as their bytes: only programs with the same size and alignment read
    // them. For types without a description. The body is in <kith/save.hpp>.
    untyped_component& as_bytes();

protected:
    untyped_component& set_hook(entity_t event, kith::hook callback) {
        detail::set_hook(world_, id_, event, callback);
        return *this;
    }
};

// The component of type T. Constructing one registers the type.
template <class T>
class component : public untyped_component, public detail::description_calls<component<T>> {
    using calls = detail::description_calls<component<T>>;

public:
    using calls::bit, calls::constant, calls::default_value, calls::doc, calls::error_range,
        calls::hidden, calls::member, calls::member_entity, calls::on, calls::on_delete_target,
        calls::range, calls::read_only, calls::step, calls::unit, calls::warning_range, calls::was;
    using entity::range;
    // A member by its address; arrays have their extent.
    template <class M, class C>
        requires(!std::is_function_v<M>)
    component& member(const char* name, M C::*pointer);
    // A member that functions read and write: get(const T&) and set(T&, value), or functions of T.
    // Without `set` it can only be read.
    template <class Get, class Set>
    requires detail::member_getter<T, Get> component& member(const char* name, Get get, Set set);
    template <class Get>
    requires detail::member_getter<T, Get> component& member(const char* name, Get get);
    // The members of a base.
    template <class B>
    component& base();
    // The description leaves this member out; readers of other members do not change the member.
    template <class M, class C>
    component& ignore(M C::*pointer);
    // The description that kith makes; two functions that give and take a value of a described
    // type; a function that refuses values with a reason.
    component& reflect();
    template <class To, class From>
    component& opaque(To to, From from);
    // The functions of values one by one; see <kith/meta.hpp>.
    template <class E = void>
    kith::opaque<T, E> opaque(entity_t as_type);
    template <class Func>
        requires requires(Func& make, kith::world& owner) {
            make(owner).registers_opaque();
        }
    component& opaque(Func make);
    component& validate(const char* (*refusal)(const T& value));

    component() noexcept = default;
    // Empty types are tags in any case. A type has one id in the process, so a different `id` is an
    // error.
    explicit component(world_t* world, text_view name = {}, [[maybe_unused]] bool allow_tag = true,
                       id_t id = 0)
        : untyped_component(world,
                            detail::declare_component(world, detail::ensure_type_id<T>(), name)) {
        detail::check_value_type<T>();
        if (id != 0) {
            detail::check_type_id(detail::ensure_type_id<T>(), id);
        }
        if constexpr (std::is_enum_v<T>) {
            detail::enum_entity<T>(world);
        }
    }

    // Hooks: func(T&), func(entity, T&) or func(iter&, T*). on_add runs after construction, on_set
    // when a value was set, on_remove before removal. Changes that a hook makes to the world happen
    // after the operation that called it.
    template <class Func>
    component& on_add(Func&& func) {
        return hook_typed(OnAdd, std::forward<Func>(func));
    }
    template <class Func>
    component& on_set(Func&& func) {
        return hook_typed(OnSet, std::forward<Func>(func));
    }
    template <class Func>
    component& on_remove(Func&& func) {
        return hook_typed(OnRemove, std::forward<Func>(func));
    }
    // Validates, or refines, a value before an entity gets it, by whatever operation: func(T&),
    // func(entity, T&) or, for pairs, func(entity, entity target, T&); without a value func(entity)
    // or func(entity, entity target). An exception of the function refuses the operation, and
    // nothing has changed. `modified` calls it with the value that was written. Writes through
    // references and queries do not call it.
    template <class Func>
    component& on_validate(Func&& func);

    // A member by its address; those that are no numbers need the description of T.
    template <class M, class C>
    component& index(M C::*member, index_kind how = ordered_index) {
        detail::add_value_index(world_, id_, detail::place_of_indexed<T>(member), how);
        return *this;
    }
    component& index(text_view path, index_kind how = ordered_index) {
        untyped_component::index(path, how);
        return *this;
    }
    template <class M, class C>
    component& drop_index(M C::*member) {
        detail::drop_value_index(world_, id_, detail::place_of_indexed<T>(member));
        return *this;
    }
    component& drop_index(text_view path) {
        untyped_component::drop_index(path);
        return *this;
    }

    // The version of the type in save files, and a function that makes a value of an older one:
    // func(kith::value_view old, T& now). The bodies are in <kith/save.hpp>.
    component& version(std::int32_t number);
    template <class Func>
    component& upgrade(std::int32_t from, Func&& func);
    component& as_bytes();

private:
    component& hook_typed(entity_t event, auto&& func);
};

}  // namespace kith
