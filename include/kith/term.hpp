// Terms of queries: `term` describes one by itself, term_modifiers has the modifiers that builders
// and terms share. term_list is implemented in src/core/api/term_list.cpp.
//
// Covered by tests/features/queries/builder_test.cpp.
#pragma once

#include <kith/detail/order.hpp>
#include <kith/detail/query_ops.hpp>
#include <kith/entity.hpp>
#include <kith/query_desc.hpp>

namespace kith {

class term;

// A constant that values are compared with: a number, a truth value, a text, an entity, or null.
class value_constant {
public:
    enum class form : std::uint8_t { null, truth, positive, negative, real, text, entity };

    template <class V>
    value_constant(const V& value) noexcept {
        if constexpr (std::is_same_v<V, bool>) {
            is = form::truth;
            number = value;
        } else if constexpr (std::is_enum_v<V>) {
            *this = value_constant(static_cast<std::underlying_type_t<V>>(value));
        } else if constexpr (std::is_floating_point_v<V>) {
            is = form::real;
            real = static_cast<double>(value);
        } else if constexpr (std::is_integral_v<V>) {
            is = value < V{0} ? form::negative : form::positive;
            number = static_cast<std::uint64_t>(value);
        } else if constexpr (std::is_convertible_v<const V&, entity_t>) {
            is = form::entity;
            number = static_cast<entity_t>(value);
        } else if constexpr (!std::is_same_v<V, std::nullptr_t>) {
            is = form::text;
            text = text_view(value);
        }
    }

    form is = form::null;
    std::uint64_t number = 0;  // of `negative`: its two's complement
    double real = 0;
    text_view text;
};

namespace detail {

// A counted reference to a query.
class query_ref {
public:
    query_ref() noexcept = default;
    explicit query_ref(query_head* made) noexcept : head_(made) {}
    query_ref(const query_ref& other) noexcept : head_(other.head_) {
        if (head_) {
            head_->owners.increment();
        }
    }
    query_ref(query_ref&& other) noexcept : head_(detail::exchange(other.head_, nullptr)) {}
    query_ref& operator=(query_ref other) noexcept {
        std::swap(head_, other.head_);
        return *this;
    }
    ~query_ref() { release_query(head_); }

    query_head* get() const noexcept { return head_; }

private:
    query_head* head_ = nullptr;
};

// The terms of a query that is being built, with the names that they refer to.
class term_list {
public:
    term_list() noexcept = default;
    term_list(const term_list& other);
    term_list(term_list&& other) noexcept;
    term_list& operator=(term_list&& other) noexcept;
    ~term_list();

    term_desc& add() {
        if (count_ < few && !more_) [[likely]] {
            return *::new (static_cast<void*>(inline_terms() + count_++)) term_desc;
        }
        return add_slow();
    }
    const term_desc* data() const noexcept { return more_ ? more_ : inline_terms(); }
    term_desc* data() noexcept { return more_ ? more_ : inline_terms(); }
    std::uint32_t size() const noexcept { return count_; }
    // A copy that lives as long as the list, with a zero behind it. A name may have no zero inside.
    const char* keep(text_view text);
    const char* keep_name(text_view name);
    const value_desc* keep_value(const value_desc& value);

private:
    static constexpr std::uint32_t few = 6;
    struct name_block;

    term_desc* inline_terms() noexcept { return reinterpret_cast<term_desc*>(inline_); }
    const term_desc* inline_terms() const noexcept {
        return reinterpret_cast<const term_desc*>(inline_);
    }
    term_desc& add_slow();
    void reserve(std::uint32_t capacity);
    void keep_names();

