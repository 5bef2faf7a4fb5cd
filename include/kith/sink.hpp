// Where long texts and files go to, and where they come from, part by part.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace kith {

// Takes the parts of a text or file, one after the other. False refuses the rest.
struct sink {
    bool (*write)(void* context, const char* data, std::size_t size) = nullptr;
    void* context = nullptr;

    sink(bool (*function)(void* context, const char* data, std::size_t size), void* given)
        : write(function), context(given) {}
    sink(std::string& into) : context(&into) {
        write = [](void* text, const char* data, std::size_t size) {
            static_cast<std::string*>(text)->append(data, size);
            return true;
        };
    }
    sink(std::FILE* into) : context(into) {
        write = [](void* file, const char* data, std::size_t size) {
            return std::fwrite(data, 1, size, static_cast<std::FILE*>(file)) == size;
        };
    }
};

// Gives the parts of a file: at most `size` bytes, 0 at the end.
struct source {
    std::size_t (*read)(void* context, char* to, std::size_t size) = nullptr;
    void* context = nullptr;

    source(std::size_t (*function)(void* context, char* to, std::size_t size), void* given)
        : read(function), context(given) {}
    source(std::FILE* from) : context(from) {
        read = [](void* file, char* to, std::size_t size) {
            return std::fread(to, 1, size, static_cast<std::FILE*>(file));
        };
    }
};

}  // namespace kith
