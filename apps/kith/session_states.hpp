// Earlier states of a session's world: named snapshots, and a history for undo and redo.
#pragma once

#include <kith/diff.hpp>
#include <kith/kith.hpp>

#include <map>
#include <string>
#include <vector>

namespace kith_app {

class session_states {
public:
    explicit session_states(const kith::world& world);

    // Runs a change, which undo() takes back as a whole. `label` is how it was said. If the change
    // throws, the world has the state from before.
    template <class Change>
    void edit(const std::string& label, Change&& change) {
        const kith::snapshot before = world_.snapshot().take();
        const kith::history::edit_scope step = edits_.edit(label);
        try {
            change();
        } catch (...) {
            before.restore();
            throw;
        }
    }
    // Each returns how the change was said. Throws input_error if there is none.
    std::string undo();
    std::string redo();

    // Keeps the present state under a name, in the place of an older state. False if it is the
    // first with this name.
    bool take(const std::string& name);
    // Returns the world to a state. Throws input_error for unknown names.
    void restore(const std::string& name);
    // Returns the world to the state that it had at the construction.
    void restart();
    // The changes since then.
    kith::diff changes_since(const std::string& name) const;
    std::vector<std::string> names() const;

private:
    const kith::snapshot& find(const std::string& name) const;

    kith::world world_;
    kith::snapshot start_;
    kith::history edits_;
    std::map<std::string, kith::snapshot> taken_;
};

}  // namespace kith_app
