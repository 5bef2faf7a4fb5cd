// The stages of world handles (include/kith/world.hpp), and the functions of
// include/kith/detail/part_ops.hpp by which parts of a frame record changes.
#include <kith/detail/part_ops.hpp>

#include "api/stage_set.hpp"
#include "base/assert.hpp"
#include "mutate/context/recorder.hpp"
#include "mutate/flush/link.hpp"

#include <utility>

namespace kith {

using api::impl_of;
using api::stage_entry;
using api::stage_set;

namespace {

// The stages of the world behind a handle; null if it has none.
stage_set* stages_of(world_t* handle) {
    return impl_of(handle).stages.get();
}

// The handle of a stage itself; stage_of() may lead to another stage.
bool is_home(const world_t* handle) noexcept {
    return static_cast<const mutate::stage*>(handle)->home == handle;
}

// Throws for a handle of a stage.
void check_world(const world_t* handle, const char* call) {
    if (!is_home(handle)) {
        base::raise(errc::invalid_operation,
                    base::text{} << call << " on a stage; call it on its world (get_world)");
    }
}

}  // namespace

world world::get_stage(std::int32_t index) const {
    mutate::stage& home = impl_of(world_);
    stage_set* stages = stages_of(world_);
    const std::int32_t count = stages ? stages->count() : 1;
    if (index < 0 || index >= count) {
        base::raise(errc::invalid_operation, base::text{} << "there is no stage "
                                                          << std::int64_t{index} << " among "
                                                          << std::int64_t{count});
    }
    return index == 0 ? world(&home) : world(&stages->at(index).recorder);
}

void world::set_stage_count(std::int32_t count) const {
    api::world_impl& owner = impl_of(world_);
    if (count < 1 || count > 1024) {
        base::raise(errc::invalid_operation, "a world has between 1 and 1024 stages");
    }
    if (is_readonly() || mutate::is_recorded(mutate::stage_of(world_))) {
        base::raise(errc::invalid_operation, "set_stage_count inside of a read-only part");
    }
    if (owner.stages || count != 1) {
        api::ensure_stages(owner).set_count(count);
    }
}

std::int32_t world::get_stage_count() const {
    stage_set* stages = stages_of(world_);
    return stages ? stages->count() : 1;
}

std::int32_t world::get_stage_id() const {
    stage_set* stages = stages_of(world_);
    return stages ? stages->number_of(world_) : 0;
}

bool world::is_stage() const {
    impl_of(world_);  // an error without a world
    return !is_home(world_);
}

world world::get_world() const {
    return world(static_cast<world_t*>(&impl_of(world_)));
}

bool world::readonly_begin() const {
    api::world_impl& owner = impl_of(world_);
    check_world(world_, "readonly_begin");
    return api::ensure_stages(owner).begin_readonly();
}

void world::readonly_end() const {
    api::world_impl& owner = impl_of(world_);
    check_world(world_, "readonly_end");
    api::ensure_stages(owner).end_readonly();
}

bool world::is_readonly() const {
    const api::world_impl& owner = impl_of(world_);
    return (owner.stages && owner.stages->is_readonly()) || owner.mode & detail::mode_redirected;
}

void world::merge() const {
    api::world_impl& owner = impl_of(world_);
    if (owner.mode & detail::mode_redirected) {
        base::raise(errc::invalid_operation, "merge inside of a read-only part");
    }
    if (owner.stages) {
        owner.stages->merge(owner.stages->find(world_));
    }
}

void world::set_automerge(bool automerge) const {
    stage_set* stages = stages_of(world_);
    stage_entry* entry = stages ? stages->find(world_) : nullptr;
    if (!entry || entry->recorder.use == mutate::recorder_use::async) {
        base::raise(errc::invalid_operation,
                    "set_automerge is a setting of the stages above 0 of a world");
    }
    entry->automerge = automerge;
}

world world::async_stage() const {
    api::world_impl& owner = impl_of(world_);
    mutate::check_not_recording(mutate::stage_of(world_), "async_stage");
    world stage(&api::ensure_stages(owner).add_async().recorder);
    stage.owned_ = true;
    return stage;
}

void world::run_post_frame(void (*action)(world_t* world, void* context), void* context) const {
    mutate::stage& owner = mutate::stage_of(world_);
    if (!action) {
        base::raise(errc::invalid_operation, "run_post_frame without a function");
    }
    if (owner.mode & detail::mode_recording) {
        mutate::record_action(owner, {action, context});
        return;
    }
    stage_set* stages = stages_of(world_);
    if (stages && stages->in_frame) {
        stages->add({action, context});
    } else {
        action(owner.home, context);
    }
}

}  // namespace kith

