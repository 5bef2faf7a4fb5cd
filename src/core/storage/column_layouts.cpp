// Column layouts (column_layouts.hpp): finding, making and counting them.
#include "storage/column_layouts.hpp"

#include "base/assert.hpp"
#include "base/hash.hpp"

#include <cstring>
#include <new>

namespace kith::storage {

using containers::purpose;

namespace {

std::uint16_t count_low(const table& owner) noexcept {
    std::uint16_t count = 0;
    while (count < owner.id_count && owner.ids[count] < low_id_limit) {
        ++count;
    }
    return count;
}

std::uint64_t hash_columns(const table& owner, std::uint32_t id_count) noexcept {
    std::uint64_t hash = std::uint64_t{owner.entities_offset} << 32 | (owner.flags & layout_flags);
    for (std::uint32_t i = 0; i < id_count; ++i) {
        hash = (hash ^ (owner.ids[i] << 32 | owner.slots[i].offset)) * 0x9E3779B97F4A7C15ull;
        hash ^= hash >> 32;
    }
    return hash;
}

std::size_t bytes_of(std::uint32_t id_count, std::uint32_t low_count) noexcept {
    return sizeof(column_layout) + id_count * sizeof(detail::column) + low_count;
}

}  // namespace

bool column_layouts::fits(const column_layout& layout, const table& owner) noexcept {
    return layout.entities_offset == owner.entities_offset &&
           layout.flags == (owner.flags & layout_flags) && layout.low_count == owner.low_count &&
           (layout.low_count == 0 ||
            (std::memcmp(layout.low(), owner.low(), layout.low_count) == 0 &&
             std::memcmp(layout.slots(), owner.slots, layout.id_count * sizeof(detail::column)) ==
                 0));
}

std::uint32_t column_layouts::add(containers::memory& mem, const table& added) {
    const std::uint16_t id_count = count_low(added);
    const std::uint64_t hash = hash_columns(added, id_count);
    if (const std::uint32_t known =
            index_.find(hash, [&](std::uint32_t number) { return fits(at(number - 1), added); })) {
        ++layouts_[known - 1]->tables;
        return known - 1;
    }
    index_.reserve_one(mem, purpose::tables);
    layouts_.reserve_extra(mem, 1, purpose::tables);
    // remove() must not fail: any number may become free.
    free_.reserve_extra(mem, layouts_.size() + 1 - free_.size(), purpose::tables);
    auto& made = *::new (mem.allocate(bytes_of(id_count, added.low_count), purpose::tables))
                     column_layout{1,
                                   static_cast<std::uint32_t>(hash),
                                   added.entities_offset,
                                   added.flags & layout_flags,
                                   id_count,
                                   added.low_count};
    if (id_count != 0) {
        std::memcpy(const_cast<detail::column*>(made.slots()), added.slots,
                    id_count * sizeof(detail::column));
        std::memcpy(const_cast<std::uint8_t*>(made.low()), added.low(), added.low_count);
    }
    std::uint32_t number = layouts_.size();
    if (free_.empty()) {
        layouts_.push_reserved(&made);
    } else {
        number = free_.back();
        free_.pop();
        layouts_[number] = &made;
    }
    index_.insert_reserved(hash, number + 1);
    return number;
}

void column_layouts::remove(containers::memory& mem, std::uint32_t layout) noexcept {
    column_layout* const unused = layouts_[layout];
    KITH_ASSERT(unused && unused->tables != 0, "the layout of a table is in use");
    if (--unused->tables == 0) {
        index_.erase(unused->hash, layout + 1);
        mem.release(unused, bytes_of(unused->id_count, unused->low_count), purpose::tables);
        layouts_[layout] = nullptr;
        free_.push_reserved(layout);
    }
}

void column_layouts::release(containers::memory& mem) noexcept {
    for (column_layout* layout : layouts_) {
        if (layout) {
            mem.release(layout, bytes_of(layout->id_count, layout->low_count), purpose::tables);
        }
    }
    of_table_.release(mem, purpose::tables);
    layouts_.release(mem, purpose::tables);
    free_.release(mem, purpose::tables);
    index_.release(mem, purpose::tables);
}

}  // namespace kith::storage
