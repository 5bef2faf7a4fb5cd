// Implements value_ahead.hpp.
#include "mutate/apply/value_ahead.hpp"

#include "base/scope_exit.hpp"
#include "mutate/apply/values.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;

// Blocks are aligned at least as nodes are.
std::size_t values_ahead::alignment_of(const type_info& info) noexcept {
    return std::max<std::size_t>(info.alignment, 16);
}

std::size_t values_ahead::value_offset(const type_info& info) noexcept {
    const std::size_t mask = alignment_of(info) - 1;
    return (sizeof(node) + mask) & ~mask;
}

values_ahead::~values_ahead() {
    while (first_) {
        node* ending = first_;
        first_ = ending->next;
        const type_info& info = *ending->context.info;
        types::destroy_values(info, ending->context.value, 1);
        mem_.release(ending, value_offset(info) + info.size, purpose::commands, alignment_of(info));
    }
}

// The block is released if the constructor of the value throws.
const detail::value_source& values_ahead::make(const type_info& info,
                                               const detail::value_source& source) {
    const std::size_t bytes = value_offset(info) + info.size;
    void* block = mem_.allocate(bytes, purpose::commands, alignment_of(info));
    base::scope_exit undo(
        [&] { mem_.release(block, bytes, purpose::commands, alignment_of(info)); });
    void* value = static_cast<std::byte*>(block) + value_offset(info);
    make_value(info, source, value);
    undo.release();
    first_ = ::new (block) node{first_, {&info, value}, {}};
    first_->source = moving_source(first_->context);
    return first_->source;
}

}  // namespace kith::mutate
