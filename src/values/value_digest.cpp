// Hashes values by their description (value_digest.hpp).
#include "value_digest.hpp"

#include <kith/description.hpp>
#include <kith/detail/state_ops.hpp>

#include "save_values.hpp"

namespace kith::values {

namespace {

// The description of a component whose values have bytes that mean nothing: padding, or pointers to
// worlds. Null: all bytes count.
const void* find_digested(const world_t* world, entity_t component) {
    const description* type = detail::find_description(world, component);
    return type && type->what != kind::none && !is_saved_as_memory(world, *type) ? type : nullptr;
}

std::uint64_t digest_value(const void* type, const void* value) {
    return detail::hash_value(*static_cast<const description*>(type), value);
}

}  // namespace

void install_value_digest() noexcept {
    static constexpr detail::value_digest digest{find_digested, digest_value};
    detail::set_value_digest(&digest);
}

}  // namespace kith::values
