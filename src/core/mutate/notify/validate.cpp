// Implements validate.hpp.
#include "mutate/notify/validate.hpp"

#include "base/assert.hpp"
#include "mutate/apply/value_ahead.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/rules/destination.hpp"
#include "traits/implications.hpp"

namespace kith::mutate {

using storage::id_info;

namespace {

// Calls the hook with deferring, since the hook is code of the program.
void call_validator(stage& world, entity_t entity, const id_info& id, void* value) {
    KITH_ASSERT(id.hook_type, "validated ids have a type with hooks");
    // The copy of the hook stays valid if the hook replaces itself.
    const detail::hook hook = id.hook_type->hooks[types::hook_validate];
    if (hook.call) {
        callback_scope code(world);
        hook.call({&world, entity, id.id, OnSet, value}, hook.context);
        code.finish();
    }
}

void make_default(void* value, void* info) {
    types::construct_values(*static_cast<const type_info*>(info), value, 1);
}

}  // namespace

id_info validate_constant(stage& world, entity_t entity, const id_info& pair) {
    id_t chosen = pair.id;
    call_validator(world, entity, pair, &chosen);
    return chosen == pair.id ? pair : prepare_id(world, chosen, entity);
}

void validate(stage& world, entity_t entity, const id_info& id, void* value) {
    if (traits::is_enum_pair(id)) {
        validate_constant(world, entity, id);  // the choice is made when the pair is added
        return;
    }
    call_validator(world, entity, id, value);
    const entity_t other = traits::inverse_holder(world.data, id);
    if (!other || other == entity) {
        return;
    }
    // The target of a symmetric pair gets the value as well, so its hook may refuse it.
    const id_info inverse = traits::describe_id(world.data, traits::inverse_of(entity, id.id));
    if (is_validated(inverse) && inverse.value_type == id.value_type) {
        call_validator(world, other, inverse, value);
    }
}

const detail::value_source* validate_added(stage& world, entity_t entity, const id_info& id,
                                           const detail::value_source* source,
                                           values_ahead& values) {
    if (!id.value_type) {
        validate(world, entity, id, nullptr);
        return nullptr;
    }
    const type_info& info = id.value_type->info;
    const void* inherited =
        source || !info.can_copy()
            ? nullptr
            : find_inherited_value(world, entity, get_record(world, entity), id.id, 0);
    copy_context context{&info, inherited};
    const detail::value_source inherited_source =
        inherited ? copying_source(context) : detail::value_source{};
    const detail::value_source default_source{const_cast<type_info*>(&info), make_default, nullptr};
    if (!source && !inherited) {
        check_default_constructible(world, id);
    }
    const detail::value_source& value = values.make(info, source      ? *source
                                                          : inherited ? inherited_source
                                                                      : default_source);
    validate(world, entity, id, values.last());
    return &value;
}

}  // namespace kith::mutate
