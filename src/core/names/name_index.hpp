// Names of entities: unique among the children of a parent, found by hash in one step.
//
// The index owns the texts. A component value (kith::Identifier) owns the entry of its entity: when
// the value goes, in whatever way, the name is free again. A name that is still in the queue of
// deferred commands is in the index already, so it can be looked up at once; it is pending, and
// keeps nobody from having the same.
//
// Covered by tests/core/names/name_index_test.cpp.
#pragma once

#include <kith/component.hpp>
#include <kith/id.hpp>

#include "containers/hash_index.hpp"
#include "containers/vec.hpp"

#include <string_view>

namespace kith::names {

class name_index;

struct name_node {
    name_index* owner;
    entity_t entity;
    std::uint64_t hash;    // of parent and text
    std::uint32_t parent;  // index of the parent entity, 0: root
    std::uint32_t number;  // in the index, 0: not indexed (symbols)
    std::uint32_t length;
    bool pending = false;  // not stored yet

    const char* text() const noexcept { return reinterpret_cast<const char*>(this + 1); }
    std::string_view view() const noexcept { return {text(), length}; }
};

class name_index {
public:
    explicit name_index(containers::memory& mem) noexcept : mem_(mem) {}
    ~name_index();
    name_index(const name_index&) = delete;
    name_index& operator=(const name_index&) = delete;

    // A stored name rather than a pending one; null if there is neither.
    const name_node* find(std::uint32_t parent, std::string_view text) const noexcept;
    // Null if the name is free.
    const name_node* find_stored(std::uint32_t parent, std::string_view text) const noexcept;
    name_node* add(std::uint32_t parent, std::string_view text, entity_t entity,
                   bool pending = false);
    // The newest pending name of an entity, or null.
    name_node* find_pending(entity_t entity) const noexcept;
    // A pending name is stored now, by an entity of this parent.
    void commit_name(name_node& stored, std::uint32_t parent) noexcept;
    // A text without an entry in the index.
    name_node* add_unindexed(std::string_view text, entity_t entity);
    void move(name_node& moved, std::uint32_t parent) noexcept;
    void remove(name_node* removed) noexcept;

    std::uint32_t count() const noexcept { return by_name_.count(); }
    // The number of times that a name got another parent.
    std::uint64_t moves() const noexcept { return moves_; }

    // An index of names by their text alone, whatever their parents, for many lookups from deep
    // inside of a hierarchy. It exists from the first open_texts() to the last close_texts().
    void open_texts();
    void close_texts() noexcept;
    // The first name with this text, in no order, and the ones after it; null at the end.
    const name_node* first_of(std::string_view text) const noexcept;
    const name_node* next_of(const name_node& node) const noexcept;

private:
    // Neighbours among the names with the same text, by their numbers.
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
    template <class Wanted>
    const name_node* find_if(std::uint32_t parent, std::string_view text,
                             Wanted&& wanted) const noexcept;
    name_node* make(std::uint32_t parent, std::string_view text, entity_t entity);

    containers::memory& mem_;
    containers::hash_index by_name_;
    containers::vec<name_node*> nodes_;
    containers::vec<std::uint32_t> free_numbers_;
    containers::hash_index pending_;  // by entity, its newest pending name
    std::uint64_t moves_ = 0;
    std::uint32_t text_users_ = 0;
    containers::hash_index by_text_;         // the first name of each text
    containers::vec<same_text> same_texts_;  // by number
};

}  // namespace kith::names

namespace kith {

// Makes and opens Identifier values.
struct identifier_access {
    static Identifier make(names::name_node* node) noexcept { return Identifier(node); }
    static names::name_node* node(const Identifier& value) noexcept {
        return static_cast<names::name_node*>(value.node_);
    }
};

}  // namespace kith
