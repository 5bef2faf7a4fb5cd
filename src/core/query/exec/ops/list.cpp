// The operator `list`, declared in list.hpp.
#include "query/exec/ops/list.hpp"

#include "traits/traits.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// The depth to which lists of lists are followed, as lists may contain each other.
constexpr std::uint32_t max_nesting = 32;

// True if the source has the id, as if the id were a term that is searched as `like` is.
bool holds_id(const storage::store& data, const location& source, const term& like, id_t id) {
    term term = like;
    term.oper = And;
    term.id = !is_pair(id) && traits::is_relationship(data, id) ? make_pair(id, Wildcard) : id;
    term.first = is_pair(id) ? data.entities.alive_at(pair_first(id)) : id;
    term.second = is_pair(id) ? data.entities.alive_at(pair_second(id)) : 0;
    const term_semantics meaning = find_semantics(data, term);
    if (!meaning.is_plain() || is_wildcard(term.id)) {
        return is_implied(data, source, term, meaning);
    }
    if (term.flags & TraverseAll) {
        std::vector<owner_ref> owners;
        collect_owners(data, source, term, owners);
        return std::any_of(owners.begin(), owners.end(),
                           [&](const owner_ref& owner) { return !is_off(data, owner.owner, id); });
    }
    const owner_ref owner = find_owner(data, source, term);
    return owner.owner != 0 && !is_off(data, owner.owner, id);
}

bool holds_list(const storage::store& data, const location& source, const term& term, entity_t list,
                oper_kind_t how, std::uint32_t depth) {
    const location holder = locate(data, list);
    if (!holder.table || depth == max_nesting) {
        return how != OrFrom;
    }
    bool any_held = false;
    auto check = [&](id_t id, std::uint32_t traits) {
        const bool nested = is_pair(id) && (pair_first(id) == AllOf || pair_first(id) == AnyOf);
        if ((traits & traits::trait_dont_inherit && !nested) || id & Override) {
            return true;
        }
        const bool held =
            nested ? holds_list(data, source, term, data.entities.alive_at(pair_second(id)),
                                pair_first(id) == AllOf ? AndFrom : OrFrom, depth + 1)
                   : holds_id(data, source, term, id);
        any_held |= held;
        return how == AndFrom ? held : !held;
    };
    bool through = true;
    const storage::table& type = *holder.table;
    for (std::uint32_t i = 0; through && i < type.id_count; ++i) {
        through = check(type.ids[i], type.records[i]->traits);
    }
    if (through) {
        through = storage::each_sparse(
            data, *holder.record, index_of(list), Wildcard,
            [&](const storage::id_record& record) { return check(record.id, record.traits); });
    }
    if (through) {
        through = storage::each_link(
            data, *holder.record, index_of(list), make_pair(Wildcard, Wildcard),
            [&](const storage::id_record& relation, std::uint32_t target) {
                return check(make_pair(pair_first(relation.id), target), relation.traits);
            });
    }
    return how == OrFrom ? any_held : through;
}

}  // namespace

bool list_operator::open(exec_context& context, const op& op) {
    const term& term = context.model.terms[op.first];
    KITH_ASSERT(term.is_from_list(), "the op `list` is for AndFrom, OrFrom and NotFrom");
    const location source = context.is_dead(op.first) ? location{} : context.source_of(term);
    return source.table ? holds_list(context.data, source, term, term.id, term.oper, 0)
                        : term.oper == NotFrom;
}

}  // namespace kith::queries
