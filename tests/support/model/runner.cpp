// Steps of a program, and the ends of programs and worlds.
#include "support/model/runner.hpp"

#include "support/model/operations.hpp"
#include "support/sanitized.hpp"

namespace model {

runner::runner(statistics* counts) : counts_(counts) {
    components_ = register_components(world_);
    colored_ = world_.query<Color>();
    for (std::size_t i = 0; i < 3; ++i) {
        colors_[i] = world_.entity(static_cast<Color>(i));
    }
    std::map<entity_t, entity_state> fixed;
    auto add_fixed = [&](entity_t entity) {
        for (id_t id : kith::entity(world_, entity).type()) {
            fixed[entity].ids[id] = 0;
        }
    };
    for (const component& one : components_) {
        add_fixed(one.id);
        kith::untyped_component hooked(world_, one.id);
        hooked.on_add({on_event, this, nullptr});
        hooked.on_set({on_event, this, nullptr});
        hooked.on_remove({on_event, this, nullptr});
    }
    for (component_number each : validated_components) {
        kith::untyped_component(world_, components_[each].id)
            .on_validate({validate, this, nullptr});
    }
    for (entity_t constant : colors_) {
        add_fixed(constant);
    }
    add_fixed(kith::detail::component_type_id);
    add_fixed(kith::detail::identifier_type_id);
    for (entity_t builtin = kith::first_builtin; builtin < kith::detail::named_builtin_end;
         ++builtin) {
        add_fixed(builtin);
    }
    model_ = world_model(components_, std::move(fixed));
    model_.find_copy = [this](entity_t parent, entity_t original) {
        return find_copy(parent, original);
    };
    heard_.clear();
    base_entities_ = world_.stats().entities;
}
runner::~runner() {
    if (counts_) {
        collect_effects(false);
    }
}

void runner::step(const op& one) {
    try {
        run(one);
    } catch (const kith::error& failed) {
        throw difference(std::string("unexpected error: ") + failed.what());
    }
    ++steps_;
    if (steps_ % 64 == 0) {
        compare_all();
    }
    if (steps_ % 16 == 0) {
        check();
    }
}
runner::checkpoint runner::save() const {
    return {model_, slots_, refs_, base_entities_};
}
void runner::load(const checkpoint& saved) {
    const world_model before = std::exchange(model_, saved.model);
    model_.keep_transient(before);
    slots_ = saved.slots;
    refs_ = saved.refs;
    base_entities_ = saved.base_entities;
    freed_while_queued_ = was_suspended_ = copies_queued_ = deletion_queued_ = false;
}

void runner::finish() {
    if (suspended_ != 0) {
        step({op_kind::defer_resume});
    }
    while (depth_ != 0) {
        step({op_kind::defer_end});
    }
    compare_all();
    check();
}
void runner::end_world() {
    for (const auto& [entity, state] : model_.alive) {
        for (const auto& [id, number] : state.ids) {
            if (model_.has_hooks(id)) {
                model_.events.push_back({entity, id, event_kind::removed, 0});
            }
        }
    }
    for (const auto& [entity, state] : model_.fixed) {
        for (const auto& [id, number] : state.ids) {
            if (model_.has_hooks(id)) {
                model_.events.push_back({entity, id, event_kind::removed, 0});
            }
        }
    }
    colored_ = {};
    owner_.reset();
    compare_events();
    if (live_values != live_before_) {
        fail(std::to_string(live_values - live_before_) + " values outlive their world");
    }
}

entity_t runner::element(std::uint8_t number) const {
    switch (number) {
        case element_child_of:
            return kith::ChildOf;
        case element_is_a:
            return kith::IsA;
        case element_slot_of:
            return kith::SlotOf;
        case element_wildcard:
            return kith::Wildcard;
        default:
            return number < slot_count
                       ? slots_[number]
                       : components_[(number - first_component) % component_count].id;
    }
}

void runner::run(const op& one) {
    const operation& what = operation_of(one.kind);
    if ((freed_while_queued_ && what.has(makes_entity)) || !what.makes_sense(*this, one) ||
        !can_copy(one)) {
        return;
    }
    if (counts_) {
        ++counts_->ran[static_cast<std::size_t>(one.kind)];
        counts_->deferred += is_deferred();
    }
    model_.touched.clear();
    if (what.run) {
        what.run(*this, one);
    } else {
        submit(one);
    }
    compare_after(one);
}

// Every block by itself where a sanitizer looks at them.
kith::world_memory runner::memory() {
    kith::world_memory memory = kith::use_memory(*std::pmr::new_delete_resource());
    if (kith_test::is_sanitized) {
        memory.pools = false;
    }
    return memory;
}

}  // namespace model
