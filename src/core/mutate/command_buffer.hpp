// Deferred commands: an arena of headers with their values behind them, in call order, and for each
// entity the chain of its commands, so that they can be run as one change.
//
// Chains are cut into segments. Within a segment, running one entity's commands ahead of another's
// changes nothing; a command for which that might not hold (deleting something that others refer
// to, changing a property) starts a new one. Commands of one entity that follow each other stay
// together all the same, where they give or take ids: the segment is sealed then for others. Chunks
// never move: pointers to queued values stay valid.
//
// Covered by tests/core/mutate/command_buffer_test.cpp.
#pragma once

#include <kith/id.hpp>

#include "containers/vec.hpp"
#include "mutate/pending_index.hpp"
#include "traits/traits.hpp"
#include "types/component_type.hpp"

#include <new>
#include <utility>

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
    add_list,     // value: queued_ids, id: the first of them
    remove_all,   // id, no entity
    delete_with,  // id, no entity
    emit,         // value: queued_emission, no entity
    shrink,       // no entity
};

// Ids that are added in one step.
struct queued_ids {
    static constexpr std::uint32_t limit = 16;
    id_t ids[limit];
    entity_t targets[limit];  // of those that are pairs
    std::uint32_t count;
};

struct command {
    entity_t entity;
    id_t id;
    const type_info* type;  // of the value, null if there is none
    command* next;          // of the same entity and segment
    command* before;        // of the same entity, in any segment
    command* following;     // in call order
    command_kind kind;
    bool is_head;         // first of its chain
    bool has_value;       // the value behind the header is alive
    bool is_barrier;      // what it does may depend on other entities, or change them
    std::uint32_t order;  // counts calls, so that the first can be told
    // Of the elements of a pair, which does not have them: who else has got an index meanwhile is
    // not meant.
    std::uint16_t generations[2] = {};

    // Behind the header, at the value's alignment.
    void* value() const noexcept {
        auto address = reinterpret_cast<std::uintptr_t>(this + 1);
        std::uintptr_t mask = type->alignment - 1;
        return reinterpret_cast<void*>((address + mask) & ~mask);
    }
    // Running it may change what the commands of others mean.
    bool changes_meaning() const noexcept {
        return kind == command_kind::destruct || kind == command_kind::clear ||
               traits::is_property(id);
    }
};

inline void drop_value(command& queued) noexcept {
    if (queued.has_value && !queued.type->trivial_destroy) {
        types::destroy_values(*queued.type, queued.value(), 1);
    }
    queued.has_value = false;
}

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
                     const type_info* type) {
        if (entity != 0) {
            ensure_page(mem, index_of(entity) >> page_bits);
        }
        std::size_t size = sizeof(command);
        if (type) {
            // Padding for the value: the header lies at any multiple of its own alignment.
            std::size_t padding = type->alignment > alignof(command) ? type->alignment : 0;
            size += (type->size + padding + alignof(command) - 1) & ~(alignof(command) - 1);
        }
        return ::new (take_bytes(mem, size)) command{
            entity, id, type, nullptr, nullptr, nullptr, kind, false, type != nullptr, false, 0};
    }
    void commit(command* prepared) noexcept {
        if (is_sealed() && !is_sealed_for(prepared->entity)) {
            start_segment();
        }
        if (!first_) {
            first_segment_ = segment_;
        }
        (first_ ? last_->following : first_) = prepared;
        last_ = prepared;
        prepared->order = count_++;
        at_segment_start_ = false;
        if (prepared->entity == 0) {
            spans_segments_ |= prepared->kind == command_kind::remove_all;
            return;
        }
        // The page exists since prepare(), but making the value may have started another segment.
        std::uint32_t index = index_of(prepared->entity);
        chain& own = pages_[index >> page_bits][index & (page_size - 1)];
        enter_segment(own);
        own.changes_semantics |= prepared->changes_meaning();
        prepared->is_head = !own.first;
        prepared->before = own.latest;
        spans_segments_ |= prepared->is_head && own.latest;
        (own.first ? own.last->next : own.first) = prepared;
        own.last = own.latest = prepared;
    }

    // In call order, through command::following.
    command* first() const noexcept { return first_; }
    // First command of an entity in the current segment, or null; the others through command::next.
    command* first_of(entity_t entity) const noexcept;
    // Last command of an entity in any segment, or null; the others through command::before.
    command* last_of(entity_t entity) const noexcept;
    // What the commands have made of the ids of entities.
    const pending_index& index_pending(storage::store& data) {
        pending_.catch_up(data, first_);
        return pending_;
    }
    // Notes that the entity is an element of a queued id.
    void note_reference(containers::memory& mem, entity_t element);
    // True if a queued id of this segment has the entity as an element.
    bool is_named_by_queue(entity_t entity) const noexcept;
    // True if running the entity's commands may change what others mean.
    bool changes_semantics(entity_t entity) const noexcept;
    void start_segment() noexcept;
    // Reserves the open segment for the entity: a barrier command may depend on other entities or
    // change them, so commands of other entities start the next segment.
    void seal_segment(entity_t entity) noexcept { sealed_for_ = entity; }
    bool is_sealed() const noexcept { return sealed_for_ != 0; }
    bool is_sealed_for(entity_t entity) const noexcept {
        return is_sealed() && sealed_for_ == entity;
    }
    // The next command gives the entity a link. Links are kept in the order in which they come:
    // this one must not come ahead, with earlier commands of its entity, of those queued before.
    void order_link(entity_t entity) noexcept;

    // No command was queued in an earlier segment.
    bool is_one_segment() const noexcept { return !first_ || segment_ == first_segment_; }
    void swap(command_buffer& other) noexcept;
    // Things changed since commands were queued that may make them depend on each other: they are
    // to be run one by one, in call order.
    void require_sequential() noexcept { sequential_ = !empty(); }
    bool is_sequential() const noexcept { return sequential_; }
    // An entity has commands in several segments, or there is one for more than its entity.
    bool spans_segments() const noexcept { return spans_segments_; }
    // A queued command gives an entity a base.
    void note_base() noexcept { has_bases_ = true; }
    bool has_bases() const noexcept { return has_bases_; }
    // A queued command changes both sides of a symmetric pair, and somebody listens to that.
    void note_symmetric() noexcept { has_sides_ = spans_segments_ = true; }
    bool has_sides() const noexcept { return has_sides_; }

    // Hands over all commands, and starts anew with empty memory that is kept for reuse.
    command* take() noexcept;
    // The commands taken before were run: their memory can be reused.
    void recycle(containers::memory& mem) noexcept;

