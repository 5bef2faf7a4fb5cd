// Systems: queries with a callback, which the frames of a world run in one order.
//
//   world.system<Position, const Velocity>("Move").each([](Position& p, const Velocity& v) {
//       p.x += v.x;
//   });
//   world.progress(0.1f);
//
// A system is an entity: destruct() ends it, and disable() keeps it from being run. Changes that a
// callback makes to the world are deferred until the next sync point of the frame. The compiled
// part is src/schedule.
//
// Covered by tests/features/systems/.
#pragma once

#include <kith/detail/system_ops.hpp>
#include <kith/detail/time_ops.hpp>
#include <kith/query.hpp>

namespace kith {

// The number of a system's declaration: systems of equal depth run in the order of their numbers.
struct Order {
    std::int64_t number = 0;
};

// The ids that are set aside for each part of a parallel or split system, from which its new
// entities get theirs: as many as parts of its last run needed.
struct PartIds {
    std::uint32_t quota = 0;
};

namespace detail {

// Visits rows of the list of matches of a cached query. The table of the current match is locked
// while the callback runs. A callback that returns false ends the visit.
template <class... Ts, class Caller>
KITH_ALWAYS_INLINE void run_listed(Caller& caller, const system_call& call) {
    const query_head& query = *call.query;
    const store_head& store = *call.world->store;
    table_lock lock(call.world, &query);
    field_data fields[sizeof...(Ts) == 0 ? 1 : sizeof...(Ts)]{};
    std::uint32_t first = call.rows.first_row;
    std::uint64_t left = call.rows.count;
    for (std::uint32_t at = call.rows.first_match;
         at < call.rows.last_match && at < query.match_count && left != 0; ++at) {
        const std::uint32_t* match = query.matches + std::size_t{at} * query.match_size;
        const table_rows& rows = store.rows[match[0]];
        if (rows.count <= first) {
            first = 0;
            continue;
        }
        lock.table = match[0];
        fill_all_matched<Ts...>(fields, match, store, rows, first,
                                std::index_sequence_for<Ts...>{});
        result found{};
        found.count = rows.count - first;
        if (found.count > left) {
            found.count = static_cast<std::uint32_t>(left);
        }
        found.fields = fields;
        if constexpr (Caller::needs_entities) {
            found.entities = entities_of_table(*store.shapes[match[0]], rows) + first;
        }
        if (!caller.call(found)) {
            return;
        }
        left -= found.count;
        first = 0;
    }
}

// The actions of systems, one function for each system. `function` is the callback that
// make_system_action() has copied. A call without a feed is the fast way: no iterator is made.
template <class Func, class... Ts>
void run_each(void* function, const system_call& call) {
    Func& func = *static_cast<Func*>(function);
    using caller_type = row_caller<Func, Ts...>;
    if constexpr (!caller_type::wants_iter) {
        if (!call.feed) [[likely]] {
            caller_type caller(func, call.world, call.query, nullptr);
            run_listed<Ts...>(caller, call);
            return;
        }
    }
    kith::iter it(call.world, call.query, call.info);
    caller_type caller(func, call.world, call.query, &it);
    while (call.feed->next(it.raw()) && caller.call(it.raw())) {}
}
template <class Func, class... Ts>
void run_iter(void* function, const system_call& call) {
    kith::iter it(call.world, call.query, call.info);
    while (call.feed->next(it.raw()) &&
           call_table<Ts...>(*static_cast<Func*>(function), it, std::index_sequence_for<Ts...>{})) {
    }
}
// The callback drives the iterator itself, by iter::next().
template <class Func>
void run_steps(void* function, const system_call& call) {
    kith::iter it(call.world, call.query, call.info);
    (*static_cast<Func*>(function))(it);
}
// An action that owns a copy of the callback. The caller has to hand the action to make_system(),
// which takes the callback over, or to free it.
template <class Func>
system_action make_system_action(void (*run)(void*, const system_call&), Func&& func) {
    using function = std::decay_t<Func>;
    if constexpr (std::is_pointer_v<function>) {
        if (!func) {
            raise_null_callback();
        }
    }
    system_action made;
    made.run = run;
    made.function = new function(std::forward<Func>(func));
    made.free_function = [](void* kept) noexcept { delete static_cast<function*>(kept); };
    return made;
}

// The properties of the callback are found at compile time, so that frames can choose the fastest
// way.
template <class... Ts, class Func>
system_action make_each_system(Func&& func) {
    using function = std::decay_t<Func>;
    if constexpr (!callback_form<function, Ts...>::is_known) {
        static_cast<void>(callback_mistake<function, Ts...>{});
        return {};
    } else {
        using caller_type = row_caller<function, Ts...>;
        system_action made =
            make_system_action(run_each<function, Ts...>, std::forward<Func>(func));
        made.writes = written_fields<function, Ts...>::mask;
        made.by_list = !caller_type::wants_iter;
        made.takes_entity = caller_type::wants_entity;
        made.noncontiguous = !caller_type::wants_iter && !caller_type::wants_flags;
        made.is_stateless =
            (std::is_empty_v<function> || std::is_pointer_v<function>)&&!caller_type::wants_iter &&
            !caller_type::needs_entities;
        return made;
    }
}

// A counted reference to a system that is being built. Copies of a builder share one draft. Not
// safe for threads.
class draft_ref {
public:
    explicit draft_ref(system_draft* made) noexcept : draft_(made) {}
    draft_ref(const draft_ref& other) noexcept : draft_(other.draft_) { share_draft(draft_); }
    draft_ref& operator=(draft_ref other) noexcept {
        std::swap(draft_, other.draft_);
        return *this;
    }
    ~draft_ref() { release_draft(draft_); }
    system_draft* get() const noexcept { return draft_; }

private:
    system_draft* draft_;
};

template <class Func>
concept condition =
    std::is_invocable_r_v<bool, Func&> || std::is_invocable_r_v<bool, Func&, world&>;

// A function around the callback of a system: it takes the raw iterator.
template <class Func>
concept around_system = std::is_convertible_v<Func, iter_action_t> ||
    (!std::is_invocable_v<std::decay_t<Func>&, iter&> &&
     std::is_invocable_v<std::decay_t<Func>&, iter_t*>);

}  // namespace detail

// A run of a system outside of its pipeline, which begins when this object ends. The object is a
// temporary of the statement `system.run(…).offset(…)`, so that its options are known when it ends.
// The destructor may throw the errors of the run.
class system_runner {
public:
    system_runner(world_t* world, entity_t system, const detail::system_request& request) noexcept
        : world_(world),
          system_(system),
          request_(request),
          exceptions_(detail::exceptions_under_way()) {}
    system_runner(const system_runner&) = delete;
    system_runner& operator=(const system_runner&) = delete;
    // Nothing runs while an exception leaves the statement.
    ~system_runner() noexcept(false) {
        if (detail::exceptions_under_way() == exceptions_) {
            detail::run_system(world_, system_, request_);
        }
    }

