// Queries: the entities that have (or lack, or may have) certain ids, and their values.
//
//   auto moving = world.query<Position, const Velocity>();
//   moving.each([](kith::entity e, Position& p, const Velocity& v) { p.x += v.x; });
//
//   auto docked = world.query("Ship, (DockedTo, $place), Planet($place)");
//   docked.iter([&](kith::iter& it) { … it.get_var("place") … });
//
//   filter  searches tables while it is iterated; cheap to make
//   query   caches the tables that match; the fastest to iterate
//   rule    a synonym of filter
//
// All kinds have the same abilities and the same engine. Handles are copied freely and share the
// query, which lives as long as a handle. Any number of threads may iterate while the world does
// not change; making a cached query is a change. Short bodies are here, longer ones in
// detail/query_inl.hpp; compiled functions are declared in detail/query_ops.hpp. Covered by
// tests/features/queries/query_test.cpp.
#pragma once

#include <kith/detail/each.hpp>
#include <kith/detail/rows.hpp>
#include <kith/detail/table_scan.hpp>
#include <kith/monitor.hpp>
#include <kith/query_builder.hpp>

namespace kith {

namespace detail {

// The functions that run a query, for handles of queries and for runs with options. `Derived` has
// the query, the stage and the options of the run.
template <class Derived, class... Ts>
class runs {
public:
    // Calls func for each matching row, until it returns false. Forms: (T&...), (entity, T&...),
    // (iter&, size_t, T&...); T* for optional terms.
    template <class Func>
        requires(!std::is_convertible_v<Func, world_t*> &&
                 !std::is_base_of_v<kith::entity_view, std::remove_cvref_t<Func>>)
    void each(Func&& func) const;
    // Calls func for the rows of a table at a time: (iter&, T*...) or (iter&).
    void iter(auto&& func) const { run_tables(func); }
    void run(auto&& func) const { run_tables(func); }
    // The number of rows that match.
    std::int32_t count() const {
        return static_cast<std::int32_t>(count_results(head(), stage(), options()));
    }
    // True if there is a result.
    bool is_true() const {
        run_options settings = untracked_options();
        settings.unordered = true;
        query_run run(head(), stage(), settings);
        result found;
        return run.next(found);
    }
    // The first entity that matches, or null.
    kith::entity first() const {
        query_run run(head(), stage(), untracked_options());
        result found;
        return run.next(found) && found.count ? kith::entity(stage(), found.entities[0])
                                              : kith::entity();
    }
    // The first entity for which func returns true, or null. Forms as for each().
    kith::entity find(auto&& func) const;
    // The rows as a range: for (auto [e, p, v] : query), see rows.hpp. Tables that are being
    // visited are locked until the iterator is destroyed or at its end.
    row_iterator<Ts...> begin() const;
    range_end end() const noexcept { return {}; }

protected:
    const query_head* head() const { return me().run_head(); }
    world_t* stage() const { return me().run_stage(); }
    run_options options() const { return me().run_settings(); }
    run_options untracked_options() const {
        run_options settings = options();
        settings.untracked = true;
        return settings;
    }

private:
    const Derived& me() const noexcept { return static_cast<const Derived&>(*this); }

    template <class Func>
    void each_row(Func& func) const;
    template <class Func>
    kith::entity find_row(Func& func) const;
    void run_tables(auto& func) const;
    static bool scan_tables(auto& func, const query_head& query, world_t* world);
    template <class Caller>
    static bool each_cached(Caller& caller, const query_head& query, world_t* world);
    template <class Caller>
    static void each_in_tables(Caller& caller, const query_head& query, world_t* world);
    template <class Caller>
    static bool each_in_group(Caller& caller, const query_head& query, world_t* world,
                              std::uint64_t group);
    template <class Caller>
    static void each_shared(Caller& caller, const query_head& query, world_t* world,
                            const run_options& options);
    template <class Caller>
    static bool call_match(Caller& caller, const std::uint32_t* match, const store_head& store,
                           table_lock& lock, field_data* fields, std::uint32_t first,
                           std::uint32_t count);
};

}  // namespace detail

// A run with options: limits, values of variables, a group. next() makes it step by step.
template <class... Ts>
class iter_iterable : public detail::runs<iter_iterable<Ts...>, Ts...> {
public:
    iter_iterable(const detail::query_ref& query, world_t* stage, bool instanced)
        : query_(query), stage_(stage ? stage : detail::world_of(query.get())) {
        options_.row_at_a_time = !instanced;
    }
    iter_iterable(const iter_iterable& other)
        : query_(other.query_),
          stage_(other.stage_),
          options_(other.options_),
          preset_(other.preset_),
          values_(other.values_) {
        options_.values = values_.first();
    }
    iter_iterable& operator=(const iter_iterable&) = delete;
    ~iter_iterable() { end_run(); }

