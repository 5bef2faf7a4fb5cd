// Adding facts to a world, all or nothing, for all forms of text that state facts.
#pragma once

#include <kith/syntax/token.hpp>
#include <kith/world_text.hpp>

#include <string_view>

namespace kith::dsl {

// The source of the facts, and who is told about a refusal.
struct facts_source {
    std::string_view text;     // without mistakes of syntax
    bool json_values = false;  // values follow the forms of JSON
    // Raises the error about a fact that the world refuses; the world is as before.
    void (*refused)(void* context, syntax::span place, const char* reason) = nullptr;
    void* context = nullptr;
};

// Throws if the program gives up, or if the world refuses a fact; nothing has changed then.
load_result load_facts(world& world, const facts_source& from, const load_options& options);

// Throws if worlds cannot be loaded now, or if the text is too long.
void check_may_load(const world& world, std::string_view text);

}  // namespace kith::dsl
