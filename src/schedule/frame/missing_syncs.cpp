// Implements missing_syncs.hpp.
#include "frame/missing_syncs.hpp"

#include <kith/detail/stage_ops.hpp>

#include <algorithm>

namespace kith::scheduling {

namespace {

// Walks the queued commands once. The numbers of commands show their authors: the commands of the
// system at position i end at runs[i].commands_end.
class missing_finder {
public:
    missing_finder(const world_t* world, const pipeline_plan& plan, std::uint32_t begin,
                   std::uint32_t end, std::vector<missing_sync>& known)
        : world_(world), plan_(plan), author_(begin), end_(end), known_(known) {}

    void run() {
        detail::each_command(
            world_,
            [](const detail::queued_change& change, void* context) {
                static_cast<missing_finder*>(context)->visit(change.number, change.id);
            },
            this);
    }

private:
    // Commands come by number, so their authors come in order.
    void visit(std::uint32_t number, id_t id) {
        while (author_ + 1 < end_ && plan_.runs[author_].commands_end <= number) {
            ++author_;
            seen_.clear();
        }
        if (id == 0 || !seen_.insert(id).second) {
            return;
        }
        for (std::uint32_t reader = author_ + 1; reader < end_; ++reader) {
            if ((plan_.runs[reader].flags & entry_disabled) == 0) {
                compare(reader, id);
            }
        }
    }
    void compare(std::uint32_t reader, id_t id) {
        for (const access& one : plan_.systems[reader].access) {
            if ((one.how & access_sees) && overlaps(one.id, id)) {
                report({plan_.systems[author_].entity, plan_.systems[reader].entity,
                        id == Wildcard ? one.id : id});
                return;
            }
        }
    }
    // A pair of systems is reported once per id in the life of a scheduler, not once per frame.
    void report(const missing_sync& found) {
        const bool is_known =
            std::any_of(known_.begin(), known_.end(), [&](const missing_sync& other) {
                return other.writer == found.writer && other.reader == found.reader &&
                       other.id == found.id;
            });
        if (is_known) {
            return;
        }
        known_.push_back(found);
        const std::string writer = path_text(world_, found.writer);
        const std::string id = detail::id_text(world_, found.id).c_str();
        detail::write_log((writer + " queued " + id + ", and " + path_text(world_, found.reader) +
                           " read " + id + " before the next sync point; add .write<" + id +
                           ">() to " + writer)
                              .c_str());
    }

    const world_t* world_;
    const pipeline_plan& plan_;
    std::uint32_t author_;
    std::uint32_t end_;
    std::vector<missing_sync>& known_;
    std::unordered_set<id_t> seen_;  // ids of commands of the author
};

}  // namespace

void find_missing(const world_t* world, const pipeline_plan& plan, std::uint32_t begin,
                  std::uint32_t end, std::vector<missing_sync>& known) {
    missing_finder(world, plan, begin, end, known).run();
}

}  // namespace kith::scheduling
