// Results of queries as kith_iter_t shows them.
#pragma once

#include <kith/detail/system_layout.hpp>
#include <kith/query.hpp>

#include "boundary.hpp"

namespace kith::capi {

// Writes a result to the members of an iterator.
KITH_ALWAYS_INLINE void show(kith_iter_t& it, const world_t* world,
                             const detail::result& found) noexcept {
    it.entities = found.entities;
    it.fields = reinterpret_cast<const kith_field_t*>(found.fields);
    it.count = static_cast<std::int32_t>(found.count);
    it.field_count = static_cast<std::int32_t>(found.field_count);
    it.table =
        found.table ? reinterpret_cast<kith_table_t*>(world->store->shapes[found.table]) : nullptr;
    it.offset = static_cast<std::int32_t>(found.first_row);
    it.group_id = found.group;
    it.variables = found.variables;
}

// The run of an iterator that has shown no result yet, for functions that read all of them. Throws
// if there is none.
iter_iterable<>& whole_run(const kith_iter_t* it, const char* function);

// Marks iterators of callbacks, which are no runs: kith_iter_t::reserved[3].
inline constexpr std::uint64_t is_callback = 1;
// Marks iterators of the function `run` of a system, which step through its results.
inline constexpr std::uint64_t is_system_run = 2;

// The results of a run of a system whose function `run` steps by itself. The runs of a thread form
// a chain, by which an iterator that outlives its run is recognized.
class system_steps {
public:
    system_steps(detail::row_feed& feed, kith_iter_action_t callback) noexcept;
    ~system_steps();
    system_steps(const system_steps&) = delete;
    system_steps& operator=(const system_steps&) = delete;

    // Makes the iterator one of this run.
    void mark(kith_iter_t& it) const noexcept;
    // Shows the next result; false at the end.
    bool next(kith_iter_t& it);
    // May be null.
    kith_iter_action_t inner() const noexcept { return callback_; }

    // The run of an iterator. Throws if the run has ended or belongs to another thread.
    static system_steps& of(const kith_iter_t& it);

private:
    detail::row_feed& feed_;
    kith_iter_action_t callback_;
    system_steps* outer_;
    std::uint64_t number_;  // of all runs of the thread
    detail::result found_{};
};

}  // namespace kith::capi
