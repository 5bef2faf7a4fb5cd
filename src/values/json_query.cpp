// Results of queries as JSON (include/kith/json.hpp), by the public iterator alone.
#include <kith/detail/assert.hpp>
#include <kith/detail/json_chunks.hpp>
#include <kith/detail/json_values.hpp>
#include <kith/json.hpp>

#include "json_program.hpp"
#include "json_text.hpp"
#include "life.hpp"
#include "raise.hpp"

#include <algorithm>
#include <vector>

namespace kith {

namespace values {

namespace {

// A column, and where a result has its values.
struct result_column {
    query_column from;
    std::string name;
    std::vector<std::uint32_t> members;  // the way to a part of a struct; empty: the whole value
    const description* type = nullptr;   // of the part; null: the type is not known, or none

    // Of the present result.
    column<void> values;
    const description* part = nullptr;      // the type of the values, null: there are none
    std::size_t offset = 0;                 // of the part
    const json_program* program = nullptr;  // writes the part; null: its text has no limit
};

class json_rows {
public:
    json_rows(const filter<>& query, const json_options& options)
        : query_(query),
          world_(detail::world_of(query.ref().get())),
          options_(options),
          comma_(options.compact ? "," : ", "),
          programs_(world_) {
        for (const query_column& column : columns_of(query)) {
            columns_.push_back(heading(column));
        }
        for (const query_column& column : value_columns_of(query)) {
            add_value(column);
        }
    }

    void write(detail::json_chunks& out) {
        write_columns(out.text);
        detail::json_value_writer values(out.text, world_, options_, true);
        values_ = &values;
        out.text += options_.columns ? "\"blocks\":[" : "\"rows\":[";
        const char* before = "";
        auto run = query_.iter();
        while (run.next()) {
            // A result without rows is about no entity, and counts once.
            const std::size_t count = std::max<std::size_t>(1, run->count());
            begin_result(*run);
            if (options_.columns) {
                out.text += before;
                write_block(out, *run, count);
            } else {
                write_rows(out, *run, count, before);
            }
            before = comma_;
            out.send();
        }
        out.text += "]}";
    }

private:
    // -- columns

    result_column heading(const query_column& column) const {
        result_column made;
        made.from = column;
        made.name = column_name(query_, column);
        return made;
    }
    const description* described(id_t id) const {
        return detail::find_description(world_, detail::type_component(world_, id));
    }
    void add_value(const query_column& column) {
        result_column made = heading(column);
        made.type = described(column.id);
        const auto same = std::find_if(columns_.begin(), columns_.end(), [&](const auto& one) {
            return one.name == made.name || one.name.starts_with(made.name + ".");
        });
        made.name += same == columns_.end() ? "" : "#" + std::to_string(column.number);
        if (options_.flat && made.type && !column.in_chain) {
            add_parts(made);
        } else {
            columns_.push_back(std::move(made));
        }
    }
    // A column for each member; structs inside are taken apart, too.
    void add_parts(const result_column& outer) {
        const description& type = detail::in_world(world_, *outer.type);
        if (type.what != kind::structure || type.count == 0) {
            columns_.push_back(outer);
            return;
        }
        for (std::uint32_t i = 0; i < type.count; ++i) {
            if (type.members[i].hidden && !options_.hidden) {
                continue;
            }
            result_column part = outer;
            part.name += std::string(".") + type.members[i].name;
            part.members.push_back(i);
            part.type = type.members[i].type;
            add_parts(part);
        }
    }
    void write_columns(std::string& out) const {
        out += "{\"columns\":[";
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            out += i > 0 ? comma_ : "";
            append_heading(out, columns_[i]);
        }
        out += std::string("]") + comma_;
    }
    // {"name":"Cargo", "kind":"value", "type":"Cargo"}
    void append_heading(std::string& out, const result_column& column) const {
        static constexpr const char* kinds[] = {"entity", "variable", "id", "value"};
        out += "{\"name\":";
        append_json_string(out, column.name);
        out +=
            std::string(comma_) + "\"kind\":\"" + kinds[static_cast<int>(column.from.kind)] + "\"";
        if (column.from.kind == column_kind::value) {
            out += std::string(comma_) + "\"type\":";
            append_json_string(out, type_name(column));
        }
        out += "}";
    }
    std::string type_name(const result_column& column) const {
        if (!column.members.empty()) {
            return column.type->life.name;
        }
        const entity_t component = detail::type_component(world_, column.from.id);
        return detail::path_of(world_, 0, component, ".", "").c_str();
    }

