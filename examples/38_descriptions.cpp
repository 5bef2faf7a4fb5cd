// Descriptions beyond members: functions, defaults, handles that follow deletions, types of
// somebody else, units, and a cursor.

#include <kith/kith.hpp>
#include <kith/meta.hpp>
#include <kith/units.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include <cstdio>
#include <string>

namespace {

// [functions]
class Health {
public:
    static void describe(kith::describer<Health>& to) {
        to.member("most", &Health::most_)
            .member("points", &Health::points, &Health::set_points)
            .member("is_hurt", [](const Health& health) { return health.share_ < 1; });
    }
    int points() const { return static_cast<int>(share_ * most_); }
    void set_points(int points) { share_ = static_cast<double>(points) / most_; }

private:
    int most_ = 100;
    double share_ = 1;
};
// [/functions]

struct Follows {
    kith::handle who;
    float distance;
};

// [foreign]
class Text {  // of another library
public:
    const char* get() const { return text_.c_str(); }
    void set(const char* text) { text_ = text; }

private:
    std::string text_;
};
// [/foreign]

void print(const std::string& text) {
    std::printf("%s\n", text.c_str());
}

}  // namespace

int main() {
    kith::world world;
    kith::reflect<Health, Follows>();

    Health health;
    kith::from_text(world, health, "{points: 40}");
    print(kith::to_text(world, health));

    // [handles]
    world.component<Follows>()
        .on("who")
        .on_delete_target(kith::Clear)  // or Remove: the component goes; Delete: its owner goes
        .on("distance")
        .range(0, 50)
        .default_value(3);
    kith::entity ann = world.entity("Ann");
    kith::load_text(world, "Bob: Follows = {who: Ann}");
    ann.destruct();
    // [/handles]
    print(kith::value_of<Follows>(world.lookup("Bob")).str());

    // [opaque]
    world.component<Text>()
        .opaque(kith::String)
        .serialize([](const kith::serializer* to, const Text* text) {
            const char* value = text->get();
            return to->value(kith::String, &value);
        })
        .assign_string([](Text* text, const char* value) { text->set(value); });
    // [/opaque]
    kith::entity sign = world.entity("Sign").add<Text>();
    kith::edit(sign, world.id<Text>()).parse("", "\"no entry\"");
    print(sign.get<Text>()->get());

    // [cursor]
    Follows follows{};
    kith::cursor at = world.cursor<Follows>(&follows);
    at.push();
    at.member("distance");
    at.set_float(12.5);
    // [/cursor]
    print(std::string(world.to_expr(&follows)));

    // [units]
    world.import <kith::units>();
    world.component<Follows>().on("distance").unit(world.entity<kith::units::length::Meters>());
    kith::entity member = world.component<Follows>().member_entity("distance");
    member.set_doc_brief("as the crow flies");
    // [/units]
    std::printf(
        "%s in %s: at most %g\n", member.doc_brief(),
        std::string(kith::entity(world, member.get<kith::Member>()->unit).get<kith::Unit>()->symbol)
            .c_str(),
        member.get<kith::MemberRanges>()->value.max);

    // [path]
    kith::path distance(world, world.component<Follows>(), "distance");
    world.each([&](kith::entity entity, Follows&) {
        print(kith::value_of<Follows>(entity).at(distance).str());
    });
    // [/path]
}
