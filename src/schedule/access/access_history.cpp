// Implements access_history.hpp.
#include "access/access_history.hpp"

namespace kith::scheduling {

namespace {

constexpr std::uint32_t write_kinds = access_own_write | access_any_write | access_queue;
constexpr std::uint32_t read_kinds = access_own_read | access_any_read | access_above_read;

void append_all(const std::vector<std::uint32_t>& systems, std::vector<std::uint32_t>& list) {
    list.insert(list.end(), systems.begin(), systems.end());
}

}  // namespace

// The kinds that kinds_conflict() finds in conflict.
void access_history::find(const access& one, std::vector<std::uint32_t>& waits_for) const {
    const auto look = [&](const users& found) {
        if (one.how & (write_kinds | read_kinds)) {
            append_all(found.writers, waits_for);
        } else {
            append_all(found.queuers, waits_for);
        }
        if (one.how & write_kinds) {
            append_all(found.readers, waits_for);
        }
        if (one.how & access_queue) {
            append_all(found.matchers, waits_for);
        }
    };
    const auto look_at = [&](const by_id& where, id_t id) {
        if (const auto place = where.find(id); place != where.end()) {
            look(place->second);
        }
    };
    look(everything_);
    look_at(generalized_, one.id);
    each_generalization(one.id, [&](id_t general) {
        // The id itself is among those that it generalizes, unless it is no pair.
        if (general != one.id || !is_pair(one.id)) {
            look_at(ids_, general);
        }
    });
    // (R, *) and (*, T) overlap although neither matches the other.
    if (is_pair(one.id) && is_wildcard(one.id)) {
        look(pair_patterns_);
    }
}

// A writer replaces the users of its own id, since it waits for them. Users of patterns are kept:
// the writer of one pair does not wait for those of others.
void access_history::note(const access& one, std::uint32_t system) {
    const auto add_to = [&](users& known) {
        if (one.how & write_kinds) {
            known.writers.push_back(system);
        }
        if (one.how & read_kinds) {
            known.readers.push_back(system);
        }
        if (one.how & access_queue) {
            known.queuers.push_back(system);
        }
        if (one.how & access_match) {
            known.matchers.push_back(system);
        }
    };
    users& own = ids_[one.id];
    if (one.how & write_kinds) {
        own.writers.clear();
        own.readers.clear();
    }
    if (one.how & access_queue) {
        own.queuers.clear();
        own.matchers.clear();
    }
    add_to(own);
    if (is_pair(one.id)) {
        each_generalization(one.id, [&](id_t pattern) { add_to(generalized_[pattern]); });
        if (is_wildcard(one.id)) {
            add_to(pair_patterns_);
        }
    }
}

// A system with a lone wildcard waits for the systems before it, and later systems wait for it: the
// kinds of access are not compared.
void access_history::add(const access_list& list, std::uint32_t system,
                         std::vector<std::uint32_t>& waits_for) {
    for (const access& one : list) {
        if (one.id == Wildcard) {
            append_all(since_, waits_for);
            *this = {};
            everything_ = {{system}, {system}, {system}, {system}};
            since_.push_back(system);
            return;
        }
    }
    if (!everything_.writers.empty()) {
        append_all(everything_.writers, waits_for);
    }
    for (const access& one : list) {
        find(one, waits_for);
    }
    for (const access& one : list) {
        note(one, system);
    }
    since_.push_back(system);
}

}  // namespace kith::scheduling
