#include "query/exec/machine.hpp"

#include "traits/traits.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// Lists may contain each other.
constexpr std::uint32_t max_nesting = 32;

}  // namespace

machine::machine(const storage::store& data, const query_model& model, const plan& steps,
                 candidates& source)
    : data_(data), model_(model), source_(source) {
    plan_.count = steps.count;
    plan_.dead = steps.dead;
    std::copy(steps.ops, steps.ops + steps.count, plan_.ops);
    frames_ = few_frames_;
    fields_ = few_fields_;
    if (steps.count > few || model.field_count > few) {
        std::size_t frame_bytes = sizeof(frame) * steps.count;
        more_.reset(new std::byte[frame_bytes + sizeof(detail::field_data) * model.field_count]);
        frames_ = reinterpret_cast<frame*>(more_.get());
        fields_ = reinterpret_cast<detail::field_data*>(more_.get() + frame_bytes);
    }
    for (std::uint32_t i = 0; i < steps.count; ++i) {
        frames_[i].owners_end = 0;
        for (std::uint32_t t = steps.ops[i].first; t < steps.ops[i].last; ++t) {
            bool by_row = steps.ops[i].level == op_level::row;
            row_fields_ |= std::uint64_t{by_row} << model.terms[t].field;
        }
    }
    for (std::uint32_t i = 0; i < model.field_count; ++i) {
        fields_[i] = {nullptr, 0, 0, 0, 0};
    }
}

bool machine::advance() {
    std::uint32_t at = 0;
    bool again = started_;
    started_ = true;
    if (again) {
        if (plan_.count == 0) {
            return false;
        }
        at = plan_.count - 1;
    }
    while (at < plan_.count) {
        if (take(at, again)) {
            ++at;
            again = false;
        } else if (at == 0) {
            return false;
        } else {
            --at;
            again = true;
        }
    }
    return true;
}

bool machine::take(std::uint32_t number, bool again) {
    const op& step = plan_.ops[number];
    frame& at = frames_[number];
    switch (step.code) {
        case op_code::scan:
            return take_candidate();
        case op_code::rows:
            return take_row(again);
        case op_code::match:
            return take_match(step, at, again);
        case op_code::chain:
            return take_chain(step, at, again);
        case op_code::list: {
            const term& one = model_.terms[step.first];
            if (again) {
                return false;
            }
            place source = source_of(one);
            return source.table && holds_list(source, one, one.id, one.oper, 0);
        }
    }
    return false;
}

bool machine::take_candidate() {
    if (!source_.next(range_, fields_)) {
        return false;
    }
    table_ = &data_.tables.at(range_.table);
    bare_.table = range_.table;
    whole_ = range_;
    return true;
}

bool machine::take_row(bool again) {
    if (!again) {
        range_ = {whole_.table, whole_.first, 1};
        return true;
    }
    if (range_.first + 1 == whole_.first + whole_.count) {
        shift_fields(static_cast<std::ptrdiff_t>(whole_.first) - range_.first);
        range_ = whole_;
        return false;
    }
    shift_fields(1);
    ++range_.first;
    return true;
}

// What was found for the table is seen from another row.
void machine::shift_fields(std::ptrdiff_t rows) noexcept {
    for (std::uint32_t i = 0; i < model_.field_count; ++i) {
        if (fields_[i].value && !((row_fields_ >> i) & 1)) {
            fields_[i].value += rows * static_cast<std::ptrdiff_t>(fields_[i].stride);
        }
    }
}

bool machine::take_match(const op& step, frame& at, bool again) {
    const term& one = model_.terms[step.first];
    if (one.oper == Not) {
        if (again) {
            return false;
        }
        begin(one, at);
        bool found = find_next(one, at);
        clear_field(one);
        return !found;
    }
    if (!again) {
        begin(one, at);
    } else if (one.oper == Optional && !at.matched) {
        return false;
    } else if (one.at_most_one) {
        return false;
    }
    bool found = find_next(one, at);
    if (found || again || one.oper != Optional) {
        at.matched = true;
        return found;
    }
    at.matched = false;
    clear_field(one);
    return true;
}

bool machine::take_chain(const op& step, frame& at, bool again) {
    if (again) {
        const term& one = model_.terms[at.alternative];
        return !one.at_most_one && find_next(one, at);
    }
    for (std::uint32_t i = step.first; i < step.last; ++i) {
        at.alternative = i;
        begin(model_.terms[i], at);
        if (find_next(model_.terms[i], at)) {
            return true;
        }
    }
    return false;
}

place machine::source_of(const term& one) const {
    if (one.from == source_kind::fixed) {
        return place_of(data_, one.source);
    }
    if (range_.count == 0) {
        return {table_, &bare_, This, 0};
    }
    entity_t entity = this_entity();
    return {table_, &data_.entities.at(index_of(entity)), entity, range_.first};
}

