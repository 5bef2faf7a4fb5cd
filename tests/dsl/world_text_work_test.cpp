// How much work a text causes: as much as there is to read, however deep its blocks are and however
// many scopes it uses. The counts are there in builds with internal checks only.
#include <kith/memory_resource.hpp>
#include <kith/world_text.hpp>

#include "base/counters.hpp"

#include <memory_resource>
#include <string>

#include <doctest/doctest.h>

namespace {

std::string repeated(const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
        all += text;
    }
    return all;
}

// The same with the numbers from 0 on after `before`.
std::string numbered(const std::string& before, const std::string& after, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) {
        all += before + std::to_string(i) + after;
    }
    return all;
}

struct text_case {
    const char* why;
    std::string (*text)(int size);
};

constexpr text_case growing[] = {
    {"each block names the same tag",
     [](int n) { return "T {}\n" + repeated("n: T {", n) + repeated("}", n); }},
    {"each block names a tag of its own",
     [](int n) {
         return numbered("T", " {}\n", n) + numbered("n: T", " {", n) + repeated("}", n);
     }},
    {"the innermost block names many tags",
     [](int n) {
         std::string text = numbered("T", " {}\n", n) + repeated("n {", n);
         for (int i = 0; i < n; ++i) {
             text += "x" + std::to_string(i) + ": T" + std::to_string(i) + "\n";
         }
         return text + repeated("}", n);
     }},
    {"the innermost block makes many tags",
     [](int n) { return repeated("n {", n) + numbered("x: T", "\n", n) + repeated("}", n); }},
    {"the innermost block makes many entities",
     [](int n) { return repeated("n {", n) + numbered("T(y", ")\n", n) + repeated("}", n); }},
    {"the innermost block makes instances",
     [](int n) {
         return "B {}\nT {}\n" + repeated("n {", n) + numbered("y", ": (IsA, B), T\n", n) +
                repeated("}", n);
     }},
    {"the innermost block gives children other parents",
     [](int n) {
         return "P {}\nT {}\n" + repeated("n {", n) + numbered("y", ": (ChildOf, P), T\n", n) +
                repeated("}", n);
     }},
    {"the innermost block names paths",
     [](int n) {
         return "A { T {} }\n" + repeated("n {", n) + numbered("y", ": A.T\n", n) +
                repeated("}", n);
     }},
    {"a tag is named behind each block",
     [](int n) { return "T {}\n" + repeated("n {", n) + repeated("x: T } ", n); }},
    {"many scopes are used",
     [](int n) {
         return "T {}\n" + numbered("U", " {}\n", n) + numbered("using U", "\n", n) +
                numbered("x", ": T\n", n);
     }},
    {"one scope is used many times",
     [](int n) { return "U {}\n" + repeated("using U\n", n) + numbered("x", ": T\n", n); }},
    {"a description names one target many times",
     [](int n) { return "R: Exclusive\nx: (R, T)" + repeated(", (R, T)", n); }},
};

}  // namespace

TEST_SUITE("dsl.world_text_work") {
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    TEST_CASE("looking up the names of a text takes work in proportion to its size") {
        const auto work_of = [](const std::string& text) {
            kith::world world;
            const std::uint64_t before = kith::base::work.names;
            kith::load_text(world, text);
            return kith::base::work.names - before;
        };
        for (const text_case& one : growing) {
            CAPTURE(one.why);
            const std::uint64_t small = work_of(one.text(150));
            const std::uint64_t large = work_of(one.text(600));
            CHECK(large <= 5 * small);
        }
    }
#endif

    TEST_CASE("a path of many elements is made in memory in proportion to its size") {
        class summing final : public std::pmr::memory_resource {
        public:
            std::size_t sum = 0;

        private:
            void* do_allocate(std::size_t size, std::size_t alignment) override {
                sum += size;
                return std::pmr::new_delete_resource()->allocate(size, alignment);
            }
            void do_deallocate(void* memory, std::size_t size, std::size_t alignment) override {
                std::pmr::new_delete_resource()->deallocate(memory, size, alignment);
            }
            bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
                return this == &other;
            }
        };
        const auto bytes_of = [](int elements) {
            summing memory;
            kith::world world(kith::use_memory(memory, false));
            const std::size_t before = memory.sum;
            world.entity(("a" + repeated(".a", elements)).c_str());
            return memory.sum - before;
        };
        CHECK(bytes_of(8'000) <= 5 * bytes_of(2'000));
    }
}
