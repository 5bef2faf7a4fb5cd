// Tables that were made, until observers can be told: in the middle of an operation nobody can.
//
// Covered by tests/core/observe/table_events_test.cpp.
#pragma once

#include "mutate/stage.hpp"

namespace kith::observe {

class table_events {
public:
    explicit table_events(mutate::stage& owner) noexcept : world_(owner) {}
    ~table_events() { made_.release(world_.data.mem, containers::purpose::index); }
    table_events(const table_events&) = delete;
    table_events& operator=(const table_events&) = delete;

    // A table is about to be made: after this, it can be noted.
    void prepare() {
        if (world_.events.has_listeners(OnTableCreate)) {
            made_.reserve_extra(world_.data.mem, 1, containers::purpose::index);
        }
    }
    void note_made(const storage::table& table) noexcept;
    void note_gone(const storage::table& table) noexcept;
    // The operation is complete.
    void end_batch();

private:
    mutate::stage& world_;
    containers::vec<std::uint32_t> made_;
};

}  // namespace kith::observe
