// Looking up names inside of blocks.
#include "visible_names.hpp"

#include <kith/detail/name_search.hpp>

#include <algorithm>

namespace kith::dsl {

namespace {

// Up to this number, levels and scopes are searched individually.
constexpr std::size_t near = 16;

}  // namespace

visible_names::visible_names(const world& world)
    : world_(world), scope_(world.get_scope()), path_before_(set_path(nullptr)) {
    for (const entity_t* scope = path_before_; scope && *scope; ++scope) {
        path_.push_back(*scope);
    }
    path_.push_back(0);
    set_path(path_.data());
    deep_ = is_deep();
    moves_ = detail::count_moves_of_names(world_);
}

visible_names::~visible_names() {
    if (indexed_) {
        detail::drop_texts_of_names(world_);
    }
    set_path(path_before_);
}

void visible_names::enter(const entity& opened) {
    blocks_.push_back({scope_, used_.size(), deep_});
    if (!chain_.empty() && chain_.back() == scope_ && opened.parent() == scope_) {
        chain_.push_back(opened);
        depths_[opened] = chain_.size();
    }
    scope_ = opened;
    deep_ = is_deep();
}

// The chain is shortened instead of computed again if its last members are the two scopes.
void visible_names::leave() {
    const block& closed = blocks_.back();
    const std::size_t size = chain_.size();
    if (size > 1 && chain_[size - 1] == scope_ && chain_[size - 2] == closed.outer) {
        depths_.erase(scope_);
        chain_.pop_back();
    }
    scope_ = closed.outer;
    deep_ = closed.deep;
    keep_used(closed.used);
    blocks_.pop_back();
}

// The path grows toward its beginning, by doubling: O(1) amortized.
void visible_names::use(entity_t scope) {
    if (path_begin_ == 0) {
        path_begin_ = path_.size();
        path_.insert(path_.begin(), path_begin_, 0);
    }
    path_[--path_begin_] = scope;
    set_path(path_.data() + path_begin_);
    std::size_t& rank = used_ranks_[scope];
    used_.push_back({scope, rank});
    rank = used_.size();
}

// Ends the use of scopes until `count` are in use, and restores their former ranks.
void visible_names::keep_used(std::size_t count) {
    path_begin_ += used_.size() - count;
    set_path(path_.data() + path_begin_);
    for (; used_.size() > count; used_.pop_back()) {
        used_ranks_[used_.back().scope] = used_.back().before;
    }
}

// True if the scope has at least `near` ancestors.
bool visible_names::is_deep() const {
    std::size_t levels = 0;
    for (entity entity = scope_; levels < near && entity; entity = entity.parent()) {
        ++levels;
    }
    return levels == near;
}

bool visible_names::is_far() const noexcept {
    return deep_ || used_.size() > near;
}

entity visible_names::lookup(entity_t from, std::string_view path, std::string_view splits,
                             bool climb) const {
    return entity(world_, detail::lookup_path(world_, from, path, splits, {}, climb));
}

entity visible_names::find(std::string_view path, std::string_view first, std::string_view splits) {
    if (!is_far()) {
        return lookup(scope_, path, splits, true);
    }
    // Most names are found within a few levels.
    entity ancestor = scope_;
    for (std::size_t level = 0; level < near; ++level, ancestor = ancestor.parent()) {
        if (const entity entity = lookup(ancestor, path, splits, false)) {
            return entity;
        }
        if (!ancestor) {
            break;
        }
    }
    return find_far(path, first, splits);
}

// Finds the visible entity of the highest rank among the entities with the first name. If these are
// more than the scopes, the scopes are searched instead.
entity visible_names::find_far(std::string_view path, std::string_view first,
                               std::string_view splits) {
    update_chain();
    const std::size_t most = chain_.size() + used_.size();
    if (!indexed_) {
        // The index is built when it costs less than the searches so far.
        climbed_ += most;
        indexed_ = detail::index_texts_of_names(world_, climbed_);
        if (!indexed_) {
            return lookup(scope_, path, splits, true);
        }
    }
    const std::string_view rest = path.substr(std::min(first.size() + 1, path.size()));
    entity best;
    std::size_t rank = 0;
    std::size_t seen = 0;
    entity_t candidate = 0;
    for (const void* address = nullptr;
         (address = detail::next_of_name(world_, first, address, candidate)) != nullptr;) {
        if (++seen > most) {
            return lookup(scope_, path, splits, true);
        }
        const entity named(world_, candidate);
        const std::size_t parent_rank = rank_of(named.parent());
        if (parent_rank > rank) {
            if (const entity last = rest.empty() ? named : lookup(named, rest, splits, false)) {
                best = last;
                rank = parent_rank;
            }
        }
    }
    return best ? best : find_outside(path, splits);
}

// The rank of a scope: scopes with a greater rank are searched earlier, 0 is not searched.
std::size_t visible_names::rank_of(entity_t parent) const {
    if (parent == 0) {
        return used_.size() + 1;
    }
    if (const auto level = depths_.find(parent); level != depths_.end()) {
        return used_.size() + 1 + level->second;
    }
    const auto used = used_ranks_.find(parent);
    return used != used_ranks_.end() ? used->second : 0;
}

// Looks up a path in the former lookup path and in Kith.
entity visible_names::find_outside(std::string_view path, std::string_view splits) const {
    for (const entity_t* scope = path_before_; scope && *scope; ++scope) {
        if (const entity entity = lookup(*scope, path, splits, false)) {
            return entity;
        }
    }
    return lookup(Kith, path, splits, false);
}

void visible_names::moved(entity_t entity) {
    const std::uint64_t moves = detail::count_moves_of_names(world_);
    // Hooks may have moved further entities.
    if (depths_.contains(entity) || moves - moves_ > 1) {
        chain_.clear();
    }
    moves_ = moves;
}

// Computes the chain of the present scope, unless it is valid. O(depth).
void visible_names::update_chain() {
    const std::uint64_t moves = detail::count_moves_of_names(world_);
    if (!chain_.empty() && chain_.back() == scope_ && moves == moves_) {
        return;
    }
    moves_ = moves;
    chain_.clear();
    for (entity entity = scope_; entity; entity = entity.parent()) {
        chain_.push_back(entity);
    }
    std::reverse(chain_.begin(), chain_.end());
    depths_.clear();
    for (std::size_t i = 0; i < chain_.size(); ++i) {
        depths_.emplace(chain_[i], i + 1);
    }
}

}  // namespace kith::dsl
