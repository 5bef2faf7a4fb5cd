// Modules: types that set up a part of a world.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <stdexcept>

using kith::errc;
using kith_test::error_of;

namespace module_test {

struct Mass {
    int value = 0;
};

int made = 0;

struct Physics {
    explicit Physics(kith::world& world) {
        ++made;
        world.component<Mass>();
        gravity = world.entity("gravity").set(Mass{10});
    }
    kith::entity gravity;
};

struct Empty {
    explicit Empty(const kith::world& world) { world.entity("content"); }
};

struct Named {
    explicit Named(kith::world& world) {
        world.module<Named>("engine::sound");
        world.entity("speaker");
    }
};

struct AtRoot {
    explicit AtRoot(kith::world& world) {
        world.entity("before");
        world.module<AtRoot>("audio");
        world.entity("after");
    }
};

struct Second;
struct First {
    explicit First(kith::world& world);
};
struct Second {
    explicit Second(kith::world& world) {
        world.import <First>();
        world.entity("of_second");
    }
};
First::First(kith::world& world) {
    world.import <Second>();
    world.entity("of_first");
}

bool fails = false;
struct Fragile {
    explicit Fragile(kith::world& world) : number(0) {
        world.entity("part");
        if (fails) {
            throw std::runtime_error("no");
        }
        number = 7;
    }
    int number;
};

}  // namespace module_test

using namespace module_test;

TEST_SUITE("features.modules.import") {
    // spec 76
    TEST_CASE("what a module makes belongs to the module") {
        kith::world world;
        made = 0;
        kith::entity module = world.import <Physics>();
        CHECK(made == 1);
        CHECK(module == world.component<Physics>());
        CHECK(module.path() == "::module_test::Physics");
        CHECK(module.has(kith::Module));
        CHECK(world.lookup("module_test::Physics::gravity").get<Mass>()->value == 10);
        CHECK(world.component<Mass>().parent() == module);
        CHECK_FALSE(world.get_scope());
        world.check();
    }

    TEST_CASE("a module is made once, and kept if it has data") {
        kith::world world;
        made = 0;
        kith::entity first = world.import <Physics>();
        CHECK(world.import <Physics>() == first);
        CHECK(made == 1);
        REQUIRE(world.get<Physics>());
        CHECK(world.get<Physics>()->gravity == first.lookup("gravity"));
        CHECK(world.import <Empty>().lookup("content"));
        kith::world other;
        other.import <Physics>();
        CHECK(made == 2);
    }

    TEST_CASE("a module chooses its path") {
        kith::world world;
        kith::entity module = world.import <Named>();
        CHECK(module.path() == "::engine::sound");
        CHECK(world.lookup("engine::sound::speaker"));
        CHECK(world.import <Named>() == module);
        kith::entity audio = world.import <AtRoot>();
        CHECK(audio.path() == "::audio");
        CHECK(world.lookup("audio::before"));
        CHECK(world.lookup("audio::after"));
        CHECK_FALSE(world.get_scope());
        world.check();
    }

    TEST_CASE("a path that is taken is an error") {
        kith::world world;
        kith::entity taken = world.entity("engine::sound");
        CHECK(error_of([&] { world.import <Named>(); }) == errc::name_taken);
        CHECK_FALSE(world.get_scope());
        CHECK(world.component<Named>().path() == "::module_test::Named");
        taken.destruct();
        CHECK(world.import <Named>().path() == "::engine::sound");
        CHECK(error_of([&] { world.module<Empty>("engine::"); }) == errc::invalid_name);
        world.check();
    }

    TEST_CASE("modules may import each other") {
        kith::world world;
        kith::entity first = world.import <First>();
        kith::entity second = world.lookup("module_test::Second");
        CHECK(first.lookup("of_first"));
        CHECK(second.lookup("of_second"));
        CHECK(second.parent() == first.parent());
        CHECK(world.import <Second>() == second);
    }

    TEST_CASE("the scope and `with` around an import stay out of it") {
        kith::world world;
        kith::entity scope = world.entity("scope");
        kith::entity tag = world.entity();
        kith::entity module;
        scope.scope([&] {
            tag.with([&] {
                module = world.import <Empty>();
                CHECK(world.get_scope() == scope);
                CHECK(world.entity().has(tag));
            });
        });
        CHECK(module.path() == "::module_test::Empty");
        CHECK_FALSE(module.lookup("content").has(tag));
    }

    TEST_CASE("a module whose constructor throws is not imported") {
        kith::world world;
        kith::entity scope = world.entity();
        world.set_scope(scope);
        fails = true;
        CHECK_THROWS_AS(world.import <Fragile>(), std::runtime_error);
        CHECK(world.get_scope() == scope);
        CHECK_FALSE(world.get<Fragile>());
        CHECK_THROWS_AS(world.import <Fragile>(), std::runtime_error);
        fails = false;
        kith::entity module = world.import <Fragile>();
        CHECK(world.get<Fragile>()->number == 7);
        CHECK(module.lookup("part"));
        world.check();
    }

    TEST_CASE("modules can be imported while the world is deferred") {
        kith::world world;
        kith::entity module;
        world.defer([&] { module = world.import <Physics>(); });
        REQUIRE(world.get<Physics>());
        CHECK(module.lookup("gravity").get<Mass>()->value == 10);
        world.check();
    }

    TEST_CASE("outside of an import, module() makes a scope") {
        kith::world world;
        kith::entity module = world.module<Empty>("tools");
        CHECK(world.get_scope() == module);
        CHECK(module.has(kith::Module));
        CHECK(world.entity("hammer").path() == "::tools::hammer");
        world.set_scope(0);
        CHECK(world.import <Empty>().lookup("content"));
    }

    TEST_CASE("a module that was deleted can be imported again") {
        kith::world world;
        kith::entity module = world.import <Empty>();
        module.destruct();
        CHECK(world.import <Empty>().lookup("content"));
        world.check();
    }
}
