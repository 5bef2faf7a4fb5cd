// Implements recursion_limit.hpp, and raise_nested() of stage.hpp.
#include "mutate/context/recursion_limit.hpp"

#include "mutate/context/stage.hpp"
#include "names/id_text.hpp"

namespace kith::mutate {

namespace {

// Appends one callback: kind, event, id and entity.
void append_call(const stage& world, const events::trace::call& call, base::text& out) {
    if (call.listener == Monitor) {
        out << "a monitor";
    } else if (call.listener != 0) {
        out << "observer ";
        names::describe_id(world.data, call.listener, out);
    } else {
        out << "a hook";
    }
    out << " (";
    names::describe_id(world.data, call.event, out);
    if (call.id != 0) {
        out << " ";
        names::describe_id(world.data, call.id, out);
    }
    if (call.entity != 0) {
        out << " of ";
        names::describe_id(world.data, call.entity, out);
    }
    out << ")";
}

// Appends the last callbacks, the oldest first.
void append_calls(const stage& world, const events::trace& last, base::text& out) {
    const std::uint32_t shown = last.count < last.most ? last.count : last.most;
    for (std::uint32_t i = last.count - shown; i < last.count; ++i) {
        out << (i == last.count - shown ? "" : " -> ");
        append_call(world, last.calls[i % last.most], out);
    }
}

}  // namespace

void raise_nested(const events::registry& all, const events::event_data& event) {
    const stage& world = stage_of(event.world);
    // Frames are linked from the innermost call outward; the message begins with the oldest.
    const events::registry::frame* calls[events::trace::most];
    std::uint32_t count = 0;
    for (const events::registry::frame* frame = all.innermost();
         frame && count < events::trace::most; frame = frame->older) {
        calls[count++] = frame;
    }
    events::trace last;
    while (count != 0) {
        const events::registry::frame& call = *calls[--count];
        last.note(call.who->entity, call.what);
    }
    base::text message;
    message << "observers are called inside of each other, more than "
            << std::uint32_t{all.most_nested} << " deep; the last are ";
    append_calls(world, last, message);
    message << "; one of them must stop, or enqueue";
    base::raise(errc::limit, message);
}

void raise_endless(const stage& world, const events::trace& last) {
    base::text message;
    message << "changes led to further changes " << most_rounds
            << " times in a row, and what was left is dropped; the last were made by ";
    append_calls(world, last, message);
    base::raise(errc::limit, message);
}

}  // namespace kith::mutate
