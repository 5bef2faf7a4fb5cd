// A library that is loaded at run time, compiled with -fvisibility=hidden.
#include "types.hpp"

namespace {

std::string message;

}  // namespace

// Stores a value of a type that the program uses, too.
extern "C" [[gnu::visibility("default")]] const char* set_label(kith::world_t* raw) {
    try {
        kith::world(raw).entity("P").set(Label{"a text that is too long for small strings"});
    } catch (const kith::error& refused) {
        message = refused.what();
        return message.c_str();
    }
    return nullptr;
}

// A new entity with a list of values, whose number the process keeps.
extern "C" [[gnu::visibility("default")]] const char* make_both(kith::world_t* raw) {
    const kith::entity made = kith::world(raw).entity(Label{"both"}, Position{3, 4});
    return made.has<Label>() && made.get<Position>()->y == 4 ? nullptr : "another list of types";
}

// The table is iterated by the program meanwhile.
extern "C" [[gnu::visibility("default")]] const char* change_iterated(kith::world_t* raw) {
    try {
        kith::world(raw).entity("P").add<Position>();
    } catch (const kith::error& refused) {
        return refused.code() == kith::errc::locked ? nullptr : "another error";
    }
    return "a change of a table that is iterated was not refused";
}
