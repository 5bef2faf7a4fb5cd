#include "mutate/wide_tables.hpp"

#include "base/log.hpp"
#include "mutate/emit.hpp"
#include "storage/find.hpp"

#include <algorithm>

namespace kith::mutate {

using containers::purpose;
using storage::table;

namespace {

// Narrower tables are kept: entities pass through them often, and they take little memory.
constexpr std::uint32_t wide = 64;
// So many targets per entity are worth a warning.
constexpr std::uint32_t many_targets = 128;

bool is_left(const storage::store& data, const table& one) noexcept {
    return one.id_count >= wide && data.tables.rows(one.number).count == 0;
}

// No operation is under way that may look at tables.
bool is_idle(const stage& owner) noexcept {
    return owner.defer_depth == 0 && owner.suspended_depth == 0 && !owner.flushing &&
           !is_iterated(owner);
}

std::uint32_t count_targets(const table& type, std::uint32_t relation) noexcept {
    const id_t first = make_pair(relation, 0);
    const id_t* end = type.ids + type.id_count;
    return static_cast<std::uint32_t>(std::upper_bound(type.ids, end, first | 0xFFFFFFFFu) -
                                      std::lower_bound(type.ids, end, first));
}

}  // namespace

void note_left(stage& owner, const table& left) noexcept {
    if (!is_left(owner.data, left)) [[likely]] {
        return;
    }
#if defined(__cpp_exceptions)
    try {
        owner.left_tables.push(owner.data.mem, left.number, purpose::commands);
    } catch (...) {
        // The table stays: shrink() deletes it.
    }
#else
    owner.left_tables.push(owner.data.mem, left.number, purpose::commands);
#endif
}

void drop_left_tables(stage& owner) {
    if (!is_idle(owner)) {
        return;
    }
    if (owner.mode & detail::mode_untidy) {
        owner.mode &= ~std::uint32_t{detail::mode_untidy};
        owner.data.tables.tidy();
    }
    if (owner.left_tables.empty()) {
        return;
    }
    callback_scope code(owner);
    while (!owner.left_tables.empty()) {
        const std::uint32_t number = owner.left_tables.back();
        owner.left_tables.pop();
        table* left = owner.data.tables.find_number(number);
        if (left && is_left(owner.data, *left) && owner.data.tables.note_dropped(*left)) {
            notify_table(owner, OnTableDelete, *left);
            owner.data.tables.remove(*left);
        }
    }
    code.finish();
}

void warn_of_targets(stage& owner, const table& made, id_t id) {
    if (made.id_count < many_targets || !is_pair(id) || id & Override) [[likely]] {
        return;
    }
    const id_t relation = make_pair(pair_first(id), Wildcard);
    if (count_targets(made, pair_first(id)) < many_targets ||
        std::find(owner.warned.begin(), owner.warned.end(), relation) != owner.warned.end()) {
        return;
    }
    owner.warned.push(owner.data.mem, relation, purpose::commands);
    base::text message;
    message << "an entity has " << many_targets << " targets of ";
    owner.listen.describe_id(owner, owner.data.entities.alive_at(pair_first(id)), message);
    message << ", and each further one makes a table with all of them: declare the relationship "
               "sparse (add kith::Sparse to it)";
    base::warn(message);
}

}  // namespace kith::mutate
