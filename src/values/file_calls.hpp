// The calls of the system that replacing and reading files needs: those of POSIX, and the nearest
// ones of Windows and WASI, which lack some of them. They fail as those of POSIX do, by `errno`.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(_WIN32)
#include <io.h>
// <windows.h> defines macros with short names.
extern "C" __declspec(dllimport) int __stdcall MoveFileExA(const char* from, const char* to,
                                                           unsigned long flags);
#endif

namespace kith::values::file_calls {

#if defined(_WIN32)

inline constexpr int read_flags = O_RDONLY | O_BINARY;

// `path` ends in XXXXXX, which is replaced.
inline int open_temporary(char* path) noexcept {
    return ::_mktemp(path) ? ::open(path, O_RDWR | O_CREAT | O_EXCL | O_BINARY, 0666) : -1;
}
inline int sync(int file) noexcept {
    return ::_commit(file);
}
// Files have the permissions of their folder.
inline int copy_mode(const char*, int) noexcept {
    return 0;
}
// rename() refuses to replace a file.
inline int replace(const char* from, const char* to) noexcept {
    constexpr unsigned long replace_existing = 1;
    if (::MoveFileExA(from, to, replace_existing)) {
        return 0;
    }
    errno = EACCES;
    return -1;
}
// Links are not followed.
inline std::ptrdiff_t read_link(const char*, char*, std::size_t) noexcept {
    return -1;
}

#else

inline constexpr int read_flags = O_RDONLY;

inline int sync(int file) noexcept {
    return ::fsync(file);
}
inline int replace(const char* from, const char* to) noexcept {
    return std::rename(from, to);
}
inline std::ptrdiff_t read_link(const char* path, char* into, std::size_t size) noexcept {
    return ::readlink(path, into, size);
}

#if defined(__wasi__)

// `path` ends in XXXXXX, which is replaced by a number.
inline int open_temporary(char* path) noexcept {
    for (unsigned tried = 0; tried < 1'000'000; ++tried) {
        std::snprintf(path + std::strlen(path) - 6, 7, "%06u", tried);
        const int file = ::open(path, O_RDWR | O_CREAT | O_EXCL, 0666);
        if (file >= 0 || errno != EEXIST) {
            return file;
        }
    }
    return -1;
}
// Files have no permissions.
inline int copy_mode(const char*, int) noexcept {
    return 0;
}

#else

inline int open_temporary(char* path) noexcept {
    return ::mkstemp(path);
}
// Gives the open file the permissions of the old one, or those of a new file.
inline int copy_mode(const char* old_path, int file) noexcept {
    struct stat old {};
    const mode_t mask = ::umask(0);
    ::umask(mask);
    const mode_t mode = ::stat(old_path, &old) == 0 ? old.st_mode & 07777 : 0666 & ~mask;
    return ::fchmod(file, mode);
}

#endif
#endif

}  // namespace kith::values::file_calls
