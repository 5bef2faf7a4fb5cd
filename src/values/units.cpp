// Units of members (include/kith/units.hpp).
#include <kith/units.hpp>

#include "raise.hpp"
#include "unit_symbol.hpp"

#include <string>

namespace kith {

namespace values {

namespace {

template <class T>
const T* find_unit_part(const world_t* world, entity_t entity) {
    const std::uint32_t type = detail::known_type_id<T>();
    return type != 0 && detail::is_alive(world, type) && detail::is_alive(world, entity)
               ? static_cast<const T*>(detail::get_value(world, entity, type, type))
               : nullptr;
}

// The symbol of a unit that another one is composed of. Throws if the entity is no unit.
std::string symbol_of_base(const world_t* world, entity_t unit) {
    const Unit* known = find_unit_part<Unit>(world, unit);
    if (!known) {
        raise(errc::invalid_value, "a unit is composed of units: call unit() on the base first");
    }
    return known->symbol.c_str();
}

// `km/h`: the prefix in front of the base, then the unit that it is divided by.
std::string composed_symbol(const world_t* world, const Unit& parts) {
    std::string symbol;
    if (parts.prefix) {
        const UnitPrefix* prefix = find_unit_part<UnitPrefix>(world, parts.prefix);
        if (!prefix) {
            raise(errc::invalid_value, "the prefix of a unit needs unit_prefix()");
        }
        symbol += prefix->symbol.c_str();
    }
    symbol += parts.base ? symbol_of_base(world, parts.base) : "";
    symbol += parts.over ? "/" + symbol_of_base(world, parts.over) : "";
    return symbol;
}

}  // namespace

std::string unit_symbol(const world_t* world, entity_t unit) {
    const Unit* known = find_unit_part<Unit>(world, unit);
    return known ? known->symbol.c_str() : detail::id_text(world, unit).c_str();
}

}  // namespace values

namespace detail {

void set_unit(world_t* world, entity_t entity, const char* symbol, const Unit& parts) {
    if ((parts.prefix || parts.over) && !parts.base) {
        values::raise(errc::invalid_value, "a unit with a prefix or a divisor needs a base");
    }
    if (parts.base == entity || parts.over == entity) {
        values::raise(errc::cycle, "a unit cannot be composed of itself");
    }
    const std::string composed = values::composed_symbol(world, parts);
    kith::entity(world, entity)
        .set(Unit{string(text_view(symbol ? symbol : composed.c_str())), parts.prefix, parts.base,
                  parts.over, parts.translation});
}

void set_unit_prefix(world_t* world, entity_t entity, const char* symbol,
                     const unit_translation& by) {
    kith::entity(world, entity).set(UnitPrefix{string(text_view(symbol ? symbol : "")), by});
}

}  // namespace detail

namespace {

template <class P>
void make_prefix(const world& owner, const char* symbol, std::int32_t factor, std::int32_t power) {
    owner.entity<P>().unit_prefix(symbol, factor, power);
}
// A unit of its own.
template <class Q, class U>
void make_unit(const world& owner, const char* symbol) {
    owner.entity<U>().template quantity<Q>().unit(symbol);
}
// A unit that is a prefix and a base.
template <class Q, class U, class P, class B>
void make_prefixed(const world& owner) {
    owner.entity<U>().template quantity<Q>().unit(owner.entity<P>(), owner.entity<B>());
}
// A multiple of a base with a symbol of its own.
template <class Q, class U, class B>
void make_multiple(const world& owner, const char* symbol, std::int32_t factor) {
    owner.entity<U>().template quantity<Q>().unit(symbol, 0, owner.entity<B>(), 0, factor, 1);
}

void make_prefixes(const world& owner) {
    make_prefix<units::Yocto>(owner, "y", 10, -24);
    make_prefix<units::Zepto>(owner, "z", 10, -21);
    make_prefix<units::Atto>(owner, "a", 10, -18);
    make_prefix<units::Femto>(owner, "f", 10, -15);
    make_prefix<units::Pico>(owner, "p", 10, -12);
    make_prefix<units::Nano>(owner, "n", 10, -9);
    make_prefix<units::Micro>(owner, "μ", 10, -6);
    make_prefix<units::Milli>(owner, "m", 10, -3);
    make_prefix<units::Centi>(owner, "c", 10, -2);
    make_prefix<units::Deci>(owner, "d", 10, -1);
    make_prefix<units::Deca>(owner, "da", 10, 1);
    make_prefix<units::Hecto>(owner, "h", 10, 2);
    make_prefix<units::Kilo>(owner, "k", 10, 3);
    make_prefix<units::Mega>(owner, "M", 10, 6);
    make_prefix<units::Giga>(owner, "G", 10, 9);
    make_prefix<units::Tera>(owner, "T", 10, 12);
    make_prefix<units::Peta>(owner, "P", 10, 15);
    make_prefix<units::Exa>(owner, "E", 10, 18);
    make_prefix<units::Zetta>(owner, "Z", 10, 21);
    make_prefix<units::Yotta>(owner, "Y", 10, 24);
    make_prefix<units::Kibi>(owner, "Ki", 1024, 1);
    make_prefix<units::Mebi>(owner, "Mi", 1024, 2);
    make_prefix<units::Gibi>(owner, "Gi", 1024, 3);
    make_prefix<units::Tebi>(owner, "Ti", 1024, 4);
}

void make_space_and_time(const world& owner) {
    using u = units;
    using time = u::duration;
    make_unit<u::Duration, time::Seconds>(owner, "s");
    make_prefixed<u::Duration, time::NanoSeconds, u::Nano, time::Seconds>(owner);
    make_prefixed<u::Duration, time::MicroSeconds, u::Micro, time::Seconds>(owner);
    make_prefixed<u::Duration, time::MilliSeconds, u::Milli, time::Seconds>(owner);
    make_multiple<u::Duration, time::Minutes, time::Seconds>(owner, "min", 60);
    make_multiple<u::Duration, time::Hours, time::Minutes>(owner, "h", 60);
    make_multiple<u::Duration, time::Days, time::Hours>(owner, "d", 24);
    using length = u::length;
    make_unit<u::Length, length::Meters>(owner, "m");
    make_prefixed<u::Length, length::MilliMeters, u::Milli, length::Meters>(owner);
    make_prefixed<u::Length, length::CentiMeters, u::Centi, length::Meters>(owner);
    make_prefixed<u::Length, length::KiloMeters, u::Kilo, length::Meters>(owner);
    make_unit<u::Length, length::Miles>(owner, "mi");
    make_unit<u::Length, length::Pixels>(owner, "px");
    owner.entity<u::speed::MetersPerSecond>().quantity<u::Speed>().unit(
        entity_t{0}, owner.entity<length::Meters>(), owner.entity<time::Seconds>());
    owner.entity<u::speed::KiloMetersPerHour>().quantity<u::Speed>().unit(
        entity_t{0}, owner.entity<length::KiloMeters>(), owner.entity<time::Hours>());
    make_unit<u::Angle, u::angle::Radians>(owner, "rad");
    make_unit<u::Angle, u::angle::Degrees>(owner, "°");
    make_unit<u::Frequency, u::frequency::Hertz>(owner, "Hz");
    make_prefixed<u::Frequency, u::frequency::KiloHertz, u::Kilo, u::frequency::Hertz>(owner);
    make_prefixed<u::Frequency, u::frequency::MegaHertz, u::Mega, u::frequency::Hertz>(owner);
}

void make_matter_and_data(const world& owner) {
    using u = units;
    make_unit<u::Mass, u::mass::Grams>(owner, "g");
    make_prefixed<u::Mass, u::mass::KiloGrams, u::Kilo, u::mass::Grams>(owner);
    make_unit<u::Temperature, u::temperature::Kelvin>(owner, "K");
    make_unit<u::Temperature, u::temperature::Celsius>(owner, "°C");
    make_unit<u::Temperature, u::temperature::Fahrenheit>(owner, "°F");
    make_unit<u::Force, u::force::Newton>(owner, "N");
    make_unit<u::Pressure, u::pressure::Pascal>(owner, "Pa");
    make_multiple<u::Pressure, u::pressure::Bar, u::pressure::Pascal>(owner, "bar", 100000);
    make_unit<u::Electric, u::electric::Ampere>(owner, "A");
    make_unit<u::Electric, u::electric::Volt>(owner, "V");
    make_unit<u::Electric, u::electric::Watt>(owner, "W");
    make_unit<u::Data, u::data::Bits>(owner, "bit");
    make_multiple<u::Data, u::data::Bytes, u::data::Bits>(owner, "B", 8);
    make_prefixed<u::Data, u::data::KiloBytes, u::Kilo, u::data::Bytes>(owner);
    make_prefixed<u::Data, u::data::MegaBytes, u::Mega, u::data::Bytes>(owner);
    make_prefixed<u::Data, u::data::KibiBytes, u::Kibi, u::data::Bytes>(owner);
    make_prefixed<u::Data, u::data::MebiBytes, u::Mebi, u::data::Bytes>(owner);
    owner.entity<u::Percentage>().unit("%");
    owner.entity<u::Bel>().unit("B");
    owner.entity<u::DeciBel>().unit(owner.entity<u::Deci>(), owner.entity<u::Bel>());
}

}  // namespace

units::units(world& owner) {
    owner.module<units>();
    make_prefixes(owner);
    make_space_and_time(owner);
    make_matter_and_data(owner);
}

}  // namespace kith
