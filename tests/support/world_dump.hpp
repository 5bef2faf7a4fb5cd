// A world as text: entities, what they have, values, names. Two dumps are equal if and only if the
// worlds look the same from outside, so a test can prove that an operation changed nothing.
//
//     value_printers values;
//     values.add<Position>([](const Position& p) { return text_of(p.x, p.y); });
//     const std::string before = dump_world(world, values);
//
// One line per live entity, by ascending index:
//
//     #4096v1 ::Sun::Earth: Mass={5}, (ChildOf,Sun), (Identifier,Name)={Earth}, Hot(off)
//
// The version (generation) is left out if it is 0. A value without a printer is not shown. Uses the
// public API only.
#pragma once

#include <kith/kith.hpp>

#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

namespace kith_test {

// `1,2,abc`: the values, as operator<< prints them.
template <class... Values>
std::string text_of(const Values&... values) {
    std::ostringstream out;
    const char* separator = "";
    ((out << separator << values, separator = ","), ...);
    return out.str();
}

// How to print the values of components, by component.
class value_printers {
public:
    using printer = std::function<std::string(const void* value)>;

    value_printers() {
        add<kith::Component>(
            [](const kith::Component& value) { return text_of(value.size, value.alignment); });
        add<kith::Identifier>([](const kith::Identifier& value) { return text_of(value.value()); });
    }

    template <class T, class Print>
    value_printers& add(Print print) {
        return add(kith::type_id<T>(), [print](const void* value) {
            return std::string(print(*static_cast<const T*>(value)));
        });
    }
    // For types that operator<< can print.
    template <class T>
    value_printers& add() {
        return add<T>([](const T& value) { return text_of(value); });
    }
    // For components defined at run time.
    value_printers& add(kith::entity_t component, printer print) {
        printers_[component] = std::move(print);
        return *this;
    }

    const printer* find(kith::entity_t component) const {
        auto found = printers_.find(component);
        return found == printers_.end() ? nullptr : &found->second;
    }

private:
    std::map<kith::entity_t, printer> printers_;
};

namespace dump_detail {

inline void print_value(std::ostream& out, const kith::entity& e, const kith::id& id,
                        const value_printers& values) {
    const kith::entity component = id.type_id();
    const value_printers::printer* print = component ? values.find(component) : nullptr;
    if (!print) {
        return;
    }
    const void* value = e.get(id.raw_id());
    out << "={" << (value ? (*print)(value) : "missing") << "}";
}

}  // namespace dump_detail

// One line of the dump, without its end.
inline std::string dump_entity(const kith::entity& e, const value_printers& values = {}) {
    std::ostringstream out;
    out << '#' << kith::index_of(e);
    if (kith::generation_of(e) != 0) {
        out << 'v' << kith::generation_of(e);
    }
    if (!e.name().empty()) {
        out << ' ' << e.path().c_str();
    }
    const char* separator = ": ";
    e.each([&](const kith::id& id) {
        out << separator << id.str().c_str();
        dump_detail::print_value(out, e, id, values);
        if (!e.enabled(id.raw_id())) {
            out << "(off)";
        }
        separator = ", ";
    });
    return out.str();
}

// All live entities whose index is at least `first`: by default builtins and components too.
inline std::string dump_world(const kith::world& world, const value_printers& values = {},
                              std::uint32_t first = 1) {
    std::string result;
    std::size_t found = 0;
    const std::size_t count = world.stats().entities;
    // Indices are dense, so this ends soon; a test that makes huge indices alive passes `first`.
    for (std::uint32_t index = 1; found < count && index != 0; ++index) {
        const kith::entity e = world.get_alive(index);
        if (!e) {
            continue;
        }
        ++found;
        if (index >= first) {
            result += dump_entity(e, values) + '\n';
        }
    }
    return result;
}

// As above, without builtin entities and the components of C++ types.
inline std::string dump_entities(const kith::world& world, const value_printers& values = {}) {
    return dump_world(world, values, kith::first_entity);
}

}  // namespace kith_test
