// Building queries term by term:
//
//   auto query = world.query_builder<Position>()
//                    .with("DockedTo").second("$place")
//                    .without<Hidden>()
//                    .build();
//
// Modifiers apply to the term that was added last; modifiers about traversal and variables, to the
// part of it (source, first, second) that was selected last.
//
// Covered by tests/features/queries/builder_test.cpp.
#pragma once

#include <kith/detail/group.hpp>
#include <kith/detail/order.hpp>
#include <kith/term.hpp>

#include <initializer_list>

namespace kith {

template <class... Ts>
class filter;
template <class... Ts>
class query;

// The common base of the builders of filters, queries and observers.
template <class Derived, class Query, class... Ts>
class builder_base : public detail::term_modifiers<Derived> {
public:
    explicit builder_base(world_t* world, cache_policy cache, text_view name = {})
        : world_(world), name_(list_.keep(name), name.size), cache_(cache) {
        (add_template_term<Ts>(), ...);
    }
    builder_base(const builder_base& other)
        : base(other),
          world_(other.world_),
          list_(other.list_),
          name_(list_.keep(other.name_), other.name_.size),
          current_(other.current_),
          selected_(other.selected_),
          cache_(other.cache_),
          instanced_(other.instanced_),
          more_(other.more_),
          orders_(other.orders_),
          parent_(other.parent_) {}
    builder_base(builder_base&&) noexcept = default;
    builder_base& operator=(const builder_base& other) { return *this = builder_base(other); }
    builder_base& operator=(builder_base&&) noexcept = default;

    // -- terms. The access of term() follows from the matched ids; with() has no access.
    Derived& term() {
        list_.add();
        select_last();
        return me();
    }
    Derived& term(detail::id_arg id) {
        const id_t known = detail::checked_term(id.in(world_), "term", "the id");
        term().target().id = known;
        return me();
    }
    Derived& term(detail::id_arg first, detail::id_arg second) {
        const id_t relation = relation_in(first);
        const id_t target = target_in(second);
        term_desc& one = term().target();
        one.first.id = relation;
        one.second.id = target;
        one.has_second = true;
        return me();
    }
    Derived& term(text_view text) {
        detail::add_text_term(world_, text, list_);
        select_last();
        return me();
    }
    // Any number of terms, in the query language.
    Derived& expr(text_view text) {
        detail::parse_terms(world_, text, list_);
        select_last();
        return me();
    }
    Derived& term(text_view first, text_view second) {
        term_desc& one = term().target();
        one.first.name = list_.keep_name(first);
        one.second.name = list_.keep_name(second);
        return me();
    }
    Derived& term(detail::id_arg first, text_view second) {
        const id_t relation = relation_in(first);
        term_desc& one = term().target();
        one.first.id = relation;
        one.second.name = list_.keep_name(second);
        return me();
    }
    Derived& term(text_view first, detail::id_arg second) {
        const id_t target = target_in(second);
        term_desc& one = term().target();
        one.first.name = list_.keep_name(first);
        one.second.id = target;
        one.has_second = true;
        return me();
    }
    template <detail::enum_class E>
    Derived& term(E constant) {
        return term(detail::id_arg(detail::enum_entity<E>(world_)),
                    detail::id_arg(detail::enum_entity(world_, constant)));
    }
    Derived& term(kith::term&& prepared) {
        term().target() = *prepared.list_.data();
        term_desc& one = me().target();
        for (term_part_desc* part : {&one.src, &one.first, &one.second}) {
            part->name = part->name ? list_.keep(part->name) : nullptr;
        }
        one.value = one.value ? list_.keep_value(*one.value) : nullptr;
        return me();
    }
    template <class T>
    Derived& term() {
        if constexpr (std::is_enum_v<detail::base_type<T>>) {
            term(entity_t{detail::term_id<T>(world_)}, entity_t{Wildcard});
        } else {
            term(detail::id_arg(detail::term_id<T>(world_)));
        }
        if constexpr (std::is_const_v<std::remove_reference_t<T>>) {
            me().target().inout = In;
        }
        return me();
    }
    template <class First, class Second>
    Derived& term() {
        return term<pair<First, Second>>();
    }
    template <class First, detail::term_arg Second>
    Derived& term(Second second) {
        return term(detail::id_arg(detail::term_id<First>(world_)), second);
    }
    template <class First, detail::enum_class E>
    Derived& term(E constant) {
        return term(detail::id_arg(detail::term_id<First>(world_)),
                    detail::id_arg(entity_t{detail::enum_entity(world_, constant)}));
    }

