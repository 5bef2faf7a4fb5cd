#include "answer.hpp"

#include <kith/detail/json_values.hpp>
#include <kith/json.hpp>
#include <kith/query_columns.hpp>
#include <kith/syntax/lexer.hpp>
#include <kith/value.hpp>

#include "input_error.hpp"
#include "nearest.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kith_app {

namespace {

// Where a variable first stands in the text of a query.
std::size_t place_of(std::string_view text, std::string_view variable) {
    kith::syntax::lexer words(text);
    for (kith::syntax::token word = words.next(); word.kind != kith::syntax::token_kind::end;
         word = words.next()) {
        if (word.kind == kith::syntax::token_kind::variable &&
            word.at.of(text).substr(1) == variable) {
            return word.at.begin;
        }
    }
    return text.size();
}

// Variables in the order in which the query names them, not in which the engine numbers them.
std::vector<kith::query_column> ordered_columns(const kith::filter<>& query) {
    std::vector<kith::query_column> columns = kith::columns_of(query);
    const kith::string text = query.str();
    const auto is_variable = [](const kith::query_column& column) {
        return column.kind == kith::column_kind::variable;
    };
    const auto first = std::find_if(columns.begin(), columns.end(), is_variable);
    const auto last = std::find_if_not(first, columns.end(), is_variable);
    const auto place = [&](const kith::query_column& column) {
        return std::pair(place_of(text, query.var_name(column.number)), column.number);
    };
    std::sort(first, last,
              [&](const auto& left, const auto& right) { return place(left) < place(right); });
    return columns;
}

// The rows of one answer, and who is in them.
class collector {
public:
    // `wanted` are the values to show; empty: those of the fields.
    collector(const kith::filter<>& query, const std::vector<std::string>& wanted, answer& into)
        : world_(kith::detail::world_of(query.ref().get())),
          columns_(ordered_columns(query)),
          into_(into) {
        for (const kith::query_column& column : columns_) {
            into_.columns.push_back(kith::column_name(query, column));
        }
        into_.first_value = columns_.size();
        const std::vector<kith::query_column> fields = kith::value_columns_of(query);
        for (const std::string& one : wanted) {
            add_wanted(query, fields, one);
        }
        for (const kith::query_column& column : fields) {
            if (wanted.empty()) {
                add_value_columns(kith::column_name(query, column), column);
            }
        }
    }

    void add(const kith::iter& it, std::size_t row) {
        if (is_about_names(it)) {
            return;
        }
        std::vector<answer::cell> cells;
        cells.reserve(columns_.size());
        for (const kith::query_column& column : columns_) {
            cells.push_back(read(it, row, column));
        }
        for (const value_column& column : values_) {
            cells.push_back(read_value(it, row, column));
        }
        into_.rows.push_back(std::move(cells));
    }

private:
    // The value of a field, or of a component of the row's entity, or a part of it.
    struct value_column {
        std::int32_t field;  // 0: `id` of the row's entity
        kith::id_t id;
        std::string path;  // of a member; empty: the whole value
    };

