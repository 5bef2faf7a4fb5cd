// The chapter "worlds as text" of kith.h. A library of the core alone (without KITH_WITH_TEXT) has
// the functions, too: they refuse.
#include <kith/world_text.hpp>

#include "ids.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

using namespace kith::capi;
namespace detail = kith::detail;

namespace {

#if defined(KITH_WITH_TEXT)
namespace worlds = kith;
#else
// What stands for the functions of <kith/world_text.hpp>.
namespace worlds {
[[noreturn]] void refuse() {
    detail::raise_error(kith::errc::invalid_text,
                        "this library has the core of kith alone, which reads and writes no text");
}
[[noreturn]] void load_text(kith::world&, std::string_view, const kith::load_options&) {
    refuse();
}
std::string save_text(const kith::world&) {
    refuse();
}
std::vector<kith::text_error> check_text(std::string_view) {
    refuse();
}
std::string format_text(std::string_view) {
    refuse();
}
}  // namespace worlds
#endif

struct progress_function {
    bool (*call)(void* ctx, size_t done, size_t size);
    void* ctx;
};

void load(kith_world_t* world, std::string_view text, const kith_load_desc_t& desc) {
    check_world(world);
    progress_function progress{desc.progress, desc.ctx};
    kith::load_options options;
    options.file = desc.file;
    if (desc.progress) {
        options.context = &progress;
        options.progress = [](void* context, std::size_t done, std::size_t size) {
            const auto& function = *static_cast<progress_function*>(context);
            return call_back(function.call, function.ctx, done, size);
        };
    }
    kith::world of = world_at(world);
    worlds::load_text(of, text, options);
}

// A description that may be missing.
class load_desc {
public:
    load_desc(const char* function, const kith_load_desc_t* given, std::size_t size)
        : read_(function, given ? given : &none_, given ? size : sizeof none_) {}
    const kith_load_desc_t& get() const noexcept { return *read_; }

private:
    kith_load_desc_t none_{};
    read_desc<kith_load_desc_t> read_;
};

std::string read_file(const char* path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "rb"), std::fclose);
    std::string text;
    char part[4096];
    for (std::size_t count = 1; file && count != 0;) {
        count = std::fread(part, 1, sizeof part, file.get());
        text.append(part, count);
    }
    if (!file || std::ferror(file.get())) {
        const std::string message = std::string(path) + ": the file cannot be read";
        detail::raise_error(kith::errc::invalid_text, message.c_str());
    }
    return text;
}

char* give_text(const std::string& text, size_t* length) {
    char* given = give(kith::text_view(text));
    if (length) {
        *length = text.size();
    }
    return given;
}

}  // namespace

extern "C" {

kith_status_t kith_load_text_w_size(kith_world_t* world, const char* text, size_t length,
                                    const kith_load_desc_t* desc, size_t size) {
    return guard([&] {
        check_pointer(text, "kith_load_text", "the text is NULL");
        const load_desc given("kith_load_text", desc, size);
        load(world, {text, length}, given.get());
    });
}
kith_status_t kith_load_file_w_size(kith_world_t* world, const char* path,
                                    const kith_load_desc_t* desc, size_t size) {
    return guard([&] {
        check_pointer(path, "kith_load_file", "the path is NULL");
        const load_desc given("kith_load_file", desc, size);
        kith_load_desc_t named = given.get();
        named.file = named.file ? named.file : path;
        check_world(world);
        load(world, read_file(path), named);
    });
}
char* kith_save_text(const kith_world_t* world, size_t* length) {
    return guard_value<char*>(nullptr, [&] {
        check_world(world);
        return give_text(worlds::save_text(world_at(world)), length);
    });
}
int32_t kith_check_text(const char* text, size_t length, kith_text_error_action_t f, void* ctx) {
    return guard_value<int32_t>(-1, [&] {
        check_pointer(text, "kith_check_text", "the text is NULL");
        const std::vector<kith::text_error> mistakes = worlds::check_text({text, length});
        for (const kith::text_error& mistake : mistakes) {
            if (f) {
                const kith_text_error_t error{mistake.line, mistake.column, mistake.message.c_str(),
                                              mistake.excerpt.c_str()};
                call_back(f, &error, ctx);
            }
        }
        return static_cast<int32_t>(mistakes.size());
    });
}
char* kith_format_text(const char* text, size_t length, size_t* formatted_length) {
    return guard_value<char*>(nullptr, [&] {
        check_pointer(text, "kith_format_text", "the text is NULL");
        return give_text(worlds::format_text({text, length}), formatted_length);
    });
}
}
