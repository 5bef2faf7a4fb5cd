// The least that can be kept of a relationship with one target per source: the target, the sources
// of each target, and where a source stands among them, so that removing needs no search.
#pragma once

#include "scenario.hpp"

namespace bench {

class raw_links {
public:
    raw_links(std::size_t sources, std::size_t targets)
        : target_(sources, none), position_(sources), sources_(targets) {}

    void link(std::uint32_t source, std::uint32_t target) {
        target_[source] = target;
        position_[source] = static_cast<std::uint32_t>(sources_[target].size());
        sources_[target].push_back(source);
    }
    // The last source takes the place of the one that goes.
    void unlink(std::uint32_t source) {
        std::vector<std::uint32_t>& list = sources_[target_[source]];
        list[position_[source]] = list.back();
        position_[list.back()] = position_[source];
        list.pop_back();
        target_[source] = none;
    }
    void unlink_all(std::uint32_t target) {
        for (std::uint32_t source : sources_[target]) {
            target_[source] = none;
        }
        sources_[target].clear();
    }
    std::uint32_t target(std::uint32_t source) const { return target_[source]; }
    const std::vector<std::uint32_t>& sources(std::uint32_t target) const {
        return sources_[target];
    }
    std::size_t size() const { return target_.size(); }

    static constexpr std::uint32_t none = 0xFFFFFFFFu;

private:
    std::vector<std::uint32_t> target_;
    std::vector<std::uint32_t> position_;
    std::vector<std::vector<std::uint32_t>> sources_;
};

}  // namespace bench
