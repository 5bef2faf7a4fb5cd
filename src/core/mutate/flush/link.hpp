// Linking recorded commands (context/recorder.hpp) into the queue of the main stage: the result is
// the queue that the same calls would have made there. Parts are linked in order, on one thread.
//
// Covered by tests/unit/mutate/recorder_test.cpp.
#pragma once

#include "mutate/context/recorder.hpp"
#include "mutate/queue/record.hpp"

#include <exception>

namespace kith::mutate {

// Errors of commands that could not be linked.
struct link_errors {
    std::exception_ptr first;
    std::uint32_t count = 0;
};

// Receives the actions of a part that wait for the end of the frame.
class action_list {
public:
    virtual void add(const queued_action& action) = 0;

protected:
    ~action_list() = default;
};

// Appends the commands of a part to the queue of the main stage. A command that is refused is
// dropped, and its error noted. The commands must stay in memory until the queue has run.
// `is_current`: the world has not changed since the commands were recorded. Requires: no part runs,
// and parts are linked in their order. Errors do not leave the function.
link_errors link_commands(stage& world, const command_list& part, action_list& actions,
                          bool is_current = true);

}  // namespace kith::mutate
