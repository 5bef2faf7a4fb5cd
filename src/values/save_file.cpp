// Replaces and reads files (save_file.hpp).
#include "save_file.hpp"

#include <kith/detail/assert.hpp>

#include "file_calls.hpp"
#include "raise.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace kith::values {

namespace {

// `errno` is read first: the texts of the message may change it.
[[noreturn]] void raise_system(const char* action, const std::string& path) {
    const int error = errno;
    raise(errc::invalid_operation,
          std::string(action) + " '" + path + "': " + std::strerror(error));
}

// Owns a descriptor of the system; -1 after close(), or if the file could not be opened.
class descriptor {
public:
    explicit descriptor(int number) noexcept : number_(number) {}
    ~descriptor() {
        if (number_ >= 0) {
            ::close(number_);
        }
    }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    int get() const noexcept { return number_; }
    // Closing may report that writing has failed.
    bool close() noexcept {
        const int number = number_;
        number_ = -1;
        return ::close(number) == 0;
    }

private:
    int number_;
};

// The temporary file ends with its object, unless it was renamed.
class temporary_file {
public:
    explicit temporary_file(const std::string& target)
        : path_(target + ".tmp-XXXXXX"), file_(file_calls::open_temporary(path_.data())) {
        if (file_.get() < 0) {
            raise_system("cannot write next to", target);
        }
    }
    ~temporary_file() {
        if (!path_.empty()) {
            ::unlink(path_.c_str());
        }
    }
    temporary_file(const temporary_file&) = delete;
    temporary_file& operator=(const temporary_file&) = delete;

    // Writes everything: the system may write a part, or be interrupted. `sync` waits until the
    // bytes have reached the disk.
    void write(std::string_view bytes, bool sync) {
        while (!bytes.empty()) {
            const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
            if (written < 0 && errno != EINTR) {
                raise_system("cannot write", path_);
            }
            bytes.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
        }
        if (sync && file_calls::sync(file_.get()) != 0) {
            raise_system("cannot write", path_);
        }
    }
    // New files have the permissions that the process gives, replaced ones keep theirs.
    void set_mode(const std::string& target) {
        if (file_calls::copy_mode(target.c_str(), file_.get()) != 0) {
            raise_system("cannot set the permissions of", path_);
        }
    }
    // The last step: the target has the old bytes before it and the new ones after it, never a
    // part.
    void rename_to(const std::string& target) {
        KITH_ASSERT(!path_.empty(), "a temporary file is renamed once");
        if (!file_.close() || file_calls::replace(path_.c_str(), target.c_str()) != 0) {
            raise_system("cannot replace", target);
        }
        path_.clear();
    }

private:
    std::string path_;
    descriptor file_;
};

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// The file that a symbolic link leads to, also if that does not exist yet; else the path itself.
std::string resolved_path(const char* path) {
    std::string result = path;
    constexpr int most_links = 40;
    for (int i = 0; i < most_links; ++i) {
        char target[4096];
        const auto size = file_calls::read_link(result.c_str(), target, sizeof target);
        if (size <= 0) {
            break;
        }
        const std::string next(target, static_cast<std::size_t>(size));
        const std::size_t slash = result.rfind('/');
        result = next[0] == '/' || slash == std::string::npos ? next
                                                              : result.substr(0, slash + 1) + next;
    }
    return result;
}

// A renaming is lasting when the folder is written. A folder that cannot be opened is no failure:
// the file itself is complete.
void sync_folder(const std::string& path) {
    const descriptor opened(::open(folder_of(path).c_str(), file_calls::read_flags));
    if (opened.get() >= 0) {
        file_calls::sync(opened.get());
    }
}

}  // namespace

// The temporary file is in the folder of the target, because renaming works within one file system
// only.
void replace_file(const char* path, std::string_view bytes, bool sync) {
    const std::string target = resolved_path(path);
    temporary_file file(target);
    file.write(bytes, sync);
    file.set_mode(target);
    file.rename_to(target);
    if (sync) {
        sync_folder(target);
    }
}

std::string read_file(const char* path, std::uint64_t most) {
    const descriptor file(::open(path, file_calls::read_flags));
    struct stat found {};
    if (file.get() < 0 || ::fstat(file.get(), &found) != 0) {
        raise_system("cannot read", path);
    }
    if (static_cast<std::uint64_t>(found.st_size) > most) {
        raise(errc::invalid_file, "'" + std::string(path) + "' has " +
                                      std::to_string(found.st_size) + " bytes, and the limit is " +
                                      std::to_string(most));
    }
    std::string bytes(static_cast<std::size_t>(found.st_size), '\0');
    std::size_t read = 0;
    while (read < bytes.size()) {
        const ssize_t more = ::read(file.get(), bytes.data() + read, bytes.size() - read);
        if (more < 0 && errno == EINTR) {
            continue;
        }
        if (more < 0) {
            raise_system("cannot read", path);
        }
        // The file has become shorter since its size was read.
        if (more == 0) {
            break;
        }
        read += static_cast<std::size_t>(more);
    }
    bytes.resize(read);
    return bytes;
}

}  // namespace kith::values
