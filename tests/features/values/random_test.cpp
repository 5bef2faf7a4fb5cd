// Random types that are declared at run time, with random values: the canonical text of the test
// itself is the oracle. Texts read back to equal values, copies are equal, changed texts are
// refused or read, and never leave a value half written; paths lead to the parts that the test
// knows.
#include <kith/kith.hpp>
#include <kith/value.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

// A type as the test knows it.
struct type_tree {
    char form = 'p';  // p: primitive, s: struct, l: list, n: array, m: map, ?: optional, |, (
    int primitive = 0;
    std::uint32_t size = 0;
    std::vector<type_tree> parts;
    kith::entity_t type = 0;
};

struct sample_list {
    const char* texts[8];
};
constexpr int primitive_count = 14;
// Canonical texts with the limits of each kind.
constexpr sample_list samples[primitive_count] = {
    {{"true", "false", "true", "false", "true", "false", "true", "false"}},
    {{"'a'", "'\\''", "'\\\\'", "'\\xff'", "'\\x00'", "'\\n'", "' '", "'\"'"}},
    {{"0", "-128", "127", "1", "-1", "5", "6", "7"}},
    {{"0", "-32768", "32767", "1", "-1", "5", "6", "7"}},
    {{"0", "-2147483648", "2147483647", "1", "-1", "5", "6", "7"}},
    {{"0", "-9223372036854775808", "9223372036854775807", "1", "-1", "5", "6", "7"}},
    {{"0", "255", "1", "2", "3", "4", "5", "6"}},
    {{"0", "65535", "1", "2", "3", "4", "5", "6"}},
    {{"0", "4294967295", "1", "2", "3", "4", "5", "6"}},
    {{"0", "18446744073709551615", "9007199254740993", "2", "3", "4", "5", "6"}},
    {{"0", "-0", "0.1", "inf", "-inf", "nan", "1e-45", "3.4028235e+38"}},
    {{"0", "-0", "0.1", "inf", "-inf", "nan", "5e-324", "1.7976931348623157e+308"}},
    {{"\"\"", "\"a\"", "\"\\\"\\\\\\n\"", "\"\\xff\\xc3\"", "\"\xC3\xA4\"", "\"\\x00\"", "\"'\"",
      "\"a text that does not fit into the memory of a short string\""}},
    {{"0", "Known", "0", "Known", "0", "Known", "0", "Known"}},
};

class generator {
public:
    generator(const kith::world& world, unsigned seed) : world_(world), random_(seed) {}

    type_tree make_type(int depth) {
        type_tree made;
        const int choice = depth == 0 ? 0 : number(9);
        made.form = choice < 3 ? 'p' : "slnm?|"[choice - 3];
        switch (made.form) {
            case 'p':
                made.primitive = number(primitive_count);
                made.type = primitive(made.primitive);
                break;
            case 's':
                make_struct(made, depth);
                break;
            case '|':
                make_variant(made);
                break;
            default:
                made.parts.push_back(make_type(depth - 1));
                made.size = static_cast<std::uint32_t>(1 + number(4));
                made.type = made.form == 'l' ? world_.vector(made.parts[0].type).id()
                            : made.form == 'n'
                                ? world_.array(made.parts[0].type, static_cast<int>(made.size)).id()
                            : made.form == 'm' ? world_.map(kith::String, made.parts[0].type).id()
                                               : world_.optional(made.parts[0].type).id();
                break;
        }
        return made;
    }

