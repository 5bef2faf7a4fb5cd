// The names that a text sees from inside of a block: those of the block, of the entities above it
// up to the root, of the scopes in use (the last one first), of the world's lookup path, of kith.
//
// Near the root, and with few scopes in use, a lookup asks one after the other. Otherwise it looks
// at the entities that have the name: their number does not grow with the depth of the blocks.
//
// Covered by tests/dsl/world_text_load_test.cpp and world_text_work_test.cpp.
#pragma once

#include <kith/world.hpp>

#include <string_view>
#include <unordered_map>
#include <vector>

namespace kith::dsl {

class visible_names {
public:
    // From the world's scope. The scopes in use are part of the world's lookup path while this
    // lives.
    explicit visible_names(const world& world);
    ~visible_names();
    visible_names(const visible_names&) = delete;
    visible_names& operator=(const visible_names&) = delete;

    const entity& scope() const noexcept { return scope_; }
    bool is_in_block() const noexcept { return !blocks_.empty(); }
    void enter(const entity& opened);
    void leave();
    // Opens a scope until the end of the block.
    void use(entity_t scope);
    // No scope is in use any more.
    void drop_used() { keep_used(0); }

    // The first that has the whole path; `splits` separates its elements, whose first is `first`.
    entity find(std::string_view path, std::string_view first, std::string_view splits);
    // An entity got another parent.
    void moved(entity_t entity);

private:
    struct block {
        entity outer;
        std::size_t used;
        bool deep;
    };
    struct used_scope {
        entity_t scope;
        std::size_t before;  // its rank before this use, 0: none
    };

    const entity_t* set_path(const entity_t* path) { return world_.set_lookup_path(path); }
    void keep_used(std::size_t count);
    bool is_far() const noexcept;
    bool is_deep() const;
    // Below one entity, or on the way from it up to the root and the lookup path.
    entity lookup(entity_t from, std::string_view path, std::string_view splits, bool climb) const;
    entity find_far(std::string_view path, std::string_view first, std::string_view splits);
    entity find_outside(std::string_view path, std::string_view splits) const;
    void update_chain();
    std::size_t rank_of(entity_t parent) const;

    world world_;
    entity scope_;
    bool deep_ = false;
    std::vector<block> blocks_;

    const entity_t* path_before_;
    std::vector<used_scope> used_;
    std::vector<entity_t> path_;  // filled from its end: the scope used last comes first
    std::size_t path_begin_ = 0;
    std::unordered_map<entity_t, std::size_t> used_ranks_;  // from 1, the last is the greatest

    // From the root to the scope that it was made for.
    std::vector<entity_t> chain_;
    std::unordered_map<entity_t, std::size_t> depths_;  // of the entities in chain_, from 1
    std::uint64_t moves_ = 0;                           // of names, when the chain was right
    std::uint64_t climbed_ = 0;                         // levels and scopes that were asked
    bool indexed_ = false;
};

}  // namespace kith::dsl
