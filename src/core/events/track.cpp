// Starts the tracking of changes (track.hpp): room for ticks first, then the event masks.
#include "events/track.hpp"

#include "events/registry.hpp"

namespace kith::events {

namespace {

constexpr id_t any_pair = make_pair(Wildcard, Wildcard);

// Makes room for the ticks of a table. A table that was not tracked so far counts as changed now.
void reserve_table(storage::store& data, const storage::table& joining) {
    data.ticks.reserve_table(joining.number, joining.column_count);
    if (!(joining.flags & detail::shape_tracked)) {
        data.ticks.table_joined(joining.number);
    }
}

template <class Condition>
void reserve_tables(storage::store& data, const Condition& is_joining) {
    for (std::uint32_t number = storage::root_table; number < data.tables.number_limit();
         ++number) {
        const storage::table* type = data.tables.find_number(number);
        if (type && is_joining(*type)) {
            reserve_table(data, *type);
        }
    }
}

// Subscribes the change ticks to sparse components, links and switched-off ids that the pattern
// matches: those are in no table.
void count_sparse(storage::store& data, id_t pattern) {
    for (storage::id_record* record : data.sparse_ids) {
        if (matches_id(pattern, record->id)) {
            record->sparse->set_change_counter(
                &data.ticks.ensure_sparse_marks(data, record->id).listener);
        }
    }
    for (storage::id_record* relation : data.link_ids) {
        const id_t first = pair_first(relation->id);
        if (is_pair(pattern) && !(pattern & Override) &&
            (is_wildcard_element(pair_first(pattern)) || pair_first(pattern) == first)) {
            relation->links->listeners().set(
                storage::change_listeners::counter,
                &data.ticks.ensure_sparse_marks(data, relation->id).listener);
        }
    }
    for (storage::id_record* record : data.toggled_ids) {
        if (matches_id(pattern, record->id)) {
            record->disabled->set_change_counter(
                &data.ticks.ensure_sparse_marks(data, record->id).listener);
        }
    }
}

// Steps that can fail come first; a table whose flags do not say tracked ignores its room.
void track_pattern(storage::store& data, id_t pattern, std::uint32_t bits) {
    if ((data.subscription_counts.bits_of(pattern) & bits) == bits) {
        return;
    }
    reserve_tables(data, [&](const storage::table& type) {
        return storage::find_match(type, pattern, 0) >= 0;
    });
    count_sparse(data, pattern);
    if (data.subscription_counts.add(pattern, bits)) {
        update_event_mask(data, pattern);
    }
    // Plans of queries contain whether a written id is tracked.
    ++data.version;
}

}  // namespace

void track(storage::store& data, id_t pattern) {
    if (pattern != 0) {
        track_pattern(data, pattern, storage::event_track | storage::event_set);
        return;
    }
    if (is_tracked(data, 0)) {
        return;
    }
    reserve_tables(data, [](const storage::table&) { return true; });
    track_pattern(data, Wildcard, storage::event_track);
    track_pattern(data, any_pair, storage::event_track);
    data.tables.at(storage::root_table).flags |= detail::shape_tracked;
}

void track_rows(storage::store& data, id_t pattern) {
    track_pattern(data, pattern, storage::event_track);
}

bool is_tracked(const storage::store& data, id_t pattern) noexcept {
    return pattern != 0 ? (data.subscription_counts.bits_of(pattern) & storage::event_track) != 0
                        : (data.tables.at(storage::root_table).flags & detail::shape_tracked) != 0;
}

}  // namespace kith::events
