// Splitting paths into names. `.` and `::` both separate, unless they stand inside of the <> or ()
// of a type's name; a caller may ask for a separator of its own instead.
#pragma once

#include <cstdint>
#include <string_view>

namespace kith::names {

// Takes paths apart, element by element.
class path_reader {
public:
    // "::" or ".": both. A path that starts with `root_separator` (and that is not empty) begins at
    // the root.
    path_reader(std::string_view path, std::string_view separator,
                std::string_view root_separator) noexcept;

    bool starts_at_root() const noexcept { return at_root_; }
    // False at the end. Elements may be empty: that is a mistake which the caller reports.
    bool next(std::string_view& element) noexcept;

private:
    std::size_t separator_at(std::size_t position) const noexcept;

    std::string_view rest_;
    std::string_view separator_;
    bool both_;
    bool at_root_ = false;
    bool more_ = true;
};

// Throws if a name (or path) has a character that no name can have: a zero, which ends texts of C.
void check_characters(std::string_view name);

// The element `#123` gives 123; 0 if it is no such element.
std::uint32_t index_element(std::string_view element) noexcept;

}  // namespace kith::names
