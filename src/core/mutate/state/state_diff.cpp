// Compares captured states entity by entity (state_diff.hpp).
#include "mutate/state/state_diff.hpp"

#include "base/assert.hpp"
#include "traits/traits.hpp"

#include <algorithm>
#include <cstring>

namespace kith::mutate {

namespace {

// The place of an added id: a component exists before its properties, and these before values of
// the component. A base comes behind the ids that it may copy to its instance, the marks of such
// ids behind the instances, and a name last, when its parent is known.
int rank_of(id_t id) noexcept {
    if (id == detail::component_type_id) {
        return 0;
    }
    if (is_name(id)) {
        return 6;
    }
    if (id & Override) {
        return 5;
    }
    if (is_pair(id) && (pair_first(id) == ChildOf || pair_first(id) == IsA)) {
        return pair_first(id) == ChildOf ? 2 : 4;
    }
    return traits::trait_of(id) != 0 || id == Sparse || id == Union || id == Tag ? 1 : 3;
}

// Removals are in the reverse order of additions: a fact that another one depends on is removed
// after it.
bool comes_first(const fact& left, const fact& right) noexcept {
    if (left.kind != right.kind) {
        return left.kind < right.kind;
    }
    if (left.kind == fact_kind::id_removed) {
        return rank_of(left.id) > rank_of(right.id);
    }
    return left.kind == fact_kind::id_added && rank_of(left.id) < rank_of(right.id);
}

// The entities that may differ: those of pages, tables and stores that the states do not share.
class changed_entities {
public:
    changed_entities(const state_reader& before, const state_reader& after)
        : before_(before.state()),
          after_(after.state()),
          marks_(std::max(before.index_limit(), after.index_limit())) {}

    // Parts of states are compared by address: unchanged parts are shared, so that most of the cost
    // depends on the changes and not on the size of the world. Marked entities may still be equal.
    const std::vector<bool>& find() {
        each_page();
        each_table();
        each_store(before_.sparse, after_.sparse);
        each_store(before_.toggles, after_.toggles);
        each_links(before_.links, after_.links);
        return marks_;
    }

private:
    template <class Part>
    static const Part* at(const state_vector<std::shared_ptr<const Part>>& parts,
                          std::size_t number) noexcept {
        return number < parts.size() ? parts[number].get() : nullptr;
    }
    // Records have places of rows as well: only those that differ count.
    void each_page() {
        const std::size_t limit = std::max(before_.pages.size(), after_.pages.size());
        for (std::size_t page = 0; page < limit; ++page) {
            const record_page* old_page = at(before_.pages, page);
            const record_page* new_page = at(after_.pages, page);
            for (std::size_t i = 0; old_page != new_page && i < detail::record_page_size; ++i) {
                if (!old_page || !new_page ||
                    std::memcmp(&(*old_page)[i], &(*new_page)[i], sizeof((*old_page)[i])) != 0) {
                    marks_[(page << detail::record_page_bits) + i] = true;
                }
            }
        }
    }
    // With another structure, a table may have other ids under the same number.
    void each_table() {
        const bool same = before_.structure == after_.structure;
        for (std::size_t number = 0; number < std::max(before_.rows.size(), after_.rows.size());
             ++number) {
            const rows_copy* old_rows = at(before_.rows, number);
            const rows_copy* new_rows = at(after_.rows, number);
            if (old_rows == new_rows &&
                (same || !old_rows ||
                 before_.structure->tables[number].ids == after_.structure->tables[number].ids)) {
                continue;
            }
            mark_rows(old_rows);
            mark_rows(new_rows);
        }
    }
    void mark_rows(const rows_copy* rows) {
        if (rows) {
            for (entity_t entity : *rows->entities) {
                marks_[index_of(entity)] = true;
            }
        }
    }
    template <class Stores>
    void each_store(const Stores& before, const Stores& after) {
        each_difference(before, after, [&](const sparse_copy& copy) {
            for (std::uint32_t i = 0; i < copy.store.count(); ++i) {
                marks_[index_of(copy.store.entity_at(i))] = true;
            }
        });
    }
    template <class Stores>
    void each_links(const Stores& before, const Stores& after) {
        each_difference(before, after, [&](const links_copy& copy) {
            for (std::uint32_t source = copy.store.next_source(1); source != 0;
                 source = copy.store.next_source(source + 1)) {
                marks_[source] = true;
            }
        });
    }
    template <class Stores, class Mark>
    void each_difference(const Stores& before, const Stores& after, Mark&& mark) {
        for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
            const auto* old_store = at(before, i);
            const auto* new_store = at(after, i);
            if (old_store != new_store) {
                if (old_store) {
                    mark(*old_store);
                }
                if (new_store) {
                    mark(*new_store);
                }
            }
        }
    }

