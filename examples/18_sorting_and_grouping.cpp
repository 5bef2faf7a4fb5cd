// Sorting and grouping: in which order a query hands out what it finds.
#include <kith/kith.hpp>

#include <cstdio>

struct Age {
    int years;
};
struct Height {
    float metres;
};
struct City {};
struct Retired {};

int main() {
    kith::world world;
    auto rome = world.entity("rome");
    auto oslo = world.entity("oslo");
    auto person = [&](const char* name, int years, float metres, kith::entity city) {
        return world.entity(name).set(Age{years}).set(Height{metres}).add<City>(city);
    };
    person("ann", 31, 1.7f, oslo);
    person("ben", 72, 1.8f, rome).add<Retired>();
    person("cat", 12, 1.4f, oslo);
    auto dan = person("dan", 31, 1.9f, rome);

    auto print = [](kith::entity who, const Age& age) {
        std::printf(" %s %d", who.name().c_str(), age.years);
    };

    // [member]
    auto by_age = world.query_builder<const Age>().order_by(&Age::years).build();
    // [/member]
    by_age.each(print);
    std::puts("");

    // [function]
    auto oldest_first =
        world.query_builder<const Age>()
            .order_by<Age>([](kith::entity_t, const Age* a, kith::entity_t, const Age* b) {
                return (a->years < b->years) - (a->years > b->years);
            })
            .build();
    // [/function]
    oldest_first.each(print);
    std::puts("");

    // [keys]
    auto by_two = world.query_builder<const Age, const Height>()
                      .order_by_desc(&Age::years)
                      .order_by(&Height::metres)
                      .build();
    // [/keys]
    by_two.each([](kith::entity who, const Age& age, const Height& height) {
        std::printf(" %s %d %.1f", who.name().c_str(), age.years, height.metres);
    });
    std::puts("");

    // [change]
    dan.set(Age{9});
    std::printf("the youngest is %s\n", by_age.first().name().c_str());
    // [/change]

    // [slices]
    by_age.iter([](kith::iter& it, const Age* age) {
        std::printf("%zu from %d on\n", it.count(), age[0].years);
    });
    // [/slices]

    // [group]
    auto by_city = world.query_builder<const Age>().group_by<City>().build();
    by_city.iter([&](kith::iter& it) {
        std::printf("%s: %zu\n", world.entity(it.group_id()).name().c_str(), it.count());
    });
    // [/group]

    // [one]
    by_city.iter().set_group(oslo).each(print);
    // [/one]
    std::puts("");

    // [groupfunction]
    auto by_work = world.query_builder<const Age>()
                       .group_by<Retired>([](kith::world_t* raw, kith::table_t* table,
                                             kith::id_t id, void*) -> std::uint64_t {
                           return kith::table(raw, table).has(id) ? 2 : 1;
                       })
                       .order_by(&Age::years)
                       .build();
    by_work.each(print);
    // [/groupfunction]
    std::puts("");

    // [context]
    auto counted = world.query_builder<const Age>()
                       .group_by<City>()
                       .on_group_create(
                           [](kith::world_t*, std::uint64_t, void*) -> void* { return new int(0); })
                       .on_group_delete([](kith::world_t*, std::uint64_t, void* visits, void*) {
                           delete static_cast<int*>(visits);
                       })
                       .build();
    counted.iter([&](kith::iter& it) {
        *static_cast<int*>(counted.group_ctx(it.group_id())) += static_cast<int>(it.count());
    });
    std::printf("%d in rome\n", *static_cast<int*>(counted.group_ctx(rome)));
    // [/context]
}
