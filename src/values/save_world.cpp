// Writes worlds as save files (kith/save.hpp).
#include <kith/detail/assert.hpp>
#include <kith/detail/ops.hpp>
#include <kith/detail/state_ops.hpp>
#include <kith/query.hpp>
#include <kith/save.hpp>
#include <kith/snapshot.hpp>

#include "raise.hpp"
#include "save_blocks.hpp"
#include "save_contents.hpp"
#include "save_file.hpp"
#include "save_values.hpp"

#include <algorithm>
#include <unordered_set>

namespace kith {

namespace values {

namespace {

bool is_saved_cpp_type(entity_t entity) noexcept {
    return index_of(entity) < first_entity && detail::find_type(index_of(entity));
}

// Objects with code are no data.
bool is_code(const world_t* world, entity_t entity) {
    return detail::owns_id(world, entity, Observer) || detail::owns_id(world, entity, System) ||
           detail::owns_id(world, entity, Query);
}

class world_saver {
public:
    world_saver(const world& source, const save_options& options)
        : world_(source),
          is_part_(options.query != nullptr),
          refuses_outside_(options.outside == outside_policy::error),
          file_(is_part_ ? save_flag_part : 0, {options.zstd || options.planes, options.planes}) {
        if ((options.zstd || options.planes) && !has_zstd()) {
            raise(errc::invalid_operation,
                  "save: this program has no zstd: libzstd.so.1 cannot be loaded, or KITH_ZSTD is "
                  "off; save without compression");
        }
        if (is_part_) {
            world_.query(options.query).each([&](entity result) { wanted_.insert(result.id()); });
        }
    }

    std::string run(save_report& report) {
        find_entities();
        file_.reserve(is_part_ ? 0 : world_.stats().bytes_rows + plain_.size() * sizeof(entity_t));
        write_columns();
        write_disabled();
        write_entities();
        write_outside();
        write_storage_order();
        write_schema();
        write_attributes();
        write_extensions();
        report.entities = plain_.size();
        report.types = components_.size();
        report.outside = left_out_;
        std::string bytes = file_.finish();
        report.bytes = bytes.size();
        return bytes;
    }

private:
    enum class place : std::uint8_t { absent, code, transient, builtin, type, constant, plain };

    // -- entities
    void find_entities() {
        // Code and constants are found by their ids, not entity by entity.
        detail::each_stored_id(
            world_,
            [](void* context, const detail::stored_ids& ids) {
                auto& me = *static_cast<world_saver*>(context);
                if (ids.id == Observer || ids.id == System || ids.id == Query) {
                    me.set_places(ids, place::code);
                } else if (is_pair(ids.id) && pair_first(ids.id) == ChildOf &&
                           is_saved_cpp_type(pair_second(ids.id))) {
                    me.set_places(ids, place::constant);
                } else if (ids.id == detail::component_type_id) {
                    me.declared_.insert(me.declared_.end(), ids.entities, ids.entities + ids.count);
                }
            },
            this);
        detail::each_alive(
            world_,
            [](void* context, entity_t entity) {
                static_cast<world_saver*>(context)->file_entity(entity);
            },
            this);
    }
    void set_places(const detail::stored_ids& ids, place where) {
        for (std::size_t i = 0; i < ids.count; ++i) {
            const std::uint32_t index = index_of(ids.entities[i]);
            grow_places(index);
            places_[index] = where;
        }
    }
    void grow_places(std::uint32_t index) {
        if (index >= places_.size()) {
            places_.resize(std::max<std::size_t>(places_.size() * 2, index + 1), place::absent);
        }
    }
    void file_entity(entity_t entity) {
        const std::uint32_t index = index_of(entity);
        grow_places(index);
        if (index < first_entity) {
            const bool is_type = is_saved_cpp_type(entity);
            if (is_type && detail::owns_id(world_, entity, Transient)) {
                transients_.push_back(entity);
                places_[index] = place::transient;
                return;
            }
            places_[index] = is_type ? place::type : place::builtin;
            if (is_type) {
                note_scopes(entity);
            }
        } else if (is_part_ && !wanted_.contains(entity)) {
            places_[index] = place::absent;
        } else if (places_[index] == place::constant) {
            constants_.push_back(entity);
        } else if (places_[index] != place::code) {
            places_[index] = place::plain;
            plain_.push_back(entity);
        }
    }
    // The entities of namespaces. They come first in the file, parents before children.
    void note_scopes(entity_t type) {
        std::vector<entity_t> above;
        for (entity_t at = detail::target_of(world_, type, ChildOf, 0); at >= first_entity;
             at = detail::target_of(world_, at, ChildOf, 0)) {
            above.push_back(at);
        }
        for (auto at = above.rbegin(); at != above.rend() && !is_part_; ++at) {
            if (std::find(scopes_.begin(), scopes_.end(), *at) == scopes_.end()) {
                scopes_.push_back(*at);
            }
        }
    }
    // The names from the root on; empty if the entity, or a parent of it, has none.
    std::string path_of(entity_t entity) const {
        for (entity_t at = entity; at != 0; at = detail::target_of(world_, at, ChildOf, 0)) {
            if (detail::name_of(world_, at, Name).empty()) {
                return {};
            }
        }
        return detail::path_of(world_, 0, entity, path_separator, "").c_str();
    }
    // True if a reference to the entity can be written: it is in the file, or found by its path.
    bool can_refer(entity_t entity) {
        const std::uint32_t index = index_of(entity);
        if (index < places_.size() && places_[index] > place::transient) {
            return true;
        }
        if (!is_part_ || !detail::is_alive(world_, entity)) {
            return false;
        }
        if (path_of(entity).empty()) {
            if (refuses_outside_) {
                raise(errc::invalid_value, std::string("save: ") +
                                               detail::id_text(world_, entity).c_str() +
                                               " is outside of the part, and has no path");
            }
            ++left_out_;
            return false;
        }
        if (std::find(outside_.begin(), outside_.end(), entity) == outside_.end()) {
            outside_.push_back(entity);
        }
        return true;
    }

