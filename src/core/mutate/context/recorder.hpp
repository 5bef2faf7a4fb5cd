// A recorder: a stage that only records commands, without a change of anything that other threads
// read. One thread uses a recorder at a time. link.hpp moves recorded commands into the queue of
// the main stage, in the order of parts; so parts of a frame can run on several threads.
//
// Invariants
// 1. `mode` has mode_deferred while the recorder records; `queue.depth` is at least 1 then.
// 2. All memory of a recorder comes from `own`, so that recording never uses the world's memory.
// 3. `latest` has the last command of each entity of the part, if `indexed` is set.
//
// recorder.cpp implements redirect() of stage.hpp.
//
// Covered by tests/unit/mutate/recorder_test.cpp.
#pragma once

#include <kith/detail/mutex.hpp>

#include "mutate/context/command_arena.hpp"
#include "mutate/context/pending_index.hpp"
#include "mutate/context/stage.hpp"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace kith::detail {
class access_guard;
}  // namespace kith::detail

namespace kith::mutate {

struct recorder;

// New ids of a part: those that were set aside, then those that `more` gives.
struct id_deck {
    const entity_t* next = nullptr;
    const entity_t* end = nullptr;
    // Called when the deck is used up. Returns a live entity.
    entity_t (*more)(void* context) = nullptr;
    void* context = nullptr;
};

// The commands of one part, in call order.
struct command_list {
    command* first = nullptr;
    command* last = nullptr;
    std::uint32_t count = 0;
    std::uint32_t revived = 0;  // entities that the part has taken from its deck
    std::uint32_t created = 0;  // entities of the part, with those of the deck
};

// Names that the running part has given, for lookups in this part.
class recorded_names {
public:
    void add(std::uint32_t parent, std::string_view text, entity_t entity);
    // The first entity that was given the name, which keeps the name when the part is linked; 0:
    // none.
    entity_t find(std::uint32_t parent, std::string_view text) const;
    // The entity gets another parent.
    void move(entity_t entity, std::uint32_t parent);
    // The entity loses the id: its name moves to the root if the id is about its parent.
    void leave(entity_t entity, id_t removed);
    void clear() noexcept;

private:
    struct entry {
        std::uint32_t parent;
        std::string_view text;  // lies in the arena of the recorder
        entity_t entity;
    };
    static std::uint64_t hash_of(std::uint32_t parent, std::string_view text) noexcept;

    std::vector<entry> entries_;
    std::unordered_multimap<std::uint64_t, std::uint32_t> by_name_;  // positions in entries_
    std::unordered_map<entity_t, std::uint32_t> by_entity_;          // the newest entry
};

// The caller of a recorder: decides about operations that need more than the queue.
enum class recorder_use : std::uint8_t {
    part,   // a part of a frame
    first,  // stage 0 of a world, between readonly_begin() and readonly_end()
    stage,  // another stage of a world
    async,  // an asynchronous stage: the world may change while commands are recorded
};

// A recorder runs through begin(), operations, end(), linking by the main thread, and recycle(),
// over and over. The handles of the world lead to it by `current`, see redirect().
struct recorder : stage {
    recorder(stage& world, recorder_use used_for);
    ~recorder();

    // The recorder of the part that runs on this thread, null if there is none.
    static thread_local recorder* current;

    // Begins to record. `ids` are the new ids.
    void begin(const id_deck& ids) noexcept;
    // Ends the part: closes open scopes and levels of deferring, returns the commands. The commands
    // are valid until recycle().
    command_list end() noexcept;
    // True if a scope, `with` or a level of deferring is open.
    bool has_open_scopes() const noexcept;
    // Drops the commands of the part.
    void drop() noexcept;
    // Sets the memory of recorded commands apart, and makes it available again. Requires, for
    // recycle(): the commands have run or were dropped.
    void retire() noexcept { arena.retire(); }
    void recycle() noexcept { arena.recycle(own); }

    // A new live entity. Throws [limit] if the deck is used up and has no function for more.
    entity_t take_id();
    // Allocates a command; the memory of its value is raw.
    command* make(command_kind kind, entity_t entity, id_t id, const type_info* type);
    // Appends a command of make() whose value was constructed. The commands of a part run in the
    // order of these calls.
    void append(command* made) noexcept;
    // The last command of the entity in this part, null if there is none; `before` links the
    // others.
    const command* last_of(entity_t entity);

    const recorder_use use;
    containers::memory own;
    command_arena arena;
    command_list commands;
    id_deck deck;
    const detail::access_guard* guard = nullptr;  // of the running part
    recorded_names given_names;
    pending_index pending;
    bool indexed = false;
    std::unordered_map<entity_t, command*> latest;
    detail::recursive_mutex* lock = nullptr;  // of asynchronous stages: recording against merging
};

// Makes the recorder that of this thread for a scope. Scopes nest.
class recording_scope {
public:
    explicit recording_scope(recorder& used) noexcept : outer_(recorder::current) {
        recorder::current = &used;
    }
    ~recording_scope() { recorder::current = outer_; }
    recording_scope(const recording_scope&) = delete;
    recording_scope& operator=(const recording_scope&) = delete;

private:
    recorder* outer_;
};

// True if commands of the stage are recorded, or may not be queued by this thread.
inline bool is_recorded(const stage& world) noexcept {
    return (world.mode & (detail::mode_recording | detail::mode_redirected)) != 0;
}
// The recorder behind a stage for which is_recorded() holds. Throws on a thread that runs no part.
recorder& recorder_of(stage& world);
const recorder& recorder_of(const stage& world);
// The memory for lists of the stage's own.
inline containers::memory& memory_of(stage& world) {
    return is_recorded(world) ? recorder_of(world).own : world.data.mem;
}
// Throws if the stage records commands, because the call changes the world at once.
void check_not_recording(const stage& world, const char* call);

}  // namespace kith::mutate
