// Bodies of the templates of queries and their builders. Included at the end of query.hpp.
#pragma once

#include <kith/world.hpp>

namespace kith {

// Adds the term of a template argument: T, const T (read only), T* (optional), rel<R> (a wildcard
// pair).
template <class Derived, class Query, class... Ts>
template <class T>
void builder_base<Derived, Query, Ts...>::add_template_term() {
    using arg = detail::query_arg<T>;
    constexpr bool is_relation = requires {
        typename arg::relation;
    };
    if constexpr (is_relation) {
        term(entity_t{detail::term_id<typename arg::base>(world_)}, entity_t{Wildcard});
        target().inout = std::is_const_v<typename arg::value> ? In : InOutDefault;
        target().is_argument = true;
        return;
    } else {
        this->template term<typename arg::base>();
        term_desc& one = target();
        if constexpr (arg::is_optional) {
            one.oper = Optional;
        }
        if constexpr (!std::is_empty_v<std::remove_const_t<typename arg::value>> &&
                      !std::is_enum_v<std::remove_const_t<typename arg::value>>) {
            one.inout = std::is_const_v<typename arg::value> ? In : InOutDefault;
            one.is_argument = true;
            one.type = detail::ensure_type_id<std::remove_const_t<typename arg::value>>();
        }
    }
}

namespace detail {

// The first value of a field. A match of a cached query is an array: the table's number, then
// offset and position of each field; `no_place` marks a field without a value or id.
KITH_ALWAYS_INLINE std::byte* matched_value(const std::uint32_t* match, std::size_t at,
                                            const table_rows& rows) noexcept {
    const std::uint32_t offset = match[1 + 2 * at];
    return offset == no_place ? nullptr : rows.block + std::size_t{offset} * rows.capacity;
}

// Fills the members of a field that a callback with parameter T reads.
template <class T>
KITH_ALWAYS_INLINE void fill_matched(field_data& field, const std::uint32_t* match, std::size_t at,
                                     const store_head& store, const table_rows& rows,
                                     std::uint32_t first) noexcept {
    const bool has_value = match[1 + 2 * at] != no_place;
    field.stride = has_value ? sizeof(typename query_arg<T>::value) : 0;
    field.value = matched_value(match, at, rows);
    if (first != 0) {
        field.value += std::size_t{field.stride} * first;
    }
    if constexpr (query_arg<T>::wants_id) {
        const std::uint32_t position = match[2 + 2 * at];
        field.id = position == no_place ? 0 : store.shapes[match[0]]->ids[position];
    }
    if constexpr (query_arg<T>::is_tag) {
        field.flags = match[2 + 2 * at] == no_place ? 0 : std::uint32_t{field_set};
    }
}

template <class... Ts, std::size_t... I>
KITH_ALWAYS_INLINE void fill_all_matched([[maybe_unused]] field_data* fields,
                                         [[maybe_unused]] const std::uint32_t* match,
                                         [[maybe_unused]] const store_head& store,
                                         [[maybe_unused]] const table_rows& rows,
                                         [[maybe_unused]] std::uint32_t first,
                                         std::index_sequence<I...>) noexcept {
    (fill_matched<Ts>(fields[I], match, I, store, rows, first), ...);
}

// As a count: all rows of the table.
inline constexpr std::uint32_t all_rows = ~std::uint32_t{0};

// Calls the callback for some rows of a match. False if the callback ends the run.
template <class Derived, class... Ts>
template <class Caller>
KITH_ALWAYS_INLINE bool runs<Derived, Ts...>::call_match(Caller& caller, const std::uint32_t* match,
                                                         const store_head& store, table_lock& lock,
                                                         field_data* fields, std::uint32_t first,
                                                         std::uint32_t count) {
    const table_rows& rows = store.rows[match[0]];
    if (rows.count == 0) {
        return true;
    }
    lock.table = match[0];
    fill_all_matched<Ts...>(fields, match, store, rows, first, std::index_sequence_for<Ts...>{});
    result found{};
    found.count = count == all_rows ? rows.count : count;
    found.fields = fields;
    if constexpr (Caller::needs_entities) {
        found.entities = entities_of_table(*store.shapes[match[0]], rows) + first;
    }
    return caller.call(found);
}

// Visits the matches of a cached query without a compiled call per table. False if the callback
// ends the run.
template <class Derived, class... Ts>
template <class Caller>
bool runs<Derived, Ts...>::each_cached(Caller& caller, const query_head& query, world_t* world) {
    table_lock lock(world, &query);
    field_data fields[sizeof...(Ts) == 0 ? 1 : sizeof...(Ts)]{};
    // Tables that callbacks create are not part of the run.
    const std::uint32_t count = query.match_count;
    for (std::uint32_t at = 0; at < count && at < query.match_count; ++at) {
        const std::uint32_t* match = query.matches + std::size_t{at} * query.match_size;
        if (!call_match(caller, match, *world->store, lock, fields, 0, all_rows)) {
            return false;
        }
    }
    return true;
}

// Visits the results of a query without a cache, if they are whole tables. A function of its own,
// so that the loop over matches of caches is compiled as if there were no other.
template <class Derived, class... Ts>
template <class Caller>
KITH_NOINLINE void runs<Derived, Ts...>::each_in_tables(Caller& caller, const query_head& query,
                                                        world_t* world) {
    table_scan scan;
    const std::uint32_t* match = scan.begin(&query);
    table_lock lock(world, &query);
    field_data fields[sizeof...(Ts) == 0 ? 1 : sizeof...(Ts)]{};
    while (match && call_match(caller, match, *world->store, lock, fields, 0, all_rows) &&
           scan.may_go_on()) {
        match = scan.next();
    }
}

// Visits the rows of one share of a cached query.
template <class Derived, class... Ts>
template <class Caller>
void runs<Derived, Ts...>::each_shared(Caller& caller, const query_head& query, world_t* world,
                                       const run_options& options) {
    table_lock lock(world, &query);
    field_data fields[sizeof...(Ts) == 0 ? 1 : sizeof...(Ts)]{};
    const std::uint32_t count = query.match_count;
    row_share share(options.share, options.shares, count, false);
    for (std::uint32_t at = 0; at < count && at < query.match_count; ++at) {
        const std::uint32_t* match = query.matches + std::size_t{at} * query.match_size;
        std::uint32_t first, taken;
        if (share.take(world->store->rows[match[0]].count, first, taken) &&
            !call_match(caller, match, *world->store, lock, fields, first, taken)) {
            return;
        }
    }
}

// Visits a group of a cached query, if it has at most one table. False otherwise.
template <class Derived, class... Ts>
template <class Caller>
bool runs<Derived, Ts...>::each_in_group(Caller& caller, const query_head& query, world_t* world,
                                         std::uint64_t group) {
    const group_index* groups = load_acquire(query.groups);
    if (!groups) {
        return false;
    }
    const group_slot known = groups->find(group);
    if (known.count == 1) [[likely]] {
        table_lock lock(world, &query);
        field_data fields[sizeof...(Ts) == 0 ? 1 : sizeof...(Ts)]{};
        const std::uint32_t* match = query.matches + std::size_t{known.first} * query.match_size;
        call_match(caller, match, *world->store, lock, fields, 0, all_rows);
    }
    return known.count <= 1;
}

// Defers the world while a callback runs that may write constants of enums: they are replaced after
// the run, when no table is locked. `world` is a function that returns the world.
template <class Func, class... Ts>
struct run_guard {
    explicit run_guard(auto&&) noexcept {}
    void finish() noexcept {}
};
template <class Func, class... Ts>
    requires(callback_form<Func, Ts...>::writes_enums)
struct run_guard<Func, Ts...> : defer_guard {
    explicit run_guard(auto&& world) : defer_guard(world()) {}
};

template <class Derived, class... Ts>
template <class Func>
    requires(!std::is_convertible_v<Func, world_t*> &&
             !std::is_base_of_v<kith::entity_view, std::remove_cvref_t<Func>>)
void runs<Derived, Ts...>::each(Func&& func) const {
    using function = std::remove_reference_t<Func>;
    if constexpr (!callback_form<function, Ts...>::is_known) {
        static_cast<void>(callback_mistake<function, Ts...>{});
    } else {
        run_guard<function, Ts...> guard([&] { return stage(); });
        each_row(func);
        guard.finish();
    }
}

// Chooses an inlined loop over the matches of a cached query that is up to date; otherwise makes a
// compiled run.
template <class Derived, class... Ts>
template <class Func>
KITH_ALWAYS_INLINE void runs<Derived, Ts...>::each_row(Func& func) const {
    const query_head* query = head();
    world_t* world = stage();
    using caller_type = row_caller<Func, Ts...>;
    if constexpr (!caller_type::wants_iter) {
        const bool fresh = query->version.load() == world->store->version && !is_checked(world);
        if (fresh && query->listed == listing::matches && me().is_whole()) [[likely]] {
            caller_type caller(func, world, query, nullptr);
            each_cached(caller, *query, world);
            return;
        }
        if (fresh && query->listed == listing::tables && me().is_whole()) {
            caller_type caller(func, world, query, nullptr);
            each_in_tables(caller, *query, world);
            return;
        }
        if constexpr (Derived::has_options) {
            caller_type caller(func, world, query, nullptr);
            if (fresh && query->listed == listing::matches && me().is_share()) {
                each_shared(caller, *query, world, me().options_);
                return;
            }
            if (fresh && me().is_group() &&
                each_in_group(caller, *query, world, me().run_group())) {
                return;
            }
        }
    }
    run_options settings = options();
    settings.row_at_a_time = false;
    settings.noncontiguous = !caller_type::wants_iter && !caller_type::wants_flags;
    settings.writes = written_fields<Func, Ts...>::mask;
    query_run run(query, world, settings);
    kith::iter it(world, query);
    caller_type caller(func, world, query, &it);
    while (run.next(it.raw()) && caller.call(it.raw())) {}
}

// Adapts a callback of find() to each(): negates its result, because each() continues while a
// callback returns true, and counts the rejected rows.
template <class Func, class Args = void>
struct passing {
    Func& func;
    std::size_t& row;

