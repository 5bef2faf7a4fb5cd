// Implements clone.hpp.
#include "mutate/ops/clone.hpp"

#include "base/scope_exit.hpp"
#include "ids/builtin.hpp"
#include "mutate/apply/owned_ids.hpp"
#include "mutate/apply/value_ahead.hpp"
#include "mutate/apply/values.hpp"
#include "mutate/commit/archetype_move.hpp"
#include "mutate/commit/first_row.hpp"
#include "mutate/commit/inverses.hpp"
#include "mutate/commit/sparse_ops.hpp"
#include "mutate/notify/validate.hpp"
#include "mutate/ops/toggle.hpp"
#include "mutate/rules/change_set.hpp"
#include "mutate/rules/cloned_ids.hpp"
#include "mutate/rules/destination.hpp"
#include "mutate/rules/prefabs.hpp"
#include "traits/implications.hpp"

#include <algorithm>
#include <utility>

namespace kith::mutate {

using containers::purpose;
using storage::entity_record;
using storage::id_info;
using storage::id_record;
using storage::table;

namespace {

// One copy: collect() finds the ids and throws if one cannot be copied, run() adds them.
//
// Invariants
// 1. `dense_` and `sparse_` list the selected ids of the source, in its table and outside of it.
// 2. `bases_` lists the bases that the copy gets and `into` lacks.
class id_copier {
public:
    id_copier(stage& world, entity_t source, entity_t into, const copy_options& options)
        : world_(world), data_(world.data), source_(source), into_(into), options_(options) {}

    // Finds the ids to copy. Throws if an id cannot be copied.
    void collect() {
        collect_bases();
        each_owned(data_, source_, Wildcard, [&](const id_info& id) { note(id); });
        each_owned(data_, source_, make_pair(Wildcard, Wildcard),
                   [&](const id_info& id) { note(id); });
        const table& type = data_.tables.at(get_record(world_, source_).table);
        for (std::uint32_t i = 0; i < type.id_count && type.flags & detail::shape_has_marks; ++i) {
            if (type.ids[i] & Override) {
                note(*type.records[i]);
            }
        }
        check_meaning();
        check_implied();
    }

    // Adds the ids: sparse ids are checked and validated first, bases instantiate last.
    void run() {
        for (const id_info& id : sparse_) {
            check_addable_sparse(world_, into_, id);
        }
        callback_scope code(world_);
        validate_sparse();
        copy_own();
        world_.consequences.instantiate(world_, into_, bases_.data(), bases_.size());
        for (const id_info& copied : dense_) {
            void* value = copied.value_type && options_.values
                              ? find_own_value(world_, into_, copied.id)
                              : nullptr;
            if (value) {
                dispatch_set(world_, into_, copied, value);
            }
        }
        copy_toggles();
        code.finish();
    }

private:
    // Collects the bases that the copy becomes an instance of.
    void collect_bases() {
        each_owned(data_, source_, detail::any_base, [&](const id_info& id) {
            bool is_kept = !options_.keeps || options_.keeps(id.id, options_.context);
            if (is_kept && !storage::owns_id(data_, get_record(world_, into_), into_, id.id)) {
                bases_.push(data_.entities.alive_at(pair_second(id.id)));
            }
        });
    }

    // Adds an id to the lists, if it is selected and can be copied.
    void note(const id_info& id) {
        if (!is_cloned(id.id) || (options_.keeps && !options_.keeps(id.id, options_.context))) {
            return;
        }
        note_meaning(id.id);
        if (stays_with_partner(id)) {
            return;
        }
        if (id.value_type && options_.values && !id.value_type->info.can_copy()) {
            raise_id(world_, errc::not_copyable, id.id,
                     "cannot be copied, so an entity that has it cannot be cloned");
        }
        if (id.value_type && !options_.values && !id.value_type->info.can_construct()) {
            raise_id(world_, errc::not_constructible, id.id,
                     "has no default constructor, so it cannot be cloned without its value");
        }
        check_exclusive(id);
        if (is_filled_anew(id.id)) {
            return;
        }
        (is_sparse(id) && !(id.id & Override) ? sparse_ : dense_).push(id);
    }

