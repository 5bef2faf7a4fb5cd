// Values in save files: members one after the other, without padding. A value is read into a type
// of the program that may differ from the type of the file; members are matched by name.
#pragma once

#include "save_schema.hpp"

namespace kith::values {

// The entities of values while they are written or read: an entity of the world becomes one of the
// file, and the other way round. 0: the entity is left out.
struct entity_mapping {
    entity_t (*map)(void* context, entity_t entity);
    void* context;
};

// True if the bytes of values in memory are their bytes in files: numbers without padding.
bool is_saved_as_memory(const world_t* world, const description& type);

// Appends a value.
void write_value(byte_writer& out, const world_t* world, const description& type, const void* value,
                 const entity_mapping& entities);

// Rules of one load.
struct reading_rules {
    const type_library* program = nullptr;  // the types of the program's world, null: none
    bool lossy = false;                     // numbers that do not fit become the nearest that does
};

// Reads values of one type of a file into one type of the program.
class value_reader {
public:
    // `notes` gets a line for each member that is dropped, converted or new.
    value_reader(const file_schema& schema, const world& target, const entity_mapping& entities,
                 std::string& notes, const reading_rules& rules = {})
        : schema_(schema), world_(target), entities_(entities), notes_(notes), rules_(rules) {}

    // Reads the members that fit, and leaves the others as they are: an upgrade makes them.
    void read_fitting(byte_reader& from, std::uint32_t number, const description& type, void* value,
                      const std::string& path);

    // `value` is a default value. `path` names the component for messages. Throws [invalid_value]
    // if the value does not fit.
    void read(byte_reader& from, std::uint32_t number, const description& type, void* value,
              const std::string& path);
    // Moves behind a value that the program does not want.
    void skip(byte_reader& from, std::uint32_t number);

private:
    // Chooses the function by the kinds of both types. Kinds that have nothing in common are
    // refused.
    void read_kind(byte_reader& from, const file_type& saved, const description& type, void* value,
                   const std::string& path);
    // A number of the file becomes a number of any kind that can hold it.
    void read_number(byte_reader& from, const file_type& saved, const description& type,
                     void* value, const std::string& path);
    // Constants of enums and bits of flags keep their names, and may have other numbers now.
    void read_constant(const file_type& saved, const description& type, void* value,
                       std::int64_t number, const std::string& path);
    // The constant of the program for a name of the file. Throws if there is none.
    const constant_info& constant_of(const description& type, const std::string& name,
                                     const std::string& path) const;
    // A text may be too long for an array of characters.
    void read_text(byte_reader& from, const description& type, void* value,
                   const std::string& path);
    // Members are matched by name, then by the name that a member had (`was`). Ranges are enforced.
    void read_struct(byte_reader& from, const file_type& saved, const description& type,
                     void* value, const std::string& path);
    // The elements of tuples have no names, so that their positions count.
    void read_tuple(byte_reader& from, const file_type& saved, const description& type, void* value,
                    const std::string& path);
    // Arrays, lists and sets are read into each other.
    void read_elements(byte_reader& from, const file_type& saved, const description& type,
                       void* value, const std::string& path);
    // Keys are read before their values, as they were written.
    void read_map(byte_reader& from, const file_type& saved, const description& type, void* value,
                  const std::string& path);
    // Alternatives are matched by name.
    void read_variant(byte_reader& from, const file_type& saved, const description& type,
                      void* value, const std::string& path);
    void read_optional(byte_reader& from, const file_type& saved, const description& type,
                       void* value, const std::string& path);
    // The representation is read first; the type may refuse it.
    void read_into_opaque(byte_reader& from, std::uint32_t number, const description& type,
                          void* value, const std::string& path);
    // A member; with is_tolerant_, a value that does not fit leaves it as it is.
    void read_member(byte_reader& from, std::uint32_t number, const member_info& member,
                     void* value, const std::string& path);
#if !defined(__cpp_exceptions)
    // Reads a value that fits whatever it is: numbers of one kind, structs member by member. False:
    // it may not fit.
    bool read_certain(byte_reader& from, std::uint32_t number, const member_info& member,
                      void* value, const std::string& path);
#endif
    // The number of elements of a list, compared with the bytes that are left.
    std::uint32_t element_count(byte_reader& from, const file_type& saved);
    // Adds a line to the report.
    void note(const std::string& path, const char* what);
    [[noreturn]] static void refuse(const std::string& path, const std::string& reason);

    // Schema, world and notes belong to the caller and outlive the reader.
    const file_schema& schema_;
    const world& world_;
    entity_mapping entities_;
    std::string& notes_;
    reading_rules rules_;
    bool is_tolerant_ = false;
    // The depth of the value that is read. A refusal leaves it wrong: a reader that has thrown is
    // not used again.
    std::uint32_t depth_ = 0;
    std::uint32_t number_ = 0;  // of the type that is read
};

}  // namespace kith::values
