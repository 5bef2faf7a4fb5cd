// The queue of deferred commands: command headers in an arena, each followed by its value, in call
// order; and for each entity the chain of its commands, so that flush() can run them as one change.
//
// The queue is cut into segments. Within a segment, the commands of one entity may run ahead of the
// commands of other entities without a difference in the result. A barrier command, for which that
// may not hold (it deletes an entity that others refer to, or changes a property), starts a new
// segment. Successive barriers of one entity that add or remove ids share a segment, which is
// sealed for the commands of other entities.
//
// Invariants
// 1. `following` links all commands from `first_` to `last_` in call order; `order` grows along it.
// 2. A chain links the commands of one entity in one segment by `next`; `before` links all queued
//    commands of the entity backwards through all segments.
// 3. An entry of `pages_` whose `segment` is not the current one counts as empty, except for
//    `latest`, which is valid while its segment is not older than `first_segment_`.
// 4. A command is part of the queue only after commit(); memory of commands that were prepared and
//    not committed is reused with their chunk.
//
// Covered by tests/unit/mutate/command_buffer_test.cpp.
#pragma once

#include <kith/id.hpp>

#include "base/assert.hpp"
#include "containers/vec.hpp"
#include "mutate/context/command.hpp"
#include "mutate/context/command_arena.hpp"
#include "mutate/context/pending_index.hpp"

#include <new>
#include <utility>

namespace kith::mutate {

class command_buffer {
public:
    command_buffer() = default;
    command_buffer(const command_buffer&) = delete;
    command_buffer& operator=(const command_buffer&) = delete;

    bool empty() const noexcept { return first_ == nullptr; }
    // Gives back all memory. Requires: the values of queued commands were destroyed.
    void release(containers::memory& mem) noexcept;

