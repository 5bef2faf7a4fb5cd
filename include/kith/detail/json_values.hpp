// Values inside of worlds as JSON: functions that src/values implements for src/dsl.
#pragma once

#include <kith/json.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kith::detail {

// Appends many values to one text. The types of the world are looked up once.
class json_value_writer {
public:
    // `shown`: members that are hidden from tables are left out, unless the options ask for them.
    json_value_writer(std::string& out, const world_t* world, const json_options& options,
                      bool shown = false);
    ~json_value_writer();
    json_value_writer(const json_value_writer&) = delete;
    json_value_writer& operator=(const json_value_writer&) = delete;

    void append(const description& type, const void* value);
    void append_text(std::string_view text);
    // The path of an entity in quotes, its number if it has no name, 0 for the null entity.
    void append_entity(entity_t entity);

private:
    struct state;
    std::unique_ptr<state> state_;
};

// Appends a text in quotes.
void append_json_text(std::string& out, std::string_view text, bool html_safe);

// Values that are numbers side by side, without gaps: their size, 0 for other types. They need no
// check before they are written, and reading replaces all of their bytes.
std::size_t packed_json_size(const world_t* world, const description& type);
// Reads such a value, whose memory needs no alignment, from the beginning of a text. Returns the
// number of bytes read; 0: the text has something else there, or lacks a member.
std::size_t read_packed_json(const world_t* world, const description& type, void* value,
                             std::string_view text);

// Members that a type does not have.
struct unknown_members {
    std::uint64_t count = 0;
    std::uint64_t kept_count = 0;
    // An object with those that structs inside of structs have; elements of lists, maps and
    // variants cannot be found again, so that their members are not kept. Empty: none.
    std::string kept;
};
// Replaces members of the JSON value that its type does not have by blanks. Requires: the text is
// JSON without mistakes.
unknown_members blank_unknown_members(const world_t* world, const description& type, char* text,
                                      std::size_t size);
// Adds the members of `kept` to the object that is the whole text. Both are JSON without mistakes.
void merge_json_members(std::string& text, const std::string& kept, const char* comma);

}  // namespace kith::detail
