// Checks of values that are read from texts.
#pragma once

#include <kith/value.hpp>

#include <string>

#include <doctest/doctest.h>

namespace kith_test {

// "code: message" of the refusal, "" without one; checks that the value stays as it was. `read`
// takes a world and the value.
template <class T, class Read>
std::string refusal_of_reading(T value, Read&& read) {
    const kith::world world;
    const std::string before = kith::to_text(world, value);
    std::string message;
    try {
        read(world, value);
    } catch (const kith::error& raised) {
        message = std::string(kith::to_string(raised.code())) + ": " + raised.what();
    }
    CHECK(kith::to_text(world, value) == before);
    return message;
}

inline bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace kith_test
