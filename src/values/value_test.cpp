// Tests of values in queries (include/kith/detail/value_test.hpp): a path to the compared parts,
// and a comparison of them with constants or with the parts of another value.
#include <kith/detail/assert.hpp>
#include <kith/detail/value_test.hpp>
#include <kith/detail/value_text.hpp>

#include "value_leaf.hpp"
#include "value_steps.hpp"

#include <cmath>
#include <memory>

namespace kith {

namespace values {

namespace {

using detail::value_refusal;
using detail::value_request;
using detail::value_rows;

const char* text_of(comparison how) noexcept {
    constexpr const char* texts[] = {" < ", " <= ", " > ", " >= ", " == ", " != ", " ~= ", " in "};
    return texts[how];
}

// A test with its memory.
struct made_test : detail::value_test {
    value_steps left;
    value_steps right;
    std::unique_ptr<value_leaf> leaf;  // null: parts of two values are compared
    comparison how = equal;
    // How numbers are read that are compared with each other; none: no numbers.
    kind left_kind = kind::none;
    kind right_kind = kind::none;
    kind stored = kind::none;  // of a part in a fixed place
    std::string left_name;
    std::string operator_name;
    std::string right_name;
};

const made_test& of(const detail::value_test& test) noexcept {
    return static_cast<const made_test&>(test);
}

// -- the ways of testing rows --------------------------------------------------------------------

std::uint64_t mask_plain(const detail::value_test& test, const value_rows& left, const value_rows&,
                         std::uint32_t count) {
    const made_test& made = of(test);
    KITH_ASSERT(count <= 64, "a mask has 64 bits");
    return made.leaf->mask(left.first + made.left.offset(), left.stride, count);
}

// Calls test(left, right) for each row; the rows for which it is true are bits.
template <class Test>
std::uint64_t mask_rows(const value_rows& left, const value_rows& right, std::uint32_t count,
                        const Test& test) {
    std::uint64_t mask = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::byte* other = right.first ? right.first + right.stride * i : nullptr;
        mask |= std::uint64_t{test(left.first + left.stride * i, other)} << i;
    }
    return mask;
}

std::uint64_t mask_path(const detail::value_test& test, const value_rows& left,
                        const value_rows& right, std::uint32_t count) {
    const made_test& made = of(test);
    return mask_rows(left, right, count, [&](const std::byte* value, const std::byte*) {
        return made.left.any(value, [&](const void* part) {
            return made.leaf->mask(static_cast<const std::byte*>(part), 0, 1) != 0;
        });
    });
}

// An optional that has no value equals null. The last step of the path enters the optional.
std::uint64_t mask_null(const detail::value_test& test, const value_rows& left,
                        const value_rows& right, std::uint32_t count) {
    const made_test& made = of(test);
    return mask_rows(left, right, count, [&](const std::byte* value, const std::byte*) {
        const bool has = made.left.any(value, [](const void*) { return true; });
        return has == (made.how == not_equal);
    });
}

part_order order_of_numbers(const number& a, const number& b) noexcept {
    if ((a.is == number::form::real && std::isnan(a.real)) ||
        (b.is == number::form::real && std::isnan(b.real))) {
        return part_order::unordered;
    }
    const int order = compare_numbers(a, b);
    return order < 0 ? part_order::less : order > 0 ? part_order::greater : part_order::equal;
}

bool is_number(const description& type) noexcept {
    const kind stored = stored_kind(type);
    return stored >= kind::boolean && stored <= kind::f64;
}

std::uint64_t bits_of(const number& value) noexcept {
    return value.is == number::form::negative ? static_cast<std::uint64_t>(value.negative)
                                              : value.positive;
}

// Compares parts of two values, whose types were found to have an order in common.
bool compare_parts(const made_test& made, const void* left, const void* right) {
    if (made.left_kind != kind::none) {
        const number a = read_number(made.left_kind, left);
        const number b = read_number(made.right_kind, right);
        if (made.how == comparison::contains) {
            return (bits_of(a) & bits_of(b)) == bits_of(b);
        }
        return holds(made.how, order_of_numbers(a, b));
    }
    const description& left_type = *made.left.type;
    const description& right_type = *made.right.type;
    if (left_type.what == kind::entity) {
        const bool same =
            left_type.ops->entity(left_type, left) == right_type.ops->entity(right_type, right);
        return same != (made.how == not_equal);
    }
    const text_view a = left_type.ops->text(left_type, left);
    const text_view b = right_type.ops->text(right_type, right);
    const std::string_view text(a.data, a.size);
    const std::string_view other(b.data, b.size);
    if (made.how == comparison::contains) {
        return text.find(other) != std::string_view::npos;
    }
    const int order = text.compare(other);
    return holds(made.how, order < 0   ? part_order::less
                           : order > 0 ? part_order::greater
                                       : part_order::equal);
}

std::uint64_t mask_values(const detail::value_test& test, const value_rows& left,
                          const value_rows& right, std::uint32_t count) {
    const made_test& made = of(test);
    return mask_rows(left, right, count, [&](const std::byte* value, const std::byte* other) {
        return other && made.left.any(value, [&](const void* part) {
            return made.right.any(
                other, [&](const void* compared) { return compare_parts(made, part, compared); });
        });
    });
}

// Of a comparison with constants of a part in a fixed place.
bool find_plain_keys(const detail::value_test& test, const detail::value_key& key,
                     std::vector<detail::key_interval>& into) {
    const made_test& made = of(test);
    const index_keys& keys = static_cast<const index_keys&>(key);
    return keys.is_about(made.left.offset(), made.stored) && made.leaf->find_keys(keys, into);
}

// `right` is the entity itself.
std::uint64_t mask_handle(const detail::value_test& test, const value_rows& left,
                          const value_rows& right, std::uint32_t count) {
    const made_test& made = of(test);
    const description& type = *made.left.type;
    return mask_rows(left, right, count, [&](const std::byte* value, const std::byte* other) {
        return made.left.any(value, [&](const void* part) {
            const entity_t found = type.ops->entity(type, part);
            return (found == *reinterpret_cast<const entity_t*>(other)) != (made.how == not_equal);
        });
    });
}

entity_t read_handle(const detail::value_test& test, const void* value) {
    const made_test& made = of(test);
    const description& type = *made.left.type;
    entity_t found = 0;
    made.left.any(value, [&](const void* part) {
        found = type.ops->entity(type, part);
        return true;
    });
    return found;
}

// -- making tests --------------------------------------------------------------------------------

// The name of the member at an offset, for texts of queries; empty if no description tells it.
std::string name_at(const world_t* world, const description* type, std::uint32_t offset) {
    std::string name;
    while (type && detail::in_world(world, *type).what == kind::structure) {
        const description& whole = detail::in_world(world, *type);
        type = nullptr;
        for (const member_info& member : whole) {
            if (offset >= member.offset && offset < member.offset + member.type->life.size) {
                name += std::string(".") + member.name;
                offset -= member.offset;
                type = member.type;
                break;
            }
        }
    }
    return name;
}

// Makes one test. The functions return false, with the refusal, for comparisons that make no sense.
class test_maker {
public:
    test_maker(const value_request& request, value_refusal& refusal)
        : request_(request), desc_(*request.desc), refusal_(refusal) {}

