// The registry of listeners. A *listener* is a function that is registered for an event and a
// pattern of ids; to *dispatch* an event is to call its listeners, in the order in which they were
// added. A listener may add and remove listeners: an added one is called from the next event on, a
// removed one is not called any more.
//
// Invariants
// 1. by_key_ maps an event and a pattern to the position plus one of their list in lists_; no two
//    lists have the same event and pattern.
// 2. The entries of a list are sorted by number; numbers grow with each add() and are never reused.
// 3. list.gone counts the entries without a listener (gaps). A list is in the chain gaps_ if and
//    only if has_gaps is set.
// 4. While listeners are called (nested_ != 0, innermost_ != null) no entry is erased and no list
//    released; the outermost call runs tidy() when it ends.
// 5. A cached route with an event contains all lists whose pattern matches its id; creating or
//    releasing a list invalidates all routes.
// 6. totals_ counts the listeners of each builtin event, gaps excluded.
//
// Implemented in registry.cpp and calls.hpp.
// Covered by tests/unit/events/registry_test.cpp.
#pragma once

#include <kith/detail/event_layout.hpp>

#include "base/assert.hpp"
#include "storage/store.hpp"

#include <exception>

namespace kith::events {

// Internal events: observers and monitors of kith subscribe to them, programs cannot. No entity has
// one of these numbers.
inline constexpr entity_t before_add = id_t{1} << 60;
inline constexpr entity_t after_remove = before_add + 1;
inline constexpr entity_t before_toggle =
    before_add + 2;  // an id is about to be switched on or off
// Events about a whole entity, whose id is the entity itself. For new entities, and for deleted
// ones without referrers, they are dispatched only in worlds with mode_entity_events.
inline constexpr entity_t before_delete = before_add + 3;
inline constexpr entity_t created = before_add + 4;
// A new entity is about to be removed again, because an error prevented its completion.
inline constexpr entity_t create_rolled_back = before_add + 5;
// One operation is about to delete several entities, or to remove an id from them. The event has no
// id; its value is a bulk_removal. The events of the single entities follow.
inline constexpr entity_t before_bulk_removal = before_add + 6;
struct bulk_removal {
    const entity_t* entities;
    std::uint32_t count;
    id_t id;  // the removed id; 0: the entities are deleted
};
// A pair was added and OnAdd was dispatched: the entity may now inherit or see values through it.
inline constexpr entity_t after_add = before_add + 7;

// Events of a deletion, in place of after_remove: an id is about to be removed with everything that
// the deletion removes, and (without an id) the deletion is complete.
inline constexpr entity_t before_cascade_remove = before_add + 8;
inline constexpr entity_t after_delete = before_add + 9;

// The pattern of listeners that subscribe to the events a program emits for one entity.
constexpr id_t entity_pattern(entity_t entity) noexcept {
    return entity | id_t{1} << 60;
}

// Bits of event_data::row, which also contains flags of tables. A row call is made only if none of
// the bits is set that its listener excludes (row_call::unless).
enum row_bits : std::uint32_t {
    row_referenced = 1u << 30,     // the entity may have dependents or switched-off ids
    row_without_value = 1u << 31,  // the id has no value
    row_unknown = ~0u,             // the sender does not know: all bits are set
};

// An event: a change of an entity and an id that happened, or is about to happen.
struct event_data {
    world_t* world;
    entity_t event;
    id_t id;          // 0: the event has no id
    entity_t entity;  // 0: the event concerns a table
    void* value;      // of the id, null if it has none
    std::uint32_t value_size = 0;
    std::uint32_t table = 0;  // number of the table, for events about tables
    detail::event_payload payload{};
    // row_bits, and the flags of the tables of the entity before and after the change.
    std::uint32_t row = row_unknown;
};

// A row call: a callback that needs an entity and the entity's own value and nothing else, so that
// it can be called without evaluating a query.
struct row_call {
    void (*call)(void* function, world_t* world, entity_t entity, void* value) = nullptr;
    void* function = nullptr;
    std::uint32_t unless = 0;          // rows with one of these bits need on_event()
    std::uint32_t deletion_epoch = 0;  // of the store when the call was set: its ids were alive
};

// Transient changes are changes that a later command of the same queue undoes. The policy says
// which of them a listener receives.
enum class transient_policy : std::uint8_t {
    ignore,        // none: the listener receives the net effect of a queue
    if_inherited,  // those of entities that share values with others (bases, instances)
    all,
};

// A registered function. The owner keeps the object alive until it is removed from the registry and
// is not being called any more; see registry::release().
struct listener {
    void (*on_event)(listener& me, const event_data& event);
    entity_t entity = 0;  // the observer entity that programs know, 0: a listener of kith itself
    transient_policy transient = transient_policy::ignore;
    // The equivalent of on_event() for most rows, empty if there is none.
    row_call at_once{};

