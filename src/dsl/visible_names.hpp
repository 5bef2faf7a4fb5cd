// The names that are visible inside of a block of a text: children of the block's entity, of its
// ancestors up to the root, of the scopes in use (the last one first), of the scopes in the world's
// lookup path, and of Kith.
//
// Near the root, and with few scopes in use, a lookup searches these scopes one by one. Otherwise
// it visits the entities that have the name, whose number does not grow with the depth of the
// blocks.
//
// Invariants
// 1. path_ from path_begin_ on is the world's lookup path while the object lives: the scopes in
//    use, then the former lookup path, then 0.
// 2. chain_ is empty, or leads from the root to the scope that it was computed for; depths_ has the
//    position + 1 of its members.
// 3. used_ranks_[s] is the position + 1 of the last use of scope s in used_.
//
// Covered by tests/dsl/world_text_load_test.cpp and world_text_work_test.cpp.
#pragma once

#include <kith/world.hpp>

#include <string_view>
#include <unordered_map>
#include <vector>

namespace kith::dsl {

// The scope of a loader. Blocks are entered and left in order.
class visible_names {
public:
    // Starts at the world's scope, and replaces the world's lookup path until it is destroyed.
    explicit visible_names(const world& world);
    ~visible_names();
    visible_names(const visible_names&) = delete;
    visible_names& operator=(const visible_names&) = delete;

    const entity& scope() const noexcept { return scope_; }
    bool is_in_block() const noexcept { return !blocks_.empty(); }
    // Enters the block of an entity.
    void enter(const entity& opened);
    // Leaves the innermost block. Requires: is_in_block().
    void leave();
    // Makes the names of a scope visible until the end of the block.
    void use(entity_t scope);
    // Ends the use of all scopes.
    void drop_used() { keep_used(0); }

    // The first entity in the order above that has the whole path. `splits` separates the elements;
    // `first` is the first element.
    entity find(std::string_view path, std::string_view first, std::string_view splits);
    // Called after an entity got another parent.
    void moved(entity_t entity);

private:
    // The state outside of a block, which leave() restores.
    struct block {
        entity outer;
        std::size_t used;
        bool deep;
    };
    struct used_scope {
        entity_t scope;
        std::size_t before;  // the scope's rank before this use, 0: none
    };

    const entity_t* set_path(const entity_t* path) { return world_.set_lookup_path(path); }
    void keep_used(std::size_t count);
    // True if a lookup would have to search many scopes.
    bool is_far() const noexcept;
    bool is_deep() const;
    // The entity at the path below `from`; with `climb`, ancestors and the lookup path are
    // searched, too.
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

    // The entities from the root to the scope that the chain was computed for.
    std::vector<entity_t> chain_;
    std::unordered_map<entity_t, std::size_t> depths_;  // of the entities in chain_, from 1
    std::uint64_t moves_ = 0;    // count of renamed or moved entities when the chain was computed
    std::uint64_t climbed_ = 0;  // levels and scopes that were searched one by one
    bool indexed_ = false;       // the world has an index of names by text
};

}  // namespace kith::dsl
