#include "world_files.hpp"

#include <kith/json.hpp>
#include <kith/save.hpp>
#include <kith/world_text.hpp>

#include "files.hpp"
#include "formats.hpp"
#include "input_error.hpp"
#include "output.hpp"

#include <vector>

namespace kith_app {

namespace {

std::string text_of(const kith::world& world, const file_settings& settings) {
    if (settings.form == file_form::text) {
        return kith::save_text(world);
    }
    kith::json_options options;
    options.pretty = settings.pretty;
    return kith::to_json(world, options) + "\n";
}

// A part is what a save file of it has, without pairs and handles that lead out of it. Their number
// is told on standard error.
std::string text_of_part(const kith::world& world, const file_settings& settings,
                         const kith::save_options& options) {
    const kith::world part;
    kith::save_report saved;
    const std::string file = kith::save_to_string(world, options, &saved);
    const std::size_t outside = saved.outside + kith::load_from_string(part, file).outside;
    if (outside != 0) {
        write_error("left out " + counted(outside, "reference", "references") +
                    " to entities outside of the part");
    }
    return text_of(part, settings);
}

}  // namespace

file_form form_of(std::string_view path) noexcept {
    return path.ends_with(".kithb")  ? file_form::binary
           : path.ends_with(".json") ? file_form::json
                                     : file_form::text;
}

bool is_world_path(std::string_view path) noexcept {
    return path.ends_with(".kith") || path.ends_with(".json") || path.ends_with(".kithb");
}

std::optional<file_form> find_form(std::string_view name) noexcept {
    return name == "text"     ? std::optional(file_form::text)
           : name == "json"   ? std::optional(file_form::json)
           : name == "binary" ? std::optional(file_form::binary)
                              : std::nullopt;
}

void save_world(const kith::world& world, const std::string& path, const file_settings& settings) {
    if (settings.zstd && settings.form != file_form::binary) {
        throw input_error("--zstd compresses save files (.kithb) only");
    }
    if (settings.pretty && settings.form != file_form::json) {
        throw input_error("--pretty is for JSON only");
    }
    const bool to_out = path.empty() || path == "-";
    kith::save_options options;
    options.query = settings.query.empty() ? nullptr : settings.query.c_str();
    options.zstd = settings.zstd;
    if (settings.form == file_form::binary && !to_out) {
        kith::save(world, path.c_str(), options);
        return;
    }
    const std::string written = settings.form == file_form::binary
                                    ? kith::save_to_string(world, options)
                                : settings.query.empty() ? text_of(world, settings)
                                                         : text_of_part(world, settings, options);
    if (to_out) {
        write_out(written);
    } else {
        replace_file(path, written);
    }
}

std::string blocks_text(const std::string& path) {
    if (form_of(path) != file_form::binary) {
        throw input_error(shown_path(path) + ": --blocks is about save files (.kithb)");
    }
    std::vector<std::vector<std::string>> rows{{"part", "id", "offset", "size", "raw", "blocks"}};
    kith::each_save_part(
        path.c_str(),
        [](void* into, const kith::save_part& part) {
            std::string blocks;
            const auto add = [&](std::uint32_t count, const char* method) {
                if (count != 0) {
                    blocks += (blocks.empty() ? "" : ", ") + std::to_string(count) + " " + method;
                }
            };
            add(part.plain_blocks, "plain");
            add(part.zstd_blocks, "zstd");
            add(part.plane_blocks, "planes + zstd");
            static_cast<std::vector<std::vector<std::string>>*>(into)->push_back(
                {std::string(part.tag), std::string(part.id), std::to_string(part.offset),
                 std::to_string(part.size), std::to_string(part.raw_size),
                 blocks.empty() ? "plain" : blocks});
        },
        &rows);
    return aligned_text(rows, 2, 5);
}

}  // namespace kith_app
