// Implements the plans of pipeline_data.hpp: results of a pipeline's query, edges in the world,
// order and sync points.
#include <kith/kith.hpp>

#include "access/system_access.hpp"
#include "frame/fixed_phases.hpp"
#include "frame/pipeline_data.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace kith::scheduling {

namespace {

// Calls visit(entity) for everything that can be reached from the entity along the relationship,
// once each, the entity itself excluded.
template <class Visit>
void each_above(const entity& from, entity_t relation, std::unordered_set<entity_t>& seen,
                Visit&& visit) {
    from.each(relation, [&](entity target) {
        if (seen.insert(target).second) {
            visit(target);
            each_above(target, relation, seen, visit);
        }
    });
}

// Collects the systems of a pipeline, and the edges between them. A builder is used once. Nodes of
// the order are first the systems, by position, then gates: edges about a set, phase or module lead
// to its gates, and the members lie between them.
class plan_builder {
public:
    plan_builder(world_t* raw, const pipeline_data& pipeline, const system_set& systems)
        : world_(raw), pipeline_(pipeline), systems_(systems) {}

    std::shared_ptr<pipeline_plan> build(std::unordered_set<entity_t>& ancestors) {
        collect_systems();
        place_blocks();
        collect_edges();
        connect_members(ancestors);
        const order_result order = find_order(nodes_, edges_);
        if (!order.contradiction.empty()) {
            detail::raise_error(errc::cycle, contradiction_text(order.contradiction).c_str());
        }
        return make(order.sequence);
    }

private:
    // The two nodes of an entity that systems belong to: all members lie between them.
    struct gate {
        std::uint32_t begin;
        std::uint32_t end;
    };
    // The first group and number of the systems of a phase with fixed steps.
    struct block_place {
        std::uint32_t group = ~std::uint32_t{0};
        std::int64_t number = std::numeric_limits<std::int64_t>::max();
    };

    // Groups count the groups of the query's results, which a cascade orders by the depth of
    // phases. A query with order_by gives each system a group of its own, so that its order cannot
    // be changed by numbers.
    void collect_systems() {
        const detail::query_head* query = pipeline_.query.get();
        detail::run_options options;
        options.untracked = true;
        detail::query_run run(query, world_, options);
        detail::result found{};
        std::uint64_t last = 0;
        std::uint32_t group = 0;
        while (run.next(found)) {
            if (query->is_ordered_by_group && !nodes_.empty() && found.group != last) {
                ++group;
            }
            last = found.group;
            for (std::uint32_t row = 0; row < found.count; ++row) {
                const entity_t system = found.entities[row];
                const system_data* data = systems_.find(system);
                if (data && place_.emplace(system, nodes_.size()).second) {
                    const Order* given = world_.entity(system).get<Order>();
                    group = pipeline_.has_order ? static_cast<std::uint32_t>(nodes_.size()) : group;
                    nodes_.push_back({system, group, given ? given->number : data->number, false});
                }
            }
        }
        system_count_ = static_cast<std::uint32_t>(nodes_.size());
    }

    // Systems of a phase with fixed steps, and of the phases that depend on it, become neighbours:
    // at the depth and the number of the first of them.
    void place_blocks() {
        std::map<entity_t, block_place> blocks;
        block_of_.assign(system_count_, 0);
        for (std::uint32_t i = 0; i < system_count_; ++i) {
            block_of_[i] = find_fixed_phase(world_.entity(nodes_[i].entity));
            if (block_of_[i]) {
                check_not_nested(world_.entity(block_of_[i]));
                block_place& place = blocks[block_of_[i]];
                place.group = std::min(place.group, nodes_[i].group);
                place.number = std::min(place.number, nodes_[i].number);
            }
        }
        if (!blocks.empty()) {
            number_groups(blocks);
        }
    }
    // Numbers the groups anew, so that a block has groups of its own and systems of its depth lie
    // before or behind it.
    void number_groups(const std::map<entity_t, block_place>& blocks) {
        // Depth, then before, inside of or behind a block of that depth, then depth inside.
        using key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
        const auto blocks_before = [&](std::uint32_t group, std::int64_t number) {
            return static_cast<std::uint32_t>(
                std::count_if(blocks.begin(), blocks.end(), [&](const auto& block) {
                    return block.second.group == group && block.second.number < number;
                }));
        };
        std::vector<key> keys;
        for (std::uint32_t i = 0; i < system_count_; ++i) {
            const order_node& node = nodes_[i];
            if (block_of_[i]) {
                const block_place& place = blocks.at(block_of_[i]);
                keys.emplace_back(place.group, 2 * blocks_before(place.group, place.number) + 1,
                                  node.group);
            } else {
                keys.emplace_back(node.group, 2 * blocks_before(node.group, node.number), 0);
            }
        }
        std::vector<key> sorted = keys;
        std::sort(sorted.begin(), sorted.end());
        sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
        for (std::uint32_t i = 0; i < system_count_; ++i) {
            nodes_[i].group = static_cast<std::uint32_t>(
                std::lower_bound(sorted.begin(), sorted.end(), keys[i]) - sorted.begin());
        }
    }

