// Reading values from JSON (include/kith/json.hpp): the reader's events become literals, which are
// assigned.
#include "json_input.hpp"

#include <kith/detail/json_ops.hpp>
#include <kith/detail/json_values.hpp>
#include <kith/detail/ops.hpp>
#include <kith/json_desc.hpp>

#include "assign.hpp"
#include "life.hpp"
#include "raise.hpp"
#include "save_values.hpp"

#include <cstring>

namespace kith {

namespace values {

using syntax::json_event;

literal literal_of_json(syntax::json_reader& reader, json_event event) {
    literal made;
    made.at.begin = static_cast<std::uint32_t>(reader.begin());
    switch (event) {
        case json_event::begin_object:
        case json_event::begin_array: {
            const bool object = event == json_event::begin_object;
            made.form = object ? literal_form::braces : literal_form::list;
            for (json_event next = reader.next();
                 next != json_event::end_object && next != json_event::end_array;
                 next = reader.next()) {
                literal::item& item = made.items.emplace_back();
                if (object) {
                    item.keyed = literal::item::key_form::text;
                    item.key.form = literal_form::text;
                    item.key.text = reader.text();
                    item.key.at.begin = static_cast<std::uint32_t>(reader.begin());
                    item.key.at.end = static_cast<std::uint32_t>(reader.offset());
                    next = reader.next();
                }
                item.value = literal_of_json(reader, next);
            }
            break;
        }
        case json_event::text:
        case json_event::number:
            made.form = event == json_event::text ? literal_form::text : literal_form::number;
            made.text = reader.text();
            break;
        case json_event::boolean:
            made.form = literal_form::boolean;
            made.truth = reader.truth();
            break;
        default:
            break;
    }
    made.at.end = static_cast<std::uint32_t>(reader.offset());
    return made;
}

syntax::json_limits limits_of(const json_options& options) noexcept {
    syntax::json_limits limits;
    limits.depth = options.depth;
    limits.text = options.text;
    return limits;
}

namespace {

constexpr char base64_alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Throws [invalid_text] with the place, also if something follows the value, and [limit] for texts
// that are nested too deeply or too long.
literal parse_json(std::string_view text, const json_options& options) {
    if (text.size() > options.bytes) {
        raise(errc::limit, "the JSON is longer than " + std::to_string(options.bytes) + " bytes");
    }
    syntax::json_reader reader(text, limits_of(options), options.file);
    literal read = literal_of_json(reader, reader.next());
    reader.next();  // nothing follows
    return read;
}

// Assigns to a copy; refusals get the place of their literal.
void assign_json(world_t* world, const description& type, void* value, std::string_view text,
                 const json_options& options, const json_names& names) {
    const literal read = parse_json(text, options);
    assignment state;
    state.world = world;
    state.find = names.find;
    state.context = names.context;
    state.path = type.life.name;
    state.is_json = true;
#if defined(__cpp_exceptions)
    try {
        assign_literal(state, type, value, read);
    } catch (const error& refused) {
        if (refused.code() != errc::invalid_value) {
            throw;
        }
        raise(errc::invalid_text,
              syntax::json_place(text, state.place.begin, options.file) + refused.what());
    }
#else
    assign_literal(state, type, value, read);
#endif
}

constexpr std::size_t most_plain = 256;  // bytes of a value that is read on the stack

// False if the other way has to read the value; it is as before then.
bool assign_plain_json(world_t* world, const description& type, void* value, std::string_view text,
                       const json_options& options) {
    if (options.depth < 64 || options.text < most_plain_text || text.size() > options.bytes) {
        return false;
    }
    std::size_t at = 0;
    const auto read = [&](void* into) {
        return read_plain_json(world, type, into, text, at, false) &&
               text.find_first_not_of(" \t\n\r", at) == std::string_view::npos;
    };
    if (type.life.trivial_copy && type.life.size <= most_plain) {
        alignas(std::max_align_t) std::byte made[most_plain];
        std::memcpy(made, value, type.life.size);
        if (read(made)) {
            std::memcpy(value, made, type.life.size);
            return true;
        }
        return false;
    }
    if (type.life.trivial_copy || !is_plain_json(world, type)) {
        return false;
    }
    value_box copy(type.life, value);
    if (!read(copy.get())) {
        return false;
    }
    copy.assign_to(value);
    return true;
}

// Members that the type does not have are taken out of a copy of the text, unless they are
// mistakes.
struct known_json {
    std::string copy;
    std::string_view text;
    detail::unknown_members unknown;

