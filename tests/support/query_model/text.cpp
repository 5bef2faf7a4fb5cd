#include "support/query_model/text.hpp"

#include "support/query_model/calls.hpp"

namespace query_model {

std::string text_of(const stage& on, id_t id) {
    if (kith::is_pair(id)) {
        return "(" + text_of(on, on.world.get_alive(kith::pair_first(id)).id()) + ", " +
               text_of(on, on.world.get_alive(kith::pair_second(id)).id()) + ")";
    }
    word known = on.word_of(id);
    return known != nothing ? text_of(known)
                            : std::string(kith::id(on.world.c_ptr(), id).str().c_str());
}
std::string text_of(const stage& on, const oracle::result& one) {
    std::string text = one.entity() ? text_of(on, one.entity()) : "-";
    for (std::size_t v = 1; v < one.variables.size(); ++v) {
        text += std::string(" ") + variable_names[v] + "=" +
                (one.variables[v] ? text_of(on, one.variables[v]) : "-");
    }
    text += ":";
    for (const oracle::field& what : one.fields) {
        text += what.set ? " " + text_of(on, what.id) : " -";
        if (what.set && what.source) {
            text += "@" + (what.source == oracle::anyone ? "?" : text_of(on, what.source));
        }
    }
    return text;
}
std::string text_of(const stage& on, const std::vector<oracle::result>& results, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < results.size() && i < most; ++i) {
        text += (i == 0 ? "" : "; ") + text_of(on, results[i]);
    }
    return results.size() > most ? text + "; and " + std::to_string(results.size() - most) + " more"
                                 : text;
}

}  // namespace query_model
