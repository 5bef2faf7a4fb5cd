// The last events of a trace, in a ring of fixed size.
//
// An event is recorded when it ends, with both of its times, so that an event that the ring has
// lost takes no part of another with it. The caller of progress records; workers hand over
// the times of their parts.
//
// Covered by tests/unit/schedule/trace_test.cpp.
#pragma once

#include <kith/detail/assert.hpp>
#include <kith/id.hpp>

#include "trace/stamp.hpp"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace kith::scheduling {

enum class trace_kind : std::uint8_t {
    frame,   // count: its number
    system,  // count: rows, 0: not known
    part,    // part: its number; count: rows
    sync,    // subject: the system in front of which it stands, 0: the end; count: commands
    wait,    // a part waits for its turn
};

// Plain data of fixed size: recording allocates nothing.
struct trace_event {
    trace_kind kind;
    std::uint16_t thread;  // 0: the thread that calls progress
    std::uint32_t part;
    entity_t subject;
    id_t reason;  // of a sync point: the id that is read behind it, 0: another reason
    std::uint64_t count;
    stamp_t begin;
    stamp_t end;
};

// The thread of progress() records, names and reads.
class trace_ring {
public:
    // Requires: capacity > 0.
    explicit trace_ring(std::size_t capacity) : events_(capacity) {
        KITH_ASSERT(capacity > 0, "a ring has room for an event");
    }

    void record(const trace_event& event) noexcept {
        events_[next_] = event;
        next_ = next_ + 1 == events_.size() ? 0 : next_ + 1;
        ++recorded_;
    }

    // The path of a system or id in the text of the trace, which is kept although the entity may be
    // gone by then. A name that is not known yet is asked for by `read`.
    template <class Read>
    void name(std::uint64_t id, Read&& read) {
        if (!names_.contains(id)) {
            remember(id, read());
        }
    }

    std::size_t size() const noexcept {
        return recorded_ < events_.size() ? recorded_ : events_.size();
    }

    // The events as a file for Perfetto and Chrome: parents before children, the intervals of each
    // thread properly nested. Events that the ring has lost are missing without a note.
    std::string json() const;

private:
    void remember(std::uint64_t id, std::string name);
    std::vector<trace_event> sorted() const;

    std::vector<trace_event> events_;
    std::size_t next_ = 0;
    std::size_t recorded_ = 0;  // all, those that were overwritten included
    std::unordered_map<std::uint64_t, std::string> names_;
};

}  // namespace kith::scheduling
