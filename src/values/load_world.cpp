// Reads save files into worlds (kith/save.hpp). The contents are made in a world of their own
// first, which finds everything that is wrong with the file before the world of the program
// changes.
#include <kith/detail/ops.hpp>
#include <kith/detail/state_ops.hpp>
#include <kith/save.hpp>
#include <kith/snapshot.hpp>

#include "assign.hpp"
#include "entity_map.hpp"
#include "life.hpp"
#include "raise.hpp"
#include "registry.hpp"
#include "save_blocks.hpp"
#include "save_contents.hpp"
#include "save_file.hpp"
#include "save_values.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace kith {

namespace values {

namespace {

// The order in which ids are added: properties of components before values, bases behind the ids
// that they may copy to instances, names last.
int load_rank(id_t id) noexcept {
    if (id & Override) {
        return 4;
    }
    if (!is_pair(id)) {
        return (id >= Tag && id <= Transient) || id == Relationship ? 0 : 2;
    }
    switch (pair_first(id)) {
        case With:
        case OneOf:
        case OnDelete:
        case OnDeleteTarget:
            return 0;
        case ChildOf:
            return 1;
        case IsA:
            return 3;
        default:
            return pair_first(id) == detail::identifier_type_id ? 5 : 2;
    }
}

// The id of a C++ type of the process with the path of a type of the file, 0 if there is none. Of
// several types with one name, local to different sources, the one with the saved id is meant, else
// one that has a description.
std::uint32_t find_cpp_type(const named_entity& saved) {
    std::string name = saved.path;
    for (std::size_t at = name.find(path_separator); at != std::string::npos;
         at = name.find(path_separator, at)) {
        name.replace(at, 1, "::");
    }
    auto is_named = [&](std::uint32_t type) {
        const type_info* info = detail::find_type(type);
        return info && info->name && name == info->name;
    };
    if (is_named(index_of(saved.entity))) {
        return index_of(saved.entity);
    }
    std::uint32_t found = 0;
    for (std::uint32_t type = 1; type < first_entity; ++type) {
        if (is_named(type) && (found == 0 || !find_process_description(found))) {
            found = type;
        }
    }
    return found;
}

entity_t find_by_path(const world& target, const std::string& path) {
    return path.empty()
               ? 0
               : detail::lookup_path(target, 0, path, path_separator, path_separator, false);
}

std::string readable_path(std::string path) {
    std::replace(path.begin(), path.end(), path_separator[0], '.');
    return path;
}

constexpr int value_rank = 2;  // see load_rank()

constexpr const char* skip_note = "skipped: this program has no such type";

// Makes the contents of a file in a world by operations.
class world_loader {
public:
    // `program` has the types of the world that the file is loaded into, null if it has none.
    world_loader(saved_world& contents, const world& target, const load_file_options& options,
                 load_report& report, const type_library* program)
        : contents_(contents),
          world_(target),
          options_(options),
          report_(report),
          program_(program),
          names_(contents),
          map_(contents.plain.size()) {}

    // With `exact`, entities have the ids of the file. Requires then: the world is new. Without
    // `is_final`, values of types that only the world of the program describes are left out.
    void run(bool exact, const world_loader* rehearsal, bool is_final) {
        exact_ = exact;
        is_rehearsal_ = !is_final;
        check_outside();
        find_builtins();
        find_skipped();
        find_program_types();
        make_entities(rehearsal);
        name_scopes(contents_.scopes);
        name_scopes(type_scopes_);
        find_known();
        define_types();
        find_constants();
        add_parents();
        add_columns();
        switch_off();
        if (!contents_.extensions.empty() && is_final) {
            ensure_library(world_).extensions() = contents_.extensions;
        }
        if (exact) {
            free_ids();
        }
    }
    // The run-time types that the file has brought along.
    const std::vector<entity_t>& defined() const noexcept { return defined_; }
    // The path that an entity of the file has in this world, empty if it has none.
    std::string path_of(entity_t saved) const {
        const entity_t made = mapped(saved);
        for (entity_t at = made; at != 0; at = detail::target_of(world_, at, ChildOf, 0)) {
            if (detail::name_of(world_, at, Name).empty()) {
                return {};
            }
        }
        return detail::path_of(world_, 0, made, path_separator, "").c_str();
    }

