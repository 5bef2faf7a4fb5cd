// Who listens to what: from an event and a pattern of ids to listeners, which are called in the
// order in which they came. Listeners may come and go while one of them is called: those that come
// are called the next time, those that go are not called any more.
//
// Covered by tests/core/events/registry_test.cpp.
#pragma once

#include <kith/detail/event_layout.hpp>

#include "storage/store.hpp"

#include <exception>

namespace kith::events {

// Events that kith itself listens to, beside those that programs know.
inline constexpr entity_t before_add = id_t{1} << 60;
inline constexpr entity_t after_remove = before_add + 1;
inline constexpr entity_t before_toggle = before_add + 2;  // is switched on or off, then
// About entities, with themselves as the id. Of those that nobody refers to, and of new ones, it is
// told in worlds that are watched (mode_entity_events).
inline constexpr entity_t before_delete = before_add + 3;
inline constexpr entity_t created = before_add + 4;
// A new entity is about to be taken back: it could not be completed.
inline constexpr entity_t create_rolled_back = before_add + 5;
// Several entities are about to end, or to lose an id, in one operation. About no id; the value is
// a departure. Each is told of by itself, too.
inline constexpr entity_t before_bulk_removal = before_add + 6;
struct bulk_removal {
    const entity_t* entities;
    std::uint32_t count;
    id_t id;  // that they lose; 0: they end
};
// Behind OnAdd, for pairs: for those who tell of values that are seen through them.
inline constexpr entity_t after_add = before_add + 7;

// A deletion is about to take the id, with all else that goes by it; and it is complete (about no
// id). In place of after_remove.
inline constexpr entity_t before_cascade_remove = before_add + 8;
inline constexpr entity_t after_delete = before_add + 9;

// Listeners to what is emitted for one entity have this pattern.
constexpr id_t entity_pattern(entity_t entity) noexcept {
    return entity | id_t{1} << 60;
}

// Beside the flags of its table, what a row is for those who are called without being asked.
enum row_bits : std::uint32_t {
    row_referenced = 1u << 30,     // others may see what it has, or something is switched off
    row_without_value = 1u << 31,  // the id has none
    row_unknown = ~0u,
};

// Something that happened to an entity, or is about to.
struct event_data {
    world_t* world;
    entity_t event;
    id_t id;          // 0: the event is about no id
    entity_t entity;  // 0: it is about a table
    void* value;      // of the id, null if it has none
    std::uint32_t value_size = 0;
    std::uint32_t table = 0;
    detail::event_payload payload{};
    // row_bits, and the flags of the tables that the entity is in, before and after.
    std::uint32_t row = row_unknown;
};

// A callback that needs an entity and its own value, and nothing else.
struct row_call {
    void (*call)(void* function, world_t* world, entity_t entity, void* value) = nullptr;
    void* function = nullptr;
    std::uint32_t unless = 0;          // rows that have one of these bits
    std::uint32_t deletion_epoch = 0;  // as long as there were no more, what it is about is alive
};

// Of changes that a queue of commands makes and takes back, a listener hears
enum class transient_policy : std::uint8_t {
    ignore,        // nothing
    if_inherited,  // all, if entities see through each other what they have (bases, instances)
    all,
};

struct listener {
    void (*on_event)(listener& me, const event_data& event);
    entity_t entity = 0;  // by which programs know it, 0: it is part of kith
    transient_policy transient = transient_policy::ignore;
    // What on_event() would do for most rows, if it is known.
    row_call at_once{};

    bool wants_transient_changes(bool shared) const noexcept {
        return entity == 0 || transient == transient_policy::all ||
               (shared && transient == transient_policy::if_inherited);
    }
};

// The calls that were made last, for messages about chains that do not end.
struct trace {
    struct call {
        entity_t listener;  // 0: a hook; Monitor: one of a query
        entity_t event;
        id_t id;
        entity_t entity;
    };
    static constexpr std::uint32_t most = 6;

    void note(entity_t listener, const event_data& event) noexcept {
        calls[count++ % most] = {listener, event.event, event.id, event.entity};
    }
    call calls[most];
    std::uint32_t count = 0;
};

// Something that has ended, but may be running.
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

