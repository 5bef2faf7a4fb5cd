// Values in save files (save_values.hpp).
#include "save_values.hpp"

#include <kith/detail/ops.hpp>
#include <kith/detail/type_text.hpp>

#include "assign.hpp"
#include "life.hpp"
#include "numbers.hpp"
#include "parts.hpp"
#include "raise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace kith::values {

namespace {

// The limit of nesting, for values that are written and for values of files alike: the functions
// are recursive, and a file must not exhaust the stack.
constexpr std::uint32_t most_saved_depth = 64;
// Elements without bytes cannot be compared with the size of the file.
constexpr std::uint32_t most_empty_elements = 65536;

bool is_saved_number(kind what) noexcept {
    return (what >= kind::boolean && what <= kind::f64) || what == kind::enumeration ||
           what == kind::flags;
}
bool is_sequence(kind what) noexcept {
    return what == kind::array || what == kind::list || what == kind::set;
}

// The integer of a kind that is nearest to a number. NaN becomes 0.
template <class T>
T nearest_integer(const number& from) noexcept {
    constexpr T least = std::numeric_limits<T>::min();
    constexpr T most = std::numeric_limits<T>::max();
    if (from.is == number::form::positive) {
        return from.positive > static_cast<std::uint64_t>(most) ? most
                                                                : static_cast<T>(from.positive);
    }
    if (from.is == number::form::negative) {
        return std::is_unsigned_v<T> || from.negative < static_cast<std::int64_t>(least)
                   ? least
                   : static_cast<T>(from.negative);
    }
    const double rounded = std::nearbyint(from.real);
    if (std::isnan(rounded)) {
        return 0;
    }
    return rounded <= static_cast<double>(least)  ? least
           : rounded >= static_cast<double>(most) ? most
                                                  : static_cast<T>(rounded);
}

// Writes the number of the kind that is nearest to `from`. Requires: write_number() refuses it.
void write_nearest(kind what, void* value, const number& from) noexcept {
    auto put = [&](auto nearest) { __builtin_memcpy(value, &nearest, sizeof nearest); };
    switch (what) {
        case kind::i8:
        case kind::character:
            return put(nearest_integer<std::int8_t>(from));
        case kind::i16:
            return put(nearest_integer<std::int16_t>(from));
        case kind::i32:
            return put(nearest_integer<std::int32_t>(from));
        case kind::i64:
            return put(nearest_integer<std::int64_t>(from));
        case kind::u8:
            return put(nearest_integer<std::uint8_t>(from));
        case kind::u16:
            return put(nearest_integer<std::uint16_t>(from));
        case kind::u32:
            return put(nearest_integer<std::uint32_t>(from));
        case kind::u64:
            return put(nearest_integer<std::uint64_t>(from));
        case kind::f32:
            return put(from.as_double() < 0 ? -std::numeric_limits<float>::max()
                                            : std::numeric_limits<float>::max());
        default:
            return put(true);  // of a boolean: any number but 0 and 1
    }
}

// Writes one value. A description of the process is replaced by that of the world, if the world has
// its own for the C++ type.
class value_writer {
public:
    value_writer(byte_writer& out, const world_t* world, const entity_mapping& entities)
        : out_(out), world_(world), entities_(entities) {}