    // `limit` rows from `offset` on.
    system_runner& offset(std::int32_t rows) {
        request_.offset = detail::checked_rows(rows, "offset", 0);
        return *this;
    }
    system_runner& limit(std::int32_t rows) {
        request_.limit = detail::checked_rows(rows, "limit", 0);
        return *this;
    }
    // Changes are queued in this stage.
    system_runner& stage(const kith::world& stage) {
        request_.stage = stage;
        return *this;
    }

private:
    world_t* world_;
    entity_t system_;
    detail::system_request request_;
    int exceptions_;
};

// The entity of a system.
class system : public entity {
public:
    constexpr system() noexcept = default;
    constexpr explicit system(world_t* world, entity_t value) noexcept : entity(world, value) {}
    constexpr system(const entity& other) noexcept : entity(other) {}

    // Runs the system at the end of the statement, whatever its phase, conditions and timers say.
    // `param` is what iter::param() returns.
    system_runner run(ftime_t delta_time = 0, void* param = nullptr) const {
        return {world_, id_, {delta_time, param}};
    }
    // Runs the share `index` of `count`. Requires: 0 <= index < count; other numbers are an error.
    // The shares of one run together visit each row once.
    system_runner run_worker(std::int32_t index, std::int32_t count, ftime_t delta_time = 0,
                             void* param = nullptr) const {
        return {world_, id_, {delta_time, param, 0, -1, index, count}};
    }
    // The pointer that iter::ctx() returns. The context of before is freed if the builder was given
    // a function for that; the new one is not.
    void ctx(void* context) const { detail::set_system_context(world_, id_, context); }
    void* ctx() const { return detail::system_context(world_, id_); }
    // The query, which the handle shares: it outlives the system.
    kith::query<> query() const {
        return kith::query<>(detail::query_ref(detail::system_query(world_, id_)));
    }
    // -- timers of the system, as those of kith::timer
    void interval(ftime_t seconds) const {
        detail::set_timer(world_, id_, static_cast<double>(seconds), false);
    }
    ftime_t interval() const { return detail::get_timeout(world_, id_, false); }
    void timeout(ftime_t seconds) const {
        detail::set_timer(world_, id_, static_cast<double>(seconds), true);
    }
    ftime_t timeout() const { return detail::get_timeout(world_, id_, true); }
    // Every n-th frame, or tick of its own interval; a source of before is dropped.
    void rate(std::int32_t n) const { detail::set_rate(world_, id_, n, 0); }
    void start() const { detail::start_timer(world_, id_); }
    void stop() const { detail::stop_timer(world_, id_); }
    // Runs in frames in which `source` ticks; 0: in each.
    void set_tick_source(kith::entity source) const {
        detail::set_tick_source(world_, id_, source);
    }
    template <class T>
    void set_tick_source() const {
        detail::set_tick_source(world_, id_, detail::term_id<T>(world_));
    }
    // While the world is stepping, progress() stops in front of the system.
    void set_breakpoint(bool on = true) const { detail::set_breakpoint(world_, id_, on); }
    // See statistics.hpp.
    system_stats stats() const;
    // -- settings, as those of the builder
    void parallel(bool value = true) const {
        detail::set_system_switch(world_, id_, detail::system_switch::parallel, value);
    }
    void multi_threaded(bool value = true) const {
        detail::set_system_switch(world_, id_, detail::system_switch::split, value);
    }
    void on_error(kith::on_error policy) const { detail::set_system_policy(world_, id_, policy); }
    // Restricts runs to a group of the query. An error if the query has no groups.
    void set_group(std::uint64_t group) const { detail::set_system_group(world_, id_, group); }
};

// Describes a system: the terms of a query, its place in the order, and the way in which it runs.
// each(), iter() and run() make the system with a callback.
template <class... Ts>
class system_builder : public builder_base<system_builder<Ts...>, kith::query<Ts...>, Ts...> {
    using base = builder_base<system_builder<Ts...>, kith::query<Ts...>, Ts...>;

public:
    explicit system_builder(world_t* world, text_view name = {})
        : base(world, cache_policy::tables), draft_(detail::begin_system(world, name)) {}

