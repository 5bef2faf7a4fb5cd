// Reads the parts of a save file (save_contents.hpp).
#include "save_contents.hpp"

#include "entity_map.hpp"
#include "save_blocks.hpp"

#include <algorithm>
#include <optional>

namespace kith::values {

namespace {

// Entities have 48 bits: flags above them would make an id of a pair or of an override.
bool is_possible(entity_t entity) noexcept {
    return (entity >> 48) == 0 && index_of(entity) != 0;
}

entity_t read_entity(byte_reader& from) {
    const auto entity = from.number<entity_t>();
    if (!is_possible(entity)) {
        from.fail("an entity has an impossible id");
    }
    return entity;
}

// An impossible entity is searched for only if there is one, for the offset in the message.
std::vector<entity_t> read_entities(byte_reader& from) {
    std::vector<entity_t> entities(from.count(sizeof(entity_t)));
    const std::size_t size = entities.size() * sizeof(entity_t);
    byte_reader all = from;
    const char* bytes = all.raw(size);
    if (size != 0) {
        __builtin_memcpy(entities.data(), bytes, size);
    }
    if (std::all_of(entities.begin(), entities.end(), is_possible)) {
        from = all;
        return entities;
    }
    for (entity_t& one : entities) {
        one = read_entity(from);
    }
    return entities;
}

// An entry has 12 bytes at least: the entity and the size of its name.
std::vector<named_entity> read_named(byte_reader& from) {
    std::vector<named_entity> named;
    const std::uint32_t count = from.count(12);
    for (std::uint32_t i = 0; i < count; ++i) {
        const entity_t entity = read_entity(from);
        named.push_back({entity, std::string(from.text())});
    }
    return named;
}

// The types of the file, then the components that have values, each with the number of its type.
void read_schema(byte_reader& from, saved_world& into) {
    into.schema = file_schema::read(from);
    const std::uint32_t count = from.count(16);
    for (std::uint32_t i = 0; i < count; ++i) {
        const entity_t component = read_entity(from);
        const auto number = from.number<std::uint32_t>();
        const auto version = from.number<std::int32_t>();
        if (number >= into.schema.size()) {
            from.fail("a component has a type that the file does not have");
        }
        into.components.push_back({component, number, version});
    }
}

// An index belongs to one entity at a time.
void read_lists(byte_reader& from, saved_world& into) {
    into.plain = read_entities(from);
    into.free_ids = read_entities(from);
    into.builtins = read_named(from);
    into.types = read_named(from);
    into.constants = read_named(from);
    into.scopes = read_named(from);
    into.transients = read_named(from);
    entity_map used(into.plain.size() + into.free_ids.size());
    auto take = [&](entity_t entity, bool is_plain) {
        if ((index_of(entity) < first_entity) == is_plain || !used.emplace(entity, 0)) {
            from.fail("two entities have the same index, or an index is impossible");
        }
    };
    for (const std::vector<entity_t>* list : {&into.plain, &into.free_ids}) {
        for (entity_t entity : *list) {
            take(entity, true);
        }
    }
    for (const named_entity& constant : into.constants) {
        take(constant.entity, true);
    }
    for (const std::vector<named_entity>* list : {&into.builtins, &into.types, &into.transients}) {
        for (const named_entity& known : *list) {
            take(known.entity, false);
        }
    }
}

// Reads the head of a column and leaves its values unread: they are read when the component is
// known to the world. `last` is the column before, whose entities may be repeated by a mark.
saved_column read_column(byte_reader from, bool has_values, const saved_column* last) {
    const auto id = from.number<id_t>();
    const auto type = has_values ? from.number<std::uint32_t>() : no_type;
    const auto marks = has_values ? from.number<std::uint8_t>() : std::uint8_t{0};
    const auto form = static_cast<column_form>(marks & ~same_entities);
    const bool same = (marks & same_entities) != 0;
    // Each value has a byte at least, so that repeated lists take no more memory than the file
    // allows.
    if (same && (!last || form == column_form::tags || last->entities.size() > from.left())) {
        from.fail("a column cannot have the entities of the one before");
    }
    if (form > column_form::names || id == 0 ||
        (form == column_form::values) != (type != no_type)) {
        from.fail("a column has an impossible form");
    }
    std::vector<entity_t> entities = same ? last->entities : read_entities(from);
    return {id, type, form, std::move(entities), from};
}

// A list of numbers of one size.
template <class T>
std::vector<T> read_list(byte_reader& from) {
    std::vector<T> list(from.count(sizeof(T)));
    if (!list.empty()) {
        __builtin_memcpy(list.data(), from.raw(list.size() * sizeof(T)), list.size() * sizeof(T));
    }
    return list;
}
template <class T>
void write_list(byte_writer& out, const std::vector<T>& list) {
    out.number(static_cast<std::uint32_t>(list.size()));
    out.raw(list.data(), list.size() * sizeof(T));
}

std::vector<detail::link_order> read_links(byte_reader& from) {
    std::vector<detail::link_order> links(from.count(20));
    for (detail::link_order& list : links) {
        list.relation = read_entity(from);
        list.entity = read_entity(from);
        list.others = read_entities(from);
    }
    return links;
}
void write_links(byte_writer& out, const std::vector<detail::link_order>& links) {
    out.number(static_cast<std::uint32_t>(links.size()));
    for (const detail::link_order& list : links) {
        out.number(list.relation);
        out.number(list.entity);
        write_list(out, list.others);
    }
}

void read_order(byte_reader& from, detail::storage_order& order) {
    order.ids = read_list<id_t>(from);
    order.free_ids = read_list<std::uint32_t>(from);
    order.tables.resize(from.count(4));
    for (std::vector<id_t>& ids : order.tables) {
        ids = read_list<id_t>(from);
    }
    order.free_tables = read_list<std::uint32_t>(from);
    order.next_index = from.number<std::uint32_t>();
    order.rows = read_entities(from);
    order.targets = read_links(from);
    order.sources = read_links(from);
}

}  // namespace

saved_names::saved_names(const saved_world& contents) : contents_(contents) {
    for (const named_entity& builtin : contents.builtins) {
        const std::size_t last = builtin.path.rfind(path_separator);
        const std::string own =
            last == std::string::npos ? builtin.path : builtin.path.substr(last + 1);
        entity_t* kept = own == "ChildOf" ? &child_of_ : own == "Name" ? &name_ : nullptr;
        if (kept) {
            *kept = index_of(builtin.entity);
        }
    }
}

const saved_column* saved_names::find(entity_t entity, entity_t relation, entity_t target) const {
    for (const saved_column& column : contents_.columns) {
        const bool fits =
            is_pair(column.id) &&
            (relation != 0 ? pair_first(column.id) == relation
                           : column.form == column_form::names && pair_second(column.id) == target);
        if (fits && std::find(column.entities.begin(), column.entities.end(), entity) !=
                        column.entities.end()) {
            return &column;
        }
    }
    return nullptr;
}

entity_t saved_names::parent(entity_t entity) const {
    const saved_column* column = find(entity, child_of_, 0);
    const entity_t index = column ? pair_second(column->id) : 0;
    const auto found =
        std::find_if(contents_.plain.begin(), contents_.plain.end(),
                     [&](entity_t one) { return index != 0 && index_of(one) == index_of(index); });
    return found != contents_.plain.end() ? *found : 0;
}

std::string saved_names::name(entity_t entity) const {
    const saved_column* column = find(entity, 0, name_);
    if (!column) {
        return "#" + std::to_string(index_of(entity));
    }
    byte_reader texts = column->values;
    for (const entity_t other : column->entities) {
        if (other == entity) {
            break;
        }
        texts.text();
    }
    return std::string(texts.text());
}

std::string saved_names::path(entity_t entity, const char* separator) const {
    constexpr int most_parents = 64;
    std::string path = name(entity);
    entity_t at = parent(entity);
    for (int depth = 0; at != 0 && depth < most_parents; ++depth, at = parent(at)) {
        path = name(at) + separator + path;
    }
    return path;
}

std::string saved_names::element_text(std::uint32_t index) const {
    for (const std::vector<named_entity>* list :
         {&contents_.builtins, &contents_.types, &contents_.constants, &contents_.transients,
          &contents_.outside}) {
        for (const named_entity& known : *list) {
            if (index_of(known.entity) == index) {
                const std::size_t last = known.path.rfind(path_separator);
                return last == std::string::npos ? known.path : known.path.substr(last + 1);
            }
        }
    }
    const auto found = std::find_if(contents_.plain.begin(), contents_.plain.end(),
                                    [index](entity_t one) { return index_of(one) == index; });
    return found != contents_.plain.end() ? path(*found, ".") : "#" + std::to_string(index);
}

std::string saved_names::id_text(id_t id) const {
    if (!is_pair(id)) {
        return element_text(index_of(id & ~id_flags_mask));
    }
    return "(" + element_text(index_of(pair_first(id))) + "," +
           element_text(index_of(pair_second(id))) + ")";
}

void write_order(byte_writer& out, const detail::storage_order& order) {
    write_list(out, order.ids);
    write_list(out, order.free_ids);
    out.number(static_cast<std::uint32_t>(order.tables.size()));
    for (const std::vector<id_t>& ids : order.tables) {
        write_list(out, ids);
    }
    write_list(out, order.free_tables);
    out.number(order.next_index);
    write_list(out, order.rows);
    write_links(out, order.targets);
    write_links(out, order.sources);
}

saved_world read_contents(std::string_view file, const unpack_limits& limits) {
    saved_world contents;
    bool has_schema = false;
    bool has_lists = false;
    std::optional<byte_reader> attributes;
    for (const file_part& part : read_parts(file, contents.flags, limits, contents.unpacked)) {
        byte_reader from = part.reader();
        if (part.tag == "COLS") {
            contents.columns.push_back(read_column(
                from, true, contents.columns.empty() ? nullptr : &contents.columns.back()));
            continue;
        }
        if (part.tag == "OFFS") {
            contents.disabled.push_back(read_column(from, false, nullptr));
            continue;
        }
        if (part.tag == attributes_tag && !attributes) {
            attributes = from;
            continue;
        }
        if (part.tag[0] == 'X') {
            contents.extensions.push_back({std::string(part.tag), std::string(part.payload)});
            continue;
        }
        // The schema and the lists of entities are there once; columns may be repeated.
        bool& once = part.tag == "SCHM" ? has_schema : has_lists;
        if (part.tag == "SCHM" && !once) {
            read_schema(from, contents);
        } else if (part.tag == "ENTS" && !once) {
            read_lists(from, contents);
        } else if (part.tag == "OUTS" && contents.outside.empty()) {
            contents.outside = read_named(from);
        } else if (part.tag == "ORDR" && contents.order.ids.empty()) {
            read_order(from, contents.order);
        } else {
            from.fail("the part is unknown, or there twice");
        }
        once = once || part.tag == "SCHM" || part.tag == "ENTS";
        if (!from.at_end()) {
            from.fail("something follows the last value");
        }
    }
    if (!has_schema || !has_lists) {
        raise_damage("END.", file.size(), "the schema or the list of entities is missing");
    }
    if (attributes) {
        contents.schema.read_attributes(*attributes);
    }
    // The schema may stand behind the columns, so types of columns are checked at the end.
    for (saved_column& column : contents.columns) {
        if (column.form == column_form::values && column.type >= contents.schema.size()) {
            column.values.fail("a column has a type that the file does not have");
        }
    }
    return contents;
}

}  // namespace kith::values
