// Handles that read: `id` names anything that can be added, `entity_view` reads an entity. Handles
// are two words, copied freely, and own nothing; an operation on an entity that is not alive is a
// kith::error.
//
// Short bodies are here, longer ones in detail/entity_inl.hpp. Covered by
// tests/features/entities/entity_test.cpp.
#pragma once

#include <kith/detail/callable.hpp>
#include <kith/detail/json_ops.hpp>
#include <kith/detail/ops.hpp>
#include <kith/enum.hpp>
#include <kith/pair.hpp>
#include <kith/ref.hpp>
#include <kith/table.hpp>

namespace kith {

class source_range;
class target_range;
namespace detail {
class id_arg;
// A world or a raw pointer to one. The literal 0 does not count: it is an id.
template <class T>
concept world_source = std::is_convertible_v<const T&, world_t*>;
}  // namespace detail

// Names anything that can be added to an entity: a component, tag, entity or pair.
class id {
public:
    constexpr id() noexcept = default;
    constexpr id(id_t value) noexcept : id_(value) {}
    constexpr explicit id(id_t first, id_t second) noexcept : id_(make_pair(first, second)) {}
    explicit id(const id& first, const id& second) noexcept
        : world_(first.world_), id_(make_pair(first, second)) {}
    template <detail::world_source World>
    constexpr explicit id(const World& world) noexcept : world_(world) {}
    constexpr explicit id(world_t* world, id_t value) noexcept : world_(world), id_(value) {}
    explicit id(world_t* world, id_t first, id_t second)
        : world_(world), id_(detail::checked_pair(world, first, second)) {}

    constexpr operator id_t() const noexcept { return id_; }
    constexpr id_t raw_id() const noexcept { return id_; }

    constexpr bool is_pair() const noexcept { return kith::is_pair(id_); }
    constexpr bool is_wildcard() const noexcept { return kith::is_wildcard(id_); }
    // No flags set.
    constexpr bool is_entity() const noexcept { return !(id_ & id_flags_mask); }
    constexpr bool has_flags(id_t flags) const noexcept { return (id_ & flags) == flags; }
    constexpr bool has_flags() const noexcept { return (id_ & id_flags_mask) != 0; }

    // The elements of a pair, with their generations. Null entities if the id is no pair.
    kith::entity first() const;
    kith::entity second() const;
    // Itself; an error if it is no pair.
    id pair() const;
    // The entity, for an id without flags.
    kith::entity entity() const;
    kith::entity add_flags(id_t flags) const;
    kith::entity remove_flags(id_t flags) const;
    kith::entity remove_flags() const;
    // The component that determines the type of the id's values, null for tags.
    kith::entity type_id() const;
    // `Name`, `(Relation,Target)`; paths with dots.
    string str() const { return detail::id_text(world_, id_); }

    // Null if the handle has none.
    kith::world world() const;
    world_t* c_world() const noexcept { return detail::is_world(world_) ? world_ : nullptr; }

protected:
    friend class detail::id_arg;
    world_t* world_ = &detail::no_world;
    id_t id_ = 0;
};

namespace detail {

// An id given by a program, with the world that it came from if that is known: ids of one world
// mean nothing in another.
class id_arg {
public:
    constexpr id_arg(id_t value) noexcept : value_(value) {}
    id_arg(const id& value) noexcept
        : value_(value.raw_id()), world_(value.world_), is_handle_(true) {}

    // The id, for use in a world. Throws if the handle belongs to another world.
    KITH_ALWAYS_INLINE id_t in(const world_t* world) const {
        if (world_ != world && world_ != nullptr) [[unlikely]] {
            check_foreign(world_, world, value_);
        }
        return value_;
    }
    // True for a null handle. The number 0 is not a handle: `(R, 0)` and order_by(0, f) accept it.
    constexpr bool is_null_handle() const noexcept { return is_handle_ && value_ == 0; }

private:
    id_t value_;
    const world_t* world_ = nullptr;
    bool is_handle_ = false;
};

}  // namespace detail

// Reads an entity.
class entity_view : public id {
public:
    constexpr entity_view() noexcept = default;
    constexpr entity_view(entity_t value) noexcept : kith::id(value) {}
    constexpr explicit entity_view(world_t* world, entity_t value) noexcept
        : kith::id(world, value) {}

