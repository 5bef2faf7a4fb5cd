// Values for entities, by their indices: pages are made where entities are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kith::dsl {

template <class T>
class by_index {
public:
    // Makes the value if there is none.
    T& operator[](std::uint32_t index) {
        const std::size_t page = index / page_size;
        if (page >= pages_.size()) {
            pages_.resize(page + 1);
        }
        if (!pages_[page]) {
            pages_[page] = std::make_unique<T[]>(page_size);
        }
        return pages_[page][index % page_size];
    }
    // Null: no value near the index was made.
    const T* find(std::uint32_t index) const {
        const std::size_t page = index / page_size;
        return page < pages_.size() && pages_[page] ? &pages_[page][index % page_size] : nullptr;
    }

private:
    static constexpr std::size_t page_size = 1024;
    std::vector<std::unique_ptr<T[]>> pages_;
};

}  // namespace kith::dsl
