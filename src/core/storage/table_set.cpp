// The set of tables (table_set.hpp): creating and deleting tables, their memory, the lists of
// active and dormant tables, and the edges of the table graph.
#include "storage/table_set.hpp"

#include "base/assert.hpp"
#include "base/attempt.hpp"
#include "base/hash.hpp"
#include "base/raise.hpp"
#include "base/scope_exit.hpp"
#include "storage/table_layout.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>

namespace kith::storage {

using containers::purpose;

namespace {

constexpr std::uint32_t first_capacity = 2;

// Capacities double. Large ones are 40 rows above a power of two: arrays of power-of-two length
// would put equal rows of all columns on the same cache sets, and moving rows of many columns took
// twice as long (docs/design/0002-table-layout.md).
constexpr std::uint32_t stagger = 40;
std::uint32_t grown_capacity(std::uint32_t capacity, std::uint32_t needed) {
    while (capacity < needed) {
        capacity = capacity == 0    ? first_capacity
                   : capacity < 256 ? capacity * 2
                                    : (capacity - stagger) * 2;
        if (capacity >= 256) {
            capacity += stagger;
        }
    }
    return capacity;
}

std::uint32_t edge_hash(id_t id) noexcept {
    return detail::shape_hash(id);
}

// The column of an id in storage order, no_column for a tag.
std::uint16_t changed_column(const table& with, id_t id) noexcept {
    std::int32_t position = find_id(with, id);
    for (std::uint32_t i = 0; i < with.column_count; ++i) {
        if (with.column_ids[i] == position) {
            return static_cast<std::uint16_t>(i);
        }
    }
    return no_column;
}

// So many of all tables, one of this number, fall asleep at once. Builds with KITH_ASSERTS do so
// early, so that small tests cover it.
#if defined(KITH_ASSERTS) && KITH_ASSERTS
constexpr std::uint32_t many_of_all = 32;
#else
constexpr std::uint32_t many_of_all = 4;
#endif

bool is_tracked(id_record* const* records, std::uint32_t count) noexcept {
    return std::any_of(records, records + count, [](const id_record* record) {
        return (record->event_mask & event_track) != 0;
    });
}

}  // namespace

table_set::table_set(containers::memory& mem, detail::store_head& head, component_index& ids,
                     change_ticks& ticks)
    : mem_(mem), head_(head), ids_(ids), ticks_(ticks) {
    head_.rows = nullptr;
    head_.shapes = nullptr;
    // Epochs differ from world to world: a reference into an ended world is not mistaken for one
    // into a later world at the same address.
    static std::atomic<std::uint32_t> worlds{0};
    head_.table_epoch = ++worlds * 0x9E3779B9u;
}

table_set::~table_set() {
    release();
}

void table_set::release() noexcept {
    for (std::uint32_t number = 0; number < number_limit_; ++number) {
        if (table* owner = find_number(number)) {
            mem_.release(rows(number).block, row_memory(*owner), purpose::rows,
                         block_alignment(*owner));
            release_edges(*owner);
            mem_.release(owner, owner->bytes, purpose::tables);
        }
    }
    mem_.release(head_.rows, number_capacity_ * sizeof(detail::table_rows), purpose::tables);
    mem_.release(head_.shapes, number_capacity_ * sizeof(detail::table_shape*), purpose::tables);
    by_type_.release(mem_, purpose::tables);
    free_numbers_.release(mem_, purpose::tables);
    signatures_.release(mem_, purpose::tables);
    layouts_.release(mem_);
    ages_.release(mem_, purpose::tables);
    idle_.release(mem_);
    head_.rows = nullptr;
    head_.shapes = nullptr;
    number_limit_ = number_capacity_ = 0;
}

std::uint64_t table_set::hash_ids(const id_t* ids, std::uint32_t count) noexcept {
    std::uint64_t hash = count;
    for (std::uint32_t i = 0; i < count; ++i) {
        hash = base::combine(hash, ids[i]);
    }
    return base::mix(hash);
}

table* table_set::find(const id_t* sorted, std::uint32_t count, std::uint64_t hash) const noexcept {
    std::uint32_t number = by_type_.find(hash, [&](std::uint32_t candidate_number) {
        const table& candidate = at(candidate_number);
        return candidate.id_count == count && std::equal(sorted, sorted + count, candidate.ids);
    });
    return number ? &at(number) : nullptr;
}

table& table_set::ensure(const id_t* sorted, std::uint32_t count) {
    std::uint64_t hash = hash_ids(sorted, count);
    if (table* table = find(sorted, count, hash)) {
        return *table;
    }
    return create(sorted, count, hash);
}

namespace {

// Throws if values of the id cannot be moved: the rows of tables move.
void check_movable(const id_record& record) {
    if (record.value_type && !record.value_type->info.can_move()) [[unlikely]] {
        base::text message;
        message
            << "values of type " << record.value_type->info.name
            << " cannot be moved, and the rows of tables are: add kith::Sparse to the component "
               "before it is used";
        base::raise(errc::invalid_type, message);
    }
}

}  // namespace

table& table_set::create(const id_t* sorted, std::uint32_t count, std::uint64_t hash) {
    KITH_ASSERT(
        std::adjacent_find(sorted, sorted + count, std::greater_equal<>{}) == sorted + count,
        "the ids of a table are sorted and distinct");
    if (count > max_table_ids) {
        base::raise(errc::limit,
                    "an entity can have at most 65520 ids; make the relationship sparse");
    }
    constexpr std::uint32_t few = 64;
    id_record* few_records[few];
    std::size_t list_bytes = count * sizeof(id_record*);
    auto** records = count <= few
                         ? few_records
                         : static_cast<id_record**>(mem_.allocate(list_bytes, purpose::tables));
    base::scope_exit release_records([&] {
        if (records != few_records) {
            mem_.release(records, list_bytes, purpose::tables);
        }
    });

    // Steps that can fail come first; making description and layout are the last of them.
    if (listener_) {
        listener_->prepare(listener_context_);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        records[i] = &ids_.ensure(sorted[i]);
        check_movable(*records[i]);
        records[i]->tables.reserve_extra(mem_, 1, purpose::index);
    }
    std::uint32_t number = reserve_number();
    // Emptying a table must not fail (invariant 7).
    idle_.reserve(mem_, number, this->count() + 1);
    by_type_.reserve_one(mem_, purpose::tables);
    table_plan plan = plan_table(sorted, count, records);
    if (is_tracked(records, count)) {
        ticks_.reserve_table(number, plan.column_count);
    }
    table& created =
        build_table(mem_.allocate(plan.bytes, purpose::tables), plan, sorted, count, records);
    const std::uint32_t layout = add_layout(created);

    created.number = number;
    created.hash = static_cast<std::uint32_t>(hash);
    // From here on nothing fails.
    if (number == number_limit_) {
        ++number_limit_;
    } else {
        free_numbers_.pop();
    }
    enter(number, &created, layout);
    for (std::uint32_t i = 0; i < count; ++i) {
        created.entry_positions[i] = records[i]->tables.size();
        records[i]->tables.push_reserved({number, i});
    }
    list_active(created);
    ages_[number].made = last_activation_;
    if (number != no_table) {
        by_type_.insert_reserved(hash, number);
    }
    if (listener_) {
        listener_->notify(listener_context_, created, true);
    }
    return created;
}

std::uint32_t table_set::add_layout(table& added) {
    base::scope_exit undo([&] { mem_.release(&added, added.bytes, purpose::tables); });
    const std::uint32_t layout = layouts_.add(mem_, added);
    undo.release();
    return layout;
}

std::uint32_t table_set::reserve_number() {
    if (!free_numbers_.empty()) {
        return free_numbers_.back();
    }
    if (number_limit_ == number_capacity_) {
        std::uint32_t capacity = number_capacity_ == 0 ? 32 : number_capacity_ * 2;
        free_numbers_.reserve_extra(mem_, capacity - free_numbers_.size(), purpose::tables);
        auto* rows = static_cast<detail::table_rows*>(
            mem_.allocate(capacity * sizeof(detail::table_rows), purpose::tables));
        base::scope_exit undo(
            [&] { mem_.release(rows, capacity * sizeof(detail::table_rows), purpose::tables); });
        auto** shapes = static_cast<detail::table_shape**>(
            mem_.allocate(capacity * sizeof(detail::table_shape*), purpose::tables));
        base::scope_exit undo_shapes([&] {
            mem_.release(shapes, capacity * sizeof(detail::table_shape*), purpose::tables);
        });
        signatures_.reserve_extra(mem_, capacity - signatures_.size(), purpose::tables);
        layouts_.reserve_tables(mem_, capacity);
        ages_.reserve_extra(mem_, capacity - ages_.size(), purpose::tables);
        undo.release();
        undo_shapes.release();
        if (number_limit_ != 0) {
            std::memcpy(rows, head_.rows, number_limit_ * sizeof(detail::table_rows));
            std::memcpy(shapes, head_.shapes, number_limit_ * sizeof(detail::table_shape*));
        }
        mem_.release(head_.rows, number_capacity_ * sizeof(detail::table_rows), purpose::tables);
        mem_.release(head_.shapes, number_capacity_ * sizeof(detail::table_shape*),
                     purpose::tables);
        head_.rows = rows;
        head_.shapes = shapes;
        number_capacity_ = capacity;
    }
    return number_limit_;
}

void table_set::enter(std::uint32_t number, table* entered, std::uint32_t layout) noexcept {
    head_.rows[number] = {nullptr, 0, 0};
    head_.shapes[number] = entered;
    if (number == signatures_.size()) {
        signatures_.push_reserved(0);
        ages_.push_reserved({});
    }
    signatures_[number] = entered ? signature_of(*entered) : 0;
    layouts_.enter(number, layout);
}

void table_set::remove(table& removed) noexcept {
    std::uint32_t number = removed.number;
    KITH_ASSERT(rows(number).count == 0, "a table that is deleted has no rows");
    if (listener_) {
        listener_->notify(listener_context_, removed, false);
    }
    ticks_.forget_table(removed);
    if (removed.flags & detail::shape_idle) {
        idle_.remove(removed);
    }
    // The entries of the table go to the dormant part of each list, where removing one does not
    // disturb the active part.
    if (removed.flags & detail::shape_dormant) {
        --dormant_;
    } else {
        list_dormant(removed);
    }
    for (std::uint32_t i = 0; i < removed.id_count; ++i) {
        id_record& record = *removed.records[i];
        std::uint32_t position = removed.entry_positions[i];
        record.tables.swap_remove(position);
        if (position < record.tables.size()) {
            table_entry moved = record.tables[position];
            at(moved.table).entry_positions[moved.position] = position;
        }
    }
    // Edges exist in pairs: the inverse of each edge leads from its destination back to this table.
    auto unlink = [&](const edge& leaving) {
        if (leaving.id != 0) {
            erase_edge(at(leaving.to), leaving.id);
        }
    };
    unlink(removed.first_edge);
    for (std::uint32_t i = 0; removed.edges && i <= removed.edge_mask; ++i) {
        unlink(removed.edges[i]);
    }
    release_edges(removed);
    by_type_.erase(removed.hash, number);
    mem_.release(rows(number).block, row_memory(removed), purpose::rows, block_alignment(removed));
    rows(number) = {nullptr, 0, 0};
    signatures_[number] = 0;
    layouts_.remove(mem_, layouts_.number_of(number));
    mem_.release(&removed, removed.bytes, purpose::tables);
    head_.shapes[number] = nullptr;
    free_numbers_.push_reserved(number);
    ++head_.table_epoch;
    ++edition_;
}

// Exchanges two tables in the list of a record, and updates their positions.
void table_set::swap_entries(id_record& record, std::uint32_t a, std::uint32_t b) noexcept {
    const table_entry first = record.tables[a];
    const table_entry second = record.tables[b];
    record.tables[a] = second;
    record.tables[b] = first;
    at(second.table).entry_positions[second.position] = a;
    at(first.table).entry_positions[first.position] = b;
}

// A pair got its first active table, or lost its last one: moves the pair to the other part of the
// list of (R,*).
void table_set::swap_pairs(const id_record& pair, bool active) noexcept {
    if (!is_pair(pair.id) || pair.id & Override || is_wildcard(pair.id)) {
        return;
    }
    id_record& relation = *ids_.find(make_pair(pair_first(pair.id), Wildcard));
    const std::uint32_t from = pair.relation_position;
    const std::uint32_t to = active ? relation.active_pairs++ : --relation.active_pairs;
    std::swap(relation.pairs[from], relation.pairs[to]);
    relation.pairs[from]->relation_position = from;
    relation.pairs[to]->relation_position = to;
}

void table_set::list_active(table& owner) noexcept {
    ++edition_;
    owner.flags &= ~std::uint32_t{detail::shape_dormant};
    ages_[owner.number].activated = ++last_activation_;
    for (std::uint32_t i = 0; i < owner.id_count; ++i) {
        id_record& record = *owner.records[i];
        swap_entries(record, owner.entry_positions[i], record.active);
        if (record.active++ == 0) {
            swap_pairs(record, true);
        }
    }
}

void table_set::list_dormant(table& owner) noexcept {
    ++edition_;
    owner.flags |= detail::shape_dormant;
    for (std::uint32_t i = 0; i < owner.id_count; ++i) {
        id_record& record = *owner.records[i];
        swap_entries(record, owner.entry_positions[i], --record.active);
        if (record.active == 0) {
            swap_pairs(record, false);
        }
    }
}

void table_set::wake(table& owner) noexcept {
    list_active(owner);
    --dormant_;
    ++woken_;
    if (activity_) {
        activity_->changed(listener_context_, owner, false);
    }
}

// Keeps the tick of a table that becomes dormant in its records: readers of row ticks do not visit
// dormant tables.
void table_set::keep_tick(const table& owner) noexcept {
    if (!(owner.flags & detail::shape_tracked)) {
        return;
    }
    const std::uint64_t tick = ticks_.rows_tick(owner.number);
    for (std::uint32_t i = 0; i < owner.id_count; ++i) {
        const id_t id = owner.ids[i];
        owner.records[i]->dormant_tick = std::max(owner.records[i]->dormant_tick, tick);
        if (is_pair(id) && !(id & Override)) {
            id_record& relation = *ids_.find(make_pair(pair_first(id), Wildcard));
            relation.dormant_tick = std::max(relation.dormant_tick, tick);
        }
    }
}

std::uint32_t table_set::count_empty_idle() const noexcept {
    const containers::vec<std::uint32_t>& idle = idle_.numbers();
    return static_cast<std::uint32_t>(std::count_if(
        idle.begin(), idle.end(), [&](std::uint32_t number) { return rows(number).count == 0; }));
}

void table_set::tidy() noexcept {
    const std::uint32_t empty = count_empty_idle();
    const std::uint32_t most = few_idle + 4 * (count() - dormant_ - empty);
    // If half of the tables that became dormant were needed again, rows move back and forth between
    // them: more idle tables are allowed.
    const bool were_needed = woken_ > slept_ / 2;
    idle_limit_ = were_needed ? std::min(2 * idle_limit_, most) : few_idle;
    if (idle_.numbers().size() >= idle_limit_) {
        sleep_idle(empty);
    }
}

void table_set::sleep_many() noexcept {
    const std::uint32_t empty = idle_.numbers().size() < few_idle ? 0 : count_empty_idle();
    if (empty >= few_idle && empty > count() - dormant_ - empty) {
        sleep_idle(empty);
    }
}

void table_set::sleep_idle(std::uint32_t empty) noexcept {
    const containers::vec<std::uint32_t>& idle = idle_.numbers();
    slept_ = empty;
    woken_ = 0;
    ++head_.table_epoch;  // lists of tables are in another order
    // Many tables are taken out of all lists at once, so that the others keep their order: walks
    // read tables that were made one after the other.
    const bool at_once = count() / many_of_all <= empty;
    while (!idle.empty()) {
        table& owner = at(idle[idle.size() - 1]);
        idle_.remove(owner);
        if (rows(owner.number).count != 0) {
            continue;
        }
        if (at_once) {
            owner.flags |= detail::shape_dormant;
        } else {
            list_dormant(owner);
        }
        ++dormant_;
        keep_tick(owner);
        if (activity_) {
            activity_->changed(listener_context_, owner, true);
        }
    }
    if (at_once) {
        ++edition_;
        for (std::uint32_t number = 0; number < ids_.number_limit(); ++number) {
            if (id_record* const record = ids_.by_number(number)) {
                separate_dormant(*record);
            }
        }
    }
}

void table_set::separate_dormant(id_record& record) noexcept {
    std::uint32_t active = 0;
    for (std::uint32_t i = 0; i < record.active; ++i) {
        if (!(at(record.tables[i].table).flags & detail::shape_dormant)) {
            std::swap(record.tables[active++], record.tables[i]);
        }
    }
    if (active == record.active) {
        return;
    }
    for (std::uint32_t i = 0; i < record.active; ++i) {
        const table_entry entry = record.tables[i];
        at(entry.table).entry_positions[entry.position] = i;
    }
    record.active = active;
    if (active == 0) {
        swap_pairs(record, false);
    }
}

void table_set::reserve_rows(const table& owner, std::uint32_t extra) {
    const detail::table_rows& current = rows(owner.number);
    if (current.capacity - current.count < extra) {
        std::uint64_t needed = std::uint64_t{current.count} + extra;
        if (needed > 0x7FFFFFFF) {
            base::raise(errc::limit, "a table can have at most 2^31 rows");
        }
        resize_rows(owner, grown_capacity(current.capacity, static_cast<std::uint32_t>(needed)));
    }
}

void table_set::shrink_rows(const table& owner) noexcept {
    const detail::table_rows& current = rows(owner.number);
    std::uint32_t capacity = current.count == 0 ? 0 : grown_capacity(0, current.count);
    if (capacity >= current.capacity) {
        return;
    }
    // Shrinking is optional, and needs memory for both blocks for a moment.
    base::attempt([&] { resize_rows(owner, capacity); }, [] {});
}

void table_set::resize_rows(const table& owner, std::uint32_t capacity) {
    detail::table_rows& current = rows(owner.number);
    std::size_t alignment = block_alignment(owner);
    detail::table_rows resized{
        static_cast<std::byte*>(
            mem_.allocate(std::size_t{owner.row_bytes} * capacity, purpose::rows, alignment)),
        current.count, capacity};
    if (current.count != 0) {
        std::memcpy(entities_of(owner, resized), entities_of(owner, current),
                    current.count * sizeof(entity_t));
        for (std::uint32_t i = 0; i < owner.column_count; ++i) {
            const type_info& info = owner.column_type(i);
            std::byte* to = column_data(resized, owner.columns[i]);
            std::byte* from = column_data(current, owner.columns[i]);
            if (info.trivial_move) {
                std::memcpy(to, from, std::size_t{info.size} * current.count);
            } else {
                for (std::uint32_t row = 0; row < current.count; ++row) {
                    types::relocate_value(info, to + std::size_t{info.size} * row,
                                          from + std::size_t{info.size} * row);
                }
            }
        }
    }
    mem_.release(current.block, std::size_t{owner.row_bytes} * current.capacity, purpose::rows,
                 alignment);
    current = resized;
}

void table_set::connect(table& without, table& with, id_t id) {
    KITH_ASSERT(with.id_count == without.id_count + 1 && find_id(with, id) >= 0,
                "connected tables differ by the id of their edge");
    KITH_ASSERT(!find_edge(without, id) && !find_edge(with, id), "an edge is added once");
    reserve_edge(without);
    reserve_edge(with);
    const id_record& record = *with.records[find_id(with, id)];
    edge added{id, with.number, changed_column(with, id), 0};
    const bool plain_type = !record.value_type || record.value_type->info.trivial_destroy;
    const bool only_bytes = plain_type && record.effects != edge_effects::all &&
                            (without.flags & with.flags & detail::shape_trivial_move) != 0;
    auto flags_for = [&](std::uint32_t flags, std::uint32_t event_mask) {
        if (only_bytes && event_mask == 0) {
            flags |= edge_simple;
        } else if (only_bytes && event_mask == event_add) {
            flags |= edge_notifies;
        }
        return static_cast<std::uint16_t>(flags);
    };
    // A value that is added to an instance is a copy of the inherited value, not zero.
    bool inherits = record.value_type && without.flags & detail::shape_has_base;
    if (!inherits && (!record.value_type || record.value_type->info.zero_construct)) {
        added.flags |= edge_zero;
    }
    if (record.effects == edge_effects::place) {
        added.flags |= edge_affects_hierarchy;
    }
    const std::uint32_t both = added.flags;
    added.flags = flags_for(both, record.event_mask & (event_add | event_before | event_validate));
    put_edge(without, added);
    added.to = without.number;
    added.flags = flags_for(both | edge_removes, record.event_mask & (event_remove | event_after));
    put_edge(with, added);
}

void table_set::reserve_edge(table& owner) {
    if (owner.first_edge.id == 0) {
        return;
    }
    // The first edge lies in the table itself, all others are hashed.
    std::uint32_t hashed = owner.edge_count - 1;
    std::uint32_t capacity = owner.edges ? owner.edge_mask + 1 : 0;
    if ((hashed + 1) * 4 <= capacity * 3) {
        return;
    }
    std::uint32_t grown = capacity == 0 ? 2 : capacity * 2;
    auto* edges = static_cast<edge*>(mem_.allocate(grown * sizeof(edge), purpose::tables));
    std::memset(static_cast<void*>(edges), 0, grown * sizeof(edge));
    edge* old = owner.edges;
    owner.edges = edges;
    owner.edge_mask = grown - 1;
    for (std::uint32_t i = 0; i < capacity; ++i) {
        if (old[i].id != 0) {
            std::uint32_t position = edge_hash(old[i].id);
            while (edges[position & owner.edge_mask].id != 0) {
                ++position;
            }
            edges[position & owner.edge_mask] = old[i];
        }
    }
    mem_.release(old, capacity * sizeof(edge), purpose::tables);
}

void table_set::put_edge(table& owner, const edge& added) noexcept {
    ++owner.edge_count;
    if (owner.first_edge.id == 0) {
        owner.first_edge = added;
        return;
    }
    std::uint32_t position = edge_hash(added.id);
    while (owner.edges[position & owner.edge_mask].id != 0) {
        ++position;
    }
    owner.edges[position & owner.edge_mask] = added;
}

void table_set::erase_edge(table& owner, id_t id) noexcept {
    KITH_ASSERT(owner.edge_count != 0, "an erased edge exists");
    --owner.edge_count;
    if (owner.first_edge.id == id) {
        owner.first_edge = {};
        // first_edge must not stay empty while other edges are hashed, because edge_count - 1 is
        // the number of hashed edges. Some hashed edge takes its place.
        for (std::uint32_t i = 0; owner.edges && owner.edge_count != 0 && i <= owner.edge_mask;
             ++i) {
            if (owner.edges[i].id != 0) {
                edge moved = owner.edges[i];
                ++owner.edge_count;
                erase_edge(owner, moved.id);
                owner.first_edge = moved;
                return;
            }
        }
        return;
    }
    std::uint32_t mask = owner.edge_mask;
    std::uint32_t hole = edge_hash(id) & mask;
    while (owner.edges[hole].id != id) {
        KITH_ASSERT(owner.edges[hole].id != 0, "an erased edge is found from its home");
        hole = (hole + 1) & mask;
    }
    // The gap is closed: each edge behind it that could no longer be reached from its home moves
    // into the gap, and leaves a new one.
    for (std::uint32_t position = (hole + 1) & mask; owner.edges[position].id != 0;
         position = (position + 1) & mask) {
        std::uint32_t home = edge_hash(owner.edges[position].id) & mask;
        if (((position - home) & mask) >= ((position - hole) & mask)) {
            owner.edges[hole] = owner.edges[position];
            hole = position;
        }
    }
    owner.edges[hole] = {};
}

void table_set::release_edges(table& owner) noexcept {
    if (owner.edges) {
        mem_.release(owner.edges, (owner.edge_mask + 1) * sizeof(edge), purpose::tables);
    }
    owner.edges = nullptr;
    owner.edge_mask = owner.edge_count = 0;
    owner.first_edge = {};
}

void table_set::drop_edges() noexcept {
    for (std::uint32_t number = 0; number < number_limit_; ++number) {
        if (table* owner = find_number(number)) {
            release_edges(*owner);
        }
    }
}

}  // namespace kith::storage
