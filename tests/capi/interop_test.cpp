#include <kith/interop.hpp>

#include "support/errors.hpp"

#include <stdexcept>
#include <string>

using kith::errc;

// Types of C: the same names, sizes and alignments in C++.
struct CapiPoint {
    double x, y;
};
enum class CapiMood { calm = 3, angry = 7 };
struct CapiOwning {
    CapiOwning() = default;
    CapiOwning(const CapiOwning&) {}
    CapiOwning& operator=(const CapiOwning&) { return *this; }
    ~CapiOwning() {}
    double x = 0, y = 0;
};

namespace {

// Owns a world that C has made.
struct c_world {
    kith_world_t* raw = kith_init();
    ~c_world() { CHECK(kith_fini(raw) == KITH_OK); }
};

[[noreturn]] void throw_foreign(kith_iter_t*) {
    throw std::runtime_error("from C++");
}
[[noreturn]] void throw_kith(kith_iter_t*) {
    throw kith::error(errc::limit, "no more");
}

kith_entity_t observe(kith_world_t* world, kith_entity_t id, kith_iter_action_t callback) {
    kith_observer_desc_t desc{};
    desc.query.terms[0].id = id;
    desc.events[0] = KithOnAdd;
    desc.callback = callback;
    return kith_observer_init(world, &desc);
}

}  // namespace