    // -- columns
    // Ids and values in the order of storage.
    void write_columns() {
        add_declared_types();
        detail::each_stored_id(
            world_,
            [](void* context, const detail::stored_ids& ids) {
                static_cast<world_saver*>(context)->write_ids(ids);
            },
            this);
    }
    // Types that were declared at run time are saved without values, too.
    void add_declared_types() {
        std::sort(declared_.begin(), declared_.end());
        for (entity_t component : declared_) {
            const description* type = places_[index_of(component)] == place::plain
                                          ? detail::find_description(world_, component)
                                          : nullptr;
            if (type && type->what != kind::none) {
                add_component(component, schema_.add(world_, *type));
            }
        }
    }
    void add_component(entity_t component, std::uint32_t type) {
        if (std::any_of(components_.begin(), components_.end(),
                        [&](const auto& known) { return known.entity == component; })) {
            return;
        }
        const type_library* library = find_library(world_);
        const type_drift* drift = library ? library->find_drift(component) : nullptr;
        components_.push_back({component, type, drift ? drift->version : 0});
    }
    bool is_wanted(id_t id) {
        const entity_t element =
            detail::get_alive(world_, is_pair(id) ? pair_first(id) : index_of(id & ~id_flags_mask));
        if (element == 0 || id == detail::component_type_id ||
            detail::owns_id(world_, element, Transient) || is_code(world_, element)) {
            return false;
        }
        return can_refer(element) &&
               (!is_pair(id) || can_refer(detail::get_alive(world_, pair_second(id))));
    }
    // Names and scopes of C++ types come from the program.
    bool is_wanted(entity_t entity, id_t id) const {
        const place where = places_[index_of(entity)];
        if (where == place::type) {
            const bool own = is_pair(id) && (pair_first(id) == detail::identifier_type_id ||
                                             pair_first(id) == ChildOf);
            return !is_part_ && !own;
        }
        return where == place::plain || (where == place::constant && !is_part_);
    }
    // Plain entities are written with all of their ids, and columns of one table follow each other.
    std::size_t count_wanted(const detail::stored_ids& ids) {
        const entity_t* const end = ids.entities + ids.count;
        if (!ids.values || ids.entities != last_entities_ || !are_plain_) {
            are_plain_ = std::all_of(ids.entities, end, [&](entity_t one) {
                return places_[index_of(one)] == place::plain;
            });
        }
        return are_plain_
                   ? ids.count
                   : static_cast<std::size_t>(std::count_if(
                         ids.entities, end, [&](entity_t one) { return is_wanted(one, ids.id); }));
    }
    // One part of the file: an id, its entities and their values.
    void write_ids(const detail::stored_ids& ids) {
        const std::size_t wanted = count_wanted(ids);
        if (wanted == 0 || !is_wanted(ids.id)) {
            return;
        }
        std::vector<std::size_t> rows;  // empty: all
        for (std::size_t i = 0; wanted != ids.count && i < ids.count; ++i) {
            if (is_wanted(ids.entities[i], ids.id)) {
                rows.push_back(i);
            }
        }
        const bool is_name = is_pair(ids.id) && pair_first(ids.id) == detail::identifier_type_id;
        const description* type =
            ids.type && !is_name ? &saved_description(world_, ids.id) : nullptr;
        const std::uint32_t number = type ? schema_.add(world_, *type) : no_type;
        if (type) {
            add_component(ids.component, number);
        }
        file_.begin_part("COLS");
        byte_writer& out = file_.bytes();
        out.number(ids.id);
        out.number(number);
        const column_form form = is_name ? column_form::names
                                 : type  ? column_form::values
                                         : column_form::tags;
        // The columns of a table have the same entities.
        const bool same = rows.empty() && ids.values && ids.entities == last_entities_;
        out.number(static_cast<std::uint8_t>(static_cast<std::uint8_t>(form) |
                                             (same ? same_entities : 0)));
        if (!same) {
            out.number(static_cast<std::uint32_t>(wanted));
            write_entities_of(ids, rows);
        }
        last_entities_ = rows.empty() ? ids.entities : nullptr;
        if (is_name) {
            each_row(ids, rows, [&](std::size_t row) {
                out.text(std::string_view(
                    detail::name_of(world_, ids.entities[row], pair_second(ids.id)).c_str()));
            });
        } else if (type) {
            write_values(ids, *type, rows);
        }
        file_.end_part(type && is_saved_as_memory(world_, *type) ? type->life.size : 0);
    }
    // Calls visit(row) for these rows, for all rows if there are none.
    template <class Visit>
    static void each_row(const detail::stored_ids& ids, const std::vector<std::size_t>& rows,
                         Visit&& visit) {
        for (std::size_t i = 0; i < (rows.empty() ? ids.count : rows.size()); ++i) {
            visit(rows.empty() ? i : rows[i]);
        }
    }
    void write_entities_of(const detail::stored_ids& ids, const std::vector<std::size_t>& rows) {
        if (rows.empty()) {
            file_.bytes().raw(ids.entities, ids.count * sizeof(entity_t));
            return;
        }
        each_row(ids, rows, [&](std::size_t row) { file_.bytes().number(ids.entities[row]); });
    }
    void write_values(const detail::stored_ids& ids, const description& type,
                      const std::vector<std::size_t>& rows) {
        KITH_ASSERT(ids.values || ids.each, "an id with a type has values");
        byte_writer& out = file_.bytes();
        const bool plain = is_saved_as_memory(world_, type);
        if (plain && ids.values && rows.empty()) {
            out.raw(ids.values, ids.count * type.life.size);
            return;
        }
        const entity_mapping entities{
            [](void* context, entity_t referred) -> entity_t {
                auto& me = *static_cast<world_saver*>(context);
                // Whole worlds keep handles of the dead: their ids are not used again.
                return referred == 0 || (!me.is_part_ && !detail::is_alive(me.world_, referred)) ||
                               me.can_refer(referred)
                           ? referred
                           : 0;
            },
            this};
        each_row(ids, rows, [&](std::size_t row) {
            const void* value = ids.each
                                    ? ids.each[row]
                                    : static_cast<const char*>(ids.values) + row * type.life.size;
            if (plain) {
                out.raw(value, type.life.size);
            } else {
                write_value(out, world_, type, value, entities);
            }
        });
    }
    // Ids that are switched off, by id.
    void write_disabled() {
        detail::each_disabled_id(
            world_,
            [](void* context, const detail::stored_ids& ids) {
                auto& me = *static_cast<world_saver*>(context);
                std::vector<entity_t> entities;
                std::copy_if(ids.entities, ids.entities + ids.count, std::back_inserter(entities),
                             [&](entity_t one) { return me.is_wanted(one, ids.id); });
                if (entities.empty() || !me.is_wanted(ids.id)) {
                    return;
                }
                me.file_.begin_part("OFFS");
                me.file_.bytes().number(ids.id);
                me.file_.bytes().number(static_cast<std::uint32_t>(entities.size()));
                me.file_.bytes().raw(entities.data(), entities.size() * sizeof(entity_t));
                me.file_.end_part();
            },
            this);
    }