    // The node that edges from the entity begin at (`end`) or lead to: the system, or the gate of
    // all systems that belong to the entity.
    std::uint32_t node_of(entity_t subject, bool end) {
        if (const auto place = place_.find(subject); place != place_.end()) {
            return static_cast<std::uint32_t>(place->second);
        }
        const auto [known, is_new] = gates_.emplace(subject, gate{});
        if (is_new) {
            known->second = {add_gate(subject), add_gate(subject)};
        }
        return end ? known->second.end : known->second.begin;
    }
    std::uint32_t add_gate(entity_t subject) {
        nodes_.push_back({subject, 0, 0, true});
        return static_cast<std::uint32_t>(nodes_.size() - 1);
    }
    void collect_edges() {
        // Nodes of systems come first, and edges between systems and gates before those of members.
        for (const entity_t relation : {Before, After}) {
            each_with(relation, [&](entity subject) {
                subject.each(relation, [&](entity target) {
                    add_edge(relation == Before ? subject : target,
                             relation == Before ? target : subject);
                });
            });
        }
        explicit_count_ = edges_.size();
    }
    // Calls visit(entity) for each entity with pairs of the relationship. A disabled system keeps
    // its edges, because the plan outlives its state.
    template <class Visit>
    void each_with(entity_t relation, Visit&& visit) const {
        constexpr bool hidden = true;
        detail::id_cursor cursor(world_, make_pair(relation, Wildcard), hidden);
        for (detail::batch found; cursor.next(found);) {
            for (std::uint32_t i = 0; i < found.count; ++i) {
                visit(world_.entity(found.entities[i]));
            }
        }
    }
    void add_edge(entity_t before, entity_t after) {
        const std::uint64_t key = (std::uint64_t{index_of(before)} << 32) | index_of(after);
        if (known_edges_.insert(key).second) {
            edges_.push_back({node_of(before, true), node_of(after, false)});
        }
    }
    // Puts the members of sets, phases and modules between their gates.
    void connect_members(std::unordered_set<entity_t>& ancestors) {
        for (std::uint32_t i = 0; i < system_count_; ++i) {
            const entity system = world_.entity(nodes_[i].entity);
            std::unordered_set<entity_t> sets;
            each_above(system, InSet, sets, [&](entity set) { connect(i, set); });
            system.each(DependsOn, [&](entity phase) { connect(i, phase); });
            std::unordered_set<entity_t> phases;
            each_above(system, DependsOn, phases, [&](entity above) { ancestors.insert(above); });
            for (entity parent = system.parent(); parent; parent = parent.parent()) {
                connect(i, parent);
                ancestors.insert(parent);
            }
        }
    }
    // Entities without edges have no gates, and need none.
    void connect(std::uint32_t system, entity_t owner) {
        if (const auto known = gates_.find(owner); known != gates_.end()) {
            edges_.push_back({known->second.begin, system});
            edges_.push_back({system, known->second.end});
        }
    }

