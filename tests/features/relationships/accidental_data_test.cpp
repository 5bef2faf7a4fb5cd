// A tag relationship to a component carries the component's value, which is hardly ever meant:
// builds with checks say so, once per pair.
#include <kith/kith.hpp>

#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;

namespace {

#if defined(KITH_ASSERTS) && KITH_ASSERTS
constexpr bool warns = true;
#else
constexpr bool warns = false;
#endif

struct Serializable {};

struct fixture {
    fixture() {
        kith::set_log(
            [](const char* message, void* context) {
                static_cast<std::vector<std::string>*>(context)->push_back(message);
            },
            &messages);
        make_relation<Serializable>(world, sparse);
        make_relation<Eats>(world, sparse);
    }
    ~fixture() { kith::set_log(nullptr, nullptr); }
    fixture(const fixture&) = delete;
    fixture& operator=(const fixture&) = delete;

    std::vector<std::string> messages;
    kith::world world;
    bool sparse = for_both_storages();
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.relationships.accidental_data") {
    // spec 47
    TEST_CASE_FIXTURE(fixture, "add of such a pair warns once, naming it") {
        e.add<Serializable, Position>();
        CHECK(messages.size() == (warns ? 1 : 0));
        if (warns) {
            CHECK(contains(messages.at(0), "Serializable"));
            CHECK(contains(messages.at(0), "Position"));
            CHECK(contains(messages.at(0), "Tag"));
        }
        world.entity().add<Serializable, Position>();
        e.add<Serializable, Position>().remove<Serializable, Position>();
        e.add<Serializable>(world.component<Position>());
        CHECK(messages.size() == (warns ? 1 : 0));
        e.add<Serializable, Velocity>();
        CHECK(messages.size() == (warns ? 2 : 0));
        CHECK(e.get<Serializable, Position>() != nullptr);
    }

    // spec 47
    TEST_CASE_FIXTURE(fixture, "a plain relationship warns too") {
        kith::entity rel = make_relation(world, sparse, "rel");
        e.add_second<Position>(rel);
        CHECK(messages.size() == (warns ? 1 : 0));
    }

    // spec 47
    TEST_CASE_FIXTURE(fixture, "nothing is said where the value is meant, or there is none") {
        world.relation<Eats>();
        kith::entity rel = make_relation(world, sparse, "rel");
        kith::entity tagged = make_relation(world, sparse, "tagged").add(kith::Tag);
        e.set<Serializable, Position>({1, 2});
        e.set_second<Velocity>(rel, Velocity{1, 2});
        e.get_mut_second<Position>(rel);
        e.emplace<Serializable, Label>();
        e.add<Eats, Position>().add<Eats>(rel);
        e.add(tagged, world.component<Position>());
        e.add(rel, e).add<Serializable, Hot>();
        e.child_of(world.component<Position>());
        e.add(kith::With, world.component<Position>());
        const std::string first = messages.empty() ? "" : messages.front();
        CHECK(first == "");
    }
}
