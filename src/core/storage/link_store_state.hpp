// The contents of a link store as a whole, for snapshots: copying and exchanging all links.
//
// Covered by tests/features/snapshots/ and tests/model/snapshot_test.cpp.
#pragma once

#include "storage/link_store.hpp"

#include <vector>

namespace kith::storage {

struct link_store_state {
    // Copies links, their order and their values into an empty store. `type_of` maps the type of a
    // value in `from` to the type of its copy. If the function throws, the store has no links.
    // Requires: both stores are exclusive, or none is.
    using type_mapping = const type_info* (*)(void* context, const type_info& type);
    static void copy(link_store& to, const link_store& from, type_mapping type_of, void* context);
    // Exchanges all links. Listeners stay. Requires: both stores have the same memory.
    static void swap(link_store& left, link_store& right) noexcept;
    // Calls visit(type, count) for the types of values, with the number of values.
    template <class Visit>
    static void each_type(const link_store& links, Visit&& visit) {
        for (std::uint32_t i = 0; i < links.pools_.count(); ++i) {
            if (const value_pool* pool = links.pools_.find(i)) {
                visit(pool->info(), pool->used());
            }
        }
    }
    // The type of the values of all links to a target, null if they have none. Requires: the target
    // has sources.
    static const type_info* value_type(const link_store& links, std::uint32_t target) noexcept {
        const std::uint32_t pool = links.lists_[links.find(target)->sources].pool;
        return pool != 0 ? &links.pools_[pool - 1].info() : nullptr;
    }
    // Calls visit(pool, slot) for each link with a value.
    template <class Visit>
    static void each_value(const link_store& links, Visit&& visit) {
        for (std::uint32_t source = links.next_source(1); source != 0 && !links.pools_.empty();
             source = links.next_source(source + 1)) {
            for (std::uint32_t i = links.target_count(source); i-- > 0;) {
                const std::uint32_t target = links.target_at(source, i);
                if (const std::uint32_t pool = links.lists_[links.find(target)->sources].pool) {
                    visit(pool - 1, *links.place_of(source, target).slot);
                }
            }
        }
    }
    // Gives the targets of a source, or the sources of a target, the order of a list. Entities of
    // the list without such a link are ignored; links that the list lacks follow in their order.
    static void order_targets(link_store& links, std::uint32_t source,
                              const std::vector<entity_t>& order);
    static void order_sources(link_store& links, std::uint32_t target,
                              const std::vector<entity_t>& order);
    // Releases the lists that the nodes of these pages refer to.
    static void release_lists(link_store& links, const link_pages& nodes) noexcept;

private:
    // Steps of copy(). Each undoes itself if it throws.
    static void copy_lists(link_store& to, const link_store& from);
    static void copy_values(link_store& to, const link_store& from);
};

}  // namespace kith::storage
