// Common targets of several terms, declared in common_targets.hpp.
#include "query/exec/common_targets.hpp"

#include "base/assert.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

std::uint32_t target_at(const storage::target_span& list, std::uint32_t i) noexcept {
    return i == 0 ? list.first : list.rest[i - 1];
}

}  // namespace

void intersect_input::accept_table(const storage::table& type) {
    const std::int32_t first = find_first_pair(type, relation->id);
    if (first < 0) {
        targets = {};
        bits = 0;
        return;
    }
    // Pairs of one relationship are neighbours in a type.
    const id_t* const pairs = type.ids + first;
    const auto most = static_cast<std::uint32_t>(type.id_count - first);
    std::uint32_t count = 1;
    while (count < most && pairs[count] >> 32 == relation->id >> 32) {
        ++count;
    }
    listed.resize(count);
    std::uint32_t* const list = listed.data();
    std::uint64_t seen = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        list[i] = pair_second(pairs[i]);
        seen |= std::uint64_t{1} << (list[i] % 64);
    }
    first_position = static_cast<std::uint32_t>(first);
    targets = storage::target_span{list[0], list + 1, count};
    bits = count <= short_list ? seen : ~std::uint64_t{0};
}

std::uint32_t intersect_input::position_of(std::uint32_t target) const noexcept {
    const auto found = std::lower_bound(listed.begin(), listed.end(), target);
    return first_position + static_cast<std::uint32_t>(found - listed.begin());
}

bool intersect_input::has(std::uint32_t target) const noexcept {
    if (targets.first == target) {
        return true;
    }
    const std::uint32_t* end = targets.rest + (targets.count - 1);
    if (targets.count <= short_list) {
        return std::find(targets.rest, end, target) != end;
    }
    // The targets in the type of a table are sorted.
    return links ? links->has(index_of(source), target)
                 : std::binary_search(targets.rest, end, target);
}

bool accept_source(std::vector<intersect_input>& inputs, entity_t source) noexcept {
    std::uint64_t bits = ~std::uint64_t{0};
    for (intersect_input& input : inputs) {
        if (input.moves && input.links) {
            input.take_links(source);
        }
        bits &= input.bits;
        if (bits == 0) {
            return false;
        }
    }
    return true;
}

void find_common(const std::vector<intersect_input>& inputs, std::vector<std::uint32_t>& common) {
    KITH_ASSERT(!inputs.empty(), "an intersection has inputs");
    common.clear();
    const intersect_input* shortest = &inputs[0];
    std::uint64_t bits = ~std::uint64_t{0};
    for (const intersect_input& input : inputs) {
        bits &= input.bits;
        if (input.targets.count < shortest->targets.count) {
            shortest = &input;
        }
    }
    if (bits == 0) {
        return;
    }
    for (std::uint32_t i = 0; i < shortest->targets.count; ++i) {
        const std::uint32_t target = target_at(shortest->targets, i);
        if ((bits >> (target % 64)) & 1 &&
            std::all_of(inputs.begin(), inputs.end(), [&](const intersect_input& input) {
                return &input == shortest || input.has(target);
            })) {
            common.push_back(target);
        }
    }
}

}  // namespace kith::queries
