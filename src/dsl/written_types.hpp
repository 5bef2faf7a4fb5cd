// The types that a text declares before its facts, each behind the types that it names.
#pragma once

#include <kith/detail/type_text.hpp>
#include <kith/world.hpp>

#include <string>
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
    // Appends one declaration per line, and an empty line if there is any.
    void write(std::string& out) const;
    const std::vector<const description*>& order() const noexcept { return order_; }
    // Appends one declaration without a line end.
    void append(std::string& out, const description& type) const;

private:
    void append_type_path(std::string& out, const description& type) const;

    world world_;
    std::unordered_set<const description*> seen_;
    std::unordered_set<entity_t> components_;
    std::vector<const description*> order_;
};

}  // namespace kith::dsl