    const world_state& before_;
    const world_state& after_;
    std::vector<bool> marks_;
};

// Compares the ids of one entity.
class id_comparison {
public:
    id_comparison(entity_t entity, const world_t* world, std::vector<fact>& facts) noexcept
        : entity_(entity), world_(world), facts_(facts) {}

    void run(const std::vector<captured_id>& before, const std::vector<captured_id>& after) {
        KITH_ASSERT(is_sorted(before) && is_sorted(after), "ids are compared in order");
        // An entity on the way to another parent has no name, because the names of its siblings
        // there may be the same.
        moves_ = parent_in(before) != parent_in(after);
        auto old_id = before.begin();
        auto new_id = after.begin();
        while (old_id != before.end() || new_id != after.end()) {
            if (new_id == after.end() || (old_id != before.end() && old_id->id < new_id->id)) {
                remove(*old_id++);
            } else if (old_id == before.end() || new_id->id < old_id->id) {
                add(*new_id++);
            } else {
                compare_values(*old_id++, *new_id++);
            }
        }
    }

private:
    static bool is_sorted(const std::vector<captured_id>& ids) noexcept {
        return std::is_sorted(
            ids.begin(), ids.end(),
            [](const captured_id& a, const captured_id& b) { return a.id < b.id; });
    }
    static id_t parent_in(const std::vector<captured_id>& ids) noexcept {
        auto found = std::find_if(ids.begin(), ids.end(), [](const captured_id& own) {
            return is_pair(own.id) && !(own.id & Override) && pair_first(own.id) == ChildOf;
        });
        return found != ids.end() ? found->id : 0;
    }
    void compare_values(const captured_id& before, const captured_id& after) {
        const bool same = are_equal(before.value, after.value, world_);
        if (is_name(after.id)) {
            // A name changes by two facts, so that siblings can exchange their names.
            if (!same || moves_) {
                remove(before);
                add(after);
            }
            return;
        }
        if (!same) {
            facts_.push_back(
                {fact_kind::value_changed, entity_, after.id, before.value, after.value, false});
        }
        if (before.disabled != after.disabled) {
            facts_.push_back({after.disabled ? fact_kind::id_disabled : fact_kind::id_enabled,
                              entity_,
                              after.id,
                              {},
                              {},
                              false});
        }
    }
    void remove(const captured_id& id) {
        facts_.push_back({fact_kind::id_removed, entity_, id.id, id.value, {}, id.disabled});
    }
    void add(const captured_id& id) {
        facts_.push_back({fact_kind::id_added, entity_, id.id, {}, id.value, id.disabled});
    }

    entity_t entity_;
    const world_t* world_;
    std::vector<fact>& facts_;
    bool moves_ = false;  // the entity gets another parent
};

// Compares two states. With a scope, entities outside of it are not compared at all.
class state_comparison {
public:
    state_comparison(const state_reader& before, const state_reader& after, const world_t* world,
                     const diff_scope* scope)
        : before_(before),
          after_(after),
          world_(world),
          scope_(scope),
          old_scopes_(before.scopes_of_types()),
          new_scopes_(after.scopes_of_types()) {}

