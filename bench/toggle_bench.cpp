// Adding and removing: each round adds something to 10,000 entities and takes it away again. The
// argument is the number of components that the entities have besides.
#include "scenario.hpp"

namespace bench {
namespace {

// Two tables as plain arrays: what moving a row there and back costs at least.
class raw_tables {
public:
    explicit raw_tables(std::size_t components) : others_(components - 1) {
        for (side& table : sides_) {
            table.ids.resize(ten_thousand);
            table.positions.resize(ten_thousand);
            table.velocities.resize(ten_thousand);
            table.others.resize(others_, std::vector<Other<0>>(ten_thousand));
        }
        for (std::uint32_t i = 0; i < ten_thousand; ++i) {
            sides_[0].ids[i] = i;
            records_.push_back({i, 0, 0});
        }
        sides_[0].count = ten_thousand;
    }

    void toggle(bool with_velocity) {
        for (std::uint32_t i = 0; i < ten_thousand; ++i) {
            move(i, 0, with_velocity);
        }
        for (std::uint32_t i = 0; i < ten_thousand; ++i) {
            move(i, 1, with_velocity);
        }
    }

private:
    struct side {
        std::vector<std::uint32_t> ids;
        std::vector<Position> positions;
        std::vector<Velocity> velocities;
        std::vector<std::vector<Other<0>>> others;
        std::uint32_t count = 0;
    };

    void move(std::uint32_t entity, std::uint32_t from_side, bool with_velocity) {
        side& from = sides_[from_side];
        side& to = sides_[1 - from_side];
        std::uint32_t row = records_[entity].row;
        std::uint32_t last = --from.count;
        std::uint32_t target = to.count++;
        to.ids[target] = entity;
        from.ids[row] = from.ids[last];
        to.positions[target] = from.positions[row];
        from.positions[row] = from.positions[last];
        for (std::size_t k = 0; k < others_; ++k) {
            to.others[k][target] = from.others[k][row];
            from.others[k][row] = from.others[k][last];
        }
        if (with_velocity) {
            from_side == 0 ? static_cast<void>(to.velocities[target] = {1, 2, 3})
                           : static_cast<void>(from.velocities[row] = from.velocities[last]);
        }
        records_[from.ids[row]].row = row;
        records_[entity] = {target, 1 - from_side, 0};
    }

    std::size_t others_;
    side sides_[2];
    std::vector<raw_record> records_;
};

struct toggled_world : counted_world {
    explicit toggled_world(std::int64_t components) {
        world.component<SparseValue>().add(kith::Sparse);
        for (std::size_t i = 0; i < ten_thousand; ++i) {
            kith::entity entity = world.entity().set<Position>({});
            if (components == 8) {
                entity.set<Other<0>>({}).set<Other<1>>({}).set<Other<2>>({}).set<Other<3>>({});
                entity.set<Other<4>>({}).set<Other<5>>({}).set<Other<6>>({});
            }
            ids.push_back(entity);
        }
    }
    entity_ids ids;
};

enum class raw_kind { none, tag, component };

template <class Add, class Remove>
void toggle(benchmark::State& state, raw_kind kind, toggled_world& counted, Add&& add,
            Remove&& remove) {
    scenario run(state, 2 * ten_thousand);
    raw_tables raw(static_cast<std::size_t>(state.range(0)));
    auto round = [&] {
        for (kith::entity_t id : counted.ids) {
            add(handle(counted.world, id));
        }
        for (kith::entity_t id : counted.ids) {
            remove(handle(counted.world, id));
        }
    };
    round();
    for (auto _ : state) {
        run.kith(counted.memory, round);
        if (kind != raw_kind::none) {
            run.raw([&] { raw.toggle(kind == raw_kind::component); });
        }
    }
}

void toggle_tag(benchmark::State& state) {
    toggled_world counted(state.range(0));
    toggle(
        state, raw_kind::tag, counted, [](kith::entity e) { e.add<Mark>(); },
        [](kith::entity e) { e.remove<Mark>(); });
}
KITH_BENCHMARK(toggle_tag)->Arg(1)->Arg(8);

void toggle_component(benchmark::State& state) {
    toggled_world counted(state.range(0));
    toggle(
        state, raw_kind::component, counted,
        [](kith::entity e) {
            e.set<Velocity>({1, 2, 3});
        },
        [](kith::entity e) { e.remove<Velocity>(); });
}
KITH_BENCHMARK(toggle_component)->Arg(1)->Arg(8);

void toggle_pair(benchmark::State& state) {
    toggled_world counted(state.range(0));
    kith::entity relation = counted.world.entity();
    kith::entity target = counted.world.entity();
    toggle(
        state, raw_kind::tag, counted, [&](kith::entity e) { e.add(relation, target); },
        [&](kith::entity e) { e.remove(relation, target); });
}
KITH_BENCHMARK(toggle_pair)->Arg(1)->Arg(8);

void toggle_sparse(benchmark::State& state) {
    toggled_world counted(state.range(0));
    toggle(
        state, raw_kind::none, counted, [](kith::entity e) { e.set<SparseValue>({1}); },
        [](kith::entity e) { e.remove<SparseValue>(); });
}
KITH_BENCHMARK(toggle_sparse)->Arg(1)->Arg(8);

}  // namespace
}  // namespace bench