    // The entity of the system, which exists from the beginning.
    kith::entity entity() const {
        return kith::entity(this->world_, detail::draft_entity(draft_.get()));
    }

    // -- the place in the order
    // The phase replaces that of before; 0: none.
    system_builder& kind(entity_t phase) {
        settings_.phase = phase ? detail::checked_subject(this->world_, phase, "kind") : 0;
        settings_.has_phase = true;
        return *this;
    }
    template <class P>
    system_builder& kind() {
        return kind(detail::term_id<P>(this->world_));
    }
    system_builder& phase(entity_t phase) { return kind(phase); }
    // `other` is a system, a set, a phase or a module. Edges order systems of one phase; an edge
    // against the order of phases is an error. A name that is not known yet becomes an entity, so
    // that systems may be declared in any order.
    system_builder& before(entity_t other) { return edge(Before, other); }
    system_builder& before(text_view other) { return edge(Before, other); }
    template <class T>
    system_builder& before() {
        return edge(Before, detail::term_id<T>(this->world_));
    }
    system_builder& after(entity_t other) { return edge(After, other); }
    system_builder& after(text_view other) { return edge(After, other); }
    template <class T>
    system_builder& after() {
        return edge(After, detail::term_id<T>(this->world_));
    }
    // Membership of a set. Without arguments: the access of the current term.
    using base::in;
    system_builder& in(entity_t set) { return edge(InSet, set); }
    system_builder& in(text_view set) { return edge(InSet, set); }
    template <class T>
    system_builder& in() {
        return edge(InSet, detail::term_id<T>(this->world_));
    }
    // The order of the two is of no importance: schedule::ambiguities() leaves them out.
    system_builder& ambiguous_with(entity_t other) { return edge(AmbiguousWith, other); }
    system_builder& ambiguous_with(text_view other) { return edge(AmbiguousWith, other); }
    template <class T>
    system_builder& ambiguous_with() {
        return edge(AmbiguousWith, detail::term_id<T>(this->world_));
    }
    // A sync point in front of the system.
    system_builder& barrier() {
        settings_.barrier = true;
        return *this;
    }

