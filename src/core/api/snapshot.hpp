// Captured states behind the handles of snapshots, and the steps of taking and restoring them that
// differences and histories share.
#pragma once

#include <kith/snapshot.hpp>

#include "api/world_impl.hpp"
#include "mutate/state/state_diff.hpp"

#include <map>
#include <memory>
#include <optional>

namespace kith {

namespace detail {

// The captured state behind handles.
struct snapshot_state {
    snapshot_state(std::shared_ptr<const mutate::world_state> captured, weak_world* owner) noexcept
        : state(std::move(captured)), link(share_link(owner)) {
        owners.store(1);
    }
    ~snapshot_state() { release_world_link(link); }
    snapshot_state(const snapshot_state&) = delete;
    snapshot_state& operator=(const snapshot_state&) = delete;

    std::shared_ptr<const mutate::world_state> state;
    weak_world* link;
    std::optional<mutate::diff_scope> part;  // empty: the whole world
    atomic_number owners;
};

}  // namespace detail

namespace api {

using shared_state = std::shared_ptr<const mutate::world_state>;

// Throws unless the world is between two operations. `call` is a word for the message.
void check_between_operations(const world_impl& owner, const char* call);
// What the world remembers of its captures; made at the first call.
mutate::capture_memory& captures_of(world_impl& owner);
// The present state; the world notes what is written from now on.
shared_state capture(world_impl& owner);
// Makes the state the state of the world. Hooks and observers are not notified.
void restore_state(world_impl& owner, const shared_state& state);

// Makes facts true by operations: hooks, observers and monitors are notified.
class diff_application {
public:
    // The facts lead from one state to the other; `readers` must outlive this object.
    struct facts_of {
        const std::vector<mutate::fact>& facts;
        const mutate::state_reader& before;
        const mutate::state_reader& after;
    };
    diff_application(world_impl& owner, const facts_of& change);

    // Throws if a fact does not fit the present state of the world.
    void check() const;
    // Throws if entities that are to be made have indices that others use now.
    void check_indices() const;
    // Runs the operations. If one of them throws, the world gets its present state back.
    void run();

private:
    // True if a fact can be made true without losing what somebody else has written.
    bool fits(const mutate::fact& about) const;
    bool fits_new_entity(const mutate::fact& about) const;
    // What differs between a state that operations have led to and the one that the facts lead to.
    std::vector<mutate::fact> find_deviations(const mutate::state_reader& reached) const;
    bool is_comparable(const mutate::captured_value& value) const;
    std::vector<mutate::captured_id> expected_ids(entity_t entity) const;
    bool is_expected(entity_t entity) const;
    template <class Fits>
    void raise_unless(Fits&& fits_world) const;
    // Makes all facts true, or throws the reason of the first that cannot be.
    void make_all(const std::vector<mutate::fact>& facts);
    [[noreturn]] void raise_unreached(const mutate::fact& deviation) const;
    void make(const mutate::fact& about);
    void make_entity(entity_t entity);
    void add(const mutate::fact& about);
    void remove(const mutate::fact& about);
    // Gives a component the run-time type that it has in the state.
    void define_type(entity_t component);
    void set_name_of(entity_t entity, id_t id, const std::string& text);
    bool is_present(entity_t entity) const { return owner_.data.entities.find(entity); }
    // False if an element of the id is an entity that does not exist any more.
    bool can_add(id_t id);

    world_impl& owner_;
    const facts_of change_;
    shared_state now_state_;
    mutate::state_reader now_;
    std::vector<entity_t> deleted_;                       // by the facts, sorted
    std::multimap<entity_t, const mutate::fact*> about_;  // the facts of each entity
};

}  // namespace api

}  // namespace kith
