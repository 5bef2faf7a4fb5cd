// A memory resource that counts, checks that everything comes back as it was taken, and fails on
// demand.
#pragma once

#include <kith/memory_resource.hpp>

#include <cstddef>
#include <map>
#include <memory_resource>
#include <new>

#include <doctest/doctest.h>

namespace kith_test {

class counting_resource : public std::pmr::memory_resource {
public:
    ~counting_resource() override { CHECK(blocks_.empty()); }

    std::size_t allocations() const { return allocations_; }
    std::size_t bytes() const { return bytes_; }
    std::size_t blocks() const { return blocks_.size(); }
    // The nth allocation from now on fails; 0: none does.
    void fail_in(std::size_t n) { fail_in_ = n; }
    // From now on, every allocation fails until fail_in(0).
    void fail_always() { always_ = true; }
    void work_again() {
        always_ = false;
        fail_in_ = 0;
    }

private:
    struct block {
        std::size_t size;
        std::size_t alignment;
    };

    void* do_allocate(std::size_t size, std::size_t alignment) override {
        ++allocations_;
        if (always_ || (fail_in_ > 0 && --fail_in_ == 0)) {
            throw std::bad_alloc();
        }
        void* memory = ::operator new (size, std::align_val_t{alignment});
        blocks_[memory] = {size, alignment};
        bytes_ += size;
        return memory;
    }
    void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override {
        auto found = blocks_.find(memory);
        REQUIRE(found != blocks_.end());
        CHECK(found->second.size == size);
        CHECK(found->second.alignment == alignment);
        bytes_ -= found->second.size;
        blocks_.erase(found);
        ::operator delete (memory, std::align_val_t{alignment});
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }

    std::map<void*, block> blocks_;
    std::size_t allocations_ = 0;
    std::size_t bytes_ = 0;
    std::size_t fail_in_ = 0;
    bool always_ = false;
};

}  // namespace kith_test
