// Implements count_commands.hpp.
#include "frame/count_commands.hpp"

#include <kith/detail/stage_ops.hpp>

namespace kith::scheduling {

namespace {

std::int64_t& count_of(command_counts& counts, detail::queued_change::kind what) noexcept {
    using kind = detail::queued_change::kind;
    switch (what) {
        case kind::create:
            return counts.entities;
        case kind::add:
            return counts.add;
        case kind::remove:
            return counts.remove;
        case kind::set:
            return counts.set;
        case kind::get_mut:
            return counts.get_mut;
        case kind::modified:
            return counts.modified;
        case kind::clear:
            return counts.clear;
        case kind::destruct:
            return counts.destruct;
        case kind::other:
            break;
    }
    return counts.other;
}

// Commands come by number, so their authors come in order.
struct command_counter {
    const pipeline_plan& plan;
    std::uint32_t author;
    std::uint32_t end;
    command_counts& all;

    void visit(const detail::queued_change& change) {
        while (author + 1 < end && plan.runs[author].commands_end <= change.number) {
            ++author;
        }
        ++count_of(plan.data[author]->counts.commands, change.what);
        ++count_of(all, change.what);
    }
};

}  // namespace

void count_commands(const world_t* world, const pipeline_plan& plan, std::uint32_t begin,
                    std::uint32_t end, command_counts& all) {
    command_counter counter{plan, begin, end, all};
    detail::each_command(
        world,
        [](const detail::queued_change& change, void* context) {
            static_cast<command_counter*>(context)->visit(change);
        },
        &counter);
}

}  // namespace kith::scheduling
