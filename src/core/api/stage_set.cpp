// Implements stage_set.hpp.
#include "api/stage_set.hpp"

#include <kith/detail/mutex.hpp>

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "base/log.hpp"

#include <algorithm>
#include <utility>

namespace kith::api {

using mutate::command_kind;
using mutate::command_list;
using mutate::recorder;
using mutate::recorder_use;

namespace {

// Ids that are set aside for a stage in a read-only part, and for an asynchronous stage.
constexpr std::uint32_t stage_ids = 64;
constexpr std::uint32_t async_ids = 4096;
// Ids beyond these that all stages of a read-only part may take.
constexpr std::uint32_t further_ids = 64 * 1024;

// Keeps the first error of two.
void note(mutate::link_errors& all, mutate::link_errors found) noexcept {
    if (found.count != 0 && all.count == 0) {
        all.first = std::move(found.first);
    }
    all.count += found.count;
}

}  // namespace

void stage_set_deleter::operator()(stage_set* set) const noexcept {
    delete set;
}

stage_set& ensure_stages(world_impl& owner) {
    if (!owner.stages) {
        owner.stages.reset(new stage_set(owner));
    }
    return *owner.stages;
}

void end_async_stage(world_t* stage) noexcept {
    impl_of(static_cast<mutate::stage&>(*stage)).stages->end_async(stage);
}

stage_set::~stage_set() {
    if (is_readonly()) {
        if (recorder::current && recorder::current->home == owner_.home) {
            recorder::current = nullptr;
        }
        owner_.mode &= ~std::uint32_t{detail::mode_redirected};
    }
    for (auto* list : {&numbered_, &async_}) {
        for (auto& entry : *list) {
            drop(*entry);
        }
    }
}

void stage_set::set_count(std::int32_t count) {
    const auto others = static_cast<std::size_t>(count - 1);
    for (std::size_t i = others; i < numbered_.size(); ++i) {
        if (has_waiting(*numbered_[i])) {
            base::raise(errc::invalid_operation,
                        "set_stage_count: changes wait in a stage that would end; merge it first");
        }
    }
    while (numbered_.size() > others) {
        numbered_.pop_back();
    }
    while (numbered_.size() < others) {
        numbered_.push_back(std::make_unique<stage_entry>(owner_, recorder_use::stage));
    }
}

stage_entry* stage_set::find(const world_t* stage) noexcept {
    for (auto* list : {&numbered_, &async_}) {
        for (auto& entry : *list) {
            if (&entry->recorder == stage) {
                return entry.get();
            }
        }
    }
    return nullptr;
}

std::int32_t stage_set::number_of(const world_t* stage) const noexcept {
    for (std::size_t i = 0; i < numbered_.size(); ++i) {
        if (&numbered_[i]->recorder == stage) {
            return static_cast<std::int32_t>(i) + 1;
        }
    }
    return stage == &owner_ ? 0 : -1;
}

// Ids beyond those of the deck: the order of calls decides about them.
entity_t stage_set::take_more(void* context) {
    auto& stages = *static_cast<stage_set*>(context);
    const detail::lock_guard guard(stages.ids_lock_);
    if (!stages.owner_.data.entities.has_page_for_next()) {
        base::raise(errc::limit, base::text{} << "stages have made more than " << further_ids
                                              << " entities in one read-only part");
    }
    return stages.owner_.data.entities.create();
}

void stage_set::begin(stage_entry& entry) {
    const bool async = entry.recorder.use == recorder_use::async;
    entry.ids.resize(async ? async_ids : stage_ids);
    owner_.data.entities.set_aside(static_cast<std::uint32_t>(entry.ids.size()), entry.ids.data());
    mutate::id_deck deck{entry.ids.data(), entry.ids.data() + entry.ids.size()};
    if (!async) {
        deck.more = take_more;
        deck.context = this;
    }
    entry.recorder.begin(deck);
}

void stage_set::end(stage_entry& entry) noexcept {
    const mutate::id_deck& deck = entry.recorder.deck;
    // Ids that were not used stay in the list.
    entry.ids.erase(entry.ids.begin(), entry.ids.end() - (deck.end - deck.next));
    const command_list list = entry.recorder.end();
    if (list.first || list.revived != 0) {
        entry.waiting.push_back(list);
    }
}

// Ids that were not used go back, the last first.
void stage_set::give_back(stage_entry& entry) noexcept {
    owner_.data.entities.give_back(entry.ids.data(), static_cast<std::uint32_t>(entry.ids.size()));
    entry.ids.clear();
}

bool stage_set::has_waiting(const stage_entry& entry) const noexcept {
    return !entry.waiting.empty() || entry.recorder.commands.first;
}

bool stage_set::has_waiting() const noexcept {
    const auto waits = [&](const std::unique_ptr<stage_entry>& entry) {
        return has_waiting(*entry);
    };
    return (first_ && has_waiting(*first_)) ||
           std::any_of(numbered_.begin(), numbered_.end(), waits) ||
           std::any_of(async_.begin(), async_.end(), waits);
}

void stage_set::link(stage_entry& entry, mutate::link_errors& errors, bool is_current) {
    for (const command_list& list : std::exchange(entry.waiting, {})) {
        note(errors, mutate::link_commands(owner_, list, *this, is_current));
    }
}

// New entities of commands that are dropped end without having got a row.
void stage_set::drop(stage_entry& entry) noexcept {
    end(entry);
    give_back(entry);
    for (const command_list& list : std::exchange(entry.waiting, {})) {
        owner_.data.entities.count_revived(list.revived);
        for (mutate::command* made = list.first; made; made = made->following) {
            mutate::drop_value(*made);
            const storage::entity_record* record = owner_.data.entities.find(made->entity);
            if (made->kind == command_kind::place && record && record->table == storage::no_table) {
                owner_.data.entities.free(index_of(made->entity));
            }
        }
    }
}

stage_entry& stage_set::add_async() {
    async_.push_back(std::make_unique<stage_entry>(owner_, recorder_use::async));
    stage_entry& entry = *async_.back();
    entry.recorder.lock = &entry.lock;
    begin(entry);
    return entry;
}

void stage_set::end_async(const world_t* stage) noexcept {
    auto ended = std::find_if(async_.begin(), async_.end(),
                              [&](const auto& entry) { return &entry->recorder == stage; });
    KITH_ASSERT(ended != async_.end(), "an asynchronous stage belongs to its world");
    drop(**ended);
    async_.erase(ended);
}

bool stage_set::begin_readonly() {
    if (readonly_depth_ != 0) {
        ++readonly_depth_;
        return true;
    }
    if (owner_.queue.depth != 0 || owner_.queue.flushing) {
        base::raise(errc::invalid_operation, "readonly_begin while the world is deferred");
    }
    if (!numbered_.empty()) {
        if (!first_) {
            first_ = std::make_unique<stage_entry>(owner_, recorder_use::first);
        }
        begin(*first_);
        for (auto& entry : numbered_) {
            begin(*entry);
        }
        owner_.data.entities.reserve_pages(further_ids);
        first_->recorder.creation.scope = owner_.creation.scope;
        mutate::update_mode(first_->recorder);
    }
    mutate::begin_defer(owner_);
    readonly_depth_ = 1;
    if (!numbered_.empty()) {
        recorder::current = &first_->recorder;
        owner_.mode |= detail::mode_redirected;
    }
    return false;
}

void stage_set::end_readonly() {
    if (readonly_depth_ == 0) {
        base::raise(errc::invalid_operation, "readonly_end without readonly_begin");
    }
    if (readonly_depth_ != 1) {
        --readonly_depth_;
        return;
    }
    if (numbered_.empty()) {
        readonly_depth_ = 0;
        mutate::end_defer(owner_);
        return;
    }
    if (recorder::current != &first_->recorder) {
        base::raise(errc::invalid_operation,
                    "readonly_end by another thread than the one that called readonly_begin");
    }
    readonly_depth_ = 0;
    recorder::current = nullptr;
    owner_.mode &= ~std::uint32_t{detail::mode_redirected};
    for (auto& entry : numbered_) {
        end(*entry);
    }
    end(*first_);
    for (std::size_t i = numbered_.size(); i-- > 0;) {
        give_back(*numbered_[i]);
    }
    give_back(*first_);
    mutate::link_errors errors;
    link(*first_, errors, true);
    for (auto& entry : numbered_) {
        if (entry->automerge) {
            link(*entry, errors, true);
        }
    }
    mutate::keep_error(owner_, [&] {
        if (errors.first) {
            std::rethrow_exception(errors.first);
        }
    });
    mutate::end_defer(owner_);
    for (auto& entry : numbered_) {
        if (entry->automerge) {
            entry->recorder.retire();
            entry->recorder.recycle();
        }
    }
    first_->recorder.retire();
    first_->recorder.recycle();
}

// The lock keeps the stage from recording until its changes are made.
void stage_set::merge_async(stage_entry& entry, mutate::link_errors& errors) {
    end(entry);
    give_back(entry);
    entry.recorder.retire();
    link(entry, errors, false);
    begin(entry);
}

void stage_set::merge(stage_entry* only) {
    if (is_readonly()) {
        base::raise(errc::invalid_operation, "merge inside of a read-only part");
    }
    if (owner_.queue.depth != 0 || owner_.queue.flushing) {
        base::raise(errc::invalid_operation, "merge while the world is deferred");
    }
    mutate::link_errors errors;
    std::vector<detail::unique_lock<detail::recursive_mutex>> locks;
    mutate::begin_defer(owner_);
    for (auto* list : {&numbered_, &async_}) {
        for (auto& entry : *list) {
            const bool async = list == &async_;
            if (only ? entry.get() != only : async) {
                continue;
            }
            if (async) {
                locks.emplace_back(entry->lock);
                merge_async(*entry, errors);
            } else {
                entry->recorder.retire();
                link(*entry, errors, true);
            }
        }
    }
    mutate::keep_error(owner_, [&] {
        if (errors.first) {
            std::rethrow_exception(errors.first);
        }
    });
    struct recycling {
        stage_set& stages;
        ~recycling() {
            for (auto* list : {&stages.numbered_, &stages.async_}) {
                for (auto& entry : *list) {
                    if (entry->waiting.empty()) {
                        entry->recorder.recycle();
                    }
                }
            }
        }
    } after{*this};
    mutate::end_defer(owner_);
}

void stage_set::run_actions() noexcept {
    for (const mutate::queued_action& action : std::exchange(actions_, {})) {
        base::attempt([&] { action.action(&owner_, action.context); },
                      [] { base::warn(base::text{} << "an action of run_post_frame has failed"); });
    }
}

}  // namespace kith::api
