// Programs made of bytes, on kith and on the model of tests/support side by side. Six bytes are one
// operation; parts that make no sense are skipped, so any input is a program. Prints the program on
// which they differ.
#include "support/model/operations.hpp"

#include "support/model/runner.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

using namespace model;

// Bytes that name elements are spread evenly over those that exist.
std::uint8_t element_of(std::uint8_t byte) {
    constexpr std::uint8_t choices = slot_count + color + 3;
    byte %= choices;
    if (byte < slot_count) {
        return byte;
    }
    byte = static_cast<std::uint8_t>(byte - slot_count);
    if (byte < color) {
        return static_cast<std::uint8_t>(first_component + byte);
    }
    constexpr std::uint8_t others[] = {element_child_of, element_wildcard, no_element};
    return others[byte - color];
}

op decode(const std::uint8_t* bytes) {
    op one{static_cast<op_kind>(bytes[0] % op_kinds)};
    one.slot = bytes[1] % slot_count;
    one.first = element_of(bytes[2]);
    one.second = element_of(bytes[3]);
    one.number = bytes[4] + 256 * (bytes[5] % 4);
    return one;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t op_size = 6;
    std::vector<op> program;
    try {
        runner both;
        for (std::size_t at = 0; at + op_size <= size; at += op_size) {
            program.push_back(decode(data + at));
            both.step(program.back());
        }
        both.finish();
        both.end_world();
    } catch (const out_of_scope&) {
        return 0;
    } catch (const difference& found) {
        std::fprintf(stderr, "%s\nprogram:\n%s", found.what(), to_text(program).c_str());
        std::abort();
    }
    return 0;
}