    std::vector<fact> run() {
        changed_entities changed(before_, after_);
        const std::vector<bool>& marks = changed.find();
        auto compare_marked = [&](std::uint32_t index) {
            if (index < marks.size() && marks[index]) {
                compare(index);
            }
        };
        if (scope_) {
            std::for_each(scope_->indices.begin(), scope_->indices.end(), compare_marked);
        } else {
            for (std::uint32_t index = 1; index < marks.size(); ++index) {
                compare_marked(index);
            }
        }
        sort_facts(facts_);
        return std::move(facts_);
    }

private:
    void compare(std::uint32_t index) {
        const entity_t old_entity = before_.alive_at(index);
        const entity_t new_entity = after_.alive_at(index);
        const bool is_cpp_type = index < first_entity && detail::find_type(index);
        if (is_cpp_type && (old_entity != 0 ? before_ : after_).is_internal(index)) {
            return;
        }
        if (old_entity == new_entity) {
            if (new_entity != 0 && !has_equal_rows(index)) {
                compare_ids(new_entity, before_.ids_of(index), after_.ids_of(index));
            }
            return;
        }
        // Types stay, and so do their scopes.
        if (std::binary_search(old_scopes_.begin(), old_scopes_.end(), index) ||
            std::binary_search(new_scopes_.begin(), new_scopes_.end(), index)) {
            return;
        }
        // Another entity that has an index of a part of the world now is not part of it.
        if (old_entity != 0 && !is_cpp_type && (!scope_ || scope_->deletes)) {
            compare_ids(old_entity, before_.ids_of(index), {});
            facts_.push_back({fact_kind::entity_deleted, old_entity, 0, {}, {}, false});
        }
        if (new_entity != 0 && is_cpp_type) {
            std::vector<captured_id> properties = after_.ids_of(index);
            std::erase_if(properties, [](const captured_id& own) { return rank_of(own.id) != 1; });
            compare_ids(new_entity, {}, properties);
        } else if (new_entity != 0) {
            facts_.push_back({fact_kind::entity_made, new_entity, 0, {}, {}, false});
            compare_ids(new_entity, {}, after_.ids_of(index));
        }
    }
    // True if nothing of the entity differs, as far as that can be found without its ids: rows that
    // were copied again are compared column by column.
    bool has_equal_rows(std::uint32_t index) const {
        const storage::entity_record& left = *before_.find(index);
        const storage::entity_record& right = *after_.find(index);
        if (before_.has_sparse(index) || after_.has_sparse(index) || left.table != right.table ||
            before_.state().structure != after_.state().structure) {
            return false;
        }
        const rows_copy& old_rows = *before_.state().rows[left.table];
        const rows_copy& new_rows = *after_.state().rows[right.table];
        for (std::size_t i = 0; i < old_rows.columns.size(); ++i) {
            const column_copy& old_column = *old_rows.columns[i];
            const column_copy& new_column = *new_rows.columns[i];
            const bool named = !old_column.type();
            const captured_value old_value{named ? nullptr : old_column.at(left.row),
                                           old_column.type(),
                                           named ? &old_column.names()[left.row] : nullptr};
            const captured_value new_value{named ? nullptr : new_column.at(right.row),
                                           new_column.type(),
                                           named ? &new_column.names()[right.row] : nullptr};
            if (!are_equal(old_value, new_value, world_)) {
                return false;
            }
        }
        return true;
    }
    void compare_ids(entity_t entity, const std::vector<captured_id>& before,
                     const std::vector<captured_id>& after) {
        const std::size_t known = facts_.size();
        mutate::compare_ids(entity, before, after, world_, facts_);
        if (scope_ && !scope_->ids.empty()) {
            auto first = facts_.begin() + static_cast<std::ptrdiff_t>(known);
            auto is_outside = [&](const fact& found) {
                return !std::binary_search(scope_->ids.begin(), scope_->ids.end(), found.id);
            };
            facts_.erase(std::remove_if(first, facts_.end(), is_outside), facts_.end());
        }
    }

    const state_reader& before_;
    const state_reader& after_;
    const world_t* world_;
    const diff_scope* scope_;
    std::vector<std::uint32_t> old_scopes_;  // of C++ types
    std::vector<std::uint32_t> new_scopes_;
    std::vector<fact> facts_;
};

}  // namespace

void compare_ids(entity_t entity, const std::vector<captured_id>& before,
                 const std::vector<captured_id>& after, const world_t* world,
                 std::vector<fact>& facts) {
    id_comparison(entity, world, facts).run(before, after);
}

void sort_facts(std::vector<fact>& facts) {
    std::stable_sort(facts.begin(), facts.end(), comes_first);
}

std::vector<fact> find_differences(const state_reader& before, const state_reader& after,
                                   const world_t* world, const diff_scope* scope) {
    return state_comparison(before, after, world, scope).run();
}

}  // namespace kith::mutate
