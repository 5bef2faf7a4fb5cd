// The search for owners of a term, declared in owner_search.hpp.
#include "query/exec/ops/owner_search.hpp"

#include "query/exec/ancestor_cache.hpp"

namespace kith::queries {

namespace {

// Each id that a wildcard stands for is looked up by itself.
void collect_wildcard(const exec_context& context, const location& source, const term& term,
                      std::vector<match>& matches) {
    const bool pair = is_pair(term.id);
    collect_matches(
        context.data, source,
        {term, nullptr, nullptr, false, false, (pair ? pair_first(term.id) : term.id) == Any,
         pair && pair_second(term.id) == Any},
        matches);
}

}  // namespace

void owner_search::open(const exec_context& context, const op& op, const term& term) {
    position = {};
    owner = {};
    listed = false;
    const location source = context.is_dead(term) ? location{} : context.source_of(term);
    if (!source.table) {
        return;
    }
    if (is_wildcard(term.id) && searches_beyond(term, source)) {
        listed = true;
        next_entry = 0;
        matches.clear();
        collect_wildcard(context, source, term, matches);
    } else if (term.flags & TraverseAll) {
        next_entry = 0;
        owners.clear();
        collect_owners(context.data, source, term, owners);
        next_owner(term);
    } else if (op.memo == 0) {
        owner = find_owner(context.data, source, term);
    } else if (owner_ref near = find_owner_on_source(context.data, source, term); near.owner != 0) {
        owner = near;
    } else {
        const std::uint32_t above =
            context.caches[op.memo - 1]->find_above(index_of(source.entity));
        owner = {above ? context.data.entities.alive_at(above) : 0, false, 0};
    }
}

bool owner_search::next(exec_context& context, const term& term) {
    if (listed) {
        return next_match(context, term);
    }
    if (owner.owner == 0) {
        return false;
    }
    const storage::store& data = context.data;
    const location source = context.source_of(term);
    do {
        const bool own = owner.is_source;
        const location where = own ? source : locate(data, owner.owner);
        if (!where.table) {
            continue;  // a callback deleted the owner
        }
        owned_id owned;
        while (next_owned_id(data, where, term.id, own ? visibility::own : visibility::inheritable,
                             position, owned)) {
            if (!is_off(data, where.entity, owned.id) &&
                (own || is_passed_on(data, owner, source, owned.id))) {
                context.set_field(term, owner, owned);
                return true;
            }
        }
    } while (next_owner(term));
    return false;
}

bool owner_search::next_match(exec_context& context, const term& term) {
    const location source = context.source_of(term);
    while (next_entry < matches.size()) {
        const match& match = matches[next_entry++];
        owned_id owned{match.id, nullptr, 0};
        // A callback may have removed the id.
        if (context.find_stored(source, match, owned)) {
            context.set_field(term, match.owner, owned);
            return true;
        }
    }
    return false;
}

bool owner_search::next_owner(const term& term) noexcept {
    if (!(term.flags & TraverseAll)) {
        return false;
    }
    position = {};
    if (next_entry < owners.size()) {
        owner = owners[next_entry++];
        return true;
    }
    return false;
}

}  // namespace kith::queries
