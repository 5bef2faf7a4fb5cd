#include "traits/inherit.hpp"

#include "traits/traits.hpp"

#include <unordered_set>
#include <vector>

namespace kith::traits {

using storage::id_record;

// Readers may be many threads: this memory is not the world's.
struct base_walk::branches {
    std::vector<std::uint32_t> pending;  // the next one last
    std::unordered_set<std::uint32_t> seen;
};

base_walk::~base_walk() {
    delete open_;
}

// Puts the bases of type_ in front of those that are pending.
void base_walk::open_type() {
    if (!(type_->flags & detail::shape_has_base)) {
        return;
    }
    std::size_t first = open_->pending.size();
    for (std::int32_t at = storage::find_match(*type_, any_base, 0); at >= 0;
         at = storage::find_match(*type_, any_base, at + 1)) {
        open_->pending.push_back(pair_second(type_->ids[at]));
    }
    for (std::size_t last = open_->pending.size(); first + 1 < last; ++first) {
        std::swap(open_->pending[first], open_->pending[--last]);
    }
}

entity_t base_walk::next_of_many() {
    if (!open_) {
        open_ = new branches;
    }
    open_type();
    while (!open_->pending.empty()) {
        std::uint32_t index = open_->pending.back();
        open_->pending.pop_back();
        if (open_->seen.insert(index).second) {
            return visit(index);
        }
    }
    return 0;
}

namespace {

// True if the base has a matching id that may be inherited. For patterns whose ids differ in that.
bool offers_any(const storage::store& data, const storage::entity_record& record, entity_t base,
                id_t pattern) {
    const storage::table& type = data.tables.at(record.table);
    for (std::int32_t at = storage::find_match(type, pattern, 0); at >= 0;
         at = storage::find_match(type, pattern, at + 1)) {
        if (!(type.records[at]->traits & trait_dont_inherit)) {
            return true;
        }
    }
    if (is_pair(pattern)) {
        return !storage::each_link(data, record, index_of(base), pattern,
                                   [](const id_record& relation, std::uint32_t) {
                                       return (relation.traits & trait_dont_inherit) != 0;
                                   });
    }
    return !storage::each_sparse(data, record, index_of(base), pattern, [](const id_record& one) {
        return (one.traits & trait_dont_inherit) != 0;
    });
}

bool is_open(id_t pattern) noexcept {
    return is_pair(pattern) ? is_wildcard_element(pair_first(pattern)) : is_wildcard(pattern);
}

}  // namespace

entity_t find_base(const storage::store& data, const detail::table_shape& type, id_t pattern) {
    if (!(type.flags & detail::shape_has_base) || pattern & Override) {
        return 0;
    }
    base_walk bases(data, type);
    if (is_open(pattern)) {
        while (entity_t base = bases.next()) {
            if (offers_any(data, *data.entities.find(base), base, pattern)) {
                return base;
            }
        }
        return 0;
    }
    const id_record* known = is_pair(pattern) ? nullptr : data.ids.find(pattern);
    std::uint32_t traits = known ? known->traits : describe_id(data, pattern).traits;
    if (traits & trait_dont_inherit) {
        return 0;
    }
    bool hides = traits & trait_exclusive && is_pair(pattern);
    id_t wanted = hides ? make_pair(pair_first(pattern), Wildcard) : pattern;
    while (entity_t base = bases.next()) {
        const storage::entity_record& record = data.entities.at(index_of(base));
        if (storage::owns_id(data, record, base, wanted)) {
            return !hides || storage::owns_id(data, record, base, pattern) ? base : 0;
        }
    }
    return 0;
}

}  // namespace kith::traits
