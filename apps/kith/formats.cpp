#include "formats.hpp"

#include "display_width.hpp"
#include "output.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace kith_app {

namespace {

// -- table ---------------------------------------------------------------------------------------

constexpr const char* no_value = "-";

// A column's name as a query writes it.
std::string heading(const std::string& column) {
    const bool number = column.find_first_not_of("0123456789") == std::string::npos;
    return (number ? "*" : "$") + column;
}

// The beginning of a long value.
std::string cut(std::string text) {
    constexpr std::size_t longest = 60;
    if (display_width(text) <= longest) {
        return text;
    }
    std::size_t end = std::min(text.size(), longest - 1);
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
        --end;
    }
    text.resize(end);
    return text + "…";
}

std::string shown(const answer& result, std::size_t column, const answer::cell& cell) {
    return !cell                         ? no_value
           : column < result.first_value ? printable(*cell)
                                         : cut(printable(*cell));
}

std::string heading(const answer& result, std::size_t column) {
    return column < result.first_value ? heading(result.columns[column]) : result.columns[column];
}

bool is_number(const std::string& text) {
    return text == "inf" || text == "-inf" || text == "nan" ||
           (text.find_first_not_of("0123456789+-.e") == std::string::npos && text != "-");
}

// A column of the table: its width, and whether its cells stand at the right.
struct table_column {
    std::size_t width = 0;
    bool numbers = false;
};

std::vector<table_column> layout_of(const answer& result) {
    std::vector<table_column> columns;
    for (std::size_t i = 0; i < result.columns.size(); ++i) {
        columns.push_back({display_width(printable(heading(result, i))), i >= result.first_value});
    }
    for (const auto& row : result.shown_rows()) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            columns[i].width = std::max(columns[i].width, display_width(shown(result, i, row[i])));
            columns[i].numbers = columns[i].numbers && (!row[i] || is_number(*row[i]));
        }
    }
    return columns;
}

// `plain` decides the width, `styled` is what is written.
void append_padded(std::string& out, const std::string& plain, const std::string& styled,
                   const table_column& column, bool last) {
    const std::size_t missing = column.width - std::min(column.width, display_width(plain));
    out.append(column.numbers ? missing : 0, ' ');
    out += styled;
    if (!last) {
        out.append((column.numbers ? 0 : missing) + 2, ' ');
    }
}

void append_heading(const answer& result, const std::vector<table_column>& columns, bool colours,
                    std::string& out) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::string text = printable(heading(result, i));
        append_padded(out, text, bold(text, colours), columns[i], i + 1 == columns.size());
    }
    out += "\n";
    for (std::size_t i = 0; i < columns.size(); ++i) {
        for (std::size_t cell = 0; cell < columns[i].width; ++cell) {
            out += "─";
        }
        out += i + 1 == columns.size() ? "\n" : "  ";
    }
}

std::string summary(const answer& result, bool with_time) {
    std::string text;
    if (result.columns.empty()) {
        text = result.rows.empty() ? "no" : "yes";
        text += result.rows.size() > 1 ? ", " + std::to_string(result.rows.size()) + " ways" : "";
    } else {
        text = counted(result.rows.size(), "result", "results");
    }
    if (with_time) {
        char time[64];
        std::snprintf(time, sizeof time, ", %.2f ms", result.milliseconds);
        text += time;
    }
    return text + (result.interrupted ? " (stopped)" : "");
}

// -- values between marks ------------------------------------------------------------------------

void append_csv(std::string_view text, std::string& out) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        out += text;
        return;
    }
    out += '"';
    for (const char c : text) {
        out += c == '"' ? "\"\"" : std::string(1, c);
    }
    out += '"';
}

void append_tsv(std::string_view text, std::string& out) {
    constexpr std::string_view escaped = "\t\n\r\\";
    constexpr std::string_view letters = "tnr\\";
    for (const char c : text) {
        const std::size_t found = escaped.find(c);
        if (found == std::string_view::npos) {
            out += c;
        } else {
            out += '\\';
            out += letters[found];
        }
    }
}