    // Throws if a copied pair implies (With) a pair that is not copied.
    void check_implied() const {
        for (const auto* ids : {&dense_, &sparse_}) {
            for (const id_info& id : *ids) {
                traits::each_implied(data_, id,
                                     [&](id_t implied) { check_implied(id.id, implied); });
            }
        }
    }
    void check_implied(id_t id, id_t implied) const {
        if (stays_with_partner(traits::describe_id(data_, implied)) &&
            !storage::owns_id(data_, get_record(world_, into_), into_, implied)) {
            raise_id(world_, errc::constraint, id,
                     "cannot be cloned: it implies a pair that is exclusive and symmetric, which "
                     "stays with its partner");
        }
    }

    // Notes properties that the copy gains, and ids of which the copy is an element: properties
    // decide the meaning of these ids, so that both cannot be added in one step. Sparse is
    // excepted, since it decides only where ids are stored.
    void note_meaning(id_t id) {
        brings_property_ |= traits::is_property(id) && id != Sparse &&
                            !storage::owns_id(data_, get_record(world_, into_), into_, id);
        names_copy_ |=
            !(id & Override) && (is_pair(id) ? pair_first(id) == index_of(into_) : id == into_);
    }
    void check_meaning() const {
        if (brings_property_ && names_copy_) {
            raise_entity_id(world_, errc::constraint, into_, 0,
                            "would get properties and, in the same step, ids that these are about: "
                            "add the properties before the clone is made");
        }
    }

    // True if a base of the copy fills the slot with another target.
    bool is_filled_anew(id_t id) const {
        if (!is_pair(id) || id & Override || ids::is_builtin(pair_first(id)) ||
            world_.operation.copying_prefab) {
            return false;
        }
        entity_t slot = data_.entities.alive_at(pair_first(id));
        return std::any_of(bases_.begin(), bases_.end(),
                           [&](entity_t base) { return fills_slot(data_, base, slot); });
    }

    // Throws if `into` has another target of an exclusive relationship.
    void check_exclusive(const id_info& id) const {
        const entity_record& record = get_record(world_, into_);
        const id_t any = traits::replaced_pattern(id);
        if (any && storage::owns_id(data_, record, into_, any) &&
            !storage::owns_id(data_, record, into_, id.id)) {
            raise_id(world_, errc::constraint, id.id,
                     "is exclusive: an entity cannot be made with two targets of it");
        }
    }

    // Copies the own ids before the bases are instantiated, because own ids take precedence.
    void copy_own() {
        const entity_t before = std::exchange(world_.operation.uninstantiated, into_);
        const base::scope_exit restore([&] { world_.operation.uninstantiated = before; });
        staged_change step(world_);
        gain_parent(step);
        copy_dense();
        copy_sparse();
    }

    // Stages the parent of the copy: inverse pairs that others get on the way may demand (OneOf)
    // that the copy is a child.
    void gain_parent(staged_change& step) const {
        for (const auto* ids : {&dense_, &sparse_}) {
            for (const id_info& id : *ids) {
                if (is_pair(id.id) && pair_first(id.id) == ChildOf) {
                    step.set.gain(into_, id.id);
                }
            }
        }
    }

    // Copies the ids of the table by one move of the row.
    void copy_dense() {
        id_buffer ids(data_.mem, purpose::commands);
        for (const id_info& id : dense_) {
            ids.push(id.id);
        }
        entity_record& record = get_record(world_, into_);
        const table& from = data_.tables.at(record.table);
        table& to = table_after(world_, from, ids.data(), ids.size(), nullptr, 0);
        if (to.number == record.table) {
            return;
        }
        // Room is reserved first: growing would move the values that are copied from.
        data_.tables.reserve_rows(to, 1);
        containers::small_vec<copy_context, 16> contexts(data_.mem, purpose::commands);
        containers::small_vec<detail::value_source, 16> sources(data_.mem, purpose::commands);
        containers::small_vec<initial_value, 16> initial(data_.mem, purpose::commands);
        contexts.reserve(dense_.size());
        sources.reserve(dense_.size());
        const bool inherits = from.flags & detail::shape_has_base;
        for (const id_info& id : dense_) {
            if (id.value_type && (options_.values || inherits)) {
                contexts.push({&id.value_type->info, find_own_value(world_, source_, id.id)});
                sources.push(source_of(contexts.back()));
                initial.push({id.id, &sources.back()});
            }
        }
        move_entity(world_, into_, record, to, initial.data(), initial.size());
    }

