// Implements fixed_phases.hpp.
#include "frame/fixed_phases.hpp"

#include <kith/kith.hpp>

#include "frame/pipeline_data.hpp"

#include <string>
#include <unordered_set>

namespace kith::scheduling {

namespace {

// The first phase with fixed steps along DependsOn, the entity itself excluded.
entity_t find_above(const entity& from, std::unordered_set<entity_t>& seen) {
    entity_t found = 0;
    from.each(DependsOn, [&](entity above) {
        if (found || !seen.insert(above).second) {
            return;
        }
        found = above.owns<FixedStep>() ? above.raw_id() : find_above(above, seen);
    });
    return found;
}

// The same against the direction of DependsOn. Systems depend on phases as well, so that only
// entities with the tag Phase are followed.
entity_t find_below(const entity& from, std::unordered_set<entity_t>& seen) {
    entity_t found = 0;
    from.each_source(DependsOn, [&](entity below) {
        if (found || !below.has(Phase) || !seen.insert(below).second) {
            return;
        }
        found = below.owns<FixedStep>() ? below.raw_id() : find_below(below, seen);
    });
    return found;
}

}  // namespace

entity_t find_fixed_phase(const entity& system) {
    std::unordered_set<entity_t> seen;
    return find_above(system, seen);
}

void check_not_nested(const entity& phase) {
    std::unordered_set<entity_t> seen;
    entity_t other = find_above(phase, seen);
    other = other ? other : find_below(phase, seen);
    if (other) {
        const std::string message =
            path_text(phase.c_world(), phase) +
            " cannot have fixed steps: " + path_text(phase.c_world(), other) +
            " has them, and one depends on the other";
        detail::raise_error(errc::constraint, message.c_str());
    }
}

}  // namespace kith::scheduling
