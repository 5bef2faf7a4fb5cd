// Makes the facts of a difference true in a world (api/snapshot.hpp).
#include <kith/detail/described_values.hpp>
#include <kith/detail/state_ops.hpp>

#include "api/snapshot.hpp"
#include "base/attempt.hpp"
#include "base/raise.hpp"
#include "base/scope_exit.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/ops/set_value.hpp"

#include <algorithm>
#include <exception>
#include <set>

namespace kith::api {

using mutate::fact;
using mutate::fact_kind;

namespace {

// The facts that the message of a conflict lists; the others are counted.
constexpr std::size_t most_listed_facts = 8;

// Entities of C++ types have the same index in all worlds of the process and are never deleted.
bool is_cpp_type(entity_t entity) noexcept {
    return entity < first_entity && detail::find_type(index_of(entity));
}

}  // namespace

diff_application::diff_application(world_impl& owner, const facts_of& change)
    : owner_(owner), change_(change), now_state_(capture(owner)), now_(*now_state_) {
    for (const fact& about : change.facts) {
        about_.emplace(about.entity, &about);
        if (about.kind == fact_kind::entity_deleted) {
            deleted_.push_back(about.entity);
        }
    }
    std::sort(deleted_.begin(), deleted_.end());
}

// A value is compared with itself: a result below 0 says that its type has no comparison.
bool diff_application::is_comparable(const mutate::captured_value& value) const {
    return !value.value || value.type->info.trivial_copy ||
           detail::compare_described(
               {&owner_, value.type->component, &value.type->info, value.value}, value.value) >= 0;
}

// The index of a new entity must be free, or become free by the facts.
bool diff_application::fits_new_entity(const fact& about) const {
    const entity_t there = now_.alive_at(index_of(about.entity));
    return there == 0 || is_cpp_type(about.entity) ||
           std::binary_search(deleted_.begin(), deleted_.end(), there);
}

bool diff_application::fits(const fact& about) const {
    if (about.kind == fact_kind::entity_made) {
        return fits_new_entity(about);
    }
    const std::uint32_t index = index_of(about.entity);
    if (!now_.is_alive(about.entity)) {
        // Ids of entities that the facts make.
        return about.kind == fact_kind::id_added && change_.before.alive_at(index) != about.entity;
    }
    if (about.kind == fact_kind::entity_deleted || is_cpp_type(about.entity)) {
        return true;
    }
    const mutate::captured_id own = now_.find_id(index, about.id);
    if (about.kind == fact_kind::id_added) {
        // A name is replaced by two facts.
        return own.id == 0 || (about.after.name && change_.before.is_alive(about.entity) &&
                               change_.before.find_id(index, about.id).id != 0);
    }
    if (own.id == 0) {
        return false;
    }
    if (about.kind == fact_kind::id_disabled || about.kind == fact_kind::id_enabled) {
        return own.disabled == (about.kind == fact_kind::id_enabled);
    }
    // Values that can be compared neither as bytes nor by a description count as fitting.
    return !is_comparable(about.before) || mutate::are_equal(about.before, own.value, &owner_);
}

// Throws [conflict] with the facts that do not fit, as lines of the difference's text.
template <class Fits>
void diff_application::raise_unless(Fits&& fits_world) const {
    std::string message = "the difference does not fit the world:";
    std::size_t refused = 0;
    for (const fact& about : change_.facts) {
        if (!fits_world(about) && ++refused <= most_listed_facts) {
            message += "\n  ";
            std::string line;
            mutate::append_fact(line, about, change_.before, change_.after, &owner_);
            message += line.substr(0, line.find('\n'));
        }
    }
    if (refused > most_listed_facts) {
        message += "\n  and " + std::to_string(refused - most_listed_facts) + " more";
    }
    if (refused != 0) {
        base::raise(errc::conflict, message.c_str());
    }
}

void diff_application::check() const {
    raise_unless([&](const fact& about) { return fits(about); });
}

void diff_application::check_indices() const {
    raise_unless([&](const fact& about) {
        return about.kind != fact_kind::entity_made || fits_new_entity(about);
    });
}

// Operations may imply more than the facts: With adds ids, instances get children, observers
// react. Deviations are taken back by operations as well, as long as these do not repeat them.
void diff_application::run() {
    constexpr int most_rounds = 4;
    base::scope_exit undo(
        [&] { base::attempt([&] { restore_state(owner_, now_state_); }, [] {}); });
    make_all(change_.facts);
    for (int round = 0;; ++round) {
        const shared_state reached_state = capture(owner_);
        const mutate::state_reader reached(*reached_state);
        std::vector<fact> deviations = find_deviations(reached);
        // Pairs with entities that are gone are left out.
        std::erase_if(deviations, [&](const fact& about) {
            return about.kind == fact_kind::id_added && !can_add(about.id);
        });
        if (deviations.empty()) {
            break;
        }
        if (round == most_rounds) {
            raise_unreached(deviations.front());
        }
        make_all(deviations);
    }
    undo.release();
}

// Throws [constraint]: what operations imply leads away from the state again and again.
void diff_application::raise_unreached(const fact& deviation) const {
    base::raise(errc::constraint,
                ("the rules of the world do not allow the state of the difference: it is not "
                 "reached for " +
                 std::string(detail::id_text(&owner_, deviation.entity).c_str()))
                    .c_str());
}

// A rule may refuse a fact until another one is true: an id that another id implies is lost last.
// Such facts are tried again behind the others.
void diff_application::make_all(const std::vector<fact>& facts) {
    std::vector<const fact*> waiting(facts.size());
    std::transform(facts.begin(), facts.end(), waiting.begin(),
                   [](const fact& about) { return &about; });
    while (!waiting.empty()) {
        std::vector<const fact*> refused;
        std::exception_ptr reason;
        for (const fact* about : waiting) {
            base::attempt([&] { make(*about); },
                          [&] {
                              reason = reason ? reason : std::current_exception();
                              refused.push_back(about);
                          });
        }
        if (refused.size() == waiting.size()) {
            std::rethrow_exception(reason);
        }
        waiting.swap(refused);
    }
}

// Entities of C++ types stay, whatever the facts say.
bool diff_application::is_expected(entity_t entity) const {
    bool alive = now_.is_alive(entity) || is_cpp_type(entity);
    const auto [first, last] = about_.equal_range(entity);
    for (auto at = first; at != last; ++at) {
        alive = at->second->kind == fact_kind::entity_made ||
                (alive && at->second->kind != fact_kind::entity_deleted);
    }
    return alive;
}

// The ids that the entity should have: those from before the application, changed by the facts. A
// map keeps them sorted, as compare_ids() requires.
std::vector<mutate::captured_id> diff_application::expected_ids(entity_t entity) const {
    std::map<id_t, mutate::captured_id> expected;
    if (now_.is_alive(entity)) {
        for (const mutate::captured_id& own : now_.ids_of(index_of(entity))) {
            expected.emplace(own.id, own);
        }
    }
    const auto [first, last] = about_.equal_range(entity);
    for (auto at = first; at != last; ++at) {
        const fact& about = *at->second;
        if (about.kind == fact_kind::id_removed) {
            expected.erase(about.id);
        } else if (about.kind == fact_kind::id_added) {
            expected[about.id] = {about.id, about.after, about.disabled};
        } else if (about.kind == fact_kind::value_changed) {
            expected[about.id].value = about.after;
        } else if (about.id != 0) {
            expected[about.id].disabled = about.kind == fact_kind::id_disabled;
        }
    }
    std::vector<mutate::captured_id> ids;
    for (const auto& [id, own] : expected) {
        ids.push_back(own);
    }
    return ids;
}

std::vector<fact> diff_application::find_deviations(const mutate::state_reader& reached) const {
    std::set<entity_t> entities;
    for (const fact& made : mutate::find_differences(now_, reached, &owner_)) {
        entities.insert(made.entity);
    }
    for (const auto& [entity, about] : about_) {
        entities.insert(entity);
    }
    std::vector<fact> deviations;
    for (entity_t entity : entities) {
        const bool alive = reached.is_alive(entity);
        if (is_cpp_type(entity) && !now_.is_alive(entity)) {
            continue;
        }
        if (!is_expected(entity)) {
            if (alive) {
                deviations.push_back({fact_kind::entity_deleted, entity, 0, {}, {}, false});
            }
            continue;
        }
        if (!alive) {
            deviations.push_back({fact_kind::entity_made, entity, 0, {}, {}, false});
        }
        mutate::compare_ids(
            entity, alive ? reached.ids_of(index_of(entity)) : std::vector<mutate::captured_id>{},
            expected_ids(entity), &owner_, deviations);
    }
    // Values that cannot be compared would deviate for ever.
    std::erase_if(deviations, [&](const fact& about) {
        return about.kind == fact_kind::value_changed && !is_comparable(about.before);
    });
    mutate::sort_facts(deviations);
    return deviations;
}

void diff_application::make(const fact& about) {
    switch (about.kind) {
        case fact_kind::entity_made:
            make_entity(about.entity);
            break;
        case fact_kind::id_removed:
            remove(about);
            break;
        case fact_kind::id_added:
        case fact_kind::value_changed:
            add(about);
            break;
        case fact_kind::id_disabled:
        case fact_kind::id_enabled:
            if (is_present(about.entity) && detail::owns_id(&owner_, about.entity, about.id)) {
                detail::enable_id(&owner_, about.entity, about.id,
                                  about.kind == fact_kind::id_enabled);
            }
            break;
        case fact_kind::entity_deleted:
            if (is_present(about.entity)) {
                detail::delete_entity(&owner_, about.entity);
            }
            break;
    }
}

// With force, the index may belong to another entity.
void diff_application::make_entity(entity_t entity) {
    if (is_cpp_type(entity)) {
        detail::ensure_component(&owner_, index_of(entity));
        return;
    }
    const entity_t there = owner_.data.entities.alive_at(index_of(entity));
    if (there != 0 && there != entity) {
        detail::delete_entity(&owner_, there);
    }
    detail::make_alive(&owner_, entity);
}

void diff_application::set_name_of(entity_t entity, id_t id, const std::string& text) {
    if (pair_second(id) == Name) {
        detail::set_name(&owner_, entity, text);
    } else if (pair_second(id) == Symbol) {
        detail::set_symbol(&owner_, entity, text);
    } else {
        detail::set_alias(&owner_, entity, text);
    }
}

void diff_application::remove(const fact& about) {
    if (!is_present(about.entity)) {
        return;
    }
    if (about.before.name) {
        set_name_of(about.entity, about.id, {});
    } else if (about.id != detail::component_type_id) {
        detail::remove_id(&owner_, about.entity, about.id);
    }
}

// Components of C++ types are made on the way: the world may not have used the type yet.
bool diff_application::can_add(id_t id) {
    auto exists = [&](std::uint32_t index) {
        if (is_cpp_type(index)) {
            detail::ensure_component(&owner_, index);
        }
        return owner_.data.entities.alive_at(index) != 0;
    };
    return is_pair(id) ? exists(pair_first(id)) && exists(pair_second(id))
                       : exists(index_of(id & ~id_flags_mask));
}

void diff_application::add(const fact& about) {
    if (is_cpp_type(about.entity)) {
        detail::ensure_component(&owner_, index_of(about.entity));
    }
    if (!can_add(about.id)) {
        return;
    }
    if (about.after.name) {
        if (!is_cpp_type(about.entity)) {
            set_name_of(about.entity, about.id, about.after.name->text);
        }
        return;
    }
    if (about.id == detail::component_type_id) {
        define_type(about.entity);
        return;
    }
    if (about.after.value) {
        mutate::copy_context context{&about.after.type->info, about.after.value};
        mutate::set_value(owner_, about.entity, about.id, 0, mutate::copying_source(context));
    } else if (is_pair(about.id) && pair_first(about.id) == IsA) {
        detail::add_base(&owner_, about.entity,
                         owner_.data.entities.alive_at(pair_second(about.id)));
    } else {
        detail::add_id(&owner_, about.entity, about.id);
    }
    if (about.disabled) {
        detail::enable_id(&owner_, about.entity, about.id, false);
    }
}

// The context of a run-time type belongs to its first copy, so that the new component must not free
// it.
void diff_application::define_type(entity_t component) {
    for (const std::shared_ptr<const mutate::type_copy>& type :
         change_.after.state().structure->types) {
        if (type->component == component && !is_cpp_type(component)) {
            detail::define_component(&owner_, component, type->info);
            captures_of(owner_).types.push_back(type);
        }
    }
}

}  // namespace kith::api
