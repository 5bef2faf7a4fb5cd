// The access of systems whose queries compare values.
#include <kith/kith.hpp>
#include <kith/reflect.hpp>

#include "access/system_access.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kith::scheduling;

struct Health {
    int points;
};
struct Rank {
    int value;
};

// The access to the component that follows from the terms.
template <class T>
std::uint32_t access_to(kith::world& world, const char* text) {
    access_list list;
    const auto query = world.query(text);
    add_terms(query.ref().get(), list);
    std::uint32_t how = 0;
    for (const kith::scheduling::access& one : list) {
        how |= one.id == world.component<T>().id() ? one.how : 0;
    }
    return how;
}

}  // namespace

TEST_SUITE("unit.schedule.compared_values") {
    // spec 559
    TEST_CASE("comparisons read the values of both sides") {
        kith::world world;
        kith::reflect<Health, Rank>();
        world.component<Health>();
        world.component<Rank>();
        world.entity("Boss");
        CHECK((access_to<Health>(world, "Health.points < 10") & access_own_read) != 0);
        CHECK((access_to<Health>(world, "Rank, !Health.points < 10") & access_own_read) != 0);
        CHECK((access_to<Health>(world, "Rank.value < Health(Boss).points") & access_any_read) !=
              0);
        CHECK((access_to<Rank>(world, "Health.points < 10") & access_own_read) == 0);
    }
}
