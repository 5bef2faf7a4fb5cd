// The entity index (entity_index.hpp): issuing, freeing and reserving indices, and ranges of ids.
#include "storage/entity_index.hpp"

#include <kith/type_info.hpp>

#include "base/assert.hpp"
#include "base/raise.hpp"

#include <algorithm>

namespace kith::storage {

using containers::purpose;
using detail::record_free;
using detail::record_page_bits;
using detail::record_page_size;

namespace {

// The page that stands for all pages without an issued index, so that lookups need no test for a
// missing page. Never released: it belongs to all worlds of the process.
entity_record* never_issued_page(std::uint32_t never_issued_state) {
    static entity_record* page = [never_issued_state] {
        auto* records = new entity_record[record_page_size];
        for (std::uint32_t i = 0; i < record_page_size; ++i) {
            records[i] = {0, 0, never_issued_state};
        }
        return records;
    }();
    return page;
}

}  // namespace

entity_index::entity_index(containers::memory& mem, detail::store_head& head)
    : mem_(mem), head_(head), never_issued_(never_issued_page(never_issued_state)) {
    head_.pages = nullptr;
    head_.page_count = 0;
}

entity_index::~entity_index() {
    for (entity_record* page : pages_) {
        if (page != never_issued_) {
            mem_.release(page, record_page_size * sizeof(entity_record), purpose::entities);
        }
    }
    pages_.release(mem_, purpose::entities);
}

void entity_index::extend_pages(std::uint32_t count) {
    if (count > pages_.size()) {
        pages_.reserve_extra(mem_, count - pages_.size(), purpose::entities);
        while (pages_.size() < count) {
            pages_.push_reserved(never_issued_);
        }
        head_.pages = pages_.data();
        head_.page_count = pages_.size();
    }
}

void entity_index::ensure_page(std::uint32_t page) {
    extend_pages(page + 1);
    if (pages_[page] == never_issued_) {
        auto* records = static_cast<entity_record*>(
            mem_.allocate(record_page_size * sizeof(entity_record), purpose::entities));
        for (std::uint32_t i = 0; i < record_page_size; ++i) {
            records[i] = {0, 0, never_issued_state};
        }
        pages_[page] = records;
    }
}

entity_t entity_index::create_fresh(entity_record*& record) {
    const std::uint32_t limit = fresh_limit();
    for (;; ++fresh_) {
        fresh_end_ = 0;
        if (fresh_ >= limit) {
            raise_used_up();
        }
        if (fresh_ >> record_page_bits >= pages_.size() ||
            pages_[fresh_ >> record_page_bits] == never_issued_) {
            ensure_page(fresh_ >> record_page_bits);
        }
        // make_alive() may have issued indices ahead of the counter.
        record = &at(fresh_);
        if (record->state == never_issued_state) {
            std::uint32_t page_last = fresh_ | (record_page_size - 1);
            fresh_end_ = page_last < limit ? page_last + 1 : limit;
            *record = {0, 0, 0};
            ++count_;
            return fresh_++;
        }
    }
}

entity_t entity_index::create_uncounted() {
    if (const std::uint32_t index = free_; index != 0) {
        entity_record& record = at(index);
        free_ = record.row;
        record = {0, 0, record.state & 0xFFFF};
        return make_entity_id(index, static_cast<std::uint16_t>(record.state));
    }
    const std::uint32_t limit = fresh_limit();
    while (fresh_ < limit && fresh_ >> record_page_bits < pages_.size() &&
           at(fresh_).state != never_issued_state) {
        ++fresh_;  // make_alive() has issued the index
    }
    if (fresh_ >= limit) {
        raise_used_up();
    }
    ensure_page(fresh_ >> record_page_bits);
    at(fresh_) = {0, 0, 0};
    return fresh_++;
}

void entity_index::make_alive(entity_t entity) {
    std::uint32_t index = index_of(entity);
    ensure_page(index >> record_page_bits);
    entity_record& record = at(index);
    KITH_ASSERT(record.state & record_free, "only a free index can be made alive");
    if (!(record.state & record_never_issued) && !is_unlisted(record, index)) {
        unlink_free(index);
    }
    record = {0, 0, generation_of(entity)};
    ++count_;
}

void entity_index::unlink_free(std::uint32_t index) noexcept {
    entity_record& record = at(index);
    KITH_ASSERT(record.state & record_free && !is_unlisted(record, index),
                "an unlinked index is free and listed");
    std::uint32_t previous = record.table;
    std::uint32_t next = record.row;
    if (free_ == index) {
        free_ = next;
    } else if (parked_ == index) {
        parked_ = next;
    } else {
        at(previous).row = next;
        if (next != 0) {
            at(next).table = previous;
        }
    }
}

// Neighbours in the list of entities become neighbours in the list of free indices.
void entity_index::free(const entity_t* entities, std::size_t count) noexcept {
    // Locals instead of fields: the compiler must assume that the written records may be fields.
    entity_record* const* const pages = head_.pages;
    const std::uint32_t first = std::max(range_first_, first_entity);
    const std::uint32_t last = range_first_ + (range_size_ - 1);
    std::uint32_t newest = free_;
    std::uint32_t listed = 0;
    entity_record* before = newest != 0 ? &at(newest) : nullptr;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint32_t index = index_of(entities[i]);
        entity_record& record =
            pages[index >> detail::record_page_bits][index & (detail::record_page_size - 1)];
        KITH_ASSERT(!(record.state & detail::record_free), "only a live entity is freed");
        const std::uint32_t generation = record.state & 0xFFFF;
        if (generation == 0xFFFF || index < first || index > last) [[unlikely]] {
            free_ = newest;
            free(index, record);
            newest = free_;
            before = newest != 0 ? &at(newest) : nullptr;
            continue;
        }
        record = {0, newest, detail::record_free | (generation + 1)};
        if (before) {
            before->table = index;
        }
        before = &record;
        newest = index;
        ++listed;
    }
    free_ = newest;
    count_ -= listed;
}

