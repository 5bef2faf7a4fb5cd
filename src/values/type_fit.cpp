// Comparing the types of a text with those of the program (type_fit.hpp).
#include "type_fit.hpp"

#include "assign.hpp"

#include <set>
#include <utility>

namespace kith::values {

namespace {

bool is_plain_number(const description& type) noexcept {
    return type.what >= kind::boolean && type.what <= kind::f64;
}
bool is_sequence(const description& type) noexcept {
    return type.what == kind::array || type.what == kind::list || type.what == kind::set;
}

// Types that contain themselves through lists are compared once: `seen_` ends the walk.
class type_comparison {
public:
    // `is_exact`: conversions do not count, nor missing members.
    type_comparison(const world_t* world, bool is_exact) : world_(world), is_exact_(is_exact) {}

    // True if they fit; else reason() says why they do not.
    bool fits(const description& declared, const description& present) {
        const description& from = resolve(declared);
        const description& to = resolve(present);
        if (&from == &to || !seen_.insert({&from, &to}).second) {
            return true;
        }
        const bool is_sequel = is_sequence(from) && is_sequence(to);
        if (is_exact_ && from.what != to.what &&
            !(is_sequel && from.what != kind::array && to.what != kind::array)) {
            return refuse(from, to);
        }
        if (from.what == kind::optional || to.what == kind::optional) {
            return fits(from.what == kind::optional ? *from.element : from,
                        to.what == kind::optional ? *to.element : to);
        }
        if (is_plain_number(from) && is_plain_number(to)) {
            return true;
        }
        if (is_sequel) {
            return inside("[]", *from.element, *to.element);
        }
        if (from.what != to.what) {
            return refuse(from, to);
        }
        return fits_inside(from, to);
    }
    const std::string& reason() const noexcept { return reason_; }

private:
    // The type that is compared: that of the world, and for opaque types their representation.
    const description& resolve(const description& type) const {
        const description* at = &detail::in_world(world_, type);
        while (at->what == kind::opaque) {
            at = &detail::in_world(world_, *at->element);
        }
        return *at;
    }
    // Keeps the reason with the path so far. Returns false, for the caller to return.
    bool refuse(const description& from, const description& to) {
        reason_ = path_ + (path_.empty() ? "" : ": ") + "the text has " + from.life.name +
                  ", the program " + to.life.name;
        return false;
    }
    // Compares parts with a longer path, which refuse() shows.
    bool inside(const std::string& step, const description& from, const description& to) {
        const std::size_t length = path_.size();
        path_ += step;
        const bool good = fits(from, to);
        path_.resize(length);
        return good;
    }
    bool fits_inside(const description& from, const description& to) {
        switch (from.what) {
            case kind::structure:
                return members_fit(from, to);
            case kind::tuple:
                return tuples_fit(from, to);
            case kind::variant:
                return variants_fit(from, to);
            case kind::map:
                return inside("[]", *from.key, *to.key) && inside("[]", *from.element, *to.element);
            default:
                return true;
        }
    }
    // Without is_exact_, a member that one side lacks is no obstacle.
    bool members_fit(const description& from, const description& to) {
        if (is_exact_ && from.count != to.count) {
            return refuse(from, to);
        }
        for (const member_info& member : from) {
            const member_info* known = find_member(to, member.name);
            if (is_exact_ && !known) {
                return refuse(from, to);
            }
            if (known && !inside("." + std::string(member.name), *member.type, *known->type)) {
                return false;
            }
        }
        return true;
    }
    bool tuples_fit(const description& from, const description& to) {
        if (from.count != to.count) {
            return refuse(from, to);
        }
        for (std::uint32_t i = 0; i < from.count; ++i) {
            if (!inside("[" + std::to_string(i) + "]", *from.members[i].type,
                        *to.members[i].type)) {
                return false;
            }
        }
        return true;
    }
    // Alternatives are matched by name. The alternative without a value fits each variant.
    bool variants_fit(const description& from, const description& to) {
        for (std::uint32_t i = 0; i < from.count; ++i) {
            const description& of = *from.members[i].type;
            if (of.what == kind::structure && of.count == 0) {
                continue;
            }
            const std::string name = alternative_name(from, i);
            const std::int32_t which = find_alternative(to, name);
            if (which < 0) {
                return refuse(from, to);
            }
            if (!inside("<" + name + ">", of, *to.members[which].type)) {
                return false;
            }
        }
        return true;
    }

    const world_t* world_;
    bool is_exact_;
    std::string path_;
    std::string reason_;
    std::set<std::pair<const description*, const description*>> seen_;
};

}  // namespace

std::string find_misfit(const world_t* world, const description& from, const description& to) {
    type_comparison comparing(world, false);
    return comparing.fits(from, to) ? std::string() : comparing.reason();
}

bool is_same_type(const world_t* world, const description& from, const description& to) {
    return type_comparison(world, true).fits(from, to);
}

}  // namespace kith::values