    // The order of the file's storage, with the entities of this world.
    detail::storage_order order() const {
        const detail::storage_order& saved = contents_.order;
        detail::storage_order order;
        order.free_ids = saved.free_ids;
        order.free_entities = contents_.free_ids;
        order.next_index = saved.next_index;
        order.free_tables = saved.free_tables;
        auto map_ids = [&](std::vector<id_t>& to, const std::vector<id_t>& from) {
            std::transform(from.begin(), from.end(), std::back_inserter(to),
                           [&](id_t id) { return ordered_id(id); });
        };
        auto map_links = [&](std::vector<detail::link_order>& to,
                             const std::vector<detail::link_order>& from) {
            for (const detail::link_order& list : from) {
                to.push_back({mapped(list.relation), mapped(list.entity), {}});
                map_rows(to.back().others, list.others);
            }
        };
        map_ids(order.ids, saved.ids);
        for (const std::vector<id_t>& ids : saved.tables) {
            map_ids(order.tables.emplace_back(), ids);
            std::sort(order.tables.back().begin(), order.tables.back().end());
        }
        map_links(order.targets, saved.targets);
        map_links(order.sources, saved.sources);
        map_rows(order.rows, saved.rows);
        // The other tables have their rows in the order of their columns.
        const saved_column* last = nullptr;
        for (const saved_column& column : contents_.columns) {
            if (!last || last->entities != column.entities) {
                map_rows(order.rows, column.entities);
            }
            last = &column;
        }
        return order;
    }

private:
    // -- order
    void map_rows(std::vector<entity_t>& to, const std::vector<entity_t>& from) const {
        for (entity_t saved : from) {
            if (const entity_t own = mapped(saved)) {
                to.push_back(own);
            }
        }
    }
    // The id with the entities of this world, 0 if it has none. The id may be one that no entity
    // can have.
    id_t ordered_id(id_t saved) const {
        const id_t flags = saved & id_flags_mask;
        if (!is_pair(saved)) {
            const entity_t element = mapped(saved & ~id_flags_mask);
            return element != 0 ? element | flags : 0;
        }
        const entity_t first = mapped(pair_first(saved));
        const entity_t second = mapped(pair_second(saved));
        return first != 0 && second != 0 ? make_pair(first, second) | flags : 0;
    }

