// Prepared queries, declared in prepared_query.hpp.
#include "query/prepared_query.hpp"

#include <kith/detail/mutex.hpp>

#include "base/assert.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// A measure of the world's size: graph plans are made anew when it has doubled or halved. It
// depends on the world alone, so that all threads that run a query agree on whether the plan is
// outdated.
std::uint32_t size_of_world(const storage::store& data) noexcept {
    std::uint32_t size = data.entities.count() + data.tables.count();
    for (const storage::id_record* relation : data.link_ids) {
        size += relation->links->pair_count();
    }
    return size;
}

// Replaces an entity whose place a C++ type has taken, in one term.
void follow(term& term, const storage::store::replacement& replaced) noexcept {
    auto take = [&](entity_t& element) {
        const bool named = element == replaced.before;
        element = named ? replaced.now : element;
        return named;
    };
    const bool first = take(term.first);
    const bool second = take(term.second);
    if (is_pair(term.id)) {
        const entity_t relation = first ? replaced.now : pair_first(term.id);
        const entity_t target = second ? replaced.now : pair_second(term.id);
        term.id = (term.id & id_flags_mask) | make_pair(relation, target);
    } else if (first) {
        term.id = (term.id & id_flags_mask) | replaced.now;
    }
    take(term.source);
    for (substitution* substitution : {&term.first_by, &term.second_by}) {
        substitution->trav =
            take(substitution->relation) ? index_of(replaced.now) : substitution->trav;
    }
    term.trav = take(term.relation) ? index_of(replaced.now) : term.trav;
}

}  // namespace

detail::mutex prepared_query::updating;

void prepared_query::attach(const query_model& model, term* terms,
                            ancestor_caches& searches) noexcept {
    model_ = &model;
    terms_ = terms;
    searches_ = &searches;
    has_open_terms_ = std::any_of(model.begin(), model.end(), [](const term& term) {
        return is_open(term.id) && term.from == source_kind::self;
    });
}

void prepared_query::make_cache(storage::store& data, cache_registry& caches,
                                void (*changed)(void* context) noexcept, void* context) {
    cache_.emplace(data, caches, *model_);
    // A group exists as long as it has a table, even one without rows.
    cache_->keep_all(model_->grouped);
    cache_->on_change(changed, context);
}

const plan& prepared_query::steps_for(const storage::store& data, std::uint64_t bound) {
    if (const auto* recent = recent_.load(std::memory_order_acquire);
        recent && recent->bound == bound) {
        return recent->steps;
    }
    detail::lock_guard<detail::mutex> guard(updating);
    auto known = std::find_if(bound_plans_.begin(), bound_plans_.end(),
                              [&](const auto& plan) { return plan->bound == bound; });
    if (known == bound_plans_.end()) {
        auto made = std::make_shared<bound_plan>();
        made->bound = bound;
        made->steps =
            make_plan(data, *model_, cache_.has_value() && !(bound & this_variable), bound);
        known = bound_plans_.insert(known, std::move(made));
    }
    recent_.store(known->get(), std::memory_order_release);
    return (*known)->steps;
}

// True if the world has doubled or halved since the plan was made.
bool prepared_query::has_size_changed(const storage::store& data) const noexcept {
    const std::uint32_t then = planned_size_.load();
    const std::uint32_t now = size_of_world(data);
    return now / 2 > then || then / 2 > now;
}

// True if a term with an open pattern is evaluated at the wrong level: whether links match `*`
// changes with the pairs that exist, not only with properties.
bool prepared_query::have_levels_changed(const storage::store& data) const noexcept {
    if (steps_.graph) {
        return steps_.graph->rows != find_row_terms(data, *model_);
    }
    for (std::uint32_t i = 0; i < steps_.count; ++i) {
        const op& step = steps_.ops[i];
        for (std::uint32_t t = step.first; t < step.last; ++t) {
            const term& term = model_->terms[t];
            if (is_open(term.id) && term.from == source_kind::self && !term.is_from_list() &&
                is_table_level(data, term) != (step.level == op_level::table)) {
                return true;
            }
        }
    }
    for (std::uint32_t t = 0; t < model_->count; ++t) {
        const term& term = model_->terms[t];
        if ((steps_.cached >> t) & 1 && is_open(term.id) && !is_table_level(data, term)) {
            return true;
        }
    }
    return false;
}

// True if other terms than before accept ids of subtypes.
bool prepared_query::have_subsets_changed(const storage::store& data) const noexcept {
    const subset_terms known = steps_.graph ? steps_.graph->subsets : subset_terms{};
    return !(find_subsets(data, *model_) == known);
}

