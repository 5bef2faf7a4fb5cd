// C++ types that take the place of declared types (include/kith/detail/type_takeover.hpp).
#include <kith/detail/assert.hpp>
#include <kith/detail/type_takeover.hpp>

#include "function_members.hpp"
#include "life.hpp"
#include "raise.hpp"
#include "type_library.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace kith {

namespace values {

namespace {

// Compares a declared type with a C++ type, part by part. Values that pass may be copied by the
// functions of either type.
class layout_comparison {
public:
    explicit layout_comparison(const description& declared) : path_(declared.life.name) {}

    void compare(const description& declared, const description& program) {
        if (&declared == &program) {
            return;
        }
        if (declared.what != program.what || declared.number != program.number) {
            refuse("is " + name_of(declared) + ", and in C++ " + name_of(program));
        }
        compare_numbers("has", declared.life.size, program.life.size, "bytes");
        compare_numbers("is aligned to", declared.life.alignment, program.life.alignment, "bytes");
        compare_parts(declared, program);
    }

private:
    [[noreturn]] void refuse(const std::string& reason) const {
        raise(errc::type_conflict, path_ + " " + reason);
    }
    static std::string name_of(const description& type) {
        const bool is_number = type.what == kind::enumeration || type.what == kind::flags;
        return std::string(to_string(type.what)) +
               (is_number ? std::string(" of ") + to_string(type.number) : std::string());
    }
    void compare_numbers(const char* verb, std::uint64_t declared, std::uint64_t program,
                         const char* unit) const {
        if (declared != program) {
            refuse(std::string(verb) + " " + std::to_string(declared) + " " + unit +
                   ", and in C++ " + std::to_string(program));
        }
    }
    // An array of C++ has no functions of its own, and a declared one those of its description.
    static bool is_character_array(const description& type) {
        return type.life.trivial_copy && type.ops->assign_text &&
               (type.life.context || !type.life.copy_construct);
    }
    void compare_inside(const std::string& step, const description& declared,
                        const description& program) {
        const std::size_t length = path_.size();
        path_ += step;
        compare(declared, program);
        path_.resize(length);
    }
    void compare_parts(const description& declared, const description& program) {
        switch (declared.what) {
            case kind::structure:
                compare_members(declared, program);
                break;
            case kind::array:
                compare_numbers("has", declared.count, program.count, "elements");
                compare_inside("[]", *declared.element, *program.element);
                break;
            case kind::enumeration:
            case kind::flags:
                compare_constants(declared, program);
                break;
            case kind::text:
                // Arrays of characters are alike; other texts are if one type has made them.
                if (!(is_character_array(declared) && is_character_array(program)) &&
                    declared.ops->text != program.ops->text) {
                    refuse("is a text of another C++ type");
                }
                break;
            case kind::entity:
                if (declared.life.size != sizeof(entity_t) && declared.ops != program.ops) {
                    refuse("is an entity of another C++ type");
                }
                break;
            case kind::boolean:
            case kind::character:
                break;
            default:
                // Containers have the same layout only if one C++ type has made both.
                if (declared.what > kind::f64) {
                    refuse(std::string("is of kind ") + to_string(declared.what) +
                           ", whose values lie otherwise in memory in C++");
                }
                break;
        }
    }
    void compare_members(const description& declared, const description& program) {
        for (std::uint32_t i = 0; i < std::min(declared.count, program.count); ++i) {
            const member_info& left = declared.members[i];
            const member_info& right = program.members[i];
            if (std::strcmp(left.name, right.name) != 0) {
                refuse(std::string("has the member '") + left.name + "', and in C++ '" +
                       right.name + "' in its place");
            }
            const std::size_t length = path_.size();
            path_ += std::string(".") + left.name;
            compare(*left.type, *right.type);
            compare_numbers("lies at byte", left.offset, right.offset, "of its type");
            path_.resize(length);
        }
        if (declared.count != program.count) {
            const bool is_more = declared.count > program.count;
            const description& longer = is_more ? declared : program;
            refuse(std::string("has ") + (is_more ? "the" : "no") + " member '" +
                   longer.members[std::min(declared.count, program.count)].name +
                   (is_more ? "', which it has not in C++" : "', which it has in C++"));
        }
    }
    void compare_constants(const description& declared, const description& program) {
        const auto end = program.constants + program.count;
        for (std::uint32_t i = 0; i < declared.count; ++i) {
            const constant_info& own = declared.constants[i];
            const auto* same = std::find_if(program.constants, end, [&](const constant_info& one) {
                return std::strcmp(one.name, own.name) == 0;
            });
            if (same == end) {
                refuse(std::string("has the constant '") + own.name + "', which it has not in C++");
            }
            if (same->value != own.value) {
                refuse(std::string("has ") + std::to_string(own.value) + " as constant '" +
                       own.name + "', and in C++ " + std::to_string(same->value));
            }
        }
        compare_numbers("has", declared.count, program.count, "constants");
    }

