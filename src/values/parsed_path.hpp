// Paths that were parsed and checked against a type: a list of steps that lead from a value to a
// part of it.
//
// Covered by tests/features/values/path_test.cpp.
#pragma once

#include <kith/value.hpp>

#include "life.hpp"

#include <deque>
#include <string>
#include <vector>

namespace kith::values {

// One step of a path, with the type of the part that it leads to.
struct parsed_step {
    enum class form : std::uint8_t { member, element, entry, alternative, inner };
    const description* type = nullptr;
    std::uint64_t number = 0;  // a member, element, alternative, or the key of an entry
    form is = form::member;
    std::uint32_t end = 0;  // the place behind the step in the text
};
static_assert(sizeof(parsed_step) <= 24);

// Invariants
// 1. The steps fit the type: a step of a member stands behind a struct, and so on. Parts that only
//    some values have are found, or missed, by follow().
// 2. The numbers of entries are places in `keys_`.
class parsed_path {
public:
    // Throws [invalid_text] for a mistake, [invalid_value] for a member or alternative that the
    // type does not have, [limit] for a path that is too long.
    parsed_path(world_t* world, const description& type, std::string_view text);

    bool empty() const noexcept { return steps_.empty(); }
    const description& root() const noexcept { return *root_; }
    // The type of the part.
    const description& last() const noexcept {
        return steps_.empty() ? *root_ : *steps_.back().type;
    }
    const std::string& text() const noexcept { return text_; }
    // The part of a value; a null one if it is missing and `missing` accepts that. Requires: the
    // value has the type of the path, and the path is not empty.
    detail::value_part follow(void* value, detail::missing_part missing) const;

private:
    friend class path_parser;
    detail::value_part take(const parsed_step& step, const detail::value_part& from,
                            detail::missing_part missing) const;
    detail::value_part take_entry(const parsed_step& step, const detail::value_part& from,
                                  detail::missing_part missing) const;
    [[noreturn]] void refuse_absent(const parsed_step& step, const detail::value_part& from) const;

    const description* root_;
    std::string text_;
    std::vector<parsed_step> steps_;
    std::deque<value_box> keys_;
};

}  // namespace kith::values
