// The life of a store (store.hpp): its component types, and the sparse stores and links that belong
// to id records.
#include "storage/store.hpp"

#include <kith/detail/mutex.hpp>

#include "base/assert.hpp"
#include "storage/table_layout.hpp"
#include "storage/value_index.hpp"
#include "types/component_type.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace kith::storage {

using containers::purpose;

namespace {

// Destroys a store with its values and resets the pointer. Null is ignored.
template <class Store>
void release_store(containers::memory& mem, Store*& owned) noexcept {
    if (owned) {
        owned->~Store();
        mem.release(owned, sizeof(Store), purpose::sparse);
        owned = nullptr;
    }
}

sparse_store* make_store(containers::memory& mem, const type_info* info) {
    return ::new (mem.allocate(sizeof(sparse_store), purpose::sparse)) sparse_store(mem, info);
}

}  // namespace

void store::destroy_values() noexcept {
    for (std::uint32_t number = 0; number < tables.number_limit(); ++number) {
        table* owner = tables.find_number(number);
        if (!owner || owner->flags & detail::shape_trivial_destroy) {
            continue;
        }
        detail::table_rows& current = tables.rows(number);
        for (std::uint32_t i = 0; i < owner->column_count; ++i) {
            types::destroy_values(owner->column_type(i), column_data(current, owner->columns[i]),
                                  current.count);
        }
        current.count = 0;
    }
    for (std::uint32_t number = 0; number < ids.number_limit(); ++number) {
        if (id_record* record = ids.by_number(number)) {
            release_store(mem, record->sparse);
            release_store(mem, record->disabled);
            release_store(mem, record->links);
        }
    }
    parents_store = nullptr;
    parents_relation = nullptr;
}

namespace {

// Guards the flags of tables against threads that are handed out values of the same tables.
detail::mutex marking;

}  // namespace

void store::value_handed_out(const table& written) noexcept {
    const detail::lock_guard<detail::mutex> lock(marking);
    if (written.flags & detail::shape_unwritten) {
        table_written(written);
    }
}

void store::table_written(const table& written) noexcept {
    refresh_flags(tables.at(written.number), detail::shape_unwritten);
}

void store::rows_written(const table& written) noexcept {
    snapshots.rows_unwritten = false;
    tables.at(written.number).flags &= ~std::uint32_t{detail::shape_rows_unwritten};
    table_written(written);
}

void store::pattern_written(id_t pattern) noexcept {
    const detail::lock_guard<detail::mutex> lock(marking);
    for (std::uint32_t number = root_table; number < tables.number_limit(); ++number) {
        const table* owner = tables.find_number(number);
        if (owner && owner->flags & detail::shape_unwritten &&
            (pattern == 0 || find_match(*owner, pattern, 0) >= 0)) {
            table_written(*owner);
        }
    }
}

store::~store() {
    delete indexes;
    // Values first, while their types exist; then tables, whose blocks are aligned by types.
    destroy_values();
    tables.release();
    while (!types.empty()) {
        remove_type(*this, *types.back());
    }
    types.release(mem, purpose::index);
    release_ended_types(*this);
    sparse_ids.release(mem, purpose::sparse);
    link_ids.release(mem, purpose::sparse);
    replaced.release(mem, purpose::index);
    toggled_ids.release(mem, purpose::sparse);
}

types::component_type& add_type(store& data, const type_info& info, std::uint32_t component) {
    data.types.reserve_extra(data.mem, 1, purpose::index);
    std::size_t name_size = info.name ? std::strlen(info.name) + 1 : 0;
    // Type and name share a block: the name lies behind the type.
    void* block = data.mem.allocate(sizeof(types::component_type) + name_size, purpose::index);
    auto& added = *::new (block) types::component_type;
    added.info = info;
    added.component = component;
    added.bytes = static_cast<std::uint32_t>(sizeof(types::component_type) + name_size);
    if (name_size != 0) {
        char* name = reinterpret_cast<char*>(&added + 1);
        std::memcpy(name, info.name, name_size);
        added.info.name = name;
    }
    data.types.push_reserved(&added);
    return added;
}

