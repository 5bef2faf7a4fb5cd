// The pages of link stores, declared in link_pages.hpp.
#include "storage/link_pages.hpp"

#include <bit>
#include <cstring>

namespace kith::storage {

using containers::purpose;
using detail::link_page_bits;
using detail::link_page_size;

link_pages::~link_pages() {
    publish(nullptr);
    for (link_page* page : pages_) {
        release(page);
    }
    pages_.release(mem_, purpose::sparse);
}

void link_pages::release(link_page* page) noexcept {
    if (page) {
        mem_.release(page->slots, link_page_size * sizeof(std::uint32_t), purpose::sparse);
        mem_.release(page, sizeof(link_page), purpose::sparse);
    }
}

void link_pages::publish(detail::store_head* head) noexcept {
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

void link_pages::ensure(std::uint32_t index) {
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

void link_pages::ensure_slots(std::uint32_t index) {
    link_page& page = page_of(index);
    if (!page.slots) {
        page.slots = static_cast<std::uint32_t*>(
            mem_.allocate(link_page_size * sizeof(std::uint32_t), purpose::sparse));
    }
}

void link_pages::reserve_like(const link_pages& other) {
    for (std::uint32_t page = 0; page < other.pages_.size(); ++page) {
        if (other.pages_[page]) {
            ensure(page << link_page_bits);
            if (other.pages_[page]->slots) {
                ensure_slots(page << link_page_bits);
            }
        }
    }
}

void link_pages::copy_nodes(const link_pages& other) noexcept {
    for (std::uint32_t page = 0; page < other.pages_.size(); ++page) {
        if (const link_page* from = other.pages_[page]) {
            link_page& to = *pages_[page];
            std::uint32_t* slots = to.slots;
            if (slots) {
                std::memcpy(slots, from->slots, link_page_size * sizeof(std::uint32_t));
            }
            to = *from;
            to.slots = slots;
        }
    }
}

std::uint32_t link_pages::next_source(std::uint32_t from) const noexcept {
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

void link_pages::shrink(bool all) noexcept {
    for (link_page*& page : pages_) {
        if (page && page->used == 0) {
            release(page);
            page = nullptr;
        }
    }
    if (all) {
        pages_.release(mem_, purpose::sparse);
        publish(published_);
    }
}

}  // namespace kith::storage
