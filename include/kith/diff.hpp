// Differences between states of a world: as facts that can be printed, made true in a world, and
// inverted; a history of edits with undo and redo; a ring of states for rollback.
//
// Covered by tests/features/snapshots/diff_test.cpp and history_test.cpp.
#pragma once

#include <kith/snapshot.hpp>
#include <kith/string.hpp>

#include <exception>

namespace kith {

// The kinds of facts, in the order in which a difference lists them.
enum class fact_kind : std::uint8_t {
    id_removed,
    entity_deleted,
    entity_made,
    id_added,
    value_changed,
    id_disabled,
    id_enabled,
};

// One fact of a difference. Values are null where the id has none, and for names.
struct fact_view {
    fact_kind kind;
    entity_t entity;
    id_t id;  // 0: the fact is about the entity
    const void* before;
    const void* after;
};

namespace detail {

struct diff_state;

diff_state* make_diff(const snapshot_state* before, const snapshot_state* after);
diff_state* invert_diff(const diff_state* original);
diff_state* join_diffs(const diff_state* first, const diff_state* second);
diff_state* share_diff(diff_state* state) noexcept;
void release_diff(diff_state* state) noexcept;
std::size_t diff_size(const diff_state* state) noexcept;
std::size_t diff_bytes(const diff_state* state) noexcept;
fact_view diff_fact(const diff_state* state, std::size_t number);
string diff_text(const diff_state* state);
string diff_json(const diff_state* state);
void apply_diff(world_t* world, const diff_state* state, bool force);

}  // namespace detail

// What differs between two states, in an order in which it can be made true. Handles share it.
class diff {
public:
    diff(const snapshot& before, const snapshot& after)
        : state_(detail::make_diff(before.c_ptr(), after.c_ptr())) {}
    // The present state of the world on one side.
    diff(const snapshot& before, const world& after) : diff(before, after.snapshot().take()) {}
    diff(const world& before, const snapshot& after) : diff(before.snapshot().take(), after) {}
    diff(const diff& other) noexcept : state_(detail::share_diff(other.state_)) {}
    diff(diff&& other) noexcept : state_(detail::exchange(other.state_, nullptr)) {}
    diff& operator=(diff other) noexcept {
        std::swap(state_, other.state_);
        return *this;
    }
    ~diff() { detail::release_diff(state_); }

    bool empty() const noexcept { return size() == 0; }
    // The number of facts.
    std::size_t size() const noexcept { return detail::diff_size(state_); }
    std::size_t bytes() const noexcept { return detail::diff_bytes(state_); }
    // Calls func(const fact_view&) for each fact. Values live as long as the difference.
    template <class Func>
    void each(Func&& func) const {
        for (std::size_t i = 0; i < size(); ++i) {
            func(detail::diff_fact(state_, i));
        }
    }
    // The way back.
    diff invert() const { return diff(detail::invert_diff(state_)); }
    // Both differences one after the other. An error if the second does not begin where the first
    // ends.
    diff then(const diff& next) const { return diff(detail::join_diffs(state_, next.state_)); }
    // A line for each fact: `+ Armed(Bob)`, `- Likes(Bob, Alice)`, `~ Health(Bob).points: 10 -> 7`.
    string str() const { return detail::diff_text(state_); }
    // An array with an object for each fact: {"change":"add", "entity":"Bob",
    // "id":"(Likes,Alice)"},
    // {"change":"set", "entity":"Bob", "id":"Health", "path":"points", "old":10, "new":7}. The
    // changes are make, delete, add, remove, set, enable, disable and rename.
    string to_json() const { return detail::diff_json(state_); }
    const detail::diff_state* c_ptr() const noexcept { return state_; }

private:
    explicit diff(detail::diff_state* state) noexcept : state_(state) {}
    detail::diff_state* state_;
};

struct force_t {};
inline constexpr force_t force{};

struct diff_report {
    std::size_t facts = 0;  // that are true now
};

// Makes the facts true by operations: hooks, observers and monitors are notified. Throws
// kith::error with all facts that do not fit the world; then nothing has changed.
inline diff_report apply(const world& target, const diff& difference) {
    detail::apply_diff(target.c_ptr(), difference.c_ptr(), false);
    return {difference.size()};
}
// Writes values and facts whatever was there before.
inline diff_report apply(const world& target, const diff& difference, force_t) {
    detail::apply_diff(target.c_ptr(), difference.c_ptr(), true);
    return {difference.size()};
}

struct merge_t {};
inline constexpr merge_t merge{};

struct history_limits {
    std::size_t steps = 100;
    std::size_t bytes = 16 << 20;
};

namespace detail {

struct history_state;

history_state* make_history(const world_t* world, const history_limits& limits);
void release_history(history_state* history) noexcept;
void begin_edit(history_state* history);
// The open edit records changes of these entities alone, and of the entities of other calls.
void limit_edit(history_state* history, const entity_t* entities, std::size_t count);
void end_edit(history_state* history, text_view label, bool joins);
void cancel_edit(history_state* history) noexcept;
bool step_history(history_state* history, bool back);
bool undo_step(history_state* history, std::size_t number);
std::size_t history_size(const history_state* history, bool undone) noexcept;
string history_label(const history_state* history, std::size_t number);
void clear_history(history_state* history) noexcept;

struct ring_state;

ring_state* make_ring(const world_t* world, std::size_t frames);
void release_ring(ring_state* ring) noexcept;
void save_frame(ring_state* ring, std::uint64_t frame);
bool load_frame(ring_state* ring, std::uint64_t frame);
std::size_t ring_size(const ring_state* ring) noexcept;
std::uint64_t ring_frame(const ring_state* ring, std::size_t position);

}  // namespace detail

// The edits of a world, for undo and redo. An edit records the difference between the states
// of the world at its beginning and at its end.
class history {
public:
    explicit history(const world& edited, const history_limits& limits = {})
        : state_(detail::make_history(edited.c_ptr(), limits)) {}
    ~history() { detail::release_history(state_); }
    history(const history&) = delete;
    history& operator=(const history&) = delete;

