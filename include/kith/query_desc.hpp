// The description of a query as plain data. Builders fill it in; programs that know their terms at
// run time only may fill it in directly: world.query(desc).
#pragma once

#include <kith/detail/atomic_number.hpp>
#include <kith/fwd.hpp>
#include <kith/id.hpp>
#include <kith/string.hpp>

namespace kith {

// The access of a term to the matched values.
enum inout_kind_t : std::uint8_t {
    InOutDefault,  // InOut where the matched entity owns the value, else In; None for tags
    InOutNone,
    InOut,
    In,
    Out,
};

// How a term takes part in a match. Or joins a term with the one behind it.
enum oper_kind_t : std::uint8_t { And, Or, Not, Optional, AndFrom, OrFrom, NotFrom };

// The entities that a term searches for its id, seen from its source.
inline constexpr std::uint32_t Self = 1u << 0;         // the source itself
inline constexpr std::uint32_t Up = 1u << 1;           // targets of a relationship, and theirs
inline constexpr std::uint32_t Down = 1u << 2;         // sources of a relationship, and theirs
inline constexpr std::uint32_t Parent = 1u << 3;       // Up, through ChildOf
inline constexpr std::uint32_t Cascade = 1u << 4;      // Up, and results come by depth
inline constexpr std::uint32_t Desc = 1u << 5;         // with Cascade: the deepest first
inline constexpr std::uint32_t TraverseAll = 1u << 6;  // do not stop at the first match
inline constexpr std::uint32_t SuperSet = Up;
inline constexpr std::uint32_t SubSet = Down;
// What kind of thing the name of a term's part is.
inline constexpr std::uint32_t IsVariable = 1u << 8;
inline constexpr std::uint32_t IsEntity = 1u << 9;
inline constexpr std::uint32_t IsName = 1u << 10;

// How a value is compared with a constant or with another value.
enum comparison : std::uint8_t {
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    contains,  // a text has a part, flags have all of some bits, a list has an element
    is_in,     // one of several constants, or between two of them
};

// How numbers are read that values are sorted by, or compared with.
enum class order_number : std::uint8_t { none, u8, u16, u32, u64, i8, i16, i32, i64, f32, f64 };

// How an index finds entities by the value of a member.
enum index_kind : std::uint8_t {
    ordered_index,  // for ==, in, <, <=, >, >= and ranges
    hash_index,     // for == and in
};

struct term_desc;
namespace detail {
struct value_test;
}

// The comparison of a value term: `Health.points < 10`. The term itself has component and source.
struct value_desc {
    const char* path = "";  // of the member inside of the component: "points", "slots[2].count"
    comparison how = equal;
    // Constants as text: `10`, `"a"`, `Red`, `[1, 2]`, `3..5`. With `other`: the path of a member.
    const char* right = "";
    const term_desc* other = nullptr;  // component and source of the value on the right
    bool is_handle = false;            // `other` names the entity itself, which is compared
    // Of members that C++ names: how they are read, and their offsets. The paths are empty then.
    order_number number = order_number::none;
    std::uint32_t offset = 0;
    order_number right_number = order_number::none;  // of `other`
    std::uint32_t right_offset = 0;
    // The places of `path` and `right` in a text that the term was read from.
    std::uint32_t path_at = 0;
    std::uint32_t right_at = 0;
    // The comparison as a query keeps it; the terms of a query are described by it.
    const detail::value_test* made = nullptr;
};

// Source, first or second element of a term.
struct term_part_desc {
    entity_t id = 0;
    const char* name = nullptr;  // a path, or $variable; looked up when the query is made
    entity_t trav = 0;           // the relationship to follow; 0: IsA
    std::uint32_t flags = 0;
    // Levels to look at, the source itself being level 0. 0: from the first, to the last.
    std::uint32_t min_depth = 0;
    std::uint32_t max_depth = 0;
};

struct term_desc {
    id_t id = 0;  // or first and second
    term_part_desc src;
    term_part_desc first;
    term_part_desc second;
    inout_kind_t inout = InOutDefault;
    oper_kind_t oper = And;
    bool by_with = false;     // without a stated access it has none
    bool no_source = false;   // declares an access of callbacks; matches nothing
    bool has_second = false;  // `second` was given, even if it is 0
    bool is_filter = false;   // changes of its ids do not call observers
    // The term is a template argument: callbacks may write own and inherited values of the term.
    bool is_argument = false;
    // The C++ type that callbacks get for the term, 0 if they do not.
    std::uint32_t type = 0;
    const value_desc* value = nullptr;  // what a value of the id is compared with
    // Where it stands in a text that it was read from; for messages.
    std::uint32_t text_begin = 0;
    std::uint32_t text_end = 0;
    const char* text = nullptr;
};

// Flags for entities that a query leaves out by default, and for rows that share a value.
inline constexpr std::uint32_t FilterMatchPrefab = 1u << 0;    // prefabs match
inline constexpr std::uint32_t FilterMatchDisabled = 1u << 1;  // and disabled entities
inline constexpr std::uint32_t FilterIsInstanced = 1u << 2;    // as query_desc::instanced

// Whether a query caches the tables that match.
enum class cache_policy : std::uint8_t { none, tables };

// The group of a table's entities. `id` is what was given to group_by.
using group_by_action_t = std::uint64_t (*)(world_t* world, table_t* table, id_t id, void* ctx);
// A group got its first table or row: the result is its context. It has lost its last one.
using group_create_action_t = void* (*)(world_t* world, std::uint64_t group, void* ctx);
using group_delete_action_t = void (*)(world_t* world, std::uint64_t group, void* group_ctx,
                                       void* ctx);
// Negative: the first comes before the second; 0: the order of results without sorting decides.
using order_by_action_t = int (*)(entity_t e1, const void* v1, entity_t e2, const void* v2);

namespace detail {

struct query_head;

// A function of the program, or a function object, which the copies of a description share.
template <class Signature>
class kept_function;
template <class R, class... Args>
class kept_function<R(Args...)> {
public:
    struct head {
        atomic_number owners{1};
        R (*call)(head* kept, Args... args) = nullptr;
        void (*end)(head* kept) noexcept = nullptr;
    };

