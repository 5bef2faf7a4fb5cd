// Link stores (link_store.hpp): room for links, adding and removing them, and the check of the
// invariants.
#include "storage/link_store.hpp"

#include "base/assert.hpp"
#include "base/hash.hpp"
#include "types/component_type.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>

namespace kith::storage {

using containers::purpose;
using detail::link_page_bits;
using detail::link_page_size;

namespace {

// Makes room for two new lists, unless a free list can be reused. List numbers start at 1.
template <class List>
void reserve_list(containers::memory& mem, containers::vec<List>& lists, std::uint32_t free) {
    if (free == 0) {
        lists.reserve_extra(mem, 3, purpose::sparse);  // number 0, and two for reserve_pair()
        if (lists.empty()) {
            lists.push_reserved({});
        }
    }
}

}  // namespace

link_store::~link_store() {
    // Only stores with pools have values to destroy.
    for (std::uint32_t source = next_source(1); source != 0 && !pools_.empty();
         source = next_source(source + 1)) {
        for (std::uint32_t i = target_count(source); i-- > 0;) {
            std::uint32_t target = target_at(source, i);
            if (void* owned = value(source, target)) {
                types::destroy_values(pools_[lists_[find(target)->sources].pool - 1]->info(), owned,
                                      1);
            }
        }
    }
    publish(nullptr);
    for (link_page* page : pages_) {
        if (page) {
            for (const link_node& node : page->nodes) {
                if (node.sources != 0 && lists_[node.sources].capacity > 1) {
                    mem_.release(lists_[node.sources].items,
                                 lists_[node.sources].capacity * sizeof(entity_t), purpose::sparse);
                }
                if (!exclusive_ && node.rest != 0) {
                    mem_.release(further_[node.rest].block, further_[node.rest].bytes(),
                                 purpose::sparse);
                }
            }
            mem_.release(page->slots, link_page_size * sizeof(std::uint32_t), purpose::sparse);
            mem_.release(page, sizeof(link_page), purpose::sparse);
        }
    }
    for (value_pool* pool : pools_) {
        if (pool) {
            pool->release(mem_);
            mem_.release(pool, sizeof(value_pool), purpose::sparse);
        }
    }
    pages_.release(mem_, purpose::sparse);
    lists_.release(mem_, purpose::sparse);
    further_.release(mem_, purpose::sparse);
    pools_.release(mem_, purpose::sparse);
}

void link_store::publish(detail::store_head* head) noexcept {
    if (published_ && !head) {
        published_->parents = nullptr;
        published_->parent_page_count = 0;
    }
    published_ = head;
    if (head) {
        head->parents = pages_.data();
        head->parent_page_count = pages_.size();
    }
}

void link_store::set_exclusive(bool exclusive, const entity_index& entities) noexcept {
    if (exclusive == exclusive_) {
        return;
    }
    for (std::uint32_t source = next_source(1); source != 0; source = next_source(source + 1)) {
        link_node& node = node_at(source);
        if (exclusive) {
            KITH_ASSERT(further_count(node) == 0, "a source has one target");
            free_targets(node);
            node.rest = generation_of(entities.alive_at(node.target));
        } else {
            node.rest = 0;
        }
    }
    exclusive_ = exclusive;
}

std::int32_t link_store::find_in(const target_list& list, std::uint32_t target) noexcept {
    if (list.capacity > short_list) {
        return static_cast<std::int32_t>(*find_hashed(list, target)) - 1;
    }
    for (std::uint32_t i = 0; i < list.count; ++i) {
        if (list.targets()[i] == target) {
            return static_cast<std::int32_t>(i);
        }
    }
    return -1;
}

// The hash entry of a target, or the empty entry where it belongs. Requires: the list has a hash.
std::uint32_t* link_store::find_hashed(const target_list& list, std::uint32_t target) noexcept {
    std::uint32_t mask = list.hash_size() - 1;
    std::uint32_t* hash = list.hash();
    auto position = static_cast<std::uint32_t>(base::mix(target)) & mask;
    while (hash[position] != 0 && list.targets()[hash[position] - 1] != target) {
        position = (position + 1) & mask;
    }
    return &hash[position];
}

void link_store::put_hashed(const target_list& list, std::uint32_t position) noexcept {
    if (list.capacity > short_list) {
        *find_hashed(list, list.targets()[position]) = position + 1;
    }
}

void link_store::erase_hashed(const target_list& list, std::uint32_t position) noexcept {
    if (list.capacity <= short_list) {
        return;
    }
    std::uint32_t mask = list.hash_size() - 1;
    std::uint32_t* hash = list.hash();
    auto hole = static_cast<std::uint32_t>(find_hashed(list, list.targets()[position]) - hash);
    // The gap is closed: each entry behind it that could no longer be reached from its home moves
    // into the gap, and leaves a new one.
    for (std::uint32_t offset = (hole + 1) & mask; hash[offset] != 0;
         offset = (offset + 1) & mask) {
        auto home = static_cast<std::uint32_t>(base::mix(list.targets()[hash[offset] - 1])) & mask;
        if (((offset - home) & mask) >= ((offset - hole) & mask)) {
            hash[hole] = hash[offset];
            hole = offset;
        }
    }
    hash[hole] = 0;
}

// The slot of the value of a link. Requires: the link exists and has a value.
std::uint32_t link_store::slot_of(std::uint32_t source, std::uint32_t target) const noexcept {
    const link_node& node = *find(source);
    if (node.target == target) {
        return pages_[source >> link_page_bits]->slots[source & (link_page_size - 1)];
    }
    return further_[node.rest].slots()[find_further(node, target)];
}

void* link_store::value(std::uint32_t source, std::uint32_t target) const noexcept {
    KITH_ASSERT(has(source, target), "the link exists");
    std::uint32_t pool = lists_[find(target)->sources].pool;
    return pool ? pools_[pool - 1]->at(slot_of(source, target)) : nullptr;
}

// -- Room for links. These functions may throw, and change no link.

void link_store::ensure_page(std::uint32_t index) {
    std::uint32_t page = index >> link_page_bits;
    if (page >= pages_.size()) {
        pages_.reserve_extra(mem_, page + 1 - pages_.size(), purpose::sparse);
        while (pages_.size() <= page) {
            pages_.push_reserved(nullptr);
        }
        publish(published_);
    }
    if (!pages_[page]) {
        void* block = mem_.allocate(sizeof(link_page), purpose::sparse);
        std::memset(block, 0, sizeof(link_page));
        pages_[page] = static_cast<link_page*>(block);
    }
}

// Makes room for the slots of first targets in the page of an index.
void link_store::ensure_slots(std::uint32_t index) {
    link_page& page = page_of(index);
    if (!page.slots) {
        page.slots = static_cast<std::uint32_t*>(
            mem_.allocate(link_page_size * sizeof(std::uint32_t), purpose::sparse));
    }
}

void link_store::reserve_source(std::uint32_t target) {
    link_node& node = node_at(target);
    if (node.sources == 0) {
        reserve_list(mem_, lists_, free_list_);
        return;
    }
    source_list& list = lists_[node.sources];
    if (list.size < list.capacity) {
        return;
    }
    // Where a quarter of the list is holes, closing them makes room without memory.
    if ((list.size - list.live) * 4 > list.size) {
        close_holes(list, target);
        return;
    }
    grow_sources(list, list.capacity < 4 ? 4 : list.capacity + list.capacity / 2);
}

void link_store::reserve_sources(std::uint32_t target, std::uint32_t extra) {
    ensure_page(target);
    link_node& node = node_at(target);
    if (node.sources == 0) {
        reserve_list(mem_, lists_, free_list_);
        return;
    }
    source_list& list = lists_[node.sources];
    if (list.capacity - list.size < extra) {
        grow_sources(list, list.size + extra);
    }
}

void link_store::grow_sources(source_list& list, std::uint32_t capacity) {
    auto* items =
        static_cast<entity_t*>(mem_.allocate(capacity * sizeof(entity_t), purpose::sparse));
    std::memcpy(items, list.data(), list.size * sizeof(entity_t));
    if (list.capacity > 1) {
        mem_.release(list.items, list.capacity * sizeof(entity_t), purpose::sparse);
    }
    list.items = items;
    list.capacity = capacity;
}

// Copies a list of targets into a larger block, or into one with slots, and hashes it anew.
void link_store::grow_targets(target_list& list, std::uint32_t capacity, bool with_slots) {
    target_list grown = list;
    grown.capacity = capacity & 0x7FFFFFFFu;
    grown.has_slots = with_slots;
    grown.block = static_cast<std::uint32_t*>(mem_.allocate(grown.bytes(), purpose::sparse));
    std::memset(grown.hash(), 0, grown.hash_size() * sizeof(std::uint32_t));
    for (std::uint32_t i = 0; i < list.count; ++i) {
        grown.targets()[i] = list.targets()[i];
        grown.positions()[i] = list.positions()[i];
        if (with_slots) {
            grown.slots()[i] = list.has_slots ? list.slots()[i] : 0;
        }
        put_hashed(grown, i);
    }
    mem_.release(list.block, list.bytes(), purpose::sparse);
    list = grown;
}

// Makes room for one more target of a source: in its node, or in its list of further targets.
void link_store::reserve_target(std::uint32_t source, bool with_slot) {
    link_node& node = node_at(source);
    if (node.target == 0 || exclusive_) {
        if (with_slot) {
            ensure_slots(source);
        }
        return;
    }
    if (node.rest == 0) {
        reserve_list(mem_, further_, free_further_);
        target_list list{nullptr, 0, 0, 0};
        grow_targets(list, first_capacity, with_slot);
        if (free_further_ != 0) {
            node.rest = free_further_;
            free_further_ = further_[node.rest].count;
        } else {
            node.rest = further_.size();
            further_.push_reserved({});
        }
        further_[node.rest] = list;
    } else {
        target_list& list = further_[node.rest];
        if (list.count == list.capacity) {
            grow_targets(list, 2 * list.capacity + 1, with_slot || list.has_slots);
        } else if (with_slot && !list.has_slots) {
            grow_targets(list, list.capacity, true);
        }
    }
    if (with_slot) {
        // A further target may become the first one, whose slot lies in the page.
        ensure_slots(source);
    }
}

std::uint32_t link_store::ensure_pool(const type_info& info) {
    for (std::uint32_t i = 0; i < pools_.size(); ++i) {
        if (pools_[i] && &pools_[i]->info() == &info) {
            return i;
        }
    }
    pools_.reserve_extra(mem_, 1, purpose::sparse);
    pools_.push_reserved(::new (mem_.allocate(sizeof(value_pool), purpose::sparse))
                             value_pool(info));
    return pools_.size() - 1;
}

void link_store::forget_type(const type_info& info) noexcept {
    for (value_pool*& pool : pools_) {
        if (pool && &pool->info() == &info) {
            KITH_ASSERT(pool->used() == 0, "no link has a value of a removed type");
            pool->release(mem_);
            mem_.release(pool, sizeof(value_pool), purpose::sparse);
            pool = nullptr;
        }
    }
}

void* link_store::prepare(std::uint32_t source, std::uint32_t target, const type_info* info) {
    KITH_ASSERT(!has(source, target), "a prepared link is new");
    KITH_ASSERT(prepared_pool_ == 0, "the link prepared before was committed or cancelled");
    ensure_page(source);
    ensure_page(target);
    reserve_source(target);
    reserve_target(source, info != nullptr);
    prepared_pool_ = 0;
    if (!info) {
        return nullptr;
    }
    std::uint32_t number = ensure_pool(*info);
    value_pool& pool = *pools_[number];
    pool.prepare(mem_);
    prepared_slot_ = pool.take();
    prepared_pool_ = number + 1;
    return pool.at(prepared_slot_);
}

void link_store::reserve_pair(std::uint32_t source, std::uint32_t target, const type_info* info) {
    ensure_page(source);
    ensure_page(target);
    reserve_source(target);
    reserve_target(source, info != nullptr);
    if (info) {
        pools_[ensure_pool(*info)]->reserve(mem_, 2);
    }
}

void link_store::cancel() noexcept {
    if (prepared_pool_ != 0) {
        pools_[prepared_pool_ - 1]->unreserve(prepared_slot_);
        prepared_pool_ = 0;
    }
}

// -- Adding links

// Appends a source to the list of a target and returns its position. A new list takes the pool of
// the prepared value. Requires: room was reserved.
std::uint32_t link_store::append_source(link_node& target, entity_t source) noexcept {
    if (target.sources == 0) {
        if (free_list_ != 0) {
            target.sources = free_list_;
            free_list_ = lists_[free_list_].size;
        } else {
            target.sources = lists_.size();
            lists_.push_reserved({});
        }
        source_list& list = lists_[target.sources];
        list.single = source;
        list.size = list.live = list.capacity = 1;
        list.pool = prepared_pool_;
        return 0;
    }
    source_list& list = lists_[target.sources];
    list.data()[list.size] = source;
    ++list.live;
    return list.size++;
}

void link_store::commit(entity_t source, entity_t target) noexcept {
    KITH_ASSERT(!has(index_of(source), index_of(target)), "an added link is new");
    link_node& to = node_at(index_of(target));
    link_page& from_page = page_of(index_of(source));
    std::uint32_t index = index_of(source) & (link_page_size - 1);
    link_node& from = from_page.nodes[index];
    page_of(index_of(target)).used += to.target == 0 && to.sources == 0;
    std::uint32_t position = append_source(to, source);
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
        target_list& list = further_[from.rest];
        list.targets()[list.count] = index_of(target);
        list.positions()[list.count] = position;
        if (prepared_pool_ != 0) {
            list.slots()[list.count] = prepared_slot_;
        }
        put_hashed(list, list.count++);
    }
    prepared_pool_ = 0;
    notify(index_of(source));
}

