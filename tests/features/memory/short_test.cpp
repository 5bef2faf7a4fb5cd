// A single operation that fails for lack of memory leaves the world as it was, whoever listens.
#include <kith/kith.hpp>
#include <kith/world_text.hpp>

#include <new>

#include <doctest/doctest.h>

namespace {

struct Place {
    double x = 0;
};
struct Speed {
    double x = 0;
};
struct Marked {};

// Memory whose nth allocation fails; -1: none.
struct scarce {
    long fail_at = -1;
    long count = 0;

    kith::world_memory memory() {
        return {[](void* self, std::size_t size, std::size_t alignment) -> void* {
                    auto& own = *static_cast<scarce*>(self);
                    if (own.count++ == own.fail_at) {
                        throw std::bad_alloc();
                    }
                    return ::operator new(size, std::align_val_t(alignment));
                },
                [](void*, void* block, std::size_t, std::size_t alignment) noexcept {
                    ::operator delete(block, std::align_val_t(alignment));
                },
                this, false};
    }
};

// Runs the operation with each of its allocations failing; none may leave a change behind.
template <class Prepare, class Change, class IsChanged>
void check_each_failure(Prepare&& prepare, Change&& change, IsChanged&& is_changed) {
    bool failed = true;
    for (long at = 0; failed; ++at) {
        REQUIRE(at < 400);
        scarce memory;
        kith::world world(memory.memory());
        prepare(world);
        memory.count = 0;
        memory.fail_at = at;
        failed = false;
        try {
            change(world);
        } catch (const std::bad_alloc&) {
            failed = true;
        }
        memory.fail_at = -1;
        CAPTURE(at);
        CHECK(is_changed(world) != failed);
        world.check();
    }
}

}  // namespace

TEST_SUITE("features.memory.short") {
    TEST_CASE("a value is set or not, with an observer of two terms") {
        check_each_failure(
            [](kith::world& world) {
                world.entity("e");
                world.observer<Place, Speed>()
                    .event(kith::OnAdd)
                    .each([](kith::entity, Place&, Speed&) {});
            },
            [](kith::world& world) { world.entity("e").set(Place{1}); },
            [](kith::world& world) { return world.entity("e").has<Place>(); });
    }

    TEST_CASE("a value is set or not, with an observer that has a variable") {
        check_each_failure(
            [](kith::world& world) {
                world.entity("e");
                world.entity("R");
                world.component<Place>();
                world.observer()
                    .expr("Place($x), (R, $x)")
                    .event(kith::OnAdd)
                    .each([](kith::entity) {});
            },
            [](kith::world& world) { world.entity("e").set(Place{1}); },
            [](kith::world& world) { return world.entity("e").has<Place>(); });
    }

    TEST_CASE("a tag is added or not, with an observer of what instances see") {
        check_each_failure(
            [](kith::world& world) {
                auto e = world.entity("e");
                world.component<Marked>();
                world.component<Place>();
                for (int i = 0; i < 3; ++i) {
                    world.entity().is_a(e);
                }
                world.observer<Marked>().with<Place>().event(kith::OnAdd).each([](kith::entity) {});
            },
            [](kith::world& world) { world.entity("e").add<Marked>(); },
            [](kith::world& world) { return world.entity("e").has<Marked>(); });
    }

    TEST_CASE("several values are written or none") {
        check_each_failure(
            [](kith::world& world) {
                world.entity("e");
                world.component<Place>();
                world.component<Speed>();
            },
            [](kith::world& world) { world.entity("e").set([](Place&, Speed&) {}); },
            [](kith::world& world) {
                return world.entity("e").has<Place>() || world.entity("e").has<Speed>();
            });
    }

    TEST_CASE("an entity is cloned or not, with an observer") {
        check_each_failure(
            [](kith::world& world) {
                world.entity("e").set(Place{1}).add<Marked>();
                world.component<Speed>();
                world.observer<Place, Speed>()
                    .event(kith::OnAdd)
                    .each([](kith::entity, Place&, Speed&) {});
            },
            [](kith::world& world) { world.entity("e").clone(); },
            [](kith::world& world) { return world.count<Place>() != 1; });
    }

    TEST_CASE("all lose an id or none does") {
        check_each_failure(
            [](kith::world& world) {
                for (int i = 0; i < 3; ++i) {
                    world.entity().set(Place{1}).add<Marked>();
                    world.entity().set(Speed{1}).add<Marked>();
                }
            },
            [](kith::world& world) { world.remove_all<Marked>(); },
            [](kith::world& world) { return world.count<Marked>() != 6; });
    }

    TEST_CASE("an observer is made or not, and so is the one of a single entity") {
        check_each_failure(
            [](kith::world& world) {
                world.component<Marked>();
                world.observer<Place>().event(kith::OnAdd).each([](Place&) {});
            },
            [](kith::world& world) {
                world.observer<Marked>("named").event(kith::OnAdd).each([](kith::entity) {});
            },
            [](kith::world& world) {
                return world.count(kith::Observer) != 1 || world.lookup("named");
            });
        check_each_failure(
            [](kith::world& world) {
                world.component<Marked>();
                world.entity("f").observe<Marked>([] {});
                world.entity("e");
            },
            [](kith::world& world) { world.entity("e").observe<Marked>([] {}); },
            [](kith::world& world) {
                int observers = 0;
                world.entity("e").children(kith::detail::observes,
                                           [&](kith::entity) { ++observers; });
                return observers != 0;
            });
    }

    TEST_CASE("a text is loaded or not") {
        check_each_failure([](kith::world& world) { world.entity("e"); },
                           [](kith::world& world) {
                               kith::load_text(
                                   world,
                                   "a { b: T, (R, e) }\ne: T, (R, a.b)\nSymmetric(S)\nS(e, a)\n");
                           },
                           [](kith::world& world) {
                               return world.lookup("a") || world.lookup("T") || world.lookup("S") ||
                                      world.entity("e").type().count() != 1;
                           });
    }

    TEST_CASE("a type is registered as a whole or not at all, and can be used afterwards") {
        check_each_failure([](kith::world& world) { world.entity("e"); },
                           [](kith::world& world) { world.entity("e").set(Place{1}); },
                           [](kith::world& world) {
                               const kith::entity type = world.entity(kith::type_id<Place>());
                               CHECK((!type.is_alive() || type.has<kith::Component>()));
                               const bool has_value = world.entity("e").has<Place>();
                               CHECK(world.component<Place>().has<kith::Component>());
                               CHECK(world.component<Place>().name() == "Place");
                               CHECK(world.component<Place>().symbol());
                               return has_value;
                           });
    }
}
