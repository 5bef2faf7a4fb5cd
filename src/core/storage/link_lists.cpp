// The lists of link stores, declared in link_lists.hpp.
#include "storage/link_lists.hpp"

#include "base/hash.hpp"

#include <cstring>

namespace kith::storage {

using containers::purpose;

std::int32_t target_list::find(std::uint32_t target) const noexcept {
    if (capacity > short_list) {
        return static_cast<std::int32_t>(*find_hashed(target)) - 1;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        if (targets()[i] == target) {
            return static_cast<std::int32_t>(i);
        }
    }
    return -1;
}

std::uint32_t* target_list::find_hashed(std::uint32_t target) const noexcept {
    std::uint32_t mask = hash_size() - 1;
    std::uint32_t* entries = hash();
    auto position = static_cast<std::uint32_t>(base::mix(target)) & mask;
    while (entries[position] != 0 && targets()[entries[position] - 1] != target) {
        position = (position + 1) & mask;
    }
    return &entries[position];
}

void target_list::put_hashed(std::uint32_t number) noexcept {
    if (capacity > short_list) {
        *find_hashed(targets()[number]) = number + 1;
    }
}

void target_list::erase_hashed(std::uint32_t number) noexcept {
    if (capacity <= short_list) {
        return;
    }
    std::uint32_t mask = hash_size() - 1;
    std::uint32_t* entries = hash();
    auto hole = static_cast<std::uint32_t>(find_hashed(targets()[number]) - entries);
    // The gap is closed: each entry behind it that could no longer be reached from its home moves
    // into the gap, and leaves a new one.
    for (std::uint32_t offset = (hole + 1) & mask; entries[offset] != 0;
         offset = (offset + 1) & mask) {
        auto home = static_cast<std::uint32_t>(base::mix(targets()[entries[offset] - 1])) & mask;
        if (((offset - home) & mask) >= ((offset - hole) & mask)) {
            entries[hole] = entries[offset];
            hole = offset;
        }
    }
    entries[hole] = 0;
}

void target_list::add(std::uint32_t target, std::uint32_t position, std::uint32_t slot) noexcept {
    targets()[count] = target;
    positions()[count] = position;
    if (has_slots) {
        slots()[count] = slot;
    }
    put_hashed(count++);
}

void target_list::drop(std::uint32_t number) noexcept {
    erase_hashed(number);
    std::uint32_t last = --count;
    if (number != last) {
        // The hash still finds the last target under its old number; the entry gets the new one.
        if (capacity > short_list) {
            *find_hashed(targets()[last]) = number + 1;
        }
        targets()[number] = targets()[last];
        positions()[number] = positions()[last];
        if (has_slots) {
            slots()[number] = slots()[last];
        }
    }
}

void source_lists::grow(containers::memory& mem, source_list& list, std::uint32_t capacity) {
    auto* items =
        static_cast<entity_t*>(mem.allocate(capacity * sizeof(entity_t), purpose::sparse));
    std::memcpy(items, list.data(), list.size * sizeof(entity_t));
    release_items(mem, list);
    list.items = items;
    list.capacity = capacity;
}

void source_lists::copy_block(containers::memory& mem, source_list& list) {
    if (list.capacity > 1) {
        auto* items =
            static_cast<entity_t*>(mem.allocate(list.capacity * sizeof(entity_t), purpose::sparse));
        std::memcpy(items, list.items, list.size * sizeof(entity_t));
        list.items = items;
    }
}

void target_lists::copy_block(containers::memory& mem, target_list& list) {
    auto* block = static_cast<std::uint32_t*>(mem.allocate(list.bytes(), purpose::sparse));
    std::memcpy(block, list.block, list.bytes());
    list.block = block;
}

void target_lists::reserve_target(containers::memory& mem, std::uint32_t& number, bool with_slot) {
    if (number == 0) {
        reserve_one(mem);
        target_list list{nullptr, 0, 0, 0};
        grow(mem, list, first_capacity, with_slot);
        number = take();
        (*this)[number] = list;
        return;
    }
    target_list& list = (*this)[number];
    if (list.count == list.capacity) {
        grow(mem, list, 2 * list.capacity + 1, with_slot || list.has_slots);
    } else if (with_slot && !list.has_slots) {
        grow(mem, list, list.capacity, true);
    }
}

void target_lists::free_block(containers::memory& mem, std::uint32_t& number) noexcept {
    target_list& list = (*this)[number];
    mem.release(list.block, list.bytes(), purpose::sparse);
    list = {nullptr, 0, 0, 0};
    free(number);
    number = 0;
}

// Copies a list into a larger block, or into one with slots, and hashes it anew.
void target_lists::grow(containers::memory& mem, target_list& list, std::uint32_t capacity,
                        bool with_slots) {
    target_list grown = list;
    grown.capacity = capacity & 0x7FFFFFFFu;
    grown.has_slots = with_slots;
    grown.block = static_cast<std::uint32_t*>(mem.allocate(grown.bytes(), purpose::sparse));
    std::memset(grown.hash(), 0, grown.hash_size() * sizeof(std::uint32_t));
    for (std::uint32_t i = 0; i < list.count; ++i) {
        grown.targets()[i] = list.targets()[i];
        grown.positions()[i] = list.positions()[i];
        if (with_slots) {
            grown.slots()[i] = list.has_slots ? list.slots()[i] : 0;
        }
        grown.put_hashed(i);
    }
    mem.release(list.block, list.bytes(), purpose::sparse);
    list = grown;
}

}  // namespace kith::storage
