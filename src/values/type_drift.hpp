// What a program says about its types in save files: names that they had, the version of each type,
// functions that make values from those of older versions, types whose values are saved as bytes.
#pragma once

#include <kith/detail/forget_ops.hpp>
#include <kith/value.hpp>

#include "description_node.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kith::values {

// Calls a function of the program, whose context it owns.
class upgrade_call {
public:
    using function = void (*)(void* context, const value_view& old, void* now);
    upgrade_call(function call, void* context, void (*free)(void* context) noexcept) noexcept
        : call_(call), context_(context, free) {}
    void operator()(const value_view& old, void* now) const { call_(context_.get(), old, now); }
    bool is_of_library(const detail::code_range& range) const noexcept {
        return range.contains(call_) || range.contains(context_.get_deleter());
    }

private:
    function call_;
    std::unique_ptr<void, void (*)(void*) noexcept> context_;
};

// The description by which values are saved as bytes: a struct whose only member is an array of
// them. The name of the member says the alignment of the type.
struct bytes_form {
    description_node array;
    description_node whole;
};

struct type_drift {
    struct former_constant {
        std::string was;
        std::string name;
    };
    std::string path;  // that the component had
    std::int32_t version = 0;
    std::vector<former_constant> constants;
    std::map<std::int32_t, upgrade_call> upgrades;  // by the version that they take
    std::unique_ptr<bytes_form> bytes;              // null: values are saved by their description
};

}  // namespace kith::values
