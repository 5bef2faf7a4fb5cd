// Change detection: the examples of the query manual, completed.
#include <kith/kith.hpp>

#include <doctest/doctest.h>

namespace flecs = kith;

namespace {

struct Position {
    float x, y;
};

}  // namespace

TEST_SUITE("seeds.queries_change_detection") {
    TEST_CASE("a query that reads sees what one that writes, and set, have changed") {
        flecs::world world;
        bool dont_change = false;
        int changed_tables = 0;
        flecs::query<const Position> q_read = world.query<const Position>();
        flecs::query<Position> q_write = world.query<Position>();
        auto read = [&] {
            changed_tables = 0;
            q_read.iter([&](flecs::iter& it, const Position*) {
                if (it.changed()) {
                    ++changed_tables;
                }
            });
            return changed_tables;
        };
        auto write = [&] {
            q_write.iter([&](flecs::iter& it, Position* p) {
                if (dont_change) {
                    it.skip();
                } else {
                    p[0].x += 1;
                }
            });
        };

        bool changed = q_read.changed();
        CHECK(changed);
        CHECK(read() == 0);
        CHECK_FALSE(q_read.changed());

        flecs::entity e = world.entity().set<Position>({10, 20});
        CHECK(q_read.changed());
        CHECK(read() == 1);
        CHECK_FALSE(q_read.changed());
        CHECK(read() == 0);

        write();
        CHECK(q_read.changed());
        CHECK(read() == 1);

        dont_change = true;
        write();
        CHECK_FALSE(q_read.changed());

        e.destruct();
        CHECK(q_read.changed());
    }
}
