// And, Or, Not, Optional, and lists of components: the programs of the queries document, completed.
#include <kith/kith.hpp>

#include <sstream>
#include <vector>

#include <doctest/doctest.h>

namespace flecs = kith;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float x = 0, y = 0;
};
struct Speed {
    float value = 0;
};
struct Mass {
    float value = 0;
};

using entities = std::vector<flecs::entity>;

struct fixture {
    template <class Query>
    entities found_by(const Query& query) const {
        entities found;
        query.iter([&](flecs::iter& it) {
            for (auto i : it) {
                found.push_back(it.entity(i));
            }
        });
        return found;
    }

    flecs::world world;
};

// The results of `Position, Velocity || Speed, Mass`, as text.
std::string text_of(const flecs::world& world, const flecs::filter<>& f) {
    std::ostringstream out;
    f.iter([&](flecs::iter& it) {
        auto p = it.field<Position>(1);
        auto m = it.field<Mass>(3);  // not 4, because of the Or expression

        flecs::id vs_id = it.id(2);
        if (vs_id == world.id<Velocity>()) {
            auto v = it.range().get<Velocity>();
            for (auto i : it) {
                out << p[i].x << " velocity " << v[i].x << " mass " << m[i].value << "\n";
            }
        } else if (vs_id == world.id<Speed>()) {
            auto s = it.range().get<Speed>();
            for (auto i : it) {
                out << p[i].x << " speed " << s[i].value << " mass " << m[i].value << "\n";
            }
        }
    });
    return out.str();
}

}  // namespace

TEST_SUITE("seeds.queries_operators") {
    TEST_CASE_FIXTURE(fixture, "terms without an operator must all match, as with And") {
        flecs::entity both = world.entity().add<Position>().add<Velocity>();
        world.entity().add<Position>();
        world.entity().add<Velocity>();

        flecs::filter<Position, Velocity> f_1 = world.filter<Position, Velocity>();

        flecs::filter<> f_2 = world.filter_builder().term<Position>().term<Velocity>().build();

        flecs::filter<> f_3 = world.filter_builder()
                                  .term<Position>()
                                  .oper(flecs::And)
                                  .term<Velocity>()
                                  .oper(flecs::And)
                                  .build();

        flecs::filter<> f_4 =
            world.filter_builder().term<Position>().and_().term<Velocity>().and_().build();

        CHECK(found_by(f_1) == entities{both});
        CHECK(found_by(f_2) == entities{both});
        CHECK(found_by(f_3) == entities{both});
        CHECK(found_by(f_4) == entities{both});
    }

    TEST_CASE_FIXTURE(fixture, "terms joined by Or give one field") {
        world.entity().set<Position>({1, 0}).set<Velocity>({2, 0}).set<Mass>({3});
        world.entity().set<Position>({4, 0}).set<Speed>({5}).set<Mass>({6});
        world.entity().set<Position>({7, 0}).set<Mass>({8});

        flecs::filter<> f = world.filter_builder()
                                .term<Position>()
                                .term<Velocity>()
                                .oper(flecs::Or)
                                .term<Speed>()
                                .term<Mass>()
                                .build();
        CHECK(text_of(world, f) == "1 velocity 2 mass 3\n4 speed 5 mass 6\n");

        flecs::filter<> short_form = world.filter_builder()
                                         .term<Position>()
                                         .term<Velocity>()
                                         .or_()
                                         .term<Speed>()
                                         .term<Mass>()
                                         .build();
        CHECK(text_of(world, short_form) == text_of(world, f));
        CHECK(f.field_count() == 3);
    }

    TEST_CASE_FIXTURE(fixture, "Not leaves out what has the component") {
        flecs::entity still = world.entity().add<Position>();
        world.entity().add<Position>().add<Velocity>();

        flecs::filter<> f =
            world.filter_builder().term<Position>().term<Velocity>().oper(flecs::Not).build();
        flecs::filter<> short_form =
            world.filter_builder().term<Position>().term<Velocity>().not_().build();

        CHECK(found_by(f) == entities{still});
        CHECK(found_by(short_form) == entities{still});
    }

    TEST_CASE_FIXTURE(fixture, "Optional gives the component where it is") {
        flecs::entity still = world.entity().set<Position>({1, 2});
        flecs::entity moving = world.entity().set<Position>({3, 4}).set<Velocity>({5, 6});

        flecs::filter<> f =
            world.filter_builder().term<Position>().term<Velocity>().oper(flecs::Optional).build();

        int with = 0;
        int without = 0;
        f.iter([&](flecs::iter& it) {
            auto p = it.field<Position>(1);

            if (it.is_set(2)) {
                auto v = it.field<Velocity>(2);
                for (auto i : it) {
                    CHECK(it.entity(i) == moving);
                    CHECK(p[i].x + v[i].x == 8);
                    ++with;
                }
            } else {
                for (auto i : it) {
                    CHECK(it.entity(i) == still);
                    CHECK(p[i].x == 1);
                    ++without;
                }
            }
        });
        CHECK(with == 1);
        CHECK(without == 1);

        flecs::filter<> short_form =
            world.filter_builder().term<Position>().term<Velocity>().optional().build();
        CHECK(short_form.count() == 2);
    }

    TEST_CASE_FIXTURE(fixture, "the components of a prefab serve as a list of terms") {
        flecs::entity type_list = world.prefab().add<Position>().add<Velocity>();
        flecs::entity both = world.entity().add<Position>().add<Velocity>();
        flecs::entity one = world.entity().add<Position>().add<Mass>();
        flecs::entity none = world.entity().add<Mass>();

        // match Position, Velocity
        CHECK(found_by(world.filter_builder().term(type_list).oper(flecs::AndFrom).build()) ==
              entities{both});
        // match Position || Velocity
        CHECK(found_by(world.filter_builder().term(type_list).oper(flecs::OrFrom).build()) ==
              entities{both, one});
        // match !Position, !Velocity
        CHECK(
            found_by(
                world.filter_builder().term<Mass>().term(type_list).oper(flecs::NotFrom).build()) ==
            entities{none});
    }

    TEST_CASE_FIXTURE(fixture, "the three list operators stand in one query, and contradict") {
        flecs::entity type_list = world.prefab().add<Position>().add<Velocity>();
        world.entity().add<Position>().add<Velocity>();
        world.entity().add<Position>();
        world.entity().add<Mass>();

        flecs::filter<> f = world.filter_builder()
                                .term(type_list)
                                .oper(flecs::AndFrom)
                                .term(type_list)
                                .oper(flecs::OrFrom)
                                .term(type_list)
                                .oper(flecs::NotFrom)
                                .build();
        CHECK(f.count() == 0);
        flecs::filter<> two =
            world.filter_builder().term(type_list).and_from().term(type_list).or_from().build();
        CHECK(two.count() == 1);
        flecs::filter<> three = world.filter_builder()
                                    .term(type_list)
                                    .and_from()
                                    .term(type_list)
                                    .or_from()
                                    .term(type_list)
                                    .not_from()
                                    .build();
        CHECK(three.count() == 0);
    }
}
