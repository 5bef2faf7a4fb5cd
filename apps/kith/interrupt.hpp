// Ctrl-C: ends the program, or only stops what runs.
#pragma once

namespace kith_app {

enum class ctrl_c { ends_program, stops_work };

// What ctrl-C means while this lives. A token for iter().stop_on().
class interrupt {
public:
    explicit interrupt(ctrl_c meaning);
    ~interrupt();
    interrupt(const interrupt&) = delete;
    interrupt& operator=(const interrupt&) = delete;

    bool stop_requested() const noexcept;
    // What was to be stopped has ended.
    void forget() noexcept;

private:
    ctrl_c meaning_;
};

}  // namespace kith_app
