// Names as seen from deep inside of a hierarchy. What is found level by level, up to the top, is
// remembered: a text whose blocks are nested thousands deep would climb all the way for every word.
//
// Covered by tests/dsl/world_text_load_test.cpp.
#pragma once

#include <kith/world.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kith::dsl {

class deep_names {
public:
    explicit deep_names(const world& world) : world_(world) {}

    // Above so many levels climbing costs less than remembering.
    static bool is_deep(entity scope) {
        constexpr int levels = 16;
        int level = 0;
        for (; level < levels && scope; scope = scope.parent()) {
            ++level;
        }
        return level == levels;
    }

    // As world.lookup() for one name, from a scope on upwards.
    entity find(const entity& scope, std::string_view name) {
        entity found;
        if (const auto known = known_.find(name); known != known_.end()) {
            found = climb(scope, name, &known->second);
        } else {
            found = climb(scope, name, nullptr);
        }
        if (found) {
            remember(scope, name, found);
        }
        return found;
    }

    // Entities of this name have come.
    void forget(std::string_view name) {
        if (const auto known = known_.find(name); known != known_.end()) {
            known_.erase(known);
        }
    }
    // Others may be found from now on.
    void forget_all() {
        known_.clear();
        count_ = 0;
    }

private:
    struct hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>{}(text);
        }
    };
    using by_scope = std::unordered_map<entity_t, entity_t>;

    entity climb(const entity& scope, std::string_view name, const by_scope* known) const {
        for (entity at = scope; at; at = at.parent()) {
            if (known && known->contains(at)) {
                return entity(world_, known->at(at));
            }
            if (const entity_t child = detail::lookup_path(world_, at, name, {}, {}, false)) {
                return entity(world_, child);
            }
        }
        return entity(world_, detail::lookup_path(world_, 0, name, {}, {}, true));
    }
    void remember(const entity& scope, std::string_view name, const entity& found) {
        constexpr std::size_t most = 1 << 20;
        if (++count_ > most) {
            forget_all();
        }
        known_.try_emplace(std::string(name)).first->second.insert_or_assign(scope, found);
    }

    world world_;
    std::unordered_map<std::string, by_scope, hash, std::equal_to<>> known_;
    std::size_t count_ = 0;
};

}  // namespace kith::dsl