    // -- lists
    void write_list(const std::vector<entity_t>& entities, bool with_paths) {
        byte_writer& out = file_.bytes();
        out.number(static_cast<std::uint32_t>(entities.size()));
        if (!with_paths) {
            out.raw(entities.data(), entities.size() * sizeof(entity_t));
            return;
        }
        for (entity_t one : entities) {
            out.number(one);
            out.text(path_of(one));
        }
    }
    void write_entities() {
        std::vector<entity_t> free_ids;
        if (!is_part_) {
            detail::each_free_id(
                world_,
                [](void* context, entity_t next) {
                    static_cast<std::vector<entity_t>*>(context)->push_back(next);
                },
                &free_ids);
        }
        std::vector<entity_t> types;
        std::vector<entity_t> builtins;
        for (std::uint32_t index = 1; index < std::min<std::size_t>(places_.size(), first_entity);
             ++index) {
            if (places_[index] == place::type || places_[index] == place::builtin) {
                const entity_t entity = detail::get_alive(world_, index);
                (places_[index] == place::type ? types : builtins).push_back(entity);
            }
        }
        file_.begin_part("ENTS");
        write_list(plain_, false);
        write_list(free_ids, false);
        write_list(builtins, true);
        write_list(types, true);
        write_list(constants_, true);
        write_list(scopes_, true);
        write_list(transients_, true);
        file_.end_part();
    }
    // The entities that a part refers to by path.
    void write_outside() {
        file_.begin_part("OUTS");
        write_list(outside_, true);
        file_.end_part();
    }
    // A whole world gets its tables and ids back with their numbers.
    void write_storage_order() {
        if (!is_part_) {
            file_.begin_part("ORDR");
            write_order(file_.bytes(), detail::read_storage_order(world_));
            file_.end_part();
        }
    }
    // The schema comes last, because columns add types to it.
    void write_schema() {
        file_.begin_part("SCHM");
        schema_.write(file_.bytes());
        file_.bytes().number(static_cast<std::uint32_t>(components_.size()));
        for (const saved_component& component : components_) {
            file_.bytes().number(component.entity);
            file_.bytes().number(component.type);
            file_.bytes().number(component.version);
        }
        file_.end_part();
    }

