// Enums as components, and components that the world has once.

#include <kith/kith.hpp>

#include <cstdio>

// [enum]
enum class Status { Idle, Flying, Docked };
// [/enum]

// [range]
enum class Port { Http = 80, Https = 443 };
template <>
struct kith::enum_range<Port> {
    static constexpr std::int64_t min = 80;  // where to look for constants
    static constexpr std::int64_t max = 443;
};
// [/range]

// [clock]
struct Clock {
    int ticks;
};
// [/clock]

int main() {
    kith::world world;

    // [use]
    auto ship = world.entity().add(Status::Idle);
    ship.add(Status::Docked);  // replaces Idle
    std::printf("docked: %s, any status: %s\n", ship.has(Status::Docked) ? "yes" : "no",
                ship.has<Status>() ? "yes" : "no");
    const Status* status = ship.get<Status>();
    std::printf("value %d, as text %s, as id %s\n", static_cast<int>(*status),
                ship.target<Status>().name().c_str(), ship.type().str().c_str());
    std::printf("docked ships: %d\n", world.count(Status::Docked));
    ship.remove<Status>();
    // [/use]

    // [write]
    ship.set(Status::Idle);
    ship.ensure<Status>() = Status::Flying;  // replaces Idle
    if (ship.ensure<Status>() == Status::Flying) {
        *ship.get_mut<Status>() = Status::Docked;
    }
    world.query<Status>().each([](Status& each) {
        each = each == Status::Docked ? Status::Idle : each;  // replaced when the run is over
    });
    world.each([](kith::entity, Status each) { std::printf("now %d\n", static_cast<int>(each)); });
    // [/write]

    // [constants]
    kith::entity flying = world.entity(Status::Flying);  // constants are entities
    std::printf("%s, value %d\n", flying.path().c_str(),
                static_cast<int>(flying.to_constant<Status>()));
    world.entity<Status>().children(
        [](kith::entity constant) { std::printf("%s\n", constant.name().c_str()); });
    std::printf("https is %s\n", world.entity(Port::Https).name().c_str());
    // [/constants]

    // [singleton]
    world.set(Clock{41});
    world.ensure<Clock>().ticks += 1;
    std::printf("%d ticks, on entity %s\n", world.get<Clock>()->ticks,
                world.singleton<Clock>().name().c_str());
    world.remove<Clock>();
    std::printf("clock: %s\n", world.has<Clock>() ? "there" : "gone");
    // [/singleton]
}
