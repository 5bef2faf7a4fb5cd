// Where a run of a graph plan stands: the values of its variables, and one frame for each step.
// Kept by the thread that used it, so that runs take no memory once they have been made before.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/exec/intersect.hpp"
#include "query/exec/matches.hpp"
#include "query/exec/scan.hpp"

#include <memory>

namespace kith::queries {

struct graph_frame {
    // The term, with the values of variables put into its id.
    term now;
    variable_set bound = 0;  // that the step gave values to
    bool matched = false;
    bool skipped = false;
    bool single = false;  // of find: one match is enough
    bool once = false;    // it holds in this way only, and has bound nothing
    // -- find
    enum class way : std::uint8_t { none, column, pattern, links, list } how = way::none;
    owner_ref owner;
    owned_id_position position;
    std::vector<match> matches;
    std::size_t at = 0;
    substitutes first;
    substitutes second;
    // The links of the term's relationship, null if its pairs are in tables; as of a schema.
    const storage::id_record* relation = nullptr;
    std::uint32_t schema = 0;
    std::uint32_t link = 0;  // the next one
    // What searches upwards for one target of a transitive relationship have visited so far.
    entity_t tested_target = 0;
    std::uint64_t visited = 0;
    // -- seek
    scan candidates;
    std::vector<row_range> listed;
    bool is_listed = false;
    id_t listed_id = 0;  // what `listed` was made for
    entity_t listed_first = 0;
    entity_t listed_second = 0;
    row_range rows;
    std::uint32_t row = 0;
    // -- either
    std::uint32_t alternative = 0;
    std::vector<detail::field_data> fields;
    // -- meet
    intersection intersect;

    void start_run() noexcept {
        bound = 0;
        matched = false;
        schema = intersect.schema = 0;
        listed_id = 0;
        tested_target = 0;
        first.start = second.start = 0;
    }
};

struct graph_state {
    entity_t values[max_variables];
    variable_set bound = 0;
    variable_set given = 0;  // had values from the start
    std::vector<graph_frame> frames;
    std::vector<target_closure> below;  // of each term
    id_set intersected;                 // by a search that does not ask for others
    graph_state* next = nullptr;        // in the pool
};

// Holds one that comes from the pool of this thread, or none.
class graph_state_ref {
public:
    graph_state_ref() noexcept = default;
    ~graph_state_ref();
    graph_state_ref(const graph_state_ref&) = delete;
    graph_state_ref& operator=(const graph_state_ref&) = delete;

    void take(std::uint32_t frames);
    graph_state* operator->() const noexcept { return state_; }
    graph_state& operator*() const noexcept { return *state_; }
    explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    graph_state* state_ = nullptr;
};

// How names are read, which is no matter of storage.
struct name_reader {
    world_t* world = nullptr;
    entity_t (*find)(world_t* world, const char* path) = nullptr;
    // Empty if the entity has none.
    std::string_view (*name)(world_t* world, entity_t entity) = nullptr;
};

}  // namespace kith::queries
