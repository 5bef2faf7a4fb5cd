// The random operations: a table with one entry for each, which says all that the generator, the
// model, kith and the printed program need to know. To add an operation, give it an op_kind
// (program.hpp) and an entry (operations.cpp).
#pragma once

#include "support/model/program.hpp"
#include "support/model/state.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace model {

class chooser;
class runner;

enum operation_trait : unsigned {
    makes_entity = 1,   // a new entity, into its slot
    repeats_id = 2,     // of the operation before it, now and then; a queue can fold it
    deletes = 4,        // entities
    takes_handles = 8,  // of a pair to remove: handles of dead entities name no pair
    replaces = 16,      // a pair of the same relationship: OnRemove comes before OnAdd
};

struct operation {
    op_kind kind;
    const char* name;
    std::size_t weight = 0;  // how often it is chosen; 0: by rules of the generator's own
    unsigned traits = 0;
    // Chooses its elements and number. The slot has been chosen.
    void (*choose)(chooser& random, const runner& on, op& step) = nullptr;
    // Parts of a program may lack what gives the rest its meaning.
    bool (*makes_sense)(const runner& on, const op& step);
    // The call that may fail half-way, which leaves nothing to compare: it is tried before.
    std::optional<call> (*tries)(const runner& on, const op& step) = nullptr;
    // Runs it on both sides. Null: it is a call, and `check`, `model` and `perform` describe it.
    void (*run)(runner& on, const op& step) = nullptr;
    // Errors that kith raises at once, whatever the state of the entity.
    std::set<errc> (*check)(const runner& on, const op& step, const call& request) = nullptr;
    // The call of the model: `request` has the entity of the slot and the number.
    void (*model)(const runner& on, const op& step, call& request) = nullptr;
    // The call of kith.
    void (*perform)(runner& on, const op& step, const call& request) = nullptr;
    std::string (*text)(const op& step);

    bool has(operation_trait trait) const { return (traits & trait) != 0; }
};

struct operation_table {
    static const operation entries[op_kinds];
};

// By its kind.
inline const operation& operation_of(op_kind kind) {
    return operation_table::entries[static_cast<std::size_t>(kind)];
}
inline const char* name_of(op_kind kind) {
    return operation_of(kind).name;
}

// One operation as a line of a program; the components' names stand for their ids.
std::string to_text(const op& step);
std::string to_text(const std::vector<op>& program);

}  // namespace model
