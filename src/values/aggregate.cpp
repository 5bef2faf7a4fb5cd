// Aggregates over the results of a query (include/kith/aggregate.hpp), by the public iterator
// alone.
#include <kith/aggregate.hpp>
#include <kith/detail/assert.hpp>

#include "assign.hpp"
#include "life.hpp"
#include "numbers.hpp"
#include "raise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace kith {

// -- numbers -------------------------------------------------------------------------------------

aggregate_number aggregate_number::of_real(double value) noexcept {
    aggregate_number made;
    made.is_ = form::real;
    made.real_ = value;
    return made;
}

aggregate_number aggregate_number::of_integer(std::uint64_t high, std::uint64_t low) noexcept {
    aggregate_number made;
    made.is_ = form::integer;
    made.high_ = high;
    made.low_ = low;
    return made;
}

double aggregate_number::real() const noexcept {
    if (is_ != form::integer) {
        return is_ == form::real ? real_ : std::numeric_limits<double>::quiet_NaN();
    }
    constexpr double step = 18446744073709551616.0;
    if ((high_ >> 63) == 0) {
        return static_cast<double>(high_) * step + static_cast<double>(low_);
    }
    const std::uint64_t low = 0 - low_;
    const std::uint64_t high = ~high_ + (low_ == 0 ? 1 : 0);
    return -(static_cast<double>(high) * step + static_cast<double>(low));
}

std::int64_t aggregate_number::integer() const {
    if (is_ != form::integer) {
        values::raise(errc::wrong_type, "the number is no integer");
    }
    const auto low = static_cast<std::int64_t>(low_);
    if (high_ != (low < 0 ? ~std::uint64_t{0} : 0)) {
        values::raise(errc::limit, "the number has more than 64 bits");
    }
    return low;
}

std::string aggregate_number::str() const {
    std::string text;
    if (is_ == form::real) {
        values::append_number(text, values::number::of(real_), is_single_);
    } else if (is_ == form::integer) {
        values::append_number(
            text, high_ == 0 ? values::number::of(low_) : values::number::of(integer()));
    }
    return text;
}

void aggregates::compare(const aggregate_number& value) {
    const double real = value.real();
    if (std::isnan(real)) {
        return;
    }
    if (value.is_ == aggregate_number::form::real && min_) {
        if (real < min_.real_) {
            min_ = value;
        }
        if (real > max_.real_) {
            max_ = value;
        }
        return;
    }
    const auto is_less = [](const aggregate_number& a, const aggregate_number& b) {
        if (a.is_integer() && b.is_integer()) {
            // Halves of two's complements are ordered by the sign of the high one.
            const auto order = [](const aggregate_number& of) {
                return std::pair(static_cast<std::int64_t>(of.high_), of.low_);
            };
            return order(a) < order(b);
        }
        return a.real() < b.real();
    };
    min_ = !min_ || is_less(value, min_) ? value : min_;
    max_ = !max_ || is_less(max_, value) ? value : max_;
}

void aggregates::add(double value) {
    add_real(value);
    compare(aggregate_number::of_real(value));
}

void aggregates::add_single(float value) {
    add_real(value);
    aggregate_number number = aggregate_number::of_real(value);
    number.is_single_ = true;
    compare(number);
}

void aggregates::add_real(double sum, std::uint32_t level) {
    const std::uint64_t added = std::uint64_t{1} << level;
    KITH_ASSERT(count_ % added == 0, "sums are added by pairs of equal size");
    is_real_ = true;
    double carried = sum;
    for (; (count_ >> level) & 1; ++level) {
        carried += partial_[level];
        partial_[level] = 0;
    }
    partial_[level] = carried;
    count_ += added;
}

void aggregates::add(std::uint64_t magnitude, bool negative) {
    KITH_ASSERT(!is_real_, "a member has one kind of numbers");
    const std::uint64_t low = negative ? 0 - magnitude : magnitude;
    const std::uint64_t high = negative && magnitude != 0 ? ~std::uint64_t{0} : 0;
    low_ += low;
    high_ += high + (low_ < low ? 1 : 0);
    ++count_;
    compare(aggregate_number::of_integer(high, low));
}

aggregate_number aggregates::sum() const {
    if (!is_real_) {
        return aggregate_number::of_integer(high_, low_);
    }
    double total = 0;
    for (const double part : partial_) {
        total += part;
    }
    return aggregate_number::of_real(total);
}