    // `shared`: the changed entity shares values with others. Listeners of kith receive all
    // changes.
    bool wants_transient_changes(bool shared) const noexcept {
        return entity == 0 || transient == transient_policy::all ||
               (shared && transient == transient_policy::if_inherited);
    }
};

// The last calls, for the message about callbacks that cause each other without end.
struct trace {
    struct call {
        entity_t listener;  // the observer; 0: a hook; Monitor: the monitor of a query
        entity_t event;
        id_t id;
        entity_t entity;
    };
    static constexpr std::uint32_t most = 6;

    void note(entity_t listener, const event_data& event) noexcept {
        calls[count++ % most] = {listener, event.event, event.id, event.entity};
    }
    call calls[most];         // a ring: call number n is at n % most
    std::uint32_t count = 0;  // of all calls so far
};

// The base of an object that has ended but may be running: an observer that deletes itself. The
// registry calls release() when no listener is being called.
struct ended {
    void (*release)(ended& me) noexcept;
    ended* next = nullptr;
};

class registry {
public:
    explicit registry(storage::store& data) noexcept : data_(data) {}
    ~registry();
    registry(const registry&) = delete;
    registry& operator=(const registry&) = delete;

    // Subscribes a listener to an event and the ids that a pattern matches; `pattern` 0: to events
    // without an id. A listener may be added for several patterns and is called for each. The
    // result, never 0, identifies the entry for remove(). If add() throws, nothing is subscribed.
    std::uint64_t add(listener& added, entity_t event, id_t pattern);
    // Ends a subscription; does nothing if there is none. With the number from add() the search is
    // logarithmic in the number of listeners of the event and pattern, without it linear.
    void remove(const listener& removed, entity_t event, id_t pattern,
                std::uint64_t number = 0) noexcept;

    // True if a listener is registered for an id that has this element.
    bool names(std::uint32_t element) const noexcept;
    // False if no listener was ever added.
    bool has_any_listener() const noexcept { return !routes_.empty(); }
    // True if the event has listeners, for whatever ids. Requires: the event is builtin.
    bool has_listeners(entity_t event) const noexcept {
        KITH_ASSERT(event >= OnDelete && event <= OnTableDelete, "only builtin events are counted");
        return totals_[event - OnDelete] != 0;
    }
    // Calls all listeners of an event, also after one has failed; then throws the first error.
    void dispatch(const event_data& event);
    // Calls all listeners and keeps the first error in `failed`, unless `failed` holds one already:
    // for callers that cannot stop half way.
    void dispatch_nothrow(const event_data& event, std::exception_ptr& failed) noexcept;
    // dispatch_nothrow(), inline. Its callers include calls.hpp.
    void dispatch_inline(const event_data& event, std::exception_ptr& failed) noexcept;
    // dispatch() for an event that a program emits: listeners of its entity are called as well.
    void dispatch_emitted(const event_data& event);
    // dispatch_transient() calls the listeners that receive transient changes. dispatch_net() calls
    // the other ones, for a change that was held back and turned out to last.
    void dispatch_transient(const event_data& event, bool shared) {
        dispatch_filtered(event, shared, true);
    }
    void dispatch_net(const event_data& event, bool shared) {
        dispatch_filtered(event, shared, false);
    }

