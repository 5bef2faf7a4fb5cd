#include "output.hpp"

#include "input_error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace kith_app {

namespace {

void check_out(bool written) {
    if (written) {
        return;
    }
    if (errno == EPIPE) {
        _exit(1);  // what is still in the buffer cannot go anywhere
    }
    throw input_error(std::string("cannot write to standard output: ") + std::strerror(errno));
}

bool has_colours(int file) {
    const char* refused = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return isatty(file) && !(refused && *refused) && terminal &&
           std::string_view(terminal) != "dumb";
}

std::string styled(const char* code, std::string_view text, bool colours) {
    return colours ? "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m"
                   : std::string(text);
}

}  // namespace

void write_out(std::string_view text) {
    check_out(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
}

bool write_out(std::string_view text, const interrupt& stop) {
    constexpr std::size_t slice = 4'096;
    while (!text.empty()) {
        if (stop.stop_requested()) {
            return false;
        }
        const std::size_t end = text.find('\n', std::min(slice, text.size()));
        const std::size_t size = end == std::string_view::npos ? text.size() : end + 1;
        write_out(text.substr(0, size));
        flush_out();
        text.remove_prefix(size);
    }
    return true;
}

bool out_is_terminal() {
    return isatty(STDOUT_FILENO);
}

void flush_out() {
    check_out(std::fflush(stdout) == 0);
}

void write_error(std::string_view message) {
    std::fflush(stdout);  // so that both come in the order in which they were written
    const std::string text = styled("31", message, error_has_colours()) + "\n";
    std::fwrite(text.data(), 1, text.size(), stderr);
}

bool out_has_colours() {
    static const bool colours = has_colours(STDOUT_FILENO);
    return colours;
}

bool error_has_colours() {
    static const bool colours = has_colours(STDERR_FILENO);
    return colours;
}

std::string bold(std::string_view text, bool colours) {
    return styled("1", text, colours);
}

std::string faint(std::string_view text, bool colours) {
    return styled("2", text, colours);
}

std::string counted(std::uint64_t count, const char* one, const char* several) {
    return std::to_string(count) + " " + (count == 1 ? one : several);
}

}  // namespace kith_app
