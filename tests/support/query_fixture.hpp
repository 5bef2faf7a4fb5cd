// A world for tests that build queries, also such as are refused.
#pragma once

#include <kith/kith.hpp>

#include "support/errors.hpp"

namespace kith_test {

struct query_fixture {
    kith::filter_builder<> build() const { return world.filter_builder(); }
    // The code with which building fails, cached or not; the world stays as it is.
    template <class Builder>
    std::optional<kith::errc> refused(Builder builder) const {
        const auto cached = refusal(world, [&] { builder.cached().build(); });
        const auto uncached = refusal(world, [&] { builder.uncached().build(); });
        CHECK(cached == uncached);
        return uncached;
    }
    template <class Builder>
    std::string message(Builder builder) const {
        return message_of([&] { builder.build(); });
    }

    kith::world world;
};

}  // namespace kith_test
