// Implements access_set.hpp.
#include "access/access_set.hpp"

#include <algorithm>

namespace kith::scheduling {

namespace {

// Elements of pairs overlap if they are equal or if either is a wildcard.
bool elements_overlap(std::uint32_t a, std::uint32_t b) noexcept {
    return a == b || is_wildcard_element(a) || is_wildcard_element(b);
}

// The id without flags, with one kind of wildcard.
id_t normalized(id_t id) noexcept {
    id &= ~(id_flags_mask & ~Pair);
    if (!is_pair(id)) {
        return id == Any ? id_t{Wildcard} : id;
    }
    auto element = [](std::uint32_t index) { return index == Any ? entity_t{Wildcard} : index; };
    return make_pair(element(pair_first(id)), element(pair_second(id)));
}

}  // namespace

void add_access(access_list& list, id_t id, std::uint32_t how) {
    id = normalized(id);
    for (access& known : list) {
        if (known.id == id) {
            known.how |= how;
            return;
        }
    }
    list.push_back({id, how});
}

bool overlaps(id_t a, id_t b) noexcept {
    if (a == b || a == Wildcard || b == Wildcard) {
        return true;
    }
    return is_pair(a) && is_pair(b) && elements_overlap(pair_first(a), pair_first(b)) &&
           elements_overlap(pair_second(a), pair_second(b));
}

// Two reads never conflict. A queued command conflicts even with a system that only matches the id:
// the command may move the rows that the other system visits.
bool kinds_conflict(std::uint32_t one, std::uint32_t other) noexcept {
    constexpr std::uint32_t writes = access_own_write | access_any_write | access_queue;
    constexpr std::uint32_t values = (access_sees & ~access_match) | access_queue;
    auto disturbs = [](std::uint32_t by, std::uint32_t whom) {
        return ((by & writes) && (whom & values)) || ((by & access_queue) && whom);
    };
    return disturbs(one, other) || disturbs(other, one);
}

// The reported id is the more specific of the two, so that messages name a component and not a
// pattern.
id_t find_conflict(const access_list& a, const access_list& b) noexcept {
    for (const access& one : a) {
        for (const access& other : b) {
            if (kinds_conflict(one.how, other.how) && overlaps(one.id, other.id)) {
                return is_wildcard(one.id) ? other.id : one.id;
            }
        }
    }
    return 0;
}

bool conflict_in_rows(const access_list& a, const access_list& b) noexcept {
    constexpr std::uint32_t elsewhere =
        access_any_read | access_any_write | access_above_read | access_queue;
    bool found = false;
    for (const access& one : a) {
        for (const access& other : b) {
            if (kinds_conflict(one.how, other.how) && overlaps(one.id, other.id)) {
                if ((one.how | other.how) & elsewhere) {
                    return false;
                }
                found = true;
            }
        }
    }
    return found;
}

// The maps keep the first system of each id (`emplace` does not replace), because the message of a
// sync point names the earliest author.
void queued_ids::add(id_t id, std::uint32_t system) {
    if (id == Wildcard) {
        everything_ = std::min(everything_, system);
        return;
    }
    ids_.emplace(id, system);
    each_generalization(id, [&](id_t pattern) { generalized_.emplace(pattern, system); });
    if (is_wildcard(id)) {
        pair_patterns_ = std::min(pair_patterns_, system);
    }
}

std::uint32_t queued_ids::find(id_t pattern) const {
    // The lone wildcard of a reader sees every queued id. The scan of all ids is rare: one example
    // is a system with a list of ids.
    std::uint32_t found = everything_;
    if (pattern == Wildcard) {
        for (const auto& [id, system] : ids_) {
            found = std::min(found, system);
        }
        return found;
    }
    auto look = [&](const by_id& where, id_t id) {
        if (const auto place = where.find(id); place != where.end()) {
            found = std::min(found, place->second);
        }
    };
    look(generalized_, pattern);
    each_generalization(pattern, [&](id_t general) { look(ids_, general); });
    // (R, *) and (*, T) overlap although neither matches the other.
    if (is_pair(pattern) && is_wildcard(pattern)) {
        found = std::min(found, pair_patterns_);
    }
    return found;
}

void queued_ids::clear() noexcept {
    ids_.clear();
    generalized_.clear();
    everything_ = no_system;
    pair_patterns_ = no_system;
}

}  // namespace kith::scheduling