    // -- values: terms that hold where the component is found and the comparison holds. Members are
    // numbers or enums; text names all others: where("Tag.text", kith::contains, "old").
    template <class T, class M>
    Derived& where(M T::*member, comparison how, const value_constant& constant) {
        return compare(member, how, {&constant, 1});
    }
    // With a member of the entity that a variable is, or of $this.
    template <class T, class M, class U, class N>
    Derived& where(M T::*member, comparison how, text_view variable, N U::*other) {
        detail::add_where(list_, detail::term_id<T>(world_), detail::place_of(member), how,
                          variable, detail::term_id<U>(world_), detail::place_of(other));
        return selected();
    }
    Derived& where(text_view value, comparison how, const value_constant& constant) {
        detail::add_where(world_, list_, value, how, {&constant, 1});
        return selected();
    }
    Derived& where(text_view text) { return term(text); }
    template <class T, class M>
    Derived& where_in(M T::*member, std::initializer_list<value_constant> constants) {
        return compare(member, is_in, {constants.begin(), constants.size()});
    }
    Derived& where_in(text_view value, std::initializer_list<value_constant> constants) {
        detail::add_where(world_, list_, value, is_in, {constants.begin(), constants.size()});
        return selected();
    }
    // From the first constant to the second, both included.
    template <class T, class M>
    Derived& where_between(M T::*member, const value_constant& first, const value_constant& last) {
        const value_constant limits[] = {first, last};
        return compare(member, is_in, {limits, 2, true});
    }
    Derived& where_between(text_view value, const value_constant& first,
                           const value_constant& last) {
        const value_constant limits[] = {first, last};
        detail::add_where(world_, list_, value, is_in, {limits, 2, true});
        return selected();
    }

    template <class... Us, class... Args>
    Derived& with(Args&&... args) {
        check_ids<sizeof...(Us)>("with", args...);
        add_term<Us...>(std::forward<Args>(args)...).target().by_with = true;
        return me();
    }
    template <class... Us, class... Args>
    Derived& without(Args&&... args) {
        check_ids<sizeof...(Us)>("without", args...);
        return this->template with<Us...>(std::forward<Args>(args)...).not_();
    }
    // A component that callbacks read or write and the query does not match: a term without a
    // source. Without arguments the current term becomes such a term and loses its source, unless
    // it is a Not term or a template argument: then only its access changes.
    template <class... Us, class... Args>
    Derived& read(Args&&... args) {
        check_ids<sizeof...(Us)>("read", args...);
        return unmatched<Us...>(std::forward<Args>(args)...).in();
    }
    template <class... Us, class... Args>
    Derived& write(Args&&... args) {
        check_ids<sizeof...(Us)>("write", args...);
        return unmatched<Us...>(std::forward<Args>(args)...).out();
    }
    template <class... Us, class... Args>
    Derived& read_write(Args&&... args) {
        check_ids<sizeof...(Us)>("read_write", args...);
        return unmatched<Us...>(std::forward<Args>(args)...).inout();
    }
    // The same for the current term, with an access of any kind.
    Derived& inout_stage(inout_kind_t kind) { return unmatched<>().inout(kind); }

    // any_of(): the first id that matches; include(): every id; exclude(): none of the ids.
    template <class... Us, class... Ids>
    Derived& any_of(const Ids&... ids) {
        (check_ids<0>("any_of", ids), ...);
        include<Us...>(ids...);
        for (std::size_t i = 2; i <= sizeof...(Us) + sizeof...(Ids); ++i) {
            list_.data()[list_.size() - i].oper = Or;
        }
        return me();
    }
    template <class... Us, class... Ids>
    Derived& include(const Ids&... ids) {
        (check_ids<0>("include", ids), ...);
        (with<Us>(), ...);
        return (with(ids), ..., me());
    }
    template <class... Us, class... Ids>
    Derived& exclude(const Ids&... ids) {
        (check_ids<0>("exclude", ids), ...);
        (without<Us>(), ...);
        return (without(ids), ..., me());
    }

