// Components whose type is known only when the program runs.

#include <kith/kith.hpp>

#include <cstdio>

int main() {
    kith::world world;

    // [define]
    kith::type_info info;
    info.size = 2 * sizeof(float);
    info.alignment = alignof(float);
    info.zero_construct = true;  // a new value is all zero bytes
    info.trivial_copy = info.trivial_move = info.trivial_destroy = true;
    auto size2d = world.component("Size2d").define(info);
    // [/define]

    // [use]
    const float value[] = {3, 4};
    auto box = world.entity("Box").set_ptr(size2d, value);
    auto* stored = static_cast<const float*>(box.get(size2d));
    std::printf("%s is %g by %g\n", box.name().c_str(), stored[0], stored[1]);
    // [/use]

    // [bulk]
    const float sizes[] = {1, 1, 2, 2, 3, 3};
    const kith::id_t ids[] = {size2d};
    const void* const columns[] = {sizes};
    auto made = world.bulk(3, ids, 1, columns);
    std::printf("made %zu, one of %zu bytes\n", made.size(),
                static_cast<std::size_t>(world.component(size2d).get<kith::Component>()->size));
    // [/bulk]

    // [tag]
    auto red = world.entity("Red");  // any entity can be added to others: a tag
    box.add(red);
    std::printf("%s\n", box.type().str().c_str());
    // [/tag]

    // [visit]
    world.each(size2d, [](kith::entity e) { std::printf("visit #%u\n", kith::index_of(e)); });
    // [/visit]
}
