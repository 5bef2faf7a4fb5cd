// Precompiled for all tests: what most of them include anyway. A test still includes what it uses.
#pragma once

#include <kith/kith.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