    std::string path_;
};

// Copies a value to one of a type with the same layout.
void copy_parts(const description& to, void* value, const description& from, const void* original) {
    if (&to == &from || (to.what == kind::text && !to.life.trivial_copy)) {
        assign_copy(to.life, value, original);
        return;
    }
    if (to.what == kind::structure) {
        for (std::uint32_t i = 0; i < to.count; ++i) {
            const std::uint32_t offset = to.members[i].offset;
            copy_parts(*to.members[i].type, part_at(value, offset), *from.members[i].type,
                       part_at(original, offset));
        }
        return;
    }
    if (to.what == kind::array) {
        const std::size_t size = to.element->life.size;
        for (std::size_t i = 0; i < to.count; ++i) {
            copy_parts(*to.element, part_at(value, i * size), *from.element,
                       part_at(original, i * size));
        }
        return;
    }
    std::memcpy(value, original, to.life.size);
}

bool has_own_facts(const description_node& node) {
    const std::vector<member_info>& list = node.member_list;
    return node.validate || node.has_member_entities ||
           std::any_of(list.begin(), list.end(), [](const member_info& member) {
               return member.attributes || member.hidden || member.read_only;
           });
}

// The automatic description, with the attributes of the declared one. They lie in the declared one,
// which lives as long as the library.
std::unique_ptr<description_node> with_facts_of(const description_node& declared,
                                                const description& program) {
    auto node = std::make_unique<description_node>();
    static_cast<description&>(*node) = program;
    node->set_name(declared.life.name);
    for (std::uint32_t i = 0; program.what == kind::structure && i < program.count; ++i) {
        const member_info& own = declared.members[i];
        member_info member = program.members[i];
        member.attributes = own.attributes ? own.attributes : member.attributes;
        member.hidden |= own.hidden;
        member.read_only |= own.read_only;
        node->add_member(member);
    }
    node->validate = declared.validate ? declared.validate : program.validate;
    node->validate_context =
        declared.validate ? declared.validate_context : program.validate_context;
    node->has_member_entities = declared.has_member_entities;
    return node;
}

}  // namespace

}  // namespace values

namespace detail {

void check_same_layout(const description& declared, const description& program) {
    values::layout_comparison(declared).compare(declared, program);
}

void assign_converted(const description& to, void* value, const description& from,
                      const void* original) {
    values::copy_parts(to, value, from, original);
}

void make_converted(const description& to, void* raw, const description& from,
                    const void* original) {
    struct guard {
        const description& type;
        void* value;
        ~guard() {
            if (value) {
                values::destroy_value(type.life, value);
            }
        }
    };
    values::make_value(to.life, raw);
    guard made{to, raw};
    values::copy_parts(to, raw, from, original);
    made.value = nullptr;
}

bool adopt_description(world_t* world, entity_t declared, std::uint32_t type) {
    values::type_library* library = values::find_library(world);
    values::description_node* node =
        library ? values::find_node(world, *library, declared) : nullptr;
    if (!node) {
        return false;  // the component has the functions and the description of the program
    }
    const description* program = find_description(world, type);
    KITH_ASSERT(program, "both types are described");
    const bool adds = !library->find(type) && values::has_own_facts(*node);
    if (adds) {
        library->add(type, values::with_facts_of(*node, *program));
    }
    library->move_drift(declared, type);
    library->note_change();
    node->successor = type;
    node->type_id = &node->successor;
    return adds;
}

void return_description(world_t* world, entity_t declared, std::uint32_t type,
                        bool added) noexcept {
    values::type_library* library = values::find_library(world);
    values::description_node* node =
        library ? values::find_node(world, *library, declared) : nullptr;
    if (node && node->successor == type) {
        node->successor = 0;
        node->type_id = nullptr;
        library->move_drift(type, declared);
        library->note_change();
        if (added) {
            library->forget(type);
        }
    }
}

}  // namespace detail

}  // namespace kith
