// Who listens to what: from an event and a pattern of ids to listeners, which are called in the
// order in which they came. Listeners may come and go while one of them is called: those that come
// are called the next time, those that go are not called any more.
//
// Covered by tests/core/events/registry_test.cpp.
#pragma once

#include "storage/store.hpp"

namespace kith::events {

// Events that kith itself listens to, beside those that programs know.
inline constexpr entity_t before_add = id_t{1} << 60;
inline constexpr entity_t after_remove = before_add + 1;
inline constexpr entity_t before_toggle = before_add + 2;  // is switched on or off, then
// About entities, with themselves as the id. Of those that nobody refers to, and of new ones, it is
// told in worlds that are watched (mode_watched).
inline constexpr entity_t before_end = before_add + 3;
inline constexpr entity_t created = before_add + 4;
// A new entity is about to be taken back: it could not be completed.
inline constexpr entity_t discarded = before_add + 5;

// Something that happened to an entity, or is about to.
struct occurrence {
    world_t* world;
    entity_t event;
    id_t id;  // 0: the event is about no id
    entity_t entity;
    void* value;  // of the id, null if it has none
};

struct listener {
    void (*hear)(listener& me, const occurrence& what);
};

class registry {
public:
    explicit registry(storage::store& data) noexcept : data_(data) {}
    ~registry();
    registry(const registry&) = delete;
    registry& operator=(const registry&) = delete;

    // `pattern` 0: events about no id. The same listener may be added for several patterns, and is
    // called for each.
    void add(listener& added, entity_t event, id_t pattern);
    void remove(const listener& removed, entity_t event, id_t pattern) noexcept;

    // True if somebody may be interested.
    bool hears(entity_t event, id_t id) const noexcept;
    void tell(const occurrence& what);

private:
    struct entry {
        listener* who;  // null: it has gone
        std::uint64_t number;
    };
    struct list {
        entity_t event;
        id_t pattern;
        containers::vec<entry> entries;
        std::uint32_t gone = 0;
    };
    // The lists for one id, in which calls go forward side by side.
    struct merge;

    std::uint32_t find(entity_t event, id_t pattern) const noexcept;
    list& ensure(entity_t event, id_t pattern);
    void close_gaps() noexcept;

    storage::store& data_;
    containers::flat_index by_key_;
    containers::vec<list*> lists_;
    std::uint64_t next_number_ = 1;
    std::uint32_t calling_ = 0;
    bool has_gaps_ = false;
};

// Records and tables know what is heard of their ids; to be called when that changes for a pattern.
void refresh_heard(storage::store& data, id_t pattern) noexcept;

}  // namespace kith::events
