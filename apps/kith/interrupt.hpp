// Ctrl-C: stops what runs, not the program.
#pragma once

namespace kith_app {

// While one of these lives, ctrl-C is a wish to stop what is under way. A token for
// iter().stop_on().
class interrupt {
public:
    interrupt();
    ~interrupt();
    interrupt(const interrupt&) = delete;
    interrupt& operator=(const interrupt&) = delete;

    bool stop_requested() const noexcept;
};

}  // namespace kith_app
