// Collects the tables that an operation creates and dispatches OnTableCreate for them when the
// operation is complete: in the middle of an operation no callback may run.
//
// Covered by tests/features/events/tables_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::observe {

// The created tables of a world that observers were not notified of yet.
class table_events {
public:
    explicit table_events(mutate::stage& world) noexcept : world_(world) {}
    ~table_events() { made_.release(world_.data.mem, containers::purpose::index); }
    table_events(const table_events&) = delete;
    table_events& operator=(const table_events&) = delete;

    // Reserves room for one table. Called before a table is created, so that note_made() cannot
    // fail.
    void prepare() {
        if (world_.events.has_listeners(OnTableCreate)) {
            made_.reserve_extra(world_.data.mem, 1, containers::purpose::index);
        }
    }
    // Adds a created table, if an observer listens to OnTableCreate. Requires: prepare() was
    // called.
    void note_made(const storage::table& table) noexcept;
    // Removes a table that was deleted before its event was dispatched.
    void note_gone(const storage::table& table) noexcept;
    // Dispatches the events, in the order of creation. Callbacks may cause further tables to be
    // created, which are dispatched by the same call.
    void end_batch();

private:
    mutate::stage& world_;
    containers::vec<std::uint32_t> made_;  // numbers of tables
};

}  // namespace kith::observe