    // Terms up to scope_close() hold or fail as one; not_() and optional() behind scope_open() are
    // about all of them, or_() behind scope_close() joins them with what follows.
    Derived& scope_open() { return term(ScopeOpen); }
    Derived& scope_close() { return term(ScopeClose); }
    // Scopes whose terms are added by functions: the terms of none() do not hold together; the
    // terms of maybe() are optional; the terms of one function of either() hold.
    Derived& none(auto&& terms) { return in_scope(terms, Not); }
    Derived& maybe(auto&& terms) { return in_scope(terms, Optional); }
    Derived& either(auto&& terms, auto&&... others) {
        in_scope(terms, And);
        return ((me().or_(), in_scope(others, And)), ..., me());
    }

    // The n-th term, counted from 1, is the one to modify.
    Derived& term_at(std::int32_t index) { return go_to(index, list_.size()); }
    Derived& arg(std::int32_t index) { return go_to(index, sizeof...(Ts)); }

    // -- the query as a whole
    // Rows are handed to iter() together even where they share a value.
    Derived& instanced() {
        instanced_ = true;
        return me();
    }
    // Changes are tracked for each row: iter::changed(row).
    Derived& track_rows() {
        more_.track_rows = true;
        return me();
    }
    // Flags of the query: FilterMatchPrefab, FilterMatchDisabled, FilterIsInstanced.
    Derived& filter_flags(std::uint32_t flags) {
        more_.flags |= flags;
        return me();
    }
    // Makes a subquery of `parent`: the terms of the parent follow the subquery's own terms, as
    // filters about the same $this. The subquery may outlive its parent: query::orphaned().
    Derived& observable(const auto& parent) {
        parent_ = parent.ref();
        return me();
    }
    Derived& cached() {
        cache_ = cache_policy::tables;
        return me();
    }
    Derived& uncached() {
        cache_ = cache_policy::none;
        return me();
    }
    // -- groups: results come by ascending group. Without a function the group of an entity is the
    // first target of a relationship that it has, 0 if it has none.
    // A function takes what group_by_action_t takes, or a kith::table.
    Derived& group_by(id_t id, group_by_action_t func = nullptr) {
        if (id == 0 && !func) [[unlikely]] {
            detail::raise_no_group();
        }
        return group(id, func);
    }
    template <detail::group_callback Func>
    Derived& group_by(id_t id, Func func) {
        return group(id, detail::make_group_function(std::move(func)));
    }
    template <class T>
    Derived& group_by(group_by_action_t func = nullptr) {
        return group_by(id_t{detail::term_id<T>(world_)}, func);
    }
    template <class T, detail::group_callback Func>
    Derived& group_by(Func func) {
        return group_by(id_t{detail::term_id<T>(world_)}, std::move(func));
    }
    template <detail::group_callback Func>
    Derived& group_by(Func func) {
        return group_by(id_t{0}, std::move(func));
    }
    // As group_by(), with the highest group first.
    Derived& group_by_desc(id_t id, group_by_action_t func = nullptr) {
        more_.group_descending = true;
        return group_by(id, func);
    }
    template <detail::group_callback Func>
    Derived& group_by_desc(id_t id, Func func) {
        more_.group_descending = true;
        return group_by(id, std::move(func));
    }
    template <class T>
    Derived& group_by_desc(group_by_action_t func = nullptr) {
        return group_by_desc(id_t{detail::term_id<T>(world_)}, func);
    }
    template <class T, detail::group_callback Func>
    Derived& group_by_desc(Func func) {
        return group_by_desc(id_t{detail::term_id<T>(world_)}, std::move(func));
    }
    template <detail::group_callback Func>
    Derived& group_by_desc(Func func) {
        return group_by_desc(id_t{0}, std::move(func));
    }
    // The context of group functions, which is freed when the query ends.
    Derived& group_by_ctx(void* ctx, ctx_free_t free_ctx = nullptr) {
        more_.group_by_ctx = ctx;
        more_.group_by_ctx_free = free_ctx;
        return me();
    }
    // Functions as their types say, or of the group alone: void*(group), void(group),
    // void(group, group_ctx).
    Derived& on_group_create(group_create_action_t func) {
        more_.on_group_create = func;
        return me();
    }
    template <class Func>
        requires(!std::is_convertible_v<Func, group_create_action_t>)
    Derived& on_group_create(Func func) {
        more_.on_group_create = detail::make_group_create(std::move(func));
        return me();
    }
    Derived& on_group_delete(group_delete_action_t func) {
        more_.on_group_delete = func;
        return me();
    }
    template <class Func>
        requires(!std::is_convertible_v<Func, group_delete_action_t>)
    Derived& on_group_delete(Func func) {
        more_.on_group_delete = detail::make_group_delete(std::move(func));
        return me();
    }

