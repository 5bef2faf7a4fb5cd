// What differs between two worlds: entities are the same if they have the same path.
#pragma once

#include <kith/kith.hpp>

#include <string>

namespace kith_app {

// The facts that are in one of both worlds only, and the values that differ, in the form of
// kith::diff. Each snapshot is that of a world before its facts were loaded.
class world_diff {
public:
    world_diff(const kith::snapshot& empty_before, const kith::world& before,
               const kith::snapshot& empty_after, const kith::world& after);

    bool empty() const noexcept { return text_.empty(); }
    // A line for each difference.
    const std::string& text() const noexcept { return text_; }
    // An array with an object for each difference, one per line.
    std::string json() const { return objects_.empty() ? "[]\n" : "[\n" + objects_ + "\n]\n"; }

private:
    std::string text_;
    std::string objects_;
};

}  // namespace kith_app