    // The limit of calls inside of calls. A listener that emits its own event would never end.
    static constexpr std::uint32_t most_nested = 64;
    // A running call. Frames lie on the stack and form a chain from the innermost call outward.
    struct frame {
        const event_data& what;
        const listener* who;
        const frame* older;
    };
    const frame* innermost() const noexcept { return innermost_; }
    // The scope of a call, for code that calls a listener without dispatching; see calls.hpp.
    class nesting;
    // Calls ended.release() now, or when the outermost running call ends.
    void release(ended& ended) noexcept;
    bool is_calling() const noexcept { return innermost_ != nullptr; }
    // Raises the error about most_nested. Set by mutate/; does not return.
    void (*raise_nested)(const registry& all, const event_data& event) = nullptr;
    // Where calls are recorded, null while nothing is.
    trace* tracing = nullptr;

private:
    struct entry {
        listener* who;  // null: a gap, the listener was removed
        std::uint64_t number;
    };
    // The listeners of an event and a pattern.
    struct list {
        entity_t event;
        id_t pattern;
        containers::vec<entry> entries;  // sorted by number
        std::uint32_t gone = 0;          // gaps among the entries
        bool has_gaps = false;           // half of the entries are gaps: they are to be closed
        list* next_gaps = nullptr;       // in the chain gaps_
    };
    // A cached search: the lists whose patterns match one id, for one event. Most events equal one
    // of the last few in event and id.
    struct route {
        static constexpr std::uint32_t most = 4;  // patterns that match a pair
        entity_t event = 0;                       // 0: the route is unused
        id_t id = 0;
        std::uint32_t count = 0;
        list* lists[most];
    };
    static constexpr std::uint32_t route_bits = 5;
    // A merge of several lists by number.
    struct merge;
    class call_guard;

    // The position plus one of a list in lists_, 0 if there is none.
    std::uint32_t find(entity_t event, id_t pattern) const noexcept;
    list& ensure(entity_t event, id_t pattern);
    static entry* find_entry(list& in, const listener& owner, std::uint64_t number) noexcept;
    void erase(std::uint32_t number) noexcept;
    void close_gaps() noexcept;
    // Closes gaps and releases ended objects. Requires: no listener is being called.
    void tidy() noexcept;
    void forget_routes() noexcept;
    const route& find_route(entity_t event, id_t id) noexcept;
    void fill(route& cached, entity_t event, id_t id) const noexcept;
    void call_all(const event_data& event, std::exception_ptr& failed);
    void call(const list& only, call_guard& guard);
    void call_merged(const route& cached, call_guard& guard);
    void call(merge& listeners, call_guard& guard);
    void dispatch_filtered(const event_data& event, bool shared, bool wants_transient);

    storage::store& data_;
    containers::hash_index by_key_;
    containers::vec<list*> lists_;
    containers::vec<route> routes_;
    std::uint64_t next_number_ = 1;
    const frame* innermost_ = nullptr;
    std::uint32_t nested_ = 0;
    bool untidy_ = false;     // gaps_ or ended_ is set
    list* gaps_ = nullptr;    // lists with many gaps
    ended* ended_ = nullptr;  // objects to be released
    // By event, from OnDelete on.
    std::uint32_t totals_[OnTableDelete - OnDelete + 1] = {};
};

// Updates the event masks of the records that a pattern matches, and the flags of their tables.
// Callers add or remove the subscription first (storage::subscription_counts). Linear in the
// records that the pattern matches, and in the number of tables, because edges are dropped.
void update_event_mask(storage::store& data, id_t pattern) noexcept;

}  // namespace kith::events
