// The history of a world's edits (kith/diff.hpp): each edit is the difference of the states before
// and after it.
#include "api/diff.hpp"
#include "base/assert.hpp"
#include "base/raise.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <string>

namespace kith::detail {

using api::impl_of;
using api::shared_state;
using api::world_impl;

// An edit. The step owns one share of its difference, which is released by hand: histories move
// steps between containers.
struct history_step {
    std::string label;
    diff_state* change;
};

// The edits of one world.
//
// Invariants
// 1. `done` has the edits from the oldest on, `undone` those that a redo makes again, the next one
//    last.
// 2. An edit that changes the world empties `undone`.
// 3. `before` is set exactly while `open` is not 0; `part` only then.
// 4. A step of either list has a difference, never null.
struct history_state {
    weak_world* link;
    history_limits limits;
    std::deque<history_step> done;
    std::vector<history_step> undone;
    shared_state before;                     // of the open edit
    std::optional<mutate::diff_scope> part;  // of the open edit; none: all entities
    std::uint32_t open = 0;                  // edits inside of edits belong to the outer one
};

namespace {

void drop_steps(std::vector<history_step>& steps) noexcept {
    for (const history_step& step : steps) {
        release_diff(step.change);
    }
    steps.clear();
}

// Drops the oldest edits beyond the limits. The last edit stays.
void keep_limits(history_state& history) noexcept {
    std::size_t bytes = 0;
    for (const history_step& step : history.done) {
        bytes += diff_bytes(step.change);
    }
    while (history.done.size() > 1 &&
           (history.done.size() > history.limits.steps || bytes > history.limits.bytes)) {
        bytes -= diff_bytes(history.done.front().change);
        release_diff(history.done.front().change);
        history.done.pop_front();
    }
}

// Throws [invalid_operation] if the world has ended. The history may outlive it.
world_impl& edited_world(const history_state& history) {
    if (!history.link->world) {
        base::raise(errc::invalid_operation, "the world of this history has ended");
    }
    return impl_of(history.link->world);
}

// Throws [conflict] if the world does not have the state that the edit has led to, as far as the
// facts of the edit are concerned.
void apply_back(history_state& history, const diff_state& change) {
    const diff_state inverse(change.new_state, change.old_state, change.link, change.part);
    apply_diff(&edited_world(history), &inverse, false);
}

}  // namespace

history_state* make_history(const world_t* world, const history_limits& limits) {
    auto made = std::make_unique<history_state>();
    made->limits = limits;
    made->link = share_world_link(world);
    return made.release();
}

void release_history(history_state* history) noexcept {
    clear_history(history);
    release_world_link(history->link);
    delete history;
}

void begin_edit(history_state* history) {
    if (history->open == 0) {
        world_impl& owner = edited_world(*history);
        api::check_between_operations(owner, "an edit");
        history->before = api::capture(owner);
    }
    ++history->open;
}

void limit_edit(history_state* history, const entity_t* entities, std::size_t count) {
    KITH_ASSERT(history->open != 0, "only an open edit has limits");
    if (history->open != 1) {
        return;  // an edit inside of another one belongs to it
    }
    if (!history->part) {
        history->part.emplace().deletes = true;
    }
    std::vector<std::uint32_t>& indices = history->part->indices;
    std::transform(entities, entities + count, std::back_inserter(indices),
                   [](entity_t entity) { return index_of(entity); });
    std::sort(indices.begin(), indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
}

namespace {

// The entities of two edits that become one.
std::optional<mutate::diff_scope> join_parts(const std::optional<mutate::diff_scope>& first,
                                             const std::optional<mutate::diff_scope>& second) {
    if (!first || !second) {
        return std::nullopt;
    }
    mutate::diff_scope both{{}, {}, true};
    std::set_union(first->indices.begin(), first->indices.end(), second->indices.begin(),
                   second->indices.end(), std::back_inserter(both.indices));
    return both;
}

}  // namespace

// An edit that changes nothing leaves no step of its own. With `joins`, an edit with the label of
// the last one becomes part of it, such as the steps of one movement of a slider.
void end_edit(history_state* history, text_view label, bool joins) {
    KITH_ASSERT(history->open != 0, "an edit that ends has begun");
    if (--history->open != 0) {
        return;
    }
    const shared_state before = std::exchange(history->before, nullptr);
    std::optional<mutate::diff_scope> part = std::exchange(history->part, std::nullopt);
    world_impl& owner = edited_world(*history);
    const std::string_view text = label;
    const bool joined = joins && !history->done.empty() && history->done.back().label == text;
    if (joined) {
        part = join_parts(part, history->done.back().change->part);
    }
    auto change =
        std::make_unique<diff_state>(joined ? history->done.back().change->old_state : before,
                                     api::capture(owner), owner.link, std::move(part));
    if (joined) {
        release_diff(std::exchange(history->done.back().change, change.release()));
    } else if (!change->facts.empty()) {
        // The step exists before it owns the difference: push_back() may throw.
        history->done.push_back({std::string(text), nullptr});
        history->done.back().change = change.release();
    } else {
        return;
    }
    drop_steps(history->undone);
    keep_limits(*history);
}

// The world keeps the changes of the edit, and no step has them.
void cancel_edit(history_state* history) noexcept {
    if (--history->open == 0) {
        history->before = nullptr;
        history->part.reset();
    }
}

bool step_history(history_state* history, bool back) {
    if (history->open != 0) {
        base::raise(errc::invalid_operation, "undo and redo inside of an edit");
    }
    if (back ? history->done.empty() : history->undone.empty()) {
        return false;
    }
    if (back) {
        // Memory is taken before the world changes, so that nothing fails between both.
        history->undone.reserve(history->undone.size() + 1);
        apply_back(*history, *history->done.back().change);
        history->undone.push_back(std::move(history->done.back()));
        history->done.pop_back();
    } else {
        history_step& step = history->undone.back();
        apply_diff(&edited_world(*history), step.change, false);
        history->done.push_back(std::move(step));
        history->undone.pop_back();
    }
    return true;
}

// Undoes one edit out of the middle; later edits stay. Throws [conflict] if these have changed the
// same facts. Redo is not possible afterwards, because the states of `undone` do not fit any more.
bool undo_step(history_state* history, std::size_t number) {
    if (number >= history->done.size()) {
        return false;
    }
    const auto step = history->done.begin() + static_cast<std::ptrdiff_t>(number);
    apply_back(*history, *step->change);
    release_diff(step->change);
    history->done.erase(step);
    drop_steps(history->undone);
    return true;
}

std::size_t history_size(const history_state* history, bool undone) noexcept {
    return undone ? history->undone.size() : history->done.size();
}

string history_label(const history_state* history, std::size_t number) {
    if (number >= history->done.size()) {
        base::raise(errc::invalid_operation, "there is no edit with this number");
    }
    return string(text_view(history->done[number].label));
}

void clear_history(history_state* history) noexcept {
    for (const history_step& step : history->done) {
        release_diff(step.change);
    }
    history->done.clear();
    drop_steps(history->undone);
}

}  // namespace kith::detail