    void write(const description& described, const void* value) {
        const description& type = detail::in_world(world_, described);
        if (++depth_ > most_saved_depth) {
            raise(errc::limit, "a value is nested deeper than 64: " + std::string(type.life.name));
        }
        if (is_saved_number(type.what)) {
            out_.raw(value, type.life.size);
        } else {
            write_kind(type, value);
        }
        --depth_;
    }

private:
    void write_kind(const description& type, const void* value) {
        switch (type.what) {
            case kind::entity:
                out_.number(entities_.map(entities_.context, type.ops->entity(type, value)));
                break;
            case kind::text:
                out_.text(type.ops->text(type, value));
                break;
            case kind::structure:
            case kind::tuple:
            case kind::array:
                for (std::uint32_t i = 0; i < type.count; ++i) {
                    const typed_value part = fixed_part(type, value, i);
                    write(*part.type, part.value);
                }
                break;
            case kind::list:
            case kind::set:
            case kind::map:
                write_container(type, value);
                break;
            case kind::optional:
            case kind::variant:
                write_choice(type, value);
                break;
            case kind::opaque:
                with_representation(type, value,
                                    [&](const description& shown, const void* representation) {
                                        write(shown, representation);
                                    });
                break;
            default:
                raise(errc::invalid_type,
                      std::string(type.life.name) + " has no description: it cannot be saved");
        }
    }
    // The size is followed by the entries in canonical order; in maps each key stands in front of
    // its value.
    void write_container(const description& type, const void* value) {
        const std::vector<container_entry> entries = ordered_entries(type, value);
        out_.number(static_cast<std::uint32_t>(entries.size()));
        for (const container_entry& entry : entries) {
            if (type.what == kind::map) {
                write(*type.key, entry.key);
            }
            write(*type.element, entry.element);
        }
    }
    // An optional has one byte (1: there is a value) in front of its value, a variant the number of
    // its alternative (32 bits, negative: none).
    void write_choice(const description& type, const void* value) {
        if (type.what == kind::optional) {
            const typed_value inner = inner_value(type, value);
            out_.number(static_cast<std::uint8_t>(inner.value != nullptr));
            if (inner.value) {
                write(*inner.type, inner.value);
            }
            return;
        }
        const present_alternative present = alternative_of(type, value);
        out_.number(present.which);
        if (present.inner.value) {
            write(*present.inner.type, present.inner.value);
        }
    }

    byte_writer& out_;
    const world_t* world_;
    const entity_mapping& entities_;
    std::uint32_t depth_ = 0;
};

// The bytes of a value without padding, 0 if it has parts that are no numbers.
std::size_t plain_size(const world_t* world, const description& described, std::uint32_t depth) {
    const description& type = detail::in_world(world, described);
    if (is_saved_number(type.what)) {
        return type.life.size;
    }
    if (depth > most_saved_depth) {
        return 0;
    }
    if (type.what == kind::array) {
        return plain_size(world, *type.element, depth + 1) * type.count;
    }
    if (type.what != kind::structure && type.what != kind::tuple) {
        return 0;
    }
    std::size_t sum = 0;
    for (const member_info& member : type) {
        const std::size_t size = plain_size(world, *member.type, depth + 1);
        // A member at another offset has padding in front of it.
        if (size == 0 || member.offset != sum) {
            return 0;
        }
        sum += size;
    }
    return sum;
}

}  // namespace

// Padding behind the last member makes the size of the type larger than the sum of its parts.
bool is_saved_as_memory(const world_t* world, const description& type) {
    return type.life.trivial_copy && type.life.size != 0 &&
           plain_size(world, type, 0) == type.life.size;
}

void write_value(byte_writer& out, const world_t* world, const description& type, const void* value,
                 const entity_mapping& entities) {
    value_writer(out, world, entities).write(type, value);
}

// -- reading -------------------------------------------------------------------------------------

void value_reader::refuse(const std::string& path, const std::string& reason) {
    raise(errc::invalid_value, path + ": " + reason);
}

// A member is noted once, however many values have it.
void value_reader::note(const std::string& path, const char* what) {
    const std::string line = path + ": " + what + "\n";
    if (notes_.find(line) == std::string::npos) {
        notes_ += line;
    }
}

std::uint32_t value_reader::element_count(byte_reader& from, const file_type& saved) {
    const std::size_t least = schema_.least_size(saved.element) +
                              (saved.key != no_type ? schema_.least_size(saved.key) : 0);
    const std::uint32_t count = least != 0 ? from.count(least) : from.number<std::uint32_t>();
    if (least == 0 && count > most_empty_elements) {
        from.fail("a list has too many elements");
    }
    return count;
}

// Counts and depth are checked as in read().
void value_reader::skip(byte_reader& from, std::uint32_t number) {
    const file_type& saved = schema_.at(number);
    if (++depth_ > most_saved_depth) {
        from.fail("a value is nested deeper than 64");
    }
    if (saved.what == kind::text) {
        from.text();
    } else if (saved.what == kind::structure || saved.what == kind::tuple) {
        for (const file_member& member : saved.members) {
            skip(from, member.type);
        }
    } else if (is_sequence(saved.what) || saved.what == kind::map) {
        const std::uint32_t count =
            saved.what == kind::array ? saved.count : element_count(from, saved);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (saved.what == kind::map) {
                skip(from, saved.key);
            }
            skip(from, saved.element);
        }
    } else if (saved.what == kind::optional) {
        if (from.number<std::uint8_t>() != 0) {
            skip(from, saved.element);
        }
    } else if (saved.what == kind::variant) {
        const auto which = from.number<std::int32_t>();
        if (which >= 0 && static_cast<std::size_t>(which) < saved.members.size()) {
            skip(from, saved.members[static_cast<std::size_t>(which)].type);
        }
    } else {
        from.raw(schema_.least_size(number));
    }
    --depth_;
}

