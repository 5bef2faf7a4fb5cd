// The observation of frames: measured times and the trace. Nothing is taken while both are off.
#pragma once

#include "statistics/measured_time.hpp"
#include "trace/trace_ring.hpp"

#include <memory>

namespace kith::scheduling {

// The thread that calls progress() writes the times; callbacks may change the settings.
struct observation {
    bool frame_time = false;   // the time of frames is measured
    bool system_time = false;  // the time of systems and sync points is measured
    bool tracing = false;
    std::unique_ptr<trace_ring> trace;  // the last one, which may have been stopped
    measured_time frames;
    measured_time merges;
    ns_t system_total = 0;
    command_counts commands;

    // True if runs of systems need stamps.
    bool of_systems() const noexcept { return system_time || tracing; }
};

// The nanoseconds between two stamps. 0 if the counters of two processors disagree, so that the end
// lies before the beginning.
inline ns_t elapsed(stamp_t begin, stamp_t end) {
    return end > begin ? static_cast<ns_t>(static_cast<double>(end - begin) * ns_per_stamp()) : 0;
}

}  // namespace kith::scheduling
