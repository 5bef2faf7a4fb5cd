// Worlds whose observers write down what they are told.
#pragma once

#include <kith/kith.hpp>

#include "support/types.hpp"

#include <string>
#include <utility>

namespace kith_test {

struct event_log {
    event_log() { register_all(world); }

    static std::string name_of(kith::entity one) { return one.name().c_str(); }
    // Of an id, without the namespace of these tests.
    static std::string short_text(kith::id id) {
        std::string text = id.str().c_str();
        for (std::size_t at; (at = text.find("kith_test.")) != std::string::npos;) {
            text.erase(at, 10);
        }
        return text;
    }
    // For each(): event, id and entity.
    auto note(const char* before = "") {
        return [this, before](kith::iter& it, std::size_t row) {
            log += before + name_of(it.event()) + " " + short_text(it.event_id()) + " " +
                   (it.count() ? name_of(it.entity(row)) : "-") + "; ";
        };
    }
    // The same, with the entity that has the first field's id if it is another.
    auto note_source() {
        return [this](kith::iter& it, std::size_t row) {
            log += name_of(it.event()) + " " + short_text(it.event_id()) + " " +
                   name_of(it.entity(row)) + (it.src(1) ? "<-" + name_of(it.src(1)) : "") + "; ";
        };
    }
    std::string taken() { return std::exchange(log, {}); }

    std::string log;  // outlives the world, which may write to it when it ends
    kith::world world;
};

}  // namespace kith_test
