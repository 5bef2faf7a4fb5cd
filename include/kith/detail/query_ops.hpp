// The compiled functions behind the query classes. Internal: programs call the classes instead.
//
// Implemented in src/core/api: query*.cpp (making queries; fields, variables, changes, arguments),
// changed_run.cpp, inherited_write.cpp (warnings). In src/core/query: query_block.cpp (the end of
// queries), run/query_run.cpp (runs).
#pragma once

#include <kith/detail/ops.hpp>
#include <kith/detail/query_layout.hpp>
#include <kith/detail/row_share.hpp>

namespace kith::queries {
class run;
}

namespace kith::detail {

// Checks the description and makes a query of it; throws kith::error naming the term.
query_head* make_query(world_t* world, const query_desc& desc);
void free_query(query_head* query) noexcept;
inline void release_query(query_head* query) noexcept {
    if (query && query->owners.decrement()) {
        free_query(query);
    }
}

// True for a subquery whose parent has no handle any more.
bool is_orphaned(const query_head* query) noexcept;

// The world of a query. Throws if there is no query, or if its world has ended.
[[noreturn]] void raise_query_gone(const query_head* query);
inline world_t* world_of(const query_head* query) {
    if (!query || !query->link->world) [[unlikely]] {
        raise_query_gone(query);
    }
    return query->link->world;
}

// Warns, once per query, if one of these fields (bit i for field i + 1) has an inherited value in
// the result: what a callback writes to it is changed for all instances of the base. Returns the
// fields that are to be checked in further results.
std::uint64_t warn_of_inherited(const query_head* query, const result& found, std::uint64_t fields);
// True if callbacks of this query were warned of.
bool is_warned(const query_head* query) noexcept;
void set_warned(query_head* query) noexcept;

struct value_test;
// A constant of a value term that a run has replaced.
struct value_change {
    const void* condition;  // of the term
    const value_test* test;
    value_change* next;
};

// The options of a run: limits of the visited results, and the form in which results are handed
// out.
struct run_options {
    bool row_at_a_time = false;  // rows one at a time where a field is no array
    bool noncontiguous = false;  // results may be rows that are no neighbours
    bool untracked = false;      // nothing is handed out: the query has neither seen nor written it
    // Called for each table; true ends the run.
    bool (*should_stop)(const void* context) = nullptr;
    const void* stop_context = nullptr;
    // A page of the rows.
    std::uint64_t offset = 0;
    std::uint64_t limit = ~std::uint64_t{0};
    // One of several shares of all rows.
    std::uint32_t share = 0;
    std::uint32_t shares = 1;
    // The rows of a table that $this is restricted to, if `given`.
    std::uint32_t table = 0;
    std::uint32_t first_row = 0;
    std::uint32_t row_count = 0;
    bool given = false;
    // Values of variables besides $this: by number, for the members of the set.
    const entity_t* variables = nullptr;
    std::uint64_t variable_set = 0;
    // Constants that value terms compare with in place of those of the query.
    const value_change* values = nullptr;
    // The group that the run is restricted to, if `one_group`.
    std::uint64_t group = 0;
    bool one_group = false;
    bool unordered = false;  // neither sorted nor by group
    // The fields that a callback may write, bit i for field i + 1: see warn_of_inherited().
    std::uint64_t writes = 0;

    // No rows are left out, except by groups.
    bool has_all_rows() const noexcept { return is_unlimited() && shares == 1; }
    // No rows are left out.
    bool is_plain() const noexcept { return has_all_rows() && !one_group; }
    // The run leaves nothing out except the rows of other shares.
    bool is_plain_share() const noexcept { return is_unlimited() && !one_group; }

private:
    bool is_unlimited() const noexcept {
        return !should_stop && offset == 0 && limit == ~std::uint64_t{0} && !given &&
               variable_set == 0 && !values;
    }
};

// One run of a query. Results are valid until the next call. The constructor chooses the kind of
// run: see src/core/query/plan/run_strategy.hpp.
class query_run {
public:
    query_run(const query_head* query, world_t* stage, const run_options& options);
    ~query_run();
    query_run(const query_run&) = delete;
    query_run& operator=(const query_run&) = delete;

    bool next(result& found);
    // Null if no query asks for changes that this run could make or see.
    tracked_run* tracker() const noexcept { return tracker_; }

private:
    static constexpr std::size_t state_size = 8256;

    void start(const query_head& query, world_t* stage, const run_options& options);
    template <class Run>
    void hold(const query_head& query, world_t* stage, const run_options& options);
    bool next_observed(result& found);

    queries::run* run_ = nullptr;  // in state_
    std::uint64_t inherits_ = 0;   // fields that may be written and inherited
    const query_head* query_;
    tracked_run* tracker_ = nullptr;  // owned
    alignas(16) std::byte state_[state_size];
};

// A run over the rows that changed since the query last saw them. Results are valid until the next
// call.
class changed_run {
public:
    changed_run(const query_head* query, world_t* stage, const run_options& options);
    ~changed_run();
    changed_run(const changed_run&) = delete;
    changed_run& operator=(const changed_run&) = delete;