void remove_type(store& data, types::component_type& type) noexcept {
    // Pools of links are found by the address of their type.
    for (const id_record* relation : data.link_ids) {
        if (relation->links) {
            relation->links->forget_type(type.info);
        }
    }
    for (detail::hook& hook : type.hooks) {
        if (hook.free_context) {
            hook.free_context(hook.context);
        }
        hook = {};
    }
    for (std::uint32_t i = data.types.size(); i-- > 0;) {
        if (data.types[i] == &type) {
            data.types.swap_remove(i);
            break;
        }
    }
    type.next_ended = std::exchange(data.ended_types, &type);
}

void release_ended_types(store& data) noexcept {
    while (types::component_type* type = data.ended_types) {
        data.ended_types = type->next_ended;
        if (type->info.free_context) {
            type->info.free_context(type->info.context);
        }
        data.mem.release(type, type->bytes, purpose::index);
    }
}

sparse_store& ensure_sparse(store& data, id_record& record) {
    if (!record.sparse) {
        // make_store() is the last step that can fail.
        data.sparse_ids.reserve_extra(data.mem, 1, purpose::sparse);
        if (record.event_mask & event_track) {
            data.ticks.ensure_sparse_marks(data, record.id);
        }
        attach_sparse(
            data, record,
            *make_store(data.mem, record.value_type ? &record.value_type->info : nullptr));
    }
    return *record.sparse;
}

sparse_store& ensure_toggles(store& data, id_record& record) {
    if (!record.disabled) {
        data.toggled_ids.reserve_extra(data.mem, 1, purpose::sparse);
        const change_listener* counter =
            record.event_mask & event_track
                ? &data.ticks.ensure_sparse_marks(data, record.id).listener
                : nullptr;
        record.disabled = make_store(data.mem, nullptr);
        record.disabled->set_change_counter(counter);
        data.schema_changed();
        data.toggled_ids.push_reserved(&record);
    }
    return *record.disabled;
}

void attach_sparse(store& data, id_record& record, sparse_store& store) noexcept {
    KITH_ASSERT(!record.sparse && !is_pair(record.id), "a component has one sparse store");
    data.schema_changed();
    record.sparse = &store;
    record.sparse_number = data.sparse_count++;
    if (record.event_mask & event_track) {
        store.set_change_counter(data.ticks.watch_for(data, record.id));
    }
    data.sparse_ids.push_reserved(&record);
}

void attach_links(store& data, id_record& relation, link_store& links) noexcept {
    KITH_ASSERT(!relation.links && is_pair(relation.id) && pair_second(relation.id) == Wildcard,
                "a relationship has one link store, at its record (R,*)");
    data.schema_changed();
    relation.links = &links;
    relation.sparse_number = data.sparse_count++;
    if (relation.event_mask & event_track) {
        links.listeners().set(change_listeners::counter, data.ticks.watch_for(data, relation.id));
    }
    data.link_ids.push_reserved(&relation);
    if (pair_first(relation.id) == ChildOf) {
        data.parents_store = &links;
        data.parents_relation = &relation;
        links.publish(&data);
    }
}

namespace {

// Removes a record from a list. The order of the other records stays: it is the order of visits.
void forget(containers::vec<id_record*>& list, id_record& record) noexcept {
    id_record** end = std::remove(list.begin(), list.end(), &record);
    list.truncate(static_cast<std::uint32_t>(end - list.begin()));
}

}  // namespace

void release_values(store& data, id_record& record) noexcept {
    data.schema_changed();
    if (record.links) {
        forget(data.link_ids, record);
        if (data.parents_store == record.links) {
            data.parents_store = nullptr;
            data.parents_relation = nullptr;
        }
        release_store(data.mem, record.links);
    }
    if (record.sparse) {
        forget(data.sparse_ids, record);
        release_store(data.mem, record.sparse);
    }
}

void release_sparse(store& data, id_record& record) noexcept {
    release_values(data, record);
    if (record.disabled) {
        forget(data.toggled_ids, record);
        release_store(data.mem, record.disabled);
    }
}

}  // namespace kith::storage
