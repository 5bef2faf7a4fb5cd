// The consequences of committed changes, as operations: the implementation of
// mutate::change_consequences, which a world gets when it is created.
#pragma once

#include "mutate/context/stage.hpp"
#include "mutate/ops/instantiate.hpp"

namespace kith::mutate {

class consequences final : public change_consequences {
public:
    void add_inverse(stage& world, entity_t entity, const storage::id_info& added) const override;
    void remove_inverse(stage& world, entity_t entity,
                        const storage::id_info& removed) const override;
    void instantiate(stage& world, entity_t entity, const entity_t* bases,
                     std::uint32_t count) const override;
    void add_prefab(stage& world, entity_t entity) const override;
    void make_prefab(stage& world, entity_t entity) const override;
};

}  // namespace kith::mutate