    bool next(result& found);

private:
    struct state;
    state* state_;  // owned
};

// Begins a tracked run over the query's list of tables (listing::scan). Null if a query_run is
// needed.
tracked_run* begin_scan(const query_head* query, world_t* stage);
void end_scan(tracked_run* tracker, bool complete) noexcept;
// The table after this one, when rows of the list have changed during the scan.
scan_step next_scanned(tracked_run* scan, std::uint32_t match);

// Values of variables that the program sets before a run.
class preset {
public:
    preset() noexcept = default;
    preset(const preset& other);
    preset& operator=(const preset&) = delete;
    ~preset() { delete[] more_; }
    void set(const query_head* query, std::int32_t index, entity_t value);
    void apply(const query_head* query, run_options& options) const;
    bool empty() const noexcept { return set_ == 0; }

private:
    static constexpr std::uint32_t few = 8;
    entity_t* more_ = nullptr;
    std::uint64_t set_ = 0;
    entity_t few_[few];
};
// The replaced constants of a run.
class value_changes {
public:
    value_changes() noexcept = default;
    value_changes(const value_changes& other);
    value_changes& operator=(const value_changes&) = delete;
    ~value_changes();
    // Throws [invalid_query] for terms that compare with no constant, and for other constants.
    void set(query_head* query, std::int32_t term, const value_constant& constant);
    const value_change* first() const noexcept { return first_; }

private:
    value_change* first_ = nullptr;
};
// Open targets (R, *) that callers of the query can bind: their number, the query with variables in
// their place (the caller shares it), and the values of these variables.
std::uint32_t open_target_count(const query_head* query);
query_head* bind_arguments(const query_head* query, std::uint32_t count);
void set_arguments(query_head* bound, const entity_t* values, std::uint32_t count,
                   preset& variables);
// Restricts $this to rows of a table.
void give_rows(const query_head* query, std::int32_t variable, const table_range& rows,
               run_options& options);
// The number of a variable; find_variable() returns -1 and checked_variable() throws if there is
// none.
std::int32_t find_variable(const query_head* query, text_view name);
std::int32_t checked_variable(const query_head* query, text_view name);
// The variable that the entity of this number (from 0) among a callback's parameters stands for;
// throws if the query has not so many.
std::int32_t variable_in_order(const query_head* query, std::size_t number);
const char* variable_name(const query_head* query, std::int32_t index);
std::uint32_t variable_count(const query_head* query);

// Groups: throws unless the query has groups; the context of a group, null for unknown groups.
[[noreturn]] void raise_not_grouped(const query_head* query);
inline void check_grouped(const query_head* query) {
    world_of(query);
    if (!query->is_ordered_by_group) [[unlikely]] {
        raise_not_grouped(query);
    }
}
void* group_context(const query_head* query, std::uint64_t group);

// Restricts the run to the row of an entity. False if the entity has no row.
bool find_entity_range(world_t* world, entity_t entity, run_options& options);
std::int64_t count_results(const query_head* query, world_t* stage, const run_options& options);

// The array of entities of a table.
[[gnu::pure]] const entity_t* entities_of_table(const table_shape& shape,
                                                const table_rows& rows) noexcept;

// Field `index` (from 1) as a T; throws if there is none, or if it is of another type, or if it may
// only be read. `type` 0: of no particular type.
const field_data& checked_field(const query_head* query, world_t* world, const result& found,
                                std::int32_t index, std::uint32_t type, bool writes);
// The only field of a type; throws unless there is exactly one.
std::int32_t find_field(const query_head* query, world_t* world, std::uint32_t type);
std::size_t field_size(const query_head* query, world_t* world, const result& found,
                       std::int32_t index);
inline bool is_instanced(const query_head* query) noexcept {
    return query && query->is_instanced;
}
// True if results of the query, the given result, or a row of it (-1: any row) have changed since
// the query last ran. Changes are counted from the first call on.
bool is_query_changed(const query_head* query);
bool is_result_changed(const query_head* query, world_t* world, const result& found,
                       std::int64_t row);
// True if rows of the table have changed since this tick.
bool is_table_changed(const tracked_run* scan, std::uint32_t table, std::uint64_t since);
void skip_result(const query_head* query, const result& found);
// Marks the values of a field (counted from 0) as written, if `written`.
void mark_field_written(world_t* world, const result& found, std::size_t index, bool written);
[[noreturn]] void raise_share(std::int32_t index, std::int32_t count);
[[noreturn]] void raise_page(std::int32_t offset, std::int32_t limit);
[[noreturn]] void raise_no_this(const query_head* query);
// A run was asked for its result before the first next() or after the last.
[[noreturn]] void raise_no_result(bool started);
[[noreturn]] void raise_unset_reference();
[[noreturn]] void raise_unset_field(const query_head* query, std::int32_t index);

// The entities that a term is about.
enum class term_subject : std::uint8_t {
    own,     // $this
    others,  // another entity, or entities that a search from $this reaches
    none,    // none: the term declares an access
};
struct term_info {
    id_t id;
    entity_t source;
    entity_t first;
    entity_t second;
    inout_kind_t inout;
    oper_kind_t oper;
    term_subject subject;
    bool has_id;  // false for comparisons and scopes
    bool compares_values;
    id_t compared;  // the component on the right side of such a comparison; 0: none
};
std::uint32_t term_count(const query_head* query);
term_info term_at(const query_head* query, std::int32_t index);
entity_t query_entity(const query_head* query) noexcept;
string explain_query(const query_head* query);
string explain_entity(const query_head* query, entity_t entity);
string query_text(const query_head* query);
void set_value(query_head* query, std::int32_t term, const value_constant& constant);

}  // namespace kith::detail
