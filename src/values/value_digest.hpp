// The part of values in world::hash(): values with padding are hashed by their description.
#pragma once

namespace kith::values {

// Lets worlds hash described values. Called whenever a type gets a description.
void install_value_digest() noexcept;

}  // namespace kith::values
