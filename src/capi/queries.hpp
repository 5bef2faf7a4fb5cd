// Descriptions of queries: from kith_query_desc_t to what core takes.
#pragma once

#include <kith/query_desc.hpp>

#include "boundary.hpp"

#include <vector>

namespace kith::capi {

// A description for core, with the memory that it refers to. Takes over group_by_ctx: it is freed
// with the query, or with this object if no query is made.
class query_description {
public:
    query_description(const kith_query_desc_t& given, const char* function);
    const query_desc& get() const noexcept { return desc_; }

private:
    void add_terms(const kith_query_desc_t& given, const char* function);
    void add_orders(const kith_query_desc_t& given, const char* function);
    void add_groups(const kith_query_desc_t& given);

    std::vector<term_desc> terms_;
    std::vector<order_desc> orders_;
    query_desc desc_;
};

}  // namespace kith::capi