    known_json(world_t* world, const description& type, std::string_view given,
               const json_options& options)
        : text(given) {
        if (options.unknown != unknown_policy::error) {
            parse_json(given, options);  // mistakes are found first
            copy = given;
            unknown = detail::blank_unknown_members(world, type, copy.data(), copy.size());
            text = copy;
        }
    }
};

}  // namespace

// Padding is required; decoded bytes are appended to `into`.
bool decode_base64(std::string_view digits, std::string& into) {
    if (digits.size() % 4 != 0) {
        return false;
    }
    std::uint32_t group = 0;
    int bits = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        const std::string_view all(base64_alphabet, 64);
        const std::size_t digit = all.find(digits[i]);
        if (digit == std::string_view::npos) {
            return digits.size() - i <= 2 && digits[i] == '=' && digits.back() == '=';
        }
        group = group << 6 | static_cast<std::uint32_t>(digit);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            into += static_cast<char>((group >> bits) & 0xFF);
        }
    }
    return true;
}

bool set_plain_json(world_t* world, entity_t entity, id_t id, const description& type,
                    std::string_view text) {
    const type_info& life = type.life;
    const void* present = detail::get_value(world, entity, id, 0);
    std::size_t at = 0;
    if (!present && !life.can_construct()) {
        return false;
    }
    if (life.trivial_copy && life.trivial_destroy && life.size <= most_plain) {
        alignas(std::max_align_t) std::byte made[most_plain];
        if (present) {
            std::memcpy(made, present, life.size);
        } else {
            make_value(life, made);
        }
        if (!read_plain_json(world, type, made, text, at, true)) {
            return false;
        }
        detail::copy_value(world, entity, id, life.size, made);
        return true;
    }
    if (life.trivial_copy || !life.can_copy() || !life.can_move() || !is_plain_json(world, type)) {
        return false;
    }
    value_box made = present ? value_box(life, present) : value_box(life);
    if (!read_plain_json(world, type, made.get(), text, at, true)) {
        return false;
    }
    set_box(world, entity, id, made);
    return true;
}

// A mistake leaves the value as it was: the copy is assigned when all of the text was read.
void read_json_into(world_t* world, const description& described, void* value,
                    std::string_view text, const json_options& options, const json_names& names) {
    const description& type = detail::in_world(world, described);
    if (assign_plain_json(world, type, value, text, options)) {
        return;
    }
    const known_json known(world, type, text, options);
    value_box copy(type.life, value);
    assign_json(world, type, copy.get(), known.text, options, names);
    copy.assign_to(value);
}

void set_json_of(world_t* world, entity_t entity, id_t id, std::string_view text,
                 const json_options& options, const json_names& names) {
    const description& type = detail::require_description(world, id);
    const void* present = detail::get_value(world, entity, id, 0);
    value_box copy = present ? value_box(type.life, present) : value_box(type.life);
    const known_json known(world, type, text, options);
    assign_json(world, type, copy.get(), known.text, options, names);
    set_box(world, entity, id, copy);
    if (options.unknown == unknown_policy::keep && !known.unknown.kept.empty() && !is_pair(id)) {
        kith::entity(world, entity).set<kept_json>(id, kept_json{known.unknown.kept});
    }
}

}  // namespace values

namespace detail {

std::size_t packed_json_size(const world_t* world, const description& type) {
    return values::is_plain_json(world, type) && values::is_saved_as_memory(world, type)
               ? type.life.size
               : 0;
}

std::size_t read_packed_json(const world_t* world, const description& type, void* value,
                             std::string_view text) {
    std::size_t at = 0;
    return values::read_plain_json(world, type, value, text, at, true) ? at : 0;
}

void read_json(world_t* world, const description& type, void* value, std::string_view text,
               const json_options& options) {
    values::read_json_into(world, type, value, text, options, {});
}

namespace {

// The functions of a descriptor as options and names.
struct described_reading {
    json_options options;
    values::json_names names;

    described_reading(world_t* given, const from_json_desc_t* desc) : world(given), from(desc) {
        options.file = desc ? desc->name : nullptr;
        if (desc && desc->lookup_action) {
            names.find = [](void* context, std::string_view name) -> entity_t {
                const auto& self = *static_cast<const described_reading*>(context);
                return self.from->lookup_action(self.world, std::string(name).c_str(),
                                                self.from->lookup_ctx);
            };
            names.context = this;
        }
    }
    described_reading(const described_reading&) = delete;
    described_reading& operator=(const described_reading&) = delete;

    world_t* world;
    const from_json_desc_t* from;
};

}  // namespace

const char* value_from_json(world_t* world, entity_t type, void* value, const char* text,
                            const from_json_desc_t* desc) {
    const described_reading how(world, desc);
    const std::string_view whole(text ? text : "");
    values::read_json_into(world, require_description(world, type), value, whole, how.options,
                           how.names);
    return whole.data() + whole.size();
}

void set_json_value(world_t* world, entity_t entity, id_t id, const char* text,
                    const from_json_desc_t* desc) {
    const described_reading how(world, desc);
    values::set_json_of(world, entity, id, text ? text : "", how.options, how.names);
}

}  // namespace detail

void set_json(const entity_view& entity, id_t id, std::string_view text,
              const json_options& options) {
    values::set_json_of(entity.c_world(), entity, id, text, options, {});
}

}  // namespace kith
