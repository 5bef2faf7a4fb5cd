#include "support/query_model/monitor_session.hpp"

#include "support/query_model/calls.hpp"
#include "support/query_model/text.hpp"

#include <algorithm>

namespace query_model {

void monitor_session::run(const step& one) {
    on.run(one.kind == step_kind::make_queries || one.kind == step_kind::check
               ? step{step_kind::flush, nothing, {}, 0}
               : one);
    deferred_ = one.kind == step_kind::defer ||
                (deferred_ && one.kind != step_kind::flush && one.kind != step_kind::make_queries &&
                 one.kind != step_kind::check);
    switched_ = switched_ || one.kind == step_kind::switch_off;
    if (one.kind == step_kind::make_queries) {
        make(one.number);
    }
    if (!deferred_) {
        ++comparison_;
        compare();
    }
}
void monitor_session::add(const program_query& one) {
    queries_.push_back(std::make_unique<tested>());
    queries_.back()->what = one;
}
std::size_t monitor_session::events() const {
    std::size_t sum = 0;
    for (const auto& one : queries_) {
        sum += one->events;
    }
    return sum;
}
std::vector<std::int32_t> monitor_session::key_fields_of(const std::vector<oracle::term>& terms) {
    std::vector<std::int32_t> found;
    std::vector<bool> required{true};
    std::int32_t field = 0;
    bool in_chain = false;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const oracle::term& one = terms[i];
        if (one.kind == oracle::term_kind::open) {
            const bool chained = in_chain || terms[end_of_scope(terms, i)].oper == kith::Or;
            required.push_back(required.back() && one.oper == kith::And && !chained);
            in_chain = false;
        } else if (one.kind == oracle::term_kind::close) {
            required.pop_back();
            in_chain = one.oper == kith::Or;
        } else {
            const bool shares = i != 0 && !oracle::is_bracket(terms[i - 1]) && in_chain;
            field += !shares;
            const bool chained = in_chain || one.oper == kith::Or;
            in_chain = one.oper == kith::Or;
            const bool alone = !chained && one.oper == kith::And;
            if (required.back() && is_open(one) && (alone || is_wild_chain(terms, i)) &&
                (found.empty() || found.back() != field)) {
                found.push_back(field);
            }
        }
    }
    return found;
}
bool monitor_session::is_wild_chain(const std::vector<oracle::term>& terms, std::size_t at) {
    auto is_wild = [&](const oracle::term& one) {
        return is_open(one) && one.first.variable < 0 && !(one.pair && one.second.variable >= 0);
    };
    while (at > 0 && terms[at - 1].oper == kith::Or) {
        --at;
    }
    for (; terms[at].oper == kith::Or; ++at) {
        if (!is_wild(terms[at])) {
            return false;
        }
    }
    return is_wild(terms[at]);
}
std::size_t monitor_session::end_of_scope(const std::vector<oracle::term>& terms, std::size_t at) {
    int depth = 0;
    for (;; ++at) {
        depth += terms[at].kind == oracle::term_kind::open;
        depth -= terms[at].kind == oracle::term_kind::close;
        if (depth == 0) {
            return at;
        }
    }
}
bool monitor_session::looks_below(const oracle::term& one) {
    return one.source.flags & kith::Down && !(one.source.flags & kith::TraverseAll);
}
bool monitor_session::is_open(const oracle::term& one) {
    auto is = [&](entity_t id) {
        return (one.first.variable < 0 && one.first.id == id) ||
               (one.pair && one.second.variable < 0 && one.second.id == id);
    };
    return one.kind == oracle::term_kind::find && one.oper < kith::Not && is(kith::Wildcard) &&
           !is(kith::Any);
}
void monitor_session::make(int group) {
    for (auto& one : queries_) {
        std::vector<oracle::term> written;
        if (one->what.group != group || !resolve(on, one->what.terms, written)) {
            continue;
        }
        try {
            auto builder = on.world.query_builder();
            for (const oracle::term& each : written) {
                say(builder, each, false);
            }
            one->query =
                one->what.choice % 2 ? builder.cached().build() : builder.uncached().build();
        } catch (const kith::error&) {
            continue;
        }
        const std::size_t results = count_results(one->query);
        if (results == most_results) {
            continue;
        }
        one->every = 1 + results / 500;
        one->key_fields = key_fields_of(oracle::understood(oracle::reader(on.world), written));
        one->looks_below = std::any_of(written.begin(), written.end(), looks_below);
        auto listen = [this, to = one.get()](kith::iter& it) { on_event(*to, it); };
        // Both sides are the same, told to one or to two.
        if (one->what.choice % 4 < 2) {
            one->monitor = one->query.monitor(listen, kith::yield_existing);
        } else {
            one->monitor = one->query.on_enter(listen, kith::yield_existing);
            one->other_view = one->query.on_leave(listen);
        }
    }
}
std::size_t monitor_session::count_results(const kith::query<>& query) {
    std::size_t results = 0;
    for (auto run = query.iter(); results < most_results && run.next();) {
        results += std::max<std::size_t>(run->count(), 1);
    }
    return std::min(results, most_results);
}
monitor_session::key monitor_session::key_of(const tested& one, const kith::iter& it,
                                             std::size_t row) {
    key made{it.count() ? it.entity(row).id() : 0};
    for (std::int32_t i = 1; i < one.query.var_count(); ++i) {
        made.push_back(it.get_var(i));
    }
    for (std::int32_t field : one.key_fields) {
        made.push_back(it.id(field));
    }
    return made;
}
std::string monitor_session::text(const key& one) const {
    std::string made;
    for (id_t id : one) {
        made += (made.empty() ? "" : " ") + (id ? text_of(on, id) : std::string("-"));
    }
    return made;
}
void monitor_session::on_event(tested& to, const kith::iter& it) const {
    const bool enters = it.event() == kith::OnAdd;
    for (std::size_t row = 0; row < std::max<std::size_t>(it.count(), 1); ++row) {
        ++to.events;
        key event_mask = key_of(to, it, row);
        if (enters ? !to.mirror.insert(event_mask).second : to.mirror.erase(event_mask) == 0) {
            to.fault =
                (enters ? "entered twice: " : "left without being there: ") + text(event_mask);
        }
    }
}
void monitor_session::compare() {
    for (std::size_t i = 0; i < queries_.size(); ++i) {
        tested& one = *queries_[i];
        // Whether the query itself has a result may be a matter of the order of rows: the
        // nearest that it meets first may be switched off, and another one not that is as near.
        if (!one.monitor || (one.looks_below && switched_) || comparison_ % one.every != 0) {
            continue;
        }
        std::set<key> fresh;
        one.query.iter([&](kith::iter& it) {
            for (std::size_t row = 0; row < std::max<std::size_t>(it.count(), 1); ++row) {
                fresh.insert(key_of(one, it, row));
            }
        });
        for (const key& each : fresh) {
            if (!one.mirror.contains(each)) {
                throw difference(i, "not entered: " + text(each));
            }
        }
        for (const key& each : one.mirror) {
            if (!fresh.contains(each)) {
                throw difference(i, "not left: " + text(each));
            }
        }
        if (!one.fault.empty()) {
            throw difference(i, one.fault);
        }
    }
}

}  // namespace query_model
