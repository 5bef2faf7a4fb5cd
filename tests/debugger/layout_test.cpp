// The layout that debugger/kith_world.py repeats, compared with the structs that it describes.
// Where a case fails, change the script with the struct, and increase detail::layout_tag.
#include <kith/kith.hpp>

#include "containers/vec.hpp"
#include "names/name_index.hpp"
#include "storage/store.hpp"

#include <cstddef>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace kith;
using namespace kith::detail;

using constants = std::map<std::string, std::uint64_t>;

std::string read_script() {
    std::ifstream file(KITH_MANUAL_PATH "/../../debugger/kith_world.py");
    REQUIRE(file);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// The part of the script between two texts.
std::string part_of(const std::string& script, const char* from, const char* to) {
    const std::size_t begin = script.find(from);
    const std::size_t end = script.find(to, begin);
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    return script.substr(begin, end - begin);
}

constants read_constants() {
    const std::string text = part_of(read_script(), "class Layout:", "\n\n\n");
    const std::regex line(R"(\n    (\w+) = (\w+))");
    constants found;
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at) {
        found[(*at)[1]] = std::stoull((*at)[2], nullptr, 0);
    }
    return found;
}

std::vector<std::string> read_offset_names() {
    const std::string text = part_of(read_script(), "\nOFFSETS = (", ").split()");
    const std::regex word(R"([a-z][a-z_]+)");
    std::vector<std::string> found;
    for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) {
        found.push_back(at->str());
    }
    return found;
}

constants layout_of_structs() {
    return {
        {"tag", layout_tag},
        {"world_store", offsetof(world_t, store)},
        {"world_mode", offsetof(world_t, mode)},
        {"mode_deferred", mode_deferred},
        {"store_pages", offsetof(store_head, pages)},
        {"store_page_count", offsetof(store_head, page_count)},
        {"store_rows", offsetof(store_head, rows)},
        {"store_shapes", offsetof(store_head, shapes)},
        {"store_parents", offsetof(store_head, parents)},
        {"store_parent_page_count", offsetof(store_head, parent_page_count)},
        {"store_offsets", offsetof(store_head, offsets)},
        {"record_size", sizeof(entity_record)},
        {"record_page_bits", record_page_bits},
        {"record_free", record_free},
        {"record_identity", record_identity},
        {"rows_size", sizeof(table_rows)},
        {"shape_ids", offsetof(table_shape, ids)},
        {"shape_slots", offsetof(table_shape, slots)},
        {"shape_flags", offsetof(table_shape, flags)},
        {"shape_id_count", offsetof(table_shape, id_count)},
        {"shape_number", offsetof(table_shape, number)},
        {"shape_builtin", shape_builtin},
        {"link_node_size", sizeof(link_node)},
        {"link_page_bits", link_page_bits},
        {"link_page_slots", offsetof(link_page, slots)},
        {"name_parent", offsetof(name_entry, parent)},
        {"name_length", offsetof(name_entry, length)},
        {"name_text", name_entry::text_offset},
        {"component_type_id", component_type_id},
        {"identifier_type_id", identifier_type_id},
        {"kith", Kith},
        {"wildcard", Wildcard},
        {"any", Any},
        {"name", Name},
        {"symbol", Symbol},
        {"child_of", ChildOf},
        {"first_entity", first_entity},
    };
}

// The bytes of an object, as a debugger reads them.
template <class T>
T read_at(const void* object, std::size_t offset) {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(object) + offset, sizeof(T));
    return value;
}