    void write_attributes() {
        if (schema_.has_attributes()) {
            file_.begin_part(attributes_tag);
            schema_.write_attributes(file_.bytes());
            file_.end_part();
        }
    }

    void write_extensions() {
        type_library* library = is_part_ ? nullptr : find_library(world_);
        for (std::size_t i = 0; library && i < library->extensions().size(); ++i) {
            const auto& [tag, payload] = library->extensions()[i];
            file_.begin_part(tag.c_str());
            file_.bytes().raw(payload.data(), payload.size());
            file_.end_part();
        }
    }

    const world& world_;
    bool is_part_;
    bool refuses_outside_;
    file_writer file_;
    file_schema schema_;
    std::unordered_set<entity_t> wanted_;  // of a part
    std::vector<place> places_;            // by index
    std::vector<entity_t> plain_;
    std::vector<entity_t> constants_;
    std::vector<entity_t> scopes_;
    std::vector<entity_t> transients_;  // C++ types that are Transient
    std::vector<entity_t> outside_;
    std::vector<entity_t> declared_;  // entities that are components
    std::vector<saved_component> components_;
    const entity_t* last_entities_ = nullptr;  // of the last column, if that has all of its table
    bool are_plain_ = false;                   // the entities of the last column
    std::size_t left_out_ = 0;
};

}  // namespace

}  // namespace values

std::string save_to_string(const world& source, const save_options& options, save_report* report) {
    save_report counted;
    std::string bytes = values::world_saver(source, options).run(report ? *report : counted);
    return bytes;
}

save_report save(const world& source, const char* file, const save_options& options) {
    save_report report;
    const std::string bytes = save_to_string(source, options, &report);
    values::replace_file(file, bytes, options.sync);
    return report;
}

save_report save(const snapshot& source, const char* file, const save_options& options) {
    return save(source.open(), file, options);
}

save_report save(const world& source, const sink& to, const save_options& options) {
    constexpr std::size_t most = 64 << 10;  // bytes of a part
    save_report report;
    const std::string bytes = save_to_string(source, options, &report);
    for (std::size_t at = 0; at < bytes.size(); at += most) {
        if (!to.write(to.context, bytes.data() + at, std::min(most, bytes.size() - at))) {
            values::raise(errc::invalid_operation, "save: the sink takes no more bytes");
        }
    }
    return report;
}

}  // namespace kith
