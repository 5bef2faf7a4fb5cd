#include "names/name_index.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using kith::names::name_index;
using kith::names::name_node;

TEST_SUITE("unit.names.name_index") {
    TEST_CASE("names are found below their parent only") {
        kith::containers::memory mem(nullptr);
        name_index index(mem);
        name_node* node = index.add(5, "name", 77);
        CHECK(index.find(5, "name") == node);
        CHECK(index.find(6, "name") == nullptr);
        CHECK(index.find(5, "nam") == nullptr);
        index.move(*node, 6);
        CHECK(index.find(5, "name") == nullptr);
        CHECK(index.find(6, "name") == node);
        CHECK(node->view() == "name");
        CHECK(node->entity == 77);
        index.remove(node);
        CHECK(index.find(6, "name") == nullptr);
        CHECK(index.count() == 0);
    }

    TEST_CASE("a text that is not indexed is kept, not found") {
        kith::containers::memory mem(nullptr);
        name_index index(mem);
        name_node* node = index.add_unindexed("symbol", 5);
        CHECK(node->view() == "symbol");
        CHECK(index.count() == 0);
        index.remove(node);
    }

    TEST_CASE("names are found by their text, whatever their parents, while somebody wants it") {
        kith::containers::memory mem(nullptr);
        name_index index(mem);
        name_node* first = index.add(1, "name", 71);
        name_node* other = index.add(1, "other", 70);
        index.open_texts();
        name_node* second = index.add(2, "name", 72);
        name_node* third = index.add(3, "name", 73);
        const auto entities_of = [&](std::string_view text) {
            std::vector<kith::entity_t> found;
            for (const name_node* at = index.first_of(text); at; at = index.next_of(*at)) {
                found.push_back(at->entity);
            }
            std::sort(found.begin(), found.end());
            return found;
        };
        using list = std::vector<kith::entity_t>;
        CHECK(entities_of("name") == list{71, 72, 73});
        CHECK(entities_of("other") == list{70});
        CHECK(entities_of("none").empty());
        SUBCASE("one in the middle goes") {
            index.remove(second);
            CHECK(entities_of("name") == list{71, 73});
            second = index.add(9, "name", 79);
            CHECK(entities_of("name") == list{71, 73, 79});
        }
        SUBCASE("the newest goes") {
            index.remove(third);
            CHECK(entities_of("name") == list{71, 72});
            third = index.add(3, "other", 73);
            CHECK(entities_of("other") == list{70, 73});
        }
        SUBCASE("two want it") {
            index.open_texts();
            index.close_texts();
            CHECK(entities_of("name") == list{71, 72, 73});
        }
        index.close_texts();
        for (name_node* node : {first, other, second, third}) {
            index.remove(node);
        }
    }

    TEST_CASE("similar names of many parents are kept apart") {
        kith::containers::memory mem(nullptr);
        name_index index(mem);
        std::vector<name_node*> nodes;
        for (std::uint32_t parent = 1; parent <= 100; ++parent) {
            for (int i = 0; i < 100; ++i) {
                nodes.push_back(index.add(parent, "n" + std::to_string(i), parent * 1000 + i));
            }
        }
        for (std::uint32_t parent = 1; parent <= 100; ++parent) {
            for (int i = 0; i < 100; ++i) {
                REQUIRE(index.find(parent, "n" + std::to_string(i))->entity == parent * 1000 + i);
            }
        }
        for (name_node* node : nodes) {
            index.remove(node);
        }
        CHECK(mem.bytes(kith::containers::purpose::names) < 1000000);
        CHECK(index.count() == 0);
    }
}
