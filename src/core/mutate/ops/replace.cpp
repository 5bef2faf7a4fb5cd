// Implements replace.hpp.
#include "mutate/ops/replace.hpp"

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/set_value.hpp"
#include "mutate/ops/toggle.hpp"
#include "mutate/rules/destination.hpp"
#include "mutate/rules/referrers.hpp"

namespace kith::mutate {

using containers::purpose;
using storage::id_info;
using storage::id_record;

namespace {

// Moves the uses of an entity. The destructor restores the moved uses unless run() completed.
//
// Invariants
// 1. `uses_` lists the ids with `from_` as an element and their holders.
// 2. The first `moved_` holders have both ids until run() removes the old ones.
class use_mover {
public:
    use_mover(stage& world, entity_t from, entity_t to) noexcept
        : world_(world), data_(world.data), from_(from), to_(to) {}
    ~use_mover() {
        while (!complete_ && moved_ != 0) {
            restore(uses_[--moved_]);
        }
        uses_.release(data_.mem, purpose::commands);
    }
    use_mover(const use_mover&) = delete;
    use_mover& operator=(const use_mover&) = delete;

    // Collects the uses.
    void collect() {
        const std::uint32_t state = get_record(world_, from_).state;
        each_reference(data_, from_, state, [&](const reference& use) {
            each_referrer(data_, from_, use, [&](id_t id, entity_t holder) { note(id, holder); });
        });
    }

    // Adds all new ids, then removes the old ones.
    void run() {
        for (; moved_ < uses_.size(); ++moved_) {
            give(uses_[moved_].holder, uses_[moved_].id, renamed(uses_[moved_].id));
        }
        // Pairs are removed first, because they may require the entity itself (With).
        for (bool pairs : {true, false}) {
            for (const id_owner& use : uses_) {
                if (is_pair(use.id) == pairs && data_.entities.find(use.holder)) {
                    remove_id(world_, use.holder, use.id);
                }
            }
        }
        complete_ = true;
    }

private:
    // Notes a use. The ids of the entity itself are deleted with it.
    void note(id_t id, entity_t holder) {
        if (holder != from_) {
            uses_.push(data_.mem, {id, holder}, purpose::commands);
        }
    }
    // The id with `to_` in the place of `from_`.
    id_t renamed(id_t id) const noexcept {
        if (!is_pair(id)) {
            return (id & id_flags_mask) | to_;
        }
        auto element = [&](std::uint32_t index) { return index == index_of(from_) ? to_ : index; };
        return (id & id_flags_mask) | make_pair(element(pair_first(id)), element(pair_second(id)));
    }
    // Adds `added` with the value of `original`, disabled if `original` is disabled.
    void give(entity_t holder, id_t original, id_t added) {
        const storage::entity_record& record = get_record(world_, holder);
        if (storage::owns_id(data_, record, holder, added)) {
            return;  // implied by an id that was moved before
        }
        const bool enabled = is_enabled(world_, holder, original);
        const types::component_type* type = traits::describe_id(data_, original).value_type;
        const types::component_type* added_type = prepare_id(world_, added, holder).value_type;
        if (!type || original & Override) {
            add_id(world_, holder, added, true);
        } else if (type != added_type) {
            raise_id(world_, errc::in_use, original, "has values of another type");
        } else if (!type->info.can_copy()) {
            raise_id(world_, errc::not_copyable, original, "has values that cannot be copied");
        } else {
            copy_context context{&type->info, find_own_value(world_, holder, record, original, 0)};
            set_value(world_, holder, added, 0, copying_source(context));
        }
        if (!enabled) {
            enable_id(world_, holder, added, false);
        }
    }
    // Adds a use again that the new target of an exclusive relationship has replaced.
    void restore(const id_owner& use) noexcept {
        const storage::entity_record* record = data_.entities.find(use.holder);
        if (!record || storage::owns_id(data_, *record, use.holder, use.id)) {
            return;
        }
        base::attempt([&] { give(use.holder, renamed(use.id), use.id); },
                      [] {
                          // Memory is short, or a callback failed: the first error is leaving.
                      });
    }

    stage& world_;
    storage::store& data_;
    entity_t from_;
    entity_t to_;
    containers::vec<id_owner> uses_;
    std::uint32_t moved_ = 0;  // number of uses that were added
    bool complete_ = false;
};

}  // namespace

void move_uses(stage& world, entity_t from, entity_t to) {
    KITH_ASSERT(from != to, "an entity is replaced by another one");
    use_mover mover(world, from, to);
    mover.collect();
    mover.run();
}

}  // namespace kith::mutate
