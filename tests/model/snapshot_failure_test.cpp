// Snapshots while memory is short, and while copies of values throw: world and handle are as
// before.
#include <kith/diff.hpp>

#include "support/failing_script.hpp"

#include <optional>
#include <stdexcept>

namespace {

using namespace model;

std::optional<kith::snapshot> taken;
std::optional<kith::diff> change;
std::optional<kith::history> edits;

const script& snapshots() {
    static const script steps = {
        {"fill the world", promise::usable,
         [](script_state& s) {
             taken.reset();
             s.world.component<SparseText>().add(kith::Sparse);
             s[0] = s.world.entity("first").set(Trivial(1)).set(Text(1)).set(SparseText(1));
             s[1] =
                 s.world.entity("second").set<DataRelation>(s[0], DataRelation(2)).child_of(s[0]);
             s[2] = s.world.entity().add<PlainTag>().set(Aligned(3));
         }},
        {"take", promise::undone, [](script_state& s) { taken = s.world.snapshot().take(); }},
        {"change values", promise::again, [](script_state& s) { s[0].set(Text(2)); }},
        {"restore values", promise::undone, [](script_state&) { taken->restore(); }},
        {"change everything", promise::usable,
         [](script_state& s) {
             s[1].destruct();
             s[0].set_name("other").remove<SparseText>().add<PlainTag>();
             s[3] = s.world.entity("third").child_of(s[0]);
         }},
        {"restore everything", promise::undone, [](script_state&) { taken->restore(); }},
        {"forget the snapshot", promise::again, [](script_state&) { taken.reset(); }},
    };
    return steps;
}

const script& differences() {
    static const script steps = {
        {"fill the world", promise::usable,
         [](script_state& s) {
             change.reset();
             edits.reset();
             s[0] = s.world.entity("first").set(Trivial(1)).set(Text(1));
             s[1] = s.world.entity("second").set<DataRelation>(s[0], DataRelation(2));
         }},
        {"take", promise::undone, [](script_state& s) { taken = s.world.snapshot().take(); }},
        {"change the world", promise::usable,
         [](script_state& s) {
             s[1].child_of(s[0]).set(Trivial(7));
             s[2] = s.world.entity("third").add<PlainTag>();
         }},
        {"compare", promise::undone,
         [](script_state& s) { change = kith::diff(*taken, s.world.snapshot().take()); }},
        {"apply the inverse", promise::undone,
         [](script_state& s) { kith::apply(s.world, change->invert()); }},
        {"apply", promise::undone, [](script_state& s) { kith::apply(s.world, *change); }},
        {"begin a history", promise::again, [](script_state& s) { edits.emplace(s.world); }},
        {"edit", promise::usable,
         [](script_state& s) {
             auto scope = edits->edit("Edit");
             s[0].set(Text(2));
         }},
        {"forget", promise::again,
         [](script_state&) {
             edits.reset();
             change.reset();
             taken.reset();
         }},
    };
    return steps;
}

// Values whose copies fail when the counter reaches 0.
struct Fragile {
    explicit Fragile(int value) : number(value) {}
    Fragile(const Fragile& other) : number(other.number) {
        if (copies_left-- == 0) {
            throw std::runtime_error("no copy");
        }
    }
    Fragile(Fragile&&) noexcept = default;
    Fragile& operator=(const Fragile&) = default;
    Fragile& operator=(Fragile&&) noexcept = default;
    ~Fragile() = default;

    int number;
    static inline int copies_left = -1;
};

}  // namespace

TEST_SUITE("model.snapshot_failure") {
    // spec 573
    TEST_CASE("each allocation of a take and of a restore may fail") {
        CHECK(fail_everywhere(snapshots()) > 20);
    }

    // spec 573
    TEST_CASE("each allocation of a difference and of an edit may fail") {
        CHECK(fail_everywhere(differences()) > 20);
    }

    // spec 573
    TEST_CASE("a copy that throws leaves world and handle as they were") {
        kith::world world;
        kith_test::value_printers values;
        values.add<Fragile>([](const Fragile& value) { return std::to_string(value.number); });
        const kith::entity target = world.entity("target");
        world.component<Fragile>();
        std::vector<kith::entity> holders;
        for (int i = 0; i < 4; ++i) {
            holders.push_back(world.entity().emplace<Fragile>(i));
            holders.back().emplace_first<Fragile>(target, i + 10);
        }
        kith::snapshot held = world.snapshot().take();
        const std::string first = kith_test::dump_world(world, values);
        holders[0].set(Fragile(50));
        holders[1].destruct();
        const std::string second = kith_test::dump_world(world, values);
        for (int copies = 0; copies < 6; ++copies) {
            Fragile::copies_left = copies;
            CHECK_THROWS_AS(held.restore(), std::runtime_error);
            CHECK(kith_test::dump_world(world, values) == second);
            world.check();
            Fragile::copies_left = copies;
            CHECK_THROWS_AS(held.take(), std::runtime_error);
            CHECK(kith_test::dump_world(world, values) == second);
        }
        Fragile::copies_left = -1;
        held.restore();
        CHECK(kith_test::dump_world(world, values) == first);
    }
}
