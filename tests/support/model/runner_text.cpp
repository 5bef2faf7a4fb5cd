// Differences as text.
#include "support/model/runner.hpp"

namespace model {

std::string runner::text(id_t id) const {
    std::ostringstream out;
    if (id & kith::Override) {
        return "OVERRIDE|" + text(id & ~kith::Override);
    }
    if (kith::is_pair(id)) {
        auto part = [&](std::uint32_t index) {
            entity_t full = model_.alive_at(index);
            return text(full ? full : entity_t{index});
        };
        out << "(" << part(kith::pair_first(id)) << "," << part(kith::pair_second(id)) << ")";
        return out.str();
    }
    if (const component* known =
            id < kith::first_entity ? model_.component_of(kith::index_of(id)) : nullptr) {
        return known->name;
    }
    if (id != 0 && id < kith::first_overflow_type) {
        return kith::id(world_, id).str().c_str();
    }
    for (std::uint8_t i = 0; i < slot_count; ++i) {
        if (slots_[i] == id && id != 0) {
            out << "e" << int{i} << "=";
        }
    }
    out << "#" << kith::index_of(id);
    if (kith::generation_of(id) != 0) {
        out << "v" << kith::generation_of(id);
    }
    return out.str();
}
std::string runner::text(const event& one) const {
    static constexpr const char* kinds[] = {"OnAdd", "OnSet", "OnRemove"};
    std::string result = std::string(kinds[static_cast<int>(one.kind)]) + " " + text(one.id) +
                         " of " + text(one.entity);
    return one.kind == event_kind::was_set ? result + " = " + std::to_string(one.number) : result;
}
std::string runner::text(const std::vector<event>& events) const {
    std::string result = "{";
    for (const event& one : events) {
        result += (result.size() > 1 ? ", " : "") + text(one);
    }
    return result + "}";
}
std::string runner::text(const std::vector<entity_t>& entities) const {
    std::string result = "{";
    for (entity_t one : entities) {
        result += (result.size() > 1 ? ", " : "") + text(one);
    }
    return result + "}";
}
std::string runner::text(const std::set<errc>& codes) {
    std::string result;
    for (errc code : codes) {
        result += (result.empty() ? "error " : " or ") + std::string(kith::to_string(code));
    }
    return result.empty() ? "no error" : result;
}

}  // namespace model