    // -- entities
    // Entities exist before all ids, because ids refer to entities in any order.
    void make_entities(const world_loader* rehearsal) {
        std::unordered_set<entity_t> components;
        for (const saved_component& component : contents_.components) {
            components.insert(component.entity);
        }
        std::vector<entity_t> chosen;  // entities with the ids of the file
        for (entity_t saved : contents_.plain) {
            if (!program_types_.empty() && program_types_.contains(index_of(saved))) {
                continue;
            }
            if (exact_) {
                chosen.push_back(saved);
            }
            entity_t made = saved;
            if (!exact_) {
                // A type with the path of a component of the world is that component.
                const bool is_type = components.contains(saved);
                const bool merges = is_type || options_.names == names_policy::join;
                const std::string path = rehearsal && merges ? rehearsal->path_of(saved) : "";
                made = find_by_path(world_, path);
                if (made == 0 && is_type && program_ && !is_rehearsal_) {
                    made = program_->find_renamed(path);
                }
                if (made != 0 &&
                    (options_.names == names_policy::join || detail::type_of(world_, made))) {
                    merged_.insert(made);
                } else {
                    made = detail::new_id(world_);
                }
            }
            map_.emplace(saved, made);
        }
        detail::make_all_alive(world_, chosen.data(), chosen.size());
        // Entities that types need get ids from here on.
        for (const named_entity& constant : contents_.constants) {
            if (exact_ && !is_skipped(constant.entity)) {
                detail::make_alive(world_, constant.entity);
            }
        }
        report_.entities = contents_.plain.size();
    }
    // A type that was declared at run time, or kept for another program, is the C++ type with its
    // path. The type finds its scopes by name.
    void find_program_types() {
        for (const saved_component& component : contents_.components) {
            if (index_of(component.entity) < first_entity) {
                continue;
            }
            const std::string path = names_.path(component.entity, path_separator);
            const std::uint32_t own = find_own_type({0, path});
            if (own == 0) {
                continue;
            }
            program_types_.emplace(index_of(component.entity), own);
            std::vector<named_entity> above;
            constexpr std::size_t most_scopes = 64;
            for (entity_t at = names_.parent(component.entity);
                 at != 0 && above.size() < most_scopes; at = names_.parent(at)) {
                above.push_back({at, names_.path(at, path_separator)});
            }
            type_scopes_.insert(type_scopes_.end(), above.rbegin(), above.rend());
        }
    }
    // Types find their scopes by name. In a world that is in use, they exist by their path or with
    // the types.
    void name_scopes(const std::vector<named_entity>& scopes) {
        for (const named_entity& scope : scopes) {
            entity_map::entry* const own = map_.find(scope.entity);
            if (!own) {
                raise_damage("ENTS", 0, "a scope is no entity of the file");
            }
            if (!exact_) {
                const entity_t present = find_by_path(world_, scope.path);
                if (present != 0 && present != own->made) {
                    detail::delete_entity(world_, own->made);
                    own->made = present;
                    merged_.insert(present);
                    continue;
                }
            }
            const std::size_t last = scope.path.rfind(path_separator);
            if (last != std::string::npos) {
                const entity_t parent = find_by_path(world_, scope.path.substr(0, last));
                if (parent != 0) {
                    detail::add_id(world_, own->made, make_pair(ChildOf, parent));
                }
            }
            detail::set_name(world_, own->made,
                             last == std::string::npos ? scope.path : scope.path.substr(last + 1));
        }
    }
    // The rehearsal lacks the entities of the program.
    void check_outside() const {
        if (options_.outside != outside_policy::error || is_rehearsal_) {
            return;
        }
        for (const named_entity& other : contents_.outside) {
            if (find_by_path(world_, other.path) == 0 && find_own_type(other) == 0 &&
                !is_component(other.entity)) {
                raise(errc::invalid_value, "load: the file refers to " + readable_path(other.path) +
                                               ", which the world does not have");
            }
        }
    }
    void find_builtins() {
        for (const named_entity& builtin : contents_.builtins) {
            know(builtin, find_by_path(world_, builtin.path));
        }
    }
    // With unknown_policy::skip, types that the program lacks have no entity, and neither have
    // their constants.
    void find_skipped() {
        if (options_.unknown != unknown_policy::skip) {
            return;
        }
        std::vector<std::string> scopes;
        auto skip_unknown = [&](const named_entity& type) {
            if (find_by_path(world_, type.path) == 0 && find_own_type(type) == 0) {
                skipped_.insert(index_of(type.entity));
                scopes.push_back(type.path + path_separator);
                add_note(readable_path(type.path), skip_note);
            }
        };
        std::for_each(contents_.types.begin(), contents_.types.end(), skip_unknown);
        for (const named_entity& other : contents_.outside) {
            if (is_component(other.entity)) {
                skip_unknown(other);
            }
        }
        for (const named_entity& constant : contents_.constants) {
            if (std::any_of(scopes.begin(), scopes.end(), [&](const std::string& scope) {
                    return constant.path.starts_with(scope);
                })) {
                skipped_.insert(index_of(constant.entity));
            }
        }
    }
    bool is_component(entity_t saved) const {
        return std::any_of(contents_.components.begin(), contents_.components.end(),
                           [&](const auto& known) { return known.entity == saved; });
    }
    // `saved`: an entity of the file, or its index.
    bool is_skipped(entity_t saved) const { return skipped_.contains(index_of(saved)); }
    // True for a column of a type that is left out. Entities of run-time types stay, without a
    // type.
    bool is_skipped(const saved_column& column) const {
        if (skipped_.empty()) {
            return false;
        }
        const bool known = detail::type_of(world_, mapped_id(column.id)) != nullptr;
        auto has_skipped = [&](std::uint32_t element) {
            return is_skipped(element) &&
                   (mapped(element) == 0 || (column.form == column_form::values && !known));
        };
        return is_pair(column.id)
                   ? has_skipped(pair_first(column.id)) || has_skipped(pair_second(column.id))
                   : has_skipped(index_of(column.id & ~id_flags_mask));
    }
    // Builtin entities, C++ types and constants of enums belong to the program: the file has their
    // paths, and the program has their ids.
    void find_known() {
        for (entity_t saved : contents_.plain) {
            const auto found = program_types_.find(index_of(saved));
            if (found != program_types_.end()) {
                const entity_t own = detail::ensure_component(world_, found->second);
                know({saved, {}}, own);
                merged_.insert(own);
            }
        }
        for (const named_entity& type : contents_.types) {
            if (is_skipped(type.entity)) {
                know(type, 0);
                continue;
            }
            entity_t found = find_by_path(world_, type.path);
            if (found == 0 || index_of(found) >= first_entity) {
                const std::uint32_t own = find_own_type(type);
                found = own != 0 ? detail::ensure_component(world_, own) : found;
            }
            know(type, found != 0 ? found : make_unknown(type));
        }
        // Transient types are part of the order of storage only: the program may lack them.
        for (const named_entity& type : contents_.transients) {
            if (exact_ && type.path == library_path()) {
                ensure_library(world_);
            }
            const entity_t found = find_by_path(world_, type.path);
            const std::uint32_t own = found == 0 ? find_cpp_type(type) : 0;
            know(type, own != 0 ? detail::ensure_component(world_, own) : found);
        }
        for (const named_entity& other : contents_.outside) {
            const entity_t found = find_by_path(world_, other.path);
            const std::uint32_t own = found == 0 ? find_own_type(other) : 0;
            const bool is_missing =
                found == 0 && is_component(other.entity) && !is_skipped(other.entity);
            // A part needs the types of its values.
            know(other, own != 0     ? detail::ensure_component(world_, own)
                        : is_missing ? make_unknown(other)
                                     : found);
        }
    }
    // Types are defined before, because a tag with children cannot become a component.
    void find_constants() {
        for (const named_entity& constant : contents_.constants) {
            if (is_skipped(constant.entity)) {
                know(constant, 0);
                continue;
            }
            constants_.insert(index_of(constant.entity));
            if (exact_) {
                know(constant, constant.entity);
                continue;
            }
            const entity_t found = find_by_path(world_, constant.path);
            know(constant, found != 0 ? found
                                      : detail::ensure_path(world_, 0, constant.path,
                                                            path_separator, path_separator));
        }
    }
    // By path, then by the path that a type of the program had.
    std::uint32_t find_own_type(const named_entity& type) const {
        if (const std::uint32_t own = find_cpp_type(type)) {
            return own;
        }
        const entity_t renamed = program_ ? program_->find_renamed(type.path) : 0;
        return index_of(renamed) < first_entity ? index_of(renamed) : 0;
    }
    // The path of the component that holds the run-time types of a world.
    static std::string library_path() {
        return std::string("kith") + path_separator + "TypeLibrary";
    }
    // An entity that is found by its path. 0: it is not there, and references are left out.
    void know(const named_entity& known, entity_t found) { map_.emplace(known.entity, found); }
    // A type that the program lacks becomes an entity with its path; define_types() describes it.
    entity_t make_unknown(const named_entity& type) {
        KITH_ASSERT(!map_.find(type.entity), "a type is looked for once");
        if (options_.unknown == unknown_policy::error) {
            raise(errc::invalid_type,
                  "this program has no type " + readable_path(type.path) + ", which the file has");
        }
        if (type.path.empty()) {
            raise_damage("ENTS", 0, "a type has no path");
        }
        add_note(readable_path(type.path), "kept: this program has no such type");
        return detail::ensure_path(world_, 0, type.path, path_separator, path_separator);
    }
    void add_note(const std::string& path, const char* what) {
        const std::string line = path + ": " + what + "\n";
        if (report_.notes.find(line) == std::string::npos) {
            report_.notes += line;
        }
    }
    // Components that no C++ type stands for become run-time types.
    void define_types() {
        std::vector<file_schema::component_type> made;
        std::vector<file_schema::component_type> present;
        for (const saved_component& component : contents_.components) {
            const entity_t own = mapped(component.entity);
            if (is_skipped(component.entity)) {
                continue;
            }
            if (own == 0) {
                raise_damage("SCHM", 0, "a component is no entity of the file");
            }
            if (!detail::find_description(world_, own) && !detail::type_of(world_, own)) {
                // The rehearsal lacks the run-time types of the program.
                if (options_.unknown == unknown_policy::skip && !is_rehearsal_) {
                    skipped_.insert(index_of(component.entity));
                    add_note(readable_path(names_.path(component.entity, path_separator)),
                             skip_note);
                    continue;
                }
                defined_.push_back(own);
                made.push_back({own, component.type});
                // A type that is kept is saved again with its version.
                if (component.version > 0) {
                    ensure_library(world_).drift_of(own).version = component.version;
                }
            } else {
                present.push_back({own, component.type});
            }
            ++report_.types;
        }
        if (!made.empty()) {
            contents_.schema.define(world_, made, present);
        }
    }
    // The entity of the world for an entity of the file, 0 if the world has none.
    entity_t mapped(entity_t saved) const {
        const entity_map::entry* found = map_.find(saved);
        return found ? found->made : 0;
    }
    // A handle: an entity that died before the file was written stays dead in an exact copy.
    entity_t mapped_handle(entity_t saved) {
        const entity_map::entry* known = map_.find(saved);
        if (known && known->saved == saved) {
            report_.outside += known->made == 0;
            return known->made;
        }
        return exact_ ? saved : 0;
    }
    // 0 if an element is not there.
    id_t mapped_id(id_t saved) const {
        const id_t flags = saved & id_flags_mask;
        if (!is_pair(saved)) {
            const entity_t element = mapped(saved & ~id_flags_mask);
            return element != 0 ? element | flags : 0;
        }
        const entity_t first = mapped(pair_first(saved));
        const entity_t second = mapped(pair_second(saved));
        if (first == 0 || second == 0) {
            return 0;
        }
        return detail::checked_pair(world_, first, second, "load") | flags;
    }

