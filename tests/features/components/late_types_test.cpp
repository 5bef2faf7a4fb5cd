// C++ types whose first use in a world is on the entity that has the name of the type.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;

struct LateEngine {
    int power = 0;
};
struct LateMark {};

namespace {

struct fixture : world_fixture {
    kith::entity engine = world.entity("LateEngine").add(world.entity("Kept"));
    kith::entity mark = world.entity("LateMark");

    template <class Change>
    void check_refused(kith::entity changed, Change&& change) {
        CHECK(error_of(change) == errc::in_use);
        CHECK(changed.is_alive());
        CHECK(engine.has(world.lookup("Kept")));
        CHECK_NOTHROW(world.check());
    }
};

}  // namespace

TEST_SUITE("features.components.late_types") {
    TEST_CASE_FIXTURE(fixture, "a type does not take the place of the entity whose value is set") {
        check_refused(engine, [&] { engine.set(LateEngine{3}); });
        check_refused(engine, [&] { engine.emplace<LateEngine>(3); });
    }
    TEST_CASE_FIXTURE(fixture, "a type does not take the place of the entity that it is added to") {
        check_refused(engine, [&] { engine.add<LateEngine>(); });
        check_refused(mark, [&] { mark.add<LateMark>(); });
        check_refused(mark, [&] { mark.add<LateMark>(engine); });
    }
    TEST_CASE_FIXTURE(fixture,
                      "a type does not take the place of the entity whose value is asked "
                      "for to be written") {
        check_refused(engine, [&] { engine.get_mut<LateEngine>(); });
        check_refused(engine, [&] { engine.set([](LateEngine& value) { value.power = 1; }); });
    }
    TEST_CASE_FIXTURE(fixture,
                      "a queued change refuses a type that would take the entity's place") {
        check_refused(engine, [&] { world.defer([&] { engine.set(LateEngine{3}); }); });
        check_refused(engine, [&] { world.defer([&] { engine.get_mut<LateEngine>(); }); });
        check_refused(mark, [&] { world.defer([&] { mark.add<LateMark>(); }); });
    }
    TEST_CASE_FIXTURE(fixture,
                      "a type takes the place of an entity of its name when it is used on "
                      "another one") {
        kith::entity ship = world.entity("ship").set(LateEngine{7});
        CHECK(ship.get<LateEngine>()->power == 7);
        CHECK(!engine.is_alive());
        CHECK(world.lookup("LateEngine").has(world.lookup("Kept")));
        CHECK_NOTHROW(world.check());
    }
}
