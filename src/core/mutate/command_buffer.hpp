// Deferred commands: an arena of headers with their values behind them, in call order, and for each
// entity the chain of its commands, so that they can be run as one change.
//
// Chains are cut into segments. Within a segment, running one entity's commands ahead of another's
// changes nothing; a command for which that might not hold (deleting something that others refer
// to, changing a property) starts a new one. Chunks never move: pointers to queued values stay
// valid.
//
// Covered by tests/core/mutate/command_buffer_test.cpp.
#pragma once

#include <kith/id.hpp>

#include "containers/vec.hpp"
#include "types/component_type.hpp"

namespace kith::mutate {

enum class command_kind : std::uint8_t {
    place,        // an entity created while deferred gets its row
    add,          // id
    remove,       // id, may be a wildcard
    set,          // id, value; notifies
    emplace,      // as set, but fails if the component is there
    ensure,       // id, value if it was missing; does not notify
    modified,     // id
    clear,        //
    destruct,     //
    clone,        // id: the source
    clone_types,  // as clone, without values
    enable,       // id
    disable,      // id
    remove_all,   // id, no entity
    delete_with,  // id, no entity
};

struct command {
    entity_t entity;
    id_t id;
    const type_info* type;  // of the value, null if there is none
    command* next;          // of the same entity and segment
    command* following;     // in call order
    command_kind kind;
    bool starts_segment;
    bool is_head;    // first of its chain
    bool has_value;  // the value behind the header is alive

    void* value() noexcept;
};

class command_buffer {
public:
    command_buffer() = default;
    command_buffer(const command_buffer&) = delete;
    command_buffer& operator=(const command_buffer&) = delete;

    bool empty() const noexcept { return first_ == nullptr; }
    // Values must have been destroyed.
    void release(containers::memory& mem) noexcept;

    // Reserves a command; nothing is queued until commit(). The value's memory is raw. Nesting (a
    // constructor that queues a command itself) is allowed.
    command* prepare(containers::memory& mem, command_kind kind, entity_t entity, id_t id,
                     const type_info* type);
    void commit(command* prepared) noexcept;

    // In call order, through command::following.
    command* first() const noexcept { return first_; }
    // First command of an entity in the current segment, or null; the others through command::next.
    command* first_of(entity_t entity) const noexcept;
    // Notes that the entity is an element of a queued id.
    void mention(containers::memory& mem, entity_t element);
    // True if a queued id of this segment has the entity as an element.
    bool is_mentioned(entity_t entity) const noexcept;
    // True if running the entity's commands may change what others mean.
    bool is_dangerous(entity_t entity) const noexcept;
    void start_segment() noexcept;

    // Hands over all commands, and starts anew with empty memory that is kept for reuse.
    command* take() noexcept;
    // The commands taken before were run: their memory can be reused.
    void recycle(containers::memory& mem) noexcept;

private:
    struct chunk {
        chunk* next;
        std::size_t size;
    };
    struct chain {
        entity_t entity;
        command* first;
        command* last;
        std::uint32_t segment;
        bool mentioned;
        bool dangerous;
    };
    static constexpr std::size_t chunk_size = 64 * 1024;

    void* take_bytes(containers::memory& mem, std::size_t size, std::size_t alignment);
    chain* find_chain(entity_t entity) const noexcept;
    chain& ensure_chain(containers::memory& mem, entity_t entity);
    void grow_chains(containers::memory& mem);

    chunk* filling_ = nullptr;  // chunks of the commands being queued, newest first
    chunk* running_ = nullptr;  // chunks of the commands that were taken
    chunk* spare_ = nullptr;
    std::byte* at_ = nullptr;
    std::byte* end_ = nullptr;
    command* first_ = nullptr;
    command* last_ = nullptr;
    chain* chains_ = nullptr;  // open addressing; entries of older segments count as empty
    std::uint32_t chain_mask_ = 0;
    std::uint32_t chain_count_ = 0;
    std::uint32_t segment_ = 1;
    bool next_starts_segment_ = true;
};

}  // namespace kith::mutate
