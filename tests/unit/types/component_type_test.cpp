#include "types/component_type.hpp"

#include "support/counted.hpp"

using namespace kith;
using value = kith_test::counted<6>;

namespace {

type_info plain(std::uint32_t size, std::uint32_t alignment) {
    type_info info;
    info.size = size;
    info.alignment = alignment;
    info.zero_construct = info.trivial_copy = info.trivial_move = info.trivial_destroy = true;
    return info;
}

struct buffer {
    alignas(value) unsigned char bytes[sizeof(value) * 4];
    void* at(std::size_t index) { return bytes + sizeof(value) * index; }
    value& operator[](std::size_t index) { return *static_cast<value*>(at(index)); }
};

}  // namespace

TEST_SUITE("unit.types.component_type") {
    TEST_CASE("sizes and alignments that cannot be stored are faults") {
        CHECK(types::find_type_fault(plain(8, 8)) == nullptr);
        CHECK(types::find_type_fault(plain(1, 1)) == nullptr);
        CHECK(types::find_type_fault(plain(types::max_value_size, 16)) == nullptr);
        CHECK(types::find_type_fault(plain(types::max_value_size + 16, 16)) != nullptr);
        CHECK(types::find_type_fault(plain(8192, 8192)) != nullptr);
        CHECK(types::find_type_fault(plain(8, 0)) != nullptr);
        CHECK(types::find_type_fault(plain(6, 3)) != nullptr);
        CHECK(types::find_type_fault(plain(6, 4)) != nullptr);
    }

    TEST_CASE("a constructor that throws half way leaves no value") {
        kith_test::balance_check<value> balance;
        const type_info info = detail::make_type_info<value>();
        buffer memory;
        value::throw_in = 3;
        CHECK_THROWS(types::construct_values(info, memory.at(0), 4));
        CHECK(value::counts.alive() == 0);
        value::throw_in = 0;
        types::construct_values(info, memory.at(0), 4);
        CHECK(value::counts.alive() == 4);
        types::destroy_values(info, memory.at(0), 4);
    }

    TEST_CASE("a copy that throws half way leaves no value") {
        kith_test::balance_check<value> balance;
        const type_info info = detail::make_type_info<value>();
        buffer from;
        buffer to;
        types::construct_values(info, from.at(0), 4);
        value::throw_in = 4;
        CHECK_THROWS(types::copy_values(info, to.at(0), from.at(0), 4));
        value::throw_in = 0;
        CHECK(value::counts.alive() == 4);
        types::destroy_values(info, from.at(0), 4);
    }

    TEST_CASE("relocation moves a value and ends the old one") {
        kith_test::balance_check<value> balance;
        const type_info info = detail::make_type_info<value>();
        buffer memory;
        ::new (memory.at(0)) value(5);
        types::relocate_value(info, memory.at(2), memory.at(0));
        CHECK(value::counts.alive() == 1);
        CHECK(memory[2].number() == 5);
        types::destroy_values(info, memory.at(2), 1);
    }
}
