// The order of results, declared in result_order.hpp.
#include "query/order/result_order.hpp"

#include "base/raise.hpp"
#include "events/track.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// Refuses a group_by that has no rows to group or nothing to group by.
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
    auto order = std::make_unique<result_order>();
    for (std::uint32_t i = 0; i < desc.order_by_count; ++i) {
        order->keys.push_back(make_sort_key(data, names, desc.order_by[i], model));
    }
    order->by = {desc.group_by_id,       desc.group_by,        desc.group_by_ctx,
                 desc.group_by_ctx_free, desc.on_group_create, desc.on_group_delete,
                 desc.group_descending};
    return order;
}

namespace {

id_t id_behind(id_t id, const storage::store::replacement& replaced) noexcept {
    if (!is_pair(id)) {
        return id == replaced.before ? replaced.now : id;
    }
    const auto element = [&](std::uint32_t index) {
        return index == index_of(replaced.before) ? index_of(replaced.now) : index;
    };
    return make_pair(element(pair_first(id)), element(pair_second(id)));
}

}  // namespace

void follow_replaced(const storage::store& data, result_order& order) noexcept {
    for (const storage::store::replacement& replaced : data.replaced) {
        for (sort_key& key : order.keys) {
            key.by.component = id_behind(key.by.component, replaced);
            key.pattern = id_behind(key.pattern, replaced);
            const std::uint32_t now = index_of(replaced.now);
            key.type = key.type == index_of(replaced.before) ? now : key.type;
            key.by.type = key.by.type == index_of(replaced.before) ? now : key.by.type;
        }
        order.by.by = id_behind(order.by.by, replaced);
    }
}

namespace {

// Records the ticks of sort values. Entities change with the rows of their tables, so a key by
// entity tracks any id that all these tables have.
void track_keys(storage::store& data, const query_model& model, const result_order& order) {
    for (const sort_key& key : order.keys) {
        if (!key.by_entity()) {
            events::track(data, key.pattern);
            continue;
        }
        const auto* marker = std::find_if(model.begin(), model.end(), [](const term& term) {
            return term.is_required() && term.kind == term_kind::ids &&
                   term.from == source_kind::self && !is_open(term.id);
        });
        if (marker != model.end()) {
            events::track(data, marker->id);
        }
    }
}

}  // namespace

void track_order(storage::store& data, const query_model& model, result_order& order) {
    order.semantics = semantics_snapshot(data, model);
    if (order.keys.empty()) {
        return;
    }
    track_keys(data, model, order);
    order.keeps_results = false;
    change_dependencies dependencies = find_dependencies(data, model);
    // A group function may answer differently at any time, so results cannot be kept. Rows that
    // pass comparisons change with each write, so that they are found anew.
    if (order.by.func || !model.conditions.empty()) {
        return;
    }
    // Results that are whole tables need the ticks of tables with a sort value only.
    if (!dependencies.by_row) {
        auto is_tracked = [&](const sort_key& key) {
            return !key.by_entity() && track_tables(data, model, key.pattern, dependencies);
        };
        order.keeps_results =
            order.by.by == 0 && std::any_of(order.keys.begin(), order.keys.end(), is_tracked);
        order.dependencies = std::move(dependencies);
        return;
    }
    if (order.by.by != 0) {
        dependencies.anywhere.push_back({make_pair(order.by.by, Wildcard), false});
    }
    track_dependencies(data, model, dependencies);
    order.dependencies = std::move(dependencies);
    order.keeps_results = true;
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
