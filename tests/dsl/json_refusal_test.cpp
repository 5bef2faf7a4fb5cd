// A JSON text that is refused leaves no trace: facts, values, ids of later entities.
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"
#include "support/world_text.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Cargo {
    float tons;
};

// A world in use: free ids with generations, prefabs, sparse and exclusive relationships.
struct port {
    kith::world world;

    port() {
        kith::reflect<Cargo>();
        world.component<Cargo>();
        kith::load_text(world,
                        "DockedTo: Exclusive\nLikes: Sparse\nSister: Symmetric\n"
                        "Ceres {} Vesta {} Bob: (Likes, Ceres)\n"
                        "Ship: Prefab { Bridge { Wheel {} } Hold {} }\n"
                        "Bell: Cargo = {7}, (DockedTo, Vesta), (Sister, Ceres)\n");
        std::vector<kith::entity> made;
        for (int i = 0; i < 6; ++i) {
            made.push_back(world.entity());
        }
        for (const int i : {4, 1, 3}) {
            made[static_cast<std::size_t>(i)].destruct();
        }
    }
    // The ids of the next entities, which are deleted again: generations differ then.
    static std::vector<kith::entity_t> next_ids(kith::world& of) {
        std::vector<kith::entity_t> ids;
        for (int i = 0; i < 8; ++i) {
            ids.push_back(of.entity());
        }
        return ids;
    }
};

// The pieces of a text; a mistake takes the place of one of them.
const std::vector<std::string> pieces = {
    R"({"entity":"New", "components":{"Cargo":{"tons":1}}, "tags":["Tall"]})",
    R"({"entity":"Bell", "components":{"Cargo":{"tons":2}}, "pairs":{"DockedTo":["Ceres"]}})",
    R"({"entity":"Nostromo", "pairs":{"IsA":["Ship"], "Sister":["Bell"]}})",
    R"({"entity":"Far.Away.Moon", "pairs":{"Likes":["Ceres", "Far"]}})",
    R"({"entity":"Ceres", "tags":["Prefab"], "pairs":{"ChildOf":["Far"]}})",
    R"({"entity":"#7", "components":{"Hull":{"plates":3}}})",
    R"({"entity":"Tall", "tags":["Exclusive", "Sparse"]})"};
const std::vector<std::string> mistakes = {
    R"({"entity":"Late", "components":{"Cargo":{"tons":"x"}}})",
    R"({"entity":"Late", "tags":["Wildcard"]})",
    R"({"entity":"Late", "pairs":{"DockedTo":["Ceres", "Vesta"]}})",
    R"({"entity":"Late", "components":{"Nothing":{}}})",
    R"({"entity":"Late", "pairs":{"Component":["Bell"]}})",
    R"({"entity":"Late", "tags":[)"};

std::string text_of(const std::vector<std::string>& entities) {
    std::string text = R"({"kith":1, "types":["struct Hull { plates: i32 }"], "entities":[)";
    for (std::size_t i = 0; i < entities.size(); ++i) {
        text += (i > 0 ? ",\n" : "\n") + entities[i];
    }
    return text + "]}";
}

}  // namespace

TEST_SUITE("dsl.json_refusal") {
    // spec 549
    TEST_CASE_FIXTURE(port, "the text of this test is sound without a mistake in it") {
        kith::from_json(world, text_of(pieces));
        CHECK(world.lookup("Nostromo::Bridge::Wheel"));
        world.check();
    }

    // spec 549
    TEST_CASE("a mistake at any place leaves facts, values and later ids as they were") {
        for (std::size_t place = 0; place <= pieces.size(); ++place) {
            for (const std::string& mistake : mistakes) {
                port used;
                port untouched;
                std::vector<std::string> entities = pieces;
                entities.insert(entities.begin() + static_cast<std::ptrdiff_t>(place), mistake);
                const std::string before = kith_test::dump_all(used.world);
                CAPTURE(place);
                CAPTURE(mistake);
                CHECK(kith_test::error_of([&] {
                          kith::from_json(used.world, text_of(entities));
                      }) == kith::errc::invalid_text);
                used.world.check();
                CHECK(kith_test::dump_all(used.world) == before);
                CHECK(port::next_ids(used.world) == port::next_ids(untouched.world));
            }
        }
    }

    // spec 549
    TEST_CASE("every prefix of a text is refused without a trace") {
        const std::string text = text_of(pieces);
        port used;
        port untouched;
        const std::string before = kith_test::dump_all(used.world);
        for (std::size_t size = 0; size < text.size(); size += 3) {
            CAPTURE(size);
            CHECK(kith_test::error_of([&] { kith::from_json(used.world, text.substr(0, size)); }) ==
                  kith::errc::invalid_text);
        }
        used.world.check();
        CHECK(kith_test::dump_all(used.world) == before);
        CHECK(port::next_ids(used.world) == port::next_ids(untouched.world));
    }

    // spec 549
    TEST_CASE("ids of entities that a refused text had made are issued again") {
        port used;
        const kith::entity_t next = used.world.entity();
        used.world.entity(next).destruct();
        const kith::entity_t expected = used.world.entity();
        used.world.entity(expected).destruct();
        const kith::entity_t then =
            kith::make_entity_id(kith::index_of(expected),
                                 static_cast<std::uint16_t>(kith::generation_of(expected) + 1));
        CHECK(kith_test::error_of([&] {
                  kith::from_json(used.world, text_of({pieces[0], mistakes[1]}));
              }) == kith::errc::invalid_text);
        CHECK(used.world.entity() == then);
    }

    // spec 549
    TEST_CASE_FIXTURE(port, "a world that is deferred or iterated refuses to read") {
        world.defer([&] {
            CHECK(kith_test::error_of([&] { kith::from_json(world, text_of(pieces)); }) ==
                  kith::errc::invalid_operation);
        });
    }
}
