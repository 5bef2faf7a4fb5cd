// Types of save files: descriptions as the saving program had them, with numbers in the place of
// pointers.
#pragma once

#include <kith/description.hpp>
#include <kith/detail/assert.hpp>

#include "save_format.hpp"
#include "type_library.hpp"

#include <map>

namespace kith::values {

// The number in the place of a type that a kind does not have: the key of a list, for example.
constexpr std::uint32_t no_type = 0xFFFFFFFFu;
// Limits of files. They bound the memory that a damaged or hostile file can ask for.
constexpr std::uint32_t most_types = 65536;
constexpr std::uint32_t most_members = 4096;

// Attributes of a member that no value depends on. They stand in a part of their own (XATR), which
// programs that do not know it keep.
struct file_attributes {
    value_range warning;
    value_range error;
    double step = 0;
    std::string unit;
    std::string doc;
    handle_policy policy = handle_policy::keep;
    std::string default_value;  // the bytes of a value in a file; empty: none

    bool any() const noexcept {
        return warning.is_set || error.is_set || step != 0 || !unit.empty() || !doc.empty() ||
               policy != handle_policy::keep || !default_value.empty();
    }
};

// A member of a struct or tuple, or an alternative of a variant.
struct file_member {
    std::string name;
    std::uint32_t type;  // number
    std::string was;
    bool hidden = false;
    bool read_only = false;
    value_range range;
    file_attributes more;
};
// A constant of an enum, or a bit of flags.
struct file_constant {
    std::string name;
    std::int64_t value;
};

// One type of the file. Types refer to each other by number.
struct file_type {
    kind what = kind::none;
    kind number = kind::none;  // the integer of an enum or of flags
    std::string name;
    std::uint32_t count = 0;  // of an array
    std::uint32_t element = no_type;
    std::uint32_t key = no_type;
    std::vector<file_member> members;
    std::vector<file_constant> constants;
};

// The form of the values of an id that are saved as bytes; null if they are not.
const bytes_form* find_bytes_form(const world_t* world, id_t id);
// The description of the values of an id. Enums without a description are saved as integers, and
// types that the program says so of, as bytes. Throws [invalid_type] for other types without one.
const description& saved_description(const world_t* world, id_t id);
// The same, but null if there is none.
const description* find_saved_description(const world_t* world, id_t id);

// All types of a file. A writer adds the descriptions that its values have; a reader gets checked
// types.
class file_schema {
public:
    // The number of a description's type, which is added with the types that it refers to. Opaque
    // types have the number of their representation. Throws [invalid_type] for parts without a
    // description.
    std::uint32_t add(const world_t* world, const description& type);

    // Appends all types in the order of their numbers, each with the checksum of its layout().
    void write(byte_writer& out) const;
    // Throws [invalid_file] unless each reference leads to a type, and no type contains itself by
    // value.
    static file_schema read(byte_reader& from);
    bool has_attributes() const noexcept;
    // Each entry names its type and member, so that it is ignored if another program has changed
    // the schema.
    void write_attributes(byte_writer& out) const;
    // Throws [invalid_file] for entries that are cut off or impossible. Requires: the schema was
    // read.
    void read_attributes(byte_reader& from);

    const file_type& at(std::uint32_t number) const {
        KITH_ASSERT(number < types_.size(), "types are referred to by number");
        return types_[number];
    }
    std::size_t size() const noexcept { return types_.size(); }
    // A text that is equal for types whose values have the same bytes in files.
    std::string layout(std::uint32_t number) const;
    // The least number of bytes that a value has in a file.
    std::size_t least_size(std::uint32_t number) const {
        KITH_ASSERT(number < least_.size(), "the types of a file are measured");
        return least_[number];
    }
    // A description of a type of the file, which no component has. It belongs to the library.
    const description& describe(const world& target, std::uint32_t number) const {
        made_types made;
        type_library& library = ensure_library(target);
        const description& type = make(target, library, number, made);
        fill_all(target, library, made);
        set_defaults(target, made);
        return type;
    }
    // A component of a world and its type in the file.
    struct component_type {
        entity_t component;
        std::uint32_t number;
    };
    // Describes components of a world by types of the file: they become run-time types. A type that
    // has another one as its part refers to that one's component: to one of `made`, or of `present`
    // if the world describes it as the file does.
    void define(const world& target, const std::vector<component_type>& made,
                const std::vector<component_type>& present) const;

private:
    // A step of layout() for one type.
    void append_layout(std::string& out, std::uint32_t number, std::uint32_t depth) const;
    // Throws unless each type is possible: kinds, references, counts.
    void check(byte_reader& from) const;
    // Computes the least sizes. Requires: check() has returned.
    void measure();
    // True for types that have no end: a struct inside of itself, at any depth.
    bool contains_itself(std::uint32_t number, std::vector<char>& state) const;
    // The nodes of run-time types by number, and in the order in which they were finished.
    struct made_types {
        std::map<std::uint32_t, description_node*> nodes;
        std::vector<std::pair<std::uint32_t, description_node*>> finished;
        // Nodes that are not filled yet; further components of the same types.
        std::map<std::uint32_t, description_node*> empty;
        std::vector<std::pair<std::uint32_t, description_node*>> repeated;
        // Descriptions that the world has already.
        std::map<std::uint32_t, const description*> present;
    };
    // A component's node; a simple type is copied into it.
    description_node& add_node(const world& target, type_library& library, const component_type& of,
                               made_types& made) const;
    // True for a description whose values have the same bytes in files.
    bool is_like(const world_t* world, std::uint32_t number, const description& described) const;
    // The description of a part of a run-time type. Types that refer to each other are made once.
    const description& make(const world& target, type_library& library, std::uint32_t number,
                            made_types& made) const;
    // The same; the description may be filled later, as those of elements elsewhere can be.
    const description& refer_to(type_library& library, std::uint32_t number,
                                made_types& made) const;
    void fill_all(const world& target, type_library& library, made_types& made) const;
    // Writes kind, parts and layout into a new description.
    void fill(const world& target, type_library& library, description_node& node,
              std::uint32_t number, made_types& made) const;
    // Reads the defaults of members. Requires: all nodes are finished, since a default may have
    // values of any of them.
    void set_defaults(const world& target, const made_types& made) const;

    // The position of a type is its number.
    std::vector<file_type> types_;
    // Sizes in bytes, by number; empty in a schema that is being written.
    std::vector<std::size_t> least_;
    // The numbers of descriptions that add() knows. Empty in a schema that was read.
    std::map<const description*, std::uint32_t> numbers_;
};

}  // namespace kith::values
