// Any allocation of a script full of relationships may fail: see support/failing_script.hpp.
#include "support/failing_script.hpp"

namespace {

using namespace model;

// Entities by their number in the script.
enum : std::size_t {
    likes,
    married,
    allied,
    located,
    below_of,
    loves,
    eats,
    food,
    apple,
    pear,
    ann,
    bob,
    cleo,
    dan,
    ship,
    hull,
    engine,
    bolt,
    frigate,
    fleet,
    moves,
    walking,
    running,
    owns,
    wants,
    made,
    count,
};
static_assert(count <= 40);

void add_properties(script& steps) {
    using kith::entity;
    auto step = [&](const char* what, promise kept, std::function<void(script_state&)> run) {
        steps.push_back({what, kept, std::move(run)});
    };
    step("register types", promise::again, [](script_state& s) {
        s.world.component<Trivial>();
        s.world.component<Text>();
        s.world.component<DataRelation>();
        s.world.component<TagRelation>();
        s.world.component<PlainTag>();
        s.world.component<SparseText>().add(kith::Sparse);
    });
    step("register an exclusive type", promise::again,
         [](script_state& s) { s.world.component<ExclusiveData>().add(kith::Exclusive); });
    step("entities", promise::again, [](script_state& s) {
        for (std::size_t i = 0; i < count; ++i) {
            s[i] = s[i] ? s[i] : s.world.entity();
        }
    });
    step("symmetric", promise::undone, [](script_state& s) { s[allied].add(kith::Symmetric); });
    step("symmetric and exclusive", promise::again,
         [](script_state& s) { s[married].add(kith::Exclusive).add(kith::Symmetric); });
    step("acyclic", promise::undone, [](script_state& s) { s[located].add(kith::Acyclic); });
    step("sparse and traversable", promise::again,
         [](script_state& s) { s[below_of].add(kith::Sparse).add(kith::Traversable); });
    step("with", promise::undone, [](script_state& s) { s[loves].add(kith::With, s[likes]); });
    step("with, further", promise::undone,
         [](script_state& s) { s[likes].add(kith::With, s[wants]); });
    step("one of", promise::undone, [](script_state& s) { s[eats].add(kith::OneOf, s[food]); });
    step("union", promise::undone, [](script_state& s) { s[moves].add(kith::Union); });
    step("policy", promise::undone,
         [](script_state& s) { s[owns].add(kith::OnDeleteTarget, kith::Delete); });
    step("another policy", promise::undone,
         [](script_state& s) { s[owns].add(kith::OnDeleteTarget, kith::Panic); });
}

void add_pairs(script& steps) {
    auto step = [&](const char* what, std::function<void(script_state&)> run) {
        steps.push_back({what, promise::undone, std::move(run)});
    };
    step("a child of the scope", [](script_state& s) { s[apple].child_of(s[food]); });
    step("another child", [](script_state& s) { s[pear].child_of(s[food]); });
    step("one of the scope", [](script_state& s) { s[ann].add(s[eats], s[apple]); });
    step("symmetric pair", [](script_state& s) { s[ann].add(s[allied], s[bob]); });
    step("second symmetric pair", [](script_state& s) { s[ann].add(s[allied], s[cleo]); });
    step("remove from the other side", [](script_state& s) { s[bob].remove(s[allied], s[ann]); });
    step("marry", [](script_state& s) { s[ann].add(s[married], s[bob]); });
    step("marry among others", [](script_state& s) { s[cleo].add(s[married], s[dan]); });
    step("marry another", [](script_state& s) { s[ann].add(s[married], s[cleo]); });
    step("located", [](script_state& s) { s[ann].add(s[located], s[bob]); });
    step("located further", [](script_state& s) { s[bob].add(s[located], s[cleo]); });
    step("located twice", [](script_state& s) { s[ann].add(s[located], s[dan]); });
    step("below", [](script_state& s) { s[ann].add(s[below_of], s[bob]); });
    step("below two", [](script_state& s) { s[ann].add(s[below_of], s[cleo]); });
    step("below three", [](script_state& s) { s[ann].add(s[below_of], s[dan]); });
    step("below four", [](script_state& s) { s[ann].add(s[below_of], s[ship]); });
    step("two below one", [](script_state& s) { s[bob].add(s[below_of], s[cleo]); });
    step("with a pair", [](script_state& s) { s[bob].add(s[loves], s[dan]); });
    step("with a tag", [](script_state& s) { s[dan].add(s[loves]); });
    step("union pair", [](script_state& s) { s[ann].add(s[moves], s[walking]); });
    step("union replaced", [](script_state& s) { s[ann].add(s[moves], s[running]); });
    step("union with a value", [](script_state& s) { s[bob].set_second<Text>(s[moves], Text(4)); });
    step("a value of the relation",
         [](script_state& s) { s[ann].set<DataRelation>(s[bob], DataRelation(5)); });
    step("exclusive value",
         [](script_state& s) { s[ann].set<ExclusiveData>(s[bob], ExclusiveData(6)); });
    step("exclusive value replaced",
         [](script_state& s) { s[ann].set<ExclusiveData>(s[cleo], ExclusiveData(7)); });
    step("sparse value by target",
         [](script_state& s) { s[cleo].set_second<Text>(s[below_of], Text(8)); });
    step("disabled pair", [](script_state& s) { s[ann].disable(s[below_of], s[bob]); });
    step("remove a link", [](script_state& s) { s[ann].remove(s[below_of], s[bob]); });
    step("clone with links", [](script_state& s) { s[made] = s[cleo].clone(); });
    step("remove all targets", [](script_state& s) { s[ann].remove(s[below_of], kith::Wildcard); });
    step("a symmetric pair of a type",
         [](script_state& s) { s.world.component<Text>().add(s[allied], s[bob]); });
    step("a value between types", [](script_state& s) {
        s.world.component<Trivial>().set_second<DataRelation>(s[allied], DataRelation(9));
    });
    step("a symmetric value",
         [](script_state& s) { s[cleo].set_second<Text>(s[allied], Text(10)); });
    step("remove symmetric pairs from all",
         [](script_state& s) { s.world.remove_all(s[allied], s[cleo]); });
    step("remove everything about one",
         [](script_state& s) { s[bob].remove(kith::Wildcard, s[dan]); });
    step("clear", [](script_state& s) { s[dan].clear(); });
}

void add_inheritance(script& steps) {
    auto step = [&](const char* what, promise kept, std::function<void(script_state&)> run) {
        steps.push_back({what, kept, std::move(run)});
    };
    step("prefab", promise::undone, [](script_state& s) { s[ship].add(kith::Prefab); });
    step("values of the prefab", promise::again,
         [](script_state& s) { s[ship].set(Text(1)).set(Trivial(2)).set(SparseText(3)); });
    step("children of the prefab", promise::undone,
         [](script_state& s) { s[hull].child_of(s[ship]); });
    step("a tree becomes part of the prefab", promise::again, [](script_state& s) {
        s[bolt].set(Text(4)).child_of(s[engine]);
        s[engine].set_name("the engine of the ship").set(Trivial(5)).child_of(s[ship]);
    });
    step("mark", promise::undone,
         [](script_state& s) { s[ship].add(kith::Override | kith::type_id<Text>()); });
    step("mark without a value", promise::undone,
         [](script_state& s) { s[ship].add(kith::Override | kith::type_id<Trivial>()); });
    step("slot", promise::undone, [](script_state& s) { s[engine].add(kith::SlotOf, s[ship]); });
    step("instance", promise::usable, [](script_state& s) { s[frigate].add(kith::IsA, s[ship]); });
    step("instances of an instance", promise::usable, [](script_state& s) {
        s[fleet].add(kith::IsA, s[frigate]);
        s[running].add(kith::IsA, s[ship]);
    });
    step("add what is inherited", promise::undone,
         [](script_state& s) { s[frigate].add<SparseText>(); });
    step("write what is inherited", promise::undone,
         [](script_state& s) { s[fleet].get_mut<SparseText>()->text = "own"; });
    step("remove it again", promise::undone,
         [](script_state& s) { s[frigate].remove<SparseText>(); });
}

void add_changes(script& steps) {
    auto step = [&](const char* what, promise kept, std::function<void(script_state&)> run) {
        steps.push_back({what, kept, std::move(run)});
    };
    step("pairs for migration", promise::again, [](script_state& s) {
        for (std::size_t i = ann; i <= dan; ++i) {
            s[i].add<TagRelation>(s[food]).set<DataRelation>(s[food], DataRelation(3));
            s[i].set<DataRelation>(s[apple], DataRelation(4)).set(Text(9));
        }
    });
    step("a tag relation becomes sparse", promise::undone,
         [](script_state& s) { s.world.component<TagRelation>().add(kith::Sparse); });
    step("values become sparse", promise::undone,
         [](script_state& s) { s.world.component<DataRelation>().add(kith::Sparse); });
    step("a component becomes sparse", promise::undone,
         [](script_state& s) { s.world.component<Text>().add(kith::Sparse); });
    step("parents in tables", promise::undone,
         [](script_state& s) { s.world.entity(kith::ChildOf).remove(kith::Sparse); });
    step("a child in tables", promise::undone, [](script_state& s) { s[ann].child_of(s[bob]); });
    step("another parent in tables", promise::undone,
         [](script_state& s) { s[ann].child_of(s[cleo]); });
    step("values become dense", promise::undone,
         [](script_state& s) { s.world.component<DataRelation>().remove(kith::Sparse); });
    step("a component becomes dense", promise::undone,
         [](script_state& s) { s.world.component<Text>().remove(kith::Sparse); });
    step("parents beside tables", promise::undone,
         [](script_state& s) { s.world.entity(kith::ChildOf).add(kith::Sparse); });
    step("late exclusive", promise::undone,
         [](script_state& s) { s.world.component<TagRelation>().add(kith::Exclusive); });
    step("late acyclic", promise::undone,
         [](script_state& s) { s.world.component<TagRelation>().add(kith::Acyclic); });
    step("deferred", promise::usable, [](script_state& s) {
        s.world.defer([&] {
            s[bob].add(s[married], s[dan]).add(s[allied], s[dan]);
            s[dan].add(s[moves], s[walking]).add(s[moves], s[running]);
            s[walking].add(kith::IsA, s[ship]);
            s[cleo].child_of(s[food]).set<ExclusiveData>(s[dan], ExclusiveData(2));
            s[likes].add(kith::Sparse);
            s[dan].add(s[loves], s[ann]);
            s[pear].destruct();
            s.world.entity().add(kith::IsA, s[frigate]).add(s[owns], s[food]);
        });
    });
    step("remove all of one id", promise::undone,
         [](script_state& s) { s.world.remove_all<DataRelation>(s[food]); });
    step("remove all", promise::usable,
         [](script_state& s) { s.world.remove_all(s[located], kith::Wildcard); });
    step("delete a base", promise::usable, [](script_state& s) { s[frigate].destruct(); });
    step("delete a relation", promise::usable, [](script_state& s) { s[moves].destruct(); });
    step("delete with", promise::usable,
         [](script_state& s) { s.world.delete_with(s[allied], kith::Wildcard); });
    step("delete owners", promise::usable, [](script_state& s) {
        s[owns].add(kith::OnDeleteTarget, kith::Delete);
        s[food].destruct();
    });
    step("delete a prefab", promise::usable, [](script_state& s) { s[ship].destruct(); });
    step("shrink", promise::undone, [](script_state& s) { s.world.shrink(); });
    step("create after all", promise::undone,
         [](script_state& s) { s[made] = s.world.entity(Text(22)); });
}

const script& relationship_script() {
    static const script steps = [] {
        script all;
        add_properties(all);
        add_pairs(all);
        add_inheritance(all);
        add_changes(all);
        return all;
    }();
    return steps;
}

}  // namespace

TEST_SUITE("model.relationship_failure") {
    TEST_CASE("any allocation of a script full of relationships may fail") {
        CHECK(fail_everywhere(relationship_script()) > 300);
    }
}