    // -- sorting, inside of groups: by what was said first, among equals by what was said next.
    // Functions (or lambdas, with captures too) take (entity_t, const T*, entity_t, const T*) and
    // return what strcmp would, or a bool: the first comes before the second. Without one T is a
    // number, or has operator<; or a member of T is.
    template <class T, class Func>
    Derived& order_by(Func func) {
        return sort(detail::make_order_of<T>(detail::term_id<T>(world_), std::move(func)), false);
    }
    // T from the function: (entity_t, const T*, entity_t, const T*) or (const T&, const T&).
    template <detail::callback Func>
    Derived& order_by(Func func) {
        using T = detail::ordered_type<Func>;
        return sort(detail::make_order_of<T>(detail::term_id<T>(world_), std::move(func)), false);
    }
    template <class T>
    Derived& order_by() {
        return sort(detail::make_order<T>(detail::term_id<T>(world_)), false);
    }
    template <class T, class M>
    Derived& order_by(M T::*member) {
        return sort(detail::make_order(detail::term_id<T>(world_), member), false);
    }
    Derived& order_by(detail::id_arg component, order_by_action_t func) {
        return sort(detail::make_order(ordered_in(component, "order_by"), func), false);
    }
    template <class Func>
        requires(!std::is_convertible_v<Func, order_by_action_t>)
    Derived& order_by(detail::id_arg component, Func func) {
        return sort(detail::make_order(ordered_in(component, "order_by"), std::move(func)), false);
    }
    template <class T, class Func>
    Derived& order_by_desc(Func func) {
        return sort(detail::make_order_of<T>(detail::term_id<T>(world_), std::move(func)), true);
    }
    template <detail::callback Func>
    Derived& order_by_desc(Func func) {
        using T = detail::ordered_type<Func>;
        return sort(detail::make_order_of<T>(detail::term_id<T>(world_), std::move(func)), true);
    }
    template <class T>
    Derived& order_by_desc() {
        return sort(detail::make_order<T>(detail::term_id<T>(world_)), true);
    }
    template <class T, class M>
    Derived& order_by_desc(M T::*member) {
        return sort(detail::make_order(detail::term_id<T>(world_), member), true);
    }
    Derived& order_by_desc(detail::id_arg component, order_by_action_t func) {
        return sort(detail::make_order(ordered_in(component, "order_by_desc"), func), true);
    }
    template <class Func>
        requires(!std::is_convertible_v<Func, order_by_action_t>)
    Derived& order_by_desc(detail::id_arg component, Func func) {
        return sort(detail::make_order(ordered_in(component, "order_by_desc"), std::move(func)),
                    true);
    }

    // By members that text names: "Health.points desc, Tag.text".
    Derived& order_by(text_view members) {
        detail::add_orders(world_, members, orders_);
        return me();
    }

    query_desc description() const noexcept {
        query_desc desc = more_;
        desc.terms = list_.data();
        desc.count = list_.size();
        desc.cache = cache_;
        desc.instanced = instanced_;
        desc.name = name_;
        desc.order_by = orders_.data();
        desc.order_by_count = orders_.size();
        desc.parent = parent_.get();
        return desc;
    }
    Query build() const { return Query(detail::make_query(world_, description())); }

protected:
    using base = detail::term_modifiers<Derived>;

    friend base;
    term_desc& target() {
        if (current_ >= list_.size()) [[unlikely]] {
            detail::raise_no_term("a modifier");
        }
        return list_.data()[current_];
    }
    term_part_desc& part() { return base::part_of(target(), selected_); }
    const char* keep_name(text_view name) { return list_.keep_name(name); }
    world_t* term_world() const noexcept { return world_; }