// -- Removing links

void link_store::set_position(std::uint32_t source, std::uint32_t target,
                              std::uint32_t position) noexcept {
    link_node& node = node_at(source);
    if (node.target == target) {
        node.position = position;
    } else {
        further_[node.rest].positions()[find_further(node, target)] = position;
    }
}

std::uint32_t link_store::position_of(std::uint32_t source, std::uint32_t target) const noexcept {
    const link_node& node = *find(source);
    return node.target == target ? node.position
                                 : further_[node.rest].positions()[find_further(node, target)];
}

void link_store::renew(entity_t source, std::uint32_t target) {
    KITH_ASSERT(has(index_of(source), target), "the link exists");
    if (lists_[node_at(target).sources].live == 1) {
        return;
    }
    reserve_source(target);
    drop_source(target, position_of(index_of(source), target));
    set_position(index_of(source), target, append_source(node_at(target), source));
}

// Moves sources into holes in front of them; their order stays.
void link_store::close_holes(source_list& list, std::uint32_t target) noexcept {
    entity_t* items = list.data();
    std::uint32_t filled = 0;
    for (std::uint32_t i = 0; i < list.size; ++i) {
        if (items[i] != 0) {
            if (i != filled) {
                items[filled] = items[i];
                set_position(index_of(items[i]), target, filled);
            }
            ++filled;
        }
    }
    list.size = filled;
}

