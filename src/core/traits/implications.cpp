// Implements implications.hpp.
#include "traits/implications.hpp"

#include <algorithm>

namespace kith::traits {

void collect_implied(const storage::store& data, const storage::id_info& id, id_buffer& ids) {
    // The ids behind `next` are a work list: each appended id may imply further ones.
    std::uint32_t next = ids.size();
    auto add = [&](id_t implied) {
        if (implied != id.id && std::find(ids.begin(), ids.end(), implied) == ids.end()) {
            ids.push(implied);
        }
    };
    each_implied(data, id, add);
    for (; next < ids.size(); ++next) {
        each_implied(data, describe_id(data, ids[next]), add);
    }
}

id_t find_replaced(const detail::table_shape& type, const storage::id_info& id) noexcept {
    const id_t pattern = replaced_pattern(id);
    const std::int32_t position = pattern ? storage::find_id(type, pattern) : -1;
    return position >= 0 && type.ids[position] != id.id ? type.ids[position] : 0;
}

}  // namespace kith::traits
