// Building the tree from the events of kith's reader.
#include "json_tree.hpp"

#include <kith/error.hpp>
#include <kith/syntax/json_reader.hpp>

#include "input_error.hpp"

#include <cstdlib>
#include <utility>

namespace kith_app {

json_value::json_value() = default;
json_value::json_value(json_value&&) noexcept = default;
json_value& json_value::operator=(json_value&&) noexcept = default;
json_value::~json_value() = default;

const json_value* json_value::find(std::string_view key) const {
    for (const json_member& member : members) {
        if (member.key == key) {
            return &member.value;
        }
    }
    return nullptr;
}

namespace {

using kith::syntax::json_event;
using kith::syntax::json_reader;

// The value that begins with `event`. Its depth is limited by the reader.
json_value build(json_reader& reader, json_event event) {
    json_value value;
    switch (event) {
        case json_event::begin_object:
            value.is = json_value::kind::object;
            while (reader.next() == json_event::key) {
                std::string key(reader.text());
                const json_event begin = reader.next();
                value.members.push_back({std::move(key), build(reader, begin)});
            }
            break;
        case json_event::begin_array:
            value.is = json_value::kind::array;
            for (json_event item; (item = reader.next()) != json_event::end_array;) {
                value.items.push_back(build(reader, item));
            }
            break;
        case json_event::text:
            value.is = json_value::kind::text;
            value.text = reader.text();
            break;
        case json_event::number:
            value.is = json_value::kind::number;
            value.number = std::strtod(std::string(reader.text()).c_str(), nullptr);
            break;
        case json_event::boolean:
            value.is = json_value::kind::boolean;
            value.boolean = reader.truth();
            break;
        default:
            break;  // null
    }
    return value;
}

}  // namespace

json_value read_json(std::string_view text) {
    try {
        json_reader reader(text);
        json_value value = build(reader, reader.next());
        reader.next();  // raises if something follows
        return value;
    } catch (const kith::error& mistake) {
        throw input_error(mistake.what());
    }
}

}  // namespace kith_app
