// Implements recorder.hpp, and redirect() of stage.hpp.
#include "mutate/context/recorder.hpp"

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "base/hash.hpp"

#include <functional>
#include <utility>

namespace kith::mutate {

thread_local recorder* recorder::current = nullptr;

// A handle of the main stage leads to the part of this thread. On other threads it can be read
// through: recorder_of() refuses to queue.
stage& redirect(world_t* world, const char* call) {
    if (world->store->page_count == 0) {
        raise_no_world(call);
    }
    stage& named = *static_cast<stage*>(world);
    if (named.mode & detail::mode_recording) {
        return named;
    }
    recorder* running = recorder::current;
    if (running && running->home == named.home) {
        return *running;
    }
    return *named.home;
}

recorder& recorder_of(stage& world) {
    if (!(world.mode & detail::mode_recording)) {
        base::raise(errc::invalid_operation,
                    "the world is read-only for this thread while others run parts of a frame or "
                    "stages of the world; record changes with world.async_stage()");
    }
    return static_cast<recorder&>(world);
}
const recorder& recorder_of(const stage& world) {
    return recorder_of(const_cast<stage&>(world));
}

void check_not_recording(const stage& world, const char* call) {
    if (is_recorded(world)) [[unlikely]] {
        base::raise(
            errc::invalid_operation,
            base::text{} << call
                         << " changes the world at once: that is not possible in a parallel "
                            "or split part of a frame, or in a stage of a read-only world");
    }
}

std::uint64_t recorded_names::hash_of(std::uint32_t parent, std::string_view text) noexcept {
    return base::mix(base::combine(parent, std::hash<std::string_view>{}(text)));
}

// The text is not copied: the arena of the recorder holds it until the part has been linked.
void recorded_names::add(std::uint32_t parent, std::string_view text, entity_t entity) {
    const auto position = static_cast<std::uint32_t>(entries_.size());
    entries_.push_back({parent, text, entity});
    by_name_.emplace(hash_of(parent, text), position);
    by_entity_[entity] = position;
}

entity_t recorded_names::find(std::uint32_t parent, std::string_view text) const {
    // The first of several entities gets the name.
    const entry* found = nullptr;
    auto [begin, end] = by_name_.equal_range(hash_of(parent, text));
    for (auto at = begin; at != end; ++at) {
        const entry& named = entries_[at->second];
        if (named.parent == parent && named.text == text && (!found || &named < found)) {
            found = &named;
        }
    }
    return found ? found->entity : 0;
}

// The position under the former parent stays in `by_name_`; find() compares the parent of the entry
// and passes it over.
void recorded_names::move(entity_t entity, std::uint32_t parent) {
    auto newest = by_entity_.find(entity);
    if (newest != by_entity_.end()) {
        entry& named = entries_[newest->second];
        named.parent = parent;
        by_name_.emplace(hash_of(parent, named.text), newest->second);
    }
}

void recorded_names::leave(entity_t entity, id_t removed) {
    const auto newest = by_entity_.find(entity);
    if (newest != by_entity_.end() &&
        matches_id(removed, make_pair(ChildOf, entries_[newest->second].parent))) {
        move(entity, 0);
    }
}

void recorded_names::clear() noexcept {
    if (!entries_.empty()) {
        entries_.clear();
        by_name_.clear();
        by_entity_.clear();
    }
}

// A recorder shares storage, events and names with its world, and has commands and memory of its
// own. Until begin(), nothing can be recorded.
recorder::recorder(stage& world, recorder_use used_for)
    : stage(world.data, world.events, world.names, world.callbacks, world.consequences),
      use(used_for),
      own(nullptr) {
    home = world.home;
    mode = detail::mode_deferred | detail::mode_redirected;
}

// Values of commands that nobody took are destroyed with the recorder.
recorder::~recorder() {
    drop();
    arena.release(own);
    pending.release(own);
    creation.with.release(own, containers::purpose::commands);
    creation.bulk_ids.release(own, containers::purpose::commands);
}

// The rule about the range of ids is copied from the world.
void recorder::begin(const id_deck& ids) noexcept {
    KITH_ASSERT(!commands.first, "the last part has ended");
    deck = ids;
    queue.depth = 1;
    // The thread of an asynchronous stage reads the mode at any time: it is written once.
    if (use != recorder_use::async || !(mode & detail::mode_recording)) {
        mode = detail::mode_deferred | detail::mode_recording | (home->mode & detail::mode_ranged);
        update_mode(*this);
    }
}

bool recorder::has_open_scopes() const noexcept {
    return queue.depth > 1 || creation.scope != 0 || !creation.with.empty();
}

// The commands stay in the arena: retire() and recycle() decide about their memory.
command_list recorder::end() noexcept {
    creation.scope = 0;
    creation.open_scopes = 0;
    creation.with.clear();
    queue.depth = 0;
    if (use != recorder_use::async) {
        mode = detail::mode_deferred | detail::mode_redirected;
    }
    given_names.clear();
    pending.clear();
    indexed = false;
    latest.clear();
    deck = {};
    guard = nullptr;
    return std::exchange(commands, {});
}

void recorder::drop() noexcept {
    for (command* made = commands.first; made; made = made->following) {
        drop_value(*made);
    }
    commands.first = commands.last = nullptr;
    commands.count = 0;
    pending.clear();
    indexed = false;
    latest.clear();
    given_names.clear();
}

// The deck comes first: reviving an id that was set aside changes only the record of this id, so
// that threads with different decks need no lock.
entity_t recorder::take_id() {
    if (deck.next != deck.end) {
        const entity_t entity = *deck.next++;
        data.entities.revive(entity);
        ++commands.revived;
        ++commands.created;
        return entity;
    }
    if (!deck.more) {
        base::raise(errc::limit, "the new ids of this stage are used up until its next merge");
    }
    const entity_t entity = deck.more(deck.context);
    ++commands.created;
    return entity;
}

// The generations of a pair are those of now; an asynchronous stage cannot read them, and
// link_commands() fills them in.
command* recorder::make(command_kind kind, entity_t entity, id_t id, const type_info* type) {
    command* made = arena.make(own, kind, entity, id, type);
    if (is_pair(id) && use != recorder_use::async) {
        made->generations[0] = generation_of(data.entities.alive_at(pair_first(id)));
        made->generations[1] = generation_of(data.entities.alive_at(pair_second(id)));
    }
    return made;
}

// An index that cannot grow is dropped: the next question builds it again. So appending never
// fails, and a value that was constructed always has an owner.
void recorder::append(command* made) noexcept {
    if (indexed) {
        base::attempt(
            [&] {
                command*& newest = latest[made->entity];
                made->before = std::exchange(newest, made);
            },
            [&] {
                latest.clear();
                indexed = false;
            });
    }
    made->order = commands.count++;
    (commands.first ? commands.last->following : commands.first) = made;
    commands.last = made;
}

// The index is built at the first question: most parts ask none, and append() keeps it up to date
// from then on.
const command* recorder::last_of(entity_t entity) {
    if (!indexed) {
        latest.clear();  // an attempt that ran out of memory may have left entries
        for (command* made = commands.first; made; made = made->following) {
            made->before = std::exchange(latest[made->entity], made);
        }
        indexed = true;
    }
    auto newest = latest.find(entity);
    return newest == latest.end() ? nullptr : newest->second;
}

}  // namespace kith::mutate
