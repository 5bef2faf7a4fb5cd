// Precompiled for the support of tests: what most of its sources include anyway. A source still
// includes what it uses.
#pragma once

#include <kith/kith.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