    // -- ids
    // Entities without a parent in the file get the one that the options name.
    void add_parents() {
        if (options_.under == 0 || exact_) {
            return;
        }
        std::unordered_set<entity_t> with_parent;
        for (const saved_column& column : contents_.columns) {
            if (is_pair(column.id) && pair_first(column.id) == ChildOf) {
                with_parent.insert(column.entities.begin(), column.entities.end());
            }
        }
        for (entity_t saved : contents_.plain) {
            const entity_t made = mapped(saved);
            if (!with_parent.contains(saved) && !merged_.contains(made)) {
                detail::add_id(world_, made, make_pair(ChildOf, options_.under));
            }
        }
    }
    // A fact that a rule refuses until another one is true is tried again behind the others.
    struct waiting_fact {
        const saved_column* column;
        std::size_t row;
        byte_reader values;
        std::exception_ptr reason;
    };
    // Columns are added by rank; columns of one rank in the order of the file, which is the order
    // of rows in the saved tables.
    void add_columns() {
        std::vector<const saved_column*> sorted;
        for (const saved_column& column : contents_.columns) {
            sorted.push_back(&column);
        }
        std::stable_sort(sorted.begin(), sorted.end(),
                         [](const saved_column* left, const saved_column* right) {
                             return load_rank(left->id) < load_rank(right->id);
                         });
        std::vector<waiting_fact> waiting;
        bool is_filled = false;
        for (const saved_column* column : sorted) {
            if (load_rank(column->id) >= value_rank && !is_filled) {
                fill_tables();
                is_filled = true;
            }
            if (!filled_.contains(column)) {
                add_column(*column, waiting);
            }
        }
        while (!waiting.empty()) {
            std::vector<waiting_fact> refused;
            for (waiting_fact& fact : waiting) {
                byte_reader values = fact.values;
                add_row(*fact.column, fact.row, values, refused);
            }
            if (refused.size() == waiting.size()) {
                std::rethrow_exception(refused.front().reason);
            }
            waiting.swap(refused);
        }
    }
    // Columns of the same entities come from one table, whose rows are made at once where no rule
    // is about them.
    void fill_tables() {
        const std::vector<saved_column>& columns = contents_.columns;
        for (std::size_t first = 0; first < columns.size();) {
            std::size_t end = first + 1;
            while (end < columns.size() && columns[end].entities == columns[first].entities) {
                ++end;
            }
            fill_table({&columns[first], end - first});
            first = end;
        }
    }
    void fill_table(std::span<const saved_column> columns) {
        std::vector<const saved_column*> filled;
        std::vector<id_t> ids;
        std::vector<const void*> values;
        std::vector<std::string_view> names;
        const saved_column* named = nullptr;
        for (const saved_column& column : columns) {
            if (column.form == column_form::names && !named && read_names(column, names)) {
                named = &column;
            }
            if (load_rank(column.id) != value_rank || is_skipped(column)) {
                continue;
            }
            const id_t id = mapped_id(column.id);
            const bool has_values = id != 0 && detail::type_of(world_, id);
            if (id != 0 && has_values == (column.form == column_form::values)) {
                ids.push_back(id);
                values.push_back(has_values ? memory_of(column, id) : nullptr);
                filled.push_back(&column);
            }
        }
        std::vector<entity_t> entities;
        for (entity_t saved : columns.front().entities) {
            // Constants of a program in use have their own facts.
            if (!exact_ && constants_.contains(index_of(saved))) {
                return;
            }
            entities.push_back(mapped(saved));
        }
        if (!detail::fill_bulk(world_, entities.data(), entities.size(), ids.data(), ids.size(),
                               values.data(), named ? names.data() : nullptr)) {
            return;
        }
        if (named) {
            filled_.insert(named);
        }
        for (std::size_t i = 0; i < filled.size(); ++i) {
            // Values that are no plain memory replace default values, row by row.
            if (values[i] || filled[i]->form == column_form::tags) {
                note_progress(entities.size());
                filled_.insert(filled[i]);
                report_.facts += entities.size();
            }
        }
    }
    // The names of the column's entities. False: the column has symbols or aliases, or the file
    // joins entities of the world.
    bool read_names(const saved_column& column, std::vector<std::string_view>& names) {
        if (is_skipped(column) || mapped_id(column.id) != detail::name_pair || !merged_.empty()) {
            return false;
        }
        names.clear();
        byte_reader texts = column.values;
        for (std::size_t i = 0; i < column.entities.size(); ++i) {
            names.push_back(texts.text());
        }
        return texts.at_end();
    }
    // The values of the column, if they are those of the program as they are; else null.
    const void* memory_of(const saved_column& column, id_t id) {
        find_type(column, id);
        byte_reader values = column.values;
        const std::size_t size = is_plain_ ? description_->life.size : 0;
        return size != 0 && values.left() == size * column.entities.size()
                   ? values.raw(values.left())
                   : nullptr;
    }
    void note_progress(std::size_t rows) {
        if (!options_.progress || is_rehearsal_) {
            return;
        }
        std::uint64_t size = 0;
        for (const saved_column& column : contents_.columns) {
            size += column.entities.size();
        }
        if (!options_.progress(options_.context, done_, size)) {
            raise(errc::invalid_operation, "load: the program has ended it");
        }
        done_ += rows;
    }
    void add_column(const saved_column& column, std::vector<waiting_fact>& waiting) {
        note_progress(column.entities.size());
        byte_reader values = column.values;
        const bool is_left_out = is_skipped(column);
        for (std::size_t row = 0; row < column.entities.size(); ++row) {
            const bool is_type =
                is_skipped(column.entities[row]) && mapped(column.entities[row]) == 0;
            if (is_left_out || is_type) {
                report_.skipped += !is_type;
                skip_value(column, values);
            } else {
                add_row(column, row, values, waiting);
            }
        }
        if (!values.at_end()) {
            values.fail("something follows the last value of a column");
        }
    }
    // Moves `values` behind the value of the row, also if the fact is refused.
    void add_row(const saved_column& column, std::size_t row, byte_reader& values,
                 std::vector<waiting_fact>& refused) {
        const byte_reader start = values;
        const entity_t entity = mapped(column.entities[row]);
        const id_t id = mapped_id(column.id);
        if (entity == 0) {
            values.fail("an entity of a column is not in the file");
        }
        // Constants of a program in use have their own facts.
        const bool is_given = !exact_ && constants_.contains(index_of(column.entities[row]));
        if (id == 0 || is_given) {
            report_.outside += !is_given;
            skip_value(column, values);
            return;
        }
#if defined(__cpp_exceptions)
        try {
            add_fact(column, entity, id, values);
        } catch (const error& reason) {
            if (reason.code() == errc::invalid_value) {
                raise(errc::invalid_value,
                      names_.path(column.entities[row], ".") + ": " + reason.what());
            }
            if (reason.code() == errc::invalid_file || reason.code() == errc::name_taken ||
                reason.code() == errc::invalid_type || reason.code() == errc::limit) {
                throw;
            }
            refused.push_back({&column, row, start, std::current_exception()});
            values = start;
            skip_value(column, values);
        }
#else
        (void)refused;
        (void)start;
        add_fact(column, entity, id, values);
#endif
    }
    // Moves behind the value of one row.
    void skip_value(const saved_column& column, byte_reader& values) {
        if (column.form == column_form::names) {
            values.text();
        } else if (column.form == column_form::values) {
            reader().skip(values, column.type);
        }
    }
    value_reader reader() {
        return value_reader(contents_.schema, world_,
                            {[](void* context, entity_t saved) {
                                 return static_cast<world_loader*>(context)->mapped_handle(saved);
                             },
                             this},
                            report_.notes, {program_, options_.lossy});
    }
    // One id of one entity: a name, a tag, or a value.
    void add_fact(const saved_column& column, entity_t entity, id_t id, byte_reader& values) {
        report_.facts += column.form != column_form::names;
        if (column.form == column_form::names) {
            set_name_of(entity, id, values.text());
        } else if (column.form == column_form::tags || !detail::type_of(world_, id)) {
            if (column.form == column_form::values) {
                add_note(detail::id_text(world_, id).c_str(), "is a tag now, its values dropped");
                skip_value(column, values);
            } else if (detail::type_of(world_, id) && !is_pair(id)) {
                add_note(detail::id_text(world_, id).c_str(), "has a value now, the default");
            }
            add_id(entity, id);
        } else {
            set_value_of(column, entity, id, values);
        }
    }
    void set_name_of(entity_t entity, id_t id, std::string_view text) {
        if (merged_.contains(entity)) {
            return;
        }
        if (pair_second(id) == Name) {
            detail::set_name(world_, entity, text);
        } else if (pair_second(id) == Symbol) {
            detail::set_symbol(world_, entity, text);
        } else {
            detail::set_alias(world_, entity, text);
        }
    }
    // The file has the children that an instance got from its prefab.
    void add_id(entity_t entity, id_t id) {
        if (is_pair(id) && pair_first(id) == IsA) {
            detail::add_base(world_, entity, detail::get_alive(world_, pair_second(id)));
        } else {
            detail::add_id(world_, entity, id);
        }
    }
    // Finds the type of a column's values. The last one is kept, because columns have values of one
    // type.
    void find_type(const saved_column& column, id_t id) {
        if (id == known_id_ && column.type == known_type_) {
            return;
        }
        known_id_ = id;
        known_type_ = column.type;
        is_plain_ = false;
        description_ = find_description_of(id);
        find_upgrades(id);
        if (description_) {
            file_schema own;
            const std::uint32_t number = own.add(world_, *description_);
            is_plain_ = is_saved_as_memory(world_, *description_) &&
                        own.layout(number) == contents_.schema.layout(column.type) &&
                        contents_.schema.least_size(column.type) == description_->life.size &&
                        !has_ranges(*description_) && !drift_;
        }
    }
    void set_value_of(const saved_column& column, entity_t entity, id_t id, byte_reader& values) {
        find_type(column, id);
        if (!description_) {
            skip_value(column, values);
            add_id(entity, id);
            return;
        }
        const type_info& info = description_->life;
        KITH_ASSERT(info.size != 0, "a type with values has a size");
        if (find_bytes_form(world_, id)) {
            set_bytes_of(entity, id, values);
            return;
        }
        value_box box(info);
        if (is_plain_) {
            __builtin_memcpy(box.get(), values.raw(info.size), info.size);
        } else if (drift_) {
            upgrade_value(column, id, values, box);
        } else {
            reader().read(values, column.type, *description_, box.get(),
                          detail::id_text(world_, id).c_str());
        }
        const detail::value_source source{
            &box,
            [](void* value, void* context) { static_cast<value_box*>(context)->move_to(value); },
            [](void* value, void* context) { static_cast<value_box*>(context)->assign_to(value); }};
        detail::set_value(world_, entity, id, 0, source);
    }
    // The type may have no default constructor.
    void set_bytes_of(entity_t entity, id_t id, byte_reader& values) {
        const type_info& info = description_->life;
        if (!is_plain_) {
            raise(errc::invalid_value,
                  std::string(detail::id_text(world_, id).c_str()) +
                      " is saved as bytes, and the file has values of another form: " + info.name +
                      " has " + std::to_string(info.size) + " bytes, aligned to " +
                      std::to_string(info.alignment));
        }
        struct bytes {
            const void* data;
            std::size_t size;
        } from{values.raw(info.size), info.size};
        const auto copy = [](void* value, void* context) {
            const bytes& given = *static_cast<bytes*>(context);
            __builtin_memcpy(value, given.data, given.size);
        };
        detail::set_value(world_, entity, id, 0, {&from, copy, copy});
    }
    // The version of the values, and the functions of the program that upgrade them.
    void find_upgrades(id_t id) {
        drift_ = nullptr;
        const entity_t component = detail::type_component(world_, id);
        const type_drift* drift = program_ ? program_->find_drift(component) : nullptr;
        for (const saved_component& saved : contents_.components) {
            if (drift && mapped(saved.entity) == component && saved.version < drift->version) {
                version_ = saved.version;
                drift_ = drift->upgrades.lower_bound(version_) != drift->upgrades.end() ? drift
                                                                                        : nullptr;
            }
        }
    }
    // Upgrades are called one after the other. The first one gets the value of the file, each other
    // one the value so far.
    void upgrade_value(const saved_column& column, id_t id, byte_reader& values,
                       const value_box& now) {
        const std::string path = detail::id_text(world_, id).c_str();
        const description& type = contents_.schema.describe(world_, column.type);
        value_box old(type.life);
        byte_reader start = values;
        reader().read(start, column.type, type, old.get(), path);
        reader().read_fitting(values, column.type, *description_, now.get(), path);
        const description* old_type = &type;
        for (auto step = drift_->upgrades.lower_bound(version_); step != drift_->upgrades.end();
             ++step) {
            call_upgrade(*step, value_view(world_, *old_type, old.get()), now.get(), path);
            old = value_box(description_->life, now.get());
            old_type = description_;
        }
        assignment state;
        state.world = world_;
        state.path = path;
        check_parts(state, *description_, now.get());
        add_note(path, ("upgraded from version " + std::to_string(version_)).c_str());
    }
    static void call_upgrade(const std::pair<const std::int32_t, upgrade_call>& step,
                             const value_view& old, void* now, const std::string& path) {
#if defined(__cpp_exceptions)
        try {
            step.second(old, now);
        } catch (const std::exception& reason) {
            raise(errc::invalid_value, path + ": the upgrade from version " +
                                           std::to_string(step.first) + " fails: " + reason.what());
        }
#else
        (void)path;
        step.second(old, now);
#endif
    }
    // A type that only the world of the program describes has no description in the rehearsal; its
    // values are read by the second run.
    const description* find_description_of(id_t id) {
        if (const description* found = find_saved_description(world_, id)) {
            return found;
        }
        if (!is_rehearsal_) {
            return &detail::require_description(world_, id);
        }
        return nullptr;
    }
    // Values of enums, truths and members with ranges are checked one by one.
    static bool has_ranges(const description& type) {
        return type.validate || type.what == kind::boolean || type.what == kind::enumeration ||
               type.what == kind::flags || (type.element && has_ranges(*type.element)) ||
               std::any_of(type.begin(), type.end(), [](const member_info& member) {
                   return (member.attributes && member.attributes->range.is_set) ||
                          has_ranges(*member.type);
               });
    }
    // Ids are switched off last, because adding an id switches it on.
    void switch_off() {
        for (const saved_column& column : contents_.disabled) {
            // The column of the values says whether they were left out.
            const bool is_left_out = std::any_of(
                contents_.columns.begin(), contents_.columns.end(),
                [&](const saved_column& own) { return own.id == column.id && is_skipped(own); });
            const id_t id = is_left_out ? 0 : mapped_id(column.id);
            for (entity_t saved : column.entities) {
                const entity_t entity = mapped(saved);
                if (is_skipped(saved) && entity == 0) {
                    continue;
                }
                if (entity == 0) {
                    raise_damage("OFFS", 0, "an entity is not in the file");
                }
                if (id != 0) {
                    detail::enable_id(world_, entity, id, false);
                }
            }
        }
    }
    // The last index that is freed is the first to be used again.
    void free_ids() {
        for (auto next = contents_.free_ids.rbegin(); next != contents_.free_ids.rend(); ++next) {
            const std::uint32_t index = index_of(*next);
            if (detail::get_alive(world_, index) != 0) {
                continue;  // a type of this program has it
            }
            const auto last =
                static_cast<std::uint16_t>(static_cast<std::uint32_t>(generation_of(*next)) - 1);
            detail::make_alive(world_, make_entity_id(index, last));
            detail::delete_entity(world_, make_entity_id(index, last));
        }
    }

