// Saving and replacing the entity index (storage/entity_index_state.hpp).
#include "storage/entity_index_state.hpp"

#include "base/assert.hpp"

namespace kith::storage {

entity_index_state::counters entity_index_state::save_counters(const entity_index& index) noexcept {
    return {index.free_,  index.parked_,      index.fresh_,      index.fresh_end_,
            index.count_, index.range_first_, index.range_size_, index.range_checked_};
}

void entity_index_state::load_counters(entity_index& index, const counters& saved) noexcept {
    index.free_ = saved.free;
    index.parked_ = saved.parked;
    index.fresh_ = saved.fresh;
    index.fresh_end_ = saved.fresh_end;
    index.count_ = saved.count;
    index.range_first_ = saved.range_first;
    index.range_size_ = saved.range_size;
    index.range_checked_ = saved.range_checked;
}

const entity_record* entity_index_state::issued_page(const entity_index& index,
                                                     std::uint32_t page) noexcept {
    return page < index.pages_.size() && index.pages_[page] != index.never_issued_
               ? index.pages_[page]
               : nullptr;
}

void entity_index_state::write_page(entity_index& index, std::uint32_t page,
                                    const entity_record* records) noexcept {
    KITH_ASSERT(issued_page(index, page), "a page that is written was issued");
    entity_record* written = index.pages_[page];
    for (std::uint32_t i = 0; i < detail::record_page_size; ++i) {
        const entity_record before = written[i];
        written[i] = records ? records[i] : entity_record{0, 0, entity_index::never_issued_state};
        if (((before.state ^ written[i].state) & detail::record_identity) == 0 &&
            !(before.state & detail::record_free)) {
            written[i].state |= before.state & record_used_as_id;
        }
    }
}

// Indices that were never issued before leave the list of free ones. The others are listed again
// from the last to the first, with the generations that they had.
void entity_index_state::restore_next(entity_index& index, const entity_t* ids, std::size_t count,
                                      std::uint32_t fresh) noexcept {
    KITH_ASSERT(fresh <= index.fresh_, "indices are issued upwards");
    const auto leave_list = [&](std::uint32_t number) {
        entity_record& record = index.at(number);
        const bool is_free = (record.state & detail::record_free) != 0;
        if (is_free && record.state != entity_index::never_issued_state &&
            !entity_index::is_unlisted(record, number)) {
            index.unlink_free(number);
        }
        return is_free;
    };
    for (std::uint32_t number = fresh; number < index.fresh_; ++number) {
        if (leave_list(number)) {
            index.at(number) = {0, 0, entity_index::never_issued_state};
        }
    }
    if (fresh < index.fresh_) {
        index.fresh_ = fresh;
        index.fresh_end_ = 0;
    }
    for (std::size_t i = count; i-- > 0;) {
        const std::uint32_t number = index_of(ids[i]);
        if (leave_list(number)) {
            index.at(number).state = detail::record_free | generation_of(ids[i]);
            index.link_free(index.in_range(number) ? index.free_ : index.parked_, number,
                            index.at(number));
        }
    }
}

}  // namespace kith::storage
