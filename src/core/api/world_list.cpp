// Implements world_list.hpp.
#include "api/world_list.hpp"

#include <kith/detail/mutex.hpp>

namespace kith::api {

namespace {

struct list_of_worlds {
    detail::mutex guard;
    masked_pointer newest;
};

// Never destroyed: static objects may be worlds.
list_of_worlds& all_worlds() {
    static list_of_worlds& only = *new list_of_worlds;
    return only;
}

}  // namespace

listed_world::listed_world(world_impl& owner) noexcept : owner_(owner) {
    list_of_worlds& all = all_worlds();
    const detail::lock_guard lock(all.guard);
    next_ = all.newest;
    all.newest = this;
    if (listed_world* after = next()) {
        after->before_ = this;
    }
}

listed_world::~listed_world() {
    list_of_worlds& all = all_worlds();
    const detail::lock_guard lock(all.guard);
    listed_world* before = before_.get();
    (before ? before->next_ : all.newest) = next_;
    if (listed_world* after = next()) {
        after->before_ = before_;
    }
}

listed_world* listed_world::newest() noexcept {
    return all_worlds().newest.get();
}

}  // namespace kith::api