TEST_SUITE("capi.interop") {
    // spec 427
    TEST_CASE("one world, one component and one query are used from both sides") {
        c_world made;
        kith::world world(made.raw);
        KITH_COMPONENT(world, CapiPoint);
        CHECK(kith_id(CapiPoint) == kith::type_id<CapiPoint>());
        kith::entity ship = world.entity("Ship").set(CapiPoint{1, 2});
        CHECK(kith_get(world, ship, CapiPoint)->y == 2);
        const CapiPoint moved{3, 4};
        CHECK(kith_set_id(world, ship, kith_id(CapiPoint), sizeof moved, &moved) == KITH_OK);
        CHECK(ship.get<CapiPoint>()->x == 3);

        kith_query_t* query = kith::hand_over(world.query<CapiPoint>());
        CHECK(kith_query_count(query) == 1);
        const kith::filter<> shared = kith::share(query);
        kith_query_fini(query);
        CHECK(shared.count() == 1);
        kith_iter_t it;
        CHECK(kith_query_iter(world, shared.ref().get(), &it) == KITH_OK);
        while (kith_iter_next(&it)) {
            const kith::iter view = kith::view(it);
            CHECK(view.entity(0) == ship);
            CHECK(view.field<const CapiPoint>(1)[0].y == 4);
            CHECK(view.table().count() == 1);
        }
    }

    // spec 418
    TEST_CASE("C and C++ explain a query in the same words") {
        const kith::world world;
        auto ship = world.entity("Ship").set(CapiPoint{1, 2});
        const auto query = world.query<CapiPoint>();
        const auto text_of = [](char* given) {
            const std::string text(given ? given : "(none)");
            kith_free(given);
            return text;
        };
        CHECK(text_of(kith_query_str(query.ref().get())) == query.str().c_str());
        CHECK(text_of(kith_query_explain(query.ref().get())) == query.explain().c_str());
        for (const kith::entity e : {ship, world.entity("Empty")}) {
            CHECK(text_of(kith_query_explain_entity(query.ref().get(), e)) ==
                  query.explain(e).c_str());
        }
    }

    // spec 410
    TEST_CASE("the constants of a C++ enum are entities that C finds by their values") {
        c_world made;
        kith::world world(made.raw);
        kith::entity ship = world.entity().add(CapiMood::angry);
        const kith_entity_t mood = kith::type_id<CapiMood>();
        std::int64_t value = 0;
        CHECK(kith_get_enum(made.raw, ship, mood, &value) == KITH_OK);
        CHECK(value == static_cast<std::int64_t>(CapiMood::angry));
        CHECK(kith_enum_constant(made.raw, mood, value) == ship.target(mood));
        CHECK(kith_set_enum(made.raw, ship, mood, static_cast<std::int64_t>(CapiMood::calm)) ==
              KITH_OK);
        CHECK(ship.has(CapiMood::calm));
        CHECK(!ship.has(CapiMood::angry));
    }

    // spec 408
    TEST_CASE("a type of C and a C++ type with other needs conflict") {
        c_world made;
        kith::world(made.raw).component<CapiOwning>();
        CHECK(kith_component_of(made.raw, "CapiOwning", sizeof(CapiOwning), alignof(CapiOwning)) ==
              0);
        CHECK(kith_last_status() == KITH_TYPE_CONFLICT);
        CHECK(std::string(kith_last_message()).find("CapiOwning") != std::string::npos);
    }

    TEST_CASE("exceptions of callbacks become a status, and statuses errors") {
        c_world made;
        const kith_entity_t a = kith_new(made.raw);
        const kith_entity_t b = kith_new(made.raw);
        observe(made.raw, a, throw_foreign);
        observe(made.raw, b, throw_kith);
        CHECK(kith_add_id(made.raw, kith_new(made.raw), a) == KITH_CALLBACK);
        CHECK(std::string(kith_last_message()) == "from C++");
        CHECK(kith::last_error().code() == errc::callback);
        CHECK(kith_add_id(made.raw, kith_new(made.raw), b) == KITH_LIMIT);
        CHECK(kith::last_error().code() == errc::limit);
        CHECK(std::string(kith::last_error().what()) == "no more");
        CHECK(kith_check(made.raw) == KITH_OK);
        CHECK(kith_test::error_of([] { kith::share(nullptr); }) == errc::invalid_query);
        CHECK(kith::hand_over(kith::filter<>()) == nullptr);
    }

    TEST_CASE("an exception of a callback of any kind becomes a status") {
        c_world made;
        kith_world_t* world = made.raw;
        const kith_entity_t tag = kith_new_entity(world, "Tag");
        const kith_entity_t e = kith_new_w_id(world, tag);
        kith_add_pair(world, e, KithChildOf, kith_new_entity(world, "Parent"));
        const auto component = [&](const char* name, const kith_type_hooks_t& hooks) {
            kith_component_desc_t desc{};
            desc.name = name;
            desc.size = desc.alignment = 8;
            desc.hooks = hooks;
            desc.local = true;
            const kith_entity_t added = kith_component_init(world, &desc);
            CHECK(added != 0);
            return added;
        };
        kith_type_hooks_t hooks{};
        hooks.ctor = [](void*, std::int32_t, const kith_type_info_t*) { throw_foreign(nullptr); };
        const kith_entity_t not_made = component("NotMade", hooks);
        hooks = {};
        hooks.copy = hooks.copy_ctor = [](void*, const void*, std::int32_t,
                                          const kith_type_info_t*) { throw_foreign(nullptr); };
        const kith_entity_t not_copied = component("NotCopied", hooks);
        hooks = {};
        hooks.on_add = throw_foreign;
        const kith_entity_t not_added = component("NotAdded", hooks);
        hooks = {};
        hooks.on_set = throw_foreign;
        const kith_entity_t not_set = component("NotSet", hooks);
        const auto fails = [&](bool failed) {
            CHECK(failed);
            CHECK(kith_last_status() == KITH_CALLBACK);
            CHECK(std::string(kith_last_message()).find("from C++") != std::string::npos);
            CHECK(kith_check(world) == KITH_OK);
            kith_clear_error();
        };
        const std::uint64_t value = 1;
        fails(kith_add_id(world, kith_new(world), not_made) != KITH_OK);
        fails(kith_set_id(world, kith_new(world), not_copied, sizeof value, &value) != KITH_OK);
        fails(kith_add_id(world, kith_new(world), not_added) != KITH_OK);
        fails(kith_set_id(world, kith_new(world), not_set, sizeof value, &value) != KITH_OK);
        fails(kith_emplace_id(
                  world, kith_new(world), component("InPlace", {}),
                  [](void*, void*) { throw_foreign(nullptr); }, nullptr) != KITH_OK);
        fails(kith_walk_up(
                  world, e, KithChildOf,
                  [](kith_entity_t, std::int32_t, void*) -> bool { throw_foreign(nullptr); },
                  nullptr, 0) != KITH_OK);
        fails(kith_import(
                  world, [](kith_world_t*, void*) { throw_foreign(nullptr); }, "cpp_module",
                  nullptr) == 0);
        const auto mistake = [](const kith_text_error_t*, void*) { throw_foreign(nullptr); };
        fails(kith_check_query("((", 2, mistake, nullptr) < 0);
        fails(kith_check_text("A((", 3, mistake, nullptr) < 0);

        kith_query_t* query = kith_query_new(world, "Tag");
        kith_monitor_desc_t watched{};
        watched.existing = true;
        watched.callback = throw_foreign;
        fails(kith_monitor_init(query, &watched) == nullptr);
        kith_iter_t it;
        CHECK(kith_query_iter(world, query, &it) == KITH_OK);
        CHECK(kith_iter_stop_on(
                  &it, [](void*) -> bool { throw_foreign(nullptr); }, nullptr) == KITH_OK);
        fails(!kith_iter_next(&it) && it.status == KITH_CALLBACK);
        kith_query_fini(query);

        kith_query_desc_t sorted{};
        sorted.terms[0].id = tag;
        sorted.order_by = [](kith_entity_t, const void*, kith_entity_t, const void*) -> int {
            throw_foreign(nullptr);
        };
        kith_new_w_id(world, tag);
        query = kith_query_init(world, &sorted);
        CHECK(query != nullptr);
        CHECK((kith_query_iter(world, query, &it) != KITH_OK || !kith_iter_next(&it)));
        fails(true);
        kith_query_fini(query);

        kith_system_desc_t system{};
        system.query.terms[0].id = tag;
        system.callback = throw_foreign;
        const kith_entity_t runs = kith_system_init(world, &system);
        fails(kith_run(world, runs, 1, nullptr) != KITH_OK);
        system.run = throw_foreign;
        const kith_entity_t around = kith_system_init(world, &system);
        fails(kith_run(world, around, 1, nullptr) != KITH_OK);
    }
}