    // -- results

    // Types and values are looked up once per result.
    void begin_result(const iter& it) {
        for (result_column& column : columns_) {
            if (column.from.kind != column_kind::value) {
                continue;
            }
            const std::int32_t field = column.from.number;
            column.part = nullptr;
            if (!it.is_set(field) || it.size(field) == 0) {
                continue;
            }
            const id_t id = it.id(field).raw_id();
            const description* type = described(id);
            if (!options_.skip_unknown || (type && type->what != kind::none)) {
                column.values = it.field(field);
                find_part(column, detail::require_description(world_, id));
            }
        }
    }
    void find_part(result_column& column, const description& whole) {
        column.part = &whole;
        column.offset = 0;
        for (const std::uint32_t member : column.members) {
            const description& outer = detail::in_world(world_, *column.part);
            KITH_ASSERT(member < outer.count, "the columns were made for the type");
            column.offset += outer.members[member].offset;
            column.part = outer.members[member].type;
        }
        const json_style style{options_.compact, options_.html_safe, !options_.hidden};
        const json_program& program = programs_.find(*column.part, style);
        column.program = program.fits(options_.depth) ? &program : nullptr;
    }
    void write_rows(detail::json_chunks& out, const iter& it, std::size_t count,
                    const char* before) const {
        for (std::size_t row = 0; row < count; ++row) {
            out.text += before;
            before = comma_;
            out.text += '[';
            for (std::size_t i = 0; i < columns_.size(); ++i) {
                out.text += i > 0 ? comma_ : "";
                append_cell(out.text, it, row, columns_[i]);
            }
            out.text += ']';
            out.send();
        }
    }
    // {"count":2, "data":[["Bell", "Ann"], [{"tons":64}, {"tons":1}]]}
    void write_block(detail::json_chunks& out, const iter& it, std::size_t count) const {
        out.text += "{\"count\":" + std::to_string(count) + comma_ + "\"data\":[";
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            out.text += i > 0 ? comma_ : "";
            out.text += '[';
            for (std::size_t row = 0; row < count; ++row) {
                out.text += row > 0 ? comma_ : "";
                append_cell(out.text, it, row, columns_[i]);
                out.send();
            }
            out.text += ']';
        }
        out.text += "]}";
    }

    void append_cell(std::string& out, const iter& it, std::size_t row,
                     const result_column& column) const {
        switch (column.from.kind) {
            case column_kind::entity:
                append_entity(out, row < it.count() ? it.entity(row) : entity());
                break;
            case column_kind::variable:
                append_entity(out, it.get_var(column.from.number));
                break;
            case column_kind::wildcard:
                append_matched(out, it, column.from);
                break;
            case column_kind::value:
                append_value_of(out, row, column);
                break;
        }
    }
    void append_entity(std::string& out, const entity& named) const {
        if (!named) {
            out += "null";
            return;
        }
        values_->append_entity(named);
    }
    // What the wildcard stands for; a list of both parts if it stands for both.
    void append_matched(std::string& out, const iter& it, const query_column& column) const {
        if (!it.is_set(column.number)) {
            out += "null";
            return;
        }
        const kith::id id = it.id(column.number);
        if (!id.is_pair()) {
            append_entity(out, id.entity());
        } else if (column.first && column.second) {
            out += "[";
            append_entity(out, id.first());
            out += comma_;
            append_entity(out, id.second());
            out += "]";
        } else {
            append_entity(out, column.first ? id.first() : id.second());
        }
    }
    void append_value_of(std::string& out, std::size_t row, const result_column& column) const {
        const void* value = column.part ? column.values[row] : nullptr;
        if (!value) {
            out += "null";
            return;
        }
        value = part_at(value, column.offset);
        if (!column.program) {
            values_->append(*column.part, value);
            return;
        }
        char text[json_program::most_room];
        const char* end = column.program->write(value, text, options_.safe_integers);
        out.append(text, static_cast<std::size_t>(end - text));
    }

    filter<> query_;
    world_t* world_;
    json_options options_;
    const char* comma_;
    std::vector<result_column> columns_;
    json_programs programs_;
    detail::json_value_writer* values_ = nullptr;  // into the text that is being written
};

}  // namespace

}  // namespace values

void write_json(const json_sink& to, const filter<>& query, const json_options& options) {
    detail::json_chunks out(to, options.pretty);
    values::json_rows(query, options).write(out);
    out.finish();
}

}  // namespace kith
