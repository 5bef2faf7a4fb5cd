// Worlds whose monitors write down what they are told.
#pragma once

#include "support/event_log.hpp"

#include <algorithm>
#include <string>

namespace kith_test {

struct Ship {};
struct Planet {};
struct Broken {};
struct DockedTo {};
struct Fuel {
    int amount = 0;
};

struct monitor_log : event_log {
    // Writes +entity or -entity, with the other variables.
    auto writer() {
        return [this](kith::iter& it) {
            const char* sign = it.event() == kith::OnAdd ? "+" : "-";
            for (std::size_t row = 0; row < std::max<std::size_t>(it.count(), 1); ++row) {
                log += sign + (it.count() ? name_of(it.entity(row)) : "");
                const std::uint32_t variables = kith::detail::variable_count(it.query());
                for (std::int32_t i = 1; i < static_cast<std::int32_t>(variables); ++i) {
                    log += it.get_var(i) ? "," + name_of(it.get_var(i)) : "";
                }
                log += " ";
            }
        };
    }
    // Writes how many rows come in each call: +3 or -3.
    auto counter() {
        return [this](kith::iter& it) {
            log += (it.event() == kith::OnAdd ? "+" : "-") + std::to_string(it.count()) + " ";
        };
    }
    kith::entity named(const char* name) { return world.entity(name); }

    kith::entity a = named("a");
    kith::entity b = named("b");
    kith::entity c = named("c");
    kith::entity d = named("d");
};

}  // namespace kith_test