    // `pattern` 0: events about no id. The same listener may be added for several patterns, and is
    // called for each. The result is the number by which it is found again; never 0.
    std::uint64_t add(listener& added, entity_t event, id_t pattern);
    // Without a number, all listeners to the same are searched.
    void remove(const listener& removed, entity_t event, id_t pattern,
                std::uint64_t number = 0) noexcept;

    // True if a listener is registered for an id that has this element.
    bool names(std::uint32_t element) const noexcept;
    // True if somebody listens to anything, or did.
    bool has_any_listener() const noexcept { return !routes_.empty(); }
    // True if somebody listens to the builtin event at all.
    bool has_listeners(entity_t event) const noexcept { return totals_[event - OnDelete] != 0; }
    // All are told, also after one has failed; then its error is thrown.
    void dispatch(const event_data& event);
    // The same for those who go on: the error is kept, unless there is one already.
    void dispatch_nothrow(const event_data& event, std::exception_ptr& failed) noexcept;
    // The same, in line.
    void dispatch_inline(const event_data& event, std::exception_ptr& failed) noexcept;
    // The same as dispatch(), and those who listen to the entity.
    void dispatch_emitted(const event_data& event);
    // What happened does not last: only those are told who hear of it all the same; or what was
    // held back is told after all, to the others.
    void dispatch_transient(const event_data& event, bool shared) {
        dispatch_filtered(event, shared, true);
    }
    void dispatch_net(const event_data& event, bool shared) {
        dispatch_filtered(event, shared, false);
    }

    // Calls inside of calls: a listener that emits what it listens to would never end.
    static constexpr std::uint32_t most_nested = 64;
    struct frame {
        const event_data& what;
        const listener* who;
        const frame* older;
    };
    const frame* innermost() const noexcept { return innermost_; }
    // One such call, for those who call a listener themselves; see calls.hpp.
    class nesting;
    // Releases what is no listener any more, when none is being called.
    void release(ended& ended) noexcept;
    bool is_calling() const noexcept { return innermost_ != nullptr; }
    // Says so; must throw.
    void (*raise_nested)(const registry& all, const event_data& event) = nullptr;
    // Null: nobody wants to know.
    trace* tracing = nullptr;

private:
    struct entry {
        listener* who;  // null: it has gone
        std::uint64_t number;
    };
    struct list {
        entity_t event;
        id_t pattern;
        containers::vec<entry> entries;  // by number
        std::uint32_t gone = 0;
        bool has_gaps = false;  // too many: they are to be closed
        list* next_gaps = nullptr;
    };
    // The lists for one event and id. Remembered: most events are like one that was just there.
    struct route {
        static constexpr std::uint32_t most = 4;
        entity_t event = 0;
        id_t id = 0;
        std::uint32_t count = 0;
        list* lists[most];
    };
    static constexpr std::uint32_t route_bits = 5;
    // In which calls go forward side by side.
    struct merge;
    class call_guard;

    std::uint32_t find(entity_t event, id_t pattern) const noexcept;
    list& ensure(entity_t event, id_t pattern);
    static entry* find_entry(list& in, const listener& who, std::uint64_t number) noexcept;
    void erase(std::uint32_t number) noexcept;
    void close_gaps() noexcept;
    void tidy() noexcept;
    void forget_routes() noexcept;
    const route& find_route(entity_t event, id_t id) noexcept;
    void fill(route& way, entity_t event, id_t id) const noexcept;
    void call_all(const event_data& event, std::exception_ptr& failed);
    void call(const list& only, call_guard& guard);
    void call_merged(const route& way, call_guard& guard);
    void call(merge& listeners, call_guard& guard);
    void dispatch_filtered(const event_data& event, bool shared, bool wants_transient);

    storage::store& data_;
    containers::hash_index by_key_;
    containers::vec<list*> lists_;
    containers::vec<route> routes_;
    std::uint64_t next_number_ = 1;
    const frame* innermost_ = nullptr;
    std::uint32_t nested_ = 0;
    bool untidy_ = false;                                      // one of the following is set
    list* gaps_ = nullptr;                                     // lists in which many are gone
    ended* ended_ = nullptr;                                   // to be released
    std::uint32_t totals_[OnTableDelete - OnDelete + 1] = {};  // listeners to each builtin event
};

// Records and tables know what is heard of their ids; to be called when that changes for a pattern.
void update_event_mask(storage::store& data, id_t pattern) noexcept;

}  // namespace kith::events