    const kith::description* described(kith::id_t id) const {
        const kith::entity_t component = kith::detail::type_component(world_, id);
        const kith::description* type =
            component ? kith::detail::find_description(world_, component) : nullptr;
        return type && type->what != kith::kind::none ? type : nullptr;
    }
    // `Cargo`, `Cargo.tons`, `Cargo($port).tons`: a field of the query, or a component of $this.
    void add_wanted(const kith::filter<>& query, const std::vector<kith::query_column>& fields,
                    const std::string& wanted) {
        std::vector<std::string> known;
        for (const kith::query_column& column : fields) {
            const std::string name = kith::column_name(query, column);
            if (wanted == name) {
                add_value_columns(name, column);
                return;
            }
            if (wanted.starts_with(name + ".")) {
                add_part(wanted, {column.number, column.id, wanted.substr(name.size() + 1)});
                return;
            }
            known.push_back(name);
        }
        // The longest beginning that names a component.
        for (std::size_t end = wanted.size(); end != std::string::npos && end > 0;
             end = wanted.rfind('.', end - 1)) {
            const kith::entity found = kith::world(world_).lookup(wanted.substr(0, end), ".", "::");
            if (!found || !described(found)) {
                continue;
            }
            if (end == wanted.size()) {
                kith::query_column column;
                column.id = found;
                add_value_columns(wanted, column);
            } else {
                add_part(wanted, {0, found, wanted.substr(end + 1)});
            }
            return;
        }
        throw input_error("there is no value '" + wanted + "'" + did_you_mean(wanted, known));
    }
    // Throws kith::error for members that the type does not have.
    void add_part(const std::string& name, const value_column& column) {
        static_cast<void>(
            kith::path(world_, kith::detail::require_description(world_, column.id), column.path));
        into_.columns.push_back(name);
        values_.push_back(column);
    }
    // A struct of up to four numbers has a column for each of them.
    void add_value_columns(const std::string& name, const kith::query_column& column) {
        const kith::description* type = described(column.id);
        if (!type) {
            return;
        }
        constexpr std::uint32_t most_members = 4;
        const bool flat =
            type->what == kith::kind::structure && type->count <= most_members &&
            !column.in_chain &&
            std::all_of(type->begin(), type->end(), [](const kith::member_info& member) {
                return member.type->what >= kith::kind::i8 && member.type->what <= kith::kind::f64;
            });
        if (!flat) {
            into_.columns.push_back(name);
            values_.push_back({column.number, column.id, {}});
            return;
        }
        for (std::uint32_t i = 0; i < type->count; ++i) {
            if (!type->members[i].hidden) {
                into_.columns.push_back(name + "." + type->members[i].name);
                values_.push_back({column.number, column.id, type->members[i].name});
            }
        }
    }
    // Null if the row has no such value.
    const void* find_value(const kith::iter& it, std::size_t row, const value_column& column,
                           kith::id_t& id) const {
        if (column.field == 0) {
            id = column.id;
            return row < it.count() ? it.entity(row).get(column.id) : nullptr;
        }
        if (!it.is_set(column.field) || it.size(column.field) == 0) {
            return nullptr;
        }
        id = it.id(column.field).raw_id();
        return it.field(column.field)[row];
    }
    answer::cell read_value(const kith::iter& it, std::size_t row, const value_column& column) {
        kith::id_t id = 0;
        const void* value = find_value(it, row, column, id);
        if (!value) {
            return {};
        }
        const kith::value_view whole(world_, kith::detail::require_description(world_, id), value);
        const kith::value_view shown =
            column.path.empty() ? whole : whole.find(column.path.c_str());
        if (!shown) {
            return {};
        }
        answer::cell made = shown.str();
        kith::detail::json_value_writer(made.json, world_, {}, true)
            .append(shown.type(), shown.ptr());
        return made;
    }
    // Names are stored as pairs, too: a wildcard finds them with every entity.
    bool is_about_names(const kith::iter& it) const {
        return std::any_of(columns_.begin(), columns_.end(), [&](const auto& column) {
            return column.kind == kith::column_kind::wildcard && column.first &&
                   it.is_set(column.number) && it.id(column.number).is_pair() &&
                   it.id(column.number).first() == kith::type_id<kith::Identifier>();
        });
    }
    answer::cell read(const kith::iter& it, std::size_t row, const kith::query_column& column) {
        switch (column.kind) {
            case kith::column_kind::entity:
                return row < it.count() ? name(it.entity(row)) : answer::cell();
            case kith::column_kind::variable:
                return name(it.get_var(column.number));
            case kith::column_kind::wildcard:
            case kith::column_kind::value:
                break;
        }
        return it.is_set(column.number) ? matched(it.id(column.number), column) : answer::cell();
    }

    // What the wildcard stands for; the pair if it stands for both of its parts.
    answer::cell matched(const kith::id& id, const kith::query_column& column) {
        if (!id.is_pair()) {
            return name(id.entity());
        }
        if (column.first && column.second) {
            return "(" + *name(id.first()) + "," + *name(id.second()) + ")";
        }
        return name(column.first ? id.first() : id.second());
    }

    answer::cell name(const kith::entity& entity) {
        if (!entity) {
            return {};
        }
        into_.entities.push_back(entity.id());
        return path_of(entity);
    }

    kith::world_t* world_;
    std::vector<kith::query_column> columns_;
    std::vector<value_column> values_;
    answer& into_;
};

void put_in_order(answer& result) {
    std::sort(result.rows.begin(), result.rows.end());
    std::sort(result.entities.begin(), result.entities.end());
    result.entities.erase(std::unique(result.entities.begin(), result.entities.end()),
                          result.entities.end());
}

}  // namespace

kith::filter<> make_query(const kith::world& world, const std::string& text) {
    constexpr std::size_t longest = 1 << 20;
    if (text.size() > longest) {
        throw input_error("the query is longer than a megabyte");
    }
    if (text.find('\0') != std::string::npos) {
        throw input_error("the query has zero bytes");
    }
    return world.filter(text.c_str());
}

answer evaluate(const kith::filter<>& query, const interrupt& stop,
                const std::vector<std::string>& values) {
    using clock = std::chrono::steady_clock;
    const clock::time_point start = clock::now();
    answer result;
    collector rows(query, values, result);
    auto run = query.iter();
    run.stop_on(stop);
    while (!stop.stop_requested() && run.next()) {
        // A result without rows is about no entity, and counts once.
        for (std::size_t row = 0; row < std::max<std::size_t>(1, run->count()); ++row) {
            rows.add(*run, row);
        }
    }
    result.interrupted = stop.stop_requested();
    put_in_order(result);
    result.milliseconds = std::chrono::duration<double, std::milli>(clock::now() - start).count();
    return result;
}

std::string path_of(const kith::entity_view& entity) {
    return entity.path(".", "").c_str();
}

}  // namespace kith_app
