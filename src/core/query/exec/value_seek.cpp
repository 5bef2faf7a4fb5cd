// Candidates from an index, declared in value_seek.hpp.
#include "query/exec/value_seek.hpp"

#include "base/assert.hpp"

#include <algorithm>

namespace kith::queries {

using storage::place_of_row;

namespace {

// A run that collects its candidates more often reads all rows instead.
constexpr std::uint32_t most_collections = 8;

}  // namespace

value_seek::value_seek(const storage::store& data, std::shared_ptr<storage::value_index> index,
                       const detail::value_test& test)
    : data_(data), index_(std::move(index)), test_(test) {
    collect();
}

// The versions are read first: notes that come meanwhile are not missed.
void value_seek::collect() {
    version_ = index_->version();
    moves_ = data_.indexes->moves();
    gave_up_ =
        ++collections_ > most_collections || !index_->collect(test_, places_, unlisted_tables_);
    std::sort(unlisted_tables_.begin(), unlisted_tables_.end());
    at_ = 0;
}

bool value_seek::is_listed(std::uint32_t table) const noexcept {
    return !gave_up_ &&
           !std::binary_search(unlisted_tables_.begin(), unlisted_tables_.end(), table) &&
           storage::find_id_inline(data_.tables.at(table), index_of(index_->key().component)) >= 0;
}

std::uint32_t value_seek::next(std::uint32_t table, std::uint32_t row) {
    if (is_outdated() && !gave_up_) {
        collect();
    }
    if (!is_listed(table)) {
        return row;
    }
    const storage::row_place wanted = place_of_row(table, row);
    if (at_ > places_.size() || (at_ != 0 && places_[at_ - 1] >= wanted)) {
        at_ = 0;
    }
    // Questions mostly move on by few places.
    std::size_t step = 1;
    while (at_ + step < places_.size() && places_[at_ + step] < wanted) {
        at_ += step;
        step *= 2;
    }
    const auto end = at_ + step < places_.size()
                         ? places_.begin() + static_cast<std::ptrdiff_t>(at_ + step)
                         : places_.end();
    const auto found =
        std::lower_bound(places_.begin() + static_cast<std::ptrdiff_t>(at_), end, wanted);
    at_ = static_cast<std::size_t>(found - places_.begin());
    return found != places_.end() && *found >> 32 == table ? static_cast<std::uint32_t>(*found)
                                                           : no_row;
}

void note_handed_out(storage::store& data, const detail::result& result) noexcept {
    KITH_ASSERT(data.indexes, "the world has indexes");
    constexpr std::uint32_t relevant = detail::field_set | detail::field_readonly;
    for (std::uint32_t i = 0; i < result.field_count; ++i) {
        const detail::field_data& field = result.fields[i];
        if ((field.flags & relevant) != detail::field_set || !field.value) {
            continue;
        }
        if (field.source == 0) {
            data.indexes->note_rows(field.id, result.table, result.entities, result.count);
        } else if (const storage::entity_record* source = data.entities.find(field.source)) {
            data.indexes->note_rows(field.id, source->table, &field.source, 1);
        }
    }
}

}  // namespace kith::queries
