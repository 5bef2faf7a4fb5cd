// The index of names (name_index.hpp), and the members of kith::Identifier, the component whose
// values own the entries of the index (declared in kith/component.hpp).
#include "names/name_index.hpp"

#include "base/assert.hpp"
#include "base/counters.hpp"
#include "base/hash.hpp"
#include "base/scope_exit.hpp"

#include <new>

namespace kith {

Identifier::~Identifier() {
    if (auto* node = static_cast<names::name_node*>(node_)) {
        node->owner->remove(node);
    }
}
const char* Identifier::value() const noexcept {
    return node_ ? static_cast<names::name_node*>(node_)->text() : "";
}
std::size_t Identifier::length() const noexcept {
    return node_ ? static_cast<names::name_node*>(node_)->length : 0;
}

}  // namespace kith

namespace kith::names {

using containers::purpose;

namespace {

// The key of by_name_. Names of the root have the parent 0.
std::uint64_t hash_name(std::uint32_t parent, std::string_view text) noexcept {
    return base::mix(base::fold_text(text) + parent * 0x9E3779B97F4A7C15ull);
}
// The text and its terminating zero lie behind the node.
std::size_t node_bytes(std::size_t length) noexcept {
    return sizeof(name_node) + length + 1;
}

}  // namespace

name_index::~name_index() {
    by_name_.release(mem_, purpose::names);
    pending_.release(mem_, purpose::names);
    nodes_.release(mem_, purpose::names);
    free_numbers_.release(mem_, purpose::names);
    release_texts();
}

template <class Condition>
const name_node* name_index::find_if(std::uint32_t parent, std::string_view text,
                                     Condition&& condition) const noexcept {
    KITH_COUNT(names);
    std::uint64_t hash = hash_name(parent, text);
    std::uint32_t number = by_name_.find(hash, [&](std::uint32_t candidate) {
        const name_node& node = *nodes_[candidate - 1];
        return node.hash == hash && node.parent == parent && base::equal_texts(node.view(), text) &&
               condition(node);
    });
    return number ? nodes_[number - 1] : nullptr;
}

const name_node* name_index::find(std::uint32_t parent, std::string_view text) const noexcept {
    auto any = [](const name_node&) { return true; };
    if (pending_.count() == 0) [[likely]] {
        return find_if(parent, text, any);
    }
    const name_node* stored = find_stored(parent, text);
    return stored ? stored : find_if(parent, text, any);
}

const name_node* name_index::find_stored(std::uint32_t parent,
                                         std::string_view text) const noexcept {
    return find_if(parent, text, [](const name_node& node) { return !node.pending; });
}

name_node* name_index::make(std::uint32_t parent, std::string_view text, entity_t entity) {
    void* block = mem_.allocate(node_bytes(text.size()), purpose::names);
    const auto length = static_cast<std::uint32_t>(text.size());
    auto* node =
        ::new (block) name_node{{entity, hash_name(parent, text), parent, 0, length}, this};
    char* copy = reinterpret_cast<char*>(node + 1);
    std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = 0;
    return node;
}

name_node* name_index::add_unindexed(std::string_view text, entity_t entity) {
    return make(0, text, entity);
}

name_node* name_index::add(std::uint32_t parent, std::string_view text, entity_t entity,
                           bool pending) {
    // Steps that can fail come first; make() is the last of them.
    by_name_.reserve_one(mem_, purpose::names);
    if (pending) {
        pending_.reserve_one(mem_, purpose::names);
    }
    if (free_numbers_.empty()) {
        nodes_.reserve_extra(mem_, 1, purpose::names);
        // remove() must not fail, and any number may become free: there is room for all of them.
        free_numbers_.reserve_extra(mem_, nodes_.size() + 1, purpose::names);
    }
    if (text_users_ != 0) {
        reserve_text();
    }
    name_node* node = make(parent, text, entity);
    if (free_numbers_.empty()) {
        nodes_.push_reserved(node);
        node->number = nodes_.size();
    } else {
        node->number = free_numbers_.back();
        free_numbers_.pop();
        nodes_[node->number - 1] = node;
    }
    by_name_.insert_reserved(node->hash, node->number);
    if (text_users_ != 0) {
        link_text(*node);
    }
    if (pending) {
        // Only the newest name is found by its entity; the older one stays in by_name_ until its
        // command is executed.
        if (name_node* older = find_pending(entity)) {
            pending_.erase(base::mix(entity), older->number);
        }
        pending_.insert_reserved(base::mix(entity), node->number);
        node->pending = true;
    }
    return node;
}

name_node* name_index::find_pending(entity_t entity) const noexcept {
    std::uint32_t number = pending_.find(base::mix(entity), [&](std::uint32_t candidate) {
        return nodes_[candidate - 1]->entity == entity;
    });
    return number ? nodes_[number - 1] : nullptr;
}

// The entity may have a newer pending name, whose entry in pending_ then stays.
void name_index::forget_pending(name_node& node) noexcept {
    if (node.pending && find_pending(node.entity) == &node) {
        pending_.erase(base::mix(node.entity), node.number);
    }
    node.pending = false;
}

void name_index::commit_name(name_node& stored, std::uint32_t parent) noexcept {
    forget_pending(stored);
    if (stored.parent != parent) {
        move(stored, parent);
    }
}

// Erasing the old entry makes room for the new one: moving cannot fail.
void name_index::move(name_node& moved, std::uint32_t parent) noexcept {
    KITH_ASSERT(moved.number != 0, "only an indexed name has a parent");
    ++moves_;
    by_name_.erase(moved.hash, moved.number);
    moved.parent = parent;
    moved.hash = hash_name(parent, moved.view());
    by_name_.insert_reserved(moved.hash, moved.number);
}

void name_index::remove(name_node* removed) noexcept {
    KITH_ASSERT(removed->owner == this, "a name is removed from its own index");
    forget_pending(*removed);
    if (removed->number != 0) {
        if (text_users_ != 0) {
            unlink_text(*removed);
        }
        by_name_.erase(removed->hash, removed->number);
        nodes_[removed->number - 1] = nullptr;
        free_numbers_.push_reserved(removed->number);
    }
    mem_.release(removed, node_bytes(removed->length), purpose::names);
}

void name_index::open_texts() {
    if (text_users_ == 0) {
        base::scope_exit undo([this] { release_texts(); });
        for (const name_node* node : nodes_) {
            if (node) {
                reserve_text();
                link_text(*node);
            }
        }
        undo.release();
        text_users_ = 1;
    } else {
        ++text_users_;
    }
}

void name_index::close_texts() noexcept {
    if (text_users_ != 0 && --text_users_ == 0) {
        release_texts();
    }
}

const name_node* name_index::first_of(std::string_view text) const noexcept {
    KITH_ASSERT(text_users_ != 0, "the index of texts is open");
    const std::uint32_t number = find_text(base::hash_text(text), text);
    return number ? nodes_[number - 1] : nullptr;
}

const name_node* name_index::next_of(const name_node& node) const noexcept {
    KITH_ASSERT(text_users_ != 0, "the index of texts is open");
    KITH_COUNT(names);
    const std::uint32_t number = same_texts_[node.number - 1].next;
    return number ? nodes_[number - 1] : nullptr;
}

std::uint32_t name_index::find_text(std::uint64_t hash, std::string_view text) const noexcept {
    return by_text_.find(
        hash, [&](std::uint32_t candidate) { return nodes_[candidate - 1]->view() == text; });
}

// Makes room in the index of texts for one more name, whichever number it gets.
void name_index::reserve_text() {
    by_text_.reserve_one(mem_, purpose::names);
    const std::uint32_t numbers = nodes_.size() + 1;
    if (same_texts_.size() < numbers) {
        same_texts_.reserve_extra(mem_, numbers - same_texts_.size(), purpose::names);
        while (same_texts_.size() < numbers) {
            same_texts_.push_reserved({0, 0});
        }
    }
}

// Puts the name in front of the others with its text. by_text_ contains only the first name of each
// text, so its entry is replaced.
void name_index::link_text(const name_node& node) noexcept {
    const std::uint64_t hash = base::hash_text(node.view());
    const std::uint32_t first = find_text(hash, node.view());
    if (first != 0) {
        by_text_.erase(hash, first);
        same_texts_[first - 1].before = node.number;
    }
    same_texts_[node.number - 1] = {0, first};
    by_text_.insert_reserved(hash, node.number);
}

// If the name was the first of its text, the next one takes its entry in by_text_.
void name_index::unlink_text(const name_node& node) noexcept {
    const auto [before, next] = same_texts_[node.number - 1];
    if (next != 0) {
        same_texts_[next - 1].before = before;
    }
    if (before != 0) {
        same_texts_[before - 1].next = next;
        return;
    }
    const std::uint64_t hash = base::hash_text(node.view());
    by_text_.erase(hash, node.number);
    if (next != 0) {
        by_text_.insert_reserved(hash, next);
    }
}

void name_index::release_texts() noexcept {
    by_text_.release(mem_, purpose::names);
    same_texts_.release(mem_, purpose::names);
}

}  // namespace kith::names
