// Sort keys by members that text names: order_by("Health.points desc, Tag.text"). Numbers at a
// fixed offset are read by the core; other members are compared here.
#include <kith/detail/order.hpp>
#include <kith/world.hpp>

#include "numbers.hpp"
#include "raise.hpp"
#include "value_steps.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace kith {

namespace values {

namespace {

order_number order_number_of(kind stored) noexcept {
    switch (stored) {
        case kind::boolean:
        case kind::character:
        case kind::u8:
            return order_number::u8;
        case kind::u16:
            return order_number::u16;
        case kind::u32:
            return order_number::u32;
        case kind::u64:
            return order_number::u64;
        case kind::i8:
            return order_number::i8;
        case kind::i16:
            return order_number::i16;
        case kind::i32:
            return order_number::i32;
        case kind::i64:
            return order_number::i64;
        case kind::f32:
            return order_number::f32;
        case kind::f64:
            return order_number::f64;
        default:
            return order_number::none;
    }
}

// Compares the first parts that a path leads to; values without such a part come first.
struct compare_at_path {
    value_steps steps;

    const void* part_of(const void* value) const {
        const void* found = nullptr;
        steps.any(value, [&](const void* part) {
            found = part;
            return true;
        });
        return found;
    }
    int operator()(const void* a, const void* b) const {
        const void* left = part_of(a);
        const void* right = part_of(b);
        if (!left || !right) {
            return (left != nullptr) - (right != nullptr);
        }
        return detail::compare_values(*steps.type, left, right);
    }
};

[[noreturn]] void refuse_order(std::string_view member, const std::string& reason) {
    raise(errc::invalid_query, "order_by: '" + std::string(member) + "': " + reason);
}

std::string_view without_blanks_around(std::string_view text) noexcept {
    const std::size_t begin = text.find_first_not_of(" \t\n");
    return begin == std::string_view::npos
               ? std::string_view{}
               : text.substr(begin, text.find_last_not_of(" \t\n") + 1 - begin);
}

// The longest beginning of the path that names a described component.
entity_t find_ordered_component(const world_t* world, std::string_view member, std::size_t& end) {
    for (end = member.size(); end != std::string_view::npos && end != 0;
         end = member.rfind('.', end - 1)) {
        const entity_t named = detail::lookup_path(world, detail::get_scope(world),
                                                   member.substr(0, end), ".", "::", true);
        if (named && detail::find_description(world, named)) {
            return named;
        }
    }
    refuse_order(member, "no component with a description has this name");
}

// Requires: the path is one of the description.
bool ends_in_representation(const value_steps& steps) noexcept {
    for (const value_step& one : steps.steps) {
        if (one.is == value_step::form::represent) {
            return true;
        }
    }
    return false;
}

order_desc make_order_of_text(const world_t* world, std::string_view member, bool descending) {
    std::size_t end = 0;
    const entity_t component = find_ordered_component(world, member, end);
    compare_at_path by;
    const std::string_view path =
        end == member.size() ? std::string_view{} : member.substr(end + 1);
    const description& whole = detail::require_description(world, component);
    if (const step_fault fault = find_steps(world, whole, path, by.steps)) {
        refuse_order(member, fault.message);
    }
    if (ends_in_representation(by.steps)) {
        refuse_order(member, "values that have a representation are not sorted by members");
    }
    order_desc made;
    made.component = component;
    made.descending = descending;
    made.number =
        by.steps.is_plain() ? order_number_of(stored_kind(*by.steps.type)) : order_number::none;
    if (made.number != order_number::none) {
        made.offset = static_cast<std::uint32_t>(by.steps.offset());
        return made;
    }
    struct call {
        int operator()(const compare_at_path& kept, entity_t, const void* a, entity_t,
                       const void* b) const {
            return kept(a, b);
        }
    };
    made.callable = detail::comparer::of(std::move(by), call{});
    return made;
}

}  // namespace

}  // namespace values

void detail::add_orders(world_t* world, text_view members, order_list& orders) {
    std::string_view rest(members.data, members.size);
    do {
        const std::size_t end = std::min(rest.find(','), rest.size());
        std::string_view key = values::without_blanks_around(rest.substr(0, end));
        rest.remove_prefix(std::min(rest.size(), end + 1));
        const std::size_t blank = key.find_first_of(" \t");
        const std::string_view word = blank == std::string_view::npos
                                          ? std::string_view{}
                                          : values::without_blanks_around(key.substr(blank));
        if (!word.empty() && word != "desc" && word != "asc") {
            values::refuse_order(key, "behind a member stands asc, desc or nothing");
        }
        orders.add(values::make_order_of_text(world, key.substr(0, blank), word == "desc"));
    } while (!rest.empty());
}

}  // namespace kith
