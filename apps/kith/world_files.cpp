#include "world_files.hpp"

#include <kith/diff.hpp>
#include <kith/json.hpp>
#include <kith/save.hpp>
#include <kith/world_text.hpp>

#include "files.hpp"
#include "input_error.hpp"
#include "output.hpp"

#include <map>
#include <vector>

namespace kith_app {

namespace {

// A fact without its sign, and the value behind it.
struct fact_line {
    std::string fact;
    std::string value;  // empty: none
};

// The order of the first text is kept.
std::vector<fact_line> split_facts(const std::string& text) {
    std::vector<fact_line> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        const std::string line = text.substr(at + 2, end - at - 2);
        const std::size_t value = line.find(") = ");
        lines.push_back(value == std::string::npos
                            ? fact_line{line, {}}
                            : fact_line{line.substr(0, value + 1), line.substr(value + 4)});
        at = end + 1;
    }
    return lines;
}

std::map<std::string, std::string> by_fact(const std::vector<fact_line>& lines) {
    std::map<std::string, std::string> found;
    for (const fact_line& line : lines) {
        found.emplace(line.fact, line.value);
    }
    return found;
}

std::string with_value(const fact_line& line) {
    return line.value.empty() ? line.fact : line.fact + " = " + line.value;
}

}  // namespace

file_form form_of(std::string_view path) noexcept {
    return path.ends_with(".kithb")  ? file_form::binary
           : path.ends_with(".json") ? file_form::json
                                     : file_form::text;
}

std::optional<file_form> find_form(std::string_view name) noexcept {
    return name == "text"     ? std::optional(file_form::text)
           : name == "json"   ? std::optional(file_form::json)
           : name == "binary" ? std::optional(file_form::binary)
                              : std::nullopt;
}

void save_world(const kith::world& world, const std::string& path, file_form form,
                const std::string& query) {
    if (form == file_form::binary) {
        kith::save_options options;
        options.query = query.empty() ? nullptr : query.c_str();
        if (path.empty() || path == "-") {
            write_out(kith::save_to_string(world, options));
        } else {
            kith::save(world, path.c_str(), options);
        }
        return;
    }
    if (!query.empty()) {
        throw input_error("--query limits save files (.kithb) only");
    }
    const std::string text =
        form == file_form::json ? kith::to_json(world) : kith::save_text(world);
    if (path.empty() || path == "-") {
        write_out(text);
    } else {
        replace_file(path, text);
    }
}

std::string facts_of(const kith::snapshot& start, const kith::world& world) {
    return kith::diff(start, world).str().c_str();
}

std::string differing_facts(const std::string& before, const std::string& after) {
    const std::vector<fact_line> old_lines = split_facts(before);
    const std::vector<fact_line> new_lines = split_facts(after);
    const std::map<std::string, std::string> old_facts = by_fact(old_lines);
    const std::map<std::string, std::string> new_facts = by_fact(new_lines);
    std::string text;
    for (const fact_line& line : old_lines) {
        if (!new_facts.contains(line.fact)) {
            text += "- " + with_value(line) + "\n";
        }
    }
    for (const fact_line& line : new_lines) {
        const auto known = old_facts.find(line.fact);
        if (known == old_facts.end()) {
            text += "+ " + with_value(line) + "\n";
        } else if (known->second != line.value) {
            text += "~ " + line.fact + ": " + known->second + " -> " + line.value + "\n";
        }
    }
    return text;
}

}  // namespace kith_app
