// Descriptions prepared for JSON: all members of a value and of its parts in one list, with the
// text that stands before each of them, and with types as one world has them. A program is made at
// the first value of a type and serves all later ones, so that no value asks for descriptions.
#pragma once

#include <kith/json.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kith::values {

class type_library;
struct program_cache;

// The settings that decide about the text between the parts of a value.
struct json_style {
    bool compact = false;
    bool html_safe = false;
    bool leaves_out_hidden = false;

    friend bool operator==(const json_style&, const json_style&) = default;
};

struct json_program {
    // A part of the value, or, without one, the text at the end.
    struct step {
        // A number; kind::opaque stands for parts that are written by their description, and
        // kind::none for no part.
        kind what = kind::none;
        std::uint8_t level = 0;  // levels of values around the part, with its own
        std::uint16_t text_size = 0;
        std::uint32_t text = 0;  // before the part: its place in `texts`
        std::uint32_t offset = 0;
        const description* type = nullptr;  // of other parts than numbers

        friend bool operator==(const step&, const step&) = default;
    };
    // A member for readers. Members of one struct follow each other.
    struct member {
        std::string_view name;
        std::uint32_t offset = 0;  // in its struct
        // A number, a struct, or a text that is no plain memory; none: the value has to be read
        // otherwise.
        kind what = kind::none;
        std::uint32_t structure = 0;        // the place of a struct in `structures`
        const description* type = nullptr;  // of a text

        friend bool operator==(const member&, const member&) = default;
    };
    struct structure {
        std::uint32_t first = 0;  // in `members`
        std::uint32_t count = 0;

        friend bool operator==(const structure&, const structure&) = default;
    };

    std::vector<step> steps;
    std::string texts;       // with `padding` bytes behind the last one
    std::uint32_t room = 0;  // for the longest text of the value; 0: it has no limit
    std::uint32_t depth = 0;

    // The value itself as if it were a member; its struct is the first one.
    member whole;
    std::vector<member> members;
    std::vector<structure> structures;
    bool is_readable = false;  // all members are

    static constexpr std::size_t padding = 16;  // that may be copied behind each text
    // For a text and the number behind it, which may be in quotes.
    static std::size_t room_of(const step& one) noexcept;
    // The room on the stack that values are written to. False: a value may need more, or is nested
    // deeper than allowed.
    static constexpr std::size_t most_room = 512;
    bool fits(std::uint32_t allowed_depth) const noexcept {
        return room != 0 && room <= most_room && depth <= allowed_depth;
    }
    // Returns the end of the text. Requires: there is the room that the program asks for.
    char* write(const void* value, char* at, bool safe_integers) const noexcept;

    friend bool operator==(const json_program&, const json_program&) = default;
};

// Finds the programs of one world. Programs that it has found live as long as the finder, which
// belongs to one thread.
class json_programs {
public:
    explicit json_programs(const world_t* world);
    ~json_programs();
    json_programs(const json_programs&) = delete;
    json_programs& operator=(const json_programs&) = delete;

    const json_program& find(const description& type, const json_style& style);

private:
    const world_t* world_;
    const type_library* library_;
    program_cache& cache_;
};

}  // namespace kith::values
