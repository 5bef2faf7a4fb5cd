#include "interrupt.hpp"

#include <csignal>

namespace kith_app {

namespace {

volatile std::sig_atomic_t requested = 0;
struct sigaction previous;

void request(int) {
    requested = 1;
}

}  // namespace

interrupt::interrupt(ctrl_c meaning) : meaning_(meaning) {
    forget();
    if (meaning_ == ctrl_c::stops_work) {
        struct sigaction action {};
        action.sa_handler = request;
        sigemptyset(&action.sa_mask);
        action.sa_flags = SA_RESTART;
        sigaction(SIGINT, &action, &previous);
    }
}

interrupt::~interrupt() {
    if (meaning_ == ctrl_c::stops_work) {
        sigaction(SIGINT, &previous, nullptr);
    }
}

bool interrupt::stop_requested() const noexcept {
    return requested != 0;
}

void interrupt::forget() noexcept {
    requested = 0;
}

}  // namespace kith_app
