// Ordering of tick sources. An entity has one source, so the walk from it is a path.
#include "time/source_order.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace kith::scheduling {

namespace {

// Marks each link once, so that the order takes linear time.
class walk {
public:
    explicit walk(const std::vector<source_link>& links) : links_(links), marks_(links.size()) {
        for (std::size_t i = 0; i < links.size(); ++i) {
            numbers_.emplace(links[i].entity, i);
        }
    }

    source_order run() && {
        for (std::size_t i = 0; i < links_.size() && order_.circle.empty(); ++i) {
            visit(i);
        }
        if (!order_.circle.empty()) {
            order_.entities.clear();
        }
        return std::move(order_);
    }

private:
    enum class mark : std::uint8_t { unseen, on_path, done };

    // Appends the entity of the link behind its source.
    void visit(std::size_t first) {
        path_.clear();
        for (auto next = first; marks_[next] != mark::done;) {
            if (marks_[next] == mark::on_path) {
                note_circle(next);
                return;
            }
            marks_[next] = mark::on_path;
            path_.push_back(next);
            const auto source = numbers_.find(links_[next].source);
            if (source == numbers_.end()) {
                break;
            }
            next = source->second;
        }
        for (; !path_.empty(); path_.pop_back()) {
            marks_[path_.back()] = mark::done;
            order_.entities.push_back(links_[path_.back()].entity);
        }
    }

    // The circle is the end of the path, from the first visit of the entity on.
    void note_circle(std::size_t first) {
        auto at = std::find(path_.begin(), path_.end(), first);
        for (; at != path_.end(); ++at) {
            order_.circle.push_back(links_[*at].entity);
        }
    }

    const std::vector<source_link>& links_;
    std::unordered_map<entity_t, std::size_t> numbers_;
    std::vector<mark> marks_;
    std::vector<std::size_t> path_;
    source_order order_;
};

}  // namespace

source_order order_sources(const std::vector<source_link>& links) {
    return walk(links).run();
}

}  // namespace kith::scheduling