void value_reader::read(byte_reader& from, std::uint32_t number, const description& described,
                        void* value, const std::string& path) {
    const description& type = detail::in_world(world_, described);
    const file_type& saved = schema_.at(number);
    if (++depth_ > most_saved_depth) {
        from.fail("a value is nested deeper than 64");
    }
    if (type.what == kind::opaque) {
        read_into_opaque(from, number, type, value, path);
    } else {
        number_ = number;
        read_kind(from, saved, type, value, path);
    }
    if (type.validate) {
        assignment state;
        state.world = world_;
        state.path = path;
        check_value(state, type, value);
    }
    --depth_;
}

void value_reader::read_fitting(byte_reader& from, std::uint32_t number, const description& type,
                                void* value, const std::string& path) {
    is_tolerant_ = true;
    member_info whole;
    whole.type = &type;
    read_member(from, number, whole, value, path);
    is_tolerant_ = false;
}

#if !defined(__cpp_exceptions)
bool value_reader::read_certain(byte_reader& from, std::uint32_t number, const member_info& member,
                                void* value, const std::string& path) {
    const description& type = detail::in_world(world_, *member.type);
    const file_type& saved = schema_.at(number);
    if (type.validate || member.attributes || saved.what != type.what) {
        return false;
    }
    if (saved.what == kind::structure) {
        if (++depth_ > most_saved_depth) {
            from.fail("a value is nested deeper than 64");
        }
        read_struct(from, saved, type, value, path);
        --depth_;
        return true;
    }
    if (saved.what >= kind::boolean && saved.what <= kind::f64) {
        number_ = number;
        read_number(from, saved, type, value, path);
        return true;
    }
    return false;
}
#endif

// Builds without exceptions cannot go on behind a value that does not fit: what may not fit is left
// to the upgrade there.
void value_reader::read_member(byte_reader& from, std::uint32_t number, const member_info& member,
                               void* value, const std::string& path) {
    auto read_checked = [&] {
        read(from, number, *member.type, value, path);
        assignment state;
        state.world = world_;
        state.path = path;
        check_range(state, member, value);
    };
    if (!is_tolerant_) {
        read_checked();
        return;
    }
#if defined(__cpp_exceptions)
    const byte_reader start = from;
    const std::uint32_t depth = depth_;
    try {
        read_checked();
        return;
    } catch (const error& refused) {
        if (refused.code() != errc::invalid_value) {
            throw;
        }
    }
    from = start;
    depth_ = depth;
#else
    if (read_certain(from, number, member, value, path)) {
        return;
    }
#endif
    skip(from, number);
}

void value_reader::read_kind(byte_reader& from, const file_type& saved, const description& type,
                             void* value, const std::string& path) {
    if (type.what == kind::optional || saved.what == kind::optional) {
        read_optional(from, saved, type, value, path);
    } else if (is_saved_number(saved.what) && is_saved_number(type.what)) {
        read_number(from, saved, type, value, path);
    } else if (is_sequence(saved.what) && is_sequence(type.what)) {
        read_elements(from, saved, type, value, path);
    } else if (saved.what == kind::text && type.what == kind::text) {
        read_text(from, type, value, path);
    } else if (saved.what == kind::entity && type.what == kind::entity) {
        const auto entity = from.number<entity_t>();
        type.ops->assign_entity(type, value, world_,
                                entity != 0 ? entities_.map(entities_.context, entity) : 0);
    } else if (saved.what == kind::structure && type.what == kind::structure) {
        read_struct(from, saved, type, value, path);
    } else if (saved.what == kind::tuple && type.what == kind::tuple) {
        read_tuple(from, saved, type, value, path);
    } else if (saved.what == kind::map && type.what == kind::map) {
        read_map(from, saved, type, value, path);
    } else if (saved.what == kind::variant && type.what == kind::variant) {
        read_variant(from, saved, type, value, path);
    } else {
        refuse(path, std::string("the file has a value of kind ") + to_string(saved.what) +
                         ", which cannot become " + to_string(type.what));
    }
}

