// Classic questions about graphs, with known answers: over both storages of relationships, cached
// and not, with the terms in many orders.
#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/relations.hpp"

#include <array>

using namespace kith_test;
using kith::ChildOf;

namespace {

struct fixture {
    // Makes the relationship `name`, or sets the storage of ChildOf.
    kith::entity relation(const char* name) const { return make_relation(world, sparse, name); }
    void link(kith::entity relation,
              std::initializer_list<std::array<const char*, 2>> edges) const {
        for (const auto& [from, to] : edges) {
            world.entity(from).add(relation, world.entity(to));
        }
    }
    // relation($from, $to)
    static clause edge(kith::entity relation, const char* from, const char* to) {
        return [=](kith::filter_builder<>& q) { q.with(relation, to).src(from); };
    }
    static clause has(kith::entity tag, const char* who) {
        return [=](kith::filter_builder<>& q) { q.with(tag).src(who); };
    }
    static clause differ(const char* one, const char* other) {
        return [=](kith::filter_builder<>& q) { q.without(kith::PredEq).src(one).second(other); };
    }
    static clause no_edge(kith::entity relation, const char* from, const char* to) {
        return [=](kith::filter_builder<>& q) { q.without(relation, to).src(from); };
    }
    static clause none_of(const clause_list& inner) {
        return [=](kith::filter_builder<>& q) {
            q.scope_open().not_();
            for (const clause& one : inner) {
                one(q);
            }
            q.scope_close();
        };
    }

    bool sparse = for_both_storages();
    kith::world world;
};

// A friendship is in both directions.
struct friends : fixture {
    friends() {
        knows.add(kith::Symmetric);
        link(knows,
             {{"ann", "ben"}, {"ben", "cat"}, {"cat", "dan"}, {"ann", "eve"}, {"eve", "cat"}});
    }
    kith::entity knows = relation("Knows");
};

struct clan : fixture {
    clan() {
        link(parent, {{"ben", "ann"},
                      {"cat", "ann"},
                      {"dan", "ben"},
                      {"eve", "ben"},
                      {"fay", "cat"},
                      {"gus", "fay"},
                      {"hal", "zoe"}});
    }
    kith::entity parent = relation("Parent");
};

struct company : fixture {
    company() {
        link(reports_to, {{"cto", "ceo"},
                          {"cfo", "ceo"},
                          {"dev_lead", "cto"},
                          {"ops_lead", "cto"},
                          {"dev", "dev_lead"},
                          {"intern", "dev"},
                          {"clerk", "cfo"}});
        world.entity("dev").add(engineer);
        world.entity("intern").add(engineer);
    }
    kith::entity reports_to = relation("ReportsTo").add(kith::Transitive);
    kith::entity engineer = world.entity("Engineer");
};

}  // namespace

