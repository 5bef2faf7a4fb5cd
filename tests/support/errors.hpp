// Checks that something fails as it should.
#pragma once

#include <kith/kith.hpp>

#include "support/world_dump.hpp"

#include <optional>
#include <ostream>
#include <string>

#include <doctest/doctest.h>

namespace kith {

// For messages of doctest.
inline std::ostream& operator<<(std::ostream& out, errc code) {
    return out << to_string(code);
}

}  // namespace kith

namespace kith_test {

// The code that `func` fails with, or nothing.
template <class Func>
std::optional<kith::errc> error_of(Func&& func) {
    try {
        func();
    } catch (const kith::error& e) {
        return e.code();
    }
    return std::nullopt;
}

// The message that `func` fails with, or "".
template <class Func>
std::string message_of(Func&& func) {
    try {
        func();
    } catch (const kith::error& e) {
        return e.what();
    }
    return {};
}

// As error_of, and checks that the world is as it was before, and sound.
template <class Func>
std::optional<kith::errc> refusal(const kith::world& world, const value_printers& values,
                                  Func&& func) {
    const std::string before = dump_world(world, values);
    const std::optional<kith::errc> code = error_of(func);
    CHECK(dump_world(world, values) == before);
    CHECK_NOTHROW(world.check());
    return code;
}
template <class Func>
std::optional<kith::errc> refusal(const kith::world& world, Func&& func) {
    return refusal(world, value_printers{}, func);
}

}  // namespace kith_test
