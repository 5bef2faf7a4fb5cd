// Recording and finding the affected bindings of a batch.
#include "observe/monitor/batch.hpp"

namespace kith::observe {

void monitor_batch::clear() noexcept {
    each_group([](group& same_variables) { same_variables.values.clear(); });
    before.clear();
    left = 0;
    everything = false;
    ended.clear();
    entering.clear();
    for (std::vector<result_place>* list : {&places, &left_places}) {
        // Memory of an unusually large batch is given back.
        constexpr std::size_t many = 4096;
        if (list->capacity() > many) {
            std::vector<result_place>().swap(*list);
        }
        list->clear();
    }
}

monitor_batch::group& monitor_batch::ensure_group(variable_set which) {
    KITH_ASSERT(which != 0, "a binding without values affects everything and has no group");
    if (which == queries::this_variable) {
        return rows_;
    }
    for (const auto& other : others_) {
        if (other->which == which) {
            return *other;
        }
    }
    others_.push_back(std::make_unique<group>(mem_, which));
    return *others_.back();
}

bool monitor_batch::is_recorded(const id_t* key) {
    bool recorded = everything;
    each_group([&](group& same_variables) {
        id_t tuple[queries::max_variables];
        if (recorded || same_variables.values.size() == 0) {
            return;
        }
        project(same_variables.which, key, tuple);
        const std::uint32_t number = same_variables.values.find(tuple);
        recorded = number != tuple_set::none && same_variables.values.mark(number) != 0;
    });
    return recorded;
}

bool monitor_batch::take(const id_t* key) noexcept {
    const std::uint32_t number = before.find(key);
    if (number == tuple_set::none || before.mark(number) != was_there) {
        return false;
    }
    KITH_ASSERT(left > 0, "a result that was not reported is counted");
    before.mark(number) = was_emitted;
    --left;
    return true;
}

}  // namespace kith::observe
