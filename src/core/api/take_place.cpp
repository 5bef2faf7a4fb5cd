// Implements take_place.hpp.
#include "api/take_place.hpp"

#include <kith/detail/type_takeover.hpp>

#include "api/stage_set.hpp"
#include "base/assert.hpp"
#include "base/scope_exit.hpp"
#include "mutate/ops/add_remove.hpp"
#include "mutate/ops/clone.hpp"
#include "mutate/ops/destroy.hpp"
#include "mutate/ops/replace.hpp"
#include "mutate/rules/handle_rules.hpp"
#include "storage/value_index.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::api {

using storage::id_record;

namespace {

// One replacement of an entity by the component of a C++ type. The destructor gives back what was
// taken unless run() completed.
//
// Invariants
// 1. While `has_hooks_` is set, `hooks_` has the hooks of the declared component, which has none,
//    so that its values move without notice.
// 2. `is_described_` is set while the C++ type has the facts of the description.
class place_taker {
public:
    place_taker(world_impl& owner, entity_t before, entity_t component) noexcept
        : owner_(owner), before_(before), component_(component) {
        const id_record* record = owner.data.ids.find(before);
        is_declared_ = record && record->hook_type;
    }
    ~place_taker() {
        if (is_complete_) {
            return;
        }
        if (is_indexed_) {
            owner_.data.indexes->move_component(component_, before_);
        }
        if (is_described_) {
            detail::return_description(&owner_, before_, index_of(component_), is_new_);
        }
        if (has_hooks_) {
            exchange_hooks(before_);
        }
    }
    place_taker(const place_taker&) = delete;
    place_taker& operator=(const place_taker&) = delete;

    void check(bool queued) {
        if (before_ == owner_.operation.changed) {
            refuse(errc::in_use, "that entity is being changed, so the type cannot take its place");
        }
        if (owner_.events.names(index_of(before_))) {
            refuse(errc::in_use,
                   "observers listen to that entity, so the type cannot take its place");
        }
        if (mutate::is_iterated(owner_) && traits::is_in_use(owner_.data, index_of(before_))) {
            refuse(errc::locked,
                   "the type cannot take its place while something is being iterated");
        }
        if (has_policies()) {
            refuse(errc::in_use,
                   "a value has a handle to that entity which its end would clear, remove or "
                   "delete, so the type cannot take its place");
        }
        if (is_declared_ && queued) {
            refuse(errc::in_use,
                   "that is a component that was declared at run time, and the type cannot take "
                   "its place while commands wait, which may have values of it");
        }
    }

    void run() {
        // The entry by which queries find the replacement is reserved first: the last steps cannot
        // fail.
        owner_.data.replaced.reserve_extra(owner_.data.mem, 1, containers::purpose::index);
        mutate::type_conversion values;
        if (is_declared_) {
            values = compare_types();
            is_new_ = detail::adopt_description(&owner_, before_, index_of(component_));
            is_described_ = true;
        }
        exchange_hooks(before_);
        has_hooks_ = true;
        mutate::clone_into(owner_, before_, component_, true);
        mutate::move_uses(owner_, before_, component_, values);
        mutate::remove_id(owner_, before_, detail::name_pair);
        if (owner_.data.indexes) {
            owner_.data.indexes->move_component(before_, component_);
            is_indexed_ = true;
        }
        mutate::delete_entity(owner_, before_);
        owner_.data.replaced.push_reserved({before_, component_});
        exchange_hooks(component_);
        is_complete_ = true;
    }

private:
    // True if the end of the entity changes values of others. The deletion comes last, and cannot
    // be refused any more.
    bool has_policies() {
        mutate::handle_index handles(owner_);
        bool found = false;
        if (handles.is_needed()) {
            handles.each_use(before_, [&](const mutate::handle_use&) { found = true; });
        }
        return found;
    }
    [[noreturn]] void refuse(errc code, const char* why) const {
        base::text message;
        message << "the C++ type " << detail::find_type(index_of(component_))->name
                << " is used for the first time, and an entity has its name already; ";
        message << why << ": make the type known before, by world.component<T>()";
        base::raise(code, message);
    }
    // The descriptions by which values are converted. Throws unless both types are alike.
    mutate::type_conversion compare_types() const {
        const description* declared = detail::find_description(&owner_, before_);
        const description* program = detail::find_description(&owner_, component_);
        if (!declared || declared->what == kind::none) {
            refuse(errc::type_conflict, "that is another component, which has no description");
        }
        if (!program || program->what == kind::none) {
            base::text why;
            why << "that is a component that was declared at run time, and the type has no "
                   "description to compare with ("
                << (program && program->obstacle ? program->obstacle
                                                 : "kith::reflect<T>() gives one")
                << ")";
            refuse(errc::type_conflict, why.c_str());
        }
        detail::check_same_layout(*declared, *program);
        return {declared, program};
    }
    // Takes the hooks of a declared component, or gives them back.
    void exchange_hooks(entity_t component) noexcept {
        if (is_declared_ && owner_.data.has_hooks) {
            std::swap(owner_.data.ids.find(component)->hook_type->hooks, hooks_);
            events::update_event_mask(owner_.data, Wildcard);
        }
    }

    world_impl& owner_;
    const entity_t before_;
    const entity_t component_;
    bool is_declared_ = false;  // a component that was declared at run time; else a plain entity
    detail::hook hooks_[types::hook_count];
    bool has_hooks_ = false;
    bool is_new_ = false;
    bool is_described_ = false;
    bool is_indexed_ = false;
    bool is_complete_ = false;
};

}  // namespace

bool may_have_queued_values(const world_impl& owner) noexcept {
    const mutate::command_queue& queue = owner.queue;
    return (owner.stages && owner.stages->has_waiting()) || queue.flushing ||
           queue.suspended_flush || !queue.commands.empty() || !queue.suspended_commands.empty() ||
           !owner.after_iteration.commands.empty();
}

void take_place(world_impl& owner, entity_t before, entity_t component, bool queued) {
    KITH_ASSERT(before != component, "a component does not take its own place");
    place_taker taker(owner, before, component);
    taker.check(queued);
    taker.run();
}

}  // namespace kith::api
