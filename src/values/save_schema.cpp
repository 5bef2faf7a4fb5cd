// Types of save files (save_schema.hpp).
#include "save_schema.hpp"

#include <kith/detail/ops.hpp>
#include <kith/detail/value_text.hpp>
#include <kith/reflect.hpp>

#include "component_types.hpp"
#include "numbers.hpp"
#include "raise.hpp"
#include "runtime_life.hpp"
#include "save_values.hpp"

#include <algorithm>

namespace kith::values {

namespace {

// The limit of a value's least size. A capped size times a count, and the sum of capped sizes over
// most_members, cannot overflow 64 bits.
constexpr std::size_t most_value_bytes = std::size_t{1} << 24;
constexpr std::uint32_t most_schema_depth = 64;

bool is_plain_kind(kind what) noexcept {
    return what >= kind::boolean && what <= kind::f64;
}

bool has_member_list(kind what) noexcept {
    return what == kind::structure || what == kind::tuple || what == kind::variant;
}
bool has_constant_list(kind what) noexcept {
    return what == kind::enumeration || what == kind::flags;
}
bool has_element(kind what) noexcept {
    return what >= kind::array && what <= kind::optional;
}

// Size and functions of the integer of an enum or of flags; i32 for kinds that are no integers.
const type_info& life_of_number(kind what) {
    switch (what) {
        case kind::i8:
            return detail::description_of<std::int8_t>()->life;
        case kind::i16:
            return detail::description_of<std::int16_t>()->life;
        case kind::i64:
            return detail::description_of<std::int64_t>()->life;
        case kind::u8:
            return detail::description_of<std::uint8_t>()->life;
        case kind::u16:
            return detail::description_of<std::uint16_t>()->life;
        case kind::u32:
            return detail::description_of<std::uint32_t>()->life;
        case kind::u64:
            return detail::description_of<std::uint64_t>()->life;
        default:
            return detail::description_of<std::int32_t>()->life;
    }
}

// The description of a type that needs no other: null for composed types.
const description* simple_type(const file_type& type) {
    switch (type.what) {
        case kind::boolean:
            return detail::description_of<bool>();
        case kind::character:
            return detail::description_of<char>();
        case kind::f32:
            return detail::description_of<float>();
        case kind::f64:
            return detail::description_of<double>();
        case kind::entity:
            return detail::description_of<handle>();
        case kind::text:
            return detail::description_of<std::string>();
        case kind::i8:
            return detail::description_of<std::int8_t>();
        case kind::i16:
            return detail::description_of<std::int16_t>();
        case kind::i32:
            return detail::description_of<std::int32_t>();
        case kind::i64:
            return detail::description_of<std::int64_t>();
        case kind::u8:
            return detail::description_of<std::uint8_t>();
        case kind::u16:
            return detail::description_of<std::uint16_t>();
        case kind::u32:
            return detail::description_of<std::uint32_t>();
        case kind::u64:
            return detail::description_of<std::uint64_t>();
        default:
            return nullptr;
    }
}

// Handles in defaults are left out: they would mean entities of the saving world.
file_attributes attributes_for_file(const world_t* world, const member_info& member) {
    file_attributes made;
    const member_attributes* given = member.attributes;
    if (!given) {
        return made;
    }
    made.warning = given->warning;
    made.error = given->error;
    made.step = given->step;
    made.unit = given->unit_symbol ? given->unit_symbol : "";
    made.doc = given->doc ? given->doc : "";
    made.policy = given->on_delete_target;
    if (given->default_value) {
        byte_writer out(made.default_value);
        write_value(out, world, *member.type, given->default_value,
                    {[](void*, entity_t) { return entity_t{0}; }, nullptr});
    }
    return made;
}

bool has_saved_policy(const description& type) {
    return std::any_of(type.begin(), type.end(), [](const member_info& member) {
        return member.attributes && member.attributes->on_delete_target != handle_policy::keep;
    });
}

// Copies the attributes of a member of a file into a member of a run-time type.
void give_attributes(description_node& node, member_info& member, const file_member& saved) {
    const file_attributes& more = saved.more;
    if (!more.any() && !saved.range.is_set && saved.was.empty()) {
        return;
    }
    member_attributes& given = node.attributes_of(member);
    given.range = saved.range;
    given.was = saved.was.empty() ? nullptr : node.keep(saved.was);
    given.warning = more.warning;
    given.error = more.error;
    given.step = more.step;
    given.unit_symbol = more.unit.empty() ? nullptr : node.keep(more.unit);
    given.doc = more.doc.empty() ? nullptr : node.keep(more.doc);
    if (detail::has_entities(nullptr, *member.type)) {
        given.on_delete_target = more.policy;
    }
}

description_node& add_inner_node(type_library& library, const std::string& name) {
    auto node = std::make_unique<description_node>();
    node->at_run_time = true;
    node->set_name(name);
    return library.add_inner(std::move(node));
}

// The bytes of a number in files, which are those in memory.
std::size_t number_size(kind what) {
    switch (what) {
        case kind::i16:
        case kind::u16:
            return 2;
        case kind::i32:
        case kind::u32:
        case kind::f32:
            return 4;
        case kind::i64:
        case kind::u64:
        case kind::f64:
            return 8;
        default:
            return 1;
    }
}

}  // namespace

const bytes_form* find_bytes_form(const world_t* world, id_t id) {
    const type_library* library = find_library(world);
    const type_drift* drift =
        library ? library->find_drift(detail::type_component(world, id)) : nullptr;
    return drift ? drift->bytes.get() : nullptr;
}

const description* find_saved_description(const world_t* world, id_t id) {
    if (const bytes_form* form = find_bytes_form(world, id)) {
        return &form->whole;
    }
    const description* found = detail::find_description(world, detail::type_component(world, id));
    if (found && found->what != kind::none) {
        return found;
    }
    const type_info* info = detail::type_of(world, id);
    if (!info || !info->is_enum) {
        return nullptr;
    }
    switch (info->size) {
        case 1:
            return detail::description_of<std::int8_t>();
        case 2:
            return detail::description_of<std::int16_t>();
        case 8:
            return detail::description_of<std::int64_t>();
        default:
            return detail::description_of<std::int32_t>();
    }
}

const description& saved_description(const world_t* world, id_t id) {
    const description* found = find_saved_description(world, id);
    return found ? *found : detail::require_description(world, id);
}

std::uint32_t file_schema::add(const world_t* world, const description& described) {
    const description* own = &detail::in_world(world, described);
    while (own->what == kind::opaque) {
        own = &detail::in_world(world, *own->element);
    }
    const auto known = numbers_.find(own);
    if (known != numbers_.end()) {
        return known->second;
    }
    if (own->what == kind::none) {
        raise(errc::invalid_type, std::string(own->life.name) + " cannot be saved: " +
                                      (own->obstacle ? own->obstacle : "it has no description"));
    }
    const auto number = static_cast<std::uint32_t>(types_.size());
    numbers_.emplace(own, number);
    types_.emplace_back();
    file_type type;
    type.what = own->what;
    type.number = own->number;
    type.name = own->life.name ? own->life.name : "";
    type.count = own->what == kind::array ? own->count : 0;
    for (const member_info& member : *own) {
        const char* was = member.attributes ? member.attributes->was : nullptr;
        type.members.push_back({member.name ? member.name : "", add(world, *member.type),
                                was ? was : "", member.hidden, member.read_only,
                                member.attributes ? member.attributes->range : value_range{},
                                attributes_for_file(world, member)});
    }
    for (std::uint32_t i = 0; has_constant_list(own->what) && i < own->count; ++i) {
        type.constants.push_back({own->constants[i].name, own->constants[i].value});
    }
    type.element = has_element(own->what) ? add(world, *own->element) : no_type;
    type.key = own->what == kind::map ? add(world, *own->key) : no_type;
    types_[number] = std::move(type);
    return number;
}

// The order of the fields is part of the format: read() has the same one, and a change needs a new
// save_version.
void file_schema::write(byte_writer& out) const {
    out.number(static_cast<std::uint32_t>(types_.size()));
    for (std::uint32_t number = 0; number < types_.size(); ++number) {
        const file_type& type = types_[number];
        out.number(static_cast<std::uint8_t>(type.what));
        out.number(static_cast<std::uint8_t>(type.number));
        out.text(type.name);
        out.number(type.count);
        out.number(type.element);
        out.number(type.key);
        out.number(static_cast<std::uint32_t>(type.members.size()));
        for (const file_member& member : type.members) {
            out.text(member.name);
            out.number(member.type);
            out.text(member.was);
            out.number(static_cast<std::uint8_t>(member.hidden | member.read_only << 1 |
                                                 member.range.is_set << 2));
            out.number(member.range.min);
            out.number(member.range.max);
        }
        out.number(static_cast<std::uint32_t>(type.constants.size()));
        for (const file_constant& constant : type.constants) {
            out.text(constant.name);
            out.number(constant.value);
        }
        out.number(checksum(layout(number), 0));
    }
}

file_schema file_schema::read(byte_reader& from) {
    file_schema schema;
    // The numbers 22, 29 and 12 are lower bounds of the bytes of a type, a member and a constant:
    // counts beyond the part's size are refused before memory is taken for them.
    schema.types_.resize(from.count(22));
    if (schema.types_.size() > most_types) {
        from.fail("there are more types than " + std::to_string(most_types));
    }
    std::vector<std::uint64_t> hashes;
    for (file_type& type : schema.types_) {
        type.what = static_cast<kind>(from.number<std::uint8_t>());
        type.number = static_cast<kind>(from.number<std::uint8_t>());
        type.name = from.text();
        type.count = from.number<std::uint32_t>();
        type.element = from.number<std::uint32_t>();
        type.key = from.number<std::uint32_t>();
        const std::uint32_t members = from.count(29);
        if (members > most_members) {
            from.fail("a type has more members than " + std::to_string(most_members));
        }
        for (std::uint32_t i = 0; i < members; ++i) {
            const std::string_view name = from.text();
            const auto of = from.number<std::uint32_t>();
            const std::string_view was = from.text();
            const auto flags = from.number<std::uint8_t>();
            const auto min = from.number<double>();
            const auto max = from.number<double>();
            type.members.push_back({std::string(name),
                                    of,
                                    std::string(was),
                                    (flags & 1) != 0,
                                    (flags & 2) != 0,
                                    {min, max, (flags & 4) != 0},
                                    {}});
        }
        const std::uint32_t constants = from.count(12);
        for (std::uint32_t i = 0; i < constants; ++i) {
            const std::string_view name = from.text();
            type.constants.push_back({std::string(name), from.number<std::int64_t>()});
        }
        hashes.push_back(from.number<std::uint64_t>());
    }
    schema.check(from);
    schema.measure();
    for (std::uint32_t i = 0; i < hashes.size(); ++i) {
        if (hashes[i] != checksum(schema.layout(i), 0)) {
            from.fail("the hash of type '" + schema.types_[i].name + "' differs");
        }
        if (schema.least_[i] > most_value_bytes) {
            from.fail("values of type '" + schema.types_[i].name + "' are too large");
        }
    }
    return schema;
}

bool file_schema::has_attributes() const noexcept {
    return std::any_of(types_.begin(), types_.end(), [](const file_type& type) {
        return std::any_of(type.members.begin(), type.members.end(),
                           [](const file_member& member) { return member.more.any(); });
    });
}

void file_schema::write_attributes(byte_writer& out) const {
    for (std::uint32_t number = 0; number < types_.size(); ++number) {
        for (const file_member& member : types_[number].members) {
            const file_attributes& more = member.more;
            if (!more.any()) {
                continue;
            }
            out.number(number);
            out.text(types_[number].name);
            out.text(member.name);
            for (const value_range* range : {&more.warning, &more.error}) {
                out.number(static_cast<std::uint8_t>(range->is_set));
                out.number(range->min);
                out.number(range->max);
            }
            out.number(more.step);
            out.text(more.unit);
            out.text(more.doc);
            out.number(static_cast<std::uint8_t>(more.policy));
            out.text(more.default_value);
        }
    }
}

void file_schema::read_attributes(byte_reader& from) {
    while (!from.at_end()) {
        const auto number = from.number<std::uint32_t>();
        const std::string_view type_name = from.text();
        const std::string_view name = from.text();
        file_attributes more;
        for (value_range* range : {&more.warning, &more.error}) {
            range->is_set = (from.number<std::uint8_t>() & 1) != 0;
            range->min = from.number<double>();
            range->max = from.number<double>();
        }
        more.step = from.number<double>();
        more.unit = from.text();
        more.doc = from.text();
        const auto policy = from.number<std::uint8_t>();
        if (policy > static_cast<std::uint8_t>(handle_policy::erase)) {
            from.fail("a policy of a handle is unknown");
        }
        more.policy = static_cast<handle_policy>(policy);
        more.default_value = from.text();
        if (number >= types_.size() || types_[number].name != type_name) {
            continue;
        }
        std::vector<file_member>& members = types_[number].members;
        const auto member = std::find_if(members.begin(), members.end(), [&](const auto& one) {
            return one.name == name && !one.more.any();
        });
        if (member != members.end()) {
            member->more = std::move(more);
        }
    }
}

void file_schema::check(byte_reader& from) const {
    for (const file_type& type : types_) {
        // Opaque types are not written (add() takes their representation), so a file cannot have
        // them.
        const bool known_kind = type.what > kind::none && type.what < kind::opaque;
        const bool known_number = !has_constant_list(type.what) ||
                                  (type.number >= kind::i8 && type.number <= kind::u64) ||
                                  type.number == kind::boolean || type.number == kind::character;
        const bool has_parts =
            (has_element(type.what) ? type.element < types_.size() : type.element == no_type) &&
            (type.what == kind::map ? type.key < types_.size() : type.key == no_type) &&
            (has_member_list(type.what) || type.members.empty()) &&
            (type.what != kind::array || type.count != 0) &&
            std::all_of(type.members.begin(), type.members.end(),
                        [&](const file_member& member) { return member.type < types_.size(); });
        if (!known_kind || !known_number || !has_parts) {
            from.fail("type '" + type.name + "' is described in an impossible way");
        }
    }
    // References are valid here, so that the walk over the parts stays inside of `types_`.
    std::vector<char> state(types_.size());
    for (std::uint32_t i = 0; i < types_.size(); ++i) {
        if (contains_itself(i, state)) {
            from.fail("type '" + types_[i].name + "' contains itself, or is nested too deeply");
        }
    }
}

// `state`: 0 unknown, 1 on the way, from 2 on: the depth plus two.
bool file_schema::contains_itself(std::uint32_t number, std::vector<char>& state) const {
    if (state[number] != 0) {
        return state[number] == 1;
    }
    state[number] = 1;
    const file_type& type = types_[number];
    std::vector<std::uint32_t> parts;
    // Lists, sets and maps hold their elements elsewhere: a type may contain itself through them.
    if (type.what == kind::array || type.what == kind::optional) {
        parts.push_back(type.element);
    }
    for (const file_member& member : type.members) {
        parts.push_back(member.type);
    }
    char depth = 2;
    for (std::uint32_t part : parts) {
        if (contains_itself(part, state)) {
            return true;
        }
        depth = std::max(depth, static_cast<char>(state[part] + 1));
    }
    state[number] = depth;
    return depth > static_cast<char>(most_schema_depth + 2);
}

// Types without a cycle by value are measured in the order of their parts.
void file_schema::measure() {
    least_.assign(types_.size(), 0);
    std::vector<bool> known(types_.size());
    auto measure_one = [&](auto& self, std::uint32_t number) -> std::size_t {
        if (known[number]) {
            return least_[number];
        }
        const file_type& type = types_[number];
        std::size_t size = 4;
        if (is_plain_kind(type.what)) {
            size = number_size(type.what);
        } else if (has_constant_list(type.what)) {
            size = number_size(type.number);
        } else if (type.what == kind::entity) {
            size = 8;
        } else if (type.what == kind::optional) {
            size = 1;
        } else if (type.what == kind::array) {
            size = std::min(self(self, type.element), most_value_bytes) * type.count;
        } else if (type.what == kind::structure || type.what == kind::tuple) {
            size = 0;
            for (const file_member& member : type.members) {
                size += std::min(self(self, member.type), 2 * most_value_bytes);
            }
        }
        known[number] = true;
        return least_[number] = size;
    };
    for (std::uint32_t i = 0; i < types_.size(); ++i) {
        measure_one(measure_one, i);
    }
}

std::string file_schema::layout(std::uint32_t number) const {
    std::string text;
    append_layout(text, number, 0);
    return text;
}

// Types that contain themselves through lists are cut off: the hash is a help against mistakes, and
// the members are compared one by one.
void file_schema::append_layout(std::string& out, std::uint32_t number, std::uint32_t depth) const {
    constexpr std::uint32_t most_layout_depth = 6;
    constexpr std::size_t most_layout_bytes = 4096;
    const file_type& type = types_[number];
    out += to_string(type.what);
    if (depth > most_layout_depth || out.size() > most_layout_bytes) {
        return;
    }
    if (has_constant_list(type.what)) {
        out += std::string(" ") + to_string(type.number);
    }
    if (type.what == kind::array) {
        out += " " + std::to_string(type.count);
    }
    for (const file_constant& constant : type.constants) {
        out += " " + constant.name + "=" + std::to_string(constant.value);
    }
    for (std::uint32_t part : {type.key, type.element}) {
        if (part != no_type && part < types_.size()) {
            out += " [";
            append_layout(out, part, depth + 1);
            out += "]";
        }
    }
    for (const file_member& member : type.members) {
        out += " " + member.name + ": {";
        append_layout(out, member.type, depth + 1);
        out += "}";
    }
}

// -- run-time types ------------------------------------------------------------------------------

// The name of the type becomes the path of the component, so that simple types have nodes as well.
description_node& file_schema::add_node(const world& target, type_library& library,
                                        const component_type& of, made_types& made) const {
    auto node = std::make_unique<description_node>();
    // The entities of a file get their names last.
    node->set_name(detail::name_of(target, of.component, Name).empty()
                       ? types_[of.number].name
                       : std::string(detail::path_of(target, 0, of.component, ".", "").c_str()));
    if (const description* simple = simple_type(types_[of.number])) {
        const char* name = node->life.name;
        static_cast<description&>(*node) = *simple;
        node->type_id = nullptr;
        node->life.name = name;
    } else if (!made.empty.emplace(of.number, node.get()).second) {
        made.repeated.emplace_back(of.number, node.get());
    }
    node->at_run_time = true;
    return library.add(of.component, std::move(node));
}

bool file_schema::is_like(const world_t* world, std::uint32_t number,
                          const description& described) const {
    if (described.what != types_[number].what) {
        return false;
    }
    file_schema other;
    return other.layout(other.add(world, described)) == layout(number);
}

void file_schema::define(const world& target, const std::vector<component_type>& made,
                         const std::vector<component_type>& present) const {
    type_library& library = ensure_library(target);
    made_types types;
    for (const component_type& known : present) {
        const description* described = detail::find_description(target, known.component);
        if (described && described->life.can_copy() && is_like(target, known.number, *described)) {
            types.present.emplace(known.number, described);
        }
    }
    std::vector<description_node*> nodes;
    for (const component_type& one : made) {
        nodes.push_back(&add_node(target, library, one, types));
    }
    fill_all(target, library, types);
    for (const auto& [number, node] : types.repeated) {
        fill(target, library, *node, number, types);
    }
    set_defaults(target, types);
    for (std::size_t i = 0; i < made.size(); ++i) {
        define_type(target, made[i].component, library, *nodes[i]);
    }
    if (std::any_of(types.finished.begin(), types.finished.end(),
                    [](const auto& one) { return has_saved_policy(*one.second); })) {
        use_handle_policies(target);
    }
}

const description& file_schema::refer_to(type_library& library, std::uint32_t number,
                                         made_types& made) const {
    if (const description* simple = simple_type(types_[number])) {
        return *simple;
    }
    for (const auto* nodes : {&made.nodes, &made.empty}) {
        if (const auto known = nodes->find(number); known != nodes->end()) {
            return *known->second;
        }
    }
    if (const auto known = made.present.find(number); known != made.present.end()) {
        return *known->second;
    }
    description_node& node = add_inner_node(library, types_[number].name);
    made.empty.emplace(number, &node);
    return node;
}

// A node counts as made before its parts are filled, so that a type that refers to itself finds its
// own node.
const description& file_schema::make(const world& target, type_library& library,
                                     std::uint32_t number, made_types& made) const {
    const description& type = refer_to(library, number, made);
    if (auto waiting = made.empty.extract(number)) {
        description_node& node = *waiting.mapped();
        made.nodes.insert(std::move(waiting));
        fill(target, library, node, number, made);
    }
    return type;
}

void file_schema::fill_all(const world& target, type_library& library, made_types& made) const {
    while (!made.empty.empty()) {
        make(target, library, made.empty.begin()->first, made);
    }
}

// Sets become lists: run-time types have no sets.
void file_schema::fill(const world& target, type_library& library, description_node& node,
                       std::uint32_t number, made_types& made) const {
    const file_type& type = types_[number];
    node.what = type.what == kind::set ? kind::list : type.what;
    node.number = type.number;
    node.count = type.count;
    if (has_constant_list(type.what)) {
        const char* name = node.life.name;
        node.life = life_of_number(type.number);
        node.life.name = name;
        for (const file_constant& constant : type.constants) {
            node.add_constant({node.keep(constant.name), constant.value});
        }
        return;
    }
    if (type.element != no_type && has_element(type.what)) {
        const bool inside = type.what == kind::array || type.what == kind::optional;
        node.element = inside ? &make(target, library, type.element, made)
                              : &refer_to(library, type.element, made);
    }
    if (type.what == kind::map) {
        node.key = &refer_to(library, type.key, made);
    }
    for (const file_member& member : type.members) {
        member_info info;
        info.name = node.keep(member.name);
        info.type = &make(target, library, member.type, made);
        if (type.what != kind::variant) {
            lay_out_member(node, info);
        }
        info.hidden = member.hidden;
        info.read_only = member.read_only;
        node.add_member(info);
        give_attributes(node, node.member_list.back(), member);
    }
    finish_runtime_type(node);
    made.finished.emplace_back(number, &node);
}

// Types are finished again in the same order: values of a type with defaults are not zero bytes.
void file_schema::set_defaults(const world& target, const made_types& made) const {
    bool any = false;
    for (const auto& [number, node] : made.finished) {
        for (std::size_t i = 0; i < types_[number].members.size(); ++i) {
            const file_member& saved = types_[number].members[i];
            if (saved.more.default_value.empty() || node->what != kind::structure) {
                continue;
            }
            const std::string path = std::string(node->life.name) + "." + saved.name;
            member_info& member = node->member_list[i];
            byte_reader bytes(saved.more.default_value, attributes_tag, 0);
            std::string notes;
            value_box value(member.type->life);
            value_reader(*this, target, {[](void*, entity_t) { return entity_t{0}; }, nullptr},
                         notes)
                .read(bytes, saved.type, *member.type, value.get(), path);
            if (!bytes.at_end()) {
                bytes.fail("the default of " + path + " is longer than a value");
            }
            node->defaults.push_back(std::move(value));
            node->attributes_of(member).default_value = node->defaults.back().get();
            any = true;
        }
    }
    for (std::size_t i = 0; any && i < made.finished.size(); ++i) {
        finish_runtime_type(*made.finished[i].second);
    }
}

}  // namespace kith::values
