#include "history_file.hpp"

#include <cstdlib>
#include <filesystem>

namespace kith_app {

namespace {

std::filesystem::path state_folder() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state && *state == '/') {  // the standard says to ignore what is relative
        return state;
    }
    const char* home = std::getenv("HOME");
    return home && *home == '/' ? std::filesystem::path(home) / ".local/state"
                                : std::filesystem::path();
}

}  // namespace

std::string history_path() {
    const std::filesystem::path state = state_folder();
    if (state.empty()) {
        return {};
    }
    const std::filesystem::path folder = state / "kith";
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    return std::filesystem::is_directory(folder, failed) ? (folder / "history").string()
                                                         : std::string();
}

}  // namespace kith_app
