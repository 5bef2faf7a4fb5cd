// Implements declaration_checks.hpp.
#include "api/declaration_checks.hpp"

#include <kith/kith.hpp>

#include "frame/pipeline_data.hpp"

#include <string>

namespace kith::scheduling {

namespace {

[[noreturn]] void raise_constraint(const world_t* world, entity_t system,
                                   const std::string& sentence) {
    detail::raise_error(errc::constraint, (path_text(world, system) + " " + sentence).c_str());
}

// Parts of a split system run at the same time: none may write what another one reads.
void check_split(const world_t* world, entity_t system, const access_list& list) {
    for (const access& one : list) {
        const std::string id(detail::id_text(world, one.id).c_str());
        if (one.how & access_any_write) {
            raise_constraint(world, system,
                             "is multi_threaded() and writes values of " + id + " that rows share");
        }
        if ((one.how & access_own_write) && (one.how & access_any_read)) {
            raise_constraint(world, system,
                             "is multi_threaded(), writes " + id + " of its rows and reads " + id +
                                 " of other entities");
        }
    }
}

}  // namespace

// An immediate system changes the world at once, and a system that is split has parts on other
// threads.
void check_declaration(const world_t* world, entity_t system,
                       const detail::system_settings& settings, const access_list& list) {
    if ((settings.parallel || settings.split) && settings.immediate) {
        raise_constraint(world, system,
                         "is immediate, so it cannot be parallel() or multi_threaded()");
    }
    if (settings.split && settings.main_thread) {
        raise_constraint(world, system, "is multi_threaded(), so it cannot be main_thread()");
    }
    if (settings.split) {
        check_split(world, system, list);
    }
}

}  // namespace kith::scheduling