void value_reader::read_number(byte_reader& from, const file_type& saved, const description& type,
                               void* value, const std::string& path) {
    const kind stored =
        saved.what == kind::enumeration || saved.what == kind::flags ? saved.number : saved.what;
    KITH_ASSERT(schema_.least_size(number_) <= 8, "a number has at most eight bytes");
    // The bytes in the file have no alignment.
    alignas(8) char bytes[8] = {};
    const std::size_t size = schema_.least_size(number_);
    std::copy_n(from.raw(size), size, bytes);
    if (stored == kind::boolean && static_cast<unsigned char>(bytes[0]) > 1) {
        from.fail("a truth is neither 0 nor 1");
    }
    const number read = values::read_number(stored, bytes);
    if ((saved.what == kind::enumeration || saved.what == kind::flags) && type.what == saved.what) {
        read_constant(saved, type, value,
                      read.is == number::form::negative ? read.negative
                                                        : static_cast<std::int64_t>(read.positive),
                      path);
        return;
    }
    if (type.what != saved.what) {
        note(path, "converted");
    }
    if (!write_number(stored_kind(type), value, read)) {
        if (rules_.lossy) {
            write_nearest(stored_kind(type), value, read);
            note(path, "nearest");
            return;
        }
        std::string text;
        append_number(text, read);
        refuse(path, text + " does not fit into " + type.life.name);
    }
}

// The name, then the former name that the program gives for it.
const constant_info& value_reader::constant_of(const description& type, const std::string& name,
                                               const std::string& path) const {
    if (const constant_info* own = find_constant(type, name)) {
        return *own;
    }
    const entity_t component = detail::component_of_type(world_, type);
    const type_drift* drift =
        rules_.program && component != 0 ? rules_.program->find_drift(component) : nullptr;
    for (std::size_t i = 0; drift && i < drift->constants.size(); ++i) {
        const constant_info* own = drift->constants[i].was == name
                                       ? find_constant(type, drift->constants[i].name)
                                       : nullptr;
        if (own) {
            return *own;
        }
    }
    refuse(path, "the constant '" + name + "' is gone from " + type.life.name);
}

// Constants are matched by name, and numbers without a constant stay as they are.
void value_reader::read_constant(const file_type& saved, const description& type, void* value,
                                 std::int64_t read, const std::string& path) {
    std::int64_t result = saved.what == kind::flags ? 0 : read;
    if (saved.what == kind::flags) {
        std::int64_t rest = read;
        for (const file_constant& bit : saved.constants) {
            if (bit.value != 0 && (rest & bit.value) == bit.value &&
                (bit.value & (bit.value - 1)) == 0) {
                result |= constant_of(type, bit.name, path).value;
                rest &= ~bit.value;
            }
        }
        result |= rest;
    } else {
        const auto known =
            std::find_if(saved.constants.begin(), saved.constants.end(),
                         [&](const file_constant& constant) { return constant.value == read; });
        result = known != saved.constants.end() ? constant_of(type, known->name, path).value : read;
    }
    const bool is_positive = type.what == kind::flags || !is_signed(type.number);
    if (!write_number(
            type.number, value,
            is_positive ? number::of(static_cast<std::uint64_t>(result)) : number::of(result))) {
        refuse(path, std::to_string(result) + " does not fit into " + type.life.name);
    }
}

void value_reader::read_text(byte_reader& from, const description& type, void* value,
                             const std::string& path) {
    const std::string_view text = from.text();
    if (!type.ops->assign_text || !type.ops->assign_text(type, value, text)) {
        refuse(path, "a text of " + std::to_string(text.size()) + " bytes does not fit into " +
                         type.life.name);
    }
}

void value_reader::read_struct(byte_reader& from, const file_type& saved, const description& type,
                               void* value, const std::string& path) {
    auto own_member = [&](const std::string& name) -> const member_info* {
        if (const member_info* same = find_member(type, name)) {
            return same;
        }
        const auto* renamed = std::find_if(type.begin(), type.end(), [&](const member_info& own) {
            return own.attributes && own.attributes->was && name == own.attributes->was;
        });
        return renamed != type.end() ? renamed : nullptr;
    };
    for (const file_member& member : saved.members) {
        const member_info* own = own_member(member.name);
        const std::string place = path + "." + member.name;
        if (!own) {
            note(place, "dropped");
            skip(from, member.type);
            continue;
        }
        read_member(from, member.type, *own, part_at(value, own->offset), place);
    }
    for (const member_info& own : type) {
        const bool known =
            std::any_of(saved.members.begin(), saved.members.end(),
                        [&](const file_member& member) { return own_member(member.name) == &own; });
        if (!known) {
            note(path + "." + own.name, "new");
        }
    }
}

