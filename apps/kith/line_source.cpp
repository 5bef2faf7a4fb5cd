#include "line_source.hpp"

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace kith_app {

namespace {

class plain_lines final : public line_source {
public:
    plain_lines() = default;
    ~plain_lines() override { std::free(buffer_); }
    plain_lines(const plain_lines&) = delete;
    plain_lines& operator=(const plain_lines&) = delete;

    input next(bool) override {
        const ssize_t length = getline(&buffer_, &size_, stdin);
        if (length < 0) {
            return {};
        }
        std::string text(buffer_, static_cast<std::size_t>(length));
        while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
            text.pop_back();
        }
        return {kind::line, std::move(text)};
    }
    void remember(const std::string&) override {}

private:
    char* buffer_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace

bool is_interactive() {
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

std::unique_ptr<line_source> open_lines(const completer& names) {
    if (is_interactive()) {
        return open_terminal(names);
    }
    return std::make_unique<plain_lines>();
}

}  // namespace kith_app
