#include "query/order/result_order.hpp"

#include "base/raise.hpp"

namespace kith::queries {

namespace {

void check_groups(const storage::store& data, const resolver& names, const query_desc& desc,
                  const query_model& model) {
    base::text message;
    if (!model.has_this) {
        base::raise(errc::invalid_query,
                    "group_by: the query has fixed sources only, there are no rows to group");
    }
    if (desc.group_by) {
        return;
    }
    if (is_pair(desc.group_by_id) || is_wildcard(desc.group_by_id)) {
        message << "group_by: ";
        names.describe(names.world, desc.group_by_id, message);
        message << " is no relationship, and there is no function to group by";
        base::raise(errc::invalid_query, message);
    }
    if (!data.entities.find(desc.group_by_id)) {
        base::raise(errc::invalid_entity, "group_by: the relationship is not alive");
    }
}

}  // namespace

result_order::~result_order() {
    if (by.free_ctx) {
        by.free_ctx(by.ctx);
    }
}

std::unique_ptr<result_order> make_result_order(const storage::store& data, const resolver& names,
                                                const query_desc& desc, const query_model& model) {
    const bool grouped = desc.is_grouped();
    if (grouped) {
        check_groups(data, names, desc, model);
    } else if (desc.group_by_ctx || desc.on_group_create || desc.on_group_delete) {
        base::raise(errc::invalid_query,
                    "a context or function for groups was given, and nothing to group by");
    }
    if (!grouped && desc.order_by_count == 0) {
        return nullptr;
    }
    if (desc.order_by_count > max_sort_keys) {
        base::text message;
        message << "a query is sorted by at most " << max_sort_keys << " things";
        base::raise(errc::limit, message);
    }
    auto made = std::make_unique<result_order>();
    for (std::uint32_t i = 0; i < desc.order_by_count; ++i) {
        made->keys.push_back(make_sort_key(data, names, desc.order_by[i], model));
    }
    made->by = {desc.group_by_id,       desc.group_by,        desc.group_by_ctx,
                desc.group_by_ctx_free, desc.on_group_create, desc.on_group_delete,
                desc.group_descending};
    return made;
}

void describe_order(const result_order& order, std::vector<order_desc>& keys, query_desc& desc) {
    for (const sort_key& key : order.keys) {
        keys.push_back(key.by);
    }
    desc.order_by = keys.data();
    desc.order_by_count = static_cast<std::uint32_t>(keys.size());
    desc.group_by_id = order.by.by;
    desc.group_by = order.by.func;
    desc.group_descending = order.by.descending;
    desc.group_by_ctx = order.by.ctx;
}

}  // namespace kith::queries
