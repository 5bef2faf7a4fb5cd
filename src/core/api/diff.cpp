// Differences between captured states (kith/diff.hpp).
#include "api/diff.hpp"

#include <kith/diff.hpp>

#include "base/assert.hpp"
#include "base/raise.hpp"

namespace kith::detail {

using api::impl_of;
using api::world_impl;
using mutate::fact;

namespace {

// Throws [invalid_operation] for snapshots without a state, and for parts of a world.
const snapshot_state& required(const snapshot_state* state) {
    if (!state || state->part) {
        base::raise(errc::invalid_operation,
                    !state ? "the difference of an empty snapshot: take() has to capture a state "
                             "first"
                           : "the difference of a part of a world: only whole states have one");
    }
    return *state;
}

}  // namespace

// The facts refer to values of both states, so that the difference owns both. `owner` is shared:
// descriptions of the world serve the comparison as long as the world exists.
diff_state::diff_state(api::shared_state from, api::shared_state to, weak_world* owner,
                       std::optional<mutate::diff_scope> limits)
    : old_state(std::move(from)),
      new_state(std::move(to)),
      before(*old_state),
      after(*new_state),
      link(share_link(owner)),
      part(std::move(limits)) {
    owners.store(1);
    facts = mutate::find_differences(before, after, world(), part ? &*part : nullptr);
}

diff_state::~diff_state() {
    release_world_link(link);
}

const world_t* diff_state::world() const noexcept {
    return link && new_state->thread == mutate::calling_thread() ? link->world : nullptr;
}

diff_state* make_diff(const snapshot_state* before, const snapshot_state* after) {
    return new diff_state(required(before).state, required(after).state, after->link);
}

// The differences are found anew with the states exchanged, because the inverse facts need an order
// of their own.
diff_state* invert_diff(const diff_state* original) {
    return new diff_state(original->new_state, original->old_state, original->link, original->part);
}

// Throws [conflict] unless the states in the middle are equal. Facts that cancel each other out do
// not appear, because the outer states are compared.
diff_state* join_diffs(const diff_state* first, const diff_state* second) {
    if (!mutate::find_differences(first->after, second->before, first->world()).empty()) {
        base::raise(errc::conflict,
                    "the second difference does not begin with the state that the first ends with");
    }
    return new diff_state(first->old_state, second->new_state, first->link);
}

// Handles share one state, which does not change after its construction.
diff_state* share_diff(diff_state* state) noexcept {
    if (state) {
        state->owners.increment();
    }
    return state;
}

void release_diff(diff_state* state) noexcept {
    if (state && state->owners.decrement()) {
        delete state;
    }
}

std::size_t diff_size(const diff_state* state) noexcept {
    return state ? state->facts.size() : 0;
}

// An estimate for limits of histories: values and names of the facts, without the states, which
// other snapshots may share.
std::size_t diff_bytes(const diff_state* state) noexcept {
    std::size_t bytes = sizeof(diff_state) + state->facts.size() * sizeof(fact);
    for (const fact& about : state->facts) {
        for (const mutate::captured_value* value : {&about.before, &about.after}) {
            bytes += value->type ? value->type->info.size : 0;
            bytes += value->name ? value->name->text.size() : 0;
        }
    }
    return bytes;
}

// The view points to values of the states. It is valid as long as the difference has an owner.
fact_view diff_fact(const diff_state* state, std::size_t number) {
    KITH_ASSERT(number < state->facts.size(), "the facts of a difference are numbered");
    const fact& about = state->facts[number];
    return {static_cast<fact_kind>(about.kind), about.entity, about.id, about.before.value,
            about.after.value};
}

string diff_text(const diff_state* state) {
    std::string text;
    for (const fact& about : state->facts) {
        mutate::append_fact(text, about, state->before, state->after, state->world());
    }
    return string(text_view(text));
}

// One fact per line.
string diff_json(const diff_state* state) {
    std::string text = "[";
    for (const fact& about : state->facts) {
        std::string line;
        mutate::append_json_fact(line, about, state->before, state->after, state->world());
        if (!line.empty()) {
            text += (text.size() > 1 ? ",\n" : "\n") + line;
        }
    }
    text += text.size() > 1 ? "\n]" : "]";
    return string(text_view(text));
}

// Without `force`, a fact that does not fit throws [conflict] before anything is changed.
void apply_diff(world_t* world, const diff_state* state, bool force) {
    if (!world) {
        base::raise(errc::invalid_operation, "apply of a difference to a world that has ended");
    }
    world_impl& owner = impl_of(world);
    api::check_between_operations(owner, "apply");
    api::diff_application application(owner, {state->facts, state->before, state->after});
    if (!force) {
        application.check();
    }
    application.run();
}

}  // namespace kith::detail
