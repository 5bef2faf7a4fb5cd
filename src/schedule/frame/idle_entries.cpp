// Implements the idle entries of pipeline_data.hpp.
#include "frame/pipeline_data.hpp"

namespace kith::scheduling {

namespace {

// A sync point in front of a system is passed also if the system does not run, so that the entry is
// visited; the systems of a batch are visited together. A query whose cache is not up to date may
// match something.
bool is_idle(const run_entry& entry, std::uint32_t store_version) noexcept {
    if (entry.flags & (entry_sync | entry_parallel)) {
        return false;
    }
    if (entry.flags & entry_disabled) {
        return true;
    }
    return entry.flags == 0 && entry.query->match_count == 0 &&
           entry.query->version.load() == store_version &&
           entry.query->listed == detail::listing::matches;
}

}  // namespace

void idle_entries::mark(std::vector<run_entry>& entries, const detail::store_head& store) {
    if (is_valid(store)) {
        return;
    }
    wake(entries);
    std::uint32_t end = static_cast<std::uint32_t>(entries.size());
    for (std::uint32_t at = end; at-- != 0;) {
        if (is_idle(entries[at], store.version)) {
            entries[at].flags |= entry_idle;
            entries[at].idle_end = end;
        } else {
            end = at;
        }
    }
    marked_ = true;
    version_ = store.version;
    match_epoch_ = store.match_epoch;
}

void idle_entries::wake(std::vector<run_entry>& entries) noexcept {
    if (marked_) {
        for (run_entry& entry : entries) {
            entry.flags &= ~std::uint32_t{entry_idle};
        }
        marked_ = false;
    }
}

}  // namespace kith::scheduling
