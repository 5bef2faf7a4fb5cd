// What the core has in the place of src/schedule, where that is left out: systems, pipelines and
// frames are refused.
#include <kith/error.hpp>