void entity_index::free_unlisted(std::uint32_t index) noexcept {
    std::uint32_t generation = at(index).state & 0xFFFF;
    if (index < first_entity && detail::find_type(index)) {
        // The index of a type has one generation, so that its component can be registered again.
        at(index) = {0, 0, never_issued_state};
    } else {
        at(index) = {0, index, record_free | (generation == 0xFFFF ? generation : generation + 1)};
    }
}

void entity_index::take_back(std::uint32_t index) noexcept {
    entity_record& record = at(index);
    KITH_ASSERT(!(record.state & record_free), "only a live entity is taken back");
    std::uint32_t generation = record.state & 0xFFFF;
    --count_;
    if (generation == 0 && index + 1 == fresh_) {
        record = {0, 0, never_issued_state};
        --fresh_;
        return;
    }
    record.state = record_free | generation;
    link_free(in_range(index) ? free_ : parked_, index, record);
}

void entity_index::set_aside(std::uint32_t count, entity_t* out) {
    reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        entity_record* record = nullptr;
        out[i] = create(record);
        *record = {0, index_of(out[i]), record_free | generation_of(out[i])};
    }
    count_ -= count;
}

void entity_index::give_back(const entity_t* ids, std::uint32_t count) noexcept {
    for (std::uint32_t i = count; i-- > 0;) {
        revive(ids[i]);
        ++count_;
        take_back(index_of(ids[i]));
    }
}

void entity_index::reserve_pages(std::uint32_t count) {
    const std::uint64_t last = std::uint64_t{fresh_} + count;
    const auto page = static_cast<std::uint32_t>(std::min<std::uint64_t>(last, fresh_limit() - 1) >>
                                                 record_page_bits);
    extend_pages(page + 1);
}

bool entity_index::has_page_for_next() const noexcept {
    if (free_ != 0) {
        return true;
    }
    std::uint32_t next = fresh_;
    const std::uint32_t end = head_.page_count << record_page_bits;
    while (next < end && at(next).state != never_issued_state) {
        ++next;  // make_alive() has issued the index
    }
    return next < end;
}

