// JSON as a tree, read by the strict reader of kith: for files that the program checks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kith_app {

struct json_member;

struct json_value {
    enum class kind { null, boolean, number, text, array, object };

    kind is = kind::null;
    bool boolean = false;
    double number = 0;
    std::string text;
    std::vector<json_value> items;     // of an array
    std::vector<json_member> members;  // of an object, in their order

    json_value();
    json_value(json_value&&) noexcept;
    json_value& operator=(json_value&&) noexcept;
    ~json_value();

    // Null if this is no object or has no such member.
    const json_value* find(std::string_view key) const;
};

struct json_member {
    std::string key;
    json_value value;
};

// The value that a text is. Throws input_error with line and column of the first mistake.
json_value read_json(std::string_view text);

}  // namespace kith_app