    // The canonical text of a random value.
    std::string make_value(const type_tree& type) {
        switch (type.form) {
            case 'p':
                return samples[type.primitive].texts[number(8)];
            case 's':
                return make_members(type);
            case 'l':
                return make_list(type, static_cast<std::uint32_t>(number(4)));
            case 'n':
                return make_list(type, type.size);
            case 'm':
                return make_map(type);
            case '?':
                return make_optional(type);
            default: {
                const auto which = static_cast<std::size_t>(number(3));
                static constexpr const char* names[] = {"i32", "text", "f64"};
                return std::string(names[which]) + "(" + make_value(type.parts[which]) + ")";
            }
        }
    }
    // The same, and the texts of all parts by their paths.
    std::string make_parts(const type_tree& type, const std::string& path,
                           std::map<std::string, std::string>& parts) {
        std::string text;
        const auto part = [&](std::size_t index, const std::string& step) {
            return make_parts(type.parts[index], path + step, parts);
        };
        if (type.form == 's') {
            for (std::size_t i = 0; i < type.parts.size(); ++i) {
                const std::string name = "m" + std::to_string(i);
                text +=
                    (i > 0 ? ", " : "") + name + ": " + part(i, path.empty() ? name : "." + name);
            }
            text = "{" + text + "}";
        } else if (type.form == 'l' || type.form == 'n') {
            const auto count = type.form == 'n' ? type.size : static_cast<std::uint32_t>(number(4));
            for (std::uint32_t i = 0; i < count; ++i) {
                text += (i > 0 ? ", " : "") + part(0, "[" + std::to_string(i) + "]");
            }
            text = "[" + text + "]";
        } else if (type.form == 'm') {
            for (const char* key : {"ka", "kb"}) {
                text += (text.empty() ? "" : ", ") + std::string(key) + ": " +
                        part(0, "[\"" + std::string(key) + "\"]");
            }
            text = "{" + text + "}";
        } else if (type.form == '?' && number(2) == 0) {
            const std::string inner = part(0, "?");
            text = type.parts[0].form == '?' ? "[" + inner + "]" : inner;
        } else {
            text =
                type.form == '?' ? (type.parts[0].form == '?' ? "[]" : "null") : make_value(type);
        }
        parts[path] = text;
        return text;
    }
    int number(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

private:
    kith::entity_t primitive(int which) const {
        const kith::entity_t types[primitive_count] = {
            kith::Bool, kith::Char, kith::I8,  kith::I16, kith::I32, kith::I64,    kith::U8,
            kith::U16,  kith::U32,  kith::U64, kith::F32, kith::F64, kith::String, kith::Entity};
        return types[which];
    }
    void make_struct(type_tree& made, int depth) {
        kith::untyped_component type(world_, world_.entity());
        const int count = 1 + number(6);
        for (int i = 0; i < count; ++i) {
            made.parts.push_back(make_type(depth - 1));
            type.member(made.parts.back().type, ("m" + std::to_string(i)).c_str());
        }
        made.type = type;
    }
    void make_variant(type_tree& made) {
        for (const int which : {4, 12, 11}) {
            type_tree part;
            part.primitive = which;
            part.type = primitive(which);
            made.parts.push_back(part);
        }
        made.type = world_.variant(kith::I32, kith::String, kith::F64);
    }
    std::string make_members(const type_tree& type) {
        std::string text = "{";
        for (std::size_t i = 0; i < type.parts.size(); ++i) {
            text += (i > 0 ? ", m" : "m") + std::to_string(i) + ": " + make_value(type.parts[i]);
        }
        return text + "}";
    }
    std::string make_list(const type_tree& type, std::uint32_t count) {
        std::string text = "[";
        for (std::uint32_t i = 0; i < count; ++i) {
            text += (i > 0 ? ", " : "") + make_value(type.parts[0]);
        }
        return text + "]";
    }
    std::string make_map(const type_tree& type) {
        std::set<std::string> keys;
        for (int i = number(4); i > 0; --i) {
            keys.insert(std::string("k") + static_cast<char>('a' + number(20)));
        }
        std::string text = "{";
        for (const std::string& key : keys) {
            text += (text.size() > 1 ? ", " : "") + key + ": " + make_value(type.parts[0]);
        }
        return text + "}";
    }
    std::string make_optional(const type_tree& type) {
        const bool nested = type.parts[0].form == '?';
        if (number(2) == 0) {
            return nested ? "[]" : "null";
        }
        const std::string inner = make_value(type.parts[0]);
        return nested ? "[" + inner + "]" : inner;
    }

    kith::world world_;
    std::mt19937 random_;
};

std::string text_of(const kith::world& world, kith::entity holder, kith::entity_t type) {
    return kith::detail::text_of_value(world, *kith::detail::find_description(world, type),
                                       holder.get(type));
}

void check_round_trip(unsigned seed) {
    kith::world world;
    world.entity("Known");
    generator random(world, seed);
    const type_tree tree = random.make_type(4);
    const kith::description& type = *kith::detail::find_description(world, tree.type);
    if (tree.form == 'p') {
        return;
    }
    kith::entity first = world.entity().add(tree.type);
    for (int round = 0; round < 5; ++round) {
        const std::string text = random.make_value(tree);
        INFO("seed ", seed, ", ", text);
        kith::detail::read_value(world, type, first.get_mut(tree.type), text);
        CHECK(text_of(world, first, tree.type) == text);
        kith::entity second = first.clone();
        CHECK(text_of(world, second, tree.type) == text);
        CHECK(kith::detail::equal_values(type, first.get(tree.type), second.get(tree.type)));
        CHECK(kith::detail::hash_value(type, first.get(tree.type)) ==
              kith::detail::hash_value(type, second.get(tree.type)));
        const std::string other = random.make_value(tree);
        kith::detail::read_value(world, type, second.get_mut(tree.type), other);
        const bool equal =
            kith::detail::equal_values(type, first.get(tree.type), second.get(tree.type));
        // 0 and -0 are equal and have different texts.
        if (other == text) {
            CHECK(equal);
        } else if (equal) {
            CHECK((text + other).find("-0") != std::string::npos);
        }
        first.add(world.entity());  // moves the value to another table
        CHECK(text_of(world, first, tree.type) == text);
    }
}

void check_mutations(unsigned seed) {
    kith::world world;
    world.entity("Known");
    generator random(world, seed);
    const type_tree tree = random.make_type(3);
    const kith::description& type = *kith::detail::find_description(world, tree.type);
    if (tree.form == 'p') {
        return;
    }
    kith::entity holder = world.entity().add(tree.type);
    static constexpr std::string_view letters = "{}[]()\"'\\,:|#@.-+0129eaxnull \n\xff";
    for (int round = 0; round < 30; ++round) {
        std::string text = random.make_value(tree);
        for (int change = 1 + random.number(3); change > 0 && !text.empty(); --change) {
            const auto at = static_cast<std::size_t>(random.number(static_cast<int>(text.size())));
            const char c =
                letters[static_cast<std::size_t>(random.number(static_cast<int>(letters.size())))];
            random.number(2) ? text.replace(at, 1, 1, c) : text.erase(at, 1);
        }
        const std::string before = text_of(world, holder, tree.type);
        INFO("seed ", seed, ", ", text);
        try {
            kith::detail::read_value(world, type, holder.get_mut(tree.type), text);
            const std::string after = text_of(world, holder, tree.type);
            kith::detail::read_value(world, type, holder.get_mut(tree.type), after);
            CHECK(text_of(world, holder, tree.type) == after);
        } catch (const kith::error&) {
            CHECK(text_of(world, holder, tree.type) == before);
        }
    }
}

// A path that was parsed leads to the same part as its text. A changed path is refused, or leads to
// some part.
void check_paths(unsigned seed) {
    kith::world world;
    world.entity("Known");
    generator random(world, seed);
    const type_tree tree = random.make_type(4);
    if (tree.form == 'p') {
        return;
    }
    kith::entity holder = world.entity().add(tree.type);
    std::map<std::string, std::string> parts;
    const std::string text = random.make_parts(tree, "", parts);
    kith::detail::read_value(world, *kith::detail::find_description(world, tree.type),
                             holder.get_mut(tree.type), text);
    const kith::value_view whole = kith::value_of(holder, tree.type);
    for (const auto& part : parts) {
        const std::string& path = part.first;
        const std::string& expected = part.second;
        INFO("seed ", seed, ", ", text, ", ", path);
        const kith::path parsed(world, tree.type, path);
        CHECK(whole.at(path).str() == expected);
        CHECK(whole.at(parsed).str() == expected);
        CHECK(whole.find(parsed).ptr() == whole.at(path).ptr());
        std::string changed = path + "[7]";
        changed[static_cast<std::size_t>(random.number(static_cast<int>(changed.size())))] =
            "m0[]<>?\"."[random.number(9)];
        try {
            const kith::path other(world, tree.type, changed);
            CHECK(whole.find(other).ptr() == whole.find(changed).ptr());
        } catch (const kith::error& refused) {
            CHECK((refused.code() == kith::errc::invalid_text ||
                   refused.code() == kith::errc::invalid_value));
        }
    }
}

}  // namespace

TEST_SUITE("features.values.random") {
    // spec 528
    TEST_CASE("paths of random values lead to their parts, parsed before or not") {
        for (unsigned seed = 1; seed <= 100; ++seed) {
            check_paths(seed);
        }
    }
    // spec 519
    TEST_CASE("random values of random types read back from their text") {
        for (unsigned seed = 1; seed <= 150; ++seed) {
            check_round_trip(seed);
        }
    }
    TEST_CASE("changed texts are refused, or read to a value with a text of its own") {
        for (unsigned seed = 1; seed <= 100; ++seed) {
            check_mutations(seed);
        }
    }
}