    saved_world& contents_;
    const world& world_;
    const load_file_options& options_;
    load_report& report_;
    const type_library* program_;
    saved_names names_;
    bool exact_ = false;
    entity_map map_;
    std::vector<entity_t> defined_;
    std::unordered_map<std::uint32_t, std::uint32_t> program_types_;  // index in the file to type
    std::vector<named_entity> type_scopes_;                           // of these types
    std::unordered_set<std::uint32_t> constants_;  // of enums, by index in the file
    std::unordered_set<std::uint32_t> skipped_;  // types and their constants, by index in the file
    std::unordered_set<entity_t> merged_;        // entities that were there before
    id_t known_id_ = 0;
    std::uint32_t known_type_ = no_type;
    const description* description_ = nullptr;
    const type_drift* drift_ = nullptr;  // null: values of the known type are not upgraded
    std::int32_t version_ = 0;           // of the known type in the file
    bool is_plain_ = false;              // the values of the known type are copied
    std::unordered_set<const saved_column*> filled_;  // of tables that were made at once
    bool is_rehearsal_ = false;
    std::uint64_t done_ = 0;  // rows
};

// Returns a world to its state if loading fails. A world with values that cannot be copied has no
// such state; the rehearsal has found all mistakes of the file then.
class load_guard {
public:
    explicit load_guard(const world& target) : before_(target) {
#if defined(__cpp_exceptions)
        try {
            before_.take();
        } catch (const error& refused) {
            if (refused.code() != errc::not_copyable) {
                throw;
            }
        }
#endif
    }
    ~load_guard() {
#if defined(__cpp_exceptions)
        if (!done_ && !before_.empty()) {
            try {
                before_.restore();
            } catch (...) {
                // The error that ended the load is reported.
            }
        }
#endif
    }
    load_guard(const load_guard&) = delete;
    load_guard& operator=(const load_guard&) = delete;
    void release() noexcept {
        done_ = true;
    }

private:
    snapshot before_;
    bool done_ = false;
};

// Takes the types of a file out of the library of the program if loading fails.
class shared_types {
public:
    shared_types(type_library* library, const std::vector<entity_t>& defined) noexcept
        : library_(library), defined_(defined) {}
    ~shared_types() {
#if defined(__cpp_exceptions)
        try {
            remove_types();
        } catch (...) {
            // The error that ended the load is reported.
        }
#endif
    }
    shared_types(const shared_types&) = delete;
    shared_types& operator=(const shared_types&) = delete;
    void release() noexcept {
        library_ = nullptr;
    }

private:
    void remove_types() {
        for (std::size_t i = 0; library_ && i < defined_.size(); ++i) {
            library_->remove(defined_[i]);
        }
    }

