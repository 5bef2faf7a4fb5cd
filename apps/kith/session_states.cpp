// Snapshots and the history of a session (session_states.hpp).
#include "session_states.hpp"

#include "input_error.hpp"
#include "nearest.hpp"

namespace kith_app {

namespace {

constexpr kith::history_limits limits{1'000, std::size_t{256} << 20};

}  // namespace

session_states::session_states(const kith::world& world)
    : world_(world), start_(world.snapshot().take()), edits_(world, limits) {}

std::string session_states::undo() {
    if (edits_.undo_count() == 0) {
        throw input_error("there is nothing to undo");
    }
    std::string label(std::string_view(edits_.label(edits_.undo_count() - 1)));
    edits_.undo();
    return label;
}

std::string session_states::redo() {
    if (!edits_.redo()) {
        throw input_error("there is nothing to redo");
    }
    return std::string(std::string_view(edits_.label(edits_.undo_count() - 1)));
}

bool session_states::take(const std::string& name) {
    kith::snapshot taken = world_.snapshot().take();
    const auto [place, is_new] = taken_.try_emplace(name, taken);
    place->second = taken;
    return !is_new;
}

void session_states::restore(const std::string& name) {
    find(name).restore();
}

void session_states::restart() {
    start_.restore();
}

kith::diff session_states::changes_since(const std::string& name) const {
    return kith::diff(find(name), world_);
}

std::vector<std::string> session_states::names() const {
    std::vector<std::string> names;
    for (const auto& [name, state] : taken_) {
        names.push_back(name);
    }
    return names;
}

const kith::snapshot& session_states::find(const std::string& name) const {
    const auto found = taken_.find(name);
    if (found == taken_.end()) {
        throw input_error("there is no snapshot '" + name + "'" + did_you_mean(name, names()) +
                          (taken_.empty() ? "; :snapshot NAME takes one" : ""));
    }
    return found->second;
}

}  // namespace kith_app
