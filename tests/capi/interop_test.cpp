#include <kith/interop.hpp>

#include "support/errors.hpp"

#include <stdexcept>
#include <string>

using kith::errc;

// Types of C: the same names, sizes and alignments in C++.
struct CapiPoint {
    double x, y;
};
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
}
