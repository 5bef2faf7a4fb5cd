#include "base/log.hpp"

#include <string>
#include <vector>

namespace {

struct recorder {
    recorder() {
        kith::set_log(
            [](const char* message, void* context) {
                static_cast<recorder*>(context)->messages.emplace_back(message);
            },
            this);
    }
    ~recorder() { kith::set_log(nullptr); }
    std::vector<std::string> messages;
};

}  // namespace

TEST_SUITE("unit.base.log") {
    TEST_CASE("warnings go to the handler that was set last") {
        recorder first;
        kith::base::warn(kith::base::text{} << "one " << std::uint32_t{1});
        CHECK(first.messages == std::vector<std::string>{"one 1"});
        {
            recorder second;
            kith::base::warn(kith::base::text{} << "two");
            CHECK(first.messages.size() == 1);
            CHECK(second.messages == std::vector<std::string>{"two"});
        }
    }

    TEST_CASE("a handler may replace itself") {
        static int calls = 0;
        kith::set_log([](const char*, void*) {
            ++calls;
            kith::set_log([](const char*, void*) { calls += 10; });
        });
        kith::base::warn(kith::base::text{} << "x");
        CHECK(calls == 1);
        kith::base::warn(kith::base::text{} << "x");
        CHECK(calls == 11);
        kith::set_log(nullptr);
    }
}