    Derived& me() noexcept { return static_cast<Derived&>(*this); }
    Derived& go_to(std::int32_t index, std::size_t count) {
        if (index < 1 || static_cast<std::size_t>(index) > count) [[unlikely]] {
            detail::raise_no_such_term(index, static_cast<std::uint32_t>(count));
        }
        current_ = static_cast<std::uint32_t>(index) - 1;
        selected_ = base::part_src;
        return me();
    }
    void select_last() noexcept {
        current_ = list_.size() - 1;
        selected_ = base::part_src;
    }
    Derived& selected() noexcept {
        select_last();
        return me();
    }
    template <class T, class M>
    Derived& compare(M T::*member, comparison how, const detail::where_constants& constants) {
        detail::add_where(world_, list_, detail::term_id<T>(world_), detail::place_of(member), how,
                          constants);
        return selected();
    }
    id_t relation_in(const detail::id_arg& id) const {
        return detail::checked_term(id.in(world_), "term", "the relationship");
    }
    id_t ordered_in(const detail::id_arg& component, const char* call) const {
        return detail::checked_handle(component, world_, call, "the component");
    }
    id_t target_in(const detail::id_arg& id) const {
        return detail::checked_handle(id, world_, "term", "the target");
    }
    // Arguments that stand for a term, behind `Types` template arguments of the call.
    template <std::size_t Types, class... Args>
    static void check_ids([[maybe_unused]] const char* call, const Args&... args) {
        std::size_t at = Types;
        (check_argument(call, Types + sizeof...(Args) == 1 ? 2 : at++, args), ...);
    }
    // `position`: 0 is a relationship, 1 a target, which may be the number 0, 2 a single id.
    template <class Id>
    static void check_argument([[maybe_unused]] const char* call,
                               [[maybe_unused]] std::size_t position, const Id& id) {
        if constexpr (std::is_convertible_v<const Id&, id_t>) {
            static constexpr const char* arguments[] = {"the relationship", "the target", "the id"};
            if (position != 1 || std::is_base_of_v<kith::id, Id>) {
                detail::checked_term(id, call, arguments[position]);
            }
        }
    }
    Derived& in_scope(auto& terms, oper_kind_t how) {
        scope_open().oper(how);
        terms(me());
        return scope_close();
    }
    template <class... Us, class... Args>
    Derived& add_term(Args&&... args) {
        if constexpr (sizeof...(Us) == 0) {
            return term(std::forward<Args>(args)...);
        } else {
            return this->template term<Us...>(std::forward<Args>(args)...);
        }
    }
    template <class... Us, class... Args>
    Derived& unmatched(Args&&... args) {
        if constexpr (sizeof...(Us) + sizeof...(Args) > 0) {
            add_term<Us...>(std::forward<Args>(args)...);
        }
        term_desc& one = target();
        if (one.oper != Not && !one.is_argument) {
            one.no_source = true;
            one.src = {};
        }
        return me();
    }
    template <class T>
    void add_template_term();
    Derived& group(id_t id, const group_function& func) {
        more_.group_by_id = id;
        more_.group_by = func;
        return me();
    }
    Derived& sort(order_desc by, bool descending) {
        by.descending = descending;
        orders_.add(by);
        return me();
    }

    world_t* world_;
    detail::term_list list_;
    text_view name_;
    std::uint32_t current_ = 0;
    typename base::part_kind selected_ = base::part_src;
    cache_policy cache_;
    bool instanced_ = false;
    query_desc more_;  // what is not about terms
    detail::order_list orders_;
    detail::query_ref parent_;
};

template <class... Ts>
class filter_builder : public builder_base<filter_builder<Ts...>, filter<Ts...>, Ts...> {
public:
    explicit filter_builder(world_t* world, text_view name = {})
        : builder_base<filter_builder, filter<Ts...>, Ts...>(world, cache_policy::none, name) {}
};
template <class... Ts>
class query_builder : public builder_base<query_builder<Ts...>, query<Ts...>, Ts...> {
public:
    explicit query_builder(world_t* world, text_view name = {})
        : builder_base<query_builder, query<Ts...>, Ts...>(world, cache_policy::tables, name) {}
};

}  // namespace kith
