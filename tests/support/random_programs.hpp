// What tests with random programs have in common: seeds from the environment, running a program in
// a process of its own, and reporting the one that is running when it crashes.
//
// KITH_SEED=n takes a seed of your own, KITH_SEEDS=n as many that follow the last one.
#pragma once

#include <kith/log.hpp>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace random_programs {

inline constexpr int crash_signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPROF};

// A program that uses more time than this has crashed; 0: it may take as long as it wants. What
// others do on the machine meanwhile does not count.
inline void limit_time(unsigned seconds) {
    itimerval limit{};
    limit.it_value.tv_sec = seconds;
    setitimer(ITIMER_PROF, &limit, nullptr);
}

inline std::size_t number_from_environment(const char* name, std::size_t otherwise) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}
inline std::vector<std::uint64_t> chosen_seeds(std::size_t usual) {
    std::vector<std::uint64_t> seeds(usual);
    std::iota(seeds.begin(), seeds.end(), 1);
    if (std::getenv("KITH_SEED")) {
        seeds = {number_from_environment("KITH_SEED", 0)};
    }
    for (std::size_t more = number_from_environment("KITH_SEEDS", 0); more > 0; --more) {
        seeds.push_back(seeds.back() + 1);
    }
    return seeds;
}

inline void handle_crashes(void (*handler)(int)) {
    for (int signal : crash_signals) {
        std::signal(signal, handler);
    }
}

// What `find` returns when it runs in a process of its own, so that a crash is something found,
// too.
template <class Find>
std::string find_apart(unsigned seconds, Find find) {
    std::fflush(nullptr);
    int channel[2];
    if (pipe(channel) != 0) {
        return {};
    }
    pid_t child = fork();
    if (child == 0) {
        handle_crashes(SIG_DFL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        limit_time(seconds);
        std::fclose(stderr);
        // In a thread that has nothing under way: this one may have crashed while iterating.
        std::string found;
        std::thread([&] { found = std::string(find()).substr(0, 4000); }).join();
        bool told = write(channel[1], found.data(), found.size()) >= 0;
        _exit(found.empty() && told ? 0 : 1);
    }
    close(channel[1]);
    std::string found;
    char buffer[512];
    for (ssize_t size = 0; (size = read(channel[0], buffer, sizeof buffer)) > 0;) {
        found.append(buffer, static_cast<std::size_t>(size));
    }
    close(channel[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return found.empty() && status != 0 ? "crash: " + std::to_string(status) : found;
}

// While it lives, a crash is reported with what `report` says about the program that is running;
// kith's warnings are not what is tested then.
class crash_watch {
public:
    crash_watch(const char* suite, std::string (*report)()) {
        suite_ = suite;
        report_ = report;
        handle_crashes(tell);
        kith::set_log([](const char*, void*) {});
    }
    crash_watch(const crash_watch&) = delete;
    crash_watch& operator=(const crash_watch&) = delete;
    ~crash_watch() {
        limit_time(0);
        handle_crashes(SIG_DFL);
        kith::set_log(nullptr);
    }

private:
    static void tell(int signal) {
        handle_crashes(SIG_DFL);
        limit_time(120);
        std::fputs(("\n" + std::string(suite_) + ": signal " + std::to_string(signal) + ", " +
                    report_() + "\n")
                       .c_str(),
                   stderr);
        raise(signal);
    }

    static inline const char* suite_ = nullptr;
    static inline std::string (*report_)() = nullptr;
};

}  // namespace random_programs
