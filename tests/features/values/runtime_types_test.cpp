// Types without a C++ type: declared by calls, they may hold texts, lists, maps, optionals,
// variants and each other, and live in tables like any component.
#include <kith/kith.hpp>
#include <kith/reflect.hpp>

#include <string>

#include <doctest/doctest.h>

namespace {

kith::errc code_of(auto&& call) {
    try {
        call();
    } catch (const kith::error& raised) {
        return raised.code();
    }
    return kith::errc::callback;  // nothing was thrown
}

const kith::description& own(const kith::world& world, kith::entity_t type) {
    return *kith::detail::find_description(world, type);
}

// A component with members of all kinds.
struct item_type {
    explicit item_type(const kith::world& owner) : world(owner) {
        const kith::entity inner =
            world.component("Inner").member(kith::String, "label").member<float>("weight");
        item = world.component("Item")
                   .member<std::int8_t>("small")
                   .member(kith::String, "name")
                   .member(world.vector(inner), "parts")
                   .member(world.map(kith::String, kith::F32), "prices")
                   .member(world.optional(inner), "best")
                   .member(world.variant(kith::I32, kith::String), "shape")
                   .member(kith::Entity, "owner")
                   .member(world.array(kith::String, 2), "pair");
    }
    const kith::description& type() const { return own(world, item); }
    void* member(void* value, const char* name) const {
        for (const kith::member_info& one : type()) {
            if (std::string(one.name) == name) {
                return static_cast<char*>(value) + one.offset;
            }
        }
        return nullptr;
    }
    const kith::description& member_type(const char* name) const {
        for (const kith::member_info& one : type()) {
            if (std::string(one.name) == name) {
                return *one.type;
            }
        }
        return type();
    }
    // Writes something into every member.
    void fill(void* value, const std::string& text) const {
        *static_cast<std::string*>(member(value, "name")) = text;
        const kith::description& parts = member_type("parts");
        void* list = member(value, "parts");
        parts.ops->resize(parts, list, 3);
        *static_cast<std::string*>(parts.ops->at(parts, list, 2)) = text + " part";
        const kith::description& prices = member_type("prices");
        std::string key = text + " key";
        *static_cast<float*>(prices.ops->insert(prices, member(value, "prices"), &key)) = 2.5f;
        const kith::description& best = member_type("best");
        *static_cast<std::string*>(best.ops->emplace(best, member(value, "best"), 0)) = text;
        const kith::description& shape = member_type("shape");
        *static_cast<std::string*>(shape.ops->emplace(shape, member(value, "shape"), 1)) = text;
        static_cast<std::string*>(member(value, "pair"))[1] = text;
    }
    bool equal(kith::entity a, kith::entity b) const {
        return kith::detail::equal_values(type(), a.get(item), b.get(item));
    }

    kith::world world;
    kith::entity item;
};

const std::string long_text = "a text that is too long for the memory of a short string";

}  // namespace

