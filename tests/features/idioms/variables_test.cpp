// Parameters of callbacks that are variables of the query.
#include <kith/kith.hpp>

#include <set>
#include <string>

namespace {

struct Ship {};
struct Speed {
    int knots;
};
struct DockedTo {
    int days;
};
struct Owns {};

struct fixture {
    fixture() {
        world.component<Ship>();
        world.component<Speed>();
        world.component<DockedTo>();
        world.component<Owns>();
    }
    kith::world world;
    kith::entity lisbon = world.entity("lisbon");
    kith::entity porto = world.entity("porto");
    kith::entity one = world.entity("one").add<Ship>().set(Speed{10}).set<DockedTo>(lisbon, {1});
    kith::entity two = world.entity("two").add<Ship>().set(Speed{20}).set<DockedTo>(porto, {2});
    std::set<std::string> seen;

    void see(kith::entity a, kith::entity b, int number = 0) {
        seen.insert(std::string(a.name().c_str()) + " " + b.name().c_str() +
                    (number ? " " + std::to_string(number) : ""));
    }
};

}  // namespace

TEST_SUITE("features.idioms.variables") {
    TEST_CASE_FIXTURE(fixture, "entities behind the first are the variables in their order") {
        auto query = world.query("Ship, (DockedTo, $port)");
        query.each([&](kith::entity ship, kith::entity port) { see(ship, port); });
        CHECK(seen == std::set<std::string>{"one lisbon", "two porto"});
    }

    TEST_CASE_FIXTURE(fixture, "a variable is named by the type of its parameter") {
        kith::entity ann = world.entity("ann").add<Owns>(one);
        auto query = world.query("Ship, (DockedTo, $port), Owns($owner, $this)");
        query.each([&](kith::entity ship, kith::var<"owner"> owner, kith::var<"port"> port) {
            CHECK(ship == one);
            see(owner, port);
        });
        CHECK(seen == std::set<std::string>{"ann lisbon"});
        seen.clear();
        query.each([&](kith::entity, kith::entity port, kith::entity owner) { see(port, owner); });
        CHECK(seen == std::set<std::string>{"lisbon ann"});
        seen.clear();
        query.each([&](kith::var<"this"> ship) { see(ship, ann); });
        CHECK(seen == std::set<std::string>{"one ann"});
    }

    TEST_CASE_FIXTURE(fixture, "variables and values stand in any order") {
        auto query = world.query_builder<Speed>().expr("(DockedTo, $port)").build();
        query.each([&](kith::entity ship, const Speed& speed, kith::entity port) {
            see(ship, port, speed.knots);
        });
        CHECK(seen == std::set<std::string>{"one lisbon 10", "two porto 20"});
        query.each([](kith::var<"port"> port, Speed& speed) {
            speed.knots = port.name() == "porto" ? 0 : 1;
        });
        CHECK(one.get<Speed>()->knots == 1);
        CHECK(two.get<Speed>()->knots == 0);
        int pointers = 0;
        query.each([&](kith::entity, kith::entity, Speed* speed) { pointers += speed != nullptr; });
        CHECK(pointers == 2);
    }

    TEST_CASE_FIXTURE(fixture, "filters and cached queries bind alike") {
        auto both = [&](auto query) {
            seen.clear();
            query.each([&](kith::entity ship, kith::entity port) { see(ship, port); });
            return seen;
        };
        CHECK(both(world.filter("(DockedTo, $port)")) == both(world.query("(DockedTo, $port)")));
        CHECK(seen.size() == 2);
    }

    TEST_CASE_FIXTURE(fixture, "without $this the first entity is the first variable") {
        auto query = world.query("DockedTo($ship, $port)");
        query.each([&](kith::entity ship, kith::entity port) { see(ship, port); });
        CHECK(seen == std::set<std::string>{"one lisbon", "two porto"});
        seen.clear();
        query.each([&](kith::entity ship) { see(ship, ship); });
        CHECK(seen == std::set<std::string>{"one one", "two two"});
    }

    TEST_CASE_FIXTURE(fixture, "a variable without a value is null") {
        one.remove<DockedTo>(lisbon);
        auto query = world.query("Ship, ?(DockedTo, $port)");
        int without = 0;
        query.each([&](kith::entity, kith::entity port) { without += !port; });
        CHECK(without == 1);
    }

    TEST_CASE_FIXTURE(fixture, "find takes variables as each does") {
        auto query = world.query_builder<Speed>().expr("(DockedTo, $port)").build();
        CHECK(query.find([&](kith::entity, kith::entity port) { return port == porto; }) == two);
        CHECK(query.find([&](kith::var<"port"> port, const Speed&) { return port == lisbon; }) ==
              one);
        CHECK(query.find([](auto& speed) { return speed.knots == 20; }) == two);
        CHECK_FALSE(query.find([](kith::entity, kith::entity port) { return !port; }));
    }

    TEST_CASE_FIXTURE(fixture, "a callback that returns false ends the run") {
        int calls = 0;
        world.query("(DockedTo, $port)").each([&](kith::entity, kith::entity) {
            ++calls;
            return false;
        });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "more entities than variables, and unknown names, are errors") {
        auto query = world.query("Ship, (DockedTo, $port)");
        CHECK_THROWS_AS(query.each([](kith::entity, kith::entity, kith::entity) {}), kith::error);
        CHECK_THROWS_AS(query.each([](kith::entity, kith::var<"harbour">) {}), kith::error);
        CHECK_THROWS_AS(world.query("Ship").each([](kith::entity, kith::entity) {}), kith::error);
    }

    TEST_CASE_FIXTURE(fixture, "each of a relationship also takes the value of its pairs") {
        one.set<DockedTo>(porto, {5});
        int days = 0;
        one.each<DockedTo>([&](kith::entity port, DockedTo& stay) {
            days += stay.days;
            stay.days = port == porto ? 50 : 10;
        });
        CHECK(days == 6);
        CHECK(one.get<DockedTo>(porto)->days == 50);
        one.each<DockedTo>([&](kith::entity, const DockedTo& stay) { days += stay.days; });
        CHECK(days == 66);
        one.each<DockedTo>([&](kith::entity, DockedTo* stay) { days += stay->days; });
        CHECK(days == 126);
        CHECK_THROWS_AS(one.each<DockedTo>([&](kith::entity, DockedTo&) { one.add<Owns>(); }),
                        kith::error);
        CHECK_NOTHROW(one.add<Owns>());
    }

    TEST_CASE("values of sparse pairs are visited as well, and a callback may end the loop") {
        kith::world world;
        world.component<DockedTo>().add(kith::Sparse);
        kith::entity port = world.entity();
        kith::entity other = world.entity();
        kith::entity ship = world.entity().set<DockedTo>(port, {1}).set<DockedTo>(other, {2});
        int calls = 0;
        ship.each<DockedTo>([&](kith::entity, DockedTo& stay) {
            ++calls;
            stay.days += 10;
            return false;
        });
        CHECK(calls == 1);
        CHECK(ship.get<DockedTo>(port)->days + ship.get<DockedTo>(other)->days == 13);
    }

    TEST_CASE("a relationship without a value has only pointers to it") {
        kith::world world;
        world.component<DockedTo>().add(kith::Tag);
        kith::entity port = world.entity();
        kith::entity ship = world.entity().add<DockedTo>(port).add<Owns>(port);
        CHECK_THROWS_AS(ship.each<DockedTo>([](kith::entity, DockedTo&) {}), kith::error);
        int null = 0;
        ship.each<DockedTo>([&](kith::entity, DockedTo* stay) { null += stay == nullptr; });
        ship.each<Owns>([&](kith::entity target, Owns) { null += target == port; });
        CHECK(null == 2);
    }
}
