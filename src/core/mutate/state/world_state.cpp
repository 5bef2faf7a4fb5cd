// The parts of world states: copies of types, columns, sparse stores and links (world_state.hpp).
#include "mutate/state/world_state.hpp"

#include <kith/detail/mutex.hpp>

#include "base/scope_exit.hpp"
#include "storage/link_store_state.hpp"
#include "types/component_type.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace kith::mutate {

namespace {

struct list_of_copies {
    detail::mutex guard;
    type_copy* newest = nullptr;
};

// Never destroyed: static objects may hold snapshots.
list_of_copies& all_copies() {
    static list_of_copies& only = *new list_of_copies;
    return only;
}

}  // namespace

// The name is copied, since that of a type which was defined at run time ends with its component.
type_copy::type_copy(const type_info& original, entity_t component_entity)
    : name(original.name ? original.name : ""), info(original), component(component_entity) {
    info.name = name.c_str();
    info.free_context = nullptr;
    list_of_copies& all = all_copies();
    const detail::lock_guard lock(all.guard);
    next = std::exchange(all.newest, this);
    if (next) {
        next->before = this;
    }
}

type_copy::~type_copy() {
    {
        list_of_copies& all = all_copies();
        const detail::lock_guard lock(all.guard);
        (before ? before->next : all.newest) = next;
        if (next) {
            next->before = before;
        }
    }
    if (free_context) {
        free_context(info.context);
    }
}

type_copy* newest_type_copy() noexcept {
    return all_copies().newest;
}

bool is_same_type(const type_info& left, const type_info& right) noexcept {
    return left.size == right.size && left.alignment == right.alignment &&
           left.context == right.context && left.destroy == right.destroy &&
           left.copy_construct == right.copy_construct &&
           left.move_construct == right.move_construct && left.trivial_copy == right.trivial_copy &&
           left.trivial_move == right.trivial_move && left.trivial_destroy == right.trivial_destroy;
}

namespace {

// The type of values of a copied link store.
const type_info* find_copied_type(void* context, const type_info& original) {
    const auto& types = *static_cast<state_vector<links_copy::value_type>*>(context);
    auto found = std::find_if(types.begin(), types.end(),
                              [&](const auto& type) { return type.original == &original; });
    KITH_ASSERT(found != types.end(), "the types of all values of a store are copied");
    return &found->copy->info;
}

}  // namespace

// The members are set when all values were copied: if one throws, nothing is left to destroy.
column_copy::column_copy(std::shared_ptr<const type_copy> type, const void* values,
                         std::uint32_t count)
    : type_(std::move(type)) {
    if (count == 0) {
        return;
    }
    const type_info& info = type_->info;
    const std::size_t size = std::size_t{info.size} * count;
    void* block = allocate_state_values(size, info.alignment);
    base::scope_exit undo([&] { release_state_values(block, size, info.alignment); });
    types::copy_values(info, block, values, count);
    undo.release();
    values_ = static_cast<std::byte*>(block);
    count_ = count;
}

column_copy::~column_copy() {
    if (values_) {
        types::destroy_values(type_->info, values_, count_);
        release_state_values(values_, std::size_t{type_->info.size} * count_,
                             type_->info.alignment);
    }
}

std::size_t column_copy::bytes() const noexcept {
    std::size_t sum = type_ ? std::size_t{type_->info.size} * count_ : 0;
    for (const name_copy& name : names_) {
        sum += sizeof(name_copy) + name.text.size();
    }
    return sum;
}

sparse_copy::sparse_copy(const storage::sparse_store& original,
                         std::shared_ptr<const type_copy> value_type)
    : type(std::move(value_type)), store(mem, type ? &type->info : nullptr) {
    store.copy_from(original);
}

links_copy::links_copy(const storage::link_store& original, state_vector<value_type> value_types)
    : types(std::move(value_types)), store(mem, original.is_exclusive()) {
    storage::link_store_state::copy(store, original, find_copied_type, &types);
}

namespace {

std::size_t structure_bytes(const structure_copy& structure) noexcept {
    std::size_t sum = 0;
    for (const record_copy& record : structure.records) {
        sum += sizeof(record) + record.tables.size() * sizeof(storage::table_entry) +
               record.pairs.size() * sizeof(std::uint32_t);
    }
    for (const table_copy& type : structure.tables) {
        sum += sizeof(type) + type.ids.size() * sizeof(id_t);
    }
    return sum;
}

// Calls add(part, bytes) for the parts of a table's rows.
template <class Add>
void each_part(const std::shared_ptr<const rows_copy>& rows, Add&& add) {
    if (!rows) {
        return;
    }
    add(rows, sizeof(rows_copy));
    add(rows->entities, rows->entities->size() * sizeof(entity_t));
    for (const std::shared_ptr<const column_copy>& column : rows->columns) {
        add(column, column->bytes());
    }
}

}  // namespace

// A part whose pointer has other owners counts as shared. The number is an estimate: overhead of
// the heap is left out.
std::size_t state_bytes(const world_state& state, bool own) noexcept {
    std::size_t sum = sizeof(world_state) + state.rows.size() * sizeof(state.rows[0]);
    auto add = [&](const auto& part, std::size_t bytes) {
        sum += own && part.use_count() > 1 ? 0 : bytes;
    };
    add(state.structure, structure_bytes(*state.structure));
    for (const std::shared_ptr<const record_page>& page : state.pages) {
        if (page) {
            add(page, page->size() * sizeof(storage::entity_record));
        }
    }
    for (const std::shared_ptr<const rows_copy>& rows : state.rows) {
        if (!own || rows.use_count() == 1) {
            each_part(rows, add);
        }
    }
    auto add_stores = [&](const auto& stores) {
        for (const auto& store : stores) {
            if (store) {
                add(store, store->mem.bytes_total());
            }
        }
    };
    add_stores(state.sparse);
    add_stores(state.toggles);
    add_stores(state.links);
    return sum;
}

}  // namespace kith::mutate