    // The scope of an edit: the destructor records it, unless an exception leaves the scope.
    class edit_scope {
    public:
        edit_scope(const edit_scope&) = delete;
        edit_scope& operator=(const edit_scope&) = delete;
        ~edit_scope() noexcept(false) {
            if (std::uncaught_exceptions() != exceptions_) {
                detail::cancel_edit(state_);
                return;
            }
            if (subject_.query) {
                subject_.limit(state_, subject_.query);
            }
            detail::end_edit(state_, label_, joins_);
        }

    private:
        friend class history;
        edit_scope(detail::history_state* state, text_view label, bool joins)
            : state_(state), label_(label), joins_(joins) {
            detail::begin_edit(state);
        }
        // The results at the beginning count, and those at the end.
        template <class Query>
        edit_scope(detail::history_state* state, text_view label, const Query& query)
            : edit_scope(state, label, false) {
            limit_to_results<Query>(state, &query);
            subject_.query = new Query(query);
            subject_.limit = limit_to_results<Query>;
            subject_.end = [](void* kept) noexcept { delete static_cast<Query*>(kept); };
        }
        template <class Query>
        static void limit_to_results(detail::history_state* state, const void* query) {
            detail::entity_collection found;
            static_cast<const Query*>(query)->each([&](kith::entity one) { found.add(one); });
            detail::limit_edit(state, found.items, found.count);
        }
        detail::history_state* state_;
        string label_;
        bool joins_;
        int exceptions_ = std::uncaught_exceptions();
        // The query whose results the edit is about, owned; null: all entities.
        struct subject {
            subject() = default;
            subject(const subject&) = delete;
            subject& operator=(const subject&) = delete;
            ~subject() {
                if (query) {
                    end(query);
                }
            }
            void* query = nullptr;
            void (*limit)(detail::history_state* state, const void* query) = nullptr;
            void (*end)(void* query) noexcept = nullptr;
        } subject_;
    };
    edit_scope edit(text_view label) { return edit_scope(state_, label, false); }
    // An edit that joins the last one if that has the same label.
    edit_scope edit(text_view label, merge_t) { return edit_scope(state_, label, true); }
    // An edit of the entities that the query finds at its beginning or at its end: what happens to
    // others meanwhile is no part of it.
    template <class Query>
    edit_scope edit(text_view label, const Query& query) {
        return edit_scope(state_, label, query);
    }

    // Returns the world to the state before the last edit, or behind the next one. False if there
    // is none. Throws kith::error if other changes do not allow it.
    bool undo() { return detail::step_history(state_, true); }
    bool redo() { return detail::step_history(state_, false); }
    // Takes back one edit out of order, 0 being the oldest; the edit leaves the list.
    bool undo(std::size_t number) { return detail::undo_step(state_, number); }

    // The number of edits that can be undone, and redone.
    std::size_t undo_count() const noexcept { return detail::history_size(state_, false); }
    std::size_t redo_count() const noexcept { return detail::history_size(state_, true); }
    string label(std::size_t number) const { return detail::history_label(state_, number); }
    // Calls func(const string&) for the labels of edits that can be undone, the oldest first.
    template <class Func>
    void labels(Func&& func) const {
        for (std::size_t i = 0; i < undo_count(); ++i) {
            func(label(i));
        }
    }
    void clear() noexcept { detail::clear_history(state_); }

private:
    detail::history_state* state_;
};

// The last states of a world, one for each frame, to which the world can return.
class rollback {
public:
    // Keeps the states of up to `frames` frames, at least one.
    rollback(const world& source, std::size_t frames)
        : ring_(detail::make_ring(source.c_ptr(), frames)) {}
    ~rollback() { detail::release_ring(ring_); }
    rollback(const rollback&) = delete;
    rollback& operator=(const rollback&) = delete;

    // Captures the present state under the number of a frame. States of this frame and of later
    // ones are forgotten, and the oldest state if the ring is full.
    void save(std::uint64_t frame) { detail::save_frame(ring_, frame); }
    // Returns the world to the state of a frame. False if it is not kept.
    bool load(std::uint64_t frame) { return detail::load_frame(ring_, frame); }
    std::size_t size() const noexcept { return detail::ring_size(ring_); }
    // Requires: a state is kept.
    std::uint64_t oldest() const { return detail::ring_frame(ring_, 0); }
    std::uint64_t newest() const { return detail::ring_frame(ring_, size() - 1); }

private:
    detail::ring_state* ring_;
};

}  // namespace kith
