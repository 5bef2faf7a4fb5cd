// Worlds from files.
#pragma once

#include <kith/kith.hpp>
#include <kith/world_text.hpp>

#include "interrupt.hpp"
#include "world_files.hpp"

#include <string>

namespace kith_app {

// Adds the facts of a file to a world, all or none. Shows how far it is if that takes more than a
// second and somebody looks. Throws kith::error with the mistakes, input_error for what is no text.
kith::load_result load_file(kith::world& world, const std::string& path, const interrupt& stop);
// A file of this format, whatever its ending says.
kith::load_result load_file(kith::world& world, const std::string& path, file_form form,
                            const interrupt& stop);

}  // namespace kith_app
