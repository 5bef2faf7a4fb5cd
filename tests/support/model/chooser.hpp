// Chooses slots, ids, properties and bases for random programs, rather such that something happens.
#pragma once

#include "support/model/runner.hpp"

#include <random>

namespace model {

class chooser {
public:
    explicit chooser(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t limit) { return random_() % limit; }
    bool chance(std::size_t one_in) { return below(one_in) == 0; }

    // Any slot, but rather one for which `wanted` holds.
    template <class Wanted>
    std::uint8_t find_slot(Wanted&& wanted) {
        auto slot = static_cast<std::uint8_t>(below(slot_count));
        if (!chance(20)) {
            for (std::uint8_t i = 0; i < slot_count; ++i) {
                auto at = static_cast<std::uint8_t>((slot + i) % slot_count);
                if (wanted(at)) {
                    return at;
                }
            }
        }
        return slot;
    }
    std::uint8_t free_slot(const runner& state);
    std::uint8_t live_slot(const runner& state);
    std::uint8_t bare_slot(const runner& state);
    static bool has(const runner& state, std::uint8_t at, id_t id);
    static bool has_parent(const runner& state, std::uint8_t at);
    static bool is_relation(const runner& state, std::uint8_t at);
    std::uint8_t relation_slot(const runner& state);
    // A base rather than not: prefabs, and those who have something to pass on.
    std::uint8_t choose_base(const runner& state, std::uint8_t instance);
    void choose_property(const runner& state, op& made);
    // One that the relation has, if it has any.
    void choose_held_property(const runner& state, op& made);
    void choose_mark(const runner& state, op& made);
    // Somebody who may be the target, if the relation is choosy.
    std::uint8_t choose_target(const runner& state, std::uint8_t relation);
    static bool may_mirror(const runner& state, std::uint8_t relation);
    std::uint8_t any_component();
    void choose_id(const runner& state, op& made, bool pair);
    void choose_valued(const runner& state, op& made, bool pair);
    // Now and then the number of another entity's value, which is then copied.
    void choose_known_number(const runner& state, op& made);
    // An id that the entity has, if it has one of this form.
    void choose_held(const runner& state, op& made, bool pair, bool disabled = false);
    static std::uint8_t element_of(const runner& state, std::uint32_t index);
    void choose_pattern(const runner& state, op& made);

private:
    std::mt19937_64 random_;
};

}  // namespace model
