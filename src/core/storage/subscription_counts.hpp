// Subscription counts: for each pattern of ids and each event bit, the number of subscribed
// listeners. Id records keep the result for their id (id_info::event_mask), so that an operation
// on an id without listeners looks nothing up.
//
// Invariants
// 1. No two entries have the same pattern; entries are never removed.
// 2. The entry of (R, Any) counts the subscriptions of all patterns (R, T) with a fixed T: links
//    have no records of their own, so the record (R,*) needs the sum.
//
// Covered by tests/unit/storage/subscription_counts_test.cpp.
#pragma once

#include "containers/hash_index.hpp"
#include "storage/id_record.hpp"

namespace kith::storage {

class subscription_counts {
public:
    explicit subscription_counts(containers::memory& mem) noexcept : mem_(mem) {}
    ~subscription_counts();
    subscription_counts(const subscription_counts&) = delete;
    subscription_counts& operator=(const subscription_counts&) = delete;

    // Count a subscription to some bits of event_bits, or its end. True if a count became 1 or 0,
    // so that event masks have to be updated (events::update_event_mask()). remove() requires a
    // matching add().
    bool add(id_t pattern, std::uint32_t bits);
    bool remove(id_t pattern, std::uint32_t bits) noexcept;

    // The event bits with subscriptions to an id; for (R,*), to any pair of R.
    std::uint32_t event_mask(id_t id) const noexcept;
    // The event bits with subscriptions to exactly this pattern.
    std::uint32_t bits_of(id_t pattern) const noexcept;

private:
    struct entry {
        id_t pattern;
        std::uint32_t counts[event_bit_count];  // by event bit
    };

    // The position plus one of the entry of a pattern, 0 if there is none.
    std::uint32_t find(id_t pattern) const noexcept;
    entry& ensure(id_t pattern);
    // Adds `difference` (1, or -1 modulo 2^32) to the counts of `bits`. True if one became 0 or 1.
    static bool change(entry& counted, std::uint32_t bits, std::uint32_t difference) noexcept;

    containers::memory& mem_;
    containers::hash_index by_pattern_;
    containers::vec<entry> entries_;
};

}  // namespace kith::storage