    // Ends the run when stop is requested: before the next table, or during a long search. The
    // token is a std::stop_token or has stop_requested(), and must outlive this object.
    template <class Token>
    iter_iterable& stop_on(const Token& token) {
        options_.should_stop = [](const void* context) {
            return static_cast<const Token*>(context)->stop_requested();
        };
        options_.stop_context = &token;
        return *this;
    }

    // Restricts the run to results in which the variable (by number or name; 0 is $this) has the
    // value, or in which $this is within the rows.
    iter_iterable& set_var(std::int32_t variable, entity_t value) {
        preset_.set(query_.get(), variable, value);
        return *this;
    }
    iter_iterable& set_var(text_view variable, entity_t value) {
        return set_var(detail::checked_variable(query_.get(), variable), value);
    }
    iter_iterable& set_var(std::int32_t variable, const table_range& rows);
    // Replaces the constant that a value term, counted from 0, compares with, for this run only.
    iter_iterable& set_value(std::int32_t term, const value_constant& constant) {
        end_run();
        values_.set(query_.get(), term, constant);
        options_.values = values_.first();
        return *this;
    }

    // Restricts the run to a group of the query (by group_by; with cascade, the depth).
    iter_iterable& set_group(std::uint64_t group) {
        detail::check_grouped(query_.get());
        options_.group = group;
        options_.one_group = true;
        return *this;
    }
    template <class T>
    iter_iterable& set_group() {
        return set_group(detail::term_id<T>(stage_));
    }
    // `limit` rows from `offset` on.
    iter_iterable& page(std::int32_t offset, std::int32_t limit) {
        if (offset < 0 || limit < 0) {
            detail::raise_page(offset, limit);
        }
        options_.offset = static_cast<std::uint64_t>(offset);
        options_.limit = static_cast<std::uint64_t>(limit);
        return *this;
    }
    // The share `index` of `count`, each a part of every table.
    iter_iterable& worker(std::int32_t index, std::int32_t count);

    // Results one after the other: `while (it.next()) { it->field<T>(1) }`. An error where there is
    // no result: before the first next(), and behind the last.
    bool next();
    kith::iter& operator*() {
        if (!has_result_) [[unlikely]] {
            detail::raise_no_result(started_);
        }
        return under_way()->it;
    }
    kith::iter* operator->() { return &**this; }

    // The results in the table form of Flecs.
    string to_json(const iter_to_json_desc_t* desc = nullptr) {
        return detail::results_to_table_json(
            this,
            [](void* run) {
                auto& self = *static_cast<iter_iterable*>(run);
                return self.next() ? &*self : nullptr;
            },
            desc);
    }

private:
    friend class detail::runs<iter_iterable, Ts...>;
    template <class... Us>
    friend class iterable;
    struct running {
        detail::query_run run;
        kith::iter it;
    };

    const detail::query_head* run_head() const noexcept { return query_.get(); }
    const detail::query_ref& run_query() const noexcept { return query_; }
    world_t* run_stage() const noexcept { return stage_; }
    static constexpr bool has_options = true;
    bool is_whole() const noexcept { return options_.is_plain() && preset_.empty(); }
    bool is_group() const noexcept {
        return options_.one_group && options_.has_all_rows() && preset_.empty();
    }
    bool is_share() const noexcept { return options_.is_plain_share() && preset_.empty(); }
    std::uint64_t run_group() const noexcept { return options_.group; }
    detail::run_options run_settings() const {
        detail::run_options options = options_;
        if (!preset_.empty()) {
            preset_.apply(query_.get(), options);
        }
        return options;
    }
    running* under_way() noexcept { return std::launder(reinterpret_cast<running*>(state_)); }
    void end_run() noexcept {
        if (started_) {
            under_way()->~running();
            started_ = false;
            has_result_ = false;
        }
    }

