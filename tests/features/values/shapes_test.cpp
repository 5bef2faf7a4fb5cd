// Types of the standard library are described by their shape; no header of theirs is needed.
#include <kith/kith.hpp>
#include <kith/reflect.hpp>

#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith::kind;

struct Point {
    int x, y;
};

template <class T>
std::string name_of() {
    return kith::describe<T>().life.name;
}

}  // namespace

// spec 517
TEST_SUITE("features.values.shapes") {
    TEST_CASE("texts are owned, viewed or of a fixed size") {
        CHECK(kith::describe<std::string>().what == kind::text);
        CHECK(bool(kith::describe<std::string>().ops->assign_text));
        CHECK(kith::describe<std::string_view>().what == kind::text);
        CHECK_FALSE(bool(kith::describe<std::string_view>().ops->assign_text));
        CHECK(kith::describe<const char*>().what == kind::text);
        char name[4] = "abc";
        const kith::description& fixed = kith::describe<char[4]>();
        CHECK(fixed.ops->assign_text(fixed, name, "wxyz"));
        CHECK(std::string(fixed.ops->text(fixed, name)) == "wxyz");
        CHECK_FALSE(fixed.ops->assign_text(fixed, name, "longer"));
    }

    TEST_CASE("sequences are lists and arrays") {
        CHECK(name_of<std::vector<float>>() == "[f32]");
        CHECK(name_of<std::deque<bool>>() == "[bool]");
        CHECK(name_of<std::list<std::string>>() == "[text]");
        CHECK(name_of<std::array<std::uint8_t, 3>>() == "[u8; 3]");
        CHECK(kith::describe<std::span<int>>().what == kind::list);
        CHECK_FALSE(bool(kith::describe<std::span<int>>().ops->resize));
        std::list<std::string> words{"a", "b"};
        const kith::description& type = kith::describe<std::list<std::string>>();
        type.ops->resize(type, &words, 3);
        CHECK(*static_cast<std::string*>(type.ops->at(type, &words, 1)) == "b");
        CHECK(words.size() == 3);
    }

    TEST_CASE("sets and maps know whether they are sorted") {
        CHECK(kith::describe<std::set<int>>().ops->is_sorted);
        CHECK_FALSE(kith::describe<std::unordered_set<int>>().ops->is_sorted);
        CHECK(name_of<std::map<std::string, Point>>() == "{text: Point}");
        using map_type = std::unordered_map<int, std::string>;
        const kith::description& type = kith::describe<map_type>();
        map_type map;
        int key = 7;
        *static_cast<std::string*>(type.ops->insert(type, &map, &key)) = "seven";
        CHECK(map.at(7) == "seven");
        CHECK(type.ops->find(type, &map, &key) == &map.at(7));
        CHECK(type.ops->erase(type, &map, &key));
        CHECK(map.empty());
    }

    TEST_CASE("optionals, pointers that own and variants have an inner value") {
        const kith::description& optional = kith::describe<std::optional<Point>>();
        std::optional<Point> point;
        CHECK(name_of<std::optional<Point>>() == "?Point");
        CHECK(optional.ops->inner(optional, &point) == nullptr);
        static_cast<Point*>(optional.ops->emplace(optional, &point, 0))->x = 5;
        CHECK(point->x == 5);
        const kith::description& owner = kith::describe<std::unique_ptr<Point>>();
        std::unique_ptr<Point> owned;
        CHECK(owner.what == kind::optional);
        const void* emplaced = owner.ops->emplace(owner, &owned, 0);
        CHECK(emplaced == owned.get());
        using choice_type = std::variant<std::monostate, int, std::string>;
        const kith::description& choice = kith::describe<choice_type>();
        choice_type value;
        CHECK(choice.count == 3);
        *static_cast<std::string*>(choice.ops->emplace(choice, &value, 2)) = "text";
        CHECK(std::get<2>(value) == "text");
        CHECK(choice.ops->which(choice, &value) == 2);
    }

    TEST_CASE("pairs and tuples are tuples with offsets") {
        using tuple_type = std::tuple<char, std::string, int>;
        const kith::description& type = kith::describe<tuple_type>();
        CHECK(name_of<tuple_type>() == "(char, text, i32)");
        tuple_type value{'a', "b", 3};
        CHECK(*reinterpret_cast<int*>(reinterpret_cast<char*>(&value) + type.members[2].offset) ==
              3);
        CHECK(name_of<std::pair<int, Point>>() == "(i32, Point)");
    }

    TEST_CASE("durations and atomics are numbers, bits are a text of 0 and 1") {
        CHECK(kith::describe<std::chrono::milliseconds>().what == kind::i64);
        CHECK(kith::describe<std::atomic<int>>().what == kind::i32);
        const kith::description& type = kith::describe<std::bitset<4>>();
        std::bitset<4> bits;
        const std::string digits = "101";
        const std::string wrong = "12";
        type.ops->assign(type, &bits, &digits);
        CHECK(bits.to_ulong() == 5);
        CHECK_THROWS_AS(type.ops->assign(type, &bits, &wrong), kith::error);
    }

    TEST_CASE("pointers that share are not described") {
        CHECK(kith::describe<std::shared_ptr<int>>().what == kind::none);
    }

    // spec 533
    TEST_CASE(
        "values are compared by description: padding and order of unordered sets do not count") {
        struct Padded {
            char small;
            double large;
        };
        Padded a, b;
        __builtin_memset(&a, 0x55, sizeof a);
        __builtin_memset(&b, 0xAA, sizeof b);
        a.small = b.small = 'x';
        a.large = 0.0;
        b.large = -0.0;
        const kith::description& type = kith::describe<Padded>();
        CHECK(kith::detail::equal_values(type, &a, &b));
        CHECK(kith::detail::hash_value(type, &a) == kith::detail::hash_value(type, &b));
        using set_type = std::unordered_set<int>;
        set_type few(1);
        set_type many(1000);
        for (int i = 0; i < 20; ++i) {
            few.insert(i);
            many.insert(19 - i);
        }
        const kith::description& set = kith::describe<set_type>();
        CHECK(kith::detail::equal_values(set, &few, &many));
        CHECK(kith::detail::hash_value(set, &few) == kith::detail::hash_value(set, &many));
        many.insert(100);
        CHECK_FALSE(kith::detail::equal_values(set, &few, &many));
    }
}
