#include <kith/kith.hpp>

#include "support/counting_resource.hpp"
#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;

namespace {

struct operation {
    const char* name;
    void (*run)(const kith::world& world, kith::entity e, kith::entity other);
};

const operation operations[] = {
    {"create", [](const kith::world& w, kith::entity, kith::entity) { w.entity(); }},
    {"add tag", [](const kith::world&, kith::entity e, kith::entity) { e.add<Cold>(); }},
    {"add pair", [](const kith::world&, kith::entity e, kith::entity o) { e.add<Likes>(o); }},
    {"set",
     [](const kith::world&, kith::entity e, kith::entity) {
         e.set(Velocity{1, 2});
     }},
    {"set string", [](const kith::world&, kith::entity e, kith::entity) { e.set(Label{"x"}); }},
    {"set sparse", [](const kith::world&, kith::entity e, kith::entity) { e.set(Eats{1}); }},
    {"name", [](const kith::world&, kith::entity e, kith::entity) { e.set_name("fresh"); }},
    {"rename", [](const kith::world&, kith::entity, kith::entity o) { o.set_name("fresh"); }},
    {"child", [](const kith::world&, kith::entity e, kith::entity o) { e.child_of(o); }},
    {"disable", [](const kith::world&, kith::entity e, kith::entity) { e.disable<Position>(); }},
    {"clone", [](const kith::world&, kith::entity e, kith::entity) { e.clone(); }},
    {"values",
     [](const kith::world& w, kith::entity, kith::entity) {
         w.entity(Position{1, 2}, Label{"y"}, Wide{3});
     }},
    {"make_alive", [](const kith::world& w, kith::entity, kith::entity) { w.make_alive(100000); }},
    {"remove", [](const kith::world&, kith::entity e, kith::entity) { e.remove<Position>(); }},
    {"bulk",
     [](const kith::world& w, kith::entity, kith::entity) {
         const Position columns[40] = {};
         w.bulk(40, columns);
     }},
};

// Runs the operation in a fresh world whose nth allocation from then on fails. False if it needed
// fewer.
bool fails_cleanly(const operation& tried, std::size_t n) {
    counting_resource memory;
    kith::world world(kith::use_memory(memory));
    register_all(world);
    world.component<Eats>().add(kith::Sparse);
    kith::entity other = world.entity("other");
    kith::entity e = world.entity().set(Position{1, 2}).add<Hot>();
    const std::string before = dump_world(world, all_values(), 1);
    memory.fail_in(n);
    bool failed = false;
    try {
        tried.run(world, e, other);
    } catch (const std::bad_alloc&) {
        failed = true;
    }
    memory.work_again();
    if (failed) {
        CHECK(dump_world(world, all_values(), 1) == before);
    }
    world.check();
    // It works when there is memory again.
    if (failed) {
        CHECK_NOTHROW(tried.run(world, e, other));
        world.check();
    }
    return failed;
}

}  // namespace

TEST_SUITE("features.memory.failure_small") {
    TEST_CASE("every single operation leaves the world as it was when memory runs out") {
        for (const operation& tried : operations) {
            CAPTURE(tried.name);
            std::size_t n = 1;
            while (n < 100 && fails_cleanly(tried, n)) {
                ++n;
            }
            CHECK(n < 100);
        }
    }
}
