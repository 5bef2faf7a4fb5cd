#include "load_world.hpp"

#include <kith/json.hpp>
#include <kith/save.hpp>

#include "files.hpp"
#include "input_error.hpp"

#include <chrono>
#include <cstdio>

#include <unistd.h>

namespace kith_app {

namespace {

using clock = std::chrono::steady_clock;

class progress_bar {
public:
    explicit progress_bar(const interrupt& stop) : stop_(stop) {}
    ~progress_bar() {
        if (shown_) {
            std::fputs("\r\033[K", stderr);
        }
    }
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;

    // False: enough.
    bool show(std::size_t done, std::size_t size) {
        const clock::time_point now = clock::now();
        if (visible_ && now >= next_ && size != 0) {
            draw(done * 100 / size);
            next_ = now + std::chrono::milliseconds(100);
        }
        return !stop_.stop_requested();
    }

private:
    void draw(std::size_t percent) {
        constexpr std::size_t width = 40;
        const std::size_t full = percent * width / 100;
        const std::string bar = std::string(full, '#') + std::string(width - full, ' ');
        std::fprintf(stderr, "\rloading [%s] %3zu %%", bar.c_str(), percent);
        std::fflush(stderr);
        shown_ = true;
    }

    const interrupt& stop_;
    bool visible_ = isatty(STDERR_FILENO) != 0;
    bool shown_ = false;
    clock::time_point next_ = clock::now() + std::chrono::seconds(1);
};

}  // namespace

namespace {

kith::load_result load_saved(const kith::world& world, const std::string& path) {
    try {
        const kith::load_report read = kith::load(world, path.c_str());
        return {read.facts, read.entities};
    } catch (const kith::error& refused) {
        throw input_error(shown_path(path) + ": " + refused.what());
    }
}

kith::load_result load_json(kith::world& world, const std::string& path) {
    const std::string text = read_text(path);
    const std::string name = shown_path(path);
    kith::json_options options;
    options.file = name.c_str();
    const kith::json_report read = kith::from_json(world, text, options);
    return {read.facts, read.entities};
}

}  // namespace

kith::load_result load_file(kith::world& world, const std::string& path, const interrupt& stop) {
    return load_file(world, path, form_of(path), stop);
}

kith::load_result load_file(kith::world& world, const std::string& path, file_form form,
                            const interrupt& stop) {
    if (form == file_form::binary) {
        return load_saved(world, path);
    }
    if (form == file_form::json) {
        return load_json(world, path);
    }
    const std::string text = read_text(path);
    const std::string name = shown_path(path);
    progress_bar bar(stop);
    kith::load_options options;
    options.file = name.c_str();
    options.progress = [](void* context, std::size_t done, std::size_t size) {
        return static_cast<progress_bar*>(context)->show(done, size);
    };
    options.context = &bar;
    try {
        return kith::load_text(world, text, options);
    } catch (const kith::error&) {
        if (stop.stop_requested()) {
            throw input_error(name + ": loading was stopped; nothing was added");
        }
        throw;
    }
}

}  // namespace kith_app
