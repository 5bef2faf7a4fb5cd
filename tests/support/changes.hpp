// What a query says of changes.
#pragma once

#include <kith/kith.hpp>

#include <ostream>

namespace kith_test {

// Results that changed, of all; the query has seen them then.
struct seen {
    int changed = 0;
    int all = 0;
    bool operator==(const seen&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, const seen& s) {
    return out << s.changed << " of " << s.all;
}

template <class Run>
seen look(const Run& run) {
    seen found;
    run.iter([&](kith::iter& it) {
        ++found.all;
        found.changed += it.changed();
    });
    return found;
}

}  // namespace kith_test