using append_value = void (*)(std::string_view text, std::string& out);

std::string separated(const answer& result, const char* separator, const char* line_end,
                      append_value append) {
    std::string out;
    for (std::size_t i = 0; i < result.columns.size(); ++i) {
        out += i == 0 ? "" : separator;
        append(result.columns[i], out);
    }
    out += line_end;
    for (const auto& row : result.shown_rows()) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            out += i == 0 ? "" : separator;
            append(row[i] ? std::string_view(*row[i]) : std::string_view(), out);
        }
        out += line_end;
    }
    return out;
}

struct named_format {
    std::string_view name;
    format form;
};
constexpr std::array<named_format, 4> formats{
    {{"table", format::table}, {"json", format::json}, {"csv", format::csv}, {"tsv", format::tsv}}};

}  // namespace

const format* find_format(std::string_view name) {
    for (const named_format& one : formats) {
        if (one.name == name) {
            return &one.form;
        }
    }
    return nullptr;
}

std::string table_text(const answer& result, bool with_time, bool colours) {
    std::string out;
    if (!result.columns.empty() && !result.rows.empty()) {
        const std::vector<table_column> columns = layout_of(result);
        append_heading(result, columns, colours, out);
        for (const auto& row : result.shown_rows()) {
            for (std::size_t i = 0; i < row.size(); ++i) {
                const std::string text = shown(result, i, row[i]);
                append_padded(out, text, row[i] ? text : faint(text, colours), columns[i],
                              i + 1 == row.size());
            }
            out += "\n";
        }
        if (result.rows.size() > result.limit) {
            out += "… and " + std::to_string(result.rows.size() - result.limit) +
                   " more; --limit N and :limit N show them\n";
        }
    }
    return out + faint(summary(result, with_time), colours) + "\n";
}

void append_json(std::string_view text, std::string& out) {
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", unsigned{byte});
            out += escape;
        } else {
            out += c;
        }
    }
    out += '"';
}

std::string aligned_text(const std::vector<std::vector<std::string>>& rows,
                         std::size_t first_number, std::size_t last_number) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const std::vector<std::string>& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], display_width(printable(row[i])));
        }
    }
    std::string text;
    for (const std::vector<std::string>& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string cell = printable(row[i]);
            const std::string space(widths[i] - display_width(cell), ' ');
            const bool is_number = i >= first_number && i < last_number;
            line += (is_number ? space + cell : cell + space) + "  ";
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

std::string json_text(const answer& result) {
    std::string out = "[";
    for (std::size_t row = 0; row < result.shown_rows().size(); ++row) {
        out += row == 0 ? "\n  {" : ",\n  {";
        for (std::size_t i = 0; i < result.columns.size(); ++i) {
            out += i == 0 ? "" : ", ";
            append_json(result.columns[i], out);
            out += ": ";
            const answer::cell& cell = result.rows[row][i];
            if (!cell) {
                out += "null";
            } else if (!cell.json.empty()) {
                out += cell.json;
            } else {
                append_json(*cell, out);
            }
        }
        out += "}";
    }
    return out + (result.shown_rows().empty() ? "]\n" : "\n]\n");
}

std::string csv_text(const answer& result) {
    return separated(result, ",", "\r\n", append_csv);
}

std::string tsv_text(const answer& result) {
    return separated(result, "\t", "\n", append_tsv);
}

std::size_t rows_to_show(std::optional<std::size_t> limit, format form) {
    constexpr std::size_t on_a_terminal = 1'000;
    if (limit) {
        return *limit == 0 ? SIZE_MAX : *limit;
    }
    return form == format::table && out_is_terminal() ? on_a_terminal : SIZE_MAX;
}

std::string text_of(const answer& result, format form, bool with_time, bool colours) {
    switch (form) {
        case format::table:
            return table_text(result, with_time, colours);
        case format::json:
            return json_text(result);
        case format::csv:
            return csv_text(result);
        case format::tsv:
            return tsv_text(result);
    }
    return {};
}

}  // namespace kith_app
