// Paths of entities, such as `game::ships.Rocket`: splitting them into elements, and checks of
// single elements. `.` and `::` both separate elements, except inside of the <> or () of a type's
// name; a caller may choose a separator of its own instead.
#pragma once

#include <cstdint>
#include <string_view>

namespace kith::names {

// Reads the elements of a path from left to right. The path must outlive the reader: elements are
// parts of it.
class path_reader {
public:
    // A separator "::" or "." stands for both of them. A path that starts with `root_separator`
    // begins at the root; an empty `root_separator` never matches.
    path_reader(std::string_view path, std::string_view separator,
                std::string_view root_separator) noexcept;

    bool starts_at_root() const noexcept { return at_root_; }
    // Reads the next element; false at the end. The caller reports empty elements as errors.
    bool next(std::string_view& element) noexcept;

private:
    // The length of the separator at a position of rest_, 0 if there is none.
    std::size_t separator_at(std::size_t position) const noexcept;

    std::string_view rest_;  // not read yet
    std::string_view separator_;
    bool both_;  // "." and "::" separate
    bool at_root_ = false;
    bool more_ = true;  // the last element was not read yet
};

// Throws errc::invalid_name if a name or path contains a zero character, because names are also
// passed as C strings.
void check_characters(std::string_view name);

// The entity index that an element of the form `#123` names; 0 for other elements.
std::uint32_t index_element(std::string_view element) noexcept;

}  // namespace kith::names