double aggregates::avg() const {
    return count_ == 0 ? std::numeric_limits<double>::quiet_NaN()
                       : sum().real() / static_cast<double>(count_);
}

namespace values {

// Adds the numbers of whole columns, with the same result as single additions.
class column_sums {
public:
    // The first number and the distance between two of them, in bytes.
    column_sums(aggregates& into, const void* first, std::size_t stride)
        : into_(into), first_(first), stride_(stride) {}

    template <class T>
    void add(std::size_t count) {
        if constexpr (std::is_floating_point_v<T>) {
            add_reals<T>(count);
        } else {
            add_integers<T>(count);
        }
    }

private:
    template <class T>
    T at(std::size_t row) const noexcept {
        return load<T>(part_at(first_, stride_ * row));
    }
    // Floats are summed by pairs of pairs of pairs, as soon as the count is a multiple of eight.
    template <class T>
    void add_reals(std::size_t count) {
        double least = std::numeric_limits<double>::infinity();
        double largest = -least;
        const auto take = [&](std::size_t row) {
            const double value = at<T>(row);
            least = value < least ? value : least;
            largest = value > largest ? value : largest;
            return value;
        };
        const auto pair = [&](std::size_t row) {
            const double value = take(row);
            return value + take(row + 1);
        };
        const auto four = [&](std::size_t row) {
            const double sum = pair(row);
            return sum + pair(row + 2);
        };
        std::size_t row = 0;
        for (; row < count && into_.count_ % 8 != 0; ++row) {
            into_.add_real(take(row));
        }
        for (; row + 8 <= count; row += 8) {
            const double sum = four(row);
            into_.add_real(sum + four(row + 4), 3);
        }
        for (; row < count; ++row) {
            into_.add_real(take(row));
        }
        // NaN is neither; of nothing else, infinity is left.
        if (least <= largest) {
            compare_real<T>(least);
            compare_real<T>(largest);
        }
    }
    template <class T>
    void compare_real(double value) {
        aggregate_number number = aggregate_number::of_real(value);
        number.is_single_ = std::is_same_v<T, float>;
        into_.compare(number);
    }
    template <class T>
    void add_integers(std::size_t count) {
        if (count == 0) {
            return;
        }
        KITH_ASSERT(!into_.is_real_, "a member has one kind of numbers");
        T least = at<T>(0);
        T largest = least;
        for (std::size_t row = 0; row < count; ++row) {
            const T value = at<T>(row);
            least = value < least ? value : least;
            largest = value > largest ? value : largest;
            const auto low = static_cast<std::uint64_t>(value);
            into_.low_ += low;
            into_.high_ += high_half(value) + (into_.low_ < low ? 1 : 0);
        }
        into_.count_ += count;
        for (const T value : {least, largest}) {
            into_.compare(
                aggregate_number::of_integer(high_half(value), static_cast<std::uint64_t>(value)));
        }
    }
    template <class T>
    static std::uint64_t high_half(T value) noexcept {
        return value < 0 ? ~std::uint64_t{0} : 0;
    }

    aggregates& into_;
    const void* first_;
    std::size_t stride_;
};

}  // namespace values

// -- runs ----------------------------------------------------------------------------------------

namespace values {

namespace {

// A member of a field, or the target or variable of a result. Members of structs are found by their
// offset; other paths are followed in each result.
struct aggregate_source {
    enum class form : std::uint8_t { none, variable, this_entity, target, member } is = form::none;
    std::int32_t number = 0;  // of the variable or the field
    std::string path;
    const description* type = nullptr;  // of the member, if it has an offset
    std::size_t offset = 0;
};

[[noreturn]] void refuse_member(std::string_view member, const std::string& reason) {
    raise(errc::invalid_query, "'" + std::string(member) + "' " + reason);
}

std::string without_blanks(std::string_view text) {
    std::string made(text);
    made.erase(std::remove(made.begin(), made.end(), ' '), made.end());
    return made;
}

// Follows members as long as they are structs inside of each other.
void find_offset(const world_t* world, const description& whole, aggregate_source& into) {
    const description* type = &detail::in_world(world, whole);
    std::string_view rest = into.path;
    std::size_t offset = 0;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('.'), rest.size());
        const member_info* member =
            type->what == kind::structure ? find_member(*type, rest.substr(0, end)) : nullptr;
        if (!member) {
            return;
        }
        offset += member->offset;
        type = &detail::in_world(world, *member->type);
        rest.remove_prefix(std::min(rest.size(), end + 1));
    }
    into.type = type;
    into.offset = offset;
}