void value_reader::read_tuple(byte_reader& from, const file_type& saved, const description& type,
                              void* value, const std::string& path) {
    for (std::size_t i = 0; i < saved.members.size(); ++i) {
        if (i < type.count) {
            read(from, saved.members[i].type, *type.members[i].type,
                 part_at(value, type.members[i].offset), path + "[" + std::to_string(i) + "]");
        } else {
            note(path, "has fewer elements");
            skip(from, saved.members[i].type);
        }
    }
}

void value_reader::read_elements(byte_reader& from, const file_type& saved, const description& type,
                                 void* value, const std::string& path) {
    const std::uint32_t count =
        saved.what == kind::array ? saved.count : element_count(from, saved);
    if (type.what == kind::array && count > type.count) {
        refuse(path, std::to_string(count) + " elements do not fit into " + type.life.name);
    }
    if (saved.what != type.what || (type.what == kind::array && count != type.count)) {
        note(path, "converted");
    }
    if (type.what == kind::list) {
        if (!type.ops->resize) {
            refuse(path, std::string(type.life.name) + " cannot be written");
        }
        type.ops->resize(type, value, count);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        if (type.what == kind::set) {
            const value_box key(type.element->life);
            read(from, saved.element, *type.element, key.get(), path);
            type.ops->insert(type, value, key.get());
            continue;
        }
        void* element = type.what == kind::array
                            ? part_at(value, std::size_t{i} * type.element->life.size)
                            : type.ops->at(type, value, i);
        read(from, saved.element, *type.element, element, path);
    }
}

void value_reader::read_map(byte_reader& from, const file_type& saved, const description& type,
                            void* value, const std::string& path) {
    const std::uint32_t count = element_count(from, saved);
    for (std::uint32_t i = 0; i < count; ++i) {
        // The key is complete before it is inserted: its place in the map depends on its value.
        const value_box key(type.key->life);
        read(from, saved.key, *type.key, key.get(), path);
        void* element = type.ops->insert(type, value, key.get());
        read(from, saved.element, *type.element, element, path);
    }
}

void value_reader::read_variant(byte_reader& from, const file_type& saved, const description& type,
                                void* value, const std::string& path) {
    const auto which = from.number<std::int32_t>();
    if (which < 0) {
        return;
    }
    if (static_cast<std::size_t>(which) >= saved.members.size()) {
        from.fail("a variant has an alternative that its type does not have");
    }
    const file_member& alternative = saved.members[static_cast<std::size_t>(which)];
    for (std::uint32_t i = 0; i < type.count; ++i) {
        if (alternative.name == type.members[i].name) {
            void* inner = type.ops->emplace(type, value, i);
            read(from, alternative.type, *type.members[i].type, inner, path);
            return;
        }
    }
    refuse(path, "the alternative " + alternative.name + " is gone from " + type.life.name);
}

// An optional takes a plain value, and an empty one leaves the default where the program has none.
void value_reader::read_optional(byte_reader& from, const file_type& saved, const description& type,
                                 void* value, const std::string& path) {
    // The nested read() sets `number_` to the type of the part.
    const std::uint32_t number = number_;
    const bool was_optional = saved.what == kind::optional;
    if (was_optional != (type.what == kind::optional)) {
        note(path, "converted");
    }
    if (was_optional && from.number<std::uint8_t>() == 0) {
        if (type.what == kind::optional && type.ops->clear) {
            type.ops->clear(type, value);
        }
        return;
    }
    const bool is_optional = type.what == kind::optional;
    void* inner = is_optional ? type.ops->emplace(type, value, 0) : value;
    read(from, was_optional ? saved.element : number, is_optional ? *type.element : type, inner,
         path);
}

// The value changes only after its representation was read as a whole.
void value_reader::read_into_opaque(byte_reader& from, std::uint32_t number,
                                    const description& type, void* value, const std::string& path) {
    const description& representation = detail::in_world(world_, *type.element);
    const value_box box(representation.life);
    read(from, number, representation, box.get(), path);
    if (!type.ops->assign) {
        refuse(path, std::string(type.life.name) + " cannot be written");
    }
    type.ops->assign(type, value, box.get());
}

}  // namespace kith::values