// Uncounts a node that has just lost its last target or source.
void link_store::mark_unused(std::uint32_t index) noexcept {
    link_node& node = node_at(index);
    page_of(index).used -= node.target == 0 && node.sources == 0;
}

// Removes the source at a position of a target's list; a list without sources is freed.
void link_store::drop_source(std::uint32_t target, std::uint32_t position) noexcept {
    link_node& node = node_at(target);
    source_list& list = lists_[node.sources];
    if (--list.live == 0) {
        if (list.capacity > 1) {
            mem_.release(list.items, list.capacity * sizeof(entity_t), purpose::sparse);
        }
        list.capacity = 0;
        list.size = free_list_;
        free_list_ = node.sources;
        node.sources = 0;
        mark_unused(target);
        listeners_.notify_memory(target);
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

void link_store::free_targets(link_node& node) noexcept {
    if (exclusive_ || node.rest == 0) {
        return;
    }
    target_list& list = further_[node.rest];
    mem_.release(list.block, list.bytes(), purpose::sparse);
    list = {nullptr, free_further_, 0, 0};
    free_further_ = node.rest;
    node.rest = 0;
}

// Removes a further target; the last one takes its position.
void link_store::drop_further(target_list& list, std::uint32_t position) noexcept {
    erase_hashed(list, position);
    std::uint32_t last = --list.count;
    if (position != last) {
        // The hash still finds the last target under its old position; the entry gets the new one.
        if (list.capacity > short_list) {
            *find_hashed(list, list.targets()[last]) = position + 1;
        }
        list.targets()[position] = list.targets()[last];
        list.positions()[position] = list.positions()[last];
        if (list.has_slots) {
            list.slots()[position] = list.slots()[last];
        }
    }
}

// Removes the first target of a source; the last further target, if there is one, takes its place.
void link_store::drop_first(std::uint32_t source, link_node& node) noexcept {
    link_page& page = page_of(source);
    std::uint32_t position = source & (link_page_size - 1);
    if (further_count(node) != 0) {
        target_list& list = further_[node.rest];
        std::uint32_t last = list.count - 1;
        node.target = list.targets()[last];
        node.position = list.positions()[last];
        if (list.has_slots) {
            page.slots[position] = list.slots()[last];
        }
        drop_further(list, last);
        return;
    }
    free_targets(node);
    node.target = node.rest = node.position = 0;
    page.occupied[position / 64] &= ~(std::uint64_t{1} << (position % 64));
    --source_count_;
    mark_unused(source);
}

void link_store::remove(std::uint32_t source, std::uint32_t target, bool destroy) noexcept {
    KITH_ASSERT(has(source, target), "a removed link exists");
    link_node& node = node_at(source);
    if (std::uint32_t pool = pools_.empty() ? 0 : lists_[node_at(target).sources].pool) {
        std::uint32_t slot = slot_of(source, target);
        if (destroy) {
            types::destroy_values(pools_[pool - 1]->info(), pools_[pool - 1]->at(slot), 1);
        }
        pools_[pool - 1]->unreserve(slot);
    }
    --pair_count_;
    if (node.target == target) {
        std::uint32_t position = node.position;
        // The node of the source changes first: the source may be its own target.
        drop_first(source, node);
        drop_source(target, position);
    } else {
        target_list& list = further_[node.rest];
        auto index = static_cast<std::uint32_t>(find_in(list, target));
        std::uint32_t position = list.positions()[index];
        drop_further(list, index);
        drop_source(target, position);
    }
    notify(source);
}

// -- Visiting, order and memory

std::uint32_t link_store::next_source(std::uint32_t from) const noexcept {
    for (std::uint32_t page = from >> link_page_bits; page < pages_.size(); ++page) {
        std::uint32_t position = page == from >> link_page_bits ? from & (link_page_size - 1) : 0;
        for (std::uint32_t word = position / 64; pages_[page] && word < link_page_size / 64;
             ++word) {
            std::uint64_t bits = pages_[page]->occupied[word];
            if (word == position / 64) {
                bits &= ~std::uint64_t{0} << (position % 64);
            }
            if (bits != 0) {
                return (page << link_page_bits) + word * 64 +
                       static_cast<std::uint32_t>(std::countr_zero(bits));
            }
        }
    }
    return 0;
}

void link_store::sort_sources(std::uint32_t target) noexcept {
    const link_node* node = find(target);
    if (!node || node->sources == 0) {
        return;
    }
    source_list& list = lists_[node->sources];
    close_holes(list, target);
    std::sort(list.data(), list.data() + list.size, std::greater<>{});
    for (std::uint32_t i = 0; i < list.size; ++i) {
        set_position(index_of(list.data()[i]), target, i);
    }
}

void link_store::shrink() noexcept {
    for (link_page*& page : pages_) {
        if (page && page->used == 0) {
            mem_.release(page->slots, link_page_size * sizeof(std::uint32_t), purpose::sparse);
            mem_.release(page, sizeof(link_page), purpose::sparse);
            page = nullptr;
        }
    }
    for (value_pool* pool : pools_) {
        if (pool && pool->used() == 0) {
            pool->release(mem_);
        }
    }
    if (pair_count_ == 0) {
        lists_.release(mem_, purpose::sparse);
        further_.release(mem_, purpose::sparse);
        pages_.release(mem_, purpose::sparse);
        free_list_ = free_further_ = 0;
        publish(published_);
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
    for (std::uint32_t page = 0; page < pages_.size(); ++page) {
        std::uint32_t used = 0;
        for (std::uint32_t i = 0; pages_[page] && i < link_page_size; ++i) {
            const link_node& node = pages_[page]->nodes[i];
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
        if (pages_[page] && used != pages_[page]->used) {
            return "a page of links counts wrongly";
        }
    }
    std::uint32_t values = 0;
    for (const value_pool* pool : pools_) {
        values += pool ? pool->used() : 0;
    }
    if (pairs != pair_count_ || listed != pair_count_ || sources != source_count_ ||
        values > pairs) {
        return "a sparse relationship counts its pairs wrongly";
    }
    return nullptr;
}

}  // namespace kith::storage