// Replaces entities in the terms whose place a C++ type has taken by the entity of the type.
void prepared_query::follow_replaced(const storage::store& data) noexcept {
    for (const storage::store::replacement& replaced : data.replaced) {
        std::for_each(terms_, terms_ + model_->count, [&](term& term) { follow(term, replaced); });
        for (const auto& condition : model_->conditions) {
            follow(condition->operand, replaced);
        }
    }
}

// True if the plan was made for other properties, or other data, than the present ones.
bool prepared_query::is_plan_outdated(const storage::store& data) const noexcept {
    const bool deleted = deletion_epoch_ != data.deletion_epoch;
    return schema_ != data.schema || (deleted && !data.replaced.empty()) ||
           (bases_ != data.base_version && have_subsets_changed(data)) ||
           (cache_ && cache_->is_incomplete()) ||
           (deleted && find_dead_terms(data, *model_) != steps_.dead) ||
           (has_open_terms_ && have_levels_changed(data)) || (has_graph_ && has_size_changed(data));
}

prepared_query::outdated_parts prepared_query::begin_update(const storage::store& data) {
    if (deletion_epoch_ != data.deletion_epoch) {
        follow_replaced(data);
    }
    outdated_parts outdated;
    outdated.plan = is_plan_outdated(data);
    outdated.bases = bases_ != data.base_version;
    outdated.pages = pages_.load() != data.page_count;
    return outdated;
}

std::shared_ptr<const prepared_query::plans> prepared_query::keep_plans(
    const storage::store& data) const {
    if (!steps_.graph || is_plan_outdated(data)) {
        return nullptr;
    }
    if (!kept_ || kept_->steps.graph != steps_.graph || kept_->bound != bound_plans_ ||
        kept_->planned_size != planned_size_.load()) {
        kept_ = std::make_shared<plans>(plans{steps_, bound_plans_, planned_size_.load()});
    }
    return kept_;
}

void prepared_query::return_to(const storage::store& data,
                               const std::shared_ptr<const plans>& kept) {
    const bool is_present = kept && schema_ == data.schema && kept->steps.graph == steps_.graph &&
                            kept->bound == bound_plans_;
    if (is_present) {
        planned_size_.store(kept->planned_size);
        return;
    }
    schema_ = 0;  // no schema: the next update makes a plan
    recent_.store(nullptr, std::memory_order_relaxed);
    bound_plans_.clear();
    if (!kept) {
        return;
    }
    steps_ = kept->steps;
    if (find_dead_terms(data, *model_) != steps_.dead || have_subsets_changed(data) ||
        have_levels_changed(data)) {
        return;
    }
    bound_plans_ = kept->bound;
    kept_ = kept;
    if (cache_) {
        cache_->fill(steps_);
    }
    planned_size_.store(kept->planned_size);
    has_graph_ = true;
    schema_ = data.schema;
    deletion_epoch_ = data.deletion_epoch;
    bases_ = data.base_version;
}

void prepared_query::update_plan(const storage::store& data, const outdated_parts& outdated) {
    if (outdated.plan) {
        schema_ = 0;  // no schema: in case memory runs out before the end
        recent_.store(nullptr, std::memory_order_relaxed);
        bound_plans_.clear();
        steps_ = make_plan(data, *model_, cache_.has_value());
        ++plan_count_;
    }
    assign_ancestor_caches();
}

// Connects the ops that search upward with the ancestor caches of the world.
void prepared_query::assign_ancestor_caches() {
    std::uint8_t used = 0;
    for (std::uint32_t i = 0; i < steps_.count; ++i) {
        op& step = steps_.ops[i];
        step.memo = 0;
        const bool dead = (steps_.dead >> step.first) & 1;
        if (step.code != op_code::match || dead || used == plan::max_ancestor_caches) {
            continue;
        }
        if (ancestor_cache* memo = searches_->find(model_->terms[step.first])) {
            steps_.memos[used] = memo;
            step.memo = ++used;
        }
    }
    has_ancestor_caches_ = used != 0;
}

void prepared_query::update_cache(const outdated_parts& outdated) {
    KITH_ASSERT(cache_.has_value(), "the query is cached");
    if (outdated.plan) {
        cache_->fill(steps_);
        return;
    }
    cache_->catch_up();
    if (outdated.bases) {
        cache_->fill_inheritors();
    }
}

void prepared_query::end_update(const storage::store& data,
                                const outdated_parts& outdated) noexcept {
    has_graph_ = steps_.graph != nullptr;
    pages_.store(data.page_count);
    schema_ = data.schema;
    deletion_epoch_ = data.deletion_epoch;
    bases_ = data.base_version;
    if (outdated.plan) {
        planned_size_.store(size_of_world(data));
    }
}

}  // namespace kith::queries
