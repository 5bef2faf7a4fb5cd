#include "files.hpp"

#include "input_error.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kith_app {

namespace {

[[noreturn]] void fail(const std::string& path, const char* what, int code) {
    throw input_error(shown_path(path) + ": " + what + ": " + std::strerror(code));
}

class open_file {
public:
    explicit open_file(int file) : file_(file) {}
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;
    ~open_file() {
        if (file_ > STDERR_FILENO) {
            close(file_);
        }
    }
    int get() const noexcept { return file_; }

private:
    int file_;
};

std::string read_all(int file, const std::string& path) {
    std::string text;
    struct stat status {};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        text.reserve(static_cast<std::size_t>(status.st_size) + 1);
    }
    char block[1 << 16];
    for (;;) {
        const ssize_t count = read(file, block, sizeof block);
        if (count == 0) {
            return text;
        }
        if (count < 0) {
            fail(path, "cannot be read", errno);
        }
        // At once, not at the end: some files, such as devices, have none.
        if (std::memchr(block, 0, static_cast<std::size_t>(count))) {
            throw input_error(shown_path(path) + ": is not text: it has zero bytes");
        }
        text.append(block, static_cast<std::size_t>(count));
    }
}

void write_all(int file, const std::string& path, const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t count = write(file, text.data() + done, text.size() - done);
        if (count < 0 && errno != EINTR) {
            fail(path, "cannot be written", errno);
        }
        done += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    if (fsync(file) != 0 && errno != EINVAL) {
        fail(path, "cannot be written", errno);
    }
}

// Where a link leads to; the path itself if there is nothing yet.
std::string real_path(const std::string& path) {
    char* resolved = realpath(path.c_str(), nullptr);
    std::string result = resolved ? resolved : path;
    std::free(resolved);
    return result;
}

mode_t permissions_for(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) == 0) {
        return status.st_mode & 07777;
    }
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

}  // namespace

std::string shown_path(const std::string& path) {
    return path == "-" ? "standard input" : path;
}

std::string read_text(const std::string& path) {
    const open_file file(path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) {
        fail(path, "cannot be opened", errno);
    }
    return read_all(file.get(), path);
}

void replace_file(const std::string& path, const std::string& text) {
    const std::string target = real_path(path);
    std::string temporary = target + ".XXXXXX";
    const open_file file(mkostemp(temporary.data(), O_CLOEXEC));
    if (file.get() < 0) {
        fail(path, "cannot be written", errno);
    }
    try {
        write_all(file.get(), path, text);
        if (fchmod(file.get(), permissions_for(target)) != 0 ||
            std::rename(temporary.c_str(), target.c_str()) != 0) {
            fail(path, "cannot be written", errno);
        }
    } catch (...) {
        unlink(temporary.c_str());
        throw;
    }
}

}  // namespace kith_app
