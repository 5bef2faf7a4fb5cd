// Implements referrers.hpp.
#include "mutate/rules/referrers.hpp"

#include "mutate/context/stage.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::id_info;

void collect_holders(const stage& world, id_t pattern, containers::vec<entity_t>& holders) {
    storage::store& data = world.data;
    each_match(data, pattern, [&](const id_info&, entity_t holder) {
        holders.push(data.mem, holder, purpose::commands);
    });
    std::sort(holders.begin(), holders.end());
    holders.truncate(
        static_cast<std::uint32_t>(std::unique(holders.begin(), holders.end()) - holders.begin()));
}

}  // namespace kith::mutate
