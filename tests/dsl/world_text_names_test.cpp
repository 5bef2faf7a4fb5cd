// spec 157: names in a text mean what world.lookup() finds from the block they stand in, however
// deep that is and however many scopes are in use.
#include <kith/kith.hpp>
#include <kith/world_text.hpp>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

// A random hierarchy whose names repeat, and a text that refers to them from random places.
class random_references {
public:
    explicit random_references(std::uint64_t seed) : random_(seed) {
        for (int i = 0; i < 120; ++i) {
            grow();
        }
    }

    void check() {
        write_blocks();
        CAPTURE(text_);
        kith::load_text(world_, text_);
        for (const reference& one : expected_) {
            CAPTURE(one.name);
            const kith::entity source = one.scope ? one.scope.lookup(one.source.c_str())
                                                  : world_.lookup(one.source.c_str());
            REQUIRE(source);
            CHECK(source.target(refers_) == one.target);
        }
        CHECK(!expected_.empty());
    }

private:
    struct reference {
        std::string source;
        kith::entity scope;
        std::string name;
        kith::entity target;
    };

    std::size_t below(std::size_t limit) { return random_() % limit; }
    std::string any_name() { return std::string(1, static_cast<char>('a' + below(8))); }

    // Mostly deeper and deeper.
    void grow() {
        const std::size_t last = nodes_.size();
        kith::entity parent;
        if (last != 0 && below(20) != 0) {
            parent = nodes_[below(5) != 0 ? last - 1 : below(last)];
        }
        const kith::entity scope = world_.set_scope(parent);
        const std::string name = any_name();
        if (!world_.lookup(name.c_str(), "::", "::", false)) {
            nodes_.push_back(world_.entity(name.c_str()));
        }
        world_.set_scope(scope);
    }

    void write_blocks() {
        const auto deepest = std::max_element(
            nodes_.begin(), nodes_.end(), [](const kith::entity& one, const kith::entity& other) {
                return one.depth(kith::ChildOf) < other.depth(kith::ChildOf);
            });
        std::vector<kith::entity> chain{*deepest};
        while (chain.back().parent()) {
            chain.push_back(chain.back().parent());
        }
        for (std::size_t i = chain.size(); i-- > 0;) {
            refer();
            text_ += chain[i].name().c_str() + std::string(" {\n");
            used_before_.push_back(used_.size());
            scopes_.push_back(chain[i]);
            use_some();
        }
        while (!scopes_.empty()) {
            refer();
            text_ += "}\n";
            used_.resize(used_before_.back());
            used_before_.pop_back();
            scopes_.pop_back();
        }
        refer();
    }

    void use_some() {
        for (std::size_t count = below(3); count > 0; --count) {
            const kith::entity scope = nodes_[below(nodes_.size())];
            text_ += "using " + std::string(scope.path("::", "::").c_str()) + "\n";
            used_.push_back(scope);
        }
    }

    void refer() {
        for (int i = 0; i < 2; ++i) {
            const std::string name = below(3) == 0 ? any_name() + "." + any_name() : any_name();
            if (const kith::entity target = look_up(name)) {
                const std::string source = "p" + std::to_string(expected_.size());
                expected_.push_back(
                    {source, scopes_.empty() ? kith::entity() : scopes_.back(), name, target});
                text_ += source + ": (Refers, " + name + ")\n";
            }
        }
    }

    kith::entity look_up(const std::string& name) {
        std::vector<kith::entity_t> path(used_.rbegin(), used_.rend());
        path.push_back(0);
        world_.set_lookup_path(path.data());
        world_.set_scope(scopes_.empty() ? kith::entity() : scopes_.back());
        const kith::entity found = world_.lookup(name.c_str());
        world_.set_scope(0);
        world_.set_lookup_path(nullptr);
        return found;
    }

    std::mt19937_64 random_;
    kith::world world_;
    kith::entity refers_ = world_.entity("Refers");
    std::vector<kith::entity> nodes_;
    std::vector<kith::entity> scopes_;  // the blocks that are open
    std::vector<kith::entity> used_;
    std::vector<std::size_t> used_before_;
    std::string text_;
    std::vector<reference> expected_;
};

}  // namespace

TEST_SUITE("dsl.world_text_names") {
    TEST_CASE("names mean what a lookup from their block finds") {
        for (std::uint64_t seed = 1; seed <= 150; ++seed) {
            CAPTURE(seed);
            random_references(seed).check();
        }
    }

    TEST_CASE("names mean it still after an entity around them got another parent") {
        kith::world world;
        std::string open;
        for (int i = 0; i < 30; ++i) {
            open += "n {";
        }
        kith::load_text(world, "Other { T {} }\nT {}\nR {}\n" + open +
                                   "x: (R, T)\n ChildOf(::n, Other)\n y: (R, T)\n" +
                                   std::string(30, '}'));
        const kith::entity relation = world.lookup("R");
        const auto target_of = [&](const char* name) {
            kith::entity found;
            world.query_builder().with(relation, kith::Wildcard).build().each([&](kith::entity e) {
                if (std::string_view(e.name()) == name) {
                    found = e.target(relation);
                }
            });
            return found;
        };
        CHECK(target_of("x") == world.lookup("::T"));
        CHECK(target_of("y") == world.lookup("Other.T"));
    }
}
