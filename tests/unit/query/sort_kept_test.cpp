// Sorted queries whose results are found row by row: they are kept from run to run, until something
// changes that decides what is found. After each change, the order must be that of a query which
// was made just now.
#include <kith/kith.hpp>

#include "base/counters.hpp"
#include "support/types.hpp"

#include <functional>
#include <random>
#include <string>
#include <vector>

using namespace kith_test;

namespace {

struct Depth {
    int value = 0;
};
struct Mark {};
struct Near {};
struct Zone {};

using builder = kith::query_builder<>;
using shape = std::function<void(builder&)>;

struct fixture {
    kith::world world;
    std::mt19937 random{7};
    std::vector<kith::entity> all;
    std::vector<kith::query<>> kept;
    std::vector<shape> shapes;

    explicit fixture(bool sparse = true) {
        auto depth = world.component<Depth>();
        if (sparse) {
            depth.add(kith::Sparse);
        }
        world.component<Near>().add(kith::Sparse).add(kith::Exclusive);
        world.component<Zone>().add(kith::Sparse).add(kith::Exclusive);
    }
    std::uint32_t pick(std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); }
    kith::entity any() { return all[pick(static_cast<std::uint32_t>(all.size()))]; }

    // Makes the query, to be run again and again.
    void watch(shape made) {
        shapes.push_back(made);
        kept.push_back(make(made, false));
        kept.push_back(make(made, true));
    }
    kith::query<> make(const shape& made, bool cached) {
        builder terms = world.query_builder<>();
        made(terms);
        return cached ? terms.cached().build() : terms.build();
    }
    template <class Query>
    static std::vector<kith::entity_t> entities(const Query& query) {
        std::vector<kith::entity_t> found;
        query.iter([&](kith::iter& it) {
            for (auto row : it) {
                found.push_back(it.entity(row));
            }
        });
        return found;
    }
    // What each row has, with where it comes from and the value.
    static std::vector<std::string> rows(const kith::query<>& query) {
        std::vector<std::string> found;
        query.iter([&](kith::iter& it) {
            for (auto row : it) {
                std::string text = std::to_string(it.entity(row).id());
                for (std::int32_t i = 1; i <= it.field_count(); ++i) {
                    text += it.is_set(i) ? " " + std::to_string(it.id(i).raw_id()) + "@" +
                                               std::to_string(it.src(i).id())
                                         : " -";
                }
                found.push_back(text);
            }
        });
        return found;
    }
    void check() {
        for (std::size_t i = 0; i < kept.size(); ++i) {
            const auto fresh = make(shapes[i / 2], i % 2 == 1);
            CAPTURE(fresh.str());
            CHECK(rows(kept[i]) == rows(fresh));
        }
    }
    void change() {
        kith::entity one = any();
        kith::entity other = any();
        switch (pick(15)) {
            case 0:
                all.push_back(world.entity().set(Depth{int(pick(9))}).add<Mark>());
                break;
            case 1:
                one.destruct();
                std::erase_if(all, [](kith::entity e) { return !e.is_alive(); });
                if (all.empty()) {
                    all.push_back(world.entity().add<Mark>());
                }
                break;
            case 2:
            case 3:
            case 4:
                one.set(Depth{int(pick(9))});
                break;
            case 5:
                one.remove<Depth>();
                break;
            case 6:
                if (index_of(other) < index_of(one)) {
                    one.child_of(other);
                }
                break;
            case 7:
                one.remove(kith::ChildOf, kith::Wildcard);
                break;
            case 8:
                one.add<Near>(other);
                break;
            case 9:
                one.remove<Near>(kith::Wildcard);
                break;
            case 10:
                one.add<Zone>(other);
                break;
            case 11:
                if (index_of(other) < index_of(one)) {
                    one.is_a(other);
                }
                break;
            case 13:
                world.shrink();
                break;
            case 12:
                one.remove(kith::IsA, kith::Wildcard);
                break;
            default:
                one.has<Mark>() ? one.remove<Mark>() : one.add<Mark>();
        }
    }
    static std::uint32_t index_of(kith::entity one) { return static_cast<std::uint32_t>(one.id()); }
};