    kept_function() noexcept = default;
    kept_function(R (*function)(Args...)) noexcept : function_(function) {}
    explicit kept_function(head* made) noexcept : head_(made) {}
    kept_function(const kept_function& other) noexcept
        : head_(other.head_), function_(other.function_) {
        if (head_) {
            head_->owners.increment();
        }
    }
    kept_function& operator=(kept_function other) noexcept {
        head* before = head_;
        head_ = other.head_;
        other.head_ = before;
        function_ = other.function_;
        return *this;
    }
    ~kept_function() {
        if (head_ && head_->owners.decrement()) {
            head_->end(head_);
        }
    }
    // `call(func, args...)` calls the object.
    template <class Func, class Call>
    static kept_function of(Func func, Call) {
        struct holder : head {
            explicit holder(Func&& kept) : function(static_cast<Func&&>(kept)) {}
            Func function;
        };
        auto* made = new holder(static_cast<Func&&>(func));
        made->call = [](head* kept, Args... args) -> R {
            return Call{}(static_cast<holder*>(kept)->function, args...);
        };
        made->end = [](head* kept) noexcept { delete static_cast<holder*>(kept); };
        return kept_function(made);
    }

    explicit operator bool() const noexcept { return head_ || function_; }
    R operator()(Args... args) const {
        return function_ ? function_(args...) : head_->call(head_, args...);
    }

private:
    head* head_ = nullptr;
    R (*function_)(Args...) = nullptr;
};

using comparer = kept_function<int(entity_t, const void*, entity_t, const void*)>;

}  // namespace detail

// Functions about groups, or function objects.
using group_function =
    detail::kept_function<std::uint64_t(world_t* world, table_t* table, id_t id, void* ctx)>;
using group_create_function =
    detail::kept_function<void*(world_t* world, std::uint64_t group, void* ctx)>;
using group_delete_function =
    detail::kept_function<void(world_t* world, std::uint64_t group, void* group_ctx, void* ctx)>;

// One thing that results are sorted by: a function that compares, or a number in the value.
struct order_desc {
    id_t component = 0;  // of a term of the query; 0: by entity
    order_by_action_t compare = nullptr;
    // Calls a function whose parameters are not `const void*`.
    int (*call)(void (*func)(), entity_t e1, const void* v1, entity_t e2, const void* v2) = nullptr;
    void (*func)() = nullptr;
    detail::comparer callable;  // or one that has a state
    order_number number = order_number::none;
    std::uint32_t offset = 0;  // in the value, of what is compared
    std::uint32_t type = 0;    // of the values, if they must be of a certain one
    bool descending = false;
};

struct query_desc {
    const term_desc* terms = nullptr;
    std::uint32_t count = 0;
    cache_policy cache = cache_policy::none;
    bool instanced = false;
    text_view name;           // of the query's entity; empty: it has none
    text_view expr;           // more terms, in the query language
    bool track_rows = false;  // changes are tracked for each row
    std::uint32_t flags = 0;  // FilterMatchPrefab, ...
    // The parent of a subquery. See query_builder::observable().
    const detail::query_head* parent = nullptr;
    // The first is the most significant.
    const order_desc* order_by = nullptr;
    std::uint32_t order_by_count = 0;
    // Without a function: by the target of a relationship, group_by_id.
    id_t group_by_id = 0;
    group_function group_by;
    bool group_descending = false;  // the highest group first
    void* group_by_ctx = nullptr;
    ctx_free_t group_by_ctx_free = nullptr;  // called when the query ends
    group_create_function on_group_create;
    group_delete_function on_group_delete;

    bool is_grouped() const noexcept { return group_by_id != 0 || group_by; }
};

}  // namespace kith
