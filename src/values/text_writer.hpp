// The canonical text of values: equal values have equal texts, and a text reads back to an equal
// value.
#pragma once

#include <kith/description.hpp>

#include <string>
#include <string_view>

namespace kith::values {

// Settings of one text.
struct text_style {
    const world_t* world = nullptr;
    // Appends the name of an entity as the reader of the text will find it; false if it has none.
    // Null: the path from the root.
    bool (*append_entity)(void* context, entity_t entity, std::string& out) = nullptr;
    void* context = nullptr;
    bool shows_unknown = false;  // `?` in the place of what has no description
};

// Throws kith::error: invalid_type for parts without description, limit for depth. Entities are
// written as paths, `#12` without a name, `#12@3` if they are not alive.
void append_value(std::string& out, const text_style& style, const description& type,
                  const void* value);

// Text in quotes with escapes; bytes that are no UTF-8 as \xNN.
void append_quoted(std::string& out, std::string_view text);
// A name that is a word stays bare; others are put in quotes.
void append_word(std::string& out, std::string_view name);

}  // namespace kith::values
