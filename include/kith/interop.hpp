// C and C++ on the same world. A kith_world_t is a kith::world_t: kith::world(raw) refers to a
// world that C owns, and functions of <kith/kith.h> take a kith::world. Queries and results convert
// here. Not part of <kith/kith.hpp>.
//
// Covered by tests/capi/interop_test.cpp.
#pragma once

#include <kith/kith.h>
#include <kith/kith.hpp>

namespace kith {

// A handle that shares a query of C, which keeps its own owner.
inline filter<> share(kith_query_t* query) {
    if (!query) {
        detail::raise_error(errc::invalid_query, "share: the query is NULL");
    }
    query->owners.increment();
    return filter<>(query);
}

// The query of a handle for C, which owns it: kith_query_fini().
inline kith_query_t* hand_over(const filter<>& query) {
    detail::query_head* given = query.ref().get();
    if (given) {
        given->owners.increment();
    }
    return given;
}

// The result that an iterator of C shows. Valid as long as that shows it.
inline iter view(const kith_iter_t& it) {
    iter shown(it.world, it.query);
    detail::result& result = shown.raw();
    result.entities = it.entities;
    result.count = static_cast<std::uint32_t>(it.count);
    result.table = it.table ? reinterpret_cast<const detail::table_shape*>(it.table)->number : 0;
    result.first_row = static_cast<std::uint32_t>(it.offset);
    result.fields = reinterpret_cast<const detail::field_data*>(it.fields);
    result.field_count = static_cast<std::uint32_t>(it.field_count);
    result.variables = it.variables;
    result.group = it.group_id;
    return shown;
}

// The last failure of C on this thread as an error, to be thrown.
inline error last_error() {
    const kith_status_t status = kith_last_status();
    const errc code = status >= KITH_INVALID_ENTITY && status <= KITH_INVALID_TEXT
                          ? static_cast<errc>(status - 1)
                      : status == KITH_CALLBACK  ? errc::callback
                      : status == KITH_NO_MEMORY ? errc::limit
                                                 : errc::invalid_operation;
    return error(code, kith_last_message());
}

}  // namespace kith