    type_library* library_;
    const std::vector<entity_t>& defined_;
};

void check_limits(const saved_world& contents, const load_file_options& options) {
    const auto check = [](std::uint64_t count, std::uint64_t most, const char* what) {
        if (count > most) {
            raise(errc::limit, "the file has " + std::to_string(count) + " " + what +
                                   ", and the limit is " + std::to_string(most));
        }
    };
    check(contents.plain.size(), options.entities, "entities");
    check(contents.components.size(), options.types, "types");
    for (std::uint32_t number = 0; number < contents.schema.size(); ++number) {
        check(contents.schema.at(number).members.size(), options.members, "members of a type");
    }
}

// True if the entities get the ids of the file.
bool keeps_ids(const saved_world& contents, const world& target, const load_file_options& options) {
    const bool can_keep = (contents.flags & save_flag_part) == 0 && options.under == 0 &&
                          !detail::has_own_entities(target);
    if (options.ids == ids_policy::keep && !can_keep) {
        raise(errc::in_use,
              "load: only a whole world keeps its ids, in a world without entities of its own");
    }
    return can_keep && options.ids != ids_policy::remap;
}

}  // namespace

}  // namespace values

load_report load_from_string(const world& target, std::string_view data,
                             const load_file_options& options) {
    if (target.is_deferred()) {
        values::raise(errc::invalid_operation,
                      "load while the world is deferred; load when that is over");
    }
    values::saved_world contents =
        values::read_contents(data, {options.bytes, options.ratio != 0 ? options.ratio : 1});
    values::check_limits(contents, options);
    const bool is_part = contents.flags & values::save_flag_part;
    const bool exact = values::keeps_ids(contents, target, options);
    values::type_library* program = values::find_library(target);
    const world scratch;
    // Else entities are made in the world itself, so that its observers are notified.
    const bool replaces = exact && !options.tell;
    if (replaces && program) {
        // C++ types have the same ids in both worlds, and others the program does not have yet.
        values::share_library(scratch, *program);
    }
    load_report report;
    values::world_loader rehearsal(contents, scratch, options, report, program);
    values::shared_types types(replaces ? program : nullptr, rehearsal.defined());
    rehearsal.run(!is_part, nullptr, replaces);
    if (replaces) {
        detail::replace_contents(target, scratch, rehearsal.order());
        types.release();
        report.exact = true;
        return report;
    }
    report = {};
    report.exact = exact;
    values::load_guard guard(target);
    values::world_loader(contents, target, options, report, program).run(exact, &rehearsal, true);
    guard.release();
    return report;
}

load_report load(const world& target, const char* file, const load_file_options& options) {
    return load_from_string(target, values::read_file(file, options.bytes), options);
}

load_report load(const world& target, const source& from, const load_file_options& options) {
    constexpr std::size_t most = 64 << 10;  // bytes of a part
    std::string data;
    for (std::size_t end = 0, got = 1; got != 0; data.resize(end)) {
        data.resize(end + most);
        got = from.read(from.context, data.data() + end, most);
        end += std::min(got, most);
        if (end > options.bytes) {
            values::raise(errc::invalid_file, "the file is longer than the limit of " +
                                                  std::to_string(options.bytes) + " bytes");
        }
    }
    return load_from_string(target, data, options);
}

load_report check_file(const char* file, const load_file_options& options) {
    const world scratch;
    return load(scratch, file, options);
}

}  // namespace kith