    // -- the way in which it runs
    // As one part, beside systems whose access does not conflict.
    system_builder& parallel(bool value = true) {
        settings_.parallel = value;
        return *this;
    }
    // The same, with its rows divided into parts.
    system_builder& multi_threaded(bool value = true) {
        settings_.split = value;
        return *this;
    }
    // Between two sync points, with defer_suspend() allowed.
    system_builder& immediate(bool value = true) {
        settings_.immediate = value;
        return *this;
    }
    system_builder& no_readonly(bool value = true) { return immediate(value); }
    // On the thread that calls progress().
    system_builder& main_thread(bool value = true) {
        settings_.main_thread = value;
        return *this;
    }
    // The number of rows of a part of a split system.
    system_builder& part_rows(std::int32_t rows) {
        settings_.part_rows = detail::checked_rows(rows, "part_rows", 1);
        return *this;
    }
    // The effect of an exception of the callback, or of a command of it. Without a call: progress()
    // throws.
    system_builder& on_error(kith::on_error policy) {
        settings_.on_error = policy;
        return *this;
    }

    // -- access: the callback writes values of T in place, of any entity
    // The declaration lets the schedule keep systems apart that access the same values; it does not
    // check the callback.
    template <class T>
    system_builder& modify() {
        return modify(id_t{detail::term_id<T>(this->world_)});
    }
    system_builder& modify(id_t id) {
        detail::add_modified(draft_.get(), id);
        return *this;
    }
    system_builder& modify(entity_t first, entity_t second) {
        return modify(make_pair(first, second));
    }

    // -- conditions: the system is skipped unless all hold. A query that has a result; a text; a
    // function bool() or bool(world&).
    // Conditions are asked in the order of declaration, right before the system would run; the time
    // of skipped ticks counts for iter::delta_system_time() of the next run.
    template <class... Us>
    system_builder& run_if(const iterable<Us...>& query) {
        detail::add_condition(draft_.get(), query.ref().get());
        return *this;
    }
    system_builder& run_if(text_view query) {
        detail::add_condition(draft_.get(), query);
        return *this;
    }
    template <detail::condition Func>
    system_builder& run_if(Func func) {
        detail::add_condition(draft_.get(), detail::condition_function::of(
                                                std::move(func), [](Func& kept, world_t* stage) {
                                                    if constexpr (std::is_invocable_v<Func&>) {
                                                        return static_cast<bool>(kept());
                                                    } else {
                                                        kith::world shown(stage);
                                                        return static_cast<bool>(kept(shown));
                                                    }
                                                }));
        return *this;
    }
    // Skipped while the results of the query have not changed.
    system_builder& run_if_changed() {
        settings_.if_changed = true;
        return *this;
    }

