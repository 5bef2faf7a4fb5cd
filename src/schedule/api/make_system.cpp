// Makes systems of drafts (include/kith/detail/system_ops.hpp).
#include <kith/kith.hpp>

#include "access/system_access.hpp"
#include "api/declaration_checks.hpp"
#include "api/draft.hpp"

#include <utility>

namespace kith::detail {

using scheduling::scheduler;
using scheduling::system_body;
using scheduling::system_ref;

namespace {

// True if no term is about an entity: such a system is a task, which is called once per run.
bool matches_nothing(const query_head* query) {
    for (std::uint32_t i = 0; query && i < term_count(query); ++i) {
        if (term_at(query, static_cast<std::int32_t>(i)).subject != term_subject::none) {
            return false;
        }
    }
    return true;
}

// Describes the access of the body.
void find_access(const system_draft& draft, system_body& body) {
    if (body.query.get()) {
        scheduling::add_terms(body.query.get(), body.access);
    }
    for (const id_t id : draft.modified) {
        scheduling::add_access(body.access, id,
                               scheduling::access_any_read | scheduling::access_any_write);
    }
    for (const scheduling::run_condition& condition : body.conditions) {
        if (condition.query.get()) {
            scheduling::add_condition_terms(condition.query.get(), body.access);
        }
    }
}

// The draft owns the context from the first call on, and shares it with bodies: a builder whose
// call has failed may be used again.
void share_context(system_draft& draft, const system_settings& settings, system_body& body) {
    if (settings.free_context && settings.context && draft.context.get() != settings.context) {
        draft.context = std::shared_ptr<void>(settings.context, settings.free_context);
    }
    body.owned_context = settings.free_context ? draft.context : nullptr;
}

// The body owns the action from its creation on, so that the callback is freed if a check throws.
std::shared_ptr<system_body> make_body(system_draft& draft, const query_desc& terms,
                                       const system_settings& settings, system_action action) {
    auto body = std::make_shared<system_body>();
    body->action = action;
    body->settings = settings;
    share_context(draft, settings, *body);
    if (terms.count != 0 || terms.expr.size != 0) {
        query_desc nameless = terms;
        nameless.name = {};
        body->query = query_ref(make_query(draft.world, nameless));
    }
    body->is_task = matches_nothing(body->query.get());
    body->is_sorted = terms.order_by_count != 0;
    body->conditions = draft.conditions;
    find_access(draft, *body);
    scheduling::check_declaration(draft.world, draft.entity, settings, body->access);
    if (settings.if_changed && body->query.get()) {
        is_query_changed(body->query.get());  // changes count from here on
    }
    return body;
}

// Writes the entity of a system: tags, phase, edges and components for own settings. The changes
// are noted, so that they can be undone.
class system_entity {
public:
    system_entity(const system_draft& draft, const system_body& body)
        : draft_(draft), body_(body), entity_(draft.world, draft.entity) {}

    // The order of the steps matters for observers: System comes first, so that later changes count
    // as changes of a system.
    void write(scheduling::system_data& data, bool is_new) {
        add(System);
        if (is_new && !entity_.has<Order>()) {
            changes_.push_back({type_id<Order>(), true});
            entity_.set(Order{data.number});
        }
        const system_settings& settings = body_.settings;
        if (settings.has_phase || is_new) {
            set_phase(data, settings.has_phase ? settings.phase : entity_t{OnUpdate});
        }
        for (const auto& [relation, target] : draft_.edges) {
            add(make_pair(relation, target));
        }
        add_own_settings();
    }
    // Takes back the changes of write(), the last one first.
    void undo() {
        for (; !changes_.empty(); changes_.pop_back()) {
            const change& last = changes_.back();
            last.added ? entity_.remove(last.id) : entity_.add(last.id);
        }
    }

private:
    struct change {
        id_t id;
        bool added;
    };

    // The change is noted first: a call that fails has changed nothing, and undoing nothing is
    // harmless.
    void add(id_t id) {
        if (!entity_.has(id)) {
            changes_.push_back({id, true});
            entity_.add(id);
        }
    }
    void remove(id_t id) {
        if (entity_.has(id)) {
            changes_.push_back({id, false});
            entity_.remove(id);
        }
    }
    void set_phase(scheduling::system_data& data, entity_t phase) {
        if (data.phase && data.phase != phase && is_alive(draft_.world, data.phase)) {
            remove(make_pair(DependsOn, data.phase));
            remove(data.phase);
        }
        data.phase = phase;
        if (phase) {
            add(phase);
            add(make_pair(DependsOn, phase));
        }
    }
    // Components that terms read from the system itself.
    void add_own_settings() {
        const query_head* query = body_.query.get();
        for (std::uint32_t i = 0; query && i < term_count(query); ++i) {
            const term_info term = term_at(query, static_cast<std::int32_t>(i));
            if (term.source == draft_.entity && term.has_id && !is_wildcard(term.id) &&
                term.oper != Not) {
                add(term.id);
            }
        }
    }

    const system_draft& draft_;
    const system_body& body_;
    kith::entity entity_;
    std::vector<change> changes_;
};

// The state of a system before it was made or replaced.
struct former_state {
    bool is_new;
    std::shared_ptr<system_body> body;
    std::shared_ptr<system_body> next;
    entity_t phase;
};

// A system that cannot be made, or whose order contradicts itself, leaves the world as it was.
void restore(scheduler& owner, scheduling::system_data& data, system_entity& written,
             const former_state& before) {
    if (before.is_new) {
        owner.drop_system(data.entity);
    } else {
        data.body = before.body;
        data.next = before.next;
        data.phase = before.phase;
    }
    written.undo();
    owner.mark_stale();
}

}  // namespace

// A system that exists is replaced. If callbacks are running, its new body waits in `next` until
// the next sync point: the old body may be the one that runs.
entity_t make_system(system_draft* draft, const query_desc& terms, const system_settings& settings,
                     system_action action) {
    scheduler& owner = scheduler::of(draft->world);
    const std::shared_ptr<system_body> body = make_body(*draft, terms, settings, action);
    const bool is_new = !owner.systems.find(draft->entity);
    const system_ref data = owner.systems.ensure(draft->entity, owner.age());
    const former_state before{is_new, data->body, data->next, data->phase};
    system_entity written(*draft, *body);
    scheduling::attempt(
        [&] {
            if (is_new || owner.running_here().empty()) {
                data->body = body;
            } else {
                data->next = body;
                owner.systems.note_next(data);
            }
            owner.mark_stale();
            written.write(*data, is_new);
            // Contradictions are reported here and not in the next frame, if plans can be made now.
            if (owner.has_edges() && !is_busy(draft->world)) {
                owner.check_orders();
            }
        },
        [&] {
            restore(owner, *data, written, before);
            scheduling::throw_again();
        });
    draft->made = true;
    return draft->entity;
}

void raise_null_callback() {
    raise_error(errc::invalid_operation, "the callback of a system is a null function pointer");
}

std::int32_t checked_rows(std::int32_t rows, const char* call, std::int32_t least) {
    if (rows < least) {
        raise_error(errc::invalid_operation, (std::string(call) + "(" + std::to_string(rows) +
                                              "): it must be at least " + std::to_string(least))
                                                 .c_str());
    }
    return rows;
}

}  // namespace kith::detail
