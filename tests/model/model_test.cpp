// The model by itself, whatever is asked of it: its own rules hold. And how it recognises what kith
// has made.
#include "support/model/program.hpp"
#include "support/model/runner.hpp"
#include "support/model/world_model.hpp"

#include <random>

#include <doctest/doctest.h>

namespace {

using namespace model;

// Calls of all kinds on few entities, so that they meet.
class model_program {
public:
    explicit model_program(std::uint64_t seed) : random_(seed) {
        kith::world world;
        std::vector<component> components = register_components(world);
        std::map<entity_t, entity_state> fixed;
        for (entity_t entity = 1; entity < kith::first_entity; ++entity) {
            if (world.is_alive(entity)) {
                for (kith::id_t id : kith::entity(world, entity).type()) {
                    fixed[entity].ids[id] = 0;
                }
            }
        }
        for (const component& one : components) {
            types_.push_back(one.id);
        }
        world_ = world_model(components, fixed);
        world_.find_copy = [this](entity_t, entity_t) { return next_++; };
    }

    void step() {
        if (world_.alive.size() < 12) {
            world_.create(next_++);
        }
        call request = choose();
        const auto before = world_.alive;
        try {
            result outcome = world_.run(request);
            std::string fault = world_.check_invariants();
            CHECK_MESSAGE(fault.empty(), fault, " after call ", static_cast<int>(request.kind));
            CHECK((outcome.errors.empty() || world_.alive == before));
            refused += !outcome.errors.empty();
        } catch (const out_of_scope&) {
            given_up = true;
        }
    }

    int refused = 0;
    bool given_up = false;

private:
    std::size_t below(std::size_t limit) { return random_() % limit; }
    entity_t any_entity() {
        auto at = std::next(world_.alive.begin(),
                            static_cast<std::ptrdiff_t>(below(world_.alive.size())));
        return at->first;
    }
    entity_t any_element() { return below(4) == 0 ? types_[below(types_.size())] : any_entity(); }
    kith::id_t any_id() {
        return below(3) == 0 ? any_element() : kith::make_pair(any_entity(), any_entity());
    }
    call choose() {
        call request{call_kind::add, any_entity()};
        request.number = static_cast<std::int64_t>(below(1000));
        switch (below(12)) {
            case 0:
            case 1: {
                const property& what = property_of(static_cast<std::int32_t>(below(1000)));
                request.id = what.has_target ? kith::make_pair(what.first, any_entity())
                             : what.second   ? kith::make_pair(what.first, what.second)
                                             : what.first;
                break;
            }
            case 2:
                request.id = kith::make_pair(kith::ChildOf, any_entity());
                break;
            case 3:
                request.id = kith::make_pair(kith::IsA, any_entity());
                break;
            case 4:
                request.id = below(2) ? kith::Prefab : kith::Override | any_id();
                break;
            case 5:
            case 6:
                request.kind = call_kind::remove;
                request.id = below(3) ? kith::make_pair(any_entity(), kith::Wildcard) : any_id();
                break;
            case 7:
                request.kind = below(2) ? call_kind::clear : call_kind::destruct;
                break;
            case 8:
                request.kind = call_kind::clone;
                request.id = any_entity();
                break;
            default:
                request.id = any_id();
                break;
        }
        return request;
    }

    std::mt19937_64 random_;
    world_model world_;
    std::vector<entity_t> types_;
    entity_t next_ = kith::first_entity;
};

// An instance of a prefab whose two children differ in nothing but a mark.
std::vector<op> copy_of_marked(std::uint8_t marked) {
    return {{op_kind::remove_property, 0, element_child_of, no_element, sparse},
            {op_kind::create_prefab, 0, no_element},
            {op_kind::create_prefab, 1, 0},
            {op_kind::create_prefab, 2, 0},
            {op_kind::mark, marked, first_component + exclusive_tag},
            {op_kind::create_prefab, 3, no_element},
            {op_kind::is_a, 3, 0}};
}

}  // namespace

TEST_SUITE("model.model") {
    TEST_CASE("copies of children that are almost alike are told apart") {
        for (std::uint8_t marked = 1; marked <= 2; ++marked) {
            CAPTURE(marked);
            runner both;
            for (const op& one : copy_of_marked(marked)) {
                both.step(one);
            }
            CHECK_NOTHROW(both.finish());
        }
    }

    TEST_CASE("the model keeps its own rules") {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            CAPTURE(seed);
            model_program program(seed);
            for (int i = 0; i < 1000 && !program.given_up; ++i) {
                program.step();
            }
        }
    }
}