entity_t machine::this_entity() const noexcept {
    return range_.count == 0
               ? This
               : storage::entities_of(*table_, data_.tables.rows(range_.table))[range_.first];
}

void machine::begin(const term& one, frame& at) {
    at.position = {};
    at.owner = {};
    at.owners_at = at.owners_end = 0;
    bool dead = (plan_.dead >> (&one - model_.terms)) & 1;
    place source = dead ? place{} : source_of(one);
    if (!source.table) {
        return;
    }
    if (one.flags & TraverseAll) {
        // What later steps, or this one before, had on the stack is no longer needed.
        std::uint32_t used = 0;
        for (const frame* earlier = frames_; earlier != &at; ++earlier) {
            used = std::max(used, earlier->owners_end);
        }
        owners_.resize(used);
        at.owners_at = used;
        collect_owners(data_, source, one, owners_);
        at.owners_end = static_cast<std::uint32_t>(owners_.size());
        next_owner(one, at);
    } else {
        at.owner = find_owner(data_, source, one);
    }
}

bool machine::next_owner(const term& one, frame& at) {
    if (!(one.flags & TraverseAll)) {
        return false;
    }
    at.position = {};
    if (at.owners_at < at.owners_end) {
        at.owner = owners_[at.owners_at++];
        return true;
    }
    return false;
}

bool machine::find_next(const term& one, frame& at) {
    if (at.owner.owner == 0) {
        return false;
    }
    place source = source_of(one);
    do {
        bool own = at.owner.owner == source.entity;
        place where = own ? source : place_of(data_, at.owner.owner);
        found_id found;
        while (next_own(data_, where, one.id, own ? offer::own : offer::inheritable, at.position,
                        found)) {
            if (!is_off(data_, where.entity, found.id) &&
                (own || is_passed_on(data_, at.owner, source, found.id))) {
                set_field(one, at.owner, found);
                return true;
            }
        }
    } while (next_owner(one, at));
    return false;
}

void machine::set_field(const term& one, const owner_ref& owner, const found_id& found) {
    detail::field_data& field = fields_[one.field];
    bool mine = one.from == source_kind::self && owner.owner == this_entity();
    field.value = found.value;
    field.id = found.id;
    field.source = mine ? 0 : owner.owner;
    field.stride = mine ? found.size : 0;
    field.flags = detail::field_set;
    if (is_readonly(one, mine)) {
        field.flags |= detail::field_readonly;
    }
}

void machine::clear_field(const term& one) noexcept {
    fields_[one.field] = {nullptr, one.id, one.source, 0, 0};
}

// True if the source has the id, in the way that the term looks for ids.
bool machine::holds_id(const place& source, const term& like, id_t id) const {
    term asked = like;
    asked.id = id;
    asked.flags &= ~TraverseAll;
    owner_ref owner = find_owner(data_, source, asked);
    return owner.owner != 0 && !is_off(data_, owner.owner, id);
}

bool machine::holds_list(const place& source, const term& one, entity_t list, oper_kind_t how,
                         std::uint32_t depth) const {
    const place holder = place_of(data_, list);
    if (!holder.table || depth == max_nesting) {
        return how != OrFrom;
    }
    bool any = false;
    bool one_of = false;
    auto check = [&](id_t id, std::uint32_t traits) {
        bool nested = is_pair(id) && (pair_first(id) == AllOf || pair_first(id) == AnyOf);
        if ((traits & traits::trait_dont_inherit && !nested) || id & Override) {
            return true;
        }
        any = true;
        bool held = nested ? holds_list(source, one, data_.entities.alive_at(pair_second(id)),
                                        pair_first(id) == AllOf ? AndFrom : OrFrom, depth + 1)
                           : holds_id(source, one, id);
        one_of |= held;
        return how == AndFrom ? held : !held;
    };
    bool through = true;
    const storage::table& type = *holder.table;
    for (std::uint32_t i = 0; through && i < type.id_count; ++i) {
        through = check(type.ids[i], type.records[i]->traits);
    }
    if (through) {
        through = storage::each_sparse(
            data_, *holder.record, index_of(list), Wildcard,
            [&](const storage::id_record& record) { return check(record.id, record.traits); });
    }
    if (through) {
        through = storage::each_link(
            data_, *holder.record, index_of(list), make_pair(Wildcard, Wildcard),
            [&](const storage::id_record& relation, std::uint32_t target) {
                return check(make_pair(pair_first(relation.id), target), relation.traits);
            });
    }
    switch (how) {
        case OrFrom:
            return one_of || !any;
        default:
            return through;
    }
}

}  // namespace kith::queries
