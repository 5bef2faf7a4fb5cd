// What a program says about former forms of its types: names that they had, the version of each
// type, and functions that make values from those of older versions.
#pragma once

#include <kith/detail/forget_ops.hpp>
#include <kith/value.hpp>

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

struct type_drift {
    struct former_constant {
        std::string was;
        std::string name;
    };
    std::string path;  // that the component had
    std::int32_t version = 0;
    std::vector<former_constant> constants;
    std::map<std::int32_t, upgrade_call> upgrades;  // by the version that they take
};

}  // namespace kith::values
