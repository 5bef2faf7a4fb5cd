// Any allocation may fail: see support/failing_script.hpp.
#include "support/failing_script.hpp"

namespace {

using namespace model;

const script& foundation() {
    static const script steps = {
        {"register a component", promise::again,
         [](script_state& s) { s.world.component<Trivial>(); }},
        {"register a component with a name", promise::again,
         [](script_state& s) { s.world.component<Text>("Text"); }},
        {"register an enum", promise::again, [](script_state& s) { s.world.component<Color>(); }},
        {"make a component sparse", promise::again,
         [](script_state& s) { s.world.component<SparseText>().add(kith::Sparse); }},
        {"make a relationship exclusive", promise::again,
         [](script_state& s) { s.world.component<ExclusiveTag>().add(kith::Exclusive); }},
        {"register the others", promise::again,
         [](script_state& s) {
             s.world.component<MoveOnly>();
             s.world.component<NoDefault>();
             s.world.component<Aligned>();
             s.world.component<PlainTag>();
             s.world.component<DataRelation>();
             s.world.component<TagRelation>();
         }},
        {"create", promise::undone, [](script_state& s) { s[0] = s.world.entity(); }},
        {"create another", promise::undone, [](script_state& s) { s[1] = s.world.entity(); }},
        {"create with a name", promise::undone,
         [](script_state& s) { s[2] = s.world.entity("first"); }},
        {"create with a path", promise::undone,
         [](script_state& s) { s[3] = s.world.entity("first::second::third"); }},
        {"create with values", promise::undone,
         [](script_state& s) { s[4] = s.world.entity(Trivial(4), Aligned(4)); }},
        {"create with values that are not plain", promise::undone,
         [](script_state& s) { s[5] = s.world.entity(Text(5), MoveOnly(5)); }},
        {"create in a scope", promise::undone,
         [](script_state& s) { s.world.scope(s[0], [&] { s[6] = s.world.entity(); }); }},
        {"create with an id", promise::undone,
         [](script_state& s) { s.world.with<PlainTag>([&] { s[7] = s.world.entity(); }); }},
        {"add a tag", promise::undone, [](script_state& s) { s[0].add<PlainTag>(); }},
        {"add a component", promise::undone, [](script_state& s) { s[0].add<Trivial>(); }},
        {"add a string", promise::undone, [](script_state& s) { s[0].add<Text>(); }},
        {"set a new value", promise::undone, [](script_state& s) { s[1].set(Trivial(1)); }},
        {"set a new string", promise::undone, [](script_state& s) { s[1].set(Text(1)); }},
        {"set it again", promise::undone, [](script_state& s) { s[1].set(Text(2)); }},
        {"emplace", promise::undone,
         [](script_state& s) { s[1].emplace<NoDefault>(std::int64_t{3}); }},
        {"get_mut", promise::undone, [](script_state& s) { s[1].get_mut<Aligned>()->number = 4; }},
        {"set a sparse value", promise::undone, [](script_state& s) { s[1].set(SparseText(5)); }},
        {"add a sparse component", promise::undone,
         [](script_state& s) { s[2].add<SparseText>(); }},
        {"add a pair", promise::undone, [](script_state& s) { s[0].add<TagRelation>(s[1]); }},
        {"add a pair of entities", promise::undone, [](script_state& s) { s[0].add(s[2], s[4]); }},
        {"set a pair", promise::undone,
         [](script_state& s) { s[0].set<DataRelation>(s[1], DataRelation(7)); }},
        {"set a pair by its target", promise::undone,
         [](script_state& s) { s[0].set_second<Text>(s[1], Text(8)); }},
        {"add an exclusive pair", promise::undone,
         [](script_state& s) { s[0].add<ExclusiveTag>(s[1]); }},
        {"replace an exclusive pair", promise::undone,
         [](script_state& s) { s[0].add<ExclusiveTag>(s[4]); }},
        {"add a constant", promise::undone, [](script_state& s) { s[0].add(Color::Green); }},
        {"replace a constant", promise::undone, [](script_state& s) { s[0].add(Color::Blue); }},
        {"become a child", promise::undone, [](script_state& s) { s[4].child_of(s[0]); }},
        {"change the parent", promise::undone, [](script_state& s) { s[4].child_of(s[1]); }},
        {"set a name", promise::undone,
         [](script_state& s) { s[0].set_name("a rather long name of it"); }},
        {"rename", promise::undone,
         [](script_state& s) { s[0].set_name("another name, as long as that"); }},
        {"move a named entity", promise::undone, [](script_state& s) { s[2].child_of(s[7]); }},
        {"remove a name", promise::undone, [](script_state& s) { s[0].set_name(nullptr); }},
        {"set an alias", promise::undone, [](script_state& s) { s[0].set_alias("alias"); }},
        {"disable a component", promise::undone, [](script_state& s) { s[1].disable<Trivial>(); }},
        {"disable an entity", promise::undone, [](script_state& s) { s[1].disable(); }},
        {"clone", promise::undone, [](script_state& s) { s[8] = s[0].clone(); }},
        {"clone types", promise::undone, [](script_state& s) { s[9] = s[0].clone(false); }},
        {"clone what is disabled", promise::undone, [](script_state& s) { s[10] = s[1].clone(); }},
        {"bulk", promise::undone,
         [](script_state& s) {
             const Trivial values[] = {Trivial(1), Trivial(2), Trivial(3)};
             s[11] = s.world.entity(s.world.bulk(3, values)[0]);
         }},
        {"bulk of strings", promise::undone,
         [](script_state& s) {
             const Text values[] = {Text(1), Text(2), Text(3)};
             s[12] = s.world.entity(s.world.bulk(3, values)[0]);
         }},
        {"bulk of many", promise::undone,
         [](script_state& s) {
             const std::vector<Trivial> values(3000);
             s[13] = s.world.entity(s.world.bulk(values.size(), values.data())[0]);
         }},
        {"bulk of sparse values", promise::undone,
         [](script_state& s) {
             const SparseText values[] = {SparseText(1), SparseText(2)};
             s[14] = s.world.entity(s.world.bulk(2, values)[0]);
         }},
        {"remove a component", promise::undone, [](script_state& s) { s[0].remove<Trivial>(); }},
        {"remove a pair", promise::undone, [](script_state& s) { s[0].remove<TagRelation>(s[1]); }},
        {"remove all targets", promise::undone,
         [](script_state& s) { s[8].remove(kith::Wildcard, kith::Wildcard); }},
        {"remove a sparse component", promise::undone,
         [](script_state& s) { s[2].remove<SparseText>(); }},
        {"a component of run time", promise::usable,
         [](script_state& s) {
             kith::type_info info;
             info.size = 8;
             info.alignment = 8;
             info.zero_construct = info.trivial_copy = info.trivial_move = true;
             info.trivial_destroy = true;
             s[15] = s.world.component("runtime").define(info);
             s[12].add(s[15].id());
         }},
        {"an added property", promise::undone, [](script_state& s) { s[7].add(kith::Exclusive); }},
        {"hooks", promise::usable,
         [](script_state& s) {
             s.world.component<Trivial>().on_add([](Trivial&) {}).on_remove([](Trivial&) {});
             s.world.component<Text>().on_set([](Text&) {});
             s[16] = s.world.entity(Trivial(1), Text(1));
             s[16].remove<Trivial>();
         }},
        {"deferred changes", promise::usable,
         [](script_state& s) {
             s.world.defer([&] {
                 s[17] = s.world.entity("deferred");
                 s[17].set(Text(1)).add<PlainTag>().child_of(s[0]);
                 s[18] = s.world.entity(Trivial(3), SparseText(3));
                 s[0].set(Text(9)).remove<PlainTag>().emplace<NoDefault>(std::int64_t{9});
                 s[5].set(MoveOnly(9)).add<TagRelation>(s[17]).set_name("fifth");
                 s[9].clear();
                 s[11].destruct();
                 s[19] = s[18].clone();
                 s[1].get_mut<DataRelation>()->number = 5;
             });
         }},
        {"a value that is too large for a chunk of commands", promise::usable,
         [](script_state& s) {
             s.world.defer([&] {
                 for (std::int64_t i = 0; i < 2000; ++i) {
                     s.world.entity(s[13]).set(Aligned(i));
                 }
             });
         }},
        {"clear", promise::undone, [](script_state& s) { s[10].clear(); }},
        {"remove_all", promise::undone,
         [](script_state& s) { s.world.remove_all(kith::type_id<PlainTag>()); }},
        {"delete with", promise::usable,
         [](script_state& s) { s.world.delete_with(kith::type_id<Aligned>()); }},
        {"delete a parent that is a target and a tag", promise::usable,
         [](script_state& s) {
             s[20] = s.world.entity().add(s[0].id()).add<TagRelation>(s[0]);
             s[21] = s.world.entity().child_of(s[0]);
             s[0].destruct();
         }},
        {"make an id alive", promise::undone, [](script_state& s) { s.world.make_alive(100000); }},
        {"shrink", promise::undone, [](script_state& s) { s.world.shrink(); }},
        {"create after all", promise::undone,
         [](script_state& s) { s[22] = s.world.entity(Text(22)); }},
        {"create for a copy", promise::undone, [](script_state& s) { s[26] = s.world.entity(); }},
        {"copy a value", promise::undone, [](script_state& s) { s[26].set(*s[22].get<Text>()); }},
        {"write several values", promise::undone,
         [](script_state& s) { s[22].set([](Trivial&, DataRelation&) {}); }},
        {"create a base", promise::undone, [](script_state& s) { s[23] = s.world.entity(); }},
        {"create an instance", promise::usable,
         [](script_state& s) { s[24] = s.world.entity().is_a(s[23]); }},
        {"observers", promise::usable,
         [](script_state& s) {
             s.world.observer<Text>().with<PlainTag>().event(kith::OnAdd).each([](Text&) {});
             s.world.observer<PlainTag>().event(kith::OnRemove).each([](kith::entity) {});
         }},
        {"add what observers look at", promise::undone,
         [](script_state& s) { s[23].add<PlainTag>(); }},
        {"set what observers look at", promise::undone,
         [](script_state& s) { s[23].set(Text(23)); }},
        {"remove what observers look at", promise::undone,
         [](script_state& s) { s[23].remove<PlainTag>(); }},
        {"clone what observers look at", promise::undone,
         [](script_state& s) { s[25] = s[23].clone(); }},
    };
    return steps;
}

}  // namespace

TEST_SUITE("model.allocation_failure") {
    TEST_CASE("a world that cannot be made leaves nothing behind") {
        std::size_t needed = 0;
        {
            kith_test::counting_resource memory;
            kith::world world(kith::use_memory(memory, false));
            needed = memory.allocations();
        }
        for (std::size_t nth = 1; nth <= needed; ++nth) {
            CAPTURE(nth);
            kith_test::counting_resource memory;
            memory.fail_in(nth);
            CHECK_THROWS_AS(kith::world(kith::use_memory(memory, false)), std::bad_alloc);
            CHECK(memory.bytes() == 0);
        }
    }

    TEST_CASE("any allocation of a script may fail") {
        CHECK(fail_everywhere(foundation()) > 300);
    }
}