    constexpr entity_t id() const noexcept { return id_; }
    constexpr explicit operator bool() const noexcept { return id_ != 0; }

    bool is_valid() const noexcept { return detail::is_valid(world_, id_); }
    bool is_alive() const noexcept { return detail::is_alive(world_, id_); }

    // -- names
    string_view name() const { return detail::name_of(world_, id_, Name); }
    // Texts for people; doc_name() is the name if there is none. See <kith/doc.hpp>.
    const char* doc_name() const;
    const char* doc_brief() const;
    const char* doc_detail() const;
    const char* doc_link() const;
    const char* doc_color() const;
    string_view symbol() const { return detail::name_of(world_, id_, Symbol); }
    string path(text_view separator = "::", text_view root_separator = "::") const {
        return detail::path_of(world_, 0, id_, separator, root_separator);
    }
    string path_from(entity_t parent,
                     text_view separator = "::", text_view root_separator = "::") const {
        return detail::path_of(world_, parent, id_, separator, root_separator);
    }
    template <class Parent>
    string path_from(text_view separator = "::", text_view root_separator = "::") const {
        return path_from(detail::id_of<Parent>(), separator, root_separator);
    }
    // Finds a child path below this entity; does not look in its parents.
    kith::entity lookup(text_view path, bool search_path = false) const;
    // The entity in the table form of Flecs: path and ids, or what the descriptor asks for.
    string to_json(const entity_to_json_desc_t* desc = nullptr) const {
        return detail::entity_to_table_json(world_, id_, desc);
    }

    // The value of a component with its description, empty without the component; see
    // <kith/value.hpp>.
    template <class T>
    value_view value() const;
    value_view value(id_t id) const;
    // The entity as the text of a world, in one line; see <kith/world_text.hpp>.
    string to_text() const;

    // -- has
    bool has(detail::id_arg id) const { return has_raw(id.in(world_)); }
    bool has(detail::id_arg first, detail::id_arg second) const;
    template <class T>
    bool has() const;
    template <class First, class Second>
    bool has() const {
        check_pair<First, Second>();
        return has<kith::pair<First, Second>>();
    }
    // has<A>() && has<B>() && …
    template <class... Ts>
    bool has_all() const {
        return (has<Ts>() && ...);
    }
    template <class First>
    bool has(detail::id_arg second) const {
        return has(detail::id_of<First>(), second);
    }
    template <detail::enum_class E>
    bool has(E value) const {
        return has(detail::constant_pair(world_, value));
    }
    template <class First, detail::enum_class E>
    bool has(E value) const {
        return has(make_pair(detail::id_of<First>(), detail::enum_entity(world_, value)));
    }
    template <class Second>
    bool has_second(detail::id_arg first) const {
        return has(first, detail::id_of<Second>());
    }

    // -- owns: as has, but never inherited
    bool owns(detail::id_arg id) const { return detail::owns_id(world_, id_, id.in(world_)); }
    bool owns(detail::id_arg first, detail::id_arg second) const {
        return is_known(first) && is_known(second) &&
               owns(make_pair(first.in(world_), second.in(world_)));
    }
    template <class T>
    bool owns() const {
        return owns(detail::pattern_of<T>(world_));
    }
    template <detail::enum_class E>
    bool owns(E value) const {
        return owns(detail::constant_pair(world_, value));
    }
    template <class First, class Second>
    bool owns() const {
        check_pair<First, Second>();
        return owns(detail::id_of<kith::pair<First, Second>>());
    }
    template <class First>
    bool owns(detail::id_arg second) const {
        return owns(detail::id_of<First>(), second);
    }