    std::string name_of(std::uint32_t node) const { return path_text(world_, nodes_[node].entity); }
    std::string phase_name(std::uint32_t node) const {
        const entity phase = world_.entity(nodes_[node].entity).target(DependsOn);
        return phase ? path_text(world_, phase) : "none";
    }
    std::string step_reason(const order_step& step) const {
        if (!step.by_group) {
            return step.gate == no_gate ? "edge" : "edge of " + name_of(step.gate);
        }
        return pipeline_.has_order
                   ? "order_by of the pipeline"
                   : "phase " + phase_name(step.before) + " before " + phase_name(step.after);
    }
    std::string contradiction_text(const std::vector<order_step>& way) const {
        std::string text = "the order of systems contradicts itself: ";
        for (std::size_t i = 0; i < way.size(); ++i) {
            text += (i ? ", " : "") + name_of(way[i].before) + " before " + name_of(way[i].after) +
                    " (" + step_reason(way[i]) + ")";
        }
        return text;
    }

    // The reason is a guess from the neighbours in the order: an edge, or an order against the
    // numbers, stands for an edge that leads through others.
    order_reason reason_of(std::uint32_t before, std::uint32_t node) const {
        if (pipeline_.has_order) {
            return order_reason::order_by;
        }
        if (nodes_[before].group != nodes_[node].group) {
            return order_reason::phase;
        }
        const bool by_edge = std::any_of(edges_.begin(), edges_.end(), [&](const order_edge& edge) {
            return edge.before == before && edge.after == node;
        });
        const bool by_number = nodes_[before].number <= nodes_[node].number;
        return by_edge || !by_number ? order_reason::edge : order_reason::declaration;
    }
    // True if a block of fixed steps begins or ends in front of the entry.
    static bool note_block(pipeline_plan& plan, entity_t phase, std::uint32_t at) {
        const bool inside = !plan.blocks.empty() && plan.blocks.back().end == at;
        if (inside && plan.blocks.back().phase == phase) {
            plan.blocks.back().end = at + 1;
            return false;
        }
        if (phase) {
            plan.blocks.push_back({phase, at, at + 1});
        }
        return phase || inside;
    }
    // The explicit edges with the systems on both sides, by position in the order.
    std::vector<plan_edge> find_plan_edges(const std::vector<std::uint32_t>& sequence) const {
        std::vector<std::uint32_t> position(system_count_);
        for (std::uint32_t at = 0; at < sequence.size(); ++at) {
            position[sequence[at]] = at;
        }
        // Members of the gates, by the node of the gate.
        std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> members;
        for (std::size_t i = explicit_count_; i < edges_.size(); ++i) {
            const bool enters = edges_[i].after < system_count_;
            members[enters ? edges_[i].before : edges_[i].after].push_back(
                position[enters ? edges_[i].after : edges_[i].before]);
        }
        const auto systems_of = [&](std::uint32_t node) -> std::vector<std::uint32_t> {
            if (node < system_count_) {
                return {position[node]};
            }
            const auto known = members.find(node);
            return known != members.end() ? known->second : std::vector<std::uint32_t>();
        };
        std::vector<plan_edge> found;
        for (std::size_t i = 0; i < explicit_count_; ++i) {
            found.push_back({systems_of(edges_[i].before), systems_of(edges_[i].after)});
        }
        return found;
    }
    void plan_way(const system_body& body, planned_system& planned) const {
        planned.chosen = systems_.stateless_are_parallel && is_stateless(body);
        planned.way = planned.chosen ? run_way::parallel : way_of(body.settings);
        planned.begins_batch =
            body.is_sorted || body.settings.if_changed ||
            std::any_of(body.conditions.begin(), body.conditions.end(),
                        [](const run_condition& condition) { return !condition.query.get(); });
    }
    void add_batches(pipeline_plan& plan, const std::vector<std::uint32_t>& sequence) const {
        for (batch& made : make_batches(plan.systems, plan.entries, find_plan_edges(sequence))) {
            for (std::uint32_t at = made.begin; at < made.end; ++at) {
                plan.runs[at].flags |= entry_parallel;
                plan.runs[at].batch = static_cast<std::uint32_t>(plan.batches.size());
            }
            plan.batches.push_back(std::make_unique<batch_run>(std::move(made), plan.data));
        }
    }
    // The sync points come last, because they depend on the order and on the implied access of all
    // systems. The borders of blocks are barriers: a step must see the commands of the step before.
    std::shared_ptr<pipeline_plan> make(const std::vector<std::uint32_t>& sequence) {
        auto plan = std::make_shared<pipeline_plan>();
        for (std::uint32_t at = 0; at < sequence.size(); ++at) {
            const order_node& node = nodes_[sequence[at]];
            system_ref data = systems_.share(node.entity);
            planned_system planned;
            planned.entity = node.entity;
            planned.group = node.group;
            planned.phase = world_.entity(node.entity).target(DependsOn);
            plan_way(*data->body, planned);
            const bool at_border = note_block(*plan, block_of_[sequence[at]], at);
            planned.barrier = data->body->settings.barrier || at_border;
            planned.access = data->body->access;
            add_implied(world_, planned.access);
            plan->systems.push_back(std::move(planned));
            plan->reasons.push_back(at ? reason_of(sequence[at - 1], sequence[at])
                                       : order_reason::first);
            plan->place.emplace(node.entity, at);
            plan->data.push_back(std::move(data));
        }
        plan->entries = make_plan(plan->systems, pipeline_.points);
        plan->edges = edge_ways(nodes_.size(), edges_, sequence);
        plan->runs.resize(sequence.size());
        for (std::uint32_t at = 0; at < sequence.size(); ++at) {
            fill_entry(*plan, at);
            plan->runs[at].flags |= find_state_flags(world_, plan->systems[at].entity);
        }
        add_batches(*plan, sequence);
        return plan;
    }