    detail::query_ref query_;
    world_t* stage_;
    detail::run_options options_;
    detail::preset preset_;
    detail::value_changes values_;
    bool started_ = false;
    bool has_result_ = false;
    alignas(running) std::byte state_[sizeof(running)];
};

// The common base of filters, queries and rules.
template <class... Ts>
class iterable : public detail::runs<iterable<Ts...>, Ts...> {
public:
    iterable() noexcept = default;
    explicit iterable(detail::query_head* made) noexcept : query_(made) {}
    explicit iterable(const detail::query_ref& query) noexcept : query_(query) {}
    using runs_base = detail::runs<iterable<Ts...>, Ts...>;
    using runs_base::each;
    using runs_base::iter;
    // Runs in the context of a world (or stage), an iterator or an entity. Or binds targets: the
    // arguments replace the targets `*` of terms from left to right, Wildcard leaves a target open.
    template <class First>
    void each(const First& first, auto&& func) const {
        if constexpr (std::is_convertible_v<First, entity_t>) {
            if (!std::is_base_of_v<entity_view, First> || has_open_targets()) {
                const entity_t target = first;
                return each_bound(&target, 1, func);
            }
        }
        if constexpr (!std::is_arithmetic_v<First>) {
            iter(world_of(first)).each(func);
        }
    }
    void each(entity_t target, entity_t second, auto&&... more) const {
        entity_t values[2 + sizeof...(more)] = {target, second};
        each_bound(values, 2, more...);
    }
    iter_iterable<Ts...> bind(auto... targets) const {
        entity_t values[] = {targets...};
        return bind_all(values, sizeof...(targets));
    }
    void iter(const auto& context, auto&& func) const { iter(world_of(context)).iter(func); }
    iter_iterable<Ts...> iter(world_t* stage = nullptr) const {
        return iter_iterable<Ts...>(query_, stage, is_instanced());
    }
    // All results in the table form of Flecs.
    string to_json(const iter_to_json_desc_t* desc = nullptr) const { return iter().to_json(desc); }

    // `limit` rows from `offset` on.
    iter_iterable<Ts...> page(std::int32_t offset, std::int32_t limit) const {
        return iter().page(offset, limit);
    }
    // The share `index` of `count`, each a part of every table.
    iter_iterable<Ts...> worker(std::int32_t index, std::int32_t count) const {
        return iter().worker(index, count);
    }
    // Calls func for the results of this query whose $this is a result of the other query as well.
    void each_of(const auto& other, auto&& func) const;

    // True if values of results, or the set of matching entities, have changed since the query was
    // last iterated. The world counts changes from the first call on.
    bool changed() const { return detail::is_query_changed(query_.get()); }
    // Calls func, as each() does, for the rows that have changed since the query was last iterated:
    // new rows, rows with written values, and rows that see another value of another entity. With a
    // cascade, parents come before their children, and writes of this run to a parent count for its
    // children. The first run visits all rows.
    template <class Func>
    void each_changed(Func&& func) const;

    // True if the entity is (part of) a result.
    bool matches(entity_t entity) const {
        world_t* world = detail::world_of(query_.get());
        detail::run_options options;
        return detail::find_entity_range(world, entity, options) &&
               detail::count_results(query_.get(), world, options) != 0;
    }

