// Copies, exchanges and destroys the contents of link stores (link_store_state.hpp).
#include "storage/link_store_state.hpp"

#include "base/scope_exit.hpp"
#include "containers/reserve_one.hpp"
#include "types/component_type.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kith::storage {

using detail::link_page_size;

link_store::~link_store() {
    // Only stores with pools have values to destroy.
    link_store_state::each_value(*this, [&](std::uint32_t pool, std::uint32_t slot) {
        types::destroy_values(pools_[pool].info(), pools_[pool].at(slot), 1);
    });
    link_store_state::release_lists(*this, pages_);
}

void link_store_state::release_lists(link_store& to, const link_pages& nodes) noexcept {
    for (const link_page* page : nodes.all()) {
        for (std::uint32_t i = 0; page && i < link_page_size; ++i) {
            link_node node = page->nodes[i];
            if (node.sources != 0) {
                source_lists::release_items(to.mem_, to.lists_[node.sources]);
            }
            if (!to.exclusive_ && node.rest != 0) {
                to.further_.free_block(to.mem_, node.rest);
            }
        }
    }
    to.lists_.release(to.mem_);
    to.further_.release(to.mem_);
}

void link_store_state::copy_lists(link_store& to, const link_store& from) {
    // The numbers of lists that have a block of their own already.
    std::vector<std::uint32_t> sources;
    std::vector<std::uint32_t> further;
    base::scope_exit undo([&] {
        for (std::uint32_t number : sources) {
            source_lists::release_items(to.mem_, to.lists_[number]);
        }
        for (std::uint32_t number : further) {
            to.further_.free_block(to.mem_, number);
        }
        to.lists_.release(to.mem_);
        to.further_.release(to.mem_);
    });
    to.lists_.copy_headers(to.mem_, from.lists_);
    to.further_.copy_headers(to.mem_, from.further_);
    for (const link_page* page : from.pages_.all()) {
        for (std::uint32_t i = 0; page && i < link_page_size; ++i) {
            const link_node& node = page->nodes[i];
            if (node.sources != 0) {
                containers::reserve_one(sources);
                source_lists::copy_block(to.mem_, to.lists_[node.sources]);
                sources.push_back(node.sources);
            }
            if (!to.exclusive_ && node.rest != 0) {
                containers::reserve_one(further);
                target_lists::copy_block(to.mem_, to.further_[node.rest]);
                further.push_back(node.rest);
            }
        }
    }
    undo.release();
}

void link_store_state::copy_values(link_store& to, const link_store& from) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> copied;
    base::scope_exit undo([&] {
        for (const auto& [pool, slot] : copied) {
            types::destroy_values(to.pools_[pool].info(), to.pools_[pool].at(slot), 1);
        }
    });
    each_value(from, [&](std::uint32_t pool, std::uint32_t slot) {
        containers::reserve_one(copied);
        types::copy_values(to.pools_[pool].info(), to.pools_[pool].at(slot),
                           from.pools_[pool].at(slot), 1);
        copied.push_back({pool, slot});
    });
    undo.release();
}

void link_store_state::copy(link_store& to, const link_store& from, type_mapping type_of,
                            void* context) {
    KITH_ASSERT(to.pair_count_ == 0 && to.exclusive_ == from.exclusive_,
                "links are copied into an empty store of the same kind");
    to.pages_.reserve_like(from.pages_);
    for (std::uint32_t i = 0; i < from.pools_.count(); ++i) {
        const value_pool* pool = from.pools_.find(i);
        const bool kept = pool && pool->used() != 0;
        to.pools_.append(kept ? type_of(context, pool->info()) : nullptr);
        if (kept) {
            to.pools_[i].copy_slots(to.mem_, *pool);
        }
    }
    copy_lists(to, from);
    base::scope_exit undo([&] { release_lists(to, from.pages_); });
    copy_values(to, from);
    undo.release();
    to.pages_.copy_nodes(from.pages_);
    to.pair_count_ = from.pair_count_;
    to.source_count_ = from.source_count_;
}

namespace {

// The elements of `present` in the order of `wanted`, then the others as they are.
template <class Element>
std::vector<Element> in_order(std::vector<Element> present, const std::vector<entity_t>& wanted) {
    std::unordered_map<std::uint32_t, std::size_t> ranks;
    for (const entity_t entity : wanted) {
        ranks.emplace(index_of(entity), ranks.size());
    }
    auto rank_of = [&](Element element) {
        const auto found = ranks.find(index_of(element));
        return found != ranks.end() ? found->second : ranks.size();
    };
    std::stable_sort(present.begin(), present.end(),
                     [&](Element left, Element right) { return rank_of(left) < rank_of(right); });
    return present;
}

}  // namespace

// All links of the source are read before the first one is written, because targets, positions and
// slots share arrays.
void link_store_state::order_targets(link_store& links, std::uint32_t source,
                                     const std::vector<entity_t>& order) {
    const std::uint32_t count = links.target_count(source);
    if (count < 2) {
        return;
    }
    std::vector<std::uint32_t> targets;
    for (std::uint32_t i = 0; i < count; ++i) {
        targets.push_back(links.target_at(source, i));
    }
    targets = in_order(std::move(targets), order);
    struct place {
        std::uint32_t position;
        std::uint32_t slot;
    };
    std::vector<place> places;
    for (const std::uint32_t target : targets) {
        const auto found = links.place_of(source, target);
        places.push_back({found.position, found.slot ? *found.slot : 0});
    }
    link_node& node = links.pages_.at(source);
    target_list& further = links.further_[node.rest];
    while (further.count != 0) {
        further.drop(further.count - 1);
    }
    node.target = targets[0];
    const auto first = links.place_of(source, targets[0]);
    first.position = places[0].position;
    if (first.slot) {
        *first.slot = places[0].slot;
    }
    for (std::uint32_t i = 1; i < count; ++i) {
        further.add(targets[i], places[i].position, places[i].slot);
    }
}

void link_store_state::order_sources(link_store& links, std::uint32_t target,
                                     const std::vector<entity_t>& order) {
    if (!links.is_target(target)) {
        return;
    }
    source_list& list = links.sources_of(target);
    std::vector<entity_t> sources;
    std::copy_if(list.data(), list.data() + list.size, std::back_inserter(sources),
                 [](entity_t source) { return source != 0; });
    sources = in_order(std::move(sources), order);
    std::copy(sources.begin(), sources.end(), list.data());
    list.size = list.live;
    for (std::uint32_t i = 0; i < list.size; ++i) {
        links.place_of(index_of(sources[i]), target).position = i;
    }
}

void link_store_state::swap(link_store& to, link_store& from) noexcept {
    KITH_ASSERT(&to.mem_ == &from.mem_, "both stores have the same memory");
    std::swap(to.exclusive_, from.exclusive_);
    to.pages_.swap(from.pages_);
    to.lists_.swap(from.lists_);
    to.further_.swap(from.further_);
    to.pools_.swap(from.pools_);
    std::swap(to.pair_count_, from.pair_count_);
    std::swap(to.source_count_, from.source_count_);
    to.listeners_.note_exchange();
    from.listeners_.note_exchange();
}

}  // namespace kith::storage
