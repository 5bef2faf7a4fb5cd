// Validating hooks of enums: they refuse or replace a constant before an entity gets it, by
// whatever operation.
#include <kith/kith.hpp>

#include <stdexcept>

#include <doctest/doctest.h>

namespace {

enum class Gait { Stand, Walk, Run };

struct Tired {};

// Nobody may run: who wants to is refused, or walks.
struct fixture {
    int event_count = 0;  // ends after the world, whose end notifies observers
    void refuse() {
        world.component<Gait>().on_validate([](kith::entity, kith::entity, Gait& gait) {
            if (gait == Gait::Run) {
                throw std::runtime_error("nobody runs");
            }
        });
    }
    void adjust() {
        world.component<Gait>().on_validate(
            [this](kith::entity holder, kith::entity target, Gait& gait) {
                seen_entity = holder;
                seen_target = target;
                gait = gait == Gait::Run ? Gait::Walk : gait;
            });
    }
    static int value(kith::entity of) {
        return of.has<Gait>() ? static_cast<int>(*of.get<Gait>()) : -1;
    }

    kith::world world;
    kith::entity e = world.entity();
    kith::entity seen_entity;
    kith::entity seen_target;
};

// Each case for constants in tables and beside them.
template <class Body>
void in_both_storages(Body&& body) {
    for (bool sparse : {false, true}) {
        fixture in;
        if (sparse) {
            in.world.component<Gait>().add(kith::Sparse);
        }
        CAPTURE(sparse);
        body(in);
        in.world.check();
    }
}

constexpr int walk = 1;

}  // namespace

TEST_SUITE("features.enums.validation") {
    TEST_CASE("the hook gets the entity, the constant and the value") {
        in_both_storages([](fixture& in) {
            in.adjust();
            in.e.set(Gait::Stand);
            CHECK(in.seen_entity == in.e);
            CHECK(in.seen_target == in.world.to_entity(Gait::Stand));
        });
    }

    TEST_CASE("a constant that is refused changes nothing") {
        in_both_storages([](fixture& in) {
            in.refuse();
            in.e.set(Gait::Walk);
            CHECK_THROWS_WITH(in.e.set(Gait::Run), "nobody runs");
            CHECK_THROWS_WITH(in.e.add(Gait::Run), "nobody runs");
            CHECK_THROWS_WITH(*in.e.get_mut<Gait>() = Gait::Run, "nobody runs");
            CHECK(in.value(in.e) == walk);
            CHECK_THROWS_WITH(in.world.defer([&] { in.e.set(Gait::Run).add<Tired>(); }),
                              "nobody runs");
            CHECK(in.value(in.e) == walk);
            CHECK(in.e.has<Tired>());
        });
    }

    TEST_CASE("the constant that the hook chooses is the one that is added") {
        in_both_storages([](fixture& in) {
            in.adjust();
            in.e.set(Gait::Run);
            CHECK(in.value(in.e) == walk);
            in.e.set(Gait::Stand);
            *in.e.get_mut<Gait>() = Gait::Run;
            CHECK(in.value(in.e) == walk);
            in.e.remove<Gait>();
            in.world.defer([&] { in.e.add<Tired>().set(Gait::Run); });
            CHECK(in.value(in.e) == walk);
        });
    }

    TEST_CASE("a hook that chooses the constant which is there changes nothing") {
        in_both_storages([](fixture& in) {
            in.e.set(Gait::Walk);
            in.adjust();
            in.world.observer<Gait>()
                .event(kith::OnAdd)
                .event(kith::OnRemove)
                .each([&in](kith::entity) { ++in.event_count; });
            in.e.set(Gait::Run);
            CHECK(in.value(in.e) == walk);
            CHECK(in.event_count == 0);
        });
    }

    TEST_CASE("observers are told of the constant that the hook has chosen") {
        in_both_storages([](fixture& in) {
            in.adjust();
            int told = -1;
            in.world.observer<Gait>().event(kith::OnSet).each([&](Gait gait) {
                told = static_cast<int>(gait);
            });
            in.e.set(Gait::Run);
            CHECK(told == walk);
        });
    }

    TEST_CASE("copies and bulks are validated") {
        in_both_storages([](fixture& in) {
            in.e.set(Gait::Run);
            in.adjust();
            CHECK(in.value(in.e.clone(true)) == walk);
            const kith::id_t run =
                in.world.pair(in.world.component<Gait>(), in.world.to_entity(Gait::Run));
            for (kith::entity_t made : in.world.bulk(2, &run, 1, nullptr)) {
                CHECK(in.value(kith::entity(in.world, made)) == walk);
            }
        });
    }

    TEST_CASE("an instance gets what the hook makes of its prefab's constant") {
        fixture in;
        auto prefab = in.world.prefab().set_override(Gait::Run);
        in.adjust();
        CHECK(in.value(in.world.entity().is_a(prefab)) == walk);
    }
}
