// Implements part_access.hpp.
#include "frame/part_access.hpp"

#include <kith/kith.hpp>

#include "frame/pipeline_data.hpp"

#include <string>

namespace kith::scheduling {

namespace {

// Ids of the library are not declared: they change by commands only, at sync points.
bool is_of_library(id_t id) noexcept {
    const std::uint32_t element = is_pair(id) ? pair_first(id) : index_of(id);
    return element < detail::first_type ||
           (element >= first_builtin && element < detail::builtin_end);
}

// The kinds of access that allow a use.
std::uint32_t kinds_for(detail::access_guard::kind wanted) noexcept {
    switch (wanted) {
        case detail::access_guard::kind::test:
            return access_sees;
        case detail::access_guard::kind::read:
            return access_sees & ~access_match;
        case detail::access_guard::kind::write:
            break;
    }
    return access_own_write | access_any_write;
}

}  // namespace

bool part_access::is_own_row(entity_t entity) const {
    if (entity == 0 || !body_.query.get()) {
        return false;
    }
    if (split_) {
        return split_->has_row(part_, entity);
    }
    detail::run_options options;
    options.untracked = true;
    if (!detail::find_entity_range(stage_, entity, options)) {
        return false;
    }
    detail::query_run run(body_.query.get(), stage_, options);
    detail::result found{};
    return run.next(found);
}

// Values that only the terms of the system name belong to its rows: those of other rows must not be
// written, and not be read where parts write them.
void part_access::check(entity_t entity, id_t id, kind wanted) const {
    if (is_of_library(id)) {
        return;
    }
    bool is_foreign = false;
    for (const access& one : body_.access) {
        if (!(one.how & kinds_for(wanted)) || !overlaps(one.id, id)) {
            continue;
        }
        const std::uint32_t anywhere = wanted == kind::write
                                           ? access_any_write
                                           : access_any_read | access_any_write | access_above_read;
        const bool is_shared = wanted == kind::write || (split_ && (one.how & access_own_write));
        if (wanted == kind::test || (one.how & anywhere) || !is_shared || is_own_row(entity)) {
            return;
        }
        is_foreign = true;
    }
    raise(entity, id, wanted, is_foreign);
}

void part_access::raise(entity_t entity, id_t id, kind wanted, bool is_foreign) const {
    static constexpr const char* verbs[] = {"asks for ", "reads ", "writes "};
    const std::string name = detail::id_text(stage_, id).c_str();
    std::string text =
        path_text(stage_, system_.entity) + " " + verbs[static_cast<std::size_t>(wanted)] + name;
    text += entity ? " of " + path_text(stage_, entity) : std::string(" by a query");
    if (wanted == kind::write) {
        text += is_foreign ? ", which is no row of the part" : ", which it does not declare";
        text +=
            split_ ? ": queue the value by set<" + name + ">()" : ": add .modify<" + name + ">()";
    } else if (is_foreign) {
        text += ", which other parts may write: read it in a system of its own";
    } else {
        text += ", which it does not declare: add .read<" + name + ">()";
    }
    detail::raise_error(errc::undeclared_access, text.c_str());
}

// Values of a query are those of any entity.
void part_access::check_query(const detail::query_head* query) const {
    if (query == body_.query.get()) {
        return;
    }
    const auto count = static_cast<std::int32_t>(detail::term_count(query));
    for (std::int32_t i = 0; i < count; ++i) {
        const detail::term_info term = detail::term_at(query, i);
        if (!term.has_id || term.subject == detail::term_subject::none) {
            continue;
        }
        const bool is_test = term.oper == Not || term.inout == InOutNone;
        const bool writes = term.inout == Out || term.inout == InOut;
        check(0, term.id, is_test ? kind::test : writes ? kind::write : kind::read);
    }
}

}  // namespace kith::scheduling
