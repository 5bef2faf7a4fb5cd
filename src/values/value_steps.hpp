// Paths of value terms, resolved once: the steps from a component to the parts of it that are
// compared. A path may lead to several parts (`slots[*]`), and to none (an empty optional).
#pragma once

#include <kith/description.hpp>

#include "parts.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kith::values {

class value_box;

// One step. Steps by an offset are joined, so that plain members are a single step.
struct value_step {
    enum class form : std::uint8_t { offset, index, key, every, inner, represent };
    form is = form::offset;
    const description* type = nullptr;  // of the value that the step starts from; not of an offset
    std::size_t number = 0;             // offset or index
    std::shared_ptr<value_box> key;     // of a map
};

struct value_steps {
    std::vector<value_step> steps;
    const description* type = nullptr;  // of the parts at the end
    bool is_optional = false;           // the last step enters an optional

    // True if the part is at the same offset in each value.
    bool is_plain() const noexcept {
        return steps.empty() || (steps.size() == 1 && steps[0].is == value_step::form::offset);
    }
    std::size_t offset() const noexcept { return steps.empty() ? 0 : steps[0].number; }

    // Calls visit(part) for each part until one returns true; true if one did.
    template <class Visit>
    bool any(const void* value, Visit&& visit) const {
        return any_from(
            0, value,
            [](void* to, const void* part) {
                return (*static_cast<std::remove_reference_t<Visit>*>(to))(part);
            },
            &visit);
    }

private:
    using visit_part = bool (*)(void* context, const void* part);
    bool any_from(std::size_t first, const void* value, visit_part visit, void* context) const;
    bool any_element(std::size_t number, const void* value, visit_part visit, void* context) const;
};

// A path that leads nowhere: the reason, and where in the path.
struct step_fault {
    std::string message;
    std::size_t offset = 0;

    explicit operator bool() const noexcept { return !message.empty(); }
};
// Requires: `whole` is the description in this world.
step_fault find_steps(const world_t* world, const description& whole, std::string_view path,
                      value_steps& into);
// Lets a path that ends with a list lead to its elements. False if it does not.
bool enter_elements(const world_t* world, value_steps& steps);

}  // namespace kith::values
