// Implements system_access.hpp.
#include "access/system_access.hpp"

#include <kith/detail/effects.hpp>
#include <kith/detail/split_run.hpp>
#include <kith/query.hpp>

namespace kith::scheduling {

namespace {

bool says_write(const detail::term_info& term) noexcept {
    return term.inout == Out || term.inout == InOut;
}

// The access of a term about the entity of a row. A term that matches nothing (Not) reads no value.
// A Not term that declares a write announces that the callback adds the id by commands.
std::uint32_t own_access(const detail::term_info& term) noexcept {
    if (term.oper == Not) {
        return access_match | (says_write(term) ? access_queue : 0u);
    }
    switch (term.inout) {
        case InOutNone:
            return access_match;
        case In:
            return access_match | access_own_read;
        default:
            return access_match | access_own_read | access_own_write;
    }
}

// The access of a term about other entities. Presence on other entities is read as well as values:
// whether a parent has an id decides about results. So a sync point is needed behind commands about
// the id.
std::uint32_t other_access(const detail::term_info& term, bool is_cascade) noexcept {
    return (is_cascade ? access_above_read : access_any_read) |
           (term.oper != Not && says_write(term) ? access_any_write : 0u);
}

// The access that a term without a source declares.
std::uint32_t declared_access(const detail::term_info& term) noexcept {
    return (term.inout == Out ? 0u : std::uint32_t{access_any_read}) |
           (says_write(term) ? access_queue : 0u);
}

// A comparison reads the values of the term, negated ones too, and those of its right side, which
// may be values of any entity.
void add_compared(const detail::term_info& term, id_t id, access_list& list) {
    if (term.compares_values) {
        add_access(list, id,
                   term.subject == detail::term_subject::own ? access_own_read : access_any_read);
    }
    if (term.compared != 0) {
        add_access(list, term.compared, access_any_read);
    }
}

template <class Visit>
void each_term(const detail::query_head* query, Visit&& visit) {
    const auto count = static_cast<std::int32_t>(detail::term_count(query));
    for (std::int32_t i = 0; i < count; ++i) {
        const detail::term_info term = detail::term_at(query, i);
        if (term.has_id) {
            // A list of ids stands for ids that may change.
            visit(i, term, term.oper >= AndFrom ? id_t{Wildcard} : term.id);
        }
    }
}

// Extends a list by the ids that commands change in addition to their own id. The list grows while
// the finder follows rules, and an id that is listed as queued ends the recursion, so that circles
// of With are harmless.
class implied_finder {
public:
    implied_finder(world_t* world, access_list& list) : world_(world), list_(list) {}

    void add_implied_of(id_t id) {
        const std::uint32_t element = is_pair(id) ? pair_first(id) : index_of(id);
        if (is_wildcard_element(element)) {
            return;
        }
        if (element == IsA) {
            add(Wildcard);  // the ids of the base
            return;
        }
        const entity subject(world_, detail::get_alive(world_, element));
        if (!subject) {
            return;
        }
        if (is_pair(id) && (subject.has(Symmetric) || detail::has_one_target(world_, subject))) {
            add(make_pair(element, Wildcard));
        }
        subject.each(With, [&](entity added) {
            add(added);
            if (is_pair(id)) {
                add(make_pair(added, pair_second(id)));
            }
        });
        // Queries for a base find what is derived from it.
        subject.each(IsA, [&](entity base) {
            add(is_pair(id) ? make_pair(base, pair_second(id)) : id_t{base});
        });
    }

private:
    void add(id_t id) {
        for (const access& known : list_) {
            if (known.id == id && (known.how & access_queue)) {
                return;
            }
        }
        add_access(list_, id, access_queue);
        add_implied_of(id);
    }

    world_t* world_;
    access_list& list_;
};

}  // namespace

void add_terms(const detail::query_head* query, access_list& list) {
    const std::int32_t cascade = detail::cascade_term(query);
    each_term(query, [&](std::int32_t number, const detail::term_info& term, id_t id) {
        add_compared(term, id, list);
        switch (term.subject) {
            case detail::term_subject::own:
                add_access(list, id, own_access(term));
                break;
            case detail::term_subject::others:
                add_access(list, id, other_access(term, number == cascade));
                break;
            case detail::term_subject::none:
                add_access(list, id, declared_access(term));
                break;
        }
    });
}

void add_condition_terms(const detail::query_head* query, access_list& list) {
    each_term(query, [&](std::int32_t, const detail::term_info& term, id_t id) {
        add_compared(term, id, list);
        add_access(list, id, access_any_read);
    });
}

void add_implied(world_t* world, access_list& list) {
    implied_finder finder(world, list);
    const std::size_t declared = list.size();
    for (std::size_t i = 0; i < declared; ++i) {
        if (list[i].how & access_queue) {
            finder.add_implied_of(list[i].id);
        }
    }
}

}  // namespace kith::scheduling