    std::int32_t field_count() const {
        detail::world_of(query_.get());
        return static_cast<std::int32_t>(query_.get()->field_count);
    }
    // The n-th term, counted from 0.
    kith::term term(std::int32_t index) const;
    void each_term(auto&& func) const {
        for (std::uint32_t i = 0; i < detail::term_count(query_.get()); ++i) {
            kith::term one = term(static_cast<std::int32_t>(i));
            if (!detail::call_row(func, one)) {
                return;
            }
        }
    }
    // The number of a variable: $this is 0, an unknown name gives -1.
    std::int32_t find_var(text_view name) const {
        return detail::find_variable(query_.get(), name);
    }
    std::int32_t var_count() const {
        return static_cast<std::int32_t>(detail::variable_count(query_.get()));
    }
    const char* var_name(std::int32_t variable) const {
        return detail::variable_name(query_.get(), variable);
    }
    // Calls func(iter&) when results enter (event OnAdd) or leave (OnRemove) the query, until the
    // returned monitor is destroyed. See docs/manual.
    template <class Func>
    kith::monitor monitor(Func&& func) const {
        return tracker(detail::monitor_enter | detail::monitor_leave, std::forward<Func>(func));
    }
    template <class Func>
    kith::monitor monitor(Func&& func, yield_existing_t) const {
        return tracker(detail::monitor_enter | detail::monitor_leave | detail::monitor_existing,
                       std::forward<Func>(func));
    }
    // A monitor of entering results only.
    template <class Func>
    kith::monitor on_enter(Func&& func) const {
        return tracker(detail::monitor_enter, std::forward<Func>(func));
    }
    template <class Func>
    kith::monitor on_enter(Func&& func, yield_existing_t) const {
        return tracker(detail::monitor_enter | detail::monitor_existing, std::forward<Func>(func));
    }
    // A monitor of leaving results only.
    template <class Func>
    kith::monitor on_leave(Func&& func) const {
        return tracker(detail::monitor_leave, std::forward<Func>(func));
    }
    // The value that on_group_create returned for the group; null for unknown groups.
    void* group_ctx(std::uint64_t group) const {
        return detail::group_context(query_.get(), group);
    }
    // The entity that holds the query's name, or null.
    kith::entity entity() const {
        return kith::entity(detail::world_of(query_.get()), detail::query_entity(query_.get()));
    }
    // Replaces the constant that a value term, counted from 0, compares with, for all later runs of
    // the query. Throws while the query is iterated.
    void set_value(std::int32_t term, const value_constant& constant) const {
        detail::set_value(query_.get(), term, constant);
    }
    // The terms in the query language.
    string str() const { return detail::query_text(query_.get()); }
    operator string() const { return str(); }
    // The plan of the query, one op per line; or the reason why an entity is a result or is not.
    string explain() const { return detail::explain_query(query_.get()); }
    string explain(entity_t entity) const { return detail::explain_entity(query_.get(), entity); }

    // True for a subquery (query_builder::observable) whose parent has no handle any more. The
    // subquery continues to match its own terms and those of the parent.
    bool orphaned() const noexcept { return detail::is_orphaned(query_.get()); }

    bool is_valid() const noexcept { return query_.get() != nullptr; }
    explicit operator bool() const noexcept { return is_valid(); }
    void destruct() { query_ = detail::query_ref(); }
    const detail::query_ref& ref() const noexcept { return query_; }

private:
    friend class detail::runs<iterable, Ts...>;

    template <class Func>
    kith::monitor tracker(std::uint32_t events, Func&& func) const {
        detail::world_of(query_.get());
        return kith::monitor(
            detail::make_monitor_of(query_.get(), events, std::forward<Func>(func)));
    }
    bool has_open_targets() const { return detail::open_target_count(query_.get()) != 0; }
    iter_iterable<Ts...> bind_all(const entity_t* values, std::uint32_t count) const;
    void each_bound(const entity_t* values, std::uint32_t count, auto&& func) const {
        bind_all(values, count).each(func);
    }
    void each_bound(entity_t* values, std::uint32_t count, entity_t next, auto&&... more) const {
        values[count] = next;
        each_bound(values, count + 1, more...);
    }
    static world_t* world_of(world_t* stage) noexcept { return stage; }
    static world_t* world_of(const kith::entity_view& entity) { return entity.c_world(); }
    static world_t* world_of(const kith::iter& it) noexcept { return it.c_world(); }
    bool is_instanced() const noexcept { return detail::is_instanced(query_.get()); }
    const detail::query_head* run_head() const noexcept { return query_.get(); }
    const detail::query_ref& run_query() const noexcept { return query_; }
    world_t* run_stage() const { return detail::world_of(query_.get()); }
    static constexpr bool has_options = false;
    static constexpr bool is_whole() noexcept { return true; }
    detail::run_options run_settings() const noexcept {
        detail::run_options options;
        options.row_at_a_time = !is_instanced();
        return options;
    }

    detail::query_ref query_;
};

// A query without a cache.
template <class... Ts>
class filter : public iterable<Ts...> {
public:
    using iterable<Ts...>::iterable;
    // A handle without types, which shares the query.
    template <class... Us>
        requires(sizeof...(Ts) == 0)
    filter(const iterable<Us...>& other)
    noexcept : iterable<>(other.ref()) {}
};

// A query with a cache of the tables that match.
template <class... Ts>
class query : public iterable<Ts...> {
public:
    using iterable<Ts...>::iterable;
    // A handle without types, which shares the query.
    kith::filter<> filter() const noexcept { return kith::filter<>(*this); }
    template <class... Us>
        requires(sizeof...(Ts) == 0)
    query(const iterable<Us...>& other)
    noexcept : iterable<>(other.ref()) {}
};

}  // namespace kith

#include <kith/detail/query_inl.hpp>