    // -- time: the system runs every so many seconds; in every n-th frame, or tick of its interval;
    // with every n-th tick of a source; when the source ticks
    system_builder& interval(ftime_t seconds) {
        timing_.interval = detail::checked_interval(static_cast<double>(seconds));
        timing_.has_interval = true;
        return *this;
    }
    system_builder& rate(std::int32_t n) { return rate(0, n); }
    system_builder& rate(entity_t source, std::int32_t n) {
        timing_.rate = detail::checked_rate(this->world_, entity(), n);
        timing_.source = detail::checked_source(this->world_, entity(), source);
        return *this;
    }
    system_builder& tick_source(entity_t source) {
        timing_.source = detail::checked_source(this->world_, entity(), source);
        timing_.has_source = true;
        return *this;
    }
    template <class T>
    system_builder& tick_source() {
        return tick_source(detail::term_id<T>(this->world_));
    }

    // The pointer that iter::ctx() returns; freed with the system if a function is given.
    system_builder& ctx(void* context, ctx_free_t free_context = nullptr) {
        settings_.context = context;
        settings_.free_context = free_context;
        return *this;
    }

    // Makes the system. The callback is called for each row, in the forms of queries: (T&...),
    // (entity, T&...), (iter&, size_t, T&...).
    template <class Func>
    kith::system each(Func&& func) {
        return make(detail::make_each_system<Ts...>(std::forward<Func>(func)));
    }
    // Makes the system. The callback is called for the rows of a table together: (iter&, T*...) or
    // (iter&).
    template <class Func>
    kith::system iter(Func&& func) {
        using function = std::decay_t<Func>;
        detail::system_action action =
            detail::make_system_action(detail::run_iter<function, Ts...>, std::forward<Func>(func));
        action.table_wise = true;
        action.writes = detail::written_fields<function, Ts...>::mask;
        return make(action);
    }
    // Makes the system. The callback is called once per run and steps by itself:
    // `while (it.next()) …`. With further parameters: as iter().
    template <class Func>
        requires(!detail::around_system<Func>)
    kith::system run(Func&& func) {
        using function = std::decay_t<Func>;
        if constexpr (std::is_invocable_v<function&, kith::iter&>) {
            detail::system_action action =
                detail::make_system_action(detail::run_steps<function>, std::forward<Func>(func));
            action.table_wise = true;
            action.steps = true;
            return make(action);
        } else {
            return iter(std::forward<Func>(func));
        }
    }
    // Sets a function that is called in place of the callback, with the raw iterator:
    // `while (it->next()) it->call();`.
    template <detail::around_system Func>
    system_builder& run(Func func) {
        if constexpr (std::is_convertible_v<Func, iter_action_t>) {
            around_ = static_cast<iter_action_t>(func);
        } else {
            around_ = detail::kept_function<void(iter_t*)>::of(
                std::move(func), [](Func& kept, iter_t* it) { kept(it); });
        }
        return *this;
    }
    kith::query<Ts...> build() const = delete;

private:
    template <class Target>
    system_builder& edge(entity_t relation, Target target) {
        detail::add_edge(draft_.get(), relation, target);
        return *this;
    }
    kith::system make(detail::system_action action) const {
        if (around_) {
            action = detail::wrap_action(around_, action);
        }
        const entity_t made =
            detail::make_system(draft_.get(), this->description(), settings_, action);
        detail::set_timing(this->world_, made, timing_);
        return kith::system(this->world_, made);
    }

    detail::draft_ref draft_;
    detail::system_settings settings_;
    detail::system_timing timing_;
    detail::kept_function<void(iter_t*)> around_;
};

template <class... Ts>
system_builder<Ts...> world::system(text_view name) const {
    return system_builder<Ts...>(world_, name);
}
inline system world::system(kith::entity e) const {
    return kith::system(world_, e);
}

inline system world::stopped_at() const {
    return kith::system(world_, detail::stopped_at(world_));
}

}  // namespace kith
