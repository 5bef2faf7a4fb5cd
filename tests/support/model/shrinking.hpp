// Makes a program on which kith and the model differ as short as possible. KITH_SHRINK=n changes
// how many seconds are spent on that. Used by tests/model/random_test.cpp and observer_test.cpp.
#pragma once

#include "support/model/program.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace model {

// What goes wrong in a program, or nothing.
using find_difference_t = std::string (*)(const std::vector<op>& program);

// The seed, what went wrong, and the shortest program on which it does.
std::string report_shrunk(std::uint64_t seed, const std::string& what,
                          const std::vector<op>& program, find_difference_t find);

}  // namespace model
