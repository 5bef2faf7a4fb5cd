// The ids that a system reads, writes and queues commands about.
//
// Covered by tests/unit/schedule/plan_test.cpp.
#pragma once

#include <kith/id.hpp>

#include <unordered_map>
#include <vector>

namespace kith::scheduling {

// Kinds of access, as bits. "Own" values are those of the rows that the query of the system visits;
// two parts of a split system never share own rows. "Any" values belong to entities that are found
// in other ways, so that parts may share them.
enum access_kind : std::uint32_t {
    access_match = 1u << 0,     // rows are found by the id; no value is used
    access_own_read = 1u << 1,  // values of own rows
    access_own_write = 1u << 2,
    access_any_read = 1u << 3,   // values of any entity, or whether it has the id
    access_any_write = 1u << 4,  // in place
    access_queue = 1u << 5,      // commands about the id
    // Values of entities above in a cascade. Parts of a level do not write them.
    access_above_read = 1u << 6,
    // Kinds that must see commands which wait.
    access_sees = access_match | access_own_read | access_own_write | access_any_read |
                  access_any_write | access_above_read,
};

// An access to an id, or to all ids that a pattern matches. A lone Wildcard stands for every id.
struct access {
    id_t id;
    std::uint32_t how;  // access_kind
};
using access_list = std::vector<access>;

// Joins the kinds of equal ids. Requires: `id` is an id or a pattern; flags other than that of
// pairs are dropped, and Any becomes Wildcard.
void add_access(access_list& list, id_t id, std::uint32_t how);
// True if an id exists that both patterns match.
bool overlaps(id_t a, id_t b) noexcept;
// True if two kinds of access to one id conflict: a system writes or queues what the other system
// accesses.
bool kinds_conflict(std::uint32_t one, std::uint32_t other) noexcept;
// The first id by which two systems conflict. 0: no conflict.
id_t find_conflict(const access_list& a, const access_list& b) noexcept;
// True if two systems conflict only by ids that both access in their own rows.
bool conflict_in_rows(const access_list& a, const access_list& b) noexcept;

// Calls visit(pattern) for the patterns of pairs that match the id, itself included.
template <class Visit>
void each_generalization(id_t id, Visit&& visit) {
    visit(id);
    if (is_pair(id)) {
        visit(make_pair(pair_first(id), Wildcard));
        visit(make_pair(Wildcard, pair_second(id)));
        visit(make_pair(Wildcard, Wildcard));
    }
}

// A set of ids with the system that added each first, for questions by patterns. O(1) per id.
class queued_ids {
public:
    void add(id_t id, std::uint32_t system);
    // The system that queued an id which the pattern matches; no_system: there is none.
    std::uint32_t find(id_t pattern) const;
    bool empty() const noexcept { return ids_.empty() && everything_ == no_system; }
    void clear() noexcept;

    static constexpr std::uint32_t no_system = 0xFFFFFFFF;

private:
    using by_id = std::unordered_map<id_t, std::uint32_t>;

    by_id ids_;                                // as they were added
    by_id generalized_;                        // patterns that match an added id
    std::uint32_t everything_ = no_system;     // who added a lone wildcard
    std::uint32_t pair_patterns_ = no_system;  // who added a pair with a wildcard
};

}  // namespace kith::scheduling
