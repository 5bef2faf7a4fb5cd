// Subscription counts (subscription_counts.hpp): counting listeners by pattern and event.
#include "storage/subscription_counts.hpp"

#include "base/assert.hpp"
#include "base/hash.hpp"

namespace kith::storage {

using containers::purpose;

namespace {

// (R, Any) for a pattern (R, T) with a fixed target, else 0 (invariant 2).
id_t some_pair(id_t pattern) {
    return is_pair(pattern) && !is_wildcard_element(pair_second(pattern))
               ? make_pair(pair_first(pattern), Any)
               : 0;
}

}  // namespace

subscription_counts::~subscription_counts() {
    by_pattern_.release(mem_, purpose::index);
    entries_.release(mem_, purpose::index);
}

std::uint32_t subscription_counts::find(id_t pattern) const noexcept {
    return by_pattern_.find(base::mix(pattern), [&](std::uint32_t number) {
        return entries_[number - 1].pattern == pattern;
    });
}

subscription_counts::entry& subscription_counts::ensure(id_t pattern) {
    std::uint32_t number = find(pattern);
    if (number == 0) {
        by_pattern_.reserve_one(mem_, purpose::index);
        entries_.push(mem_, {pattern, {}}, purpose::index);
        number = entries_.size();
        by_pattern_.insert_reserved(base::mix(pattern), number);
    }
    return entries_[number - 1];
}

bool subscription_counts::change(entry& counted, std::uint32_t bits,
                                 std::uint32_t difference) noexcept {
    bool changed = false;
    for (std::uint32_t i = 0; i < event_bit_count; ++i) {
        if ((bits >> i) & 1) {
            bool before = counted.counts[i] != 0;
            KITH_ASSERT(before || difference == 1, "a subscription that ends was counted");
            counted.counts[i] += difference;
            changed |= before != (counted.counts[i] != 0);
        }
    }
    return changed;
}

bool subscription_counts::add(id_t pattern, std::uint32_t bits) {
    const id_t any_pair = some_pair(pattern);
    // Both entries exist before one of them counts: nothing has changed if memory is short.
    if (any_pair != 0) {
        ensure(any_pair);
    }
    bool changed = change(ensure(pattern), bits, 1);
    return (any_pair != 0 && change(ensure(any_pair), bits, 1)) || changed;
}

bool subscription_counts::remove(id_t pattern, std::uint32_t bits) noexcept {
    KITH_ASSERT(find(pattern) != 0, "a subscription that ends was counted");
    constexpr std::uint32_t less = ~std::uint32_t{0};
    bool changed = change(entries_[find(pattern) - 1], bits, less);
    const id_t any_pair = some_pair(pattern);
    return (any_pair != 0 && change(entries_[find(any_pair) - 1], bits, less)) || changed;
}

std::uint32_t subscription_counts::bits_of(id_t pattern) const noexcept {
    std::uint32_t number = find(pattern);
    std::uint32_t bits = 0;
    for (std::uint32_t i = 0; number != 0 && i < event_bit_count; ++i) {
        bits |= entries_[number - 1].counts[i] != 0 ? 1u << i : 0u;
    }
    return bits;
}

std::uint32_t subscription_counts::event_mask(id_t id) const noexcept {
    if (entries_.empty()) {
        return 0;
    }
    if (id & Override) {
        // No pattern matches override marks, but they are ids of tables, and all tables may be
        // tracked.
        return bits_of(Wildcard) & bits_of(make_pair(Wildcard, Wildcard)) & event_track;
    }
    if (!is_pair(id)) {
        return bits_of(id) | bits_of(Wildcard);
    }
    std::uint32_t bits =
        bits_of(make_pair(pair_first(id), Wildcard)) | bits_of(make_pair(Wildcard, Wildcard));
    if (is_wildcard_element(pair_second(id))) {
        return bits | bits_of(make_pair(pair_first(id), Any)) | bits_of(make_pair(Wildcard, Any));
    }
    return bits | bits_of(id) | bits_of(make_pair(Wildcard, pair_second(id)));
}

}  // namespace kith::storage