    template <class... Taken>
        requires std::is_invocable_v<Func&, Taken...>
    bool operator()(Taken&&... args) {
        const bool wanted = func(std::forward<Taken>(args)...);
        row += !wanted;
        return !wanted;
    }
};
template <class Func, class... Args>
struct passing<Func, arg_list<Args...>> {
    Func& func;
    std::size_t& row;

    bool operator()(Args... args) {
        const bool wanted = func(static_cast<Args&&>(args)...);
        row += !wanted;
        return !wanted;
    }
};
template <class Func>
auto make_passing(Func& func, std::size_t& row) {
    if constexpr (callback<Func>) {
        return passing<Func, args_of<Func>>{func, row};
    } else {
        return passing<Func>{func, row};
    }
}

template <class Derived, class... Ts>
template <class Func>
kith::entity runs<Derived, Ts...>::find(Func&& func) const {
    using function = std::remove_reference_t<Func>;
    kith::entity found;
    if constexpr (!callback_form<function, Ts...>::is_known) {
        static_cast<void>(callback_mistake<function, Ts...>{});
    } else {
        run_guard<function, Ts...> guard([&] { return stage(); });
        found = find_row(func);
        guard.finish();
    }
    return found;
}

// Runs the query until the callback accepts a row.
template <class Derived, class... Ts>
template <class Func>
kith::entity runs<Derived, Ts...>::find_row(Func& func) const {
    run_options settings = options();
    settings.writes = written_fields<Func, Ts...>::mask;
    query_run run(head(), stage(), settings);
    kith::iter it(stage(), head());
    std::size_t row = 0;
    auto search = make_passing(func, row);
    row_caller<decltype(search), Ts...> caller(search, stage(), head(), &it);
    while (run.next(it.raw())) {
        row = 0;
        if (!caller.call(it.raw())) {
            return it.count() ? it.entity(row) : kith::entity();
        }
    }
    return {};
}

template <class Derived, class... Ts>
row_iterator<Ts...> runs<Derived, Ts...>::begin() const {
    run_options settings = options();
    settings.row_at_a_time = false;
    settings.writes = written_fields<void, Ts...>::mask;
    world_t* world = stage();
    return row_iterator<Ts...>(me().run_query(), world, settings);
}

// Fills a field of a scanned table, if the query has so many fields.
KITH_ALWAYS_INLINE void fill_scanned(field_data& field, std::uint32_t at, const query_head& query,
                                     const tracked_run& tracker, const std::uint32_t* match,
                                     const table_rows& rows) noexcept {
    if (at < query.field_count) {
        const bool is_set = match[2 + 2 * at] != no_place;
        const field_data& known = tracker.fields[at];
        field.value = matched_value(match, at, rows);
        field.values = nullptr;
        field.id = known.id;
        field.source = 0;
        field.stride = is_set ? known.stride : 0;
        field.flags = is_set ? known.flags : 0;
    }
}

// The inlined loop of iter() over the tables of a tracked query. Fields that the callback does not
// use cost nothing if it is inlined, so the address of the iterator must not escape. False if a
// compiled run is needed.
template <class Derived, class... Ts>
bool runs<Derived, Ts...>::scan_tables(auto& func, const query_head& query, world_t* world) {
    table_lock lock(world, &query);
    struct scan {
        tracked_run* begun;
        bool complete = false;
        ~scan() { end_scan(begun, complete); }
    } under_way{begin_scan(&query, world)};
    if (!under_way.begun) {
        return false;
    }
    tracked_run tracker = *under_way.begun;
    const store_head& store = *world->store;
    scan_place place;
    for (std::uint32_t at = 0;;) {
        if (load_relaxed(tracker.ticks->rows) == tracker.placed) [[likely]] {
            if (at == tracker.place_count) {
                break;
            }
            place = tracker.places[at++];
        } else {
            const scan_step next = next_scanned(under_way.begun, place.match);
            if (next.place.table == 0) {
                break;
            }
            place = next.place;
            tracker.seen = next.seen;
        }
        const table_rows& rows = store.rows[place.table];
        const std::uint32_t* match = query.matches + std::size_t{place.match} * query.match_size;
        lock.table = place.table;
        tracker.visit(place.table);
        field_data fields[most_scanned]{};
        kith::iter it(world, &query);
        // Written without a loop, so that compilers remove the fields that no callback uses.
        static_assert(most_scanned == 4);
        fill_scanned(fields[0], 0, query, tracker, match, rows);
        fill_scanned(fields[1], 1, query, tracker, match, rows);
        fill_scanned(fields[2], 2, query, tracker, match, rows);
        fill_scanned(fields[3], 3, query, tracker, match, rows);
        it.raw().count = rows.count;
        it.raw().fields = fields;
        it.raw().field_count = query.field_count;
        it.raw().entities = entities_of_table(*store.shapes[place.table], rows);
        it.raw().table = place.table;
        it.raw().tracker = &tracker;
        it.raw().scanned = true;
        if (!call_table<Ts...>(func, it, std::index_sequence_for<Ts...>{})) {
            return true;
        }
    }
    under_way.complete = true;
    return true;
}

// The loop of iter() and run().
template <class Derived, class... Ts>
void runs<Derived, Ts...>::run_tables(auto& func) const {
    const query_head* query = head();
    world_t* world = stage();
    // The version is read first: the list was written before it, perhaps by another thread.
    if (query && !is_checked(world) && query->version.load() == world->store->version &&
        query->listed == listing::scan && me().is_whole() && scan_tables(func, *query, world)) {
        return;
    }
    run_options settings = options();
    settings.writes = written_fields<std::remove_reference_t<decltype(func)>, Ts...>::mask;
    query_run run(query, world, settings);
    kith::iter it(world, query);
    while (run.next(it.raw()) && call_table<Ts...>(func, it, std::index_sequence_for<Ts...>{})) {}
}

}  // namespace detail

// The run starts with the first call.
template <class... Ts>
bool iter_iterable<Ts...>::next() {
    if (!started_) {
        ::new (static_cast<void*>(state_))
            running{detail::query_run(query_.get(), stage_, run_settings()),
                    kith::iter(stage_, query_.get())};
        started_ = true;
    }
    has_result_ = under_way()->run.next(under_way()->it.raw());
    return has_result_;
}

template <class... Ts>
iter_iterable<Ts...>& iter_iterable<Ts...>::worker(std::int32_t index, std::int32_t count) {
    if (count < 1 || index < 0 || index >= count) {
        detail::raise_share(index, count);
    }
    options_.share = static_cast<std::uint32_t>(index);
    options_.shares = static_cast<std::uint32_t>(count);
    return *this;
}

// A run of the query with the arguments in place of its open targets.
template <class... Ts>
iter_iterable<Ts...> iterable<Ts...>::bind_all(const entity_t* values, std::uint32_t count) const {
    detail::query_ref bound(detail::bind_arguments(query_.get(), count));
    iter_iterable<Ts...> run(bound, nullptr, is_instanced());
    detail::set_arguments(bound.get(), values, count, run.preset_);
    return run;
}

template <class... Ts>
iter_iterable<Ts...>& iter_iterable<Ts...>::set_var(std::int32_t variable,
                                                    const table_range& rows) {
    detail::give_rows(query_.get(), variable, rows, options_);
    return *this;
}

template <class... Ts>
void iterable<Ts...>::each_of(const auto& other, auto&& func) const {
    auto outer = other.iter();
    while (outer.next()) {
        const detail::result& rows = outer->raw();
        iter_iterable<Ts...> part = iter();
        part.options_.given = true;
        part.options_.table = rows.table;
        part.options_.first_row = rows.first_row;
        part.options_.row_count = rows.count;
        part.each(func);
    }
}

template <class... Ts>
kith::term iterable<Ts...>::term(std::int32_t index) const {
    world_t* world = detail::world_of(query_.get());
    detail::term_info info = detail::term_at(query_.get(), index);
    kith::term one(world, info.id);
    one.inout(info.inout).oper(info.oper).src().id(info.source);
    return one;
}

inline kith::filter<> world::filter(const query_desc& desc) const {
    return kith::filter<>(detail::make_query(world_, desc));
}
inline kith::query<> world::query(const query_desc& desc) const {
    query_desc cached = desc;
    cached.cache = cache_policy::tables;
    return kith::query<>(detail::make_query(world_, cached));
}

inline kith::id term::id() const {
    const term_desc& one = *list_.data();
    if (one.id != 0) {
        return kith::id(world_, one.id);
    }
    return kith::id(world_, one.has_second ? make_pair(one.first.id, one.second.id) : one.first.id);
}
inline kith::entity term::get_first() const {
    const kith::id whole = id();
    return whole.is_pair() ? whole.first() : kith::entity(world_, whole);
}
inline kith::entity term::get_second() const {
    const kith::id whole = id();
    return whole.is_pair() ? whole.second() : kith::entity(world_, entity_t{0});
}

// -- world::each
namespace detail {

// Mistakes of callbacks whose component types are deduced, as types that fail to compile when they
// are instantiated. The compiler's message names the number of the parameter, from 1, and its type.
template <std::size_t Number, class Parameter>
struct parameter_of_each {
    KITH_STATIC_ASSERT(!std::is_void_v<param_term<Parameter>>,
                       "each: the parameter of this number and type stands for no component: take "
                       "T&, const T&, T, T*, kith::pair<R, T> or kith::rel<R>, behind an entity");
};
template <class Func>
struct callback_of_each {
    KITH_STATIC_ASSERT(
        callback<Func>,
        "each: name the components where parameters are auto: each<A, const B>(func)");
    KITH_STATIC_ASSERT(!callback<Func>, "each: name the component: each<T>(func(entity))");
};

// Deduces the template arguments of a query from the parameters of a callback.
template <class Func>
class each_deduction {
    template <std::size_t... I>
    static constexpr std::size_t first_wrong(std::index_sequence<I...>) {
        std::size_t at = 0;
        static_cast<void>(((!std::is_void_v<param_term<value_param<Func, I>>> && ++at) && ...));
        return at;
    }
    // The template arguments of the query, or the type of a mistake.
    static constexpr auto find() {
        if constexpr (!callback<Func>) {
            return std::type_identity<callback_of_each<Func>>{};
        } else {
            constexpr std::size_t count = parameters_of<Func>::value_count;
            constexpr std::size_t at = [] {
                if constexpr (count == 0) {
                    return count;
                } else {
                    return first_wrong(std::make_index_sequence<count>{});
                }
            }();
            if constexpr (count == 0) {
                return std::type_identity<callback_of_each<Func>>{};
            } else if constexpr (at != count) {
                return std::type_identity<parameter_of_each<parameters_of<Func>::value_at(at) + 1,
                                                            value_param<Func, at>>>{};
            } else {
                return std::type_identity<terms_of_callback<Func>>{};
            }
        }
    }

public:
    using type = typename decltype(find())::type;
};

// True if the callback takes values of a single component, which are visited column by column.
template <class T, class Func>
inline constexpr bool is_about_values =
    !std::is_empty_v<value_of<T>> && !std::is_enum_v<value_of<T>> && !std::is_pointer_v<T> &&
    !is_rel_type<std::remove_cvref_t<T>> &&
    (std::is_invocable_v<Func&, value_of<T>&> ||
     std::is_invocable_v<Func&, kith::entity, value_of<T>&>);

// The log gets one warning per callback type, for the queries of all calls together.
template <class Func, class... Ts>
void each_match(world_t* world, Func& func) {
    if constexpr (!callback_form<Func, Ts...>::is_known) {
        static_cast<void>(callback_mistake<Func, Ts...>{});
    } else {
        static atomic_number warned;
        const kith::filter<Ts...> found = kith::world(world).filter<Ts...>();
        if constexpr (written_fields<Func, Ts...>::mask != 0) {
            if (warned.load() != 0) {
                set_warned(found.ref().get());
            }
        }
        found.each(func);
        if constexpr (written_fields<Func, Ts...>::mask != 0) {
            warned.store(is_warned(found.ref().get()));
        }
    }
}

template <class Func, class... Ts>
void each_having(world_t* world, Func& func, arg_list<Ts...>) {
    if constexpr (sizeof...(Ts) == 1) {
        if constexpr ((is_about_values<Ts, Func> && ...)) {
            if (!has_instances(world)) {
                (each_value<Ts>(world, func), ...);
                return;
            }
        }
    }
    each_match<Func, Ts...>(world, func);
}

}  // namespace detail

template <class Func>
void world::each(Func&& func) const {
    using function = std::remove_reference_t<Func>;
    using terms = typename detail::each_deduction<function>::type;
    if constexpr (detail::is_arg_list<terms>) {
        detail::each_having(world_, func, terms{});
    } else {
        static_cast<void>(terms{});
    }
}
template <class T, class... Ts, class Func>
void world::each(Func&& func) const {
    using function = std::remove_reference_t<Func>;
    if constexpr (sizeof...(Ts) == 0 && std::is_invocable_v<function&, kith::entity>) {
        detail::each_entity(world_, pattern<T>(), func);
    } else {
        detail::each_having(world_, func, detail::arg_list<T, Ts...>{});
    }
}

// -- factories of kith::world
namespace detail {
// A text without component types is an expression, else the name of the query's entity.
template <template <class...> class Builder, class... Ts>
auto build_from(world_t* world, text_view text) {
    if constexpr (sizeof...(Ts) == 0) {
        return Builder<>(world).expr(text).build();
    } else {
        return Builder<Ts...>(world, text).build();
    }
}
}  // namespace detail
template <class... Ts>
kith::filter_builder<Ts...> world::filter_builder(text_view name) const {
    return kith::filter_builder<Ts...>(world_, name);
}
template <class... Ts>
kith::query_builder<Ts...> world::query_builder(text_view name) const {
    return kith::query_builder<Ts...>(world_, name);
}
template <class... Ts>
kith::rule_builder<Ts...> world::rule_builder(text_view name) const {
    return kith::rule_builder<Ts...>(world_, name);
}
template <class... Ts>
kith::filter<Ts...> world::filter() const {
    return kith::filter_builder<Ts...>(world_).build();
}
template <class... Ts>
kith::query<Ts...> world::query() const {
    return kith::query_builder<Ts...>(world_).build();
}
template <class... Ts>
kith::rule<Ts...> world::rule() const {
    return kith::filter_builder<Ts...>(world_).build();
}
template <class... Ts>
kith::filter<Ts...> world::filter(text_view name) const {
    return detail::build_from<kith::filter_builder, Ts...>(world_, name);
}
template <class... Ts>
kith::query<Ts...> world::query(text_view name) const {
    return detail::build_from<kith::query_builder, Ts...>(world_, name);
}
template <class... Ts>
kith::rule<Ts...> world::rule(text_view name) const {
    return detail::build_from<kith::filter_builder, Ts...>(world_, name);
}
template <class T>
kith::term world::term() const {
    if constexpr (detail::is_enum_type<T>) {
        return kith::term(world_, detail::term_id<T>(world_), Wildcard);
    } else {
        return kith::term(world_, detail::term_id<T>(world_));
    }
}
template <class First, class Second>
kith::term world::term() const {
    return kith::term(world_, detail::term_id<kith::pair<First, Second>>(world_));
}
template <class... Args>
    requires(sizeof...(Args) > 0)
kith::term world::term(Args... args)
const {
    if constexpr ((detail::enum_class<Args> && ...) && sizeof...(Args) == 1) {
        return kith::term(world_, detail::constant_pair(world_, args)...);
    } else {
        return kith::term(world_, detail::checked_term(entity_t{args}, "term", "the id")...);
    }
}

template <class... Ts>
template <class Func>
void iterable<Ts...>::each_changed(Func&& func) const {
    using function = std::remove_reference_t<Func>;
    const detail::query_head* query = query_.get();
    world_t* world = detail::world_of(query);
    if constexpr (!detail::callback_form<function, Ts...>::is_known) {
        static_cast<void>(detail::callback_mistake<function, Ts...>{});
    } else {
        detail::run_guard<function, Ts...> guard([&] { return world; });
        {
            detail::run_options settings;
            settings.writes = detail::written_fields<function, Ts...>::mask;
            detail::changed_run run(query, world, settings);
            kith::iter it(world, query);
            detail::row_caller<function, Ts...> caller(func, world, query, &it);
            while (run.next(it.raw()) && caller.call(it.raw())) {}
        }
        guard.finish();
    }
}

}  // namespace kith