    std::uint32_t count_ = 0;
    std::uint32_t capacity_ = few;
    term_desc* more_ = nullptr;
    name_block* names_ = nullptr;
    alignas(term_desc) std::byte inline_[few * sizeof(term_desc)];
};

// A member as C++ names it. Numbers and enums only: other members are named by text.
struct member_place {
    order_number number = order_number::none;
    std::uint32_t offset = 0;
};
template <class T, class M>
member_place place_of(M T::*member) noexcept {
    KITH_STATIC_ASSERT(number_kind<M>() != order_number::none,
                       "only numbers and enums are compared by a pointer to a member; others by "
                       "text, as in where(\"Tag.text\", kith::equal, \"a\")");
    alignas(T) const std::byte room[sizeof(T)]{};
    const T* value = reinterpret_cast<const T*>(room);
    return {number_kind<M>(),
            static_cast<std::uint32_t>(
                reinterpret_cast<const std::byte*>(address_of(value->*member)) - room)};
}

// Adds a value term. `count` constants: with `is_in`, a list or (`range`) two limits.
struct where_constants {
    const value_constant* items;
    std::size_t count;
    bool is_range = false;
};
void add_where(world_t* world, term_list& terms, id_t component, const member_place& member,
               comparison how, const where_constants& constants);
void add_where(term_list& terms, id_t component, const member_place& member, comparison how,
               text_view variable, id_t other, const member_place& other_member);
void add_where(world_t* world, term_list& terms, text_view value, comparison how,
               const where_constants& constants);

// Adds the terms of a text in the query language; one term, which may be just a name.
void parse_terms(world_t* world, text_view text, term_list& terms);
void add_text_term(world_t* world, text_view text, term_list& terms);

[[noreturn]] void raise_no_term(const char* call);
[[noreturn]] void raise_no_such_term(std::int32_t index, std::uint32_t count);
[[noreturn]] void raise_no_group();
[[noreturn]] void raise_null_term(const char* call, const char* argument);
inline id_t checked_term(id_t id, const char* call, const char* argument) {
    if (id == 0) [[unlikely]] {
        raise_null_term(call, argument);
    }
    return id;
}
// Refuses null handles only: the number 0 is a valid target, `(R, 0)`, and sorts by entity.
inline id_t checked_handle(const id_arg& id, const world_t* world, const char* call,
                           const char* argument) {
    if (id.is_null_handle()) [[unlikely]] {
        raise_null_term(call, argument);
    }
    return id.in(world);
}

// A C++ type as the id of a term, known in the world.
template <class T>
id_t term_id(world_t* world) {
    if constexpr (is_pair_type<T>) {
        using pair_type = base_type<T>;
        term_id<typename pair_type::first>(world);
        term_id<typename pair_type::second>(world);
        return id_of<pair_type>();
    } else if constexpr (std::is_enum_v<base_type<T>>) {
        return enum_entity<base_type<T>>(world);
    } else {
        return ensure_component(world, ensure_type_id<base_type<T>>());
    }
}

// The modifiers of a term. `Me` has target(), the term to modify; part(), the selected part of it;
// keep_name(); and term_world(), the world in which types are registered.
template <class Me>
class term_modifiers {
public:
    // -- the part that the next calls modify
    Me& src() { return select(part_src); }
    Me& src(entity_t id) { return select(part_src).id(checked_term(id, "src", "the source")); }
    Me& src(text_view name) { return select(part_src).name(name); }
    template <class T>
    Me& src() {
        return src(term_id<T>(me().term_world()));
    }
    Me& first() { return split().select(part_first); }
    Me& first(entity_t id) { return first().id(checked_term(id, "first", "the first element")); }
    Me& first(text_view name) { return first().name(name); }
    template <class T>
    Me& first() {
        return first(term_id<T>(me().term_world()));
    }
    Me& second() {
        split();
        me().target().has_second = true;
        return select(part_second);
    }
    Me& second(entity_t id) { return second().id(id); }
    Me& second(const kith::id& id) {
        return second(checked_handle(id, me().term_world(), "second", "the second element"));
    }
    Me& second(text_view name) { return second().name(name); }
    template <class T>
    Me& second() {
        return second(term_id<T>(me().term_world()));
    }
    // Older names of the parts.
    Me& subj(auto... args) { return src(args...); }
    Me& pred(auto... args) { return first(args...); }
    Me& obj(auto... args) { return second(args...); }
    Me& object(auto... args) { return second(args...); }
    Me& id(entity_t id) {
        selected_part().id = id;
        return me();
    }
    Me& name(text_view name) {
        selected_part().name = me().keep_name(name);
        return me();
    }
    Me& var(text_view name) {
        selected_part().name = me().keep_name(name);
        return flags(IsVariable);
    }
    Me& flags(std::uint32_t flags) {
        me().part().flags |= flags;
        return me();
    }
    // The component is on its own entity.
    Me& singleton() {
        const term_desc& one = me().target();
        if (one.id == 0 && one.first.name) {
            return src(one.first.name);
        }
        entity_t component = is_pair(one.id) ? pair_first(one.id) : one.id;
        return src(component != 0 ? component : one.first.id);
    }

    // -- operators
    Me& oper(oper_kind_t kind) {
        me().target().oper = kind;
        return me();
    }
    Me& and_() { return oper(And); }
    Me& or_() { return oper(Or); }
    Me& not_() { return oper(Not); }
    Me& optional() { return oper(Optional); }
    Me& and_from() { return oper(AndFrom); }
    Me& or_from() { return oper(OrFrom); }
    Me& not_from() { return oper(NotFrom); }

