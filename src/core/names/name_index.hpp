// The names of entities: a hash from (parent, text) to entity. Stored names are unique among the
// children of a parent; a lookup is one step.
//
// An entry (name_node) contains its text. A component value (kith::Identifier) owns the entry of
// its entity: destroying the value, by whatever operation, frees the name. A name in a queue of
// deferred commands is *pending*: the index contains it already, so that it can be looked up, but
// it does not prevent another entity from taking the same name.
//
// Invariants
// 1. nodes_[n - 1] is the node with number n, or null if n is in free_numbers_; free_numbers_ has
//    room for all numbers.
// 2. Each numbered node is in by_name_ under node.hash, the hash of its parent and text.
// 3. At most one node that is not pending has a given parent and text (callers check with
//    find_stored() before they add).
// 4. pending_ contains, for each entity with pending names, the newest of them.
// 5. While text_users_ is not 0, the numbered nodes with one text form a list in same_texts_, and
//    by_text_ contains the first of each list. Otherwise both are empty.
// world::check() verifies that the name of each entity is found under its parent.
//
// Covered by tests/unit/names/name_index_test.cpp.
#pragma once

#include <kith/component.hpp>
#include <kith/detail/layout.hpp>

#include "containers/hash_index.hpp"
#include "containers/vec.hpp"

#include <string_view>

namespace kith::names {

class name_index;

// An entry of the index, or (number 0) a symbol: a text that is owned but cannot be looked up.
struct name_node : detail::name_entry {
    name_index* owner;

    // The text lies behind the node and ends with a zero.
    const char* text() const noexcept { return reinterpret_cast<const char*>(this + 1); }
    std::string_view view() const noexcept { return {text(), length}; }
};
static_assert(sizeof(name_node) == detail::name_entry::text_offset);

class name_index {
public:
    explicit name_index(containers::memory& mem) noexcept : mem_(mem) {}
    ~name_index();
    name_index(const name_index&) = delete;
    name_index& operator=(const name_index&) = delete;

    // The stored name with this parent and text, else a pending one, else null.
    const name_node* find(std::uint32_t parent, std::string_view text) const noexcept;
    // The stored name with this parent and text. Null: the name is free.
    const name_node* find_stored(std::uint32_t parent, std::string_view text) const noexcept;
    // Adds a name; the caller owns the node, and ends it with remove(). Throws if memory is short,
    // then nothing has changed. Requires, unless `pending`: find_stored() returns null.
    name_node* add(std::uint32_t parent, std::string_view text, entity_t entity,
                   bool pending = false);
    // The newest pending name of an entity, or null.
    name_node* find_pending(entity_t entity) const noexcept;
    // The command of a pending name was executed: the name is stored, for an entity of this parent.
    // The parent may have changed since the name was queued.
    void commit_name(name_node& stored, std::uint32_t parent) noexcept;
    // A node that owns a text but has no entry in the index, for symbols.
    name_node* add_unindexed(std::string_view text, entity_t entity);
    // The entity of a name got another parent. Requires: the name is numbered.
    void move(name_node& moved, std::uint32_t parent) noexcept;
    // Frees the name and ends the node.
    void remove(name_node* removed) noexcept;

    std::uint32_t count() const noexcept { return by_name_.count(); }
    // The number of moves so far. Readers compare it to notice that paths may have changed.
    std::uint64_t moves() const noexcept { return moves_; }

    // The index of texts finds names by their text alone, whatever their parents. It serves many
    // lookups from deep inside of a hierarchy, and exists from the first open_texts() to the last
    // close_texts(). open_texts() visits all names, and throws if memory is short.
    void open_texts();
    void close_texts() noexcept;
    // Visits the names with a text, in no particular order; null at the end.
    // Requires: the index of texts is open.
    const name_node* first_of(std::string_view text) const noexcept;
    const name_node* next_of(const name_node& node) const noexcept;

private:
    // The neighbours of a name in the list of names with its text: numbers, 0 at the ends.
    struct same_text {
        std::uint32_t before;
        std::uint32_t next;
    };

    void reserve_text();
    void link_text(const name_node& node) noexcept;
    void unlink_text(const name_node& node) noexcept;
    std::uint32_t find_text(std::uint64_t hash, std::string_view text) const noexcept;
    void release_texts() noexcept;
    void forget_pending(name_node& node) noexcept;
    // The name with this parent and text that satisfies a condition, or null.
    template <class Condition>
    const name_node* find_if(std::uint32_t parent, std::string_view text,
                             Condition&& condition) const noexcept;
    // Allocates a node without a number.
    name_node* make(std::uint32_t parent, std::string_view text, entity_t entity);

    containers::memory& mem_;
    containers::hash_index by_name_;
    containers::vec<name_node*> nodes_;
    containers::vec<std::uint32_t> free_numbers_;
    containers::hash_index pending_;  // from an entity to its newest pending name
    std::uint64_t moves_ = 0;
    std::uint32_t text_users_ = 0;           // calls of open_texts() without close_texts()
    containers::hash_index by_text_;         // from a text to the first name with it
    containers::vec<same_text> same_texts_;  // by number of the name
};

}  // namespace kith::names

namespace kith {

// The access of the core to the private node of an Identifier value, which owns the node.
struct identifier_access {
    static Identifier make(names::name_node* node) noexcept { return Identifier(node); }
    static names::name_node* node(const Identifier& value) noexcept {
        return static_cast<names::name_node*>(value.node_);
    }
};

}  // namespace kith
