// Implements latest_commands.hpp.
#include "mutate/context/latest_commands.hpp"

#include "base/assert.hpp"
#include "base/counters.hpp"
#include "base/hash.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;

namespace {

// The kind of removals. Callers use other numbers.
constexpr std::uint32_t taking = ~0u;

std::uint64_t hash_of(std::uint32_t kind, entity_t entity, id_t id) noexcept {
    return base::mix(base::combine(base::combine(entity, id), kind));
}

// Wildcard elements of every kind become Wildcard.
std::uint32_t plain_element(std::uint32_t element) noexcept {
    return is_wildcard_element(element) ? static_cast<std::uint32_t>(Wildcard) : element;
}

// Patterns that match the same ids get one canonical form.
id_t canonical(id_t pattern) noexcept {
    if (pattern & Override) {
        return pattern;
    }
    if (is_pair(pattern)) {
        return make_pair(plain_element(pair_first(pattern)), plain_element(pair_second(pattern)));
    }
    return is_wildcard(pattern) ? Wildcard : pattern;
}

}  // namespace

// Requires: the pattern is canonical.
latest_commands::shape latest_commands::shape_of(id_t pattern) noexcept {
    if (pattern == 0) {
        return everything;
    }
    if (pattern & Override || !is_wildcard(pattern)) {
        return exact;
    }
    if (!is_pair(pattern)) {
        return any_plain;
    }
    if (pair_first(pattern) != Wildcard) {
        return of_first;
    }
    return pair_second(pattern) != Wildcard ? to_second : any_pair;
}

latest_commands::entry* latest_commands::find(std::uint32_t kind, entity_t entity,
                                              id_t id) const noexcept {
    const std::uint32_t number =
        index_.find(hash_of(kind, entity, id), [&](std::uint32_t position) {
            KITH_COUNT(folded);
            const entry& existing = entries_[position - 1];
            return existing.kind == kind && existing.entity == entity && existing.id == id;
        });
    return number ? const_cast<entry*>(&entries_[number - 1]) : nullptr;
}

void latest_commands::put(containers::memory& mem, std::uint32_t kind, entity_t entity, id_t id,
                          std::uint64_t origin, std::uint32_t order) {
    KITH_ASSERT(index_.count() == entries_.size(), "each entry is indexed");
    // An entry keeps the last order of one origin, and the last order of all other origins.
    if (entry* existing = find(kind, entity, id)) {
        if (existing->origin == origin) {
            existing->latest = std::max<std::int64_t>(existing->latest, order);
        } else if (order > existing->latest) {
            *existing = {kind, entity, id, origin, order, existing->latest};
        } else {
            existing->latest_other = std::max<std::int64_t>(existing->latest_other, order);
        }
        return;
    }
    index_.reserve_one(mem, purpose::commands);
    entries_.push(mem, {kind, entity, id, origin, order, none}, purpose::commands);
    index_.insert_reserved(hash_of(kind, entity, id), entries_.size());
}

std::int64_t latest_commands::last(std::uint32_t kind, entity_t entity, id_t id,
                                   std::uint64_t origin) const noexcept {
    const entry* existing = find(kind, entity, id);
    if (!existing) {
        return none;
    }
    return origin == 0 || existing->origin != origin ? existing->latest : existing->latest_other;
}

void latest_commands::put_taking(containers::memory& mem, entity_t entity, id_t pattern,
                                 id_t spared, std::uint32_t order) {
    const id_t normal = canonical(pattern);
    put(mem, taking, entity, normal, spared, order);
    shapes_ |= 1u << shape_of(normal);
}

// Looks up each form of pattern that matches the id, for the entity and for all entities: a
// constant number of lookups.
std::int64_t latest_commands::last_taking(entity_t entity, id_t id) const noexcept {
    std::int64_t latest = none;
    auto look = [&](shape form, id_t pattern) {
        if (shapes_ & (1u << form)) {
            latest = std::max({latest, last(taking, entity, pattern, id),
                               last(taking, entity_t{0}, pattern, id)});
        }
    };
    look(everything, 0);
    look(exact, id);
    if (id & Override) {
        return latest;
    }
    if (is_pair(id)) {
        look(of_first, make_pair(pair_first(id), Wildcard));
        look(to_second, make_pair(Wildcard, pair_second(id)));
        look(any_pair, make_pair(Wildcard, Wildcard));
    } else {
        look(any_plain, Wildcard);
    }
    return latest;
}

void latest_commands::clear() noexcept {
    entries_.clear();
    index_.clear();
    shapes_ = 0;
}

void latest_commands::release(containers::memory& mem) noexcept {
    entries_.release(mem, purpose::commands);
    index_.release(mem, purpose::commands);
    shapes_ = 0;
}

}  // namespace kith::mutate