private:
    struct chunk {
        chunk* next;
        std::size_t size;
    };
    // The commands of one entity in the current segment. Entries of older segments count as empty.
    struct chain {
        command* first = nullptr;
        command* last = nullptr;
        command* latest = nullptr;  // in any segment of what is queued now
        std::uint32_t segment = 0;
        bool referenced = false;
        bool changes_semantics = false;
    };
    static constexpr std::uint32_t page_bits = 10;
    static constexpr std::uint32_t page_size = 1u << page_bits;
    static constexpr std::size_t chunk_size = 64 * 1024;

    // Sizes are multiples of a command's alignment.
    void* take_bytes(containers::memory& mem, std::size_t size) {
        if (static_cast<std::size_t>(end_ - at_) < size) [[unlikely]] {
            return take_chunk(mem, size);
        }
        return std::exchange(at_, at_ + size);
    }
    void* take_chunk(containers::memory& mem, std::size_t size);
    // Null if the entity has no entry in this segment.
    chain* find_chain(entity_t entity) const noexcept {
        std::uint32_t page = index_of(entity) >> page_bits;
        if (page >= pages_.size() || !pages_[page]) {
            return nullptr;
        }
        chain& commands = pages_[page][index_of(entity) & (page_size - 1)];
        return commands.segment == segment_ ? &commands : nullptr;
    }
    chain& ensure_chain(containers::memory& mem, entity_t entity) {
        std::uint32_t page = index_of(entity) >> page_bits;
        ensure_page(mem, page);
        chain& own = pages_[page][index_of(entity) & (page_size - 1)];
        enter_segment(own);
        return own;
    }
    bool is_queued(const chain& own) const noexcept {
        return first_ && own.segment >= first_segment_;
    }
    void enter_segment(chain& own) const noexcept {
        if (own.segment != segment_) {
            own = {nullptr, nullptr, is_queued(own) ? own.latest : nullptr, segment_, false, false};
        }
    }
    void ensure_page(containers::memory& mem, std::uint32_t page) {
        if (page >= pages_.size() || !pages_[page]) [[unlikely]] {
            make_page(mem, page);
        }
    }
    void make_page(containers::memory& mem, std::uint32_t page);

    chunk* filling_ = nullptr;  // chunks of the commands being queued, newest first
    chunk* running_ = nullptr;  // chunks of the commands that were taken
    chunk* spare_ = nullptr;
    std::byte* at_ = nullptr;
    std::byte* end_ = nullptr;
    command* first_ = nullptr;
    command* last_ = nullptr;
    containers::vec<chain*> pages_;  // by entity index
    pending_index pending_;
    std::uint32_t segment_ = 1;
    std::uint32_t first_segment_ = 1;  // of the first command
    std::uint32_t count_ = 0;          // commands queued ever
    // The last chain of the segment with a link: the order of its first command.
    std::uint32_t last_link_ = 0;
    std::uint32_t last_link_segment_ = 0;
    entity_t sealed_for_ = 0;       // whose commands alone the segment takes, 0: those of all
    bool at_segment_start_ = true;  // nothing was queued in this segment yet
    bool sequential_ = false;
    bool has_bases_ = false;
    bool has_sides_ = false;
    bool spans_segments_ = false;
};

}  // namespace kith::mutate
