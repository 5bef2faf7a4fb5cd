#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::ChildOf;
using kith::errc;
using kith::IsA;

namespace {

struct fixture {
    kith::world world;
    kith::entity tag = world.entity("Tag");
    kith::entity seen = world.entity("Seen");
};

// top - middle - leaf; `seen` selects them.
struct tree : fixture {
    kith::entity top = world.entity("top").add(seen);
    kith::entity middle = world.entity("top::middle").add(seen);
    kith::entity leaf = world.entity("top::middle::leaf").add(seen);
};

// The entities in the order of results, by name.
template <class Query>
std::string order_of(const Query& query) {
    std::string text;
    for (kith::entity e : rows_of(query)) {
        text += e.name().c_str();
        text += " ";
    }
    return text;
}

}  // namespace

TEST_SUITE("features.queries.traversal") {
    // spec 223
    TEST_CASE_FIXTURE(tree, "up finds the nearest ancestor that has the id, not the entity") {
        top.add(tag);
        CHECK(results_of(world.filter_builder().with(seen).with(tag).up(ChildOf)) ==
              "leaf: Seen, Tag@top\nmiddle: Seen, Tag@top\n");
        middle.add(tag);
        leaf.add(tag);
        CHECK(results_of(world.filter_builder().with(seen).with(tag).up(ChildOf)) ==
              "leaf: Seen, Tag@middle\nmiddle: Seen, Tag@top\n");
    }

    TEST_CASE_FIXTURE(tree, "up follows changes of the tree and of who has the id") {
        auto query = world.query_builder().with(seen).with(tag).up(ChildOf).build();
        CHECK(results_of(query) == "");
        top.add(tag);
        CHECK(results_of(query) == "leaf: Seen, Tag@top\nmiddle: Seen, Tag@top\n");
        kith::entity other = world.entity("other").add(tag);
        leaf.child_of(other);
        CHECK(results_of(query) == "leaf: Seen, Tag@other\nmiddle: Seen, Tag@top\n");
        top.remove(tag);
        CHECK(results_of(query) == "leaf: Seen, Tag@other\n");
        other.destruct();
        CHECK(results_of(query) == "");
        CHECK_FALSE(leaf.is_alive());
    }

    // spec 224
    TEST_CASE_FIXTURE(fixture, "self looks nowhere else") {
        kith::entity base = world.entity("base").add(tag);
        kith::entity inst = world.entity("inst").is_a(base);
        CHECK(found_by(world.filter_builder().with(tag).self()) == entity_list{base});
        CHECK(found_by(world.filter_builder().with(tag)) == entity_list{base, inst});
    }

    // spec 225
    TEST_CASE_FIXTURE(tree, "self and up: the entity first, then its ancestors") {
        top.add(tag);
        leaf.add(tag);
        CHECK(results_of(world.filter_builder().with(seen).with(tag).self().up(ChildOf)) ==
              "leaf: Seen, Tag\nmiddle: Seen, Tag@top\ntop: Seen, Tag\n");
    }

    // spec 226
    TEST_CASE_FIXTURE(tree, "parent is up(ChildOf)") {
        top.add(tag);
        CHECK(results_of(world.filter_builder().with(seen).with(tag).parent()) ==
              "leaf: Seen, Tag@top\nmiddle: Seen, Tag@top\n");
    }

    // spec 227
    TEST_CASE_FIXTURE(fixture, "cascade gives parents before children, whatever their ids") {
        kith::entity leaf = world.entity("leaf").add(seen).set(Position{3, 0});
        kith::entity middle = world.entity("middle").add(seen).add(tag).set(Position{2, 0});
        kith::entity top = world.entity("top").add(seen).set(Position{1, 0}).set(Velocity{1, 1});
        middle.child_of(top);
        leaf.child_of(middle);
        auto builder =
            world.query_builder().with(seen).with<Position>().cascade(ChildOf).optional();
        CHECK(order_of(builder.build()) == "top middle leaf ");
        CHECK(order_of(builder.uncached().build()) == "top middle leaf ");
        auto strict = world.query_builder().with(seen).with<Position>().cascade(ChildOf);
        CHECK(order_of(strict.build()) == "middle leaf ");
        CHECK(order_of(strict.uncached().build()) == "middle leaf ");
    }

    TEST_CASE_FIXTURE(fixture, "cascade follows moves in the tree") {
        kith::entity a = world.entity("a").add(seen);
        kith::entity b = world.entity("b").add(seen);
        kith::entity c = world.entity("c").add(seen);
        auto query =
            world.query_builder().with(seen).with(seen).cascade(ChildOf).optional().build();
        b.child_of(a);
        c.child_of(b);
        CHECK(order_of(query) == "a b c ");
        c.remove(ChildOf, b);
        b.remove(ChildOf, a);
        a.child_of(b);
        b.child_of(c);
        CHECK(order_of(query) == "c b a ");
    }

    // spec 228
    TEST_CASE_FIXTURE(tree, "cascade with desc gives the deepest first") {
        auto builder =
            world.query_builder().with(seen).with(seen).cascade(ChildOf).desc().optional();
        CHECK(order_of(builder.build()) == "leaf middle top ");
        CHECK(order_of(builder.uncached().build()) == "leaf middle top ");
    }

    // spec 291
    TEST_CASE_FIXTURE(fixture, "rows of one depth come together") {
        kith::entity roots[2] = {world.entity("r1").add(seen), world.entity("r2").add(seen)};
        for (int i = 0; i < 6; ++i) {
            kith::entity child = world.entity().add(seen).child_of(roots[i % 2]);
            child.add_if(i % 3 == 0, tag);
            world.entity().add(seen).child_of(child);
        }
        std::vector<std::int32_t> depths;
        auto query =
            world.query_builder().with(seen).with(seen).cascade(ChildOf).optional().build();
        for (kith::entity e : rows_of(query)) {
            depths.push_back(e.depth(ChildOf));
        }
        CHECK(depths.size() == 14);
        CHECK(std::is_sorted(depths.begin(), depths.end()));
    }

    // spec 229
    TEST_CASE_FIXTURE(tree, "down finds the nearest below that has the id") {
        leaf.add(tag);
        CHECK(results_of(world.filter_builder().with(seen).with(tag).down(ChildOf)) ==
              "middle: Seen, Tag@leaf\ntop: Seen, Tag@leaf\n");
        middle.add(tag);
        CHECK(results_of(world.filter_builder().with(seen).with(tag).down(ChildOf)) ==
              "middle: Seen, Tag@leaf\ntop: Seen, Tag@middle\n");
        leaf.destruct();
        CHECK(results_of(world.filter_builder().with(seen).with(tag).down(ChildOf)) ==
              "top: Seen, Tag@middle\n");
    }

    TEST_CASE_FIXTURE(tree, "self and down includes the entity") {
        middle.add(tag);
        CHECK(results_of(world.filter_builder().with(seen).with(tag).self().down(ChildOf)) ==
              "middle: Seen, Tag\ntop: Seen, Tag@middle\n");
    }

    // spec 230
    TEST_CASE_FIXTURE(fixture, "terms look at bases by default, through any number of levels") {
        kith::entity base = world.entity("base").set(Position{1, 2});
        kith::entity inst = world.entity("inst").is_a(base);
        kith::entity second = world.entity("second").is_a(inst);
        CHECK(found_by(world.filter_builder<Position>()) == entity_list{base, inst, second});
        world.query<Position>().each([&](Position& p) { CHECK(&p == base.get<Position>()); });
        second.set(Position{5, 6});
        int sum = 0;
        world.query<Position>().each([&](Position& p) { sum += p.x; });
        CHECK(sum == 1 + 1 + 5);
    }

    TEST_CASE_FIXTURE(fixture, "an owned pair of an exclusive relationship hides the base's") {
        kith::entity state = world.entity("State").add(kith::Exclusive);
        kith::entity on = world.entity("on");
        kith::entity off = world.entity("off");
        kith::entity base = world.entity("base").add(state, on);
        world.entity("inst").is_a(base).add(state, off);
        world.entity("plain").is_a(base);
        CHECK(results_of(world.filter_builder().with(state, kith::Wildcard)) ==
              "base: (State,on)\ninst: (State,off)\nplain: (State,on)@base\n");
        CHECK(results_of(world.filter_builder().with(state, on)) ==
              "base: (State,on)\nplain: (State,on)@base\n");
    }

    // spec 231
    TEST_CASE_FIXTURE(tree, "what an ancestor inherits is found too") {
        kith::entity base = world.entity("base").add(tag);
        top.is_a(base);
        CHECK(results_of(world.filter_builder().with(seen).with(tag).up(ChildOf)) ==
              "leaf: Seen, Tag@base\nmiddle: Seen, Tag@base\n");
        auto query = world.query_builder().with(seen).with(tag).up(ChildOf).build();
        base.remove(tag);
        CHECK(query.count() == 0);
        base.add(tag);
        CHECK(query.count() == 2);
    }

    // spec 232
    TEST_CASE_FIXTURE(tree, "what is found on the way is read only unless stated") {
        top.set(Position{1, 2});
        auto code = [&](auto builder) {
            std::optional<errc> found;
            builder.build().iter(
                [&](kith::iter& it) { found = error_of([&] { it.field<Position>(2); }); });
            return found;
        };
        CHECK(code(world.filter_builder().with(seen).template term<Position>().parent()) ==
              errc::invalid_query);
        CHECK_FALSE(code(world.filter_builder().with(seen).term<Position>().parent().inout()));
    }

    // spec 233
    TEST_CASE_FIXTURE(fixture, "the first target is searched to its root before the second") {
        kith::entity part_of = world.entity("PartOf").add(kith::Traversable);
        kith::entity root = world.entity("root").add(tag);
        kith::entity first = world.entity("first").add(part_of, root);
        kith::entity second = world.entity("second").add(tag);
        world.entity("e").add(seen).add(part_of, first).add(part_of, second);
        CHECK(results_of(world.filter_builder().with(seen).with(tag).up(part_of)) ==
              "e: Seen, Tag@root\n");
    }

    // spec 234
    TEST_CASE_FIXTURE(tree, "ids that are not inherited are not found on the way") {
        tag.add(kith::DontInherit);
        top.add(tag);
        CHECK(found_by(world.filter_builder().with(tag).up(ChildOf)).empty());
        CHECK(found_by(world.filter_builder().with(tag)) == entity_list{top});
        kith::entity inst = world.entity().is_a(top);
        CHECK(found_by(world.filter_builder().with(tag)) == entity_list{top});
        CHECK(found_by(world.filter_builder().with(seen).with(ChildOf, top)) ==
              entity_list{middle});
        CHECK(inst.is_alive());
    }

    // spec 235
    TEST_CASE_FIXTURE(tree, "up starts at a given source, too") {
        auto query = world.query_builder().with(tag).src(leaf).parent().build();
        CHECK_FALSE(query.is_true());
        top.add(tag);
        CHECK(results_of(query) == "() Tag@top\n");
        CHECK(results_of(world.filter_builder().with(tag).src(leaf).parent()) == "() Tag@top\n");
        top.remove(tag);
        CHECK_FALSE(query.is_true());
    }

    // spec 236
    TEST_CASE_FIXTURE(tree, "an optional term that looks up keeps the roots") {
        for (kith::entity e : {top, middle, leaf}) {
            e.add(tag);
        }
        CHECK(results_of(world.filter_builder().with(tag).with(tag).parent().optional()) ==
              "leaf: Tag, Tag@middle\nmiddle: Tag, Tag@top\ntop: Tag, -\n");
    }

    // spec 241
    TEST_CASE_FIXTURE(tree, "max_depth ends the search") {
        top.add(tag);
        CHECK(results_of(world.filter_builder().with(seen).with(tag).up(ChildOf).max_depth(1)) ==
              "middle: Seen, Tag@top\n");
        CHECK(results_of(world.filter_builder().with(seen).with(tag).up(ChildOf).max_depth(2)) ==
              "leaf: Seen, Tag@top\nmiddle: Seen, Tag@top\n");
        leaf.add(tag);
        CHECK(results_of(world.filter_builder().with(seen).with(tag).down(ChildOf).max_depth(1)) ==
              "middle: Seen, Tag@leaf\n");
    }

    // spec 242
    TEST_CASE_FIXTURE(tree, "min_depth begins it further away") {
        for (kith::entity e : {top, middle, leaf}) {
            e.add(tag);
        }
        CHECK(results_of(world.filter_builder().with(seen).with(tag).up(ChildOf).min_depth(2)) ==
              "leaf: Seen, Tag@top\n");
        CHECK(results_of(
                  world.filter_builder().with(seen).with(tag).up(ChildOf).min_depth(2).max_depth(
                      2)) == "leaf: Seen, Tag@top\n");
        CHECK(results_of(world.filter_builder().with(seen).with(tag).up(ChildOf).min_depth(3)) ==
              "");
    }

    // spec 148
    TEST_CASE_FIXTURE(tree, "set states directions and relationship at once, with depths") {
        top.add(tag);
        CHECK(
            results_of(
                world.filter_builder().with(seen).with(tag).set(kith::Up, ChildOf).max_depth(1)) ==
            "middle: Seen, Tag@top\n");
        CHECK(results_of(world.filter_builder().with(seen).with(tag).set(
                  kith::Self | kith::SuperSet, ChildOf)) ==
              "leaf: Seen, Tag@top\nmiddle: Seen, Tag@top\ntop: Seen, Tag\n");
        CHECK(results_of(world.filter_builder().with(seen).with(tag).flags(kith::Up).trav(
                  ChildOf)) == "leaf: Seen, Tag@top\nmiddle: Seen, Tag@top\n");
    }

    // spec 243
    TEST_CASE_FIXTURE(tree, "all gives every match on the way") {
        for (kith::entity e : {top, middle, leaf}) {
            e.add(tag);
        }
        CHECK(results_of(world.filter_builder().with(seen).with(tag).up(ChildOf).all()) ==
              "leaf: Seen, Tag@middle\nleaf: Seen, Tag@top\nmiddle: Seen, Tag@top\n");
        CHECK(results_of(world.filter_builder().with(seen).with(tag).self().up(ChildOf).all()) ==
              "leaf: Seen, Tag\nleaf: Seen, Tag@middle\nleaf: Seen, Tag@top\n"
              "middle: Seen, Tag\nmiddle: Seen, Tag@top\n"
              "top: Seen, Tag\n");
    }

    // spec 133
    TEST_CASE_FIXTURE(tree, "what looks down, everywhere or far away can be cached as well") {
        leaf.add(tag);
        auto query = world.query_builder().with(seen).with(tag).down(ChildOf).all().build();
        CHECK(results_of(query) == "middle: Seen, Tag@leaf\ntop: Seen, Tag@leaf\n");
        middle.add(tag);
        CHECK(results_of(query) ==
              "middle: Seen, Tag@leaf\ntop: Seen, Tag@leaf\ntop: Seen, Tag@middle\n");
        leaf.remove(tag);
        CHECK(results_of(query) == "top: Seen, Tag@middle\n");
    }

    TEST_CASE_FIXTURE(fixture, "a wildcard that looks up gives the matches of the nearest") {
        kith::entity likes = world.entity("Likes");
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b");
        kith::entity parent = world.entity("parent").add(likes, a).add(likes, b);
        world.entity("child").child_of(parent);
        CHECK(results_of(world.filter_builder().with(likes, kith::Wildcard).parent()) ==
              "child: (Likes,a)@parent\nchild: (Likes,b)@parent\n");
    }

    TEST_CASE_FIXTURE(fixture, "diamonds are visited once") {
        kith::entity part_of = world.entity("PartOf").add(kith::Traversable);
        kith::entity root = world.entity("root").add(tag);
        kith::entity left = world.entity("left").add(part_of, root);
        kith::entity right = world.entity("right").add(part_of, root);
        world.entity("e").add(seen).add(part_of, left).add(part_of, right);
        CHECK(results_of(world.filter_builder().with(seen).with(tag).up(part_of).all()) ==
              "e: Seen, Tag@root\n");
    }

    TEST_CASE_FIXTURE(fixture, "deep trees work") {
        kith::entity root = world.entity().add(tag);
        kith::entity last = root;
        for (int i = 0; i < 2000; ++i) {
            last = world.entity().child_of(last);
        }
        last.add(seen);
        CHECK(found_by(world.filter_builder().with(seen).with(tag).up(ChildOf)) ==
              entity_list{last});
        CHECK(found_by(world.filter_builder().with(tag).with(seen).down(ChildOf)) ==
              entity_list{root});
    }

    TEST_CASE_FIXTURE(tree, "Not that looks up means: nobody on the way has it") {
        top.add(tag);
        CHECK(found_by(world.filter_builder().with(seen).without(tag).up(ChildOf)) ==
              entity_list{top});
        CHECK(found_by(world.filter_builder().with(seen).without(tag).self().up(ChildOf)).empty());
    }

    TEST_CASE_FIXTURE(fixture, "results are in no order of depth once there may be circles") {
        for (bool exclusive : {false, true}) {
            auto follows = world.entity().add(kith::Acyclic).add(kith::Traversable);
            if (exclusive) {
                follows.add(kith::Exclusive).add(kith::Sparse);
            }
            auto query = world.filter_builder().with(seen).with(tag).optional();
            query.src().cascade(follows);
            auto filter = query.uncached().build();
            auto cached = query.cached().build();
            follows.remove(kith::Traversable).remove(kith::Acyclic);
            auto one = world.entity().add(seen);
            one.add(follows, one);
            CHECK(rows_of(filter) == entity_list{one});
            CHECK(rows_of(cached) == entity_list{one});
            one.destruct();
        }
    }

    TEST_CASE_FIXTURE(fixture, "relationships that may be cyclic cannot be followed") {
        kith::entity likes = world.entity("Likes");
        auto make = [&](auto builder) { return error_of([&] { builder.build(); }); };
        CHECK(make(world.filter_builder().with(tag).up(likes)) == errc::invalid_query);
        CHECK(make(world.query_builder().with(tag).cascade(likes)) == errc::invalid_query);
        CHECK(make(world.query_builder().with(tag).down(likes)) == errc::invalid_query);
        CHECK(contains(message_of([&] { world.filter_builder().with(tag).up(likes).build(); }),
                       "Likes"));
        likes.add(kith::Acyclic);
        CHECK_FALSE(make(world.filter_builder().with(tag).up(likes)));
    }
}
