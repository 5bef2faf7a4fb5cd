#include "containers/memory.hpp"

#include "support/counting_resource.hpp"

#include <cstring>
#include <vector>

using namespace kith::containers;

TEST_SUITE("unit.containers.memory") {
    TEST_CASE("blocks are aligned and do not overlap") {
        kith_test::counting_resource resource;
        const kith::world_memory upstream = kith::use_memory(resource);
        memory mem(&upstream);
        struct block {
            unsigned char* data;
            std::size_t size;
            std::size_t alignment;
        };
        std::vector<block> blocks;
        for (std::size_t i = 0; i < 500; ++i) {
            const std::size_t size = 1 + i * 37 % 2000;
            const std::size_t alignment = std::size_t{16} << (i % 4);
            auto* data = static_cast<unsigned char*>(mem.allocate(size, purpose::rows, alignment));
            CHECK(reinterpret_cast<std::uintptr_t>(data) % alignment == 0);
            std::memset(data, static_cast<int>(i % 251), size);
            blocks.push_back({data, size, alignment});
        }
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            for (std::size_t at = 0; at < blocks[i].size; ++at) {
                REQUIRE(blocks[i].data[at] == i % 251);
            }
            mem.release(blocks[i].data, blocks[i].size, purpose::rows, blocks[i].alignment);
        }
        CHECK(mem.bytes(purpose::rows) == 0);
    }

    TEST_CASE("a small block that was given back is used again") {
        memory mem(nullptr);
        void* first = mem.allocate(40, purpose::names);
        CHECK(mem.bytes(purpose::names) >= 40);
        mem.release(first, 40, purpose::names);
        CHECK(mem.bytes(purpose::names) == 0);
        void* second = mem.allocate(40, purpose::names);
        CHECK(second == first);
        mem.release(second, 40, purpose::names);
    }

    TEST_CASE("nothing costs nothing") {
        memory mem(nullptr);
        CHECK(mem.allocate(0, purpose::rows) == nullptr);
        CHECK_NOTHROW(mem.release(nullptr, 0, purpose::rows));
    }

    TEST_CASE("a resource that fails or returns null gives bad_alloc and no count") {
        kith_test::counting_resource resource;
        const kith::world_memory upstream = kith::use_memory(resource);
        memory mem(&upstream);
        resource.fail_in(1);
        CHECK_THROWS_AS(mem.allocate(100000, purpose::rows), std::bad_alloc);
        CHECK(mem.bytes(purpose::rows) == 0);
        resource.fail_in(1);
        CHECK_THROWS_AS(mem.allocate(10, purpose::rows), std::bad_alloc);
        CHECK(mem.bytes(purpose::rows) == 0);
        const kith::world_memory nothing{
            [](void*, std::size_t, std::size_t) -> void* { return nullptr; },
            [](void*, void*, std::size_t, std::size_t) noexcept {}, nullptr};
        memory empty(&nothing);
        CHECK_THROWS_AS(empty.allocate(10, purpose::rows), std::bad_alloc);
    }
}
