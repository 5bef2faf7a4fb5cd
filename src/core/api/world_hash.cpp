// world::hash(): a number over everything in a world that a program can find out by reading.
#include <kith/detail/state_ops.hpp>

#include "api/world_impl.hpp"
#include "base/hash.hpp"
#include "names/entity_name.hpp"
#include "storage/link_store.hpp"
#include "storage/sparse_store.hpp"
#include "storage/table.hpp"

#include <atomic>
#include <cstring>
#include <optional>
#include <string_view>

namespace kith {

namespace {

std::atomic<const detail::value_digest*> digest_of_values{nullptr};

// Hashes the values of one component. Padding does not count where a description tells it apart.
class value_hasher {
public:
    value_hasher(const world_t* world, const types::component_type& type)
        : info_(type.info), digest_(digest_of_values.load(std::memory_order_acquire)) {
        described_ = digest_ && info_.trivial_copy ? digest_->find(world, type.component) : nullptr;
    }
    // Values of other types than bytes count as present only: their addresses differ.
    bool counts() const noexcept { return info_.trivial_copy && info_.size != 0; }
    std::uint64_t operator()(const void* value) const {
        return described_ ? digest_->hash(described_, value)
                          : base::hash_text({static_cast<const char*>(value), info_.size});
    }

private:
    const type_info& info_;
    const detail::value_digest* digest_;
    const void* described_ = nullptr;
};

// The hash of a sequence of numbers, texts and values.
class world_digest {
public:
    void add(std::uint64_t number) noexcept { hash_ = base::combine(hash_, number); }
    void add(std::string_view text) noexcept { add(base::hash_text(text)); }
    void add_value(const value_hasher& hasher, const void* value) {
        if (hasher.counts()) {
            add(hasher(value));
        }
    }
    std::uint64_t result() const noexcept { return base::mix(hash_); }

private:
    std::uint64_t hash_ = 0;
};

// Live entities with their names, and the ids that come next.
void add_entities(const api::world_impl& owner, world_digest& digest) {
    owner.data.entities.each([&](entity_t entity) {
        digest.add(entity);
        if (const names::name_node* name = names::find_name(owner.data, entity, Name)) {
            digest.add(name->view());
        }
    });
    owner.data.entities.each_next([&](std::uint32_t index) { digest.add(index); });
}

// The ids of a table, its rows in their order, and the values of its columns.
void add_table(const api::world_impl& owner, const storage::table& type, world_digest& digest) {
    const storage::store& data = owner.data;
    digest.add(type.number);
    for (std::uint32_t i = 0; i < type.id_count; ++i) {
        digest.add(type.ids[i]);
    }
    const detail::table_rows& rows = data.tables.rows(type.number);
    digest.add(rows.count);
    for (std::uint32_t row = 0; row < rows.count; ++row) {
        digest.add(storage::entities_of(type, rows)[row]);
    }
    for (std::uint32_t column = 0; column < type.column_count; ++column) {
        const value_hasher hasher(&owner, *type.records[type.column_ids[column]]->value_type);
        for (std::uint32_t row = 0; row < rows.count; ++row) {
            digest.add_value(hasher, storage::value_in(rows, type.columns[column], row));
        }
    }
}

void add_sparse(const api::world_impl& owner, const storage::id_record& record,
                world_digest& digest) {
    const storage::sparse_store& values = *record.sparse;
    digest.add(values.count());
    std::optional<value_hasher> hasher;
    if (values.info()) {
        hasher.emplace(&owner, *record.value_type);
    }
    for (std::uint32_t i = 0; i < values.count(); ++i) {
        const entity_t entity = values.entity_at(i);
        digest.add(entity);
        if (hasher) {
            digest.add_value(*hasher, values.find(index_of(entity)));
        }
    }
}

// The targets of each source and the sources of each target, in their order.
void add_links(const storage::store& data, const storage::link_store& links, world_digest& digest) {
    data.entities.each([&](entity_t entity) {
        const std::uint32_t index = index_of(entity);
        for (std::uint32_t i = 0; i < links.target_count(index); ++i) {
            digest.add(links.target_at(index, i));
        }
        if (links.is_target(index)) {
            const storage::source_span sources = links.sources(index);
            for (std::uint32_t i = 0; i < sources.size; ++i) {
                if (sources.items[i] != 0) {
                    digest.add(sources.items[i]);
                }
            }
        }
    });
}

}  // namespace

// Records of ids are visited by number, so that the order in which ids were first used counts.
std::uint64_t world::hash() const {
    const api::world_impl& owner = api::impl_of(world_);
    const storage::store& data = owner.data;
    world_digest digest;
    add_entities(owner, digest);
    for (std::uint32_t number = storage::root_table; number < data.tables.number_limit();
         ++number) {
        if (const storage::table* type = data.tables.find_number(number)) {
            add_table(owner, *type, digest);
        }
    }
    for (std::uint32_t number = 0; number < data.ids.number_limit(); ++number) {
        const storage::id_record* record = data.ids.by_number(number);
        if (record) {
            digest.add(record->id);
            // An empty store cannot be told from none.
            if (record->sparse && record->sparse->count() != 0) {
                add_sparse(owner, *record, digest);
            }
            if (record->links) {
                add_links(data, *record->links, digest);
            }
        }
    }
    return digest.result();
}

void detail::set_value_digest(const value_digest* digest) noexcept {
    digest_of_values.store(digest, std::memory_order_release);
}

}  // namespace kith
