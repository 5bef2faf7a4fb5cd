// The functions by which libraries on top of the core, such as src/schedule, join a world.
// Internal: programs call the classes instead. Implemented in src/core/api.
#pragma once

#include <kith/fwd.hpp>
#include <kith/id.hpp>

#include <cstddef>

namespace kith::detail {

// The data of a library on top of the core, one for each world; made by `new` and owned by the
// world.
class world_extension {
public:
    world_extension() noexcept = default;
    world_extension(const world_extension&) = delete;
    world_extension& operator=(const world_extension&) = delete;
    // Called when all entities have ended.
    virtual ~world_extension() = default;
    // Called first when the world ends: no other thread uses the world afterwards.
    virtual void stop() noexcept = 0;
    // True while a frame runs code of the program: the world must not end then.
    virtual bool is_running() const noexcept = 0;

    // -- snapshots keep the state of the library as bytes.
    virtual std::size_t state_size() const noexcept = 0;
    // Writes state_size() bytes.
    virtual void save_state(std::byte* to) const noexcept = 0;
    // The world has another state now, and entities were made and ended without a notification.
    // The bytes are those of save_state(); there are none if the library was not in use then.
    virtual void load_state(const std::byte* from, std::size_t size) noexcept = 0;
};

// Null if the world has none.
world_extension* find_extension(const world_t* world);
// Gives the data to the world, unless another thread was first: then `added` ends. Returns the data
// of the world. Any thread may call both functions.
world_extension* set_extension(world_t* world, world_extension* added);

// -- frames. The changes of callbacks are queued between begin_stretch() and end_stretch(), which
// runs them. Stretches do not nest.
// Throws unless the world is idle: nothing is deferred, iterated or flushed. `call` is for the
// message.
void check_frame(const world_t* world, const char* call);
// True if the changes of the calling code are deferred or a table is iterated.
bool is_busy(const world_t* world) noexcept;
void begin_stretch(world_t* world) noexcept;
// Throws the first error of callbacks and commands, after all commands ran.
void end_stretch(world_t* world);
// The state of a stage that the code of a system may change and must restore.
struct stage_mark {
    entity_t scope;
    std::uint32_t with;
    std::uint32_t depth;
};
stage_mark mark_stage(const world_t* world) noexcept;
// Ends the code of one system: closes scopes, `with` and deferred parts that it left open. Returns
// the number of commands that are queued.
std::uint32_t end_part(world_t* world, const stage_mark& begin) noexcept;
// The number of the first command that failed in the last end_stretch().
std::uint32_t failed_command(const world_t* world) noexcept;
// defer_suspend() is allowed in stretches. Returns what was allowed before.
bool allow_suspend(world_t* world, bool allowed) noexcept;
// emit() is allowed in stretches. Returns what was allowed before.
bool allow_emit(world_t* world, bool allowed) noexcept;
// A queued command, or one id of a command with several. The id is Wildcard for commands that are
// about all ids of an entity, and 0 for those about none.
struct queued_change {
    enum class kind : std::uint8_t {
        create,
        add,
        remove,
        set,
        get_mut,
        modified,
        clear,
        destruct,
        other
    };
    std::uint32_t number;
    id_t id;
    kind what;
};
// Calls visit(change, context) for each queued command.
void each_command(const world_t* world, void (*visit)(const queued_change& change, void* context),
                  void* context);
// Warns through the log.
void write_log(const char* message) noexcept;

}  // namespace kith::detail
