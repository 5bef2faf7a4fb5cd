// Snapshots in random programs. A restored world equals the model as it was at the capture, random
// programs go on from there without a difference, and the same program run twice from one snapshot
// has the same ids, values and order of rows. Differences of random states lead from one to the
// other and back. Transient ids stay as they are.
//
// KITH_SEED=n runs one program; KITH_SEEDS=n runs more; KITH_STREAM=n chooses other snapshots.
#include <kith/diff.hpp>

#include "support/failing_script.hpp"
#include "support/model/generator.hpp"
#include "support/model/operations.hpp"
#include "support/random_programs.hpp"
#include "support/sanitized.hpp"

#include <optional>

#include <doctest/doctest.h>

namespace {

using namespace model;

// Everything that can be seen of a world, the order of rows and sources included.
std::string dump(kith::world& world) {
    std::string text = kith_test::dump_world(world, printers());
    for (std::uint32_t index = 1; index < kith::first_entity + 400; ++index) {
        const kith::entity id = world.get_alive(index);
        if (!id) {
            continue;
        }
        text += std::to_string(index) + ":";
        world.each(id.id(),
                   [&](kith::entity e) { text += " " + std::to_string(kith::index_of(e)); });
        id.children([&](kith::entity child) { text += " <" + std::to_string(child.id()); });
        text += "\n";
    }
    return text;
}

struct kept_state {
    kith::snapshot world;
    runner::checkpoint model;
    std::string dump;
};

class session {
public:
    explicit session(std::uint64_t seed)
        : random_(seed),
          next_(seed * 2654435761u + 1 +
                random_programs::number_from_environment("KITH_STREAM", 0)) {
        probes_ = choose(3);
    }

