// The systems that accessed ids so far, for finding those that a later system has to wait for.
//
// Covered by tests/unit/schedule/batches_test.cpp.
#pragma once

#include "access/access_set.hpp"

#include <unordered_map>
#include <vector>

namespace kith::scheduling {

// Systems are added in their order. The cost of a system follows the number of its ids, and the
// number of accesses since an id was last written.
class access_history {
public:
    // Appends the numbers of earlier systems that conflict with the list, except those that others
    // of them wait for, then notes the list as that of `system`. A number may be appended twice.
    void add(const access_list& list, std::uint32_t system, std::vector<std::uint32_t>& waits_for);

private:
    // The systems with access to an id, or to ids that a pattern matches.
    struct users {
        std::vector<std::uint32_t> writers;  // those that queue included
        std::vector<std::uint32_t> readers;  // of values
        std::vector<std::uint32_t> queuers;
        std::vector<std::uint32_t> matchers;  // of rows, not of values
    };
    using by_id = std::unordered_map<id_t, users>;

    void find(const access& one, std::vector<std::uint32_t>& waits_for) const;
    void note(const access& one, std::uint32_t system);

    by_id ids_;                         // as they were added
    by_id generalized_;                 // patterns that match an added id
    users pair_patterns_;               // pairs with a wildcard
    users everything_;                  // a lone wildcard
    std::vector<std::uint32_t> since_;  // systems since the last lone wildcard
};

}  // namespace kith::scheduling
