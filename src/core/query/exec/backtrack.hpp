// The backtracking loop: finds one way after the other in which all ops of a sequence hold. An op
// that fails sends the loop back to the op before it, which is asked for its next result. Flat
// plans and the blocks of block plans are evaluated by the same loop.
#pragma once

#include "base/counters.hpp"

#include <cstdint>

namespace kith::queries {

// Evaluates the ops [first, last) of a program, of which `tail` is the last one. `again`: the ops
// hold already, and their next way to hold is looked for. False if there is none. A program has
//
//   bool eval(op, again)       opens the op, or goes to its next result
//   bool holds_once(op)        the op has no further result and needs no evaluation to say so
//   bool accepts(op)           the result of the op belongs to this run
//   bool gives_up()            the search is to end, asked at each failure
//   uint32 next(op), previous(op)
template <class Program>
bool backtrack(Program& program, std::uint32_t first, std::uint32_t last, std::uint32_t tail,
               bool again) {
    if (first == last) {
        return !again;
    }
    std::uint32_t position = again ? tail : first;
    for (;;) {
        for (; again && program.holds_once(position); position = program.previous(position)) {
            if (position == first) {
                return false;
            }
        }
        KITH_COUNT(steps);
        if (program.eval(position, again)) {
            if (!program.accepts(position)) [[unlikely]] {
                again = true;
                continue;
            }
            position = program.next(position);
            again = false;
            if (position == last) {
                return true;
            }
        } else if (position == first || program.gives_up()) {
            return false;
        } else {
            position = program.previous(position);
            again = true;
        }
    }
}

}  // namespace kith::queries
