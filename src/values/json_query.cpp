// Results of queries as JSON (include/kith/json.hpp), by the public iterator alone.
#include <kith/detail/assert.hpp>
#include <kith/detail/json_chunks.hpp>
#include <kith/json.hpp>

#include "json_text.hpp"

#include <algorithm>
#include <vector>

namespace kith {

namespace values {

namespace {

class json_rows {
public:
    json_rows(const filter<>& query, const json_options& options)
        : query_(query),
          world_(detail::world_of(query.ref().get())),
          options_(options),
          comma_(options.compact ? "," : ", "),
          columns_(columns_of(query)) {
        const std::vector<query_column> values = value_columns_of(query);
        columns_.insert(columns_.end(), values.begin(), values.end());
    }

    void write(detail::json_chunks& out) {
        begin_columns(out.text);
        out.text += std::string("]") + comma_ + "\"rows\":[";
        bool first = true;
        each_row([&](const iter& it, std::size_t row) {
            out.text += first ? "[" : std::string(comma_) + "[";
            first = false;
            for (std::size_t i = 0; i < columns_.size(); ++i) {
                out.text += i > 0 ? comma_ : "";
                append_cell(out.text, it, row, columns_[i]);
            }
            out.text += "]";
            out.send();
        });
        out.text += "]}";
    }
    // The columns are collected before the first of them can be written.
    void write_columns(detail::json_chunks& out) {
        std::vector<std::string> cells(columns_.size());
        each_row([&](const iter& it, std::size_t row) {
            for (std::size_t i = 0; i < columns_.size(); ++i) {
                cells[i] += cells[i].empty() ? "" : comma_;
                append_cell(cells[i], it, row, columns_[i]);
            }
        });
        out.text += "{\"columns\":[";
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            out.text += i > 0 ? comma_ : "";
            append_heading(out.text, columns_[i]);
            out.text.pop_back();
            out.text += std::string(comma_) + "\"values\":[" + cells[i] + "]}";
            out.send();
        }
        out.text += "]}";
    }

private:
    // A result without rows is about no entity, and counts once.
    template <class Func>
    void each_row(Func&& func) {
        auto run = query_.iter();
        while (run.next()) {
            for (std::size_t row = 0; row < std::max<std::size_t>(1, run->count()); ++row) {
                func(*run, row);
            }
        }
    }
    void begin_columns(std::string& out) const {
        out += "{\"columns\":[";
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            out += i > 0 ? comma_ : "";
            append_heading(out, columns_[i]);
        }
    }
    // {"name":"Cargo", "kind":"value", "type":"Cargo"}
    void append_heading(std::string& out, const query_column& column) const {
        static constexpr const char* kinds[] = {"entity", "variable", "id", "value"};
        out += "{\"name\":";
        append_json_string(out, name_of(column));
        out += std::string(comma_) + "\"kind\":\"" + kinds[static_cast<int>(column.kind)] + "\"";
        if (column.kind == column_kind::value) {
            out += std::string(comma_) + "\"type\":";
            append_json_string(
                out, detail::path_of(world_, 0, detail::type_component(world_, column.id), ".", "")
                         .c_str());
        }
        out += "}";
    }
    std::string name_of(const query_column& column) const {
        switch (column.kind) {
            case column_kind::entity:
                return "this";
            case column_kind::variable:
                return std::string(query_.var_name(column.number));
            case column_kind::wildcard:
                return std::to_string(column.number);
            case column_kind::value:
                break;
        }
        return std::string(detail::id_text(world_, column.id).c_str());
    }

    void append_cell(std::string& out, const iter& it, std::size_t row,
                     const query_column& column) const {
        switch (column.kind) {
            case column_kind::entity:
                append_entity(out, row < it.count() ? it.entity(row) : entity());
                break;
            case column_kind::variable:
                append_entity(out, it.get_var(column.number));
                break;
            case column_kind::wildcard:
                append_matched(out, it, column);
                break;
            case column_kind::value:
                append_field(out, it, row, column.number);
                break;
        }
    }
    void append_entity(std::string& out, const entity& named) const {
        if (!named) {
            out += "null";
            return;
        }
        const handle shown(named.id());
        detail::append_json(out, world_, describe<handle>(), &shown, options_);
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
    void append_field(std::string& out, const iter& it, std::size_t row, std::int32_t field) const {
        if (!it.is_set(field) || it.size(field) == 0) {
            out += "null";
            return;
        }
        const id_t id = it.id(field).raw_id();
        const description* type =
            detail::find_description(world_, detail::type_component(world_, id));
        if (options_.skip_unknown && (!type || type->what == kind::none)) {
            out += "null";
            return;
        }
        KITH_ASSERT(row < std::max<std::size_t>(1, it.count()), "the row belongs to the result");
        detail::append_json(out, world_, detail::require_description(world_, id),
                            it.field(field)[row], options_);
    }

    filter<> query_;
    world_t* world_;
    json_options options_;
    const char* comma_;
    std::vector<query_column> columns_;
};

}  // namespace

}  // namespace values

void write_json(const json_sink& to, const filter<>& query, const json_options& options) {
    detail::json_chunks out(to);
    values::json_rows rows(query, options);
    if (options.columns) {
        rows.write_columns(out);
    } else {
        rows.write(out);
    }
    out.finish();
}

}  // namespace kith
