// Wildcards give every id that they stand for, lists hold as if their ids were terms: the same for
// queries of all kinds, for observers and for monitors. More cases are in tests/corpus.
#include <kith/kith.hpp>

#include "support/queries.hpp"

using namespace kith_test;

namespace {

struct fixture {
    kith::entity named(const char* name) const { return world.entity(name); }
    // Results of a text, cached, not cached, and for entities that are given.
    std::string results(const char* text) const {
        const std::string found = results_of(world.filter(text));
        CHECK(results_of(world.query(text)) == found);
        return found;
    }

    kith::world world;
};

}  // namespace

TEST_SUITE("features.queries.wildcards_and_lists") {
    TEST_CASE_FIXTURE(fixture, "joined wildcards give all that an entity has") {
        kith::entity e = world.entity().add(named("T")).add(named("Likes"), named("A"));
        for (bool cached : {false, true}) {
            kith::filter_builder<> builder = world.filter_builder();
            builder.term(kith::Wildcard, kith::Wildcard).or_().term(kith::Wildcard);
            std::vector<std::string> found;
            auto query = cached ? builder.cached().build() : builder.uncached().build();
            query.iter([&](kith::iter& it) {
                for (auto row : it) {
                    if (it.entity(row) == e) {
                        found.push_back(it.id(1).str().c_str());
                    }
                }
            });
            std::sort(found.begin(), found.end());
            CHECK(found == std::vector<std::string>{"(Likes,A)", "T"});
        }
    }

    TEST_CASE_FIXTURE(fixture, "observers and monitors of joined wildcards tell each match") {
        kith::entity likes = named("Likes");
        kith::entity eats = named("Eats");
        kith::entity a = named("a");
        kith::entity e = named("e");
        std::string told;
        auto observer =
            world.observer()
                .with(likes, kith::Wildcard)
                .or_()
                .with(eats, kith::Wildcard)
                .event(kith::OnAdd)
                .iter([&](kith::iter& it) { told += std::string(it.id(1).str().c_str()) + " "; });
        std::string entered;
        auto monitor = world.query("(Likes, *) || (Eats, *)").on_enter([&](kith::iter& it) {
            entered += std::string(it.id(1).str().c_str()) + " ";
        });
        e.add(likes, a);
        e.add(eats, a);
        e.add(eats, likes);
        CHECK(told == "(Likes,a) (Eats,a) (Eats,Likes) ");
        CHECK(entered == told);
        observer.destruct();
    }

    TEST_CASE_FIXTURE(fixture, "a wildcard and a variable find the same pairs") {
        kith::entity likes = named("Likes");
        kith::entity base = named("base").add(likes, named("a"));
        kith::entity inst = named("inst").is_a(base).add(likes, named("b"));
        CHECK(results("(Likes, *)") == "base: (Likes,a)\ninst: (Likes,a)@base\ninst: (Likes,b)\n");
        CHECK(results("(Likes, $x)") == results("(Likes, *)"));
        CHECK(world.query("(Likes, *)").count() == 3);
        std::string told;
        auto observer = world.observer()
                            .with(likes, kith::Wildcard)
                            .event(kith::OnAdd)
                            .event(kith::OnRemove)
                            .iter([&](kith::iter& it) {
                                for (auto row : it) {
                                    told += it.event() == kith::OnAdd ? "+" : "-";
                                    told += it.entity(row).name().c_str();
                                    told += it.id(1).str().c_str();
                                }
                            });
        base.add(likes, named("c"));
        CHECK(told == "+base(Likes,c)+inst(Likes,c)");
        told.clear();
        inst.remove(likes, named("b"));
        base.remove(likes, named("a"));
        CHECK(told == "-inst(Likes,b)-base(Likes,a)-inst(Likes,a)");
        observer.destruct();
    }

    TEST_CASE_FIXTURE(fixture, "a monitor sees the ids of a list as terms") {
        kith::entity inside = named("Inside").add(kith::Transitive);
        kith::entity land = named("land");
        kith::entity city = named("city");
        kith::entity list = world.prefab("L").add(named("Ship")).add(inside, land);
        kith::entity e = named("e").add(named("Frigate")).add(inside, city);
        int inside_now = 0;
        auto monitor = world.query("AND | L").monitor(
            [&](kith::iter& it) { inside_now += it.event() == kith::OnAdd ? 1 : -1; });
        named("Frigate").is_a(named("Ship"));
        CHECK(inside_now == 0);
        city.add(inside, land);
        CHECK(inside_now == 1);
        CHECK(world.query("AND | L").matches(e));
        named("Frigate").remove(kith::IsA, named("Ship"));
        CHECK(inside_now == 0);
        list.remove(named("Ship"));
        CHECK(inside_now == 2);  // city itself is inside of land
        list.remove(inside, land);
        CHECK(world.query("AND | L").matches(e));
    }

    TEST_CASE_FIXTURE(fixture, "one of an empty list is nobody") {
        kith::entity a = named("a").add(named("T"));
        kith::entity list = world.prefab("L");
        auto query = world.query("T, OR | L");
        CHECK(query.count() == 0);
        list.add(named("T"));
        CHECK(rows_of(query) == entity_list{a});
        CHECK(world.query("T, !{ OR | L }").count() == 0);
        list.remove(named("T"));
        CHECK(query.count() == 0);
    }

    TEST_CASE_FIXTURE(fixture, "what an entity inherits counts where a search begins") {
        kith::entity base = named("base").add(named("T"));
        kith::entity e = named("e").is_a(base);
        kith::entity kid = named("kid").child_of(e);
        auto query = world.query("T(self|up(ChildOf))");
        CHECK(sorted(rows_of(query)) == sorted({base, e, kid}));
        CHECK(query.matches(e));
        int entered = 0;
        auto monitor = query.on_enter([&](kith::iter&) { ++entered; });
        std::string told;
        auto observer = world.observer()
                            .with(named("T"))
                            .self()
                            .up(kith::ChildOf)
                            .event(kith::OnAdd)
                            .event(kith::OnRemove)
                            .each([&](kith::entity one) { told += one.name().c_str(); });
        kith::entity f = named("f").is_a(base);
        CHECK(entered == 1);
        CHECK(told == "f");
        f.remove(kith::IsA, base);
        CHECK(told == "ff");
        observer.destruct();
    }
}
