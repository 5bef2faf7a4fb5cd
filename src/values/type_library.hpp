// The descriptions that belong to one world: types declared at run time, and C++ types that the
// world describes by itself. They live as long as the world and the values of its types.
#pragma once

#include <kith/world.hpp>

#include "description_node.hpp"
#include "type_drift.hpp"

#include <algorithm>
#include <atomic>
#include <unordered_map>
#include <unordered_set>

namespace kith::values {

// Shared by the world, which holds it as a singleton, and by the run-time types of the world:
// values of them may be destroyed after the singleton.
class type_library {
public:
    // The description of a component, null if the world has none of its own. A description may be
    // empty: kind::none, before its first member.
    description_node* find(entity_t component) const {
        const auto entry = types_.find(index_of(component));
        return entry == types_.end() || entry->second->component != component ? nullptr
                                                                              : entry->second.get();
    }
    // Replaces a description of the same index; the former one is kept for the types that refer to
    // it.
    description_node& add(entity_t component, std::unique_ptr<description_node> node);
    void remove(entity_t component);
    // Remembers that values of a type are made by this node.
    void note_definition(description_node& node) { defined_.insert(&node); }
    // The node that makes the values of a type, null if the type has none in this library.
    description_node* find_definition(const type_info& type) const {
        auto* node = static_cast<description*>(type.context);
        return node && defined_.contains(node) ? static_cast<description_node*>(node) : nullptr;
    }
    // Makes an earlier description of a component, which a restored world has again, the present
    // one.
    void return_to(description_node& former);
    // Deletes a description that nobody has seen yet.
    void forget(entity_t component) noexcept;
    template <class Func>
    void each(Func&& func) const {
        for (const auto& [index, node] : types_) {
            func(*node);
        }
    }
    // Chooses the descriptions that end with a library, and makes room to keep them: others may
    // point to them. end_planned() calls end(node) for each, and the world describes these
    // components no more.
    template <class Ends>
    void plan_end(Ends&& ends) {
        planned_.clear();
        for (const auto& [index, node] : types_) {
            if (ends(*node)) {
                planned_.push_back(index);
            }
        }
        former_.reserve(former_.size() + planned_.size());
    }
    void end_planned(void (*end)(description_node& node) noexcept) noexcept;
    // Ends the functions of the library that later loads would call, and frees their contexts.
    void release_calls(const detail::code_range& range) noexcept;
    // A description that no component has, such as the array type of a member.
    description_node& add_inner(std::unique_ptr<description_node> node);
    // A place for such a description, which may stay empty.
    std::size_t reserve_inner() {
        former_.emplace_back();
        return former_.size() - 1;
    }
    void keep_inner(std::size_t place, std::unique_ptr<description_node> node) noexcept {
        former_[place] = std::move(node);
    }
    // Calls free(context) with the library's end.
    void own(void* context, void (*free)(void* context) noexcept) {
        contexts_.push_back({context, free});
    }

    // Whether values of a type hold handles with a policy: an answer that is kept until types
    // change. Null: not known.
    const bool* find_ruled(const description& type) const {
        const auto known = ruled_.find(&type);
        return known == ruled_.end() ? nullptr : &known->second;
    }
    bool keep_ruled(const description& type, bool is_ruled) { return ruled_[&type] = is_ruled; }
    // Before a description of the world changes.
    void note_change() noexcept {
        ruled_.clear();
        version_ = next_version();
    }
    // A number for the present descriptions, which no other ones of the process have had.
    std::uint64_t version() const noexcept { return version_; }

    // The last release() deletes the library.
    void retain() noexcept { users_.fetch_add(1, std::memory_order_relaxed); }
    void release() noexcept {
        if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            delete this;
        }
    }

    // What the program says about former forms of a type.
    type_drift& drift_of(entity_t component) { return drift_[component]; }
    void move_drift(entity_t from, entity_t to) noexcept {
        if (auto entry = drift_.extract(from)) {
            entry.key() = to;
            drift_.insert(std::move(entry));
        }
    }
    const type_drift* find_drift(entity_t component) const {
        const auto found = drift_.find(component);
        return found != drift_.end() ? &found->second : nullptr;
    }
    // The component that had this path in files, 0 if there is none.
    entity_t find_renamed(const std::string& path) const {
        const auto found = std::find_if(drift_.begin(), drift_.end(),
                                        [&](const auto& one) { return one.second.path == path; });
        return found != drift_.end() && !path.empty() ? found->first : 0;
    }

    // Parts of save files that this program does not know, by tag; they are saved again.
    using extension_list = std::vector<std::pair<std::string, std::string>>;
    extension_list& extensions() noexcept { return extensions_; }

private:
    ~type_library();
    static std::uint64_t next_version() noexcept {
        static constinit std::atomic<std::uint64_t> last{0};
        return last.fetch_add(1, std::memory_order_relaxed) + 1;
    }

    struct owned_context {
        void* context;
        void (*free)(void* context) noexcept;
    };
    std::unordered_map<std::uint32_t, std::unique_ptr<description_node>> types_;
    std::vector<std::unique_ptr<description_node>> former_;  // replaced; others may point to them
    std::unordered_set<const description*> defined_;         // nodes that make values
    std::vector<std::uint32_t> planned_;                     // see plan_end()
    std::vector<owned_context> contexts_;
    std::unordered_map<const description*, bool> ruled_;
    std::map<entity_t, type_drift> drift_;
    extension_list extensions_;
    std::uint64_t version_ = next_version();
    std::atomic<std::size_t> users_{0};
};

// The world's own reference, a singleton component.
class world_types {
public:
    world_types() noexcept = default;
    explicit world_types(type_library* library) noexcept : library_(library) { retain(); }
    world_types(const world_types& other) noexcept : library_(other.library_) { retain(); }
    world_types(world_types&& other) noexcept
        : library_(detail::exchange(other.library_, nullptr)) {}
    world_types& operator=(world_types other) noexcept {
        std::swap(library_, other.library_);
        return *this;
    }
    ~world_types() {
        if (library_) {
            library_->release();
        }
    }
    type_library* get() const noexcept { return library_; }

private:
    void retain() noexcept {
        if (library_) {
            library_->retain();
        }
    }
    type_library* library_ = nullptr;
};

// The description that a component of a world has: that by which its type was defined, which need
// not be the last one, because snapshots return to former types. Null if there is none.
description_node* find_node(const world_t* world, const type_library& library, entity_t component);
// Null if the world has no descriptions of its own.
type_library* find_library(const world_t* world) noexcept;
// Throws if the world is deferred and has no library yet.
type_library& ensure_library(world_t* world);
// Gives a world the library of another one. Components of both worlds with one id have one
// description then. Requires: the world has no library.
void share_library(world_t* world, type_library& library);

}  // namespace kith::values