    // -- access
    Me& inout(inout_kind_t kind) {
        me().target().inout = kind;
        return me();
    }
    Me& inout() { return inout(InOut); }
    Me& in() { return inout(In); }
    Me& out() { return inout(Out); }
    Me& inout_none() { return inout(InOutNone); }
    // No access, and changes of the term's ids do not call observers.
    Me& filter() {
        me().target().is_filter = true;
        return inout(InOutNone);
    }

    // -- where to look, seen from the part (see query_desc.hpp)
    Me& self() { return flags(Self); }
    Me& up() { return flags(Up); }
    Me& up(entity_t relation) { return follow(Up, relation, "up"); }
    template <class R>
    Me& up() {
        return up(term_id<R>(me().term_world()));
    }
    Me& down() { return flags(Down); }
    Me& down(entity_t relation) { return follow(Down, relation, "down"); }
    template <class R>
    Me& down() {
        return down(term_id<R>(me().term_world()));
    }
    Me& cascade() { return flags(Cascade); }
    Me& cascade(entity_t relation) { return follow(Cascade, relation, "cascade"); }
    template <class R>
    Me& cascade() {
        return cascade(term_id<R>(me().term_world()));
    }
    Me& super(auto... relation) { return up(relation...); }
    Me& sub(auto... relation) { return down(relation...); }
    Me& parent() { return flags(Parent); }
    Me& desc() { return flags(Desc); }
    // Every match on the way, not only the nearest.
    Me& all() { return flags(TraverseAll); }
    Me& trav(entity_t relation) { return follow(0, relation, "trav"); }
    Me& set(std::uint32_t directions, entity_t relation = 0) {
        if (relation != 0) {
            me().part().trav = relation;
        }
        return flags(directions);
    }
    // Levels from the part itself, which is level 0.
    Me& min_depth(std::uint32_t level) {
        me().part().min_depth = level;
        return me();
    }
    Me& max_depth(std::uint32_t level) {
        me().part().max_depth = level;
        return me();
    }

protected:
    enum part_kind : std::uint8_t { part_src, part_first, part_second };
    static term_part_desc& part_of(term_desc& one, part_kind which) noexcept {
        return which == part_src ? one.src : which == part_first ? one.first : one.second;
    }

private:
    Me& me() noexcept { return static_cast<Me&>(*this); }
    Me& follow(std::uint32_t directions, entity_t relation, const char* call) {
        return set(directions, checked_term(relation, call, "the relationship"));
    }
    // A term that gets a source is matched.
    term_part_desc& selected_part() {
        if (me().selected_ == part_src) {
            me().target().no_source = false;
        }
        return me().part();
    }
    Me& select(part_kind which) {
        me().target();  // an error if there is none
        me().selected_ = which;
        return me();
    }
    // An id that was given as a whole becomes two parts.
    Me& split() {
        term_desc& one = me().target();
        if (one.id != 0) {
            one.first.id = is_pair(one.id) ? pair_first(one.id) : one.id;
            if (is_pair(one.id)) {
                one.second.id = pair_second(one.id);
                one.has_second = true;
            }
            one.id = 0;
        }
        return me();
    }
};

// What describes the id of a term: a type, two types, ids, names.
template <class Id>
concept term_arg = std::is_convertible_v<Id, id_t> || text_source<Id>;

}  // namespace detail

// A term by itself, to be handed to a builder.
class term : public detail::term_modifiers<term> {
public:
    explicit term(world_t* world) : world_(world) { list_.add(); }
    term(world_t* world, id_t id) : term(world) { target().id = id; }
    term(world_t* world, id_t first, id_t second) : term(world) {
        target().first.id = first;
        target().second.id = second;
        target().has_second = true;
    }
    term(term&&) noexcept = default;
    term& operator=(term&&) noexcept = default;

    // Without an argument, these functions read the term.
    term& id(entity_t id) { return term_modifiers::id(id); }
    term& inout(inout_kind_t kind) { return term_modifiers::inout(kind); }
    term& oper(oper_kind_t kind) { return term_modifiers::oper(kind); }
    kith::id id() const;
    inout_kind_t inout() const noexcept { return list_.data()->inout; }
    oper_kind_t oper() const noexcept { return list_.data()->oper; }
    kith::entity get_src() const { return kith::entity(world_, list_.data()->src.id); }
    kith::entity get_first() const;
    kith::entity get_second() const;

private:
    friend class detail::term_modifiers<term>;
    template <class Derived, class Query, class... Ts>
    friend class builder_base;

    term_desc& target() noexcept { return *list_.data(); }
    term_part_desc& part() noexcept { return part_of(target(), selected_); }
    const char* keep_name(text_view name) { return list_.keep_name(name); }
    world_t* term_world() const noexcept { return world_; }

    world_t* world_;
    detail::term_list list_;
    part_kind selected_ = part_src;
};

}  // namespace kith