    // -- get: a pointer that is valid until the next structural change of the entity, or null
    template <class T>
    const detail::value_of<T>* get() const;
    template <class First, class Second>
    const detail::value_of<kith::pair<First, Second>>* get() const {
        return get<kith::pair<First, Second>>();
    }
    template <class First>
    const First* get(detail::id_arg second) const {
        return static_cast<const First*>(
            pair_value(detail::id_of<First>(), second, detail::ensure_type_id<First>()));
    }
    template <class First, detail::enum_class E>
    const First* get(E constant) const {
        return get<First>(detail::enum_entity(world_, constant));
    }
    template <class Second>
    const Second* get_second(detail::id_arg first) const {
        return static_cast<const Second*>(
            pair_value(first, detail::id_of<Second>(), detail::ensure_type_id<Second>()));
    }
    template <class First, class Second>
    const Second* get_second() const {
        return get_second<Second>(detail::id_of<First>());
    }
    const void* get(detail::id_arg id) const { return value(id.in(world_), 0); }
    const void* get(detail::id_arg first, detail::id_arg second) const {
        return pair_value(first, second, 0);
    }
    // Calls `func(const A&, B&…)` if the entity has all of them, and says whether it did. The
    // entity cannot change its table meanwhile.
    template <detail::value_callback Func>
    bool get(Func&& func) const;

    // -- relationships
    kith::entity target(detail::id_arg relation, std::int32_t index = 0) const;
    template <class First>
    kith::entity target(std::int32_t index = 0) const;
    // A pair of the relationship, target and value in one: the first of the entity, or that with a
    // target. What is returned is false if there is none.
    template <class R>
    rel<const R> edge() const;
    template <class R>
    rel<const R> edge(detail::id_arg target) const;
    kith::entity parent() const;
    template <class Func>
        requires(!std::is_convertible_v<Func, entity_t>)
    void children(Func&& func) const { children(ChildOf, func); }
    // Children as a range, see entity_range.hpp: for (kith::entity child : e.children()).
    source_range children() const;
    source_range children(entity_t relation) const;
    template <class Rel>
    source_range children() const;
    // The targets of a relationship: for (kith::entity target : e.targets<R>()).
    target_range targets(detail::id_arg relation) const;
    template <class Rel>
    target_range targets() const;
    void children(entity_t relation, auto&& func) const;
    template <class Rel, class Func>
    void children(Func&& func) const {
        children(detail::id_of<Rel>(), func);
    }
    // Calls func(source) for every entity that has (relation, this): in the order in which they
    // were added if the relationship is sparse, table by table if it is dense.
    void each_source(detail::id_arg relation, auto&& func) const;
    template <class Rel, class Func>
    void each_source(Func&& func) const {
        each_source(detail::id_of<Rel>(), func);
    }

    // -- graphs
    // The longest way to an entity without targets: 0 for those. The relationship must be exclusive
    // or acyclic.
    std::int32_t depth(detail::id_arg relation) const {
        return detail::depth_of(world_, id_, relation.in(world_));
    }
    template <class Rel>
    std::int32_t depth() const {
        return depth(detail::id_of<Rel>());
    }
    // The nearest owner of an id: the entity itself or an entity above it; null if there is none.
    // With several targets, the search follows each target to its root before the next target.
    kith::entity target_for(detail::id_arg relation, detail::id_arg id) const;
    kith::entity target_for(detail::id_arg relation, detail::id_arg first,
                            detail::id_arg second) const;
    template <class T>
    kith::entity target_for(detail::id_arg relation) const;
    template <class First, class Second>
    kith::entity target_for(detail::id_arg relation) const;
    // This entity and the entities that reach it through the relationship, with their distances:
    // see traverse.hpp.
    traversal traverse(detail::id_arg relation) const;
    template <class Rel>
    traversal traverse() const;
    // Calls func(entity) or func(entity, depth) for the first target (depth 1), for the first
    // target of that, and so on. A func that returns bool stops it by false. More than `max_depth`
    // entities are an error.
    void walk_up(detail::id_arg relation, auto&& func, std::int32_t max_depth = 100) const;
    template <class Rel, class Func>
    void walk_up(Func&& func, std::int32_t max_depth = 100) const {
        walk_up(detail::id_of<Rel>(), func, max_depth);
    }

