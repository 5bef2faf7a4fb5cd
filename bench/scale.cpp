// Measures how the cost of an operation and the bytes of an entity grow with the size of the world:
// 10^4 to 10^7 entities, 10^2 to 10^5 tables. The same work on plain arrays, under the same access,
// is measured as well. Prints lines of scenario, size, nanoseconds per operation of kith,
// nanoseconds of the arrays, bytes per entity (0: not measured), separated by tabs; see
// bench/scale.
//
//   kith_scale [LARGEST]     the largest number of entities, 10,000,000 by default
#include "raw_links.hpp"
#include "scenario.hpp"

#include <cstdio>
#include <cstdlib>

namespace bench {
namespace {

double now() noexcept {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// Nanoseconds per operation.
template <class Loop>
double time_of(std::size_t operations, Loop&& loop) {
    const double start = now();
    loop();
    benchmark::ClobberMemory();
    return (now() - start) / static_cast<double>(operations);
}

void print(const char* scenario, std::size_t size, double kith, double raw, double bytes = 0) {
    std::printf("%s\t%zu\t%.3f\t%.3f\t%.1f\n", scenario, size, kith, raw, bytes);
    std::fflush(stdout);
}

// Two tables of plain arrays, between which entities move: the least that a toggle needs.
class raw_tables {
public:
    void create(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            records_.push_back({static_cast<std::uint32_t>(tables_[0].ids.size()), 0, 1});
            push(tables_[0], static_cast<std::uint32_t>(i), {}, {});
        }
    }
    void toggle(std::uint32_t id) {
        raw_record& record = records_[id];
        rows& from = tables_[record.table];
        rows& to = tables_[1 - record.table];
        push(to, id, from.positions[record.row], from.velocities[record.row]);
        remove(from, record.row);
        record.table = 1 - record.table;
        record.row = static_cast<std::uint32_t>(to.ids.size() - 1);
    }
    void destroy(std::uint32_t id) {
        raw_record& record = records_[id];
        remove(tables_[record.table], record.row);
        ++record.generation;
        free_.push_back(id);
    }
    void move_all() {
        for (rows& table : tables_) {
            for (std::size_t i = 0; i < table.ids.size(); ++i) {
                table.positions[i].x += table.velocities[i].x;
            }
        }
    }
    const Position& position(std::uint32_t id) const {
        const raw_record& record = records_[id];
        return tables_[record.table].positions[record.row];
    }

private:
    struct rows {
        std::vector<std::uint32_t> ids;
        std::vector<Position> positions;
        std::vector<Velocity> velocities;
    };
    static void push(rows& to, std::uint32_t id, Position position, Velocity velocity) {
        to.ids.push_back(id);
        to.positions.push_back(position);
        to.velocities.push_back(velocity);
    }
    void remove(rows& from, std::uint32_t row) {
        records_[from.ids.back()].row = row;
        from.ids[row] = from.ids.back();
        from.positions[row] = from.positions.back();
        from.velocities[row] = from.velocities.back();
        from.ids.pop_back();
        from.positions.pop_back();
        from.velocities.pop_back();
    }

    std::vector<raw_record> records_;
    std::vector<std::uint32_t> free_;
    rows tables_[2];
};

// Operations on entities in random order: get, toggle, delete.
void measure_random(counted_world& data, const entity_ids& ids, raw_tables& raw,
                    const std::vector<std::uint32_t>& order) {
    auto each = [&](auto&& visit) {
        for (std::uint32_t i : order) {
            visit(i);
        }
    };
    auto entity = [&](std::uint32_t i) { return handle(data.world, ids[i]); };
    auto get = [&] { each([&](std::uint32_t i) { use(entity(i).get<Position>()); }); };
    auto get_raw = [&] { each([&](std::uint32_t i) { use(&raw.position(i)); }); };
    print("get, random", ids.size(), time_of(order.size(), get), time_of(order.size(), get_raw));

    auto toggle = [&] {
        each([&](std::uint32_t i) { entity(i).add<Mark>(); });
        each([&](std::uint32_t i) { entity(i).remove<Mark>(); });
    };
    auto toggle_raw = [&] {
        each([&](std::uint32_t i) { raw.toggle(i); });
        each([&](std::uint32_t i) { raw.toggle(i); });
    };
    print("toggle a tag, random", ids.size(), time_of(order.size() * 2, toggle),
          time_of(order.size() * 2, toggle_raw));

    auto destroy = [&] { each([&](std::uint32_t i) { entity(i).destruct(); }); };
    auto destroy_raw = [&] { each([&](std::uint32_t i) { raw.destroy(i); }); };
    print("delete, random", ids.size(), time_of(order.size(), destroy),
          time_of(order.size(), destroy_raw));
}

// The life of entities with two components: create, iterate, and operations in random order.
void measure_entities(std::size_t count) {
    counted_world data;
    raw_tables raw;
    data.world.component<Position>();
    data.world.component<Velocity>();
    data.world.component<Mark>();
    entity_ids ids(count);
    const std::size_t before = data.memory.bytes();
    const double create = time_of(count, [&] {
        for (kith::entity_t& id : ids) {
            id = data.world.entity(Position{}, Velocity{});
        }
    });
    const double bytes =
        static_cast<double>(data.memory.bytes() - before) / static_cast<double>(count);
    print("create with 2 components", count, create, time_of(count, [&] { raw.create(count); }),
          bytes);

    auto query = data.world.query<Position, const Velocity>();
    auto move_all = [&] {
        query.each([](Position& position, const Velocity& velocity) { position.x += velocity.x; });
    };
    move_all();
    raw.move_all();
    print("iterate 2 components", count, time_of(count, move_all),
          time_of(count, [&] { raw.move_all(); }));

    // As many operations as the cache of the processor cannot hold, or all entities.
    std::vector<std::uint32_t> order = shuffled(count);
    order.resize(std::min(count, million));
    measure_random(data, ids, raw, order);
}

// Pairs of a sparse exclusive relationship, with as many targets as a hundredth of the sources.
void measure_pairs(std::size_t count) {
    counted_world data;
    const std::size_t target_count = count / 100;
    kith::entity relation =
        data.world.relation("R", {.exclusive = true, .storage = kith::storage::sparse});
    entity_ids ids(count);
    for (kith::entity_t& id : ids) {
        id = data.world.entity();
    }
    const std::vector<std::uint32_t> order = shuffled(count);
    raw_links raw(count, target_count);
    const std::size_t before = data.memory.bytes();
    const double add = time_of(count, [&] {
        for (std::size_t i = 0; i < count; ++i) {
            handle(data.world, ids[i]).add(relation, ids[order[i] % target_count]);
        }
    });
    const double bytes =
        static_cast<double>(data.memory.bytes() - before) / static_cast<double>(count);
    const double add_raw = time_of(count, [&] {
        for (std::uint32_t i = 0; i < count; ++i) {
            raw.link(i, order[i] % static_cast<std::uint32_t>(target_count));
        }
    });
    print("add a sparse pair, random target", count, add, add_raw, bytes);
}

// A tree in which every node has eight children: created from the root on, and deleted at once.
void measure_tree(std::size_t count) {
    counted_world data;
    entity_ids ids(count);
    raw_links raw(count, count);
    const std::size_t before = data.memory.bytes();
    ids[0] = data.world.entity();
    const double create = time_of(count, [&] {
        for (std::size_t i = 1; i < count; ++i) {
            ids[i] = data.world.entity().child_of(handle(data.world, ids[(i - 1) / 8]));
        }
    });
    const double bytes =
        static_cast<double>(data.memory.bytes() - before) / static_cast<double>(count);
    const double create_raw = time_of(count, [&] {
        for (std::uint32_t i = 1; i < count; ++i) {
            raw.link(i, (i - 1) / 8);
        }
    });
    print("create a tree node", count, create, create_raw, bytes);

    const double destroy = time_of(count, [&] { handle(data.world, ids[0]).destruct(); });
    const double destroy_raw = time_of(count, [&] {
        for (std::uint32_t i = static_cast<std::uint32_t>(count); i-- > 0;) {
            raw.unlink_all(i);
        }
    });
    print("delete a tree, per node", count, destroy, destroy_raw);
}

// A cached query over tables with ten rows each. The table of an entity follows from a pair of its
// own.
void measure_tables(std::size_t table_count) {
    constexpr std::size_t rows = 10;
    counted_world data;
    kith::entity relation = data.world.entity("R");
    std::vector<std::vector<Position>> raw(table_count, std::vector<Position>(rows));
    const std::size_t before = data.memory.bytes();
    for (std::size_t i = 0; i < table_count; ++i) {
        kith::entity target = data.world.entity();
        for (std::size_t row = 0; row < rows; ++row) {
            data.world.entity(Position{}).add(relation, target);
        }
    }
    const double bytes =
        static_cast<double>(data.memory.bytes() - before) / static_cast<double>(table_count * rows);
    auto query = data.world.query_builder<Position>().cached().build();
    auto move_all = [&] { query.each([](Position& position) { position.x += 1; }); };
    auto move_raw = [&] {
        for (std::vector<Position>& table : raw) {
            for (Position& position : table) {
                position.x += 1;
            }
        }
    };
    move_all();
    move_raw();
    print("iterate a cached query, tables of 10", table_count,
          time_of(table_count * rows, move_all), time_of(table_count * rows, move_raw), bytes);
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
    const std::size_t largest = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10'000'000;
    for (std::size_t count = 10'000; count <= largest; count *= 10) {
        bench::measure_entities(count);
        bench::measure_pairs(count);
        bench::measure_tree(count);
    }
    for (std::size_t count = 100; count * 100 <= largest; count *= 10) {
        bench::measure_tables(count);
    }
}