// spec 519
TEST_SUITE("features.values.runtime_types") {
    TEST_CASE("members are laid out by the rules of C") {
        kith::world world;
        const kith::entity type = world.component("Mixed")
                                      .member<std::int8_t>("a")
                                      .member<double>("b")
                                      .member<std::int16_t>("c", 3);
        CHECK(own(world, type).members[1].offset == 8);
        CHECK(own(world, type).members[2].offset == 16);
        CHECK(type.get<kith::Component>()->size == 24);
        CHECK(type.get<kith::Component>()->alignment == 8);
    }

    TEST_CASE("values are made, copied, moved between tables, cloned and destroyed") {
        kith::world world;
        const item_type item(world);
        kith::entity first = world.entity("first").add(item.item);
        item.fill(first.get_mut(item.item), long_text);
        const kith::entity second = first.clone();
        CHECK(item.equal(first, second));
        first.add(world.entity("Tag"));
        first.add(world.entity("Other"));
        CHECK(item.equal(first, second));
        item.fill(first.get_mut(item.item), "changed");
        CHECK_FALSE(item.equal(first, second));
        for (int i = 0; i < 20; ++i) {
            world.entity().add(item.item);
        }
        first.remove(item.item);
        first.destruct();
        world.check();
    }

    TEST_CASE("values are stored sparse, inherited and overridden, and deferred") {
        kith::world world;
        const item_type item(world);
        const kith::entity base = world.prefab("base").add(item.item);
        item.fill(base.get_mut(item.item), long_text);
        kith::entity instance = world.entity().is_a(base);
        CHECK(instance.get(item.item) == base.get(item.item));
        instance.add(item.item);
        CHECK(item.equal(instance, base));
        kith::entity deferred = world.entity();
        world.defer([&] {
            deferred.set_ptr(item.item, item.type().life.size, base.get(item.item));
            deferred.add(world.entity("Tag"));
        });
        CHECK(item.equal(deferred, base));
        kith::entity sparse_type = world.component("SparseItem").member(kith::String, "text");
        sparse_type.add(kith::Sparse);
        kith::entity holder = world.entity().add(sparse_type);
        *static_cast<std::string*>(holder.get_mut(sparse_type)) = long_text;
        CHECK(*static_cast<const std::string*>(holder.clone().get(sparse_type)) == long_text);
    }

    TEST_CASE("a type may contain itself in a list") {
        kith::world world;
        auto node = world.component("Node").member(kith::String, "name");
        node.member(world.vector(node), "children");
        const kith::description& type = own(world, node);
        CHECK(type.members[1].type->element == &type);
        kith::entity root = world.entity().add(node);
        auto* value = static_cast<char*>(root.get_mut(node));
        const kith::description& list = *type.members[1].type;
        list.ops->resize(list, value + type.members[1].offset, 2);
        CHECK(kith::detail::equal_values(type, root.clone().get(node), root.get(node)));
    }

    TEST_CASE("a list whose bytes cannot be counted is refused, and stays as it is") {
        kith::world world;
        auto holder = world.component("Holder");
        holder.member(world.vector(world.component("Text").member(kith::String, "t")), "texts");
        const kith::description& type = own(world, holder);
        kith::entity one = world.entity().add(holder);
        void* value = one.get_mut(holder);
        const kith::description& list = *type.members[0].type;
        list.ops->resize(list, value, 2);
        CHECK(code_of([&] { list.ops->resize(list, value, SIZE_MAX / 16); }) == kith::errc::limit);
        CHECK(list.ops->size(list, value) == 2);
    }

    // spec 523
    TEST_CASE("a type grows until a value or another type has it") {
        kith::world world;
        auto grown = world.component("Grown").member<float>("x");
        grown.member<float>("y");
        world.entity().add(grown);
        CHECK(code_of([&] { grown.member<float>("z"); }) == kith::errc::in_use);
        CHECK(own(world, grown).count == 2);
        auto part = world.component("Part").member<float>("x");
        auto whole = world.component("Whole").member(part, "part");
        CHECK(code_of([&] { part.member<float>("y"); }) == kith::errc::in_use);
        CHECK(own(world, whole).life.size == 4);
    }

    TEST_CASE("a member has a range, and the component's entity the rows of its table") {
        kith::world world;
        kith::untyped_component limited =
            world.component("Limited").member<int>("points").range(0, 10);
        CHECK(own(world, limited).members[0].attributes->range.max == 10);
        CHECK(limited.range().count() == 1);
    }
    TEST_CASE("a struct inside of itself is a cycle") {
        kith::world world;
        auto loop = world.component("Loop").member<float>("x");
        CHECK(code_of([&] { loop.member(loop, "self"); }) == kith::errc::cycle);
        CHECK(code_of([&] { loop.member(world.optional(loop), "self"); }) == kith::errc::cycle);
        CHECK(own(world, loop).count == 1);
        world.entity().add(loop);
        world.check();
    }

    // spec 516
    TEST_CASE("enums and flags are declared at run time") {
        kith::world world;
        const kith::entity color = world.component("Color").constant("Red", 0).constant("Blue", 5);
        CHECK(own(world, color).what == kith::kind::enumeration);
        CHECK(color.get<kith::Component>()->size == 4);
        const kith::entity bits = world.component("Bits").bit("A", 1).bit("B", 2);
        CHECK(own(world, bits).number == kith::kind::u32);
    }

    TEST_CASE("types of one world may be used by worlds that end later or earlier") {
        kith::world outer;
        const item_type item(outer);
        outer.entity().add(item.item);
        {
            kith::world inner;
            const item_type other(inner);
            other.fill(inner.entity().add(other.item).get_mut(other.item), long_text);
        }
        CHECK(outer.count(item.item) == 1);
    }

    TEST_CASE("types cannot be described while the world is deferred") {
        kith::world world;
        world.defer([&] {
            CHECK(code_of([&] { world.component("Late").member<float>("x"); }) ==
                  kith::errc::invalid_operation);
        });
    }
}
