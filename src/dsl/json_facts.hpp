// The facts of a world, an entity or a table in JSON, staged until all of the text was read. They
// are loaded as facts of worlds as text are.
//
// Names and values lie one behind the other in one string; facts refer to them by their places. The
// text itself is not kept, so that it may pass by in chunks: each fact knows its line and column.
//
// Covered by tests/dsl/json_world_test.cpp.
#pragma once

#include <kith/json.hpp>
#include <kith/syntax/json_reader.hpp>

#include "load_facts.hpp"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace kith::dsl {

class json_facts {
public:
    // `subject` is the entity that the text is about; null: it names its entities.
    json_facts(const world& world, const json_options& options, const entity& subject);
    // All of the text, which lives until load() has returned; texts in chunks are never there as a
    // whole.
    void set_text(std::string_view text) { text_ = text; }

    // Parts of a text, in their order. Each reads one value, whose first event was read.
    void read_type(syntax::json_reader& reader, syntax::json_event event);
    void read_entity(syntax::json_reader& reader, syntax::json_event event);
    void read_table(syntax::json_reader& reader, syntax::json_event event);
    // A key of the object that is the whole text and describes one entity; the value follows.
    void read_whole_part(syntax::json_reader& reader, const std::string& key);
    // The end of the text. Fails if the entity of the whole text has no name.
    void finish_whole(const syntax::json_reader& reader);
    // The name that a table form gives to the subject; empty: none.
    const std::string& subject_path() const noexcept { return subject_path_; }

    // Makes the staged facts true, all or none.
    json_report load(world& world);

private:
    // Facts are loaded in this order: properties that decide how pairs are stored, the facts
    // themselves, properties that forbid pairs, prefabs (whose instances have their children by
    // then), implied ids.
    enum class phase : std::uint8_t { arrangement, plain, demand, prefab, with, last };

    // A place in the text, for messages: of a whole text the offset, else line and column.
    using text_place = std::uint64_t;

    struct staged_name {
        syntax::span at;
        entity_t builtin = 0;       // that the name means; 0: another entity, or none so far
        bool is_component = false;  // is known to be one
        const description* packed = nullptr;  // the type of a component with packed values
        std::size_t packed_size = 0;
    };
    struct staged_value {
        syntax::span at;                      // JSON, or bytes; empty: none
        const description* packed = nullptr;  // the type of the bytes
    };
    struct staged_fact {
        syntax::span first;
        syntax::span second;  // empty: no pair
        staged_value value;
        text_place at;
        phase when = phase::plain;
    };
    // The facts of an entity lie one behind the other in facts_.
    struct staged_entity {
        syntax::span name;
        text_place at = 0;
        std::size_t first_fact = 0;
        std::size_t fact_count = 0;
        std::uint32_t place = 0;  // in its list
        std::int32_t table = -1;  // the table that lists it; -1: `entities`
        bool is_listed = true;    // false: the whole text is the entity
        entity_t loaded = 0;
    };
    struct staged_type {
        syntax::span declaration;
        text_place at;
    };
    struct staged_id {
        staged_name* first;
        staged_name* second;  // null: no pair
        std::string name;     // of the component
    };
    // Parts of a table form, as places in the window; empty: the part is not there.
    struct table_parts {
        std::string_view ids, values, entities, sources, is_set;
        std::string parent;
    };

    struct text_hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const noexcept {
            return std::hash<std::string_view>()(text);
        }
    };

    text_place place_of(syntax::json_reader& reader) const;
    std::string shown(text_place at) const;
    syntax::span store(std::string_view text);
    staged_name& intern(std::string_view name);
    staged_name& checked_name(syntax::json_reader& reader, std::string_view name);
    void check_name(syntax::json_reader& reader, syntax::json_event event) const;
    staged_name& read_name(syntax::json_reader& reader, syntax::json_event event);
    void check_path(syntax::json_reader& reader, std::string_view name) const;
    void begin_entity(staged_entity& one);
    void end_entity(staged_entity& one, const syntax::json_reader& reader);
    bool read_part(syntax::json_reader& reader, staged_entity& into, const std::string& key);
    [[noreturn]] static void refuse_part(syntax::json_reader& reader, const std::string& key);
    void read_tags(syntax::json_reader& reader);
    void read_components(syntax::json_reader& reader);
    void read_pairs(syntax::json_reader& reader);
    bool is_component(std::string_view name, staged_name& stored);
    void stage_component(syntax::json_reader& reader, staged_name& stored);
    std::size_t store_packed(const staged_name& component, std::string_view text,
                             staged_value& value);
    void stage_kept(const staged_name& name, std::string_view value, text_place at);
    void stage(const staged_name& first, const staged_name* second, const staged_value& value,
               text_place at);
    static phase phase_of(const staged_name& first, const staged_name* second);

    bool read_table_part(syntax::json_reader& reader, table_parts& into, const std::string& key);
    std::vector<staged_id> read_ids(syntax::json_reader& reader, std::string_view list);
    void stage_table_ids(syntax::json_reader& reader, const table_parts& parts);
    void stage_row(syntax::json_reader& reader, const std::vector<staged_id>& ids,
                   const std::vector<std::string_view>& values, text_place at);

    bool report(fact_handler& into);
    [[noreturn]] void refuse(syntax::span place, const char* reason) const;
    std::string path_of(const staged_entity& one) const;

    world world_;
    const json_options& options_;
    entity subject_;
    std::string subject_path_;
    std::string_view text_;  // empty: it arrives in chunks
    std::string arena_;
    std::unordered_map<std::string, staged_name, text_hash, std::equal_to<>> names_;
    // Names of types that the text declares, and of components of the world.
    std::unordered_set<std::string, text_hash, std::equal_to<>> components_;
    std::vector<staged_type> types_;
    std::vector<staged_entity> entities_;
    std::vector<staged_fact> facts_;
    staged_entity whole_;
    table_parts whole_parts_;
    std::string whole_ids_;  // parts of the whole text, which may have left the window
    std::string whole_values_;
    std::uint32_t phases_ = 0;  // bits of the phases that have facts
    std::uint32_t listed_ = 0;
    std::int32_t tables_ = 0;
    json_report report_;
    // The fact that is being loaded, for refusals.
    const staged_entity* loading_ = nullptr;
    text_place loading_at_ = 0;
    bool loading_type_ = false;
};

}  // namespace kith::dsl
