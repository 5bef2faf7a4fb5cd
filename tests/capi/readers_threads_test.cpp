#include <kith/kith.h>

#include "support/threads.hpp"

#include <array>
#include <string>

#include <doctest/doctest.h>

using kith_test::on_threads;

namespace {

constexpr int thread_count = 4;

// A world with 400 rows in four tables.
struct readers {
    readers() {
        for (int i = 0; i < 400; ++i) {
            const kith_entity_t e = kith_new(world);
            const double number = i;
            kith_set_id(world, e, value, sizeof number, &number);
            kith_add_id(world, e, tags[static_cast<std::size_t>(i % 4)]);
        }
    }
    ~readers() {
        kith_query_fini(query);
        CHECK(kith_fini(world) == KITH_OK);
    }
    readers(const readers&) = delete;
    readers& operator=(const readers&) = delete;

    kith_world_t* world = kith_init();
    kith_entity_t value = kith_component_of(world, "CapiThreadValue", 8, 8);
    std::array<kith_entity_t, 4> tags{kith_new(world), kith_new(world), kith_new(world),
                                      kith_new(world)};
    kith_query_t* query = kith_query_new(world, "[in] CapiThreadValue");
};

}  // namespace

TEST_SUITE("capi.readers_threads") {
    // spec 431
    TEST_CASE_FIXTURE(readers, "threads share the rows of a query") {
        std::array<int, thread_count> rows{};
        std::array<double, thread_count> sums{};
        on_threads(thread_count, [&](int index) {
            const auto at = static_cast<std::size_t>(index);
            kith_iter_t it;
            kith_query_iter(world, query, &it);
            kith_iter_worker(&it, index, thread_count);
            while (kith_iter_next(&it)) {
                const auto* values = static_cast<const double*>(kith_field_w_size(&it, 8, 1));
                for (int32_t i = 0; i < it.count; ++i) {
                    sums[at] += values[i];
                }
                rows[at] += it.count;
            }
        });
        CHECK(rows[0] + rows[1] + rows[2] + rows[3] == 400);
        CHECK(sums[0] + sums[1] + sums[2] + sums[3] == 399 * 200);
    }

    TEST_CASE_FIXTURE(readers, "threads read a world, and their failures do not mix") {
        std::array<int, thread_count> wrong{};
        on_threads(thread_count, [&](int index) {
            int& mistakes = wrong[static_cast<std::size_t>(index)];
            const std::string name = "Nobody" + std::to_string(index);
            for (int i = 0; i < 50; ++i) {
                kith_clear_error();
                mistakes += kith_lookup(world, name.c_str()) != 0;
                mistakes += kith_last_status() != KITH_OK;
                mistakes += kith_query_count(query) != 400;
                mistakes += kith_get_path(world, 999'999) != nullptr;
                mistakes += kith_last_status() != KITH_INVALID_ENTITY;
                mistakes += kith_make_pair(world, 0, 0) != 0;
                mistakes += kith_last_status() != KITH_INVALID_ID;
            }
        });
        CHECK(wrong == std::array<int, thread_count>{});
    }

    TEST_CASE("types are registered from several threads, each once") {
        std::array<std::array<kith_id_t, 8>, 8> ids{};
        on_threads(8, [&](int index) {
            for (std::size_t i = 0; i < 8; ++i) {
                const std::string name = "CapiThreadType" + std::to_string(i);
                kith_component_desc_t desc{};
                desc.name = name.c_str();
                desc.size = desc.alignment = 8;
                ids[static_cast<std::size_t>(index)][i] = kith_type_register(&desc);
            }
        });
        for (const auto& found : ids) {
            CHECK(found == ids[0]);
            CHECK(found[0] != 0);
        }
    }

    TEST_CASE("worlds of their own are made and used on several threads") {
        on_threads(thread_count, [](int) {
            for (int i = 0; i < 10; ++i) {
                kith_world_t* own = kith_init();
                kith_query_t* prefabs = kith_query_new(own, "Prefab");
                kith_new_w_id(own, KithPrefab);
                kith_query_count(prefabs);
                kith_query_fini(prefabs);
                kith_fini(own);
            }
        });
    }
}
