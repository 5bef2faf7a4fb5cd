// Makes systems of drafts (include/kith/detail/system_ops.hpp).
#include <kith/kith.hpp>

#include "access/system_access.hpp"
#include "api/draft.hpp"

#include <utility>

namespace kith::detail {

using scheduling::scheduler;
using scheduling::system_body;
using scheduling::system_ref;

namespace {

[[noreturn]] void raise_of(const system_draft& draft, errc code, const std::string& sentence) {
    raise_error(code, (scheduling::path_text(draft.world, draft.entity) + " " + sentence).c_str());
}

// The settings that exclude each other. An immediate system changes the world at once, and a system
// that is split has parts on other threads.
void check_settings(const system_draft& draft, const system_settings& settings) {
    if ((settings.parallel || settings.split) && settings.immediate) {
        raise_of(draft, errc::constraint,
                 "is immediate, so it cannot be parallel() or multi_threaded()");
    }
    if (settings.split && settings.main_thread) {
        raise_of(draft, errc::constraint, "is multi_threaded(), so it cannot be main_thread()");
    }
}

// Parts of a split system run at the same time: none may write what another one reads.
void check_split(const system_draft& draft, const system_body& body) {
    for (const scheduling::access& one : body.access) {
        const std::string id(id_text(draft.world, one.id).c_str());
        if (one.how & scheduling::access_any_write) {
            raise_of(draft, errc::constraint,
                     "is multi_threaded() and writes values of " + id + " that rows share");
        }
        if ((one.how & scheduling::access_own_write) && (one.how & scheduling::access_any_read)) {
            raise_of(draft, errc::constraint,
                     "is multi_threaded(), writes " + id + " of its rows and reads " + id +
                         " of other entities");
        }
    }
}

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

// The body owns the action from its creation on, so that the callback is freed if a check throws.
// The context joins the body last.
std::shared_ptr<system_body> make_body(const system_draft& draft, const query_desc& terms,
                                       const system_settings& settings, system_action action) {
    auto body = std::make_shared<system_body>();
    body->action = action;
    check_settings(draft, settings);
    if (terms.count != 0 || terms.expr.size != 0) {
        query_desc nameless = terms;
        nameless.name = {};
        body->query = query_ref(make_query(draft.world, nameless));
    }
    body->is_task = matches_nothing(body->query.get());
    body->conditions = draft.conditions;
    find_access(draft, *body);
    if (settings.split) {
        check_split(draft, *body);
    }
    if (settings.if_changed && body->query.get()) {
        is_query_changed(body->query.get());  // changes count from here on
    }
    body->settings = settings;
    return body;
}

// Writes the entity of a system: tags, phase, edges and components for own settings.
class system_entity {
public:
    system_entity(const system_draft& draft, const system_body& body)
        : draft_(draft), body_(body), entity_(draft.world, draft.entity) {}

    // The order of the steps matters for observers: System comes first, so that later changes count
    // as changes of a system.
    void write(scheduling::system_data& data, bool is_new) {
        entity_.add(System);
        if (is_new && !entity_.has<Order>()) {
            entity_.set(Order{data.number});
        }
        const system_settings& settings = body_.settings;
        if (settings.has_phase || is_new) {
            set_phase(data, settings.has_phase ? settings.phase : entity_t{OnUpdate});
        }
        for (const auto& [relation, target] : draft_.edges) {
            if (!entity_.has(relation, target)) {
                entity_.add(relation, target);
                added_.emplace_back(relation, target);
            }
        }
        add_own_settings();
    }
    // Removes only edges that write() has added: the entity may have had others before.
    void remove_edges() {
        for (const auto& [relation, target] : added_) {
            entity_.remove(relation, target);
        }
    }

private:
    void set_phase(scheduling::system_data& data, entity_t phase) {
        if (data.phase && data.phase != phase && is_alive(draft_.world, data.phase)) {
            entity_.remove(DependsOn, data.phase);
            entity_.remove(data.phase);
        }
        data.phase = phase;
        if (phase) {
            entity_.add(phase);
            entity_.add(DependsOn, phase);
        }
    }
    // Components that terms read from the system itself.
    void add_own_settings() {
        const query_head* query = body_.query.get();
        for (std::uint32_t i = 0; query && i < term_count(query); ++i) {
            const term_info term = term_at(query, static_cast<std::int32_t>(i));
            if (term.source == draft_.entity && term.has_id && !is_wildcard(term.id) &&
                term.oper != Not && !entity_.has(term.id)) {
                entity_.add(term.id);
            }
        }
    }

    const system_draft& draft_;
    const system_body& body_;
    kith::entity entity_;
    std::vector<std::pair<entity_t, entity_t>> added_;
};

// The facts of before the call that undo() needs.
struct undo_state {
    bool is_new;
    std::shared_ptr<system_body> body;  // of before
};

// A system whose order contradicts itself is not made.
void undo(scheduler& owner, system_draft& draft, system_entity& written, const undo_state& before) {
    written.remove_edges();
    if (before.is_new) {
        kith::entity(draft.world, draft.entity).remove(System);
    } else {
        owner.get(draft.entity).body = before.body;
    }
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
    const undo_state before{is_new, data->body};
    if (is_new || owner.running.empty()) {
        data->body = body;
    } else {
        data->next = body;
        owner.systems.note_next(data);
    }
    owner.mark_stale();
    system_entity written(*draft, *body);
    written.write(*data, is_new);
    // Contradictions are reported here and not in the next frame, if plans can be made now.
    if (owner.has_edges() && !is_busy(draft->world)) {
        scheduling::attempt([&] { owner.check_orders(); },
                            [&] {
                                undo(owner, *draft, written, before);
                                scheduling::throw_again();
                            });
    }
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
