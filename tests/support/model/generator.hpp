// Makes random programs, one operation after the other, with an eye on the state that the program
// has reached so far. Used by tests/model/random_test.cpp.
#pragma once

#include "support/model/planner.hpp"

namespace model {

class generator : private planner {
public:
    using planner::planner;

    // An operation that makes sense in this state, mostly.
    op next(const runner& state);

private:
    op choose(const runner& state);
    op_kind choose_kind(const runner& state);
    op_kind choose_weighted(const runner& state);

    op last_{op_kind::create};
    bool plain_block_ = false;
};

}  // namespace model
