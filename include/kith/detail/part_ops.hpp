// The functions by which parts of a frame run on several threads: recorders, which queue changes
// without touching the world; the ids of new entities; and linking recorded changes into the queue
// of the world, in order. Compiled; not part of <kith/kith.hpp>.
#pragma once

#include <kith/detail/layout.hpp>
#include <kith/detail/query_layout.hpp>

#include <exception>

namespace kith::mutate {
struct recorder;
struct command;
}  // namespace kith::mutate

namespace kith::detail {

// New ids of a part: first those of [next, end), which set_aside_ids() gave, then those of `more`.
struct part_ids {
    const entity_t* next = nullptr;
    const entity_t* end = nullptr;
    // Returns a live entity; see create_id().
    entity_t (*more)(void* context) = nullptr;
    void* context = nullptr;
};

// The changes that a part has recorded.
struct part_changes {
    mutate::command* first = nullptr;
    mutate::command* last = nullptr;
    std::uint32_t count = 0;
    std::uint32_t revived = 0;  // ids of the deck that were used
    std::uint32_t created = 0;  // new entities, those of the deck included
};

// The access that a part may have. Asked in builds with KITH_ASSERTS; throws [undeclared_access].
class access_guard {
public:
    enum class kind : std::uint8_t {
        test,   // whether an entity has the id, or which targets
        read,   // a value
        write,  // a value in place
    };
    // `entity` 0: any entity.
    virtual void check(entity_t entity, id_t id, kind wanted) const = 0;
    // A run of a query.
    virtual void check_query(const query_head* query) const = 0;

protected:
    ~access_guard() = default;
};
// The guard of the part that the stage records; null: nothing is checked. Ends with the part.
void set_access_guard(world_t* stage, const access_guard* guard) noexcept;
// Checks a run of a query in the part that runs on this thread, if there is one.
void check_query_access(const world_t* stage, const query_head* query);

// A recorder for one thread at a time. Made and ended by the thread of the world.
mutate::recorder* make_recorder(world_t* world);
void end_recorder(mutate::recorder* used) noexcept;
// Makes the memory of changes available again. Requires: they were linked, and the queue has run.
void recycle_recorder(mutate::recorder* used) noexcept;

// Handles of the world record while parts run, each into the part of its thread. Requires: the
// world is deferred.
void begin_parts(world_t* world) noexcept;
void end_parts(world_t* world) noexcept;

// A part that runs on this thread: operations go to its recorder. finish() ends it and returns the
// changes; if the callback throws, they are kept as far as they got.
class part_scope {
public:
    part_scope(mutate::recorder* used, const part_ids& ids) noexcept;
    ~part_scope();
    part_scope(const part_scope&) = delete;
    part_scope& operator=(const part_scope&) = delete;
    // Closes scopes and levels of deferring that the part has left open.
    part_changes finish() noexcept;
    // True if finish() will close something.
    bool has_open_scopes() const noexcept;
    // The stage that records the part.
    world_t* stage() const noexcept;

private:
    mutate::recorder* used_;
    mutate::recorder* outer_;
};

// Appends the changes of a part to the queue of the world. Returns the number of changes that were
// refused; `first` gets the first error if it is null. Requires: no part runs.
std::uint32_t link_part(world_t* world, const part_changes& changes, std::exception_ptr& first);

// Sets ids aside for a part, gives back those that were not used.
void set_aside_ids(world_t* world, std::uint32_t count, entity_t* out);
void give_back_ids(world_t* world, const entity_t* ids, std::uint32_t count) noexcept;
// Makes room for ids that parts take in turn.
void reserve_id_pages(world_t* world, std::uint32_t count);
// True if create_id() does not move what other threads read.
bool has_page_for_next_id(const world_t* world) noexcept;
// A new live entity, which is counted when its part is linked. Requires: no other thread creates
// entities.
entity_t create_id(world_t* world);

// The number of commands that wait in the queue of the world.
std::uint32_t queued_count(const world_t* world) noexcept;

// A frame runs: actions of run_post_frame() wait. The end calls them; an action that fails is
// reported by the log.
void begin_frame_actions(world_t* world);
void run_frame_actions(world_t* world) noexcept;

}  // namespace kith::detail
