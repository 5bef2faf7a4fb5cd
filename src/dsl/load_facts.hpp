// Adding facts to a world, all or nothing, for all forms of text that state facts.
#pragma once

#include <kith/syntax/token.hpp>
#include <kith/unknown_policy.hpp>
#include <kith/world_text.hpp>

#include "fact_parser.hpp"

#include <string>
#include <string_view>

namespace kith::dsl {

// The treatment of values by a source in the form of JSON.
struct json_values {
    unknown_policy unknown = unknown_policy::error;
    entity subject;        // that the name `#0` means
    bool by_id = false;    // `#12` is the entity with this index; else a label of a new entity
    char* text = nullptr;  // the text of the source, whose unknown members may be blanked
    std::uint64_t skipped = 0;
    std::uint64_t kept = 0;
};

// The source of the facts, and who is told about a refusal.
struct facts_source {
    std::string_view text;  // that the places of facts refer to
    // Reports all facts, without mistakes of syntax. False: the program has given up.
    bool (*report)(void* context, fact_handler& into) = nullptr;
    // Raises the error about a fact that the world refuses; the world is as before.
    void (*refused)(void* context, syntax::span place, const char* reason) = nullptr;
    void* context = nullptr;
    // Not null: values are JSON, and equal names of ids have equal places.
    json_values* json = nullptr;
};

// Throws if the program gives up, or if the world refuses a fact; nothing has changed then.
load_result load_facts(world& world, const facts_source& from, const load_options& options);

// Throws if worlds cannot be loaded now, or if the text is too long.
void check_may_load(const world& world, std::string_view text);

}  // namespace kith::dsl
