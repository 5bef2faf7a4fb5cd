// The own versions of std::from_chars and std::to_chars for reals give the results of the
// standard's.
#include <kith/detail/real_text.hpp>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace {

template <class T>
std::string written_slowly(T value, bool fixed) {
    char text[512];
    return {text, kith::detail::write_real_slowly(text, text + sizeof text, value, fixed)};
}

template <class T>
std::string written(T value, bool fixed) {
    char text[512];
    return {text, kith::detail::write_real(text, text + sizeof text, value, fixed)};
}

void compare_reading(std::string_view text) {
    CAPTURE(text);
    const char* last = text.data() + text.size();
    double value = 7;
    double slow = 7;
    const auto expected = kith::detail::read_real(text.data(), last, value);
    const auto result = kith::detail::read_real_slowly(text.data(), last, slow);
    CHECK(result.ec == expected.ec);
    CHECK(result.ptr == expected.ptr);
    CHECK(std::bit_cast<std::uint64_t>(slow) == std::bit_cast<std::uint64_t>(value));
}

// A sequence that covers all exponents: bits of a multiplicative generator.
struct bit_sequence {
    std::uint64_t state = 1;
    std::uint64_t next() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return state ^ state >> 31;
    }
};

}  // namespace

TEST_SUITE("unit.base.real_text") {
    TEST_CASE("reals that are written without to_chars are those that to_chars writes") {
        for (const double value : {0.0, -0.0, 1.0, -1.5, 0.1, 1e5, 100000.5, 123456789.0, 1e21,
                                   1e22, 5e-324, 1e-5, 0.0001, 1.7976931348623157e308}) {
            CAPTURE(value);
            CHECK(written_slowly(value, false) == written(value, false));
            CHECK(written_slowly(static_cast<float>(value), false) ==
                  written(static_cast<float>(value), false));
        }
        CHECK(written_slowly(12.25f, true) == "12.25");
        CHECK(written_slowly(0.0001, true) == "0.0001");
        CHECK(written_slowly(999999.0, true) == "999999");
        const double infinite = std::numeric_limits<double>::infinity();
        CHECK(written_slowly(-infinite, false) == "-inf");
        CHECK(written_slowly(infinite - infinite, false).ends_with("nan"));
    }

    TEST_CASE("random reals are written as to_chars writes them") {
        bit_sequence bits;
        for (int i = 0; i < 2000; ++i) {
            const auto value = std::bit_cast<double>(bits.next());
            const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(bits.next()));
            CAPTURE(value);
            if (value == value) {
                CHECK(std::strtod(written_slowly(value, false).c_str(), nullptr) == value);
                CHECK(written_slowly(value, false).size() == written(value, false).size());
                CHECK(written_slowly(value, true).size() == written(value, true).size());
            }
            if (narrow == narrow) {
                CHECK(std::strtof(written_slowly(narrow, false).c_str(), nullptr) == narrow);
            }
        }
    }

    TEST_CASE("texts are read without from_chars as from_chars reads them") {
        for (const char* text : {"0",
                                 "-0",
                                 "1",
                                 "-1.5",
                                 "0.1",
                                 "1e5",
                                 "1E+5",
                                 "1e-7",
                                 ".5",
                                 "5.",
                                 "1e",
                                 "1e+",
                                 "12x",
                                 "1.5.2",
                                 "",
                                 "-",
                                 ".",
                                 "e5",
                                 "+1",
                                 " 1",
                                 "1e400",
                                 "-1e400",
                                 "1e-400",
                                 "0e400",
                                 "5e-324",
                                 "9007199254740993",
                                 "123456789012345678901234567890"}) {
            compare_reading(text);
        }
        bit_sequence bits;
        for (int i = 0; i < 500; ++i) {
            const auto value = std::bit_cast<double>(bits.next());
            if (value - value == 0) {
                compare_reading(written(value, false));
            }
        }
    }
}
