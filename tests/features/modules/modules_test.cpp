// Modules: what their constructors make becomes theirs.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;

namespace {

struct Speed {
    int value = 0;
};
struct Fuel {
    int value = 0;
};

int simple_built = 0;
struct Simple {
    explicit Simple(kith::world& world) {
        ++simple_built;
        world.component<Speed>();
        world.entity("Tool");
        world.prefab("Template").set(Speed{3});
    }
};

struct Named {
    explicit Named(kith::world& world) {
        world.module<Named>("my::module");
        world.entity("Inside");
        world.component<Fuel>();
    }
};

struct Outer {
    explicit Outer(kith::world& world) {
        world.module<Outer>();
        world.entity("Before");
        world.import <Simple>();
        world.entity("After");
    }
};

struct Stateful {
    int answer = 0;
    kith::entity made;
    explicit Stateful(kith::world& world) : answer(42), made(world.entity("Made")) {}
};

struct Failing {
    static inline bool fail = true;
    explicit Failing(kith::world& world) {
        world.entity("Half");
        if (fail) {
            throw 7;
        }
    }
};

}  // namespace

TEST_SUITE("features.modules.modules") {
    // spec 76
    TEST_CASE("what a module makes becomes its child, types included") {
        kith::world world;
        kith::entity module = world.import <Simple>();
        CHECK(module.has(kith::Module));
        CHECK(module == world.entity<Simple>());
        CHECK(module.lookup("Tool").parent() == module);
        CHECK(module.lookup("Template").has(kith::Prefab));
        CHECK(world.component<Speed>().parent() == module);
        CHECK_FALSE(world.lookup("Tool"));
        kith::entity e = world.entity().is_a(module.lookup("Template"));
        CHECK(e.get<Speed>()->value == 3);
        world.check();
    }

    // spec 76
    TEST_CASE("the scope is as it was after an import") {
        kith::world world;
        kith::entity scope = world.entity("scope");
        world.set_scope(scope);
        world.import <Simple>();
        CHECK(world.get_scope() == scope);
        CHECK(world.entity("x").parent() == scope);
        world.set_scope(0);
        world.import <Outer>();
        CHECK_FALSE(world.get_scope());
    }

    // spec 76
    TEST_CASE("a module is imported once") {
        kith::world world;
        const int before = simple_built;
        kith::entity first = world.import <Simple>();
        CHECK(world.import <Simple>() == first);
        CHECK(simple_built == before + 1);
        kith::world other;
        other.import <Simple>();
        CHECK(simple_built == before + 2);
    }

    // spec 76
    TEST_CASE("a module gives itself a path") {
        kith::world world;
        kith::entity module = world.import <Named>();
        CHECK(module.path() == "::my::module");
        CHECK(world.lookup("my::module::Inside").parent() == module);
        CHECK(world.component<Fuel>().parent() == module);
        CHECK(module.has(kith::Module));
        world.check();
    }

    // spec 76
    TEST_CASE("a module that imports another one goes on in its own scope") {
        kith::world world;
        kith::entity outer = world.import <Outer>();
        kith::entity simple = world.entity<Simple>();
        CHECK(outer.lookup("Before"));
        CHECK(outer.lookup("After"));
        CHECK(simple.lookup("Tool"));
        CHECK_FALSE(outer.lookup("Tool"));
        CHECK(simple.has(kith::Module));
        world.check();
    }

    TEST_CASE("a module with data is kept") {
        kith::world world;
        kith::entity module = world.import <Stateful>();
        REQUIRE(world.get<Stateful>());
        CHECK(world.get<Stateful>()->answer == 42);
        CHECK(world.get<Stateful>()->made == module.lookup("Made"));
        world.check();
    }

    TEST_CASE("a module that fails is not imported, and may be again") {
        kith::world world;
        kith::entity scope = world.entity("scope");
        world.set_scope(scope);
        Failing::fail = true;
        CHECK_THROWS_AS(world.import <Failing>(), int);
        CHECK(world.get_scope() == scope);
        world.check();
        Failing::fail = false;
        kith::entity module = world.import <Failing>();
        CHECK(module.has(kith::Module));
        CHECK(module.lookup("Half"));
        world.check();
    }

    TEST_CASE("an import inside of with gives the module's contents nothing else") {
        kith::world world;
        kith::entity module;
        world.with<Hot>([&] { module = world.import <Stateful>(); });
        CHECK(module.has(kith::Module));
        CHECK(module.lookup("Made").parent() == module);
        world.check();
    }

    TEST_CASE("deleting a module deletes its contents") {
        kith::world world;
        kith::entity module = world.import <Stateful>();
        kith::entity made = module.lookup("Made");
        const auto code = error_of([&] { module.destruct(); });
        // In use by its own value: refused, or gone with all its children.
        CHECK(made.is_alive() == module.is_alive());
        CHECK(module.is_alive() == code.has_value());
        world.check();
    }
}
