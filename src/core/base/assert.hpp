// KITH_ASSERT for the modules of the core: a public header, so that the libraries on top of the
// core have the same checks.
#pragma once

#include <kith/detail/assert.hpp>