// The field whose component begins the path; the longest name wins.
aggregate_source find_member_source(const filter<>& query, std::string_view member) {
    const world_t* world = detail::world_of(query.ref().get());
    const std::string wanted = without_blanks(member);
    aggregate_source found;
    std::size_t longest = 0;
    const description* whole = nullptr;
    for (const query_column& column : value_columns_of(query)) {
        const std::string name = without_blanks(detail::id_text(world, column.id).c_str());
        const bool begins =
            wanted.starts_with(name) &&
            (wanted.size() == name.size() ||
             std::string_view(".[<?").find(wanted[name.size()]) != std::string_view::npos);
        if (begins && name.size() > longest) {
            longest = name.size();
            found.is = aggregate_source::form::member;
            found.number = column.number;
            found.path = wanted.substr(name.size());
            found.path.erase(0, found.path.starts_with('.') ? 1 : 0);
            whole = &detail::require_description(world, column.id);
        }
    }
    if (!whole) {
        refuse_member(member, "is no value of the query's results: name one of its components");
    }
    find_offset(world, *whole, found);
    const bool is_plain = found.path.find_first_of("[<?") == std::string::npos;
    if (is_plain && !found.type) {
        const std::string first = found.path.substr(0, found.path.find('.'));
        if (whole->what != kind::structure || !find_member(*whole, first)) {
            refuse_member(
                member, "does not exist: " + std::string(whole->life.name) + " has no member '" +
                            first + "'" +
                            (whole->what == kind::structure ? suggest_member(*whole, first) : ""));
        }
    }
    return found;
}

aggregate_source find_group_source(const filter<>& query, std::string_view by) {
    aggregate_source found;
    if (by == "$this") {
        found.is = aggregate_source::form::this_entity;
        return found;
    }
    if (by.starts_with('$')) {
        found.is = aggregate_source::form::variable;
        found.number = query.find_var(std::string(by.substr(1)).c_str());
        if (found.number < 0) {
            refuse_member(by, "is no variable of the query");
        }
        return found;
    }
    const world_t* world = detail::world_of(query.ref().get());
    for (const query_column& column : columns_of(query)) {
        if (column.kind == column_kind::wildcard && column.second && !column.first &&
            without_blanks(detail::id_text(world, column.id).c_str()) == without_blanks(by)) {
            found.is = aggregate_source::form::target;
            found.number = column.number;
            return found;
        }
    }
    return find_member_source(query, by);
}

// The value at the end of the source's path in this row; nothing if the result has none.
detail::value_part value_in(world_t* world, const iter& it, std::size_t row,
                            const aggregate_source& source) {
    if (!it.is_set(source.number) || it.size(source.number) == 0) {
        return {};
    }
    KITH_ASSERT(source.is == aggregate_source::form::member, "the source is a field");
    void* value = it.field(source.number)[row];
    if (source.type) {
        return {source.type, part_at(value, source.offset), nullptr};
    }
    const description& whole = detail::require_description(world, it.id(source.number).raw_id());
    return detail::follow_path(world, {&whole, value, nullptr}, source.path,
                               detail::missing_part::null);
}

void add_value(aggregates& into, const detail::value_part& part, std::string_view member) {
    const description* type = part.type;
    const void* value = part.value;
    while (value && type->what == kind::optional) {
        value = type->ops->inner(*type, const_cast<void*>(value));
        type = type->element;
    }
    if (!value) {
        return;
    }
    const kind stored = stored_kind(*type);
    if (stored < kind::boolean || stored > kind::f64 || type->what == kind::flags) {
        refuse_member(member, "is no number, but " + std::string(type->life.name));
    }
    const number read = read_number(stored, value);
    if (stored == kind::f32) {
        into.add_single(static_cast<float>(read.real));
    } else if (read.is == number::form::real) {
        into.add(read.real);
    } else {
        const bool negative = read.is == number::form::negative;
        into.add(negative ? 0 - static_cast<std::uint64_t>(read.negative) : read.positive,
                 negative);
    }
}

