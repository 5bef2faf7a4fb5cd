// What is listened to: for each pattern of ids, how many want to know when an id like it comes,
// goes, or gets a value. Records of ids keep the answer for themselves (id_info::heard), so that
// nothing is looked up where nobody listens.
//
// Covered by tests/core/storage/subscription_counts_test.cpp.
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

    // True if the first (or last) one came (or went), so that records must be told.
    bool add(id_t pattern, std::uint32_t bits);
    bool remove(id_t pattern, std::uint32_t bits) noexcept;

    // What is listened to of an id; of (R,*): of any pair with this relationship.
    std::uint32_t event_mask(id_t id) const noexcept;
    // What is listened to by this very pattern.
    std::uint32_t bits_of(id_t pattern) const noexcept;

private:
    struct entry {
        id_t pattern;
        std::uint32_t counts[event_bit_count];
    };

    std::uint32_t find(id_t pattern) const noexcept;
    entry& ensure(id_t pattern);
    static bool change(entry& counted, std::uint32_t bits, std::uint32_t by) noexcept;

    containers::memory& mem_;
    containers::hash_index by_pattern_;
    containers::vec<entry> entries_;
};

}  // namespace kith::storage
