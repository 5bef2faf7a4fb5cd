// What the program and its plugin have in common.
#pragma once

#include <kith/kith.hpp>

#include <string>

struct Position {
    float x, y;
};
struct Label {
    std::string text;
};

// The plugin's functions return what went wrong, null if all is well.
using plugin_function = const char* (*)(kith::world_t* world);
