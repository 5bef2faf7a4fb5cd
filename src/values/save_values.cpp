// Values in save files (save_values.hpp).
#include "save_values.hpp"

#include <kith/detail/ops.hpp>

#include "assign.hpp"
#include "life.hpp"
#include "numbers.hpp"
#include "raise.hpp"

#include <algorithm>

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
                for (const member_info& member : type) {
                    write(*member.type, part_at(value, member.offset));
                }
                break;
            case kind::array:
                for (std::uint32_t i = 0; i < type.count; ++i) {
                    write(*type.element, part_at(value, std::size_t{i} * type.element->life.size));
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
                write_opaque(type, value);
                break;
            default:
                raise(errc::invalid_type,
                      std::string(type.life.name) + " has no description: it cannot be saved");
        }
    }
    // The size is followed by the entries; in maps each key stands in front of its value.
    void write_container(const description& type, const void* value) {
        out_.number(static_cast<std::uint32_t>(type.ops->size(type, value)));
        struct walk {
            value_writer& writer;
            const description& type;
        } state{*this, type};
        type.ops->each(
            type, value,
            [](void* context, const void* key, const void* element) {
                auto& me = *static_cast<walk*>(context);
                if (key && me.type.key) {
                    me.writer.write(*me.type.key, key);
                }
                me.writer.write(*me.type.element, element);
            },
            &state);
    }
    // An optional has one byte (1: there is a value) in front of its value, a variant the number of
    // its alternative (32 bits, negative: none).
    void write_choice(const description& type, const void* value) {
        const void* inner = type.ops->inner(type, const_cast<void*>(value));
        if (type.what == kind::optional) {
            out_.number(static_cast<std::uint8_t>(inner != nullptr));
            if (inner) {
                write(*type.element, inner);
            }
            return;
        }
        const std::int32_t which = type.ops->which(type, value);
        out_.number(which);
        if (which >= 0) {
            write(*type.members[which].type, inner);
        }
    }
    // The representation exists only inside of the callback, and is written there.
    void write_opaque(const description& type, const void* value) {
        struct use {
            value_writer& writer;
            const description& type;
        } state{*this, *type.element};
        type.ops->represent(
            type, value,
            [](void* context, const void* representation) {
                auto& me = *static_cast<use*>(context);
                me.writer.write(me.type, representation);
            },
            &state);
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
    --depth_;
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
        std::string text;
        append_number(text, read);
        refuse(path, text + " does not fit into " + type.life.name);
    }
}

// Constants are matched by name, and numbers without a constant stay as they are.
void value_reader::read_constant(const file_type& saved, const description& type, void* value,
                                 std::int64_t read, const std::string& path) {
    auto constant_of = [&](const std::string& name) -> const constant_info& {
        const constant_info* own = find_constant(type, name);
        if (!own) {
            refuse(path, "the constant '" + name + "' is gone from " + type.life.name);
        }
        return *own;
    };
    std::int64_t result = saved.what == kind::flags ? 0 : read;
    if (saved.what == kind::flags) {
        std::int64_t rest = read;
        for (const file_constant& bit : saved.constants) {
            if (bit.value != 0 && (rest & bit.value) == bit.value &&
                (bit.value & (bit.value - 1)) == 0) {
                result |= constant_of(bit.name).value;
                rest &= ~bit.value;
            }
        }
        result |= rest;
    } else {
        const auto known =
            std::find_if(saved.constants.begin(), saved.constants.end(),
                         [&](const file_constant& constant) { return constant.value == read; });
        result = known != saved.constants.end() ? constant_of(known->name).value : read;
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
        void* part = part_at(value, own->offset);
        read(from, member.type, *own->type, part, place);
        assignment state;
        state.world = world_;
        state.path = place;
        check_range(state, *own, part);
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
