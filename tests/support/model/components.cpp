#include "support/model/components.hpp"

#include <algorithm>
#include <iterator>
#include <random>

namespace model {

std::int64_t read_number(std::uint8_t number, const void* value) {
    return with_type(number, [&](auto tag) {
        return static_cast<const typename decltype(tag)::type*>(value)->get();
    });
}
void number_types(std::uint64_t seed) {
    using number_type = kith::entity_t (*)();
    number_type all[] = {
        kith::type_id<Trivial>,     kith::type_id<Text>,         kith::type_id<MoveOnly>,
        kith::type_id<NoDefault>,   kith::type_id<Aligned>,      kith::type_id<PlainTag>,
        kith::type_id<SparseText>,  kith::type_id<SparseTag>,    kith::type_id<DataRelation>,
        kith::type_id<TagRelation>, kith::type_id<ExclusiveTag>, kith::type_id<ExclusiveData>,
        kith::type_id<Color>};
    std::shuffle(std::begin(all), std::end(all), std::mt19937_64(seed));
    for (number_type number : all) {
        number();
    }
}
std::vector<component> register_components(const kith::world& world) {
    std::vector<component> all(component_count);
    auto describe = [&](component_number number, kith::entity_t id, component description) {
        description.id = id;
        all[number] = description;
    };
    describe(trivial, world.component<Trivial>("Trivial"), {.name = "Trivial", .has_value = true});
    describe(text, world.component<Text>("Text"), {.name = "Text", .has_value = true});
    describe(move_only, world.component<MoveOnly>("MoveOnly"),
             {.name = "MoveOnly", .has_value = true, .copyable = false});
    describe(no_default, world.component<NoDefault>("NoDefault"),
             {.name = "NoDefault", .has_value = true, .constructible = false});
    describe(aligned, world.component<Aligned>("Aligned"), {.name = "Aligned", .has_value = true});
    describe(plain_tag, world.component<PlainTag>("PlainTag"), {.name = "PlainTag"});
    describe(sparse_text, world.component<SparseText>("SparseText").add(kith::Sparse),
             {.name = "SparseText", .has_value = true});
    describe(sparse_tag, world.component<SparseTag>("SparseTag").add(kith::Sparse),
             {.name = "SparseTag"});
    describe(data_relation, world.component<DataRelation>("DataRelation"),
             {.name = "DataRelation", .has_value = true});
    describe(tag_relation, world.component<TagRelation>("TagRelation"), {.name = "TagRelation"});
    describe(exclusive_tag, world.component<ExclusiveTag>("ExclusiveTag").add(kith::Exclusive),
             {.name = "ExclusiveTag"});
    describe(exclusive_data, world.component<ExclusiveData>("ExclusiveData").add(kith::Exclusive),
             {.name = "ExclusiveData", .has_value = true});
    describe(color, world.component<Color>("Color"),
             {.name = "Color", .has_value = true, .is_enum = true});
    return all;
}

}  // namespace model