    const detail::value_test* make() {
        auto made = std::make_unique<made_test>();
        made->how = desc_.how;
        made->operator_name = text_of(desc_.how);
        if (!make_parts(*made)) {
            return nullptr;
        }
        made->left_text = made->left_name.c_str();
        made->operator_text = made->operator_name.c_str();
        made->right_text = made->right_name.c_str();
        made->end = [](const detail::value_test* test) noexcept { delete &of(*test); };
        return made.release();
    }

private:
    bool refuse(std::string message, bool is_right, std::size_t offset = 0) {
        refusal_ = {std::move(message), is_right, offset};
        return false;
    }
    bool make_parts(made_test& made) {
        if (desc_.number != order_number::none) {
            return make_member(made);
        }
        return find_part(request_.component, desc_.path, false, made.left, made.left_name) &&
               (request_.desc->is_handle ? make_handle(made)
                : request_.other != 0    ? make_values(made)
                                         : make_constants(made));
    }
    // A member that C++ names: a number at an offset.
    bool make_member(made_test& made) {
        const description* type = detail::find_description(request_.world, request_.component);
        made.left_name = name_at(request_.world, type, desc_.offset);
        add_offset(desc_.offset, made.left);
        if (request_.other != 0) {
            const description* other = detail::find_description(request_.world, request_.other);
            made.right_name = name_at(request_.world, other, desc_.right_offset);
            add_offset(desc_.right_offset, made.right);
            made.left_kind = kind_of(desc_.number);
            made.right_kind = kind_of(desc_.right_number);
            made.mask = mask_values;
            return (desc_.how != comparison::contains && desc_.how != is_in) ||
                   refuse("numbers are compared by <, <=, >, >=, == and !=", true);
        }
        std::string fault;
        made.leaf = make_number_leaf(kind_of(desc_.number), desc_.how, desc_.right, fault);
        made.mask = mask_plain;
        made.stored = kind_of(desc_.number);
        made.find_keys = find_plain_keys;
        made.operator_name += desc_.right;
        return made.leaf || refuse(std::move(fault), true);
    }
    static void add_offset(std::uint32_t offset, value_steps& into) {
        if (offset != 0) {
            into.steps.push_back({value_step::form::offset, nullptr, offset, nullptr});
        }
    }
    bool find_part(entity_t component, const char* path, bool is_right, value_steps& steps,
                   std::string& name) {
        const description* type = detail::find_description(request_.world, component);
        if (!type || type->what == kind::none) {
            return refuse(
                "the component has no description: world.component<T>().reflect() or "
                "member() gives it one",
                is_right);
        }
        const step_fault fault =
            find_steps(request_.world, detail::in_world(request_.world, *type), path, steps);
        if (fault) {
            return refuse(fault.message, is_right, fault.offset);
        }
        name = *path && *path != '[' ? std::string(".") + path : std::string(path);
        return true;
    }
    bool make_handle(made_test& made) {
        if (made.left.type->what != kind::entity) {
            return refuse(
                "only an entity inside of a value is compared with a variable; a value "
                "of its entity has a component, as in $x.Position.x",
                true);
        }
        if (made.how != equal && made.how != not_equal) {
            return refuse("entities have no order: they are compared by == and !=", true);
        }
        made.mask = mask_handle;
        made.handle = read_handle;
        return true;
    }
    bool make_values(made_test& made) {
        if (!find_part(request_.other, desc_.right, true, made.right, made.right_name)) {
            return false;
        }
        if (made.how == comparison::contains && enter_elements(request_.world, made.left)) {
            made.how = equal;
        }
        const description& left = *made.left.type;
        const description& right = *made.right.type;
        const bool comparable = (is_number(left) && is_number(right)) ||
                                (left.what == kind::text && right.what == kind::text) ||
                                (left.what == kind::entity && right.what == kind::entity);
        if (!comparable) {
            return refuse(std::string("values of ") + left.life.name + " and " + right.life.name +
                              " have no order in common",
                          true);
        }
        if (made.how == is_in ||
            (made.how == comparison::contains && is_number(left) && left.what != kind::flags)) {
            return refuse("this comparison is for constants, texts, flags and lists", true);
        }
        if (left.what == kind::entity && made.how != equal && made.how != not_equal) {
            return refuse("entities have no order: they are compared by == and !=", true);
        }
        made.left_kind = is_number(left) ? stored_kind(left) : kind::none;
        made.right_kind = is_number(right) ? stored_kind(right) : kind::none;
        made.mask = mask_values;
        return true;
    }
    bool make_constants(made_test& made) {
        append_constants(made);
        if (std::string_view(desc_.right) == "null" && made.left.type->what != kind::entity) {
            if (!made.left.is_optional || (made.how != equal && made.how != not_equal)) {
                return refuse("only optionals are compared with null, by == and !=", true);
            }
            made.mask = mask_null;
            return true;
        }
        if (made.how == comparison::contains && enter_elements(request_.world, made.left)) {
            made.how = equal;
        }
        std::string fault;
        made.leaf = make_leaf(request_.world, *made.left.type, made.how, desc_.right, fault);
        made.mask = made.left.is_plain() ? mask_plain : mask_path;
        if (made.left.is_plain()) {
            made.stored = stored_kind(*made.left.type);
            made.find_keys = find_plain_keys;
        }
        return made.leaf || refuse(std::move(fault), true);
    }
    // The text of an entity has its generation, which queries do not write.
    void append_constants(made_test& made) const {
        std::string text = desc_.right;
        if (made.left.type->what == kind::entity) {
            text = text.substr(0, text.find('@'));
        }
        made.operator_name += text;
    }

