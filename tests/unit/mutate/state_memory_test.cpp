#include "mutate/state/state_memory.hpp"

#include <cstdint>
#include <cstring>
#include <optional>

#include <doctest/doctest.h>

using namespace kith::mutate;

TEST_SUITE("unit.mutate.state_memory") {
    TEST_CASE("blocks are aligned and have their size") {
        for (std::size_t size : {1u, 63u, 64u, 65u, 1000u, 1024u, 1025u, 5000u, 70000u, 1200000u}) {
            void* block = allocate_state_block(size);
            CHECK(reinterpret_cast<std::uintptr_t>(block) % state_alignment == 0);
            std::memset(block, 1, size);
            release_state_block(block, size);
        }
        release_state_block(nullptr, 8);
    }

    TEST_CASE("blocks of great alignment are possible") {
        void* block = allocate_state_values(300, 4096);
        CHECK(reinterpret_cast<std::uintptr_t>(block) % 4096 == 0);
        std::memset(block, 1, 300);
        release_state_values(block, 300, 4096);
    }

    TEST_CASE("nothing is kept without a keeper") {
        const std::size_t before = block_keeper::bytes_kept();
        release_state_block(allocate_state_block(5000), 5000);
        CHECK(block_keeper::bytes_kept() == before);
    }

    // spec 574
    TEST_CASE("a keeper keeps blocks for requests of about the same size") {
        std::optional<block_keeper> keeper(std::in_place);
        void* block = allocate_state_block(100000);
        block_keeper::note_use();
        release_state_block(block, 100000);
        CHECK(block_keeper::bytes_kept() >= 100000);
        void* again = allocate_state_block(99000);
        CHECK(again == block);
        CHECK(block_keeper::bytes_kept() < 100000);
        release_state_block(again, 99000);
        keeper.reset();
        CHECK(block_keeper::bytes_kept() == 0);
    }

    // spec 574
    TEST_CASE("hardly more is kept than was in use") {
        block_keeper keeper;
        void* first = allocate_state_block(4096);
        block_keeper::note_use();
        void* second = allocate_state_block(1 << 20);
        release_state_block(second, 1 << 20);
        CHECK(block_keeper::bytes_kept() < (1 << 20));
        release_state_block(first, 4096);
        CHECK(block_keeper::bytes_kept() >= 4096);
    }
}