    // -- ids of the entity
    kith::type type() const;
    kith::table table() const;
    table_range range() const;
    // each(func(id)) visits every id; each(rel, func(target)) and each<Rel>(func) every target;
    // each(first, second, func(id)) and match(pattern, func(id)) every id that matches.
    // each<Rel>(func(target, Rel&)) also takes the value of the pair, Rel* if there may be none;
    // the entity cannot change its table meanwhile.
    template <detail::callback Func>
    void each(Func&& func) const;
    void each(const entity_view& relation, auto&& func) const;
    template <class First, class Func>
    void each(Func&& func) const;
    void each(id_t first, id_t second, auto&& func) const {
        match(detail::asked_pair(world_, first, second), func);
    }
    void match(id_t pattern, auto&& func) const;

    // -- events, see event.hpp: emit() notifies observers immediately, enqueue() together with
    // deferred changes. A payload that is an lvalue is copied where it has to be kept.
    void emit(kith::entity event) const;
    template <class E>
    void emit() const;
    template <class E>
        requires(!std::is_convertible_v<E, entity_t>)
    void emit(const E& payload) const;
    void enqueue(kith::entity event) const;
    template <class E>
    void enqueue() const;
    template <class E>
        requires(!std::is_convertible_v<E, entity_t>)
    void enqueue(E&& payload) const;

    // -- enabled
    bool enabled() const { return !has(Disabled); }
    bool enabled(id_t id) const { return detail::is_enabled(world_, id_, id); }
    bool enabled(id_t first, id_t second) const {
        return enabled(make_pair(first, second)) && detail::asked_pair(world_, first, second);
    }
    template <class T>
    bool enabled() const {
        return enabled(detail::own_id_of<T>(world_, id_));
    }
    template <class First, class Second>
    bool enabled() const {
        return enabled(detail::id_of<kith::pair<First, Second>>());
    }
    template <class First>
    bool enabled(id_t second) const {
        return enabled(detail::id_of<First>(), second);
    }

    // A new entity (or the empty entity `into`) with the same ids but not the name; values are
    // copied or default-constructed.
    kith::entity clone(bool copy_value = true, entity_t into = 0) const;
    // The same entity as seen through a world or another handle's world.
    kith::entity mut(const kith::world& world) const;
    kith::entity mut(const entity_view& other) const;
    // The value behind the entity of an enum constant.
    template <class E>
    E to_constant() const;

protected:
    // Warns once for each pair of types: see detail::check_component_pair.
    template <class First, class Second>
    void check_pair() const {
        if constexpr (detail::carries_data<First> && detail::carries_data<Second>) {
            [[maybe_unused]] static const bool checked =
                (detail::check_component_pair(world_, detail::ensure_type_id<First>(),
                                              detail::ensure_type_id<Second>()),
                 true);
        }
    }
    bool has_raw(id_t id) const;
    // False for the handle of a deleted entity, which is an element of no pair.
    bool is_known(detail::id_arg element) const;
    const void* pair_value(detail::id_arg first, detail::id_arg second, std::uint32_t type) const;
    const void* value(id_t id, std::uint32_t type) const {
        return detail::get_value(world_, id_, id, type);
    }
};

}  // namespace kith

// Both kinds of strings hash by their text.
template <>
struct std::hash<kith::string_view> {
    std::size_t operator()(kith::text_view text) const noexcept {
        return kith::detail::hash_text(text);
    }
};
template <>
struct std::hash<kith::string> : std::hash<kith::string_view> {};
// Handles hash and compare by id.
template <>
struct std::hash<kith::entity_view> {
    std::size_t operator()(const kith::entity_view& entity) const noexcept {
        return static_cast<std::size_t>(entity.id());
    }
};
template <>
struct std::hash<kith::id> {
    std::size_t operator()(const kith::id& id) const noexcept {
        return static_cast<std::size_t>(id.raw_id());
    }
};
