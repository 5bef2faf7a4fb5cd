// The access of one part of a system, as it is checked in builds with KITH_ASSERTS.
//
// Covered by tests/features/systems/access_threads_test.cpp.
#pragma once

#include <kith/detail/part_ops.hpp>
#include <kith/detail/split_run.hpp>

#include "systems/system_data.hpp"

namespace kith::scheduling {

// A part reads and writes its own rows as the terms of the system say, and other entities as the
// system declares. Requires: all arguments live longer.
class part_access final : public detail::access_guard {
public:
    // `split` is null for a system in one part.
    part_access(world_t* stage, const system_data& system, const system_body& body,
                const detail::split_run* split, std::uint32_t part)
        : stage_(stage), system_(system), body_(body), split_(split), part_(part) {}

    void check(entity_t entity, id_t id, kind wanted) const override;
    void check_query(const detail::query_head* query) const override;

private:
    bool is_own_row(entity_t entity) const;
    [[noreturn]] void raise(entity_t entity, id_t id, kind wanted, bool is_foreign) const;

    world_t* stage_;
    const system_data& system_;
    const system_body& body_;
    const detail::split_run* split_;
    std::uint32_t part_;
};

}  // namespace kith::scheduling
