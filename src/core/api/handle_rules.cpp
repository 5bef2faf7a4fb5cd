// Gives a world the rules of its handles (kith/detail/handle_ops.hpp).
#include <kith/detail/handle_ops.hpp>

#include "api/world_impl.hpp"
#include "base/assert.hpp"
#include "mutate/context/stage.hpp"

namespace kith::detail {

void set_handle_rules(world_t* world, const handle_rules& rules) {
    KITH_ASSERT(rules.applies && rules.each && rules.make_key && rules.version && rules.clear,
                "rules have functions");
    mutate::stage& owner = *mutate::stage_of(world).home;
    ensure_indexes(owner);
    owner.deletion.handle_rules = &rules;
    owner.mode |= mode_handle_rules;
}

}  // namespace kith::detail
