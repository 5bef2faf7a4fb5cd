// The breadth-first walk to dependents.
#include "observe/observer/dependents.hpp"

#include "base/hash.hpp"

namespace kith::observe {

using containers::purpose;

dependents::dependents(const storage::store& data) noexcept
    : data_(data), mem_(const_cast<containers::memory&>(data.mem)) {}

dependents::~dependents() {
    entities_.release(mem_, purpose::commands);
    index_.release(mem_, purpose::commands);
}

bool dependents::has(entity_t entity) const noexcept {
    return index_.find(base::mix(entity),
                       [&](std::uint32_t number) { return entities_[number - 1] == entity; }) != 0;
}

void dependents::add(entity_t entity) {
    if (has(entity)) {
        return;
    }
    index_.reserve_one(mem_, purpose::commands);
    entities_.push(mem_, entity, purpose::commands);
    index_.insert_reserved(base::mix(entity), entities_.size());
}

void dependents::collect(entity_t from, std::uint32_t relation, direction where,
                         std::uint32_t through) {
    add(from);
    auto add_sources = [&](std::uint32_t of, entity_t entity) {
        storage::each_source(data_, of, index_of(entity), [&](entity_t source) {
            add(source);
            return true;
        });
    };
    for (std::uint32_t position = 0; position < entities_.size(); ++position) {
        const entity_t entity = entities_[position];
        if (through != 0) {
            add_sources(through, entity);
        }
        if (relation == 0) {
            continue;
        }
        if (where == direction::to_sources) {
            add_sources(relation, entity);
        } else {
            storage::each_target(data_, entity, relation, [&](std::uint32_t target) {
                add(data_.entities.alive_at(target));
                return true;
            });
        }
    }
}

}  // namespace kith::observe
