// Implements replace.hpp.
#include "mutate/ops/replace.hpp"

#include <kith/detail/type_takeover.hpp>

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

// A source that converts values of a replaced component. The context must outlive the source.
struct conversion_context {
    type_conversion types;
    const void* value;
};
detail::value_source converting_source(conversion_context& context) noexcept {
    return {&context,
            [](void* raw, void* from) {
                const auto& [types, value] = *static_cast<conversion_context*>(from);
                detail::make_converted(*types.to, raw, *types.from, value);
            },
            [](void* written, void* from) {
                const auto& [types, value] = *static_cast<conversion_context*>(from);
                detail::assign_converted(*types.to, written, *types.from, value);
            }};
}

// Moves the uses of an entity. The destructor restores the moved uses unless run() completed.
//
// Invariants
// 1. `uses_` lists the ids with `from_` as an element and their holders.
// 2. The first `moved_` holders have both ids until run() removes the old ones.
class use_mover {
public:
    use_mover(stage& world, entity_t from, entity_t to, const type_conversion& values) noexcept
        : world_(world), data_(world.data), from_(from), to_(to), values_(values) {}
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
        } else if (is_converted(type, added_type)) {
            convert(holder, original, added, type->component == index_of(from_));
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
    // True for the types of the replaced component and of the component in its place, in either
    // order.
    bool is_converted(const types::component_type* type,
                      const types::component_type* added) const noexcept {
        return values_.from && added && type != added &&
               (type->component == index_of(from_) || type->component == index_of(to_)) &&
               (added->component == index_of(from_) || added->component == index_of(to_));
    }
    void convert(entity_t holder, id_t original, id_t added, bool forward) {
        const storage::entity_record& record = get_record(world_, holder);
        conversion_context context{forward ? values_ : type_conversion{values_.to, values_.from},
                                   find_own_value(world_, holder, record, original, 0)};
        set_value(world_, holder, added, 0, converting_source(context));
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
    const type_conversion& values_;
    containers::vec<id_owner> uses_;
    std::uint32_t moved_ = 0;  // number of uses that were added
    bool complete_ = false;
};

}  // namespace

void move_uses(stage& world, entity_t from, entity_t to, const type_conversion& values) {
    KITH_ASSERT(from != to, "an entity is replaced by another one");
    use_mover mover(world, from, to, values);
    mover.collect();
    mover.run();
}

}  // namespace kith::mutate
