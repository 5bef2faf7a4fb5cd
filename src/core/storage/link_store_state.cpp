// Copies, exchanges and destroys the contents of link stores (link_store_state.hpp).
#include "storage/link_store_state.hpp"

#include "base/scope_exit.hpp"
#include "containers/reserve_one.hpp"
#include "types/component_type.hpp"

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

void link_store_state::swap(link_store& to, link_store& from) noexcept {
    KITH_ASSERT(&to.mem_ == &from.mem_, "both stores have the same memory");
    std::swap(to.exclusive_, from.exclusive_);
    to.pages_.swap(from.pages_);
    to.lists_.swap(from.lists_);
    to.further_.swap(from.further_);
    to.pools_.swap(from.pools_);
    std::swap(to.pair_count_, from.pair_count_);
    std::swap(to.source_count_, from.source_count_);
}

}  // namespace kith::storage
