// Implements wide_tables.hpp.
#include "mutate/context/wide_tables.hpp"

#include "base/attempt.hpp"
#include "base/log.hpp"
#include "mutate/context/stage.hpp"
#include "names/id_text.hpp"
#include "storage/find.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::table;

namespace {

// The number of ids of a wide table. Narrower tables are kept: they are entered often and take
// little memory.
constexpr std::uint32_t wide = 64;
// The number of targets of one entity that is worth a warning.
constexpr std::uint32_t many_targets = 128;

// True for a wide table without rows.
bool is_left(const storage::store& data, const table& table) noexcept {
    return table.id_count >= wide && data.tables.rows(table.number).count == 0;
}

// True if no operation is running that may need tables.
bool is_idle(const stage& world) noexcept {
    return world.queue.depth == 0 && world.queue.suspended_depth == 0 && !world.queue.flushing &&
           !is_iterated(world);
}

// The number of targets of the relation; its pairs are successive ids of the table.
std::uint32_t count_targets(const table& type, std::uint32_t relation) noexcept {
    const id_t first = make_pair(relation, 0);
    const id_t* end = type.ids + type.id_count;
    return static_cast<std::uint32_t>(std::upper_bound(type.ids, end, first | 0xFFFFFFFFu) -
                                      std::lower_bound(type.ids, end, first));
}

}  // namespace

void note_left(stage& world, const table& table) noexcept {
    if (!is_left(world.data, table)) [[likely]] {
        return;
    }
    base::attempt([&] { world.left_tables.push(world.data.mem, table.number, purpose::commands); },
                  [] {
                      // The table stays until shrink() deletes it.
                  });
}

void drop_left_tables(stage& world) {
    if (!is_idle(world)) {
        return;
    }
    if (world.mode & detail::mode_untidy) {
        world.mode &= ~std::uint32_t{detail::mode_untidy};
        world.data.tables.tidy();
    }
    if (world.left_tables.empty()) {
        return;
    }
    // Listeners of OnTableDelete run in this loop; their changes are deferred.
    callback_scope code(world);
    while (!world.left_tables.empty()) {
        const std::uint32_t number = world.left_tables.back();
        world.left_tables.pop();
        table* table = world.data.tables.find_number(number);
        if (table && is_left(world.data, *table) && world.data.tables.note_dropped(*table)) {
            notify_table(world, OnTableDelete, *table);
            world.data.tables.remove(*table);
        }
    }
    code.finish();
}

void sleep_idle_tables(stage& world) noexcept {
    if (is_idle(world)) {
        world.data.tables.sleep_many();
    }
}

void notify_table(stage& world, entity_t event, const storage::table& table) {
    const std::uint32_t number = table.number;
    for (std::uint32_t i = 0; world.events.has_listeners(event) && i < table.id_count; ++i) {
        world.events.dispatch({&world, event, table.ids[i], 0, nullptr, 0, number});
    }
}

void warn_of_targets(stage& world, const table& table, id_t id) {
    if (table.id_count < many_targets || !is_pair(id) || id & Override) [[likely]] {
        return;
    }
    const id_t relation = make_pair(pair_first(id), Wildcard);
    if (count_targets(table, pair_first(id)) < many_targets ||
        std::find(world.warned.begin(), world.warned.end(), relation) != world.warned.end()) {
        return;
    }
    world.warned.push(world.data.mem, relation, purpose::commands);
    base::text message;
    message << "an entity has " << many_targets << " targets of ";
    names::describe_id(world.data, world.data.entities.alive_at(pair_first(id)), message);
    message << ", and each further one makes a table with all of them: declare the relationship "
               "sparse (add kith::Sparse to it)";
    base::warn(message);
}

}  // namespace kith::mutate
