#include "mutate/latest_commands.hpp"

#include "base/counters.hpp"
#include "base/hash.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;

namespace {

constexpr std::uint32_t taking = ~0u;

std::uint64_t hash_of(std::uint32_t kind, entity_t entity, id_t id) noexcept {
    return base::mix(base::combine(base::combine(entity, id), kind));
}

std::uint32_t plain_element(std::uint32_t element) noexcept {
    return is_wildcard_element(element) ? static_cast<std::uint32_t>(Wildcard) : element;
}

// Patterns that match the same ids have one canonical form.
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
            const entry& slot = entries_[position - 1];
            return slot.kind == kind && slot.entity == entity && slot.id == id;
        });
    return number ? const_cast<entry*>(&entries_[number - 1]) : nullptr;
}

void latest_commands::put(containers::memory& mem, std::uint32_t kind, entity_t entity, id_t id,
                          std::uint64_t by, std::uint32_t order) {
    if (entry* slot = find(kind, entity, id)) {
        if (slot->by == by) {
            slot->latest = std::max<std::int64_t>(slot->latest, order);
        } else if (order > slot->latest) {
            *slot = {kind, entity, id, by, order, slot->latest};
        } else {
            slot->latest_other = std::max<std::int64_t>(slot->latest_other, order);
        }
        return;
    }
    index_.reserve_one(mem, purpose::commands);
    entries_.push(mem, {kind, entity, id, by, order, none}, purpose::commands);
    index_.insert_reserved(hash_of(kind, entity, id), entries_.size());
}

std::int64_t latest_commands::last(std::uint32_t kind, entity_t entity, id_t id,
                                   std::uint64_t by) const noexcept {
    const entry* slot = find(kind, entity, id);
    if (!slot) {
        return none;
    }
    return by == 0 || slot->by != by ? slot->latest : slot->latest_other;
}

void latest_commands::put_taking(containers::memory& mem, entity_t entity, id_t pattern,
                                 id_t spared, std::uint32_t order) {
    const id_t plain = canonical(pattern);
    put(mem, taking, entity, plain, spared, order);
    shapes_ |= 1u << shape_of(plain);
}

std::int64_t latest_commands::last_taking(entity_t entity, id_t id) const noexcept {
    std::int64_t latest = none;
    auto look = [&](shape of, id_t pattern) {
        if (shapes_ & (1u << of)) {
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
