// What the core has in the place of src/dsl, where that is left out: text is refused.
#include <kith/error.hpp>
#include <kith/query_builder.hpp>
#include <kith/syntax/text.hpp>

namespace kith {

std::string syntax::locate_in_text(const char*, std::uint32_t, std::uint32_t,
                                   std::string_view message) {
    return std::string(message);
}

void detail::parse_terms(world_t*, text_view, term_list&) {
    detail::raise_error(
        errc::invalid_query,
        "this program was linked with kith::core, which reads no text; link kith::kith");
}

}  // namespace kith
