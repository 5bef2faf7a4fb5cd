// Hooks, errors and flushing.
#include "support/model/runner.hpp"

namespace model {

void runner::on_event(const kith::detail::hook_event& event, void* context) {
    auto& self = *static_cast<runner*>(context);
    event_kind kind = event.event == kith::OnAdd   ? event_kind::added
                      : event.event == kith::OnSet ? event_kind::was_set
                                                   : event_kind::removed;
    std::int64_t number = 0;
    if (event.value) {
        const component* type = self.model_.value_type(event.id);
        number = type ? read_number(self.number_of(*type), event.value) : -1;
    }
    self.heard_.push_back({event.entity, event.id, kind, kind == event_kind::was_set ? number : 0});
    // Tables that the running operation needs must stay.
    if (self.heard_.size() % 8 == 0) {
        self.world_.shrink();
    }
}

void runner::validate(const kith::detail::hook_event& event, void* context) {
    const auto& self = *static_cast<const runner*>(context);
    const component* type = event.value ? self.model_.value_type(event.id) : nullptr;
    if (type && is_refused_number(read_number(self.number_of(*type), event.value))) {
        throw kith::error(errc::constraint, "the value is refused");
    }
}

std::set<errc> runner::attempt(const std::function<void()>& action) {
    last_message_.clear();
    try {
        action();
        return {};
    } catch (const kith::error& failed) {
        last_message_ = failed.what();
        return {failed.code()};
    }
}
void runner::expect_error(const std::set<errc>& actual, const std::set<errc>& expected) {
    if (actual.empty() != expected.empty() ||
        (!actual.empty() && expected.count(*actual.begin()) == 0)) {
        fail("kith: " + text(actual) + (last_message_.empty() ? "" : " (" + last_message_ + ")") +
             ", model: " + text(expected));
    }
    if (!actual.empty() && counts_) {
        ++counts_->errors;
    }
}
void runner::count_effect(op_kind kind) {
    if (counts_) {
        ++counts_->had_effect[static_cast<std::size_t>(kind)];
    }
}
void runner::count_property(const op& one) {
    if (counts_ && one.kind == op_kind::add_property) {
        ++counts_->added[static_cast<std::size_t>(one.number) % property_count];
    } else if (counts_ && one.kind == op_kind::remove_property) {
        ++counts_->removed[static_cast<std::size_t>(one.number) % property_count];
    }
}
void runner::collect_effects(bool deferred) {
    for (std::size_t i = 0; counts_ && i < effect_count; ++i) {
        counts_->effects[i] += model_.effects[i];
        counts_->deferred_effects[i] += deferred ? model_.effects[i] : 0;
    }
    model_.effects = {};
}
void runner::enqueue(call request, const op* one) {
    if (kith::is_pair(request.id)) {
        request.elements = {model_.alive_at(kith::pair_first(request.id)),
                            model_.alive_at(kith::pair_second(request.id))};
    }
    model_.queue.push_back(std::move(request));
    queued_ops_.push_back(one ? std::optional(*one) : std::nullopt);
}

// Without what came and went.
void runner::drop_passing(std::vector<event>& events) {
    std::map<std::pair<entity_t, id_t>, std::pair<int, int>> counts;
    for (const event& one : events) {
        counts[{one.entity, one.id}].first += one.kind == event_kind::added;
        counts[{one.entity, one.id}].second += one.kind == event_kind::removed;
    }
    std::erase_if(events, [&](const event& one) {
        const auto& [added, removed] = counts[{one.entity, one.id}];
        return added != 0 && added == removed;
    });
}
// The hooks heard what they should, in any order.
void runner::compare_events() {
    std::vector<event> expected = std::exchange(model_.events, {});
    std::vector<event> actual = std::exchange(heard_, {});
    std::sort(expected.begin(), expected.end());
    std::sort(actual.begin(), actual.end());
    if (expected != actual) {
        fail("hooks heard " + text(actual) + ", should hear " + text(expected));
    }
}
// What replaces another pair of an entity is heard of after what it replaces.
void runner::check_event_order() {
    std::set<std::pair<entity_t, std::uint32_t>> added;
    for (const event& one : heard_) {
        std::pair<entity_t, std::uint32_t> relation = {one.entity, kith::pair_first(one.id)};
        if (one.kind == event_kind::added) {
            added.insert(relation);
        }
        if (one.kind == event_kind::removed && added.count(relation)) {
            fail("OnRemove after OnAdd: " + text(heard_));
        }
    }
}
void runner::compare_flush_events(const flush_report& report) {
    std::vector<event> actual = std::exchange(heard_, {});
    std::vector<event> expected = report.net;
    if (report.exact) {
        std::sort(expected.begin(), expected.end());
        std::sort(actual.begin(), actual.end());
        if (expected != actual) {
            fail("hooks of a flush heard " + text(actual) + ", should hear " + text(expected));
        }
        return;
    }
    // The change that they heard of must be the net change, without more noise than if the
    // commands had run one by one.
    struct tally {
        int actual = 0;
        int net = 0;
        int gross = 0;
    };
    std::map<std::pair<entity_t, id_t>, std::array<tally, 3>> tallies;
    auto count = [&](const std::vector<event>& events, int tally::*member) {
        for (const event& one : events) {
            ++(tallies[{one.entity, one.id}][static_cast<std::size_t>(one.kind)].*member);
        }
    };
    count(actual, &tally::actual);
    count(report.net, &tally::net);
    count(report.gross, &tally::gross);
    for (const auto& [key, kinds] : tallies) {
        bool good = kinds[0].actual - kinds[2].actual == kinds[0].net - kinds[2].net;
        bool survived = model_.is_element(key.first);
        for (const tally& one : kinds) {
            good &= one.actual >= one.net;
            // The end of an entity may come a little later than in the list.
            good &= one.actual <= std::max(one.net, one.gross) || !survived;
        }
        if (!good) {
            fail("hooks of a flush heard of " + text(key.second) + " of " + text(key.first) + ": " +
                 text(actual) + "; net " + text(report.net) + "; one by one " + text(report.gross));
        }
    }
}

void runner::defer_end() {
    --depth_;
    std::set<errc> actual = attempt([&] { world_.defer_end(); });
    flush_refused_ = !actual.empty();
    if (depth_ != 0) {
        expect_error(actual, {});
        return;
    }
    collect_effects(false);
    flush_report report = model_.flush();
    collect_effects(true);
    freed_while_queued_ = copies_queued_ = deletion_queued_ = false;
    std::vector<std::optional<op>> ops = std::exchange(queued_ops_, {});
    for (std::size_t i = 0; i < ops.size(); ++i) {
        if (report.changed[i] && ops[i]) {
            count_effect(ops[i]->kind);
            count_property(*ops[i]);
        }
    }
    count_effect(op_kind::defer_end);
    // What was queued when deferring was suspended runs one by one.
    report.exact &= !std::exchange(was_suspended_, false);
    compare_errors(actual, report);
    compare_flush_events(report);
    compare_all();
}
// The first error is raised, and they are counted.
void runner::compare_errors(const std::set<errc>& actual, const flush_report& report) {
    std::size_t needed = 0;
    std::set<errc> possible;
    for (const command_error& one : report.errors) {
        if (needed == 0) {
            possible.insert(one.codes.begin(), one.codes.end());
        }
        needed += !one.optional;
    }
    if (!actual.empty() ? possible.count(*actual.begin()) == 0 && report.dropped == 0
                        : needed != 0) {
        fail("kith: " + text(actual) + " (" + last_message_ + "), model: " +
             text(report.errors.empty() ? std::set<errc>{} : report.errors[0].codes));
    }
    std::size_t told = actual.empty() ? 0 : 1;
    if (std::size_t at = last_message_.rfind("(the first of "); at != std::string::npos) {
        told = std::strtoull(last_message_.c_str() + at + 14, nullptr, 10);
    }
    if (told < needed || told > report.errors.size() + report.dropped) {
        fail(std::to_string(report.errors.size()) +
             " commands failed, but kith says: " + last_message_);
    }
    if (!actual.empty() && counts_) {
        ++counts_->errors;
    }
}

}  // namespace model