    // Allocates a command, which is not queued until commit(). The memory of the value is raw.
    // Calls may nest: a constructor of a value may queue commands itself.
    command* prepare(containers::memory& mem, command_kind kind, entity_t entity, id_t id,
                     const type_info* type) {
        if (entity != 0) {
            ensure_page(mem, index_of(entity) >> page_bits);
        }
        return arena_.make(mem, kind, entity, id, type);
    }
    // The short form of prepare() and commit(), for a command that affects its entity alone and
    // whose value is bytes. Returns the place of the value, which the caller writes at once; null
    // if the long form is needed.
    void* try_append(command_kind kind, entity_t entity, id_t id, const type_info& type) noexcept {
        const std::uint32_t page = index_of(entity) >> page_bits;
        command* made = is_sealed() || page >= pages_.size() || !pages_[page]
                            ? nullptr
                            : arena_.try_make(kind, entity, id, type);
        if (!made) [[unlikely]] {
            return nullptr;
        }
        commit(made);
        return made + 1;
    }
    // Makes room for commit() of a command that was allocated elsewhere. Its memory must be valid
    // until the command has run.
    void prepare_recorded(containers::memory& mem, const command& recorded) {
        if (recorded.entity != 0) {
            ensure_page(mem, index_of(recorded.entity) >> page_bits);
        }
    }
    // Appends a prepared command to the queue and to the chain of its entity. Requires: the value
    // was constructed.
    [[gnu::always_inline]] void commit(command* prepared) noexcept {
        KITH_ASSERT(!prepared->following && !prepared->next, "a command is committed once");
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
        // The page exists since prepare(), but constructing the value may have started another
        // segment.
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

    // The order that the next command will get.
    std::uint32_t next_order() const noexcept { return count_; }
    // The first command in call order, null if the queue is empty.
    command* first() const noexcept { return first_; }
    // The first command of an entity in the current segment, or null.
    command* first_of(entity_t entity) const noexcept;
    // The last command of an entity in any segment, or null.
    command* last_of(entity_t entity) const noexcept;
    // The index of pending ids, brought up to date with the queue.
    const pending_index& index_pending(storage::store& data) {
        pending_.catch_up(data.mem, data, first_);
        return pending_;
    }
    // Notes that the entity is an element of a queued id in the current segment.
    void note_reference(containers::memory& mem, entity_t element);
    // True if a queued id of the current segment has the entity as an element.
    bool is_named_by_queue(entity_t entity) const noexcept;
    // True if running the commands of the entity may change the meaning of other commands.
    bool changes_semantics(entity_t entity) const noexcept;
    // Commands queued from here on form a new segment. Does nothing if the segment is empty.
    void start_segment() noexcept;
    // Reserves the current segment for one entity: a barrier command may depend on other entities
    // or change them, so commands of other entities start the next segment.
    void seal_segment(entity_t entity) noexcept { sealed_for_ = entity; }
    bool is_sealed() const noexcept { return sealed_for_ != 0; }
    bool is_sealed_for(entity_t entity) const noexcept {
        return is_sealed() && sealed_for_ == entity;
    }
    // Called before a command that gives the entity a link. Links are stored in the order of their
    // commands: if running the entity's chain would put this link ahead of earlier links of others,
    // a new segment starts.
    void order_link(entity_t entity) noexcept;

    // True if all queued commands are in the current segment.
    bool is_one_segment() const noexcept { return !first_ || segment_ == first_segment_; }
    void swap(command_buffer& other) noexcept;
    // The queue must run one by one in call order, because a change since the commands were queued
    // may make them depend on each other.
    void require_sequential() noexcept { sequential_ = !empty(); }
    bool is_sequential() const noexcept { return sequential_; }
    // True if an entity has commands in several segments, or a command concerns several entities.
    bool spans_segments() const noexcept { return spans_segments_; }
    // A queued command gives an entity a base.
    void note_base() noexcept { has_bases_ = true; }
    bool has_bases() const noexcept { return has_bases_; }
    // A queued command changes both sides of a symmetric pair, and the pair has listeners.
    void note_symmetric() noexcept { has_sides_ = spans_segments_ = true; }
    bool has_sides() const noexcept { return has_sides_; }
    // A queued command may make other entities prefabs, and Prefab has listeners.
    void note_prefabs() noexcept { spans_segments_ = true; }

    // Returns all commands and empties the queue. The commands stay valid until recycle().
    command* take() noexcept;
    // Makes the memory of taken commands available again. Requires: their values were destroyed.
    void recycle(containers::memory& mem) noexcept;

private:
    // The commands of one entity in the current segment.
    struct chain {
        command* first = nullptr;
        command* last = nullptr;
        command* latest = nullptr;  // last command in any segment of the queue
        std::uint32_t segment = 0;  // segment that the other fields are about
        bool referenced = false;    // element of a queued id
        bool changes_semantics = false;
    };
    static constexpr std::uint32_t page_bits = 10;
    static constexpr std::uint32_t page_size = 1u << page_bits;

    // The entry of the entity, null if it has none in the current segment.
    chain* find_chain(entity_t entity) const noexcept {
        std::uint32_t page = index_of(entity) >> page_bits;
        if (page >= pages_.size() || !pages_[page]) {
            return nullptr;
        }
        chain& commands = pages_[page][index_of(entity) & (page_size - 1)];
        return commands.segment == segment_ ? &commands : nullptr;
    }
    // The entry of the entity in the current segment, made if it is missing.
    chain& ensure_chain(containers::memory& mem, entity_t entity) {
        std::uint32_t page = index_of(entity) >> page_bits;
        ensure_page(mem, page);
        chain& own = pages_[page][index_of(entity) & (page_size - 1)];
        enter_segment(own);
        return own;
    }
    // True if the entry is about commands of this queue, not about commands that were taken.
    bool is_queued(const chain& own) const noexcept {
        return first_ && own.segment >= first_segment_;
    }
    // Resets an entry of an older segment.
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

    command_arena arena_;
    command* first_ = nullptr;
    command* last_ = nullptr;
    containers::vec<chain*> pages_;  // by entity index; null: no entry of the page was used
    pending_index pending_;
    std::uint32_t segment_ = 1;
    std::uint32_t first_segment_ = 1;  // segment of the first command
    std::uint32_t count_ = 0;          // commands queued ever; the order of the next one
    // The highest order of a first command among the chains with links, valid for
    // `last_link_segment_`.
    std::uint32_t last_link_ = 0;
    std::uint32_t last_link_segment_ = 0;
    entity_t sealed_for_ = 0;       // the segment takes commands of this entity alone, 0: of all
    bool at_segment_start_ = true;  // the current segment is empty
    bool sequential_ = false;
    bool has_bases_ = false;
    bool has_sides_ = false;
    bool spans_segments_ = false;
};

}  // namespace kith::mutate
