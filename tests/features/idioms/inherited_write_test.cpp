// The value that an instance inherits is that of its base: to write it is to write it for all.
#include <kith/kith.hpp>

#include <string>
#include <vector>

namespace {

struct Hp {
    int value;
};
struct Armor {
    int value;
};
struct Near {
    int meters;
};
struct Enemy {};

struct fixture {
    fixture() {
        kith::set_log(
            [](const char* message, void* context) {
                static_cast<fixture*>(context)->messages.emplace_back(message);
            },
            this);
    }
    ~fixture() { kith::set_log(nullptr); }

    bool says(const char* part) const {
        return !messages.empty() && messages.back().find(part) != std::string::npos;
    }

    std::vector<std::string> messages;
    kith::world world;
    kith::entity base = world.prefab("Fighter").set(Hp{100});
    kith::entity a = world.entity("a").is_a(base);
    kith::entity b = world.entity("b").is_a(base);
};

}  // namespace

TEST_SUITE("features.idioms.inherited_write") {
    TEST_CASE_FIXTURE(fixture, "a callback that may write what is inherited is warned of") {
        auto query = world.query<Hp>();
        query.each([](kith::entity e, Hp& hp) { hp.value -= e.name() == "a" ? 10 : 0; });
        CHECK(base.get<Hp>()->value == 90);  // matched as before
        REQUIRE(messages.size() == 1);
        CHECK(says("Hp"));
        CHECK(says("base Fighter"));
        CHECK(says("instance a"));
        CHECK(says("const Hp"));
        CHECK(says("override"));
        CHECK(says(".self()"));
    }

    TEST_CASE_FIXTURE(fixture, "the warning comes once per query") {
        auto query = world.query<Hp>();
        for (int i = 0; i < 3; ++i) {
            query.each([](Hp&) {});
        }
        CHECK(messages.size() == 1);
        world.query<Hp>().each([](Hp&) {});
        CHECK(messages.size() == 2);
    }

    TEST_CASE_FIXTURE(fixture, "every kind of run warns") {
        SUBCASE("filter") {
            world.filter<Hp>().each([](Hp&) {});
        }
        SUBCASE("generic callback") {
            world.query<Hp>().each([](auto& hp) { hp.value = 1; });
        }
        SUBCASE("pointer") {
            world.query<Hp*>().each([](Hp*) {});
        }
        SUBCASE("iterator and row") {
            world.query<Hp>().each([](kith::iter&, std::size_t, Hp&) {});
        }
        SUBCASE("table-wise") {
            world.query<Hp>().iter([](kith::iter&, Hp*) {});
        }
        SUBCASE("field") {
            world.query<Hp>().iter([](kith::iter& it) { it.field<Hp>(1); });
        }
        SUBCASE("sorted") {
            world.query_builder<Hp>().order_by(&Hp::value).build().each([](Hp&) {});
        }
        SUBCASE("grouped") {
            world.query_builder<Hp>().group_by(kith::IsA).build().each([](Hp&) {});
        }
        SUBCASE("page") {
            world.query<Hp>().page(0, 1).each([](Hp&) {});
        }
        SUBCASE("find") {
            world.query<Hp>().find([](Hp&) { return true; });
        }
        SUBCASE("rows as a range") {
            for (auto [e, hp] : world.query<Hp>()) {
                hp.value += static_cast<int>(e.id() & 0);
            }
        }
        SUBCASE("rows that changed") {
            world.query_builder<Hp>().track_rows().build().each_changed([](Hp&) {});
        }
        SUBCASE("one entity") {
            auto run = world.query<Hp>().iter();
            run.set_var(0, b).each([](Hp&) {});
        }
        SUBCASE("a share") {
            world.query<Hp>().worker(0, 1).each([](Hp&) {});
        }
        SUBCASE("world.each") {
            world.each([](Hp&) {});
        }
        SUBCASE("with another component") {
            a.set(Armor{1});
            world.query<const Armor, Hp>().each([](const Armor&, Hp&) {});
        }
        CHECK(messages.size() == 1);
        CHECK(says("base Fighter"));
    }

    TEST_CASE_FIXTURE(fixture, "pairs and sparse components are warned of as others are") {
        base.set<Near, Enemy>({3});
        world.query<kith::pair<Near, Enemy>>().each([](kith::pair<Near, Enemy>) {});
        CHECK(messages.size() == 1);
        world.component<Armor>().add(kith::Sparse);
        base.set(Armor{2});
        world.query<Armor>().each([](Armor&) {});
        CHECK(messages.size() == 2);
        CHECK(says("Armor"));
        CHECK(says("base Fighter"));
    }

    TEST_CASE_FIXTURE(fixture, "observers that may write what is inherited are warned of") {
        SUBCASE("for each row") {
            world.observer<Hp>().event(kith::OnAdd).each([](kith::entity, Hp&) {});
        }
        SUBCASE("rows together") {
            world.observer<Hp>().event(kith::OnAdd).iter([](kith::iter&, Hp*) {});
        }
        SUBCASE("field") {
            world.observer<Hp>().event(kith::OnAdd).iter([](kith::iter& it) { it.field<Hp>(1); });
        }
        SUBCASE("a value that is set") {
            world.observer<Hp>().event(kith::OnSet).each([](Hp&) {});
        }
        SUBCASE("results that begin") {
            world.observer<Hp>().event(kith::Monitor).each([](Hp&) {});
        }
        SUBCASE("with another component") {
            world.observer<const Armor, Hp>().event(kith::OnAdd).each([](const Armor&, Hp&) {});
        }
        CHECK(messages.empty());
        for (int i = 0; i < 3; ++i) {
            world.entity().set(Armor{1}).is_a(base);
        }
        base.set(Hp{50});
        CHECK(messages.size() == 1);  // once per observer
        CHECK(says("base Fighter"));
    }

    TEST_CASE_FIXTURE(fixture, "an observer is warned of results that there are when it is made") {
        world.observer<Hp>().event(kith::OnAdd).yield_existing().each([](Hp&) {});
        CHECK(messages.size() == 1);
        CHECK(says("instance a"));
    }

    TEST_CASE_FIXTURE(fixture, "a monitor that writes a field is warned of") {
        auto query = world.query<Hp>();
        auto watch = query.monitor([](kith::iter& it) { it.field<Hp>(1); });
        world.entity("c").is_a(base);
        world.entity("d").is_a(base);
        CHECK(messages.size() == 1);
        CHECK(says("instance c"));
    }

    TEST_CASE_FIXTURE(fixture, "observers that only read, or see own values, are not warned") {
        world.observer<Hp>().event(kith::OnAdd).each([](const Hp&) {});
        world.observer<Hp>().event(kith::OnAdd).each([](kith::entity) {});
        world.observer<const Hp>().event(kith::OnSet).each([](const Hp&) {});
        world.observer<Hp>().event(kith::OnAdd).self().each([](Hp&) {});
        world.observer<Hp>().event(kith::OnSet).iter([](kith::iter&, const Hp*) {});
        world.entity().is_a(base);
        world.entity().set(Hp{1});
        CHECK(messages.empty());
    }

    TEST_CASE_FIXTURE(fixture, "calls of world.each with one callback warn once") {
        for (int i = 0; i < 3; ++i) {
            world.each([](kith::entity, Hp& hp, const Armor*) { ++hp.value; });
        }
        CHECK(messages.size() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "who only reads is not warned") {
        world.query<Hp>().each([](const Hp&) {});
        world.query<Hp>().each([](Hp) {});
        world.query<Hp>().each([](kith::entity) {});
        world.query<const Hp>().each([](const Hp&) {});
        world.query<Hp>().iter([](kith::iter&, const Hp*) {});
        world.query<Hp>().iter([](kith::iter& it) { it.field<const Hp>(1); });
        CHECK(world.query<Hp>().count() == 2);
        CHECK(messages.empty());
    }

    TEST_CASE_FIXTURE(fixture, "the ways out that the warning names are silent") {
        world.query_builder<Hp>().self().build().each([](Hp&) {});
        a.add<Hp>();
        b.add<Hp>();
        world.query<Hp>().each([](Hp& hp) { hp.value = 7; });
        CHECK(messages.empty());
        CHECK(base.get<Hp>()->value == 100);
        CHECK(a.get<Hp>()->value == 7);
    }

    TEST_CASE_FIXTURE(fixture,
                      "values of parents, fixed sources and bases that were asked for are meant") {
        kith::entity parent = world.entity("parent").set(Armor{1});
        a.child_of(parent);
        world.query_builder<Armor>().up(kith::ChildOf).build().each([](Armor&) {});
        world.query_builder<Armor>().src(parent).build().each([](Armor&) {});
        world.query_builder<Hp>().up(kith::IsA).build().each([](Hp&) {});
        CHECK(messages.empty());
    }
}