namespace kith::detail {

using api::impl_of;

mutate::recorder* make_recorder(world_t* world) {
    return new mutate::recorder(*mutate::stage_of(world).home, mutate::recorder_use::part);
}
void end_recorder(mutate::recorder* used) noexcept {
    delete used;
}
void recycle_recorder(mutate::recorder* used) noexcept {
    used->retire();
    used->recycle();
}

void begin_parts(world_t* world) noexcept {
    KITH_ASSERT(world->mode & mode_deferred, "parts run while the world is deferred");
    world->mode |= mode_redirected;
}
void end_parts(world_t* world) noexcept {
    world->mode &= ~std::uint32_t{mode_redirected};
    api::impl_of(world).monitors.open_written();
}

part_scope::part_scope(mutate::recorder* used, const part_ids& ids) noexcept
    : used_(used), outer_(std::exchange(mutate::recorder::current, used)) {
    used->begin({ids.next, ids.end, ids.more, ids.context});
}
part_scope::~part_scope() {
    if (used_) {
        used_->drop();
        used_->end();
        mutate::recorder::current = outer_;
    }
}
part_changes part_scope::finish() noexcept {
    const mutate::command_list list = used_->end();
    used_ = nullptr;
    mutate::recorder::current = outer_;
    return {list.first, list.last, list.count, list.revived, list.created};
}
bool part_scope::has_open_scopes() const noexcept {
    return used_->has_open_scopes();
}
world_t* part_scope::stage() const noexcept {
    return used_;
}

void set_access_guard(world_t* stage, const access_guard* guard) noexcept {
    KITH_ASSERT(stage->mode & mode_recording, "a part is running");
    static_cast<mutate::recorder*>(stage)->guard = guard;
}
void check_query_access(const world_t* stage, const query_head* query) {
    const mutate::stage& owner = mutate::stage_of(stage);
    if (owner.mode & mode_recording) {
        if (const access_guard* guard = static_cast<const mutate::recorder&>(owner).guard) {
            guard->check_query(query);
        }
    }
}

// All new entities of a part are counted here, those of its deck and those of create_id().
std::uint32_t link_part(world_t* world, const part_changes& changes, std::exception_ptr& first) {
    api::world_impl& owner = impl_of(world);
    const mutate::link_errors errors = mutate::link_commands(
        owner, {changes.first, changes.last, changes.count, changes.created, changes.created},
        api::ensure_stages(owner).actions());
    if (!first) {
        first = errors.first;
    }
    return errors.count;
}

void set_aside_ids(world_t* world, std::uint32_t count, entity_t* out) {
    impl_of(world).data.entities.set_aside(count, out);
}
void give_back_ids(world_t* world, const entity_t* ids, std::uint32_t count) noexcept {
    impl_of(world).data.entities.give_back(ids, count);
}
// Ticks of single rows get room for the new pages here, because runs of queries in parts must not
// move them.
void reserve_id_pages(world_t* world, std::uint32_t count) {
    storage::store& data = static_cast<mutate::stage*>(world)->data;
    data.entities.reserve_pages(count);
    storage::row_ticks& single = data.ticks.single();
    if (single.is_active() && !single.has_room(data.page_count)) {
        single.make_room(data.page_count, data.ticks.now());
    }
}
bool has_page_for_next_id(const world_t* world) noexcept {
    return static_cast<const mutate::stage*>(world)->data.entities.has_page_for_next();
}
entity_t create_id(world_t* world) {
    return static_cast<mutate::stage*>(world)->data.entities.create_uncounted();
}
std::uint32_t queued_count(const world_t* world) noexcept {
    return static_cast<const mutate::stage*>(world)->queue.commands.next_order();
}

void begin_frame_actions(world_t* world) {
    api::ensure_stages(impl_of(world)).in_frame = true;
}
void run_frame_actions(world_t* world) noexcept {
    if (api::stage_set* stages = impl_of(world).stages.get()) {
        stages->in_frame = false;
        stages->run_actions();
    }
}

}  // namespace kith::detail
