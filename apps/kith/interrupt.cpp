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

interrupt::interrupt() {
    requested = 0;
    struct sigaction action {};
    action.sa_handler = request;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &previous);
}

interrupt::~interrupt() {
    sigaction(SIGINT, &previous, nullptr);
}

bool interrupt::stop_requested() const noexcept {
    return requested != 0;
}

}  // namespace kith_app