    void run(std::size_t rounds) {
        for (std::size_t i = 0; i < rounds; ++i) {
            run_steps(1 + choose(60));
            keep();
            if (choose(2) == 0 && !kept_.empty()) {
                go_back(choose_state());
            }
            if (choose(3) == 0 && !kept_.empty()) {
                const kept_state& from = choose_state();
                compare_states(from, choose_state());
            }
            if (choose(3) == 0 && !kept_.empty()) {
                repeat(choose_state());
            }
        }
        kept_.clear();
        probed_.reset();
        both_.finish();
        both_.end_world();
    }
    std::size_t restores() const { return restores_; }
    std::size_t differences() const { return differences_; }
    const std::vector<op>& program() const { return program_; }

private:
    std::uint32_t choose(std::uint32_t limit) {
        next_ = next_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<std::uint32_t>(next_ >> 33) % limit;
    }
    const kept_state& choose_state() {
        return kept_[choose(static_cast<std::uint32_t>(kept_.size()))];
    }
    void step(const op& one) {
        program_.push_back(one);
        both_.step(one);
        probe(one);
    }
    // A snapshot behind each operation: in builds with KITH_ASSERTS, it finds values that were
    // written without notice. A snapshot behind some of them finds writes that are noted only once
    // between two snapshots; a third of the programs has none. The same program has the same
    // probes: the first write behind a snapshot takes another path, which may tidy tables.
    void probe(const op& one) {
        ++steps_since_restore_;
        if (both_.is_deferred() || both_.is_suspended() || probes_ == 0 ||
            (probes_ == 1 && steps_since_restore_ % 8 != 0)) {
            return;
        }
        try {
            probed_ = both_.world().snapshot().take();
        } catch (const kith::error& refused) {
            if (refused.code() != kith::errc::not_copyable) {
                throw difference(std::string(name_of(one.kind)) + ": " + refused.what());
            }
        }
    }
    // The hooks of a deleted component are code, which no snapshot has.
    static bool is_wanted(const op& one) { return one.kind != op_kind::delete_component; }
    std::vector<op> run_steps(std::size_t count) {
        std::vector<op> ran;
        for (std::size_t i = 0; i < count; ++i) {
            const op one = random_.next(both_);
            if (is_wanted(one)) {
                ran.push_back(one);
                step(one);
            }
        }
        both_.finish();
        return ran;
    }
    void keep() {
        constexpr std::uint8_t move_only_element = first_component + move_only;
        step({op_kind::remove_all, 0, move_only_element, no_element});
        step({op_kind::remove_all, 0, move_only_element, element_wildcard});
        step({op_kind::remove_all, 0, element_wildcard, move_only_element});
        try {
            kept_state kept{both_.world().snapshot().take(), both_.save(), dump(both_.world())};
            if (kept_.size() == 4) {
                kept_.erase(kept_.begin() + choose(4));
            }
            kept_.push_back(std::move(kept));
        } catch (const kith::error& refused) {
            if (refused.code() != kith::errc::not_copyable) {
                throw;
            }
        }
    }
    void go_back(const kept_state& kept) {
        ++restores_;
        steps_since_restore_ = 0;
        kept.world.restore();
        both_.world().check();
        const bool has_transient = has_left_out(kept);
        both_.load(kept.model);
        if (!has_transient) {
            compare(kept.dump, dump(both_.world()), "after a restore");
        }
        both_.finish();
    }
    // Transient ids are not those of the state, so that texts of worlds differ.
    bool has_left_out(const kept_state& kept) const {
        const world_model& then = kept.model.model;
        return then.leaves_out_of(then) || then.leaves_out_of(both_.state());
    }
    void repeat(const kept_state& kept) {
        bool differs = has_left_out(kept);
        go_back(kept);
        const std::vector<op> ran = run_steps(1 + choose(40));
        const std::string end = dump(both_.world());
        differs = differs || has_left_out(kept);
        go_back(kept);
        for (const op& one : ran) {
            step(one);
        }
        both_.finish();
        if (!differs) {
            compare(end, dump(both_.world()), "after the same program");
        }
    }
    // The difference of two states leads from one to the other, and its inverse back; in worlds of
    // their own, which have no hooks and observers.
    void compare_states(const kept_state& from, const kept_state& to) {
        const kith::diff there(from.world, to.world);
        kith::world scratch = from.world.open();
        const std::string start = facts(scratch);
        kith::world goal = to.world.open();
        if (scratch.count(kith::Transient) + goal.count(kith::Transient) != 0) {
            return;  // such ids are no facts
        }
        if (!try_apply(scratch, there)) {
            return;
        }
        compare(facts(goal), facts(scratch), "after a difference");
        if (!try_apply(scratch, there.invert())) {
            return;
        }
        compare(start, facts(scratch), "after the inverse");
        // Values of types without a description may count as changed.
        kith::diff(from.world, scratch.snapshot().take()).each([&](const kith::fact_view& fact) {
            if (fact.kind != kith::fact_kind::value_changed) {
                throw difference("states with equal facts have a difference");
            }
        });
        ++differences_;
    }
    // Rules may allow no way to a state that was legal when they were set. Then nothing changes.
    static bool try_apply(kith::world& world, const kith::diff& change) {
        const std::string start = facts(world);
        bool applied = true;
        try {
            kith::apply(world, change);
        } catch (const kith::error& refused) {
            if (refused.code() == kith::errc::conflict) {
                throw difference("a difference is refused: " + std::string(refused.what()));
            }
            compare(start, facts(world), "after a difference that a rule refuses");
            applied = false;
        }
        world.check();
        return applied;
    }
    static std::string facts(kith::world& world) {
        return kith_test::dump_world(world, printers());
    }
    static void compare(const std::string& expected, const std::string& actual, const char* when) {
        if (expected != actual) {
            throw difference(std::string(when) + ":\n" + find_changes(expected, actual));
        }
    }

    runner both_;
    generator random_;
    std::uint64_t next_;
    std::size_t steps_since_restore_ = 0;
    std::uint32_t probes_ = 0;  // 0: none, 1: behind some operations, 2: behind each
    std::vector<kept_state> kept_;
    std::optional<kith::snapshot> probed_;
    std::vector<op> program_;
    std::size_t restores_ = 0;
    std::size_t differences_ = 0;
};

}  // namespace

TEST_SUITE("model.snapshot") {
    // spec 563
    // spec 569
    TEST_CASE("random programs go on from snapshots as the model does") {
        constexpr std::size_t usual = kith_test::is_sanitized ? 10 : 60;
        std::vector<std::uint64_t> seeds = random_programs::chosen_seeds(usual);
        number_types(seeds.front());
        std::size_t restores = 0;
        std::size_t differences = 0;
        for (std::uint64_t seed : seeds) {
            session one(seed);
            try {
                one.run(random_programs::number_from_environment("KITH_STEPS", 30));
            } catch (const difference& found) {
                FAIL_CHECK("seed ", seed, ", ", one.program().size(),
                           " operations: ", std::string(found.what()));
                break;
            } catch (const out_of_scope&) {
                // The program left what the model can tell.
            }
            restores += one.restores();
            differences += one.differences();
        }
        CHECK(restores > 10 * seeds.size());
        CHECK(differences > 4 * seeds.size());
    }
}
