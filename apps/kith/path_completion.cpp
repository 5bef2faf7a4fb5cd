#include "path_completion.hpp"

#include <algorithm>
#include <filesystem>

namespace kith_app {

namespace {

namespace fs = std::filesystem;

bool is_offered(const std::string& name, const std::string& beginning) {
    const bool hidden = name.starts_with('.') && !beginning.starts_with('.');
    return name.starts_with(beginning) && !hidden;
}

}  // namespace

completions complete_path(const std::string& text, std::size_t from) {
    const std::string typed = text.substr(std::min(from, text.size()));
    const std::size_t name_at = typed.rfind('/') + 1;  // 0 if there is none
    const std::string folder = typed.substr(0, name_at);
    completions found{from, {}};
    // What cannot be looked into has nothing to offer.
    std::error_code failed;
    for (fs::directory_iterator at(folder.empty() ? "." : folder, failed), end;
         !failed && at != end; at.increment(failed)) {
        const std::string name = at->path().filename().string();
        std::error_code unknown;
        if (is_offered(name, typed.substr(name_at))) {
            found.words.push_back(folder + name + (at->is_directory(unknown) ? "/" : ""));
        }
    }
    std::sort(found.words.begin(), found.words.end());
    return found;
}

}  // namespace kith_app