void run_random(bool sparse, const std::vector<shape>& shapes) {
    fixture f(sparse);
    for (int i = 0; i < 40; ++i) {
        f.all.push_back(f.world.entity().add<Mark>());
        if (i % 2) {
            f.all.back().set(Depth{int(f.pick(9))});
        }
    }
    for (const shape& one : shapes) {
        f.watch(one);
    }
    for (int step = 0; step < 300; ++step) {
        CAPTURE(step);
        f.change();
        f.check();
    }
}

const std::vector<shape> all_shapes{
    [](builder& b) { b.with<Depth>().in().order_by(&Depth::value); },
    [](builder& b) { b.with<Mark>().with<Depth>().in().order_by_desc(&Depth::value); },
    [](builder& b) { b.with<Mark>().with<Depth>().in().up(kith::ChildOf).order_by(&Depth::value); },
    [](builder& b) {
        b.with<Mark>().with<Depth>().in().self().up(kith::ChildOf).order_by(&Depth::value);
    },
    [](builder& b) { b.with<Near>("$x").with<Depth>().in().src("$x").order_by(&Depth::value); },
    [](builder& b) { b.with<Mark>().with<Depth>().in().optional().order_by(&Depth::value); },
    [](builder& b) { b.with<Depth>().in().without<Near>(kith::Wildcard).order_by(&Depth::value); },
    [](builder& b) { b.with<Depth>().in().group_by<Zone>().order_by(&Depth::value); },
    [](builder& b) {
        b.with<Mark>().with<Depth>().in().cascade(kith::ChildOf).order_by(&Depth::value);
    },
};

}  // namespace

TEST_SUITE("unit.query.sort_kept") {
    TEST_CASE("sparse values, and values of others, are in order after any change") {
        run_random(true, all_shapes);
    }
    TEST_CASE("values in tables are in order after any change") {
        run_random(false, all_shapes);
    }
    TEST_CASE("each row has the id and the source that were found for it") {
        fixture f;
        for (int i = 0; i < 100; ++i) {
            auto parent = f.world.entity().set(Depth{i % 10});
            f.all.push_back(f.world.entity().add<Mark>().child_of(parent));
            if (i % 2) {
                f.all.back().set(Depth{i % 7});
            }
        }
        auto query = f.world.query_builder<>()
                         .with<Mark>()
                         .with<Depth>()
                         .in()
                         .up(kith::ChildOf)
                         .with<Depth>()
                         .in()
                         .self()
                         .optional()
                         .order_by(&Depth::value)
                         .build();
        std::size_t count = 0;
        query.iter([&](kith::iter& it) {
            for (auto row : it) {
                kith::entity one = it.entity(row);
                CHECK(it.src(2) == one.parent());
                CHECK(it.id(2).raw_id() == f.world.id<Depth>().raw_id());
                CHECK(it.field<const Depth>(2)[row].value == one.parent().get<Depth>()->value);
                CHECK(it.is_set(3) == one.owns<Depth>());
                if (it.is_set(3)) {
                    CHECK(it.field<const Depth>(3)[row].value == one.get<Depth>()->value);
                }
                ++count;
            }
        });
        CHECK(count == 100);
    }
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    TEST_CASE("results that are the same are not found again") {
        fixture f;
        for (int i = 0; i < 200; ++i) {
            f.all.push_back(f.world.entity().add<Mark>().set(Depth{i}));
            f.all.back().add<Near>(f.all.front());
        }
        auto query = f.world.query_builder<>()
                         .with<Near>("$x")
                         .with<Depth>()
                         .in()
                         .order_by(&Depth::value)
                         .build();
        CHECK(fixture::entities(query).front() == f.all[0].id());
        f.all[0].set(Depth{1000});
        const std::uint64_t before = kith::base::work.steps;
        CHECK(fixture::entities(query).back() == f.all[0].id());
        CHECK(kith::base::work.steps == before);
    }
#endif
}