TEST_SUITE("features.relationships.graph_questions") {
    TEST_CASE_FIXTURE(fixture, "triangles: cycles of three, each from all of its corners") {
        kith::entity to = relation("To");
        link(to, {{"a", "b"},
                  {"b", "c"},
                  {"c", "a"},
                  {"c", "d"},
                  {"d", "b"},
                  {"a", "d"},
                  {"d", "e"},
                  {"e", "d"}});
        CHECK(answer(world,
                     {edge(to, "$this", "$x"), edge(to, "$x", "$y"), edge(to, "$y", "$this")},
                     {"x", "y"}) ==
              "a x=b y=c; b x=c y=a; b x=c y=d; c x=a y=b; c x=d y=b; d x=b y=c");
    }

    TEST_CASE_FIXTURE(fixture, "triangles: two ways from one corner to another") {
        kith::entity to = relation("To");
        link(to, {{"a", "b"}, {"b", "c"}, {"a", "c"}, {"c", "d"}, {"b", "d"}, {"d", "a"}});
        CHECK(answer(world,
                     {edge(to, "$this", "$x"), edge(to, "$x", "$y"), edge(to, "$this", "$y")},
                     {"x", "y"}) == "a x=b y=c; b x=c y=d");
    }

    TEST_CASE_FIXTURE(fixture, "triangles of a complete graph") {
        kith::entity to = relation("To");
        std::vector<kith::entity> nodes;
        for (int i = 0; i < 8; ++i) {
            nodes.push_back(world.entity());
        }
        for (kith::entity from : nodes) {
            for (kith::entity other : nodes) {
                if (from != other) {
                    from.add(to, other);
                }
            }
        }
        CHECK(question(world,
                       {edge(to, "$this", "$x"), edge(to, "$x", "$y"), edge(to, "$y", "$this")})
                  .count() == 8 * 7 * 6);
        CHECK(question(world,
                       {edge(to, "$this", "$x"), edge(to, "$x", "$y"), edge(to, "$this", "$y")})
                  .count() == 8 * 7 * 6);
    }

    TEST_CASE_FIXTURE(fixture, "triangles appear and vanish with their edges") {
        kith::entity to = relation("To");
        link(to, {{"a", "b"}, {"b", "c"}});
        question cycles(world,
                        {edge(to, "$this", "$x"), edge(to, "$x", "$y"), edge(to, "$y", "$this")},
                        {"x", "y"});
        CHECK(cycles.answer() == "");
        link(to, {{"c", "a"}});
        CHECK(cycles.answer() == "a x=b y=c; b x=c y=a; c x=a y=b");
        world.entity("b").remove(to, world.entity("c"));
        CHECK(cycles.answer() == "");
        link(to, {{"b", "d"}, {"d", "a"}});
        CHECK(cycles.answer() == "a x=b y=d; b x=d y=a; d x=a y=b");
        world.entity("d").destruct();
        CHECK(cycles.answer() == "");
    }

    TEST_CASE_FIXTURE(fixture, "squares: cycles of four") {
        kith::entity to = relation("To");
        link(to, {{"a", "b"}, {"b", "c"}, {"c", "d"}, {"d", "a"}, {"b", "a"}});
        CHECK(answer(world,
                     {edge(to, "$this", "$x"), edge(to, "$x", "$y"), edge(to, "$y", "$z"),
                      edge(to, "$z", "$this"), differ("$this", "$y"), differ("$x", "$z")},
                     {"x", "y", "z"}) ==
              "a x=b y=c z=d; b x=c y=d z=a; c x=d y=a z=b; d x=a y=b z=c");
    }

    TEST_CASE_FIXTURE(friends, "friends of friends that are no friends yet") {
        CHECK(answer(world,
                     {edge(knows, "$this", "$x"), edge(knows, "$x", "$y"), differ("$y", "$this"),
                      no_edge(knows, "$this", "$y")},
                     {"x", "y"}) ==
              "ann x=ben y=cat; ann x=eve y=cat; ben x=ann y=eve; ben x=cat y=dan; "
              "ben x=cat y=eve; cat x=ben y=ann; cat x=eve y=ann; dan x=cat y=ben; "
              "dan x=cat y=eve; eve x=ann y=ben; eve x=cat y=ben; eve x=cat y=dan");
    }

    TEST_CASE_FIXTURE(friends, "people that two given ones both know") {
        CHECK(answer(world, {[&](auto& q) { q.with(knows, "$this").src("ann"); },
                             [&](auto& q) { q.with(knows, "$this").src("cat"); }}) == "ben; eve");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(knows, "$x").src("ann"); },
                      [&](auto& q) { q.with(knows, "$x").src("cat"); }},
                     {"x"}) == "() x=ben; () x=eve");
    }

    TEST_CASE_FIXTURE(friends, "who knows everyone that somebody knows") {
        // Those for whom there is nobody that dan knows and they do not.
        CHECK(answer(world,
                     {edge(knows, "$this", "$any"),
                      [&](auto& q) { q.without(kith::PredEq).second("dan"); },
                      none_of({[&](auto& q) { q.with(knows, "$x").src("dan"); },
                               no_edge(knows, "$this", "$x")})},
                     {"any"}) == "ben any=ann; ben any=cat; eve any=ann; eve any=cat");
    }

    TEST_CASE_FIXTURE(clan, "common ancestors") {
        parent.add(kith::Transitive);
        CHECK(answer(world, {[&](auto& q) { q.with(parent, "$this").src("dan"); },
                             [&](auto& q) { q.with(parent, "$this").src("eve"); }}) == "ann; ben");
        CHECK(answer(world, {[&](auto& q) { q.with(parent, "$this").src("dan"); },
                             [&](auto& q) { q.with(parent, "$this").src("gus"); }}) == "ann");
        CHECK(answer(world, {[&](auto& q) { q.with(parent, "$this").src("dan"); },
                             [&](auto& q) { q.with(parent, "$this").src("hal"); }}) == "");
    }

    TEST_CASE_FIXTURE(clan, "nearest common ancestors") {
        parent.add(kith::Transitive);
        auto nearest = [&](const char* one, const char* other) {
            auto above = [this](const char* who, const char* variable) -> clause {
                return [=, this](kith::filter_builder<>& q) { q.with(parent, variable).src(who); };
            };
            return answer(
                world,
                {above(one, "$this"), above(other, "$this"),
                 none_of({above(one, "$x"), above(other, "$x"), edge(parent, "$x", "$this")})});
        };
        CHECK(nearest("dan", "eve") == "ben");
        CHECK(nearest("eve", "gus") == "ann");
        CHECK(nearest("fay", "gus") == "cat");
        CHECK(nearest("gus", "hal") == "");
    }

    TEST_CASE_FIXTURE(clan, "same generation: brothers and sisters") {
        CHECK(answer(world,
                     {edge(parent, "$this", "$p"), edge(parent, "$x", "$p"), differ("$this", "$x")},
                     {"x"}) == "ben x=cat; cat x=ben; dan x=eve; eve x=dan");
    }

    TEST_CASE_FIXTURE(clan, "same generation: cousins") {
        CHECK(answer(world,
                     {edge(parent, "$this", "$p"), edge(parent, "$p", "$g"),
                      edge(parent, "$q", "$g"), edge(parent, "$x", "$q"), differ("$p", "$q")},
                     {"x"}) == "dan x=fay; eve x=fay; fay x=dan; fay x=eve");
    }

    TEST_CASE_FIXTURE(clan, "grandparents and grandchildren") {
        CHECK(answer(world, {edge(parent, "$x", "$this"), edge(parent, "$y", "$x")}, {"y"}) ==
              "ann y=dan; ann y=eve; ann y=fay; cat y=gus");
    }

    TEST_CASE_FIXTURE(clan, "leaves, roots, and what is between") {
        CHECK(answer(world, {edge(parent, "$this", "$p"),
                             none_of({edge(parent, "$c", "$this")})}) == "dan; eve; gus; hal");
        CHECK(answer(world, {edge(parent, "$c", "$this"), none_of({edge(parent, "$this", "$p")})},
                     {"c"}) == "ann c=ben; ann c=cat; zoe c=hal");
        CHECK(answer(world, {edge(parent, "$this", "$p"), edge(parent, "$c", "$this")}, {"c"}) ==
              "ben c=dan; ben c=eve; cat c=fay; fay c=gus");
    }

    TEST_CASE_FIXTURE(fixture, "parents none of whose children have something") {
        set_hierarchy(world, sparse);
        kith::entity person = world.entity("Person");
        kith::entity ill = world.entity("Ill");
        for (const char* name : {"ann", "ben", "cat", "dan"}) {
            world.entity(name).add(person);
        }
        world.entity("ann::a1").add(ill);
        world.entity("ann::a2");
        world.entity("ben::b1");
        world.entity("ben::b2");
        world.entity("cat::c1").add(ill);
        // Dan has no children.
        question without_ill(
            world,
            {has(person, "$this"), [](auto& q) { q.with(ChildOf, "$this").src("$child"); },
             none_of({[](auto& q) { q.with(ChildOf, "$this").src("$c"); }, has(ill, "$c")})},
            {"child"});
        CHECK(without_ill.answer() == "ben child=b1; ben child=b2");
        question none_ill(
            world,
            {has(person, "$this"),
             none_of({[](auto& q) { q.with(ChildOf, "$this").src("$c"); }, has(ill, "$c")})});
        CHECK(none_ill.answer() == "ben; dan");
        question all_ill(world, {has(person, "$this"),
                                 none_of({[](auto& q) { q.with(ChildOf, "$this").src("$c"); },
                                          [&](auto& q) { q.without(ill).src("$c"); }})});
        CHECK(all_ill.answer() == "cat; dan");

        world.lookup("cat::c1").remove(ill);
        world.lookup("ben::b2").add(ill);
        world.entity("dan::d1").add(ill);
        CHECK(without_ill.answer() == "cat child=c1");
        CHECK(none_ill.answer() == "cat");
        CHECK(all_ill.answer() == "dan");
    }

    TEST_CASE_FIXTURE(company, "org charts: everyone below somebody") {
        CHECK(answer(world, {[&](auto& q) { q.with(reports_to, "cto"); }}) ==
              "dev; dev_lead; intern; ops_lead");
        CHECK(answer(world, {[&](auto& q) { q.with(reports_to, "ceo"); },
                             [&](auto& q) { q.with(engineer); }}) == "dev; intern");
    }

    TEST_CASE_FIXTURE(company, "org charts: the chain of command") {
        CHECK(answer(world, {[&](auto& q) { q.with(reports_to, "$this").src("intern"); }}) ==
              "ceo; cto; dev; dev_lead");
        CHECK(
            answer(world, {has(engineer, "$this"), edge(reports_to, "$this", "$boss")}, {"boss"}) ==
            "dev boss=ceo; dev boss=cto; dev boss=dev_lead; intern boss=ceo; intern boss=cto; "
            "intern boss=dev; intern boss=dev_lead");
    }

    TEST_CASE_FIXTURE(company, "org charts: bosses of two people, and of no engineer") {
        CHECK(answer(world, {[&](auto& q) { q.with(reports_to, "$this").src("intern"); },
                             [&](auto& q) { q.with(reports_to, "$this").src("clerk"); }}) == "ceo");
        CHECK(answer(world,
                     {edge(reports_to, "$x", "$this"),
                      none_of({edge(reports_to, "$y", "$this"), has(engineer, "$y")})},
                     {"x"}) == "cfo x=clerk");
    }

    TEST_CASE_FIXTURE(company, "org charts: after a reorganisation") {
        question below(world, {[&](auto& q) { q.with(reports_to, "cfo"); }});
        CHECK(below.answer() == "clerk");
        world.entity("dev_lead").remove(reports_to, world.entity("cto"));
        world.entity("dev_lead").add(reports_to, world.entity("cfo"));
        CHECK(below.answer() == "clerk; dev; dev_lead; intern");
        world.entity("dev").destruct();
        CHECK(below.answer() == "clerk; dev_lead");
    }

    TEST_CASE_FIXTURE(fixture, "mutual likes") {
        kith::entity likes = relation("Likes");
        link(likes,
             {{"ann", "ben"}, {"ben", "ann"}, {"ben", "cat"}, {"cat", "dan"}, {"dan", "dan"}});
        question mutual(world, {edge(likes, "$this", "$x"), edge(likes, "$x", "$this")}, {"x"});
        CHECK(mutual.answer() == "ann x=ben; ben x=ann; dan x=dan");
        link(likes, {{"dan", "cat"}});
        CHECK(mutual.answer() == "ann x=ben; ben x=ann; cat x=dan; dan x=cat; dan x=dan");
        CHECK(
            answer(world,
                   {edge(likes, "$this", "$x"), edge(likes, "$x", "$this"), differ("$x", "$this")},
                   {"x"}) == "ann x=ben; ben x=ann; cat x=dan; dan x=cat");
        CHECK(answer(world, {edge(likes, "$this", "$x"), no_edge(likes, "$x", "$this")}, {"x"}) ==
              "ben x=cat");
        CHECK(answer(world, {edge(likes, "$this", "$this")}) == "dan");
    }

    TEST_CASE_FIXTURE(fixture, "spaceships docked to planets") {
        kith::entity docked_to = relation("DockedTo");
        kith::entity ship = world.entity("SpaceShip");
        kith::entity planet = world.entity("Planet");
        for (const char* name : {"eagle", "viking", "soyuz", "drifter"}) {
            world.entity(name).add(ship);
        }
        world.entity("earth").add(planet);
        world.entity("mars").add(planet);
        link(docked_to,
             {{"eagle", "earth"}, {"viking", "mars"}, {"soyuz", "station"}, {"truck", "earth"}});
        question docked(
            world, {has(ship, "$this"), edge(docked_to, "$this", "$p"), has(planet, "$p")}, {"p"});
        CHECK(docked.answer() == "eagle p=earth; viking p=mars");
        world.entity("station").add(planet);
        world.entity("truck").add(ship);
        CHECK(docked.answer() == "eagle p=earth; soyuz p=station; truck p=earth; viking p=mars");
        world.entity("earth").remove(planet);
        CHECK(docked.answer() == "soyuz p=station; viking p=mars");
        world.entity("mars").destruct();
        CHECK(docked.answer() == "soyuz p=station");
        CHECK(answer(world,
                     {has(ship, "$this"), edge(docked_to, "$this", "$p"),
                      edge(docked_to, "$x", "$p"), differ("$x", "$this")},
                     {"x"}) == "eagle x=truck; truck x=eagle");
    }

    TEST_CASE_FIXTURE(fixture, "what is liked by all who are hungry") {
        kith::entity likes = relation("Likes");
        kith::entity hungry = world.entity("Hungry");
        kith::entity food = world.entity("Food");
        for (const char* name : {"ann", "ben"}) {
            world.entity(name).add(hungry);
        }
        for (const char* name : {"pear", "plum", "fig"}) {
            world.entity(name).add(food);
        }
        link(likes, {{"ann", "pear"}, {"ann", "plum"}, {"ben", "plum"}, {"ben", "fig"}});
        link(likes, {{"cat", "fig"}});
        CHECK(answer(world, {has(food, "$this"),
                             none_of({has(hungry, "$x"), no_edge(likes, "$x", "$this")})}) ==
              "plum");
    }
}
