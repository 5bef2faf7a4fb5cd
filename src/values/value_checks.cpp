// Ranges of members, and functions that refuse values, for all parts of a value (assign.hpp).
#include <kith/detail/assert.hpp>

#include "assign.hpp"
#include "parts.hpp"

#include <string>

namespace kith::values {

void check_range(assignment& state, const member_info& member, const void* value) {
    KITH_ASSERT(member.type, "a member has a type");
    if (!member.attributes || !member.attributes->range.is_set) {
        return;
    }
    const value_range& range = member.attributes->range;
    const number given = read_number(stored_kind(*member.type), value);
    if (compare_numbers(given, number::of(range.min)) < 0 ||
        compare_numbers(given, number::of(range.max)) > 0) {
        std::string text;
        append_number(text, given, member.type->what == kind::f32);
        text += " is outside of ";
        append_number(text, number::of(range.min));
        text += "..";
        append_number(text, number::of(range.max));
        refuse(state, errc::invalid_value, text);
    }
}

void check_value(assignment& state, const description& type, const void* value) {
    if (type.validate) {
        if (const char* reason = type.validate(type, value)) {
            refuse(state, errc::invalid_value, reason);
        }
    }
}

namespace {

// Visits all parts of a value, the innermost first. The depth of values is limited, since every way
// to make them by texts is; lists of lists that a program made deeper are refused.
class part_check {
public:
    part_check(assignment& state, bool with_ranges) : state_(state), with_ranges_(with_ranges) {}

    void visit(const description& described, const void* value) {
        const description& type = detail::in_world(state_.world, described);
        if (++depth_ > most_depth) {
            refuse(state_, errc::limit, "the value is nested deeper than 64");
        }
        visit_inner(type, value);
        --depth_;
        check_value(state_, type, value);
    }

private:
    void visit_inner(const description& type, const void* value) {
        switch (type.what) {
            case kind::structure:
            case kind::tuple:
            case kind::array:
                visit_fixed(type, value);
                break;
            case kind::list:
            case kind::set:
            case kind::map:
                visit_entries(type, value);
                break;
            case kind::optional:
                visit_present(inner_value(type, value));
                break;
            case kind::variant:
                visit_present(alternative_of(type, value).inner);
                break;
            default:
                break;
        }
    }
    void visit_fixed(const description& type, const void* value) {
        for (std::uint32_t i = 0; i < type.count; ++i) {
            const bool named = type.what == kind::structure;
            const path_step step(state_, named ? "." + std::string(type.members[i].name)
                                               : "[" + std::to_string(i) + "]");
            const typed_value part = fixed_part(type, value, i);
            visit(*part.type, part.value);
            if (named && with_ranges_) {
                check_range(state_, type.members[i], part.value);
            }
        }
    }
    void visit_entries(const description& type, const void* value) {
        std::size_t index = 0;
        for (const container_entry& entry : ordered_entries(type, value)) {
            const path_step step(state_, "[" + std::to_string(index++) + "]");
            visit_present({type.key, entry.key});
            visit(*type.element, entry.element);
        }
    }
    void visit_present(const typed_value& part) {
        if (part.value) {
            visit(*part.type, part.value);
        }
    }

    assignment& state_;
    bool with_ranges_;
    std::size_t depth_ = 0;
};

}  // namespace

void check_rules(assignment& state, const description& type, const void* value) {
    part_check(state, false).visit(type, value);
}
void check_parts(assignment& state, const description& type, const void* value) {
    part_check(state, true).visit(type, value);
}

}  // namespace kith::values
