// Sparse stores (sparse_store.hpp): the parts that are not inlined.
#include "storage/sparse_store.hpp"

#include "types/component_type.hpp"

#include <cstring>
#include <utility>

namespace kith::storage {

using containers::purpose;

sparse_store::~sparse_store() {
    for (entity_t entity : entities_) {
        if (values_) {
            types::destroy_values(values_->info(), find(index_of(entity)), 1);
        }
    }
    entities_.clear();
    shrink();
    entities_.release(mem_, purpose::sparse);
}

void sparse_store::make_room(std::uint32_t index) {
    entities_.reserve_extra(mem_, 1, purpose::sparse);
    std::uint32_t page = index >> page_bits;
    if (page >= pages_.size()) {
        pages_.reserve_extra(mem_, page + 1 - pages_.size(), purpose::sparse);
        while (pages_.size() <= page) {
            pages_.push_reserved(nullptr);
        }
    }
    if (!pages_[page]) {
        auto* entries =
            static_cast<entry*>(mem_.allocate(page_size * sizeof(entry), purpose::sparse));
        std::memset(static_cast<void*>(entries), 0, page_size * sizeof(entry));
        pages_[page] = entries;
    }
}

bool sparse_store::remove(std::uint32_t index) noexcept {
    if (!has(index)) {
        return false;
    }
    entry& removed = pages_[index >> page_bits][index & (page_size - 1)];
    if (values_) {
        if (!values_->info().trivial_destroy) {
            types::destroy_values(values_->info(), slot_at(removed.slot), 1);
        }
        values_->unreserve(removed.slot);
    }
    // The last entity of the list takes the position of the removed one.
    std::uint32_t position = removed.position - 1;
    entities_.swap_remove(position);
    if (position < entities_.size()) {
        std::uint32_t moved = index_of(entities_[position]);
        pages_[moved >> page_bits][moved & (page_size - 1)].position = position + 1;
    }
    removed = {0, 0};
    notify(index);
    return true;
}

void sparse_store::copy_from(const sparse_store& other) {
    KITH_ASSERT(entities_.empty(), "values are copied into an empty store");
    for (entity_t entity : other.entities_) {
        void* value = prepare(index_of(entity));
        if (value) {
            types::copy_values(values_->info(), value, other.find(index_of(entity)), 1);
        }
        commit(entity);
    }
}

void sparse_store::swap_values(sparse_store& other) noexcept {
    KITH_ASSERT(&mem_ == &other.mem_, "both stores have the same memory");
    std::swap(values_, other.values_);
    std::swap(pages_, other.pages_);
    std::swap(entities_, other.entities_);
}

void sparse_store::shrink() noexcept {
    if (!entities_.empty()) {
        return;
    }
    if (values_) {
        values_->release(mem_);
    }
    for (entry* page : pages_) {
        mem_.release(page, page_size * sizeof(entry), purpose::sparse);
    }
    pages_.release(mem_, purpose::sparse);
}

bool sparse_store::is_consistent() const noexcept {
    std::uint32_t listed = 0;
    for (const entry* page : pages_) {
        for (std::uint32_t i = 0; page && i < page_size; ++i) {
            listed += page[i].position != 0;
        }
    }
    for (std::uint32_t i = 0; i < entities_.size(); ++i) {
        const entry* slot = find_entry(index_of(entities_[i]));
        if (!slot || slot->position != i + 1) {
            return false;
        }
    }
    return listed == entities_.size() && (!values_ || values_->used() == entities_.size());
}

}  // namespace kith::storage
