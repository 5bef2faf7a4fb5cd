// Replacing save files: a process that is killed at any system call, or whose calls fail, leaves
// the old file or the new one.
#include <kith/kith.hpp>
#include <kith/save.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <sys/user.h>
#endif

namespace {

namespace fs = std::filesystem;

struct Spot {
    int x = 0;
    int y = 0;
};

// A folder of its own with a file, and a world whose file is a different one.
struct saved_folder {
    saved_folder() {
        folder = fs::temp_directory_path() / ("kith_atomic_" + std::to_string(::getpid()));
        fs::create_directories(folder);
        file = (folder / "game.kithb").string();
        kith::reflect<Spot>();
        world.entity("a").set(Spot{1, 2});
        old_bytes = kith::save_to_string(world);
        for (int i = 0; i < 2000; ++i) {
            world.entity().set(Spot{i, -i});
        }
        new_bytes = kith::save_to_string(world);
        reset();
    }
    ~saved_folder() {
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    }
    void reset() const {
        for (const auto& entry : fs::directory_iterator(folder)) {
            fs::remove(entry);
        }
        std::ofstream(file, std::ios::binary) << old_bytes;
    }
    std::string read() const {
        std::ifstream from(file, std::ios::binary);
        std::ostringstream text;
        text << from.rdbuf();
        return text.str();
    }
    std::vector<std::string> others() const {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder)) {
            if (entry.path() != file) {
                names.push_back(entry.path().filename().string());
            }
        }
        return names;
    }
    // The old file or the new one, and it can be loaded.
    bool is_whole() const {
        const std::string bytes = read();
        return (bytes == old_bytes || bytes == new_bytes) &&
               kith::check_file(file.c_str()).entities > 0;
    }

    fs::path folder;
    std::string file;
    kith::world world;
    std::string old_bytes;
    std::string new_bytes;
};

// Saves in a process of its own that stops at each system call. Exit codes: 0 saved, 1 refused with
// a message, 2 anything else.
int start_saving(const saved_folder& scene) {
    const int child = ::fork();
    if (child != 0) {
        int status = 0;
        ::waitpid(child, &status, 0);
        return WIFSTOPPED(status) ? child : -1;
    }
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) {
        ::_exit(3);
    }
    ::raise(SIGSTOP);
    try {
        kith::save(scene.world, scene.file.c_str());
        ::_exit(0);
    } catch (const kith::error& refused) {
        ::_exit(refused.code() == kith::errc::invalid_operation ? 1 : 2);
    } catch (...) {
        ::_exit(2);
    }
}

// Runs up to the next entry or end of a system call. False: the process has ended with `status`.
bool next_stop(int child, int& status) {
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
    return WIFSTOPPED(status);
}

void end_process(int child) {
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
}

#if defined(__x86_64__)

bool is_file_call(unsigned long long number) {
    for (const long known : {SYS_open, SYS_openat, SYS_write, SYS_fsync, SYS_fchmod, SYS_close,
                             SYS_rename, SYS_renameat, SYS_renameat2}) {
        if (number == static_cast<unsigned long long>(known)) {
            return true;
        }
    }
    return false;
}

// Saves; the call of this number among those about files does not happen and returns `error`, or,
// if `error` is 0, writes a part. Returns the exit code, -1 if there are fewer calls.
int save_with_fault(const saved_folder& scene, int number, int error) {
    const int child = start_saving(scene);
    REQUIRE(child > 0);
    int status = 0;
    int seen = 0;
    bool injected = false;
    while (next_stop(child, status)) {
        user_regs_struct registers{};
        ::ptrace(PTRACE_GETREGS, child, nullptr, &registers);
        const bool here = is_file_call(registers.orig_rax) && seen++ == number;
        const bool is_write = registers.orig_rax == static_cast<unsigned long long>(SYS_write);
        if (here && error != 0) {
            registers.orig_rax = ~0ull;
            ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
        } else if (here && is_write) {
            registers.rdx = registers.rdx / 2 + 1;
            ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
        }
        if (!next_stop(child, status)) {
            break;
        }
        if (here && error != 0) {
            ::ptrace(PTRACE_GETREGS, child, nullptr, &registers);
            registers.rax = static_cast<unsigned long long>(-static_cast<long long>(error));
            ::ptrace(PTRACE_SETREGS, child, nullptr, &registers);
        }
        injected = injected || here;
    }
    return injected && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif

}  // namespace

