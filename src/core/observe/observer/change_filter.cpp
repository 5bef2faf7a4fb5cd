// Which results a change concerns, and which copies of inherited ids are reported.
#include "observe/observer/change_filter.hpp"

#include "base/hash.hpp"

#include <algorithm>

namespace kith::observe {

using containers::purpose;
using queries::source_kind;
using queries::term;

namespace {

// True if the event concerns an id of its owner, wherever the id is visible; other events concern
// the entity that they were emitted for.
bool is_about_owner(entity_t event) noexcept {
    return is_add_or_remove(event) || event == OnSet || event == OnDeleteTarget;
}

std::uint64_t hash_of_copy(const trigger& trigger, entity_t subject, id_t id) noexcept {
    return base::mix(base::combine(base::combine(trigger.term, subject), id));
}

}  // namespace

entity_t subject_of(const term& term, const detail::result& result) noexcept {
    switch (term.from) {
        case source_kind::fixed:
            return term.source;
        case source_kind::variable:
            return result.variables[term.source_variable];
        default:
            return result.count ? result.entities[0] : 0;
    }
}

awaited_copies::~awaited_copies() {
    expected_.release(mem_, purpose::index);
    visible_.release(mem_, purpose::index);
}

void awaited_copies::begin_step(std::uint64_t step) noexcept {
    if (step_ != step) {
        step_ = step;
        expected_.clear();
        visible_.clear();
    }
}

void awaited_copies::expect(const trigger& trigger, entity_t subject, id_t id) {
    const std::uint64_t hash = hash_of_copy(trigger, subject, id);
    if (std::find(visible_.begin(), visible_.end(), hash) == visible_.end()) {
        expected_.push(mem_, hash, purpose::index);
    }
}

void awaited_copies::note_visible(const trigger& trigger, entity_t subject, id_t id) {
    visible_.push(mem_, hash_of_copy(trigger, subject, id), purpose::index);
}

bool awaited_copies::take(const trigger& trigger, entity_t subject, id_t id) noexcept {
    const std::uint64_t hash = expected_.empty() ? 0 : hash_of_copy(trigger, subject, id);
    for (std::uint32_t i = 0; i < expected_.size(); ++i) {
        if (expected_[i] == hash) {
            expected_.swap_remove(i);
            return true;
        }
    }
    return false;
}

bool change_filter::is_visible_change(entity_t subject, id_t id) {
    if (!is_add_or_remove(trigger_.event) || !term_.follows() || term_.flags & TraverseAll) {
        return true;
    }
    return (trigger_.event == OnAdd && copies_.take(trigger_, subject, id)) ||
           other_.find_owner(subject, term_, id) == 0;
}

bool change_filter::differs(const detail::result& result) {
    auto held = [&](const term& member) {
        return other_.holds(subject_of(member, result), {context_.data(), member, result});
    };
    if (!term_.in_chain || term_.every_of_chain) {
        return held(term_) == (term_.oper == Not);
    }
    const queries::query_model& model = context_.model();
    return std::none_of(model.begin(), model.end(), [&](const term& member) {
        return member.in_chain && member.field == term_.field &&
               member.kind == queries::term_kind::ids && !member.is_from_list() && held(member);
    });
}

bool change_filter::concerns(const detail::result& result) {
    const bool existential = is_existential();
    if (existential) {
        if (!other_.counts(event_.id, {context_.data(), term_, result})) {
            return false;
        }
        const bool itself = subject_of(term_, result) == event_.entity;
        const bool own = itself && (term_.flags & Self || !term_.follows());
        if (is_add_or_remove(trigger_.event)) {
            // Each own id that satisfies the term is reported, also if another one does as well.
            return (own && (term_.is_required() || term_.every_of_chain)) || differs(result);
        }
        if (term_.in_chain && !term_.every_of_chain) {
            return own || !itself || !is_about_owner(trigger_.event);
        }
    }
    const detail::field_data& field = result.fields[term_.field];
    const bool of_row = result.count == 1 && result.entities[0] == event_.entity;
    const bool own = field.source == event_.entity ||
                     (of_row && (field.source == 0 || !is_about_owner(trigger_.event)));
    return own && (field.id == event_.id || term_.id == event_.id || term_.at_most_one ||
                   (existential && !is_about_owner(trigger_.event)));
}

}  // namespace kith::observe
