#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace game {
struct Speed {
    int value;
};
struct Outer {
    struct Inner {
        int value;
    };
    int value;
};
template <class T, int N>
struct Array {
    T values[N];
};
}  // namespace game

namespace {

struct fixture {
    kith::world world;
};

}  // namespace

TEST_SUITE("features.names.names") {
    // spec 16
    TEST_CASE_FIXTURE(fixture, "a named entity is found by its name") {
        kith::entity e = world.entity("Sun");
        CHECK(e.name() == "Sun");
        CHECK(world.lookup("Sun") == e);
        CHECK(world.entity("Sun") == e);
        CHECK_FALSE(world.lookup("Moon"));
        CHECK(e.has(world.component<kith::Identifier>(), kith::Name));
    }

    // spec 16
    TEST_CASE_FIXTURE(fixture, "a name is unique among the children of a parent") {
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b");
        kith::entity x = world.entity("x");
        CHECK(refusal(world, [&] { x.set_name("a"); }) == errc::name_taken);
        kith::entity under_a = world.entity().child_of(a).set_name("same");
        kith::entity under_b = world.entity().child_of(b).set_name("same");
        CHECK(under_a != under_b);
        CHECK(world.lookup("a::same") == under_a);
        CHECK(world.lookup("b::same") == under_b);
        CHECK(refusal(world, [&] { under_a.child_of(b); }) == errc::name_taken);
        CHECK(under_a.parent() == a);
        world.check();
    }

    // spec 39
    TEST_CASE_FIXTURE(fixture, "paths are split at :: and . and may start at the root") {
        kith::entity c = world.entity("a::b::c");
        CHECK(c.name() == "c");
        CHECK(world.lookup("a::b::c") == c);
        CHECK(world.lookup("::a::b::c") == c);
        CHECK(world.lookup("a.b.c") == c);
        CHECK(world.lookup("a.b::c") == c);
        CHECK(world.lookup("a/b/c", "/", "/") == c);
        CHECK(world.lookup("/a/b/c", "/", "/") == c);
        CHECK(c.parent() == world.lookup("a::b"));
        CHECK(world.lookup("a").lookup("b::c") == c);
        CHECK(world.lookup("a").lookup("b.c") == c);
        CHECK_FALSE(world.lookup("b::c"));
        CHECK_FALSE(world.lookup("a::c"));
    }

    // spec 39
    TEST_CASE_FIXTURE(fixture, "a path is printed from the root, with separators of choice") {
        kith::entity c = world.entity("a::b::c");
        CHECK(c.path() == "::a::b::c");
        CHECK(c.path(".", "") == "a.b.c");
        CHECK(std::string(c.path().str()) == "::a::b::c");
        CHECK(c.path_from(world.lookup("a")) == "b::c");
        CHECK(c.path_from(world.lookup("a"), ".") == "b.c");
    }

    // spec 39
    TEST_CASE_FIXTURE(fixture, "a path from the root is found there, whatever the scope has") {
        kith::entity top = world.entity("a::b");
        kith::entity inner = world.entity("scope::a::b");
        kith::entity scope = world.lookup("scope");
        world.set_scope(scope);
        CHECK(world.lookup("a::b") == inner);
        CHECK(world.lookup("::a::b") == top);
        CHECK(world.lookup("/a/b", "/", "/") == top);
        CHECK_FALSE(world.lookup("::b"));
        world.set_scope(0);
        CHECK(scope.lookup("a::b") == inner);
        CHECK(scope.lookup("::a::b") == top);
    }

    TEST_CASE_FIXTURE(fixture, "lookup of an entity does not climb, lookup of the world does") {
        kith::entity outer = world.entity("outer");
        kith::entity inner = world.entity("outer::inner");
        kith::entity top = world.entity("top");
        CHECK_FALSE(inner.lookup("top"));
        world.set_scope(inner);
        CHECK(world.lookup("top") == top);
        CHECK(world.lookup("outer") == outer);
        CHECK(world.lookup("inner") == inner);
        CHECK_FALSE(world.lookup("top", false));
        world.set_scope(0);
    }

    TEST_CASE_FIXTURE(fixture, "the whole path is tried at each level of the climb") {
        world.entity("a::b::c");
        kith::entity other = world.entity("x::a");
        world.set_scope(world.lookup("x"));
        CHECK(world.lookup("a") == other);
        CHECK(world.lookup("a::b::c") == world.lookup("::a::b::c"));
        CHECK(world.lookup("::a::b::c").is_alive());
    }

    // spec 37
    TEST_CASE_FIXTURE(fixture,
                      "set_scope makes later entities children and returns the scope before") {
        kith::entity parent = world.entity("parent");
        CHECK_FALSE(world.set_scope(parent));
        CHECK(world.get_scope() == parent);
        kith::entity named = world.entity("child");
        kith::entity unnamed = world.entity();
        kith::entity valued = world.entity(Position{1, 2});
        CHECK(world.set_scope(0) == parent);
        CHECK_FALSE(world.get_scope());
        CHECK(named.parent() == parent);
        CHECK(unnamed.parent() == parent);
        CHECK(valued.parent() == parent);
        CHECK_FALSE(world.entity().parent());
        world.check();
    }

    // spec 37
    TEST_CASE_FIXTURE(fixture, "an id made alive is in no scope, whatever the scope is") {
        kith::entity parent = world.entity("parent");
        kith::entity raw;
        kith::entity queued;
        parent.scope([&] {
            raw = world.make_alive(5000);
            world.defer([&] { queued = world.make_alive(5001); });
            CHECK(world.entity().parent() == parent);
        });
        CHECK(raw.is_alive());
        CHECK_FALSE(raw.parent());
        CHECK(queued.is_alive());
        CHECK_FALSE(queued.parent());
        world.check();
    }

    // spec 38
    TEST_CASE_FIXTURE(fixture, "scope with a callback is left at its end, also by an exception") {
        kith::entity parent = world.entity("parent");
        kith::entity child;
        parent.scope([&] {
            child = world.entity("child");
            child.scope([&] { CHECK(world.entity("grandchild").parent() == child); });
            CHECK(world.get_scope() == parent);
        });
        CHECK_FALSE(world.get_scope());
        CHECK(child.parent() == parent);
        CHECK_THROWS_AS(parent.scope([] { throw 1; }), int);
        CHECK_FALSE(world.get_scope());
        world.scope(parent, [&] { CHECK(world.get_scope() == parent); });
        CHECK(parent.scope().entity("late").parent() == parent);
        CHECK(world.scope("parent").lookup("late").is_alive());
        CHECK_FALSE(world.get_scope());
    }

    TEST_CASE_FIXTURE(fixture, "entity by name finds or creates in exactly the current scope") {
        kith::entity top = world.entity("same");
        kith::entity parent = world.entity("parent");
        world.set_scope(parent);
        kith::entity inner = world.entity("same");
        CHECK(inner != top);
        CHECK(inner.parent() == parent);
        kith::entity not_builtin = world.entity("ChildOf");
        CHECK(not_builtin != kith::ChildOf);
        CHECK(not_builtin.parent() == parent);
        CHECK(world.entity("::same") == top);
        world.set_scope(0);
    }

    TEST_CASE_FIXTURE(fixture, "builtin entities are found by name and print without their scope") {
        CHECK(world.lookup("ChildOf") == kith::ChildOf);
        CHECK(world.lookup("kith::Wildcard") == kith::Wildcard);
        CHECK(world.id(kith::ChildOf).str() == "ChildOf");
    }

    TEST_CASE_FIXTURE(fixture, "renaming frees the old name") {
        kith::entity e = world.entity("old");
        e.set_name("new");
        CHECK(e.name() == "new");
        CHECK_FALSE(world.lookup("old"));
        CHECK(world.lookup("new") == e);
        kith::entity other = world.entity("old");
        CHECK(other != e);
        e.set_name("new");
        CHECK(world.lookup("new") == e);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an empty or null name removes the name") {
        kith::entity e = world.entity("name");
        e.set_name(nullptr);
        CHECK(e.name() == "");
        CHECK_FALSE(world.lookup("name"));
        CHECK_NOTHROW(e.set_name(nullptr));
        e.set_name("again").set_name("");
        CHECK(e.name() == "");
        CHECK(e.type().count() == 0);
        CHECK(world.entity("").name() == "");
        CHECK(world.entity(static_cast<const char*>(nullptr)).is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "deleting an entity frees its name and those of its children") {
        kith::entity parent = world.entity("parent");
        world.entity("parent::child");
        parent.destruct();
        CHECK_FALSE(world.lookup("parent"));
        CHECK_FALSE(world.lookup("parent::child"));
        kith::entity next = world.entity("parent");
        CHECK_FALSE(next.lookup("child"));
        CHECK(world.entity("parent::child").parent() == next);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "removing the name pair frees the name") {
        kith::entity e = world.entity("name");
        e.remove(world.component<kith::Identifier>(), kith::Name);
        CHECK(e.name() == "");
        CHECK_FALSE(world.lookup("name"));
        CHECK(world.entity("name") != e);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture,
                      "moving an entity to another parent moves its name and its children") {
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b");
        kith::entity child = world.entity("a::child");
        kith::entity leaf = world.entity("a::child::leaf");
        child.child_of(b);
        CHECK_FALSE(a.lookup("child"));
        CHECK(world.lookup("b::child::leaf") == leaf);
        CHECK(leaf.path() == "::b::child::leaf");
        child.remove(kith::ChildOf, b);
        CHECK(world.lookup("child::leaf") == leaf);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "names with odd characters are names like others") {
        const char* names[] = {"with space", "ünïcode ☃", "tab\there",
                               "(brackets)", "a<b::c>",   "#hash"};
        for (const char* name : names) {
            CAPTURE(name);
            kith::entity e = world.entity().set_name(name);
            CHECK(e.name() == name);
        }
        CHECK(world.lookup("with space").is_alive());
        CHECK(world.lookup("ünïcode ☃").is_alive());
        CHECK(world.lookup("a<b::c>").is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a long name is kept whole") {
        const std::string name(100000, 'x');
        kith::entity e = world.entity(name.c_str());
        CHECK(e.name().size() == name.size());
        CHECK(world.lookup(name.c_str()) == e);
    }

    TEST_CASE_FIXTURE(fixture, "paths with empty elements are an error") {
        CHECK(refusal(world, [&] { world.entity("a::::b"); }) == errc::invalid_name);
        CHECK(refusal(world, [&] { world.entity("a::"); }) == errc::invalid_name);
        CHECK(refusal(world, [&] { world.entity("a..b"); }) == errc::invalid_name);
    }

    TEST_CASE_FIXTURE(fixture,
                      "lookup on a null entity is an error, of an empty name finds nothing") {
        CHECK(error_of([&] { kith::entity::null(world).lookup("x"); }).has_value());
        CHECK_FALSE(world.lookup(""));
        CHECK_FALSE(world.lookup(nullptr));
    }

    TEST_CASE_FIXTURE(fixture, "an entity has one alias, the newest") {
        kith::entity e = world.entity("deep::down::thing");
        world.use(e, "t");
        CHECK(world.lookup("t") == e);
        e.set_alias("u");
        CHECK(world.lookup("u") == e);
        CHECK_FALSE(world.lookup("t"));
        CHECK(e.name() == "thing");
        CHECK(e.path() == "::deep::down::thing");
        e.destruct();
        CHECK_FALSE(world.lookup("u"));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture,
                      "use aliases by entity, path and type; the default is the own name") {
        kith::entity e = world.entity("deep::thing");
        world.use(e);
        CHECK(world.lookup("thing") == e);
        world.entity("deep::other");
        kith::entity other = world.use("deep::other", "o");
        CHECK(world.lookup("o") == other);
        CHECK(world.use<game::Speed>() == world.component<game::Speed>());
        CHECK(world.lookup("Speed") == world.component<game::Speed>());
        CHECK(refusal(world, [&] { world.use("no::such", "x"); }).has_value());
    }

    TEST_CASE_FIXTURE(fixture, "a taken alias is an error") {
        world.entity("x");
        kith::entity y = world.entity("y");
        CHECK(refusal(world, [&] { y.set_alias("x"); }) == errc::name_taken);
    }

    TEST_CASE_FIXTURE(fixture,
                      "lookup paths are searched last, and the previous list is returned") {
        kith::entity library = world.entity("library");
        kith::entity thing = world.entity("library::thing");
        const kith::entity_t path[] = {library, 0};
        CHECK_FALSE(world.lookup("thing"));
        kith::entity_t* before = world.set_lookup_path(path);
        CHECK(world.lookup("thing") == thing);
        CHECK_FALSE(world.lookup("thing", false));
        kith::entity top = world.entity("thing");
        CHECK(world.lookup("thing") == top);
        CHECK(world.set_lookup_path(before) == path);
        top.destruct();
        CHECK_FALSE(world.lookup("thing"));
        CHECK(world.lookup("ChildOf") == kith::ChildOf);
    }

    TEST_CASE_FIXTURE(fixture,
                      "types register in the scope of their namespaces, whatever the scope") {
        kith::entity scope = world.entity("scope");
        world.set_scope(scope);
        kith::entity e = world.entity().set(game::Speed{1});
        world.set_scope(0);
        kith::entity speed = world.lookup("game::Speed");
        REQUIRE(speed);
        CHECK(e.has(speed));
        CHECK(speed.path() == "::game::Speed");
        CHECK(std::string(speed.symbol().c_str()).find("Speed") != std::string::npos);
    }

    TEST_CASE_FIXTURE(fixture, "nested types are below their outer type") {
        kith::entity inner = world.component<game::Outer::Inner>();
        CHECK(inner.path() == "::game::Outer::Inner");
        kith::entity outer = world.component<game::Outer>();
        CHECK(inner.parent() == outer);
        CHECK(outer.get<kith::Component>()->size == sizeof(game::Outer));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "template names keep their arguments") {
        kith::entity array = world.component<game::Array<game::Speed, 3>>();
        CHECK(array.name() == "Array<game::Speed, 3>");
        CHECK(world.lookup("game::Array<game::Speed, 3>") == array);
    }

    TEST_CASE_FIXTURE(fixture, "a plain entity of a type's name is adopted by the type") {
        kith::entity plain = world.entity("game::Speed");
        kith::entity tagged = world.entity().add(plain);
        kith::entity speed = world.component<game::Speed>();
        CHECK(speed.path() == "::game::Speed");
        CHECK(world.lookup("game::Speed") == speed);
        CHECK(tagged.is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an explicit component in a scope becomes a child of the scope") {
        kith::entity scope = world.entity("scope");
        world.set_scope(scope);
        kith::entity speed = world.component<game::Speed>();
        world.set_scope(0);
        CHECK(speed.path() == "::scope::Speed");
    }

    TEST_CASE_FIXTURE(fixture, "a component takes the name it is given") {
        kith::entity speed = world.component<game::Speed>("Tempo");
        CHECK(speed.name() == "Tempo");
        CHECK(world.lookup("Tempo") == speed);
        CHECK(world.component<game::Speed>() == speed);
        CHECK(speed.name() == "Tempo");
    }

    TEST_CASE_FIXTURE(fixture, "unnamed entities have an empty name") {
        kith::entity e = world.entity();
        CHECK(e.name() == "");
        CHECK(e.name() == static_cast<const char*>(nullptr));
        CHECK(e.name().size() == 0);
        CHECK(e.symbol() == "");
    }

    TEST_CASE_FIXTURE(fixture,
                      "children of the root are the entities without parent, builtins aside") {
        kith::entity a = world.entity("a");
        kith::entity b = world.entity();
        world.entity("a::child");
        std::vector<kith::entity> roots;
        world.children([&](kith::entity e) { roots.push_back(e); });
        CHECK(std::count(roots.begin(), roots.end(), a) == 1);
        CHECK(std::count(roots.begin(), roots.end(), b) == 1);
        CHECK(std::count(roots.begin(), roots.end(), world.lookup("a::child")) == 0);
        int none = 0;
        world.entity(kith::Wildcard).children([&](kith::entity) { ++none; });
        world.entity(kith::Any).children([&](kith::entity) { ++none; });
        world.entity(kith::This).children([&](kith::entity) { ++none; });
        CHECK(none == 0);
    }

    TEST_CASE_FIXTURE(fixture, "a hundred thousand names are made, found and freed") {
        std::vector<kith::entity> made;
        for (int i = 0; i < 100000; ++i) {
            made.push_back(world.entity(("entity_" + std::to_string(i)).c_str()));
        }
        for (int i = 0; i < 100000; i += 7) {
            CHECK(world.lookup(("entity_" + std::to_string(i)).c_str()) ==
                  made[static_cast<std::size_t>(i)]);
        }
        for (kith::entity e : made) {
            e.destruct();
        }
        CHECK_FALSE(world.lookup("entity_5"));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a name made while deferred is found at once") {
        world.defer_begin();
        kith::entity e = world.entity("early");
        CHECK(world.lookup("early") == e);
        CHECK(world.entity("early") == e);
        kith::entity nested = world.entity("up::down");
        CHECK(world.lookup("up::down") == nested);
        kith::entity renamed = world.entity().set_name("later");
        CHECK(world.lookup("later") == renamed);
        world.defer_end();
        CHECK(world.lookup("early") == e);
        CHECK(e.name() == "early");
        CHECK(nested.parent() == world.lookup("up"));
        CHECK(renamed.name() == "later");
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a rename while deferred takes effect in order") {
        kith::entity e = world.entity("first");
        world.defer([&] {
            e.set_name("second");
            e.set_name("third");
        });
        CHECK(e.name() == "third");
        CHECK(world.lookup("third") == e);
        CHECK_FALSE(world.lookup("second"));
        CHECK_FALSE(world.lookup("first"));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a name is free again when its deferred owner dies in the queue") {
        kith::entity e;
        world.defer([&] {
            e = world.entity("brief");
            e.destruct();
        });
        CHECK_FALSE(e.is_alive());
        CHECK_FALSE(world.lookup("brief"));
        CHECK(world.entity("brief").is_alive());
        world.check();
    }
}
