#include "mutate/context/command_buffer.hpp"

#include <kith/kith.hpp>

#include <vector>

#include <doctest/doctest.h>

using namespace kith::mutate;

namespace {

struct fixture {
    ~fixture() { buffer.release(mem); }

    command* queue(kith::entity_t entity, kith::id_t id = 1) {
        command* queued = buffer.prepare(mem, command_kind::add, entity, id, nullptr);
        buffer.commit(queued);
        return queued;
    }

    kith::containers::memory mem{nullptr};
    command_buffer buffer;
};

}  // namespace

TEST_SUITE("unit.mutate.command_buffer") {
    TEST_CASE_FIXTURE(fixture, "commands are kept in call order and by entity") {
        command* a1 = queue(100);
        command* b1 = queue(200);
        command* a2 = queue(100);
        CHECK(buffer.first() == a1);
        CHECK(a1->following == b1);
        CHECK(b1->following == a2);
        CHECK(a1->next == a2);
        CHECK(buffer.first_of(100) == a1);
        CHECK(buffer.first_of(200) == b1);
        CHECK(buffer.first_of(300) == nullptr);
        CHECK(a1->is_head);
        CHECK_FALSE(a2->is_head);
    }

    TEST_CASE_FIXTURE(fixture, "a new segment starts new chains") {
        command* before = queue(100);
        buffer.start_segment();
        command* after = queue(100);
        CHECK(before->next == nullptr);
        CHECK(after->is_head);
        CHECK(buffer.first_of(100) == after);
    }

    TEST_CASE_FIXTURE(fixture, "what is not committed is not queued") {
        buffer.prepare(mem, command_kind::add, 100, 1, nullptr);
        CHECK(buffer.empty());
        CHECK(buffer.first_of(100) == nullptr);
    }

    TEST_CASE_FIXTURE(fixture, "values behind commands are aligned and stay in place") {
        struct alignas(64) wide {
            int number;
        };
        const kith::type_info info = kith::detail::make_type_info<wide>();
        std::vector<command*> all;
        for (int i = 0; i < 3000; ++i) {
            command* queued =
                buffer.prepare(mem, command_kind::set, static_cast<kith::entity_t>(i), 1, &info);
            CHECK(reinterpret_cast<std::uintptr_t>(queued->value()) % 64 == 0);
            ::new (queued->value()) wide{i};
            buffer.commit(queued);
            all.push_back(queued);
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            REQUIRE(static_cast<wide*>(all[i]->value())->number == static_cast<int>(i));
        }
    }

    TEST_CASE_FIXTURE(fixture, "memory of commands that were run is used again") {
        std::size_t bytes = 0;
        for (int round = 0; round < 5; ++round) {
            for (kith::entity_t e = 1; e < 5000; ++e) {
                queue(e);
            }
            CHECK(buffer.take() != nullptr);
            CHECK(buffer.empty());
            buffer.recycle(mem);
            if (round == 1) {
                bytes = mem.bytes_total();
            }
        }
        CHECK(mem.bytes_total() == bytes);
    }

    TEST_CASE_FIXTURE(fixture, "mentioned entities are remembered") {
        buffer.note_reference(mem, 50);
        CHECK(buffer.is_named_by_queue(50));
        CHECK_FALSE(buffer.is_named_by_queue(51));
    }
}