TEST_SUITE("debugger.layout") {
    // spec 440
    TEST_CASE("the script of the debugger knows the layout of the public structs") {
        constants script = read_constants();
        for (const auto& own : layout_of_structs()) {
            CAPTURE(own.first);
            REQUIRE(script.count(own.first) == 1);
            CHECK(script[own.first] == own.second);
            script.erase(own.first);
        }
        // The members of these are private, and compared by the next case.
        for (const char* name : {"error_text", "vec_data", "vec_count"}) {
            CHECK(script.erase(name) == 1);
        }
        for (const auto& other : script) {
            FAIL_CHECK("no test compares ", other.first);
        }
    }

    // Structs that the script reads as a whole: members one after the other.
    TEST_CASE("structs that the script reads at once have the order of members that it assumes") {
        CHECK(offsetof(entity_record, table) == 0);
        CHECK(offsetof(entity_record, row) == 4);
        CHECK(offsetof(entity_record, state) == 8);
        CHECK(offsetof(table_rows, block) == 0);
        CHECK(offsetof(table_rows, count) == 8);
        CHECK(offsetof(table_rows, capacity) == 12);
        CHECK(offsetof(kith::detail::column, offset) == 0);
        CHECK(offsetof(kith::detail::column, size) == 4);
        CHECK(sizeof(kith::detail::column) == 8);
        CHECK(offsetof(link_node, target) == 0);
        CHECK(offsetof(link_node, rest) == 4);
        CHECK(offsetof(link_node, sources) == 12);
        CHECK(offsetof(link_page, nodes) == 0);
        CHECK(offsetof(Component, size) == 0);
        CHECK(offsetof(Component, alignment) == 4);
        CHECK(sizeof(Identifier) == sizeof(void*));
    }

    TEST_CASE("arrays and errors have their members where the script reads them") {
        constants script = read_constants();
        containers::memory mem(nullptr);
        containers::vec<std::uint32_t> numbers;
        numbers.reserve_extra(mem, 5, containers::purpose::index);
        numbers.push_reserved(1);
        CHECK(read_at<const std::uint32_t*>(&numbers, script["vec_data"]) == numbers.data());
        CHECK(read_at<std::uint32_t>(&numbers, script["vec_count"]) == 1);
        numbers.release(mem, containers::purpose::index);

        const error raised(errc::locked, "a message");
        CHECK(read_at<const char*>(&raised, script["error_text"]) == raised.what());
    }

    TEST_CASE("the script lists the members of internal_offsets in their order") {
        const std::vector<std::string> names = read_offset_names();
        CHECK(offsetof(internal_offsets, table_limit) == sizeof(std::uint64_t));
        CHECK(sizeof(internal_offsets) ==
              sizeof(std::uint64_t) + names.size() * sizeof(std::uint32_t));
        const std::map<std::string, std::size_t> members = {
            {"table_limit", offsetof(internal_offsets, table_limit)},
            {"sparse_ids", offsetof(internal_offsets, sparse_ids)},
            {"link_ids", offsetof(internal_offsets, link_ids)},
            {"toggled_ids", offsetof(internal_offsets, toggled_ids)},
            {"record_id", offsetof(internal_offsets, record_id)},
            {"record_sparse", offsetof(internal_offsets, record_sparse)},
            {"record_links", offsetof(internal_offsets, record_links)},
            {"record_disabled", offsetof(internal_offsets, record_disabled)},
            {"sparse_pages", offsetof(internal_offsets, sparse_pages)},
            {"sparse_chunks", offsetof(internal_offsets, sparse_chunks)},
            {"sparse_page_bits", offsetof(internal_offsets, sparse_page_bits)},
            {"link_exclusive", offsetof(internal_offsets, link_exclusive)},
            {"link_pages", offsetof(internal_offsets, link_pages)},
            {"link_sources", offsetof(internal_offsets, link_sources)},
            {"link_targets", offsetof(internal_offsets, link_targets)},
            {"link_pools", offsetof(internal_offsets, link_pools)},
            {"source_list_size", offsetof(internal_offsets, source_list_size)},
            {"source_list_pool", offsetof(internal_offsets, source_list_pool)},
            {"target_list_size", offsetof(internal_offsets, target_list_size)},
            {"target_list_count", offsetof(internal_offsets, target_list_count)},
            {"pool_chunks", offsetof(internal_offsets, pool_chunks)},
            {"pool_chunk_bits", offsetof(internal_offsets, pool_chunk_bits)},
        };
        REQUIRE(members.size() == names.size());
        for (std::size_t i = 0; i < names.size(); ++i) {
            CAPTURE(names[i]);
            REQUIRE(members.count(names[i]) == 1);
            CHECK(members.at(names[i]) == 8 + 4 * i);
        }
    }

    TEST_CASE("a world says where its library keeps values outside of tables") {
        kith::world world;
        CHECK(world.c_ptr()->store->offsets == &internal_offsets::own);
        CHECK(internal_offsets::own.tag == layout_tag);
        CHECK(kith::detail::empty_store.offsets == nullptr);
    }
}

}  // namespace
