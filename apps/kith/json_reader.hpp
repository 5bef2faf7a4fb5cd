// A strict reader of JSON (RFC 8259), for files that the program checks: no comments, no trailing
// commas, no duplicate keys, UTF-8 only.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kith_app {

struct json_value {
    enum class kind { null, boolean, number, text, array, object };

    kind is = kind::null;
    bool boolean = false;
    double number = 0;
    std::string text;
    std::vector<json_value> items;                            // of an array
    std::vector<std::pair<std::string, json_value>> members;  // of an object, in their order

    // Null if this is no object or has no such member.
    const json_value* find(std::string_view key) const;
};

// The value that a text is. Throws input_error with line and column of the first mistake.
json_value read_json(std::string_view text);

}  // namespace kith_app
