// Link stores (link_store.hpp): room for links, adding and removing them, and the check of the
// invariants. The destructor is in link_store_state.cpp.
#include "storage/link_store.hpp"

#include "base/assert.hpp"
#include "types/component_type.hpp"

#include <algorithm>
#include <functional>

namespace kith::storage {

using detail::link_page_size;

void link_store::set_exclusive(bool exclusive, const entity_index& entities) noexcept {
    if (exclusive == exclusive_) {
        return;
    }
    for (std::uint32_t source = next_source(1); source != 0; source = next_source(source + 1)) {
        link_node& node = pages_.at(source);
        if (exclusive) {
            KITH_ASSERT(target_count(source) == 1, "a source has one target");
            if (node.rest != 0) {
                further_.free_block(mem_, node.rest);
            }
            node.rest = generation_of(entities.alive_at(node.target));
        } else {
            node.rest = 0;
        }
    }
    exclusive_ = exclusive;
    listeners_.set_unwritten(false);
}

link_store::link_place link_store::place_of(std::uint32_t source,
                                            std::uint32_t target) const noexcept {
    link_node& node = pages_.at(source);
    if (node.target == target) {
        std::uint32_t* slots = pages_.page_of(source).slots;
        return {node.position, slots ? slots + (source & (link_page_size - 1)) : nullptr};
    }
    const target_list& list = further_[node.rest];
    const std::int32_t number = list.find(target);
    return {list.positions()[number], list.has_slots ? list.slots() + number : nullptr};
}

void* link_store::value(std::uint32_t source, std::uint32_t target) const noexcept {
    KITH_ASSERT(has(source, target), "the link exists");
    std::uint32_t pool = lists_[find(target)->sources].pool;
    return pool ? pools_[pool - 1].at(*place_of(source, target).slot) : nullptr;
}

// -- Room for links. These functions may throw, and change no link.

void link_store::reserve_sources(std::uint32_t target, std::uint32_t extra) {
    pages_.ensure(target);
    const link_node& node = pages_.at(target);
    if (node.sources == 0) {
        lists_.reserve_one(mem_);
        return;
    }
    source_list& list = lists_[node.sources];
    if (list.capacity - list.size >= extra) {
        return;
    }
    // Where a quarter of the list is holes, closing them makes room without memory.
    if (extra == 1 && (list.size - list.live) * 4 > list.size) {
        close_holes(list, target);
        return;
    }
    // Short lists grow by four, so that a dozen children need little room and few steps.
    const std::uint32_t larger =
        list.capacity == 1 ? 4 : list.capacity + std::max(list.capacity / 2, 4u);
    source_lists::grow(mem_, list, std::max(larger, list.size + extra));
}

// Makes room for a link on both of its ends, and for the slot of its value.
void link_store::reserve_link(std::uint32_t source, std::uint32_t target, bool with_slot) {
    pages_.ensure(source);
    reserve_sources(target, 1);
    link_node& node = pages_.at(source);
    if (node.target != 0 && !exclusive_) {
        further_.reserve_target(mem_, node.rest, with_slot);
    }
    if (with_slot) {
        // A further target may become the first one, whose slot lies in the page.
        pages_.ensure_slots(source);
    }
}

void* link_store::prepare(std::uint32_t source, std::uint32_t target, const type_info* info) {
    KITH_ASSERT(!has(source, target), "a prepared link is new");
    KITH_ASSERT(prepared_pool_ == 0, "the link prepared before was committed or cancelled");
    reserve_link(source, target, info != nullptr);
    prepared_pool_ = 0;
    if (!info) {
        return nullptr;
    }
    std::uint32_t number = pools_.ensure(*info);
    value_pool& pool = pools_[number];
    pool.prepare(mem_);
    prepared_slot_ = pool.take();
    prepared_pool_ = number + 1;
    return pool.at(prepared_slot_);
}

void link_store::reserve_pair(std::uint32_t source, std::uint32_t target, const type_info* info) {
    reserve_link(source, target, info != nullptr);
    if (info) {
        pools_[pools_.ensure(*info)].reserve(mem_, 2);
    }
}

void link_store::cancel() noexcept {
    if (prepared_pool_ != 0) {
        pools_[prepared_pool_ - 1].unreserve(prepared_slot_);
        prepared_pool_ = 0;
    }
}

// -- Adding links

void link_store::commit(entity_t source, entity_t target) noexcept {
    KITH_ASSERT(!has(index_of(source), index_of(target)), "an added link is new");
    link_node& to = pages_.at(index_of(target));
    link_page& from_page = pages_.page_of(index_of(source));
    std::uint32_t index = index_of(source) & (link_page_size - 1);
    link_node& from = from_page.nodes[index];
    pages_.page_of(index_of(target)).used += to.target == 0 && to.sources == 0;
    std::uint32_t position = lists_.append(to.sources, source, prepared_pool_);
    ++pair_count_;
    if (from.target == 0) {
        from_page.used += from.sources == 0;
        from.target = index_of(target);
        from.position = position;
        if (exclusive_) {
            from.rest = generation_of(target);
        }
        if (prepared_pool_ != 0) {
            from_page.slots[index] = prepared_slot_;
        }
        from_page.occupied[index / 64] |= std::uint64_t{1} << (index % 64);
        ++source_count_;
    } else {
        further_[from.rest].add(index_of(target), position, prepared_slot_);
    }
    prepared_pool_ = 0;
    listeners_.notify(index_of(source));
}

// -- Removing links

void link_store::renew(entity_t source, std::uint32_t target) {
    listeners_.set_unwritten(false);
    KITH_ASSERT(has(index_of(source), target), "the link exists");
    if (sources_of(target).live == 1) {
        return;
    }
    reserve_sources(target, 1);
    drop_source(target, place_of(index_of(source), target).position);
    place_of(index_of(source), target).position =
        lists_.append(pages_.at(target).sources, source, 0);
}

// Moves sources into holes in front of them; their order stays.
void link_store::close_holes(source_list& list, std::uint32_t target) noexcept {
    entity_t* items = list.data();
    std::uint32_t filled = 0;
    for (std::uint32_t i = 0; i < list.size; ++i) {
        if (items[i] != 0) {
            if (i != filled) {
                items[filled] = items[i];
                place_of(index_of(items[i]), target).position = filled;
            }
            ++filled;
        }
    }
    list.size = filled;
}

void link_store::drop_sources(std::uint32_t target) noexcept {
    link_node& node = pages_.at(target);
    source_lists::release_items(mem_, lists_[node.sources]);
    lists_.free(node.sources);
    node.sources = 0;
    pages_.mark_unused(target);
    listeners_.notify_memory(target);
}

// Removes the source at a position of a target's list; a list without sources is freed.
void link_store::drop_source(std::uint32_t target, std::uint32_t position) noexcept {
    source_list& list = lists_[pages_.at(target).sources];
    if (--list.live == 0) {
        drop_sources(target);
        return;
    }
    entity_t* items = list.data();
    items[position] = 0;
    while (items[list.size - 1] == 0) {
        --list.size;
    }
    if (list.size > 2 * list.live && list.size > 8) {
        close_holes(list, target);
    }
}

// Removes the first target of a source; the last further target, if there is one, takes its place.
void link_store::drop_first(std::uint32_t source, link_node& node) noexcept {
    link_page& page = pages_.page_of(source);
    std::uint32_t position = source & (link_page_size - 1);
    if (!exclusive_ && node.rest != 0) {
        target_list& list = further_[node.rest];
        if (list.count != 0) {
            std::uint32_t last = list.count - 1;
            node.target = list.targets()[last];
            node.position = list.positions()[last];
            if (list.has_slots) {
                page.slots[position] = list.slots()[last];
            }
            list.drop(last);
            return;
        }
        further_.free_block(mem_, node.rest);
    }
    node.target = node.rest = node.position = 0;
    page.occupied[position / 64] &= ~(std::uint64_t{1} << (position % 64));
    --source_count_;
    pages_.mark_unused(source);
}

void link_store::remove(std::uint32_t source, std::uint32_t target, bool destroy) noexcept {
    KITH_ASSERT(has(source, target), "a removed link exists");
    link_node& node = pages_.at(source);
    if (std::uint32_t pool = pools_.empty() ? 0 : sources_of(target).pool) {
        std::uint32_t slot = *place_of(source, target).slot;
        if (destroy) {
            types::destroy_values(pools_[pool - 1].info(), pools_[pool - 1].at(slot), 1);
        }
        pools_[pool - 1].unreserve(slot);
    }
    --pair_count_;
    if (node.target == target) {
        std::uint32_t position = node.position;
        // The node of the source changes first: the source may be its own target.
        drop_first(source, node);
        drop_source(target, position);
    } else {
        target_list& list = further_[node.rest];
        auto number = static_cast<std::uint32_t>(list.find(target));
        std::uint32_t position = list.positions()[number];
        list.drop(number);
        drop_source(target, position);
    }
    listeners_.notify(source);
}

// -- Visiting, order and memory

void link_store::sort_sources(std::uint32_t target) noexcept {
    listeners_.set_unwritten(false);
    const link_node* node = find(target);
    if (!node || node->sources == 0) {
        return;
    }
    source_list& list = lists_[node->sources];
    close_holes(list, target);
    std::sort(list.data(), list.data() + list.size, std::greater<>{});
    for (std::uint32_t i = 0; i < list.size; ++i) {
        place_of(index_of(list.data()[i]), target).position = i;
    }
}

void link_store::shrink() noexcept {
    pages_.shrink(pair_count_ == 0);
    pools_.shrink();
    if (pair_count_ == 0) {
        lists_.release(mem_);
        further_.release(mem_);
    }
}

const char* link_store::check_invariants(const entity_index& entities) const noexcept {
    std::uint32_t pairs = 0;
    std::uint32_t sources = 0;
    for (std::uint32_t source = next_source(1); source != 0; source = next_source(source + 1)) {
        ++sources;
        std::uint32_t count = target_count(source);
        if (count == 0 || (exclusive_ && count != 1)) {
            return "a source of a sparse relationship has no target, or too many";
        }
        for (std::uint32_t i = 0; i < count; ++i, ++pairs) {
            std::uint32_t target = target_at(source, i);
            const link_node& node = *find(source);
            std::uint32_t position =
                i == 0 ? node.position : further_[node.rest].positions()[i - 1];
            source_span listed = this->sources(target);
            if (position >= listed.size || listed.items[position] != entities.alive_at(source) ||
                listed.items[position] == 0 || !entities.alive_at(target)) {
                return "a target does not list one of its sources";
            }
            if (!has(source, target)) {
                return "a source does not find one of its targets";
            }
            if (exclusive_ && node.rest != generation_of(entities.alive_at(target))) {
                return "a link has the wrong generation of its target";
            }
        }
    }
    std::uint32_t listed = 0;
    for (const link_page* page : pages_.all()) {
        std::uint32_t used = 0;
        for (std::uint32_t i = 0; page && i < link_page_size; ++i) {
            const link_node& node = page->nodes[i];
            used += node.target != 0 || node.sources != 0;
            if (node.sources != 0) {
                source_span all = lists_[node.sources].span();
                auto live = static_cast<std::uint32_t>(
                    all.size - std::count(all.items, all.items + all.size, entity_t{0}));
                if (live == 0 || live != all.live) {
                    return "a list of sources counts wrongly";
                }
                listed += live;
            }
        }
        if (page && used != page->used) {
            return "a page of links counts wrongly";
        }
    }
    if (pairs != pair_count_ || listed != pair_count_ || sources != source_count_ ||
        pools_.used() > pairs) {
        return "a sparse relationship counts its pairs wrongly";
    }
    return nullptr;
}

}  // namespace kith::storage