    const value_request& request_;
    const value_desc& desc_;
    value_refusal& refusal_;
};

}  // namespace

}  // namespace values

namespace detail {

const value_test* make_value_test(const value_request& request, value_refusal& refusal) {
    return values::test_maker(request, refusal).make();
}

kind find_compared_kind(const world_t* world, entity_t component, const char* path,
                        comparison how) {
    const description* type = find_description(world, component);
    values::value_steps steps;
    if (!type || values::find_steps(world, in_world(world, *type), path, steps)) {
        return kind::none;
    }
    if (how == comparison::contains) {
        values::enter_elements(world, steps);
    }
    return steps.type->what;
}

bool is_compared_as_whole(const world_t* world, entity_t component) {
    const kind what = find_compared_kind(world, component, "", equal);
    return (what >= kind::boolean && what <= kind::text) || what == kind::list || what == kind::set;
}

std::string constant_text(std::uint64_t magnitude, bool negative) {
    return (negative ? "-" : "") + std::to_string(magnitude);
}

std::string constant_text(double number) {
    std::string text;
    values::append_number(text, values::number::of(number));
    return text;
}

std::string constant_text(text_view text) {
    std::string quoted;
    append_quoted_text(quoted, std::string_view(text.data, text.size));
    return quoted;
}

std::string constant_text_of_entity(entity_t entity) {
    return entity == 0 ? "0"
                       : "#" + std::to_string(index_of(entity)) + "@" +
                             std::to_string(generation_of(entity));
}

}  // namespace detail

}  // namespace kith
