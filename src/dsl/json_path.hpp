// The paths of entities as JSON of entities and worlds has them.
#pragma once

#include <kith/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kith::dsl {

// The path of an entity as texts write it at the root; `#12` if it has no name. Builtin entities
// are found by their last names; another entity with such a name is told apart by colons.
std::string json_path(const entity& named);

// The same for many entities of a world that does not change in between.
class json_paths {
public:
    json_paths(const world& world, const json_options& options);

    // Appends the path in quotes.
    void append(std::string& out, const entity& named);

private:
    void find_builtins();
    bool may_be_builtin(std::string_view name) const noexcept;
    bool append_plain(std::string& out, const entity& named);

    world world_;
    json_options options_;
    std::size_t count_ = 0;  // entities so far
    // The lengths of the names in kith's own scope, as bits, by first characters. The last bit
    // stands for all longer names.
    std::vector<std::uint64_t> lengths_of_builtins_;
    entity_t parent_ = 0;  // of the last entity that had one
    std::string
        parent_path_;  // as JSON, with a point behind it; empty: it does not lead to children
};

// Names and parents are part of the path; kith's own notes about types are left out.
bool is_json_fact(id_t id);

// True for the pair that keeps JSON of a component which nobody knew (kept_json).
bool is_kept_json(id_t id);

}  // namespace kith::dsl
