// The types that a text declares, each behind the types that it names. A type is declared in the
// place of its entity, so that its siblings keep their order; types without an entity, and types
// that an earlier one names, are declared at the top.
#pragma once

#include <kith/detail/type_text.hpp>
#include <kith/world.hpp>

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace kith::dsl {

class written_types {
public:
    explicit written_types(const world& world) : world_(world) {}

    // Adds the type behind the types that its declaration names. A list or another type without a
    // declaration adds the types that it names.
    void add(const description& type);
    // True if the type of the component is declared.
    bool declares(entity_t component) const { return components_.contains(component); }
    // Chooses the places: `position` is that of an entity in the text, 0 if it has none.
    template <class Position>
    void arrange(Position&& position) {
        for (const description* type : order_) {
            const entity_t component = detail::component_of_type(world_, *type);
            places_[type] = component ? position(component) : 0;
        }
        while (move_named_up()) {
            // Types that name each other in a circle move up together.
        }
    }
    // The type that is declared in the place of this entity; null if there is none.
    const description* declared_at(entity_t component) const;
    // Appends the types at the top, one per line, and an empty line if there is any.
    void write(std::string& out) const;
    const std::vector<const description*>& order() const noexcept { return order_; }
    // Appends one declaration without a line end, seen from a block or from the root.
    void append(std::string& out, const description& type, bool in_block = false) const;

private:
    // True if a type has moved to the top.
    bool move_named_up();
    void append_type_path(std::string& out, const description& type, bool in_block) const;

    world world_;
    std::unordered_set<const description*> seen_;
    std::unordered_set<entity_t> components_;
    std::vector<const description*> order_;
    std::unordered_map<const description*, std::size_t> places_;  // 0: at the top
};

}  // namespace kith::dsl
