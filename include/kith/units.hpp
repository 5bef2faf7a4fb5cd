// Units of members: symbols such as `km/h`, composed of prefixes and base units, and a module with
// common ones. Not part of <kith/kith.hpp>; see docs/manual/reflection.md.
//
//   kith::entity meters = world.entity("Meters").unit("m");
//   world.component<Position>().member<float>(meters, "x");
//
// Covered by tests/features/values/member_entities_test.cpp.
#pragma once

#include <kith/meta.hpp>

namespace kith {

struct unit_translation {
    std::int32_t factor = 0;
    std::int32_t power = 0;
};
struct Unit {
    string symbol;
    entity_t prefix = 0;
    entity_t base = 0;
    entity_t over = 0;
    unit_translation translation;
};
struct UnitPrefix {
    string symbol;
    unit_translation translation;
};
// The relationship from a unit to what it measures; a quantity has it as a tag.
struct Quantity {};

namespace detail {

void set_unit(world_t* world, entity_t entity, const char* symbol, const Unit& parts);
void set_unit_prefix(world_t* world, entity_t entity, const char* symbol,
                     const unit_translation& by);

}  // namespace detail

inline entity& entity::unit(const char* symbol, entity_t prefix, entity_t base, entity_t over,
                            std::int32_t factor, std::int32_t power) {
    detail::set_unit(world_, id_, symbol, {{}, prefix, base, over, {factor, power}});
    return *this;
}
inline entity& entity::unit(entity_t prefix, entity_t base, entity_t over, std::int32_t factor,
                            std::int32_t power) {
    return unit(nullptr, prefix, base, over, factor, power);
}
inline entity& entity::unit_prefix(const char* symbol, std::int32_t factor, std::int32_t power) {
    detail::set_unit_prefix(world_, id_, symbol, {factor, power});
    return *this;
}
inline entity& entity::quantity() {
    return add<Quantity>();
}
inline entity& entity::quantity(entity_t of) {
    return add<Quantity>(of);
}
template <class Q>
entity& entity::quantity() {
    return add<Quantity, Q>();
}

// A module with common units: world.import<kith::units>(). Each is a type, so that
// member<float, units::length::Meters>("x") and world.entity<units::length::Meters>() name it.
struct units {
    explicit units(world& owner);

    // Prefixes from 10^-24 to 10^24, and the binary ones.
    struct Yocto {};
    struct Zepto {};
    struct Atto {};
    struct Femto {};
    struct Pico {};
    struct Nano {};
    struct Micro {};
    struct Milli {};
    struct Centi {};
    struct Deci {};
    struct Deca {};
    struct Hecto {};
    struct Kilo {};
    struct Mega {};
    struct Giga {};
    struct Tera {};
    struct Peta {};
    struct Exa {};
    struct Zetta {};
    struct Yotta {};
    struct Kibi {};
    struct Mebi {};
    struct Gibi {};
    struct Tebi {};

    struct Duration {};
    struct duration {
        struct Seconds {};
        struct NanoSeconds {};
        struct MicroSeconds {};
        struct MilliSeconds {};
        struct Minutes {};
        struct Hours {};
        struct Days {};
    };
    struct Length {};
    struct length {
        struct Meters {};
        struct MilliMeters {};
        struct CentiMeters {};
        struct KiloMeters {};
        struct Miles {};
        struct Pixels {};
    };
    struct Mass {};
    struct mass {
        struct Grams {};
        struct KiloGrams {};
    };
    struct Speed {};
    struct speed {
        struct MetersPerSecond {};
        struct KiloMetersPerHour {};
    };
    struct Angle {};
    struct angle {
        struct Radians {};
        struct Degrees {};
    };
    struct Temperature {};
    struct temperature {
        struct Kelvin {};
        struct Celsius {};
        struct Fahrenheit {};
    };
    struct Data {};
    struct data {
        struct Bits {};
        struct Bytes {};
        struct KiloBytes {};
        struct MegaBytes {};
        struct KibiBytes {};
        struct MebiBytes {};
    };
    struct Frequency {};
    struct frequency {
        struct Hertz {};
        struct KiloHertz {};
        struct MegaHertz {};
    };
    struct Force {};
    struct force {
        struct Newton {};
    };
    struct Pressure {};
    struct pressure {
        struct Pascal {};
        struct Bar {};
    };
    struct Electric {};
    struct electric {
        struct Ampere {};
        struct Volt {};
        struct Watt {};
    };
    struct Percentage {};
    struct Bel {};
    struct DeciBel {};
};

}  // namespace kith
