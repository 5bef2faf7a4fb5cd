// Something given to the program is bad: a file, a name, a command. Told on standard error, and the
// program, if it is not interactive, ends with 1.
#pragma once

#include <stdexcept>

namespace kith_app {

class input_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace kith_app