// Groups are ordered: those without a key, numbers, texts.
struct group_key {
    bool is_number = false;
    double number = 0;
    std::string text;
    entity_t entity = 0;

    friend bool operator<(const group_key& a, const group_key& b) {
        return std::tie(a.is_number, a.number, a.text) < std::tie(b.is_number, b.number, b.text);
    }
};

group_key key_of_entity(const world_t* world, entity_t named) {
    group_key key;
    key.entity = named;
    if (named) {
        const handle shown(named);
        key.text = detail::text_of_value(world, describe<handle>(), &shown);
    }
    return key;
}

group_key key_in(world_t* world, const iter& it, std::size_t row, const aggregate_source& by) {
    using form = aggregate_source::form;
    switch (by.is) {
        case form::none:
            return {};
        case form::this_entity:
            return key_of_entity(world, row < it.count() ? it.entity(row).id() : 0);
        case form::variable:
            return key_of_entity(world, it.get_var(by.number));
        case form::target:
            return key_of_entity(world, it.is_set(by.number) ? it.id(by.number).second().id() : 0);
        case form::member:
            break;
    }
    const detail::value_part part = value_in(world, it, row, by);
    group_key key;
    if (part.value) {
        const kind stored = stored_kind(*part.type);
        key.is_number = stored >= kind::boolean && stored <= kind::f64;
        key.number = key.is_number ? read_number(stored, part.value).as_double() : 0;
        key.text = detail::text_of_value(world, *part.type, part.value);
    }
    return key;
}

using group_map = std::map<group_key, aggregates>;

// The members of all rows of a result, if they are numbers at a fixed place. False: they are found
// one by one.
bool add_plain_rows(aggregates& into, const iter& it, const aggregate_source& source) {
    const kind what = source.type ? source.type->what : kind::none;
    if (what != kind::f32 && what != kind::f64 && what != kind::i32 && what != kind::u32 &&
        what != kind::i64 && what != kind::u64) {
        return false;
    }
    if (!it.is_set(source.number) || it.size(source.number) == 0) {
        return true;
    }
    const column<void> values = it.field(source.number);
    const std::size_t count = std::max<std::size_t>(1, it.count());
    const auto stride = static_cast<std::size_t>(static_cast<const std::byte*>(values[1]) -
                                                 static_cast<const std::byte*>(values[0]));
    column_sums sums(into, part_at(values[0], source.offset), stride);
    switch (what) {
        case kind::f32:
            sums.add<float>(count);
            break;
        case kind::f64:
            sums.add<double>(count);
            break;
        case kind::i32:
            sums.add<std::int32_t>(count);
            break;
        case kind::u32:
            sums.add<std::uint32_t>(count);
            break;
        case kind::i64:
            sums.add<std::int64_t>(count);
            break;
        default:
            sums.add<std::uint64_t>(count);
            break;
    }
    return true;
}

group_map run_aggregate(const filter<>& query, std::string_view member, aggregate_source by) {
    world_t* world = detail::world_of(query.ref().get());
    const aggregate_source source =
        member.empty() ? aggregate_source() : find_member_source(query, member);
    group_map groups;
    auto run = query.iter();
    while (run.next()) {
        if (by.is == aggregate_source::form::none && add_plain_rows(groups[{}], *run, source)) {
            continue;
        }
        for (std::size_t row = 0; row < std::max<std::size_t>(1, run->count()); ++row) {
            aggregates& into = groups[key_in(world, *run, row, by)];
            if (member.empty()) {
                into.add(1, false);
            } else {
                add_value(into, value_in(world, *run, row, source), member);
            }
        }
    }
    return groups;
}

}  // namespace

}  // namespace values

aggregates aggregate(const filter<>& query, std::string_view member) {
    values::group_map groups = values::run_aggregate(query, member, {});
    return groups.empty() ? aggregates() : groups.begin()->second;
}

std::vector<aggregate_group> aggregate(const filter<>& query, std::string_view member,
                                       std::string_view by) {
    std::vector<aggregate_group> list;
    for (auto& [key, found] :
         values::run_aggregate(query, member, values::find_group_source(query, by))) {
        list.push_back({key.text, key.entity, found});
    }
    return list;
}

}  // namespace kith