entity_t entity_index::alive_at(std::uint32_t index) const noexcept {
    if (index >> record_page_bits >= head_.page_count) {
        return 0;
    }
    const entity_record& record = at(index);
    return record.state & record_free
               ? 0
               : make_entity_id(index, static_cast<std::uint16_t>(record.state));
}

bool entity_index::was_issued(std::uint32_t index) const noexcept {
    return index != 0 && index >> record_page_bits < head_.page_count &&
           !(at(index).state & record_never_issued);
}

void entity_index::raise_used_up() const {
    base::raise(errc::limit,
                has_range() ? "the range of entity ids is used up" : "entity ids are used up");
}

void entity_index::reserve(std::size_t count) {
    // create() issues free indices first.
    std::uint32_t index = free_;
    for (; count != 0 && index != 0; --count) {
        index = at(index).row;
    }
    // The rest is fresh; create_fresh() skips indices that make_alive() has issued.
    const std::uint64_t limit = fresh_limit();
    for (std::uint64_t fresh = fresh_; count != 0;) {
        if (fresh >= limit) {
            raise_used_up();
        }
        const auto page = static_cast<std::uint32_t>(fresh >> record_page_bits);
        ensure_page(page);
        const std::uint64_t end =
            std::min<std::uint64_t>((std::uint64_t{page} + 1) << record_page_bits, limit);
        for (; count != 0 && fresh < end; ++fresh) {
            count -= at(static_cast<std::uint32_t>(fresh)).state == never_issued_state;
        }
    }
}

void entity_index::set_range(std::uint32_t first, std::uint32_t last) {
    const bool limited = first != 0 || last != 0;
    if (limited && (first < first_entity || (last != 0 && first >= last))) {
        base::raise(errc::invalid_operation, base::text{} << "an id range starts at "
                                                          << first_entity
                                                          << " or above, and ends above its start");
    }
    range_first_ = first;
    range_size_ = (last != 0 ? last : no_range) - first;
    // The free indices are distributed anew over free_ (within the range) and parked_. Each list is
    // read from its oldest index on, so that the order of reuse stays.
    for (std::uint32_t* list : {&parked_, &free_}) {
        std::uint32_t index = *list;
        while (index != 0 && at(index).row != 0) {
            index = at(index).row;
        }
        std::uint32_t leaving = 0;
        std::uint32_t staying = 0;
        bool keep_when_in_range = list == &free_;
        const std::uint32_t first_in_list = *list;
        while (index != 0) {
            std::uint32_t newer = index == first_in_list ? 0 : at(index).table;
            link_free(in_range(index) == keep_when_in_range ? staying : leaving, index, at(index));
            index = newer;
        }
        *list = staying;
        std::uint32_t& destination = keep_when_in_range ? parked_ : free_;
        for (std::uint32_t moved = leaving; moved != 0;) {
            std::uint32_t next = at(moved).row;
            link_free(destination, moved, at(moved));
            moved = next;
        }
    }
    fresh_ = has_range() ? first : first_entity;
    fresh_end_ = 0;
}

const char* entity_index::check_invariants() const noexcept {
    std::uint32_t alive = 0;
    std::uint32_t unlinked = 0;  // free records that were not found in a list yet
    each_record(1, [&](std::uint32_t index, const entity_record& record) {
        if (!(record.state & record_free)) {
            ++alive;
        } else if (!(record.state & record_never_issued) && !is_unlisted(record, index)) {
            ++unlinked;
        }
    });
    if (alive != count_) {
        return "the number of live records differs from the count";
    }
    for (std::uint32_t list : {free_, parked_}) {
        std::uint32_t previous = 0;
        for (std::uint32_t index = list; index != 0; index = at(index).row) {
            const entity_record& record = at(index);
            bool is_first = index == list;
            if (!(record.state & record_free) || (!is_first && record.table != previous) ||
                unlinked == 0) {
                return "a list of free indices is broken";
            }
            previous = index;
            --unlinked;
        }
    }
    return unlinked == 0 ? nullptr : "a free index is in no list";
}

}  // namespace kith::storage