    // Sparse ids are validated before the dense ones are added, so that a refused copy leaves
    // nothing behind.
    void validate_sparse() {
        for (id_info& id : sparse_) {
            if (is_validated(id) && traits::is_enum_pair(id)) {
                id = validate_constant(world_, into_, id);
            } else if (is_validated(id)) {
                copy_context context{id.value_type ? &id.value_type->info : nullptr,
                                     value_sparse(data_, source_, id)};
                const detail::value_source value = source_of(context);
                values_ahead values(data_.mem);
                validate_added(world_, into_, id, id.value_type ? &value : nullptr, values);
            }
        }
    }

    // Copies the sparse ids one by one. The row must exist for that.
    void copy_sparse() {
        for (const id_info& id : sparse_) {
            copy_context context{id.value_type ? &id.value_type->info : nullptr,
                                 value_sparse(data_, source_, id)};
            bool copies = id.value_type && options_.values;
            detail::value_source value = source_of(context);
            ensure_row(world_, into_, get_record(world_, into_));
            add_sparse(world_, into_, id, id.value_type ? &value : nullptr);
            if (copies) {
                dispatch_set(world_, into_, id, value_sparse(data_, into_, id));
            }
        }
    }

    // The source of a copied or default value. Default values are given explicitly, because the
    // value would otherwise begin with that of a base.
    detail::value_source source_of(copy_context& context) const noexcept {
        return options_.values && context.info ? copying_source(context)
                                               : detail::value_source{&context, make_default, {}};
    }
    static void make_default(void* value, void* context) {
        types::construct_values(*static_cast<copy_context*>(context)->info, value, 1);
    }

    // Disables the ids that the source has disabled.
    void copy_toggles() {
        if (!(get_record(world_, source_).state & storage::record_has_disabled)) {
            return;
        }
        for (std::uint32_t i = 0; i < data_.toggled_ids.size(); ++i) {
            const id_record& toggled = *data_.toggled_ids[i];
            // Pairs that stay with their partners were not copied.
            bool was_copied = storage::owns_id(data_, get_record(world_, into_), into_, toggled.id);
            if (was_copied && toggled.disabled->has(index_of(source_))) {
                enable_id(world_, into_, toggled.id, false);
            }
        }
    }

    stage& world_;
    storage::store& data_;
    entity_t source_;
    entity_t into_;
    const copy_options& options_;
    containers::small_vec<id_info, 16> dense_{world_.data.mem, purpose::commands};
    containers::small_vec<id_info, 16> sparse_{world_.data.mem, purpose::commands};
    containers::small_vec<entity_t, 4> bases_{world_.data.mem, purpose::commands};
    bool brings_property_ = false;
    bool names_copy_ = false;
};

}  // namespace

void copy_ids(stage& world, entity_t source, entity_t into, const copy_options& options) {
    get_record(world, source);
    get_record(world, into);
    id_copier copy(world, source, into, options);
    copy.collect();
    copy.run();
}

void clone_into(stage& world, entity_t source, entity_t into, bool copy_values) {
    // Ids that are never copied do not count as values of the clone.
    bool empty = true;
    auto check = [&](const id_info& id) { empty &= !(id.value_type && is_cloned(id.id)); };
    get_record(world, source);
    get_record(world, into);
    each_owned(world.data, into, Wildcard, check);
    each_owned(world.data, into, make_pair(Wildcard, Wildcard), check);
    if (!empty) {
        raise_entity_id(world, errc::invalid_operation, into, 0,
                        "has values already, so no clone can be made of it");
    }
    copy_options options;
    options.values = copy_values;
    copy_ids(world, source, into, options);
}

}  // namespace kith::mutate