    const world world_;
    const pipeline_data& pipeline_;
    const system_set& systems_;
    std::vector<order_node> nodes_;  // systems, then gates
    std::uint32_t system_count_ = 0;
    std::vector<entity_t> block_of_;  // of systems: the phase with fixed steps, or 0
    std::vector<order_edge> edges_;   // between systems, sets and the like; then of members
    std::size_t explicit_count_ = 0;  // of the former
    std::unordered_map<entity_t, std::size_t> place_;
    std::unordered_map<entity_t, gate> gates_;
    std::unordered_set<std::uint64_t> known_edges_;
};

}  // namespace

std::string path_text(const world_t* world, entity_t entity) {
    const string text = detail::path_of(world, 0, entity, "::", "");
    return text.length() ? std::string(text.c_str()) : "#" + std::to_string(index_of(entity));
}

std::shared_ptr<pipeline_plan> build_plan(world_t* world, const pipeline_data& pipeline,
                                          const system_set& systems,
                                          std::unordered_set<entity_t>& ancestors) {
    return plan_builder(world, pipeline, systems).build(ancestors);
}

void fill_entry(pipeline_plan& plan, std::uint32_t at) {
    system_data& data = *plan.data[at];
    const system_body& body = *data.body;
    run_entry& entry = plan.runs[at];
    entry.run = body.action.run;
    entry.function = body.action.function;
    entry.query = body.query.get();
    entry.data = &data;
    const bool is_simple = body.action.by_list && !body.is_task && body.conditions.empty() &&
                           !body.settings.if_changed && !data.group.is_set &&
                           way_of(body.settings) == run_way::alone;
    entry.flags = (entry.flags & (state_flags | entry_parallel)) |
                  (plan.entries[at].sync.cause != sync_cause::none ? entry_sync : 0u) |
                  (is_simple ? 0u : entry_general);
}

bool is_enabled(const world_t* raw, entity_t system) {
    const world shown(const_cast<world_t*>(raw));
    const entity subject = shown.entity(system);
    bool enabled = !subject.has(Disabled);
    for (const entity_t relation : {DependsOn, ChildOf}) {
        std::unordered_set<entity_t> seen;
        each_above(subject, relation, seen,
                   [&](entity above) { enabled = enabled && !above.has(Disabled); });
    }
    return enabled;
}

std::uint32_t find_state_flags(const world_t* raw, entity_t system) {
    const entity subject(const_cast<world_t*>(raw), system);
    return (is_enabled(raw, system) ? 0u : std::uint32_t{entry_disabled}) |
           (subject.owns<TickSource>() ? std::uint32_t{entry_timed} : 0u);
}

}  // namespace kith::scheduling
