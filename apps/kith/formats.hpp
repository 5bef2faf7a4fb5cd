// Answers as text, for people and for programs.
#pragma once

#include "answer.hpp"

#include <string>

namespace kith_app {

enum class format { table, json, csv, tsv };

// Null if there is no format of this name.
const format* find_format(std::string_view name);

// Columns aligned, then how many results there are and how long it took.
std::string table_text(const answer& result, bool with_time, bool colours);
// One array, one object a result.
std::string json_text(const answer& result);
// RFC 4180: a header, quotes where they are needed, lines that end in CR LF. No value is an empty
// field.
std::string csv_text(const answer& result);
// A header; tabs, line ends and backslashes in values as \t \n \r \\. No value is an empty field.
std::string tsv_text(const answer& result);

// Rows of cells in columns; those from `first_number` up to `last_number` are put to the right.
std::string aligned_text(const std::vector<std::vector<std::string>>& rows,
                         std::size_t first_number, std::size_t last_number);
// Appends a text in quotes, with the escapes of JSON.
void append_json(std::string_view text, std::string& out);

// How many rows of an answer are shown. `limit`: what somebody wants, 0 for all; nothing: 1,000 of
// a table that goes to a terminal, all otherwise.
std::size_t rows_to_show(std::optional<std::size_t> limit, format form);

std::string text_of(const answer& result, format form, bool with_time, bool colours);

}  // namespace kith_app