TEST_SUITE("features.values.save_atomic") {
    // spec 583
    TEST_CASE("a process that is killed at any system call leaves the old file or the new one") {
        const saved_folder scene;
        bool was_old = false;
        bool was_new = false;
        for (int stops = 0; stops < 1000; ++stops) {
            CAPTURE(stops);
            scene.reset();
            const int child = start_saving(scene);
            if (child < 0) {
                MESSAGE("processes cannot be traced here");
                return;
            }
            int status = 0;
            int stop = 0;
            while (stop < stops && next_stop(child, status)) {
                ++stop;
            }
            if (stop < stops) {
                REQUIRE(WIFEXITED(status));
                CHECK(WEXITSTATUS(status) == 0);
                break;
            }
            end_process(child);
            REQUIRE(scene.is_whole());
            was_old = was_old || scene.read() == scene.old_bytes;
            was_new = was_new || scene.read() == scene.new_bytes;
            for (const std::string& name : scene.others()) {
                CHECK(name.starts_with("game.kithb.tmp-"));
            }
        }
        CHECK(was_old);
        CHECK(was_new);
        CHECK(scene.others().empty());
    }

#if defined(__x86_64__)
    // spec 583
    TEST_CASE("a system call that fails leaves a whole file and no other") {
        const saved_folder scene;
        for (const int error : {ENOSPC, EIO, EDQUOT, EACCES, EROFS, EMFILE, 0}) {
            bool refused = false;
            for (int number = 0;; ++number) {
                CAPTURE(error);
                CAPTURE(number);
                scene.reset();
                const int code = save_with_fault(scene, number, error);
                if (code < 0) {
                    CHECK(number > 5);
                    break;
                }
                REQUIRE(code != 2);
                refused = refused || code == 1;
                REQUIRE(scene.is_whole());
                CHECK(scene.read() == (code == 0 ? scene.new_bytes : scene.old_bytes));
                CHECK(scene.others().empty());
            }
            CHECK(refused == (error != 0));
        }
    }
#endif

    // spec 583
    TEST_CASE("a full disk is an error with the message of the system") {
        const saved_folder scene;
        struct rlimit before {};
        ::getrlimit(RLIMIT_FSIZE, &before);
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        struct rlimit small = before;
        small.rlim_cur = scene.new_bytes.size() / 2;
        ::setrlimit(RLIMIT_FSIZE, &small);
        std::string message;
        try {
            kith::save(scene.world, scene.file.c_str());
        } catch (const kith::error& refused) {
            CHECK(refused.code() == kith::errc::invalid_operation);
            message = refused.what();
        }
        ::setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
        CHECK(message.find("File too large") != std::string::npos);
        CHECK(scene.read() == scene.old_bytes);
        CHECK(scene.others().empty());
    }

    // spec 583
    TEST_CASE("symbolic links and permissions stay") {
        const saved_folder scene;
        const fs::path link = scene.folder / "link.kithb";
        fs::create_symlink("game.kithb", link);
        fs::permissions(scene.file, fs::perms::owner_read | fs::perms::owner_write);
        kith::save(scene.world, link.c_str());
        CHECK(fs::is_symlink(link));
        CHECK(scene.read() == scene.new_bytes);
        CHECK(fs::status(scene.file).permissions() ==
              (fs::perms::owner_read | fs::perms::owner_write));
        // A link to a file that does not exist yet.
        const fs::path dangling = scene.folder / "dangling.kithb";
        fs::create_symlink("fresh.kithb", dangling);
        kith::save(scene.world, dangling.c_str());
        CHECK(fs::is_symlink(dangling));
        CHECK(fs::exists(scene.folder / "fresh.kithb"));
    }

    // spec 583
    TEST_CASE("files that cannot be written are named") {
        const saved_folder scene;
        const std::string nowhere = (scene.folder / "no" / "such" / "folder.kithb").string();
        std::string message;
        try {
            kith::save(scene.world, nowhere.c_str());
        } catch (const kith::error& refused) {
            CHECK(refused.code() == kith::errc::invalid_operation);
            message = refused.what();
        }
        CHECK(message.find(nowhere) != std::string::npos);
        CHECK(message.find("No such file or directory") != std::string::npos);
        CHECK_THROWS_AS(kith::save(scene.world, scene.folder.c_str()), kith::error);
        CHECK(scene.others().empty());
    }
}
